"""`moot watch`: the page of a run that goes on in another process, by the real command and in a real browser."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.errors import MootError
from moot.report.wanted_plan import WantedPlan
from moot.serve.watching import Watching
from moot.store.sqlite import SqliteStore

Captured = pytest.CaptureFixture[str]
MOOT = [sys.executable, "-c", "from moot.cli import main; main()"]
HOSTILE = "<img src=x onerror=\"document.title='owned'\">\u202eevil"
LATE = "SELECT question FROM experiment_questions WHERE position >= 20"


def cup(folder: Path, **more: Any) -> Path:
    lines = [{"id": f"q{n}", "text": f"Who is number {n}?", "answer": f"Person {n}"} for n in range(40)]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    priced = {"provider": "simulated", "price": {"prompt": 1.0, "completion": 2.0}, "max_tokens": 300}
    keys = {
        "name": "cup",
        "questions": {"file": "questions.jsonl"},
        "models": {who: {**priced, "accuracy": share} for who, share in (("ann", 0.7), ("bob", 0.5), ("cat", 0.6))},
        "teams": {"three": {"players": ["ann", "bob", "cat"]}},
        "strategies": ["solo", "vote"],
        "primary": "vote",
    }
    path = folder / "cup.yaml"
    path.write_text(json.dumps({**keys, **more}), encoding="utf-8")
    return path


def moot(*arguments: object) -> int:
    return run_app(app, [str(each) for each in arguments])


@dataclass
class Watched:
    path: Path
    url: str
    before: str = ""
    """Its state when there was no store yet."""

    def get(self, path: str, **headers: str) -> tuple[int, str, Any]:
        try:
            with urllib.request.urlopen(urllib.request.Request(self.url + path, headers=headers)) as answer:
                return answer.status, answer.read().decode(), answer.headers
        except urllib.error.HTTPError as refused:
            return refused.code, refused.read().decode(), refused.headers

    def figures(self, right: Callable[[dict[str, Any]], bool] = lambda found: True) -> dict[str, Any]:
        """As soon as they are so: the store is looked at every half a second."""
        while not right(found := json.loads(self.get("/v1/moot/watch")[1])):
            time.sleep(0.05)
        return dict(found)

    def change(self, *statements: str, values: tuple[Any, ...] = ()) -> None:
        with closing(sqlite3.connect(self.path.parent / "cup.db")) as connection, connection:
            for statement in statements:
                connection.execute(statement, values)

    def stands_in_the_middle(self) -> None:
        """As if it went on: half of it is put aside."""
        aside = f"CREATE TABLE IF NOT EXISTS aside AS SELECT * FROM episodes WHERE question IN ({LATE})"
        self.change(aside, f"DELETE FROM episodes WHERE question IN ({LATE})")
        self.change("UPDATE runs SET state = 'running', facts = '{}'")

    def goes_on_to_its_end(self) -> None:
        self.change(
            "INSERT OR IGNORE INTO episodes SELECT * FROM aside", "UPDATE runs SET state = 'done'", "DROP TABLE aside"
        )


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    """The command is started before there is anything to watch, and ended as a user ends it."""
    path = cup(tmp_path_factory.mktemp("watched"))
    command = [*MOOT, "watch", str(path), "--every", "0.5"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        found = re.fullmatch(r"watching cup: (http://127\.0\.0\.1:\d+)/\n", process.stdout.readline())
        assert found
        begun = Watched(path, found[1])
        begun.before = begun.figures()["state"]
        assert moot("run", path, "--quiet") == 0
        yield begun
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
        assert (process.returncode, err) == (0, ""), out
    finally:
        process.kill()
        process.communicate()


def test_before_the_run_and_after(watched: Watched, capsys: Captured) -> None:
    """It finds the store when there is one, and tells the report's figures when all is played."""
    assert watched.before == "not started"
    found = watched.figures(lambda found: found["over"])
    capsys.readouterr()
    assert moot("report", watched.path, "--json") == 0
    report = json.loads(capsys.readouterr().out)
    assert found["notes"] == report["headline"]["words"]
    assert found["bill_usd"] == report["bill_usd"]
    keys = ("value", "low", "high", "n", "outcomes", "missing", "calls", "cost_usd")
    assert [[row[key] for key in keys] for row in found["accuracy"]] == [
        [row[key] for key in keys] for row in report["accuracy"]
    ]
    assert [(row["model"], row["replies"], row["failed"]) for row in found["models"]] == [
        (name, 40, 0) for name in ("ann", "bob", "cat")
    ]


def test_while_it_goes_on_nothing_is_claimed(watched: Watched, capsys: Captured) -> None:
    watched.stands_in_the_middle()
    try:
        found = watched.figures(lambda found: found["state"] == "running")
        assert (found["episodes"], found["missing"], found["over"]) == (80, 80, False)
        (note,) = found["notes"]
        assert "from the fast answers only" in note
        assert "Nothing is claimed" in note
        assert [row["of"] for row in found["accuracy"]] == ["solo@ann", "solo@bob", "solo@cat", "vote"], (
            "as in the file"
        )
        assert [row["declared"] for row in found["accuracy"]] == [False, False, False, True]
        assert all(row["n"] == 20 and row["low"] is not None for row in found["accuracy"])
        capsys.readouterr()
        assert moot("watch", watched.path, "--once") == 0
        shown = " ".join(capsys.readouterr().out.split())
        assert "going on, 80 episodes missing" in shown
        assert shown.count("declared") == 1
        assert "vote, declared" in shown
        assert "Nothing is claimed" in shown
        assert "more than" not in shown
        assert "the best single" not in shown
    finally:
        watched.goes_on_to_its_end()


def test_the_doors_are_those_of_a_served_team(watched: Watched) -> None:
    status, page, headers = watched.get("/")
    assert status == 200
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert headers["Cache-Control"] == "no-store"
    token = re.search(r'name="moot-page" content="([^"]+)"', page)
    assert token
    assert "http" not in page.replace("http-equiv", ""), "no request leaves"
    browser = {"Sec-Fetch-Site": "same-origin"}
    assert watched.get("/v1/moot/watch", **browser)[0] == 403
    assert watched.get("/v1/moot/watch", **browser, **{"X-Moot-Page": token[1]})[0] == 200
    assert watched.get("/v1/moot/watch", Origin="http://evil.example")[0] == 403
    assert watched.get("/", Host="evil.example")[0] == 421
    assert watched.get("/page/table.js")[0] == 404
    assert watched.get("/page/..%2Fserving.py")[0] == 404


def test_the_store_is_looked_at_no_oftener_than_it_bears(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a look that took long it is left alone for nine times as long, however many ask."""
    from moot.serve import watching as module
    from moot.store import store_at

    path, clock, looks = cup(tmp_path), [100.0], 0
    assert moot("run", path, "--quiet") == 0
    real = module.so_far

    def slow(*arguments: Any) -> dict[str, Any]:
        nonlocal looks
        looks += 1
        clock[0] += 2.0
        return real(*arguments)

    monkeypatch.setattr(module, "so_far", slow)
    monkeypatch.setattr(module.time, "monotonic", lambda: clock[0])

    async def watch() -> None:
        watching = module.Watching(store_at(f"sqlite:///{tmp_path / 'cup.db'}"), WantedPlan("cup"), 3.0)
        try:
            answers = await asyncio.gather(*(watching.figures() for _ in range(20)))
            assert {answer["at"] for answer in answers} == {answers[0]["at"]}
            clock[0] += 17.9
            await watching.figures()
            assert looks == 1
            clock[0] += 0.2
            await watching.figures()
            assert looks == 2
        finally:
            await watching.close()

    asyncio.run(watch())


def test_on_postgresql(tmp_path: Path, capsys: Captured, postgres: Any) -> None:
    url = postgres.database()
    path = cup(tmp_path)
    assert moot("run", path, "--store", url, "--limit", 5, "--quiet") == 0
    capsys.readouterr()
    assert moot("watch", path, "--store", url, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["state"], found["over"], found["episodes"]) == ("done", True, 20)


def test_a_team_file_is_nothing_to_watch(tmp_path: Path, capsys: Captured) -> None:
    assert moot("watch", cup(tmp_path, questions=None), "--once") == 2
    assert "has no questions" in capsys.readouterr().err


CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")


@pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="needs chromium and chromedriver (apt)")
def test_the_page_follows_the_run_by_itself(watched: Watched) -> None:
    webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium")
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.support.ui import WebDriverWait

    failure = (
        "INSERT INTO failures (key, experiment, model, kind, message, created_at) VALUES ('k', 'cup', 'cat', ?, ?, 1)"
    )
    watched.change(failure, values=("TimedOut", HOSTILE))
    watched.stands_in_the_middle()
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in ("--headless=new", "--no-sandbox"):
        options.add_argument(flag)
    options.add_experimental_option(
        "mobileEmulation", {"deviceMetrics": {"width": 390, "height": 800, "pixelRatio": 1}}
    )
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = webdriver.Chrome(options=options, service=Service(DRIVER))

    def text(ident: str) -> str:
        return str(browser.execute_script("return document.getElementById(arguments[0]).textContent", ident))

    def until(words: str, ident: str) -> None:
        WebDriverWait(browser, 120, poll_frequency=0.05).until(lambda page: words in text(ident))

    try:
        watched.figures(lambda found: found["state"] == "running")
        browser.get(watched.url)
        until("going on, 80 episodes missing", "state")
        assert "Nothing is claimed" in text("notes")
        assert "vote" in text("accuracy")
        assert "80 of 160 episodes" in text("pace")
        until("evil", "failures")
        assert browser.execute_script("return document.documentElement.scrollWidth <= innerWidth"), "fits a phone"
        watched.goes_on_to_its_end()
        until("done", "state")
        until("deciding by vote", "notes")
        assert browser.title == "moot: watching", "nothing ran that a server said"
        assert [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"] == []
    finally:
        browser.quit()


def test_a_store_that_was_removed_is_not_told_as_it_was(tmp_path: Path) -> None:
    """An open file is read as before, whatever stands under its name now."""
    assert moot("run", cup(tmp_path), "--quiet", "--limit", 4) == 0

    async def look_twice() -> dict[str, Any]:
        watching = Watching(SqliteStore(tmp_path / "cup.db"), WantedPlan("cup"), 0.0)
        try:
            assert (await watching.figures())["state"] == "done"
            for name in ("cup.db", "cup.db-wal", "cup.db-shm"):
                with suppress(FileNotFoundError):
                    os.unlink(tmp_path / name)
            watching._next_at = 0.0
            return await watching.figures()
        finally:
            with suppress(MootError):
                await watching.close()

    found = asyncio.run(look_twice())
    assert found["state"] == "unreadable"
    assert "was removed or moved away" in found["notes"][0]
