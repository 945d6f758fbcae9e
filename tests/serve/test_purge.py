"""Attacks on forgetting: what was purged is looked for in every byte that is left, also while the server runs."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml
from hostile_server import completion, hostile, http
from served import THREE, Served, serving

import moot
from moot.cli.app import app
from moot.cli.exit import run_app
from moot.live.served import served_name
from moot.live.served_past import forget
from moot.measures.numbers import money
from moot.store import store_at

SECRET = "Zarqumandia"


def holding(folder: Path, word: str = SECRET) -> list[str]:
    """The files below a folder in which the word stands, in whatever place.

    Looked at by another process: to close a file gives up the locks of a process on it, and those of SQLite with them.
    """
    look = (
        "import pathlib, sys\n"
        "for path in pathlib.Path(sys.argv[1]).rglob('*'):\n"
        "    if path.is_file() and sys.argv[2].encode() in path.read_bytes():\n"
        "        print(path)"
    )
    command = [sys.executable, "-c", look, str(folder), word]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n")[:-1]


def purged_by_another_process(folder: Path) -> str:
    command = [sys.executable, "-m", "moot", "purge", "team.yaml", "--older-than", "0"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def purge(folder: Path, days: int = 0) -> None:
    assert run_app(app, ["purge", str(folder / "team.yaml"), "--older-than", str(days)]) == 0


async def secrets_told(served: Served) -> str:
    """A question, references that replace one another, a person's word, and one that nobody could answer."""
    _, body = await served.chat(f"Where is the well of {SECRET}?")
    episode = body["moot"]["episode"]
    for answer in (f"{SECRET} the first", f"{SECRET} the second", f"{SECRET} the third"):
        assert (await served.post("/v1/feedback", {"episode": episode, "answer": answer}))[0] == 200
    assert (await served.post("/v1/feedback", {"episode": episode, "correct": False}))[0] == 200
    wanted = {"type": "json_schema", "json_schema": {"name": "n", "schema": {"title": SECRET, "type": "object"}}}
    assert (await served.chat(f"In the form of {SECRET}?", response_format=wanted))[0] == 200
    return str(episode)


async def test_nothing_of_what_is_purged_is_left_while_the_server_runs(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        await secrets_told(served)
        _, kept = await served.chat("And where is Placidia?")
        await served.live.record.flush()
        assert holding(tmp_path)
        assert "forgotten: 3 answers, 3 questions" in await asyncio.to_thread(purged_by_another_process, tmp_path)
        assert holding(tmp_path) == []
        assert holding(tmp_path, "Placidia") == []
        assert (await served.get("/v1/moot/episodes"))[1]["episodes"] == []
        assert (await served.chat("Still there?"))[0] == 200
        status, _ = await served.post("/v1/feedback", {"episode": kept["moot"]["episode"], "answer": "x"})
        assert status == 404


async def test_what_was_asked_under_an_earlier_version_of_the_file_is_forgotten_too(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        await secrets_told(served)
    changed = {**THREE, "models": {**THREE["models"], "ann": {"provider": "simulated", "accuracy": 0.9}}}
    async with serving(tmp_path, changed) as served:
        await served.chat("Something else?")
        assert holding(tmp_path)
        await asyncio.to_thread(purge, tmp_path)
        assert holding(tmp_path) == []


async def test_the_server_itself_forgets(tmp_path: Path) -> None:
    from moot.serve.app import ServeSettings

    async with serving(tmp_path) as served:
        await secrets_told(served)
    assert holding(tmp_path)
    async with serving(tmp_path, settings=ServeSettings(keep_days=0.0)):
        async with asyncio.timeout(120):
            while holding(tmp_path):  # noqa: ASYNC110  files tell nobody
                await asyncio.sleep(0.1)


def redated(folder: Path, by_days: float) -> None:
    """As a clock writes that is so many days ahead, or as time passes."""
    with closing(sqlite3.connect(folder / "three.db")) as connection:
        for table in ("episodes", "calls", "failures"):
            connection.execute(f"UPDATE {table} SET created_at = created_at + ?", (by_days * 86_400,))
        connection.commit()


@pytest.mark.parametrize("ahead", [1 / 24, 5 * 365], ids=["an hour", "years"])
async def test_what_was_asked_while_the_clock_was_ahead_is_forgotten(tmp_path: Path, ahead: float) -> None:
    async with serving(tmp_path) as served:
        await secrets_told(served)
    redated(tmp_path, ahead)
    await asyncio.to_thread(purge, tmp_path, 30)
    assert holding(tmp_path), "it may be young: it counts as asked when it was first looked at"
    redated(tmp_path, -29)
    await asyncio.to_thread(purge, tmp_path, 30)
    assert holding(tmp_path)
    redated(tmp_path, -2)
    await asyncio.to_thread(purge, tmp_path, 30)
    assert holding(tmp_path) == []


async def test_what_an_answer_that_stays_is_made_of_stays_with_it(tmp_path: Path) -> None:
    """Under --reuse its calls may be older than what is forgotten, and so may others of the same question."""
    async with serving(tmp_path, reuse=True) as served:
        for question in ("Which lake?", "Which lake?", "Which river?"):
            _, first = await served.chat(question)
        assert (await served.post("/v1/feedback", {"episode": first["moot"]["episode"], "correct": True}))[0] == 200
    redated(tmp_path, -5)
    async with serving(tmp_path, reuse=True) as served:
        _, again = await served.chat("Which river?")
        await served.live.record.all_written()
        await asyncio.to_thread(purge, tmp_path, 3)
        _, whole = await served.get(f"/v1/moot/episodes/{again['moot']['episode']}")
        assert [call["cost_usd"] is None or not call["text"] for call in whole["calls"]] == [False] * 3
        assert whole["feedback"]["correct"] is True
        assert holding(tmp_path, "Which lake") == []
    redated(tmp_path, -5)
    await asyncio.to_thread(purge, tmp_path, 3)
    assert holding(tmp_path, "Which river") == []


async def test_all_is_forgotten_whatever_its_date(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        await secrets_told(served)
    redated(tmp_path, 5 * 365)
    assert "forgotten: 2 answers, 2 questions" in await asyncio.to_thread(purged_by_another_process, tmp_path)
    assert holding(tmp_path) == []


async def test_what_is_younger_and_what_was_run_stays(tmp_path: Path) -> None:
    """A run of the same file, whose team is the same, is no served traffic."""
    questions = tmp_path / "q.jsonl"
    questions.write_text('{"id": "1", "text": "Which river?", "answer": "Nile"}\n', encoding="utf-8")
    file = {**THREE, "store": "sqlite:///three.db", "strategies": ["vote"]}
    (tmp_path / "team.yaml").write_text(yaml.safe_dump({**file, "questions": {"file": "q.jsonl"}}), encoding="utf-8")
    command = [sys.executable, "-m", "moot", "run", "team.yaml", "--quiet"]
    done = await asyncio.to_thread(subprocess.run, command, cwd=tmp_path, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr
    async with moot.load_team(tmp_path / "team.yaml") as team:
        await team.ask(f"Where is {SECRET}?")
    assert holding(tmp_path)
    await asyncio.to_thread(purge, tmp_path)
    connection = sqlite3.connect(tmp_path / "three.db")
    for table in ("episodes", "scores", "cases"):
        assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (1,), table
    connection.close()
    assert holding(tmp_path) == []


async def judged(folder: Path, judge: str, status: int) -> None:
    command = [sys.executable, "-m", "moot", "grade", "team.yaml", "--judge", judge]
    done = await asyncio.to_thread(subprocess.run, command, cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode in (0, status), done.stderr  # what nobody has said yet is no failure of a judge


def of_the_judge(folder: Path, table: str) -> int:
    with closing(sqlite3.connect(folder / "three.db")) as connection:
        ((count,),) = connection.execute(f"SELECT count(*) FROM {table} WHERE experiment = 'three'").fetchall()
    return int(count)


def judge_at(url: str) -> dict[str, Any]:
    return {"provider": "endpoint", "model": "j", "base_url": url, "price": {"prompt": 1, "completion": 1}}


def with_judge(url: str) -> dict[str, Any]:
    models = {**THREE["models"], "jane": {**judge_at(url), "retries": {"attempts": 1}}}
    return {**THREE, "models": models, "players": {name: {"model": name} for name in THREE["models"]}}


def word_on(body: Any, number: int) -> bytes:
    """A judge who repeats what it was shown, and is of use the second time."""
    shown = body["messages"][-1]["content"]
    grades = {"grades": [{"id": 1, "is_correct": False}]} if number % 2 == 0 else {"said": f"{shown} {SECRET}"}
    return http(completion(json.dumps(grades)))


async def test_what_judges_were_shown_is_forgotten_in_every_attempt(tmp_path: Path) -> None:
    async with hostile(word_on) as server:
        async with serving(tmp_path, with_judge(server.base_url)) as served:
            await secrets_told(served)
        await judged(tmp_path, "jane", 1)
        assert of_the_judge(tmp_path, "calls") >= 2
        await asyncio.to_thread(purge, tmp_path)
        assert holding(tmp_path) == []
        assert of_the_judge(tmp_path, "calls") == 0
        assert of_the_judge(tmp_path, "losses") == 1


async def test_with_its_words_no_money_is_forgotten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Ann's cost is known, bob's is not: what was paid to ann is told before and after, as no more than a part."""
    price = {"prompt": 1_000, "completion": 2_000}
    priced = {**THREE, "models": {name: {**each, "price": price} for name, each in THREE["models"].items()}}

    async with serving(tmp_path, priced) as served:
        for number in range(3):
            assert (await served.chat(f"Where is well {number}?"))[0] == 200
    with closing(sqlite3.connect(tmp_path / "three.db")) as connection:
        connection.execute("UPDATE calls SET cost_usd = NULL WHERE model = 'bob'")
        connection.commit()

    def told() -> tuple[dict[str, Any], str]:
        said = []
        for more in (["--json"], []):
            capsys.readouterr()
            assert run_app(app, ["runs", str(tmp_path / "team.yaml"), *more]) == 0
            said.append(capsys.readouterr().out)
        ((row,),) = (each["runs"] for each in json.loads(said[0]))
        return row, " ".join(said[1].split())

    before, _ = await asyncio.to_thread(told)
    known_usd = before["costs_known"]["at_least_usd"]
    assert known_usd > 0.01
    await asyncio.to_thread(purge, tmp_path)
    after, words = await asyncio.to_thread(told)
    assert (after["bill_usd"], after["losses_usd"], after["losses_unknown"]) == (None, None, 3)
    assert after["losses_known_usd"] == pytest.approx(known_usd)
    assert f"up to {money(known_usd)} more for other calls without a reply or not kept" in words
    async with serving(tmp_path, priced) as served:
        assert (await served.chat("Where is the last well?"))[0] == 200
    capsys.readouterr()
    assert await asyncio.to_thread(run_app, app, ["report", str(tmp_path / "team.yaml")]) == 0
    report = " ".join(capsys.readouterr().out.split())
    assert f"Up to {money(known_usd)} more may be on the bill, for other calls without a reply or not kept." in report


async def test_what_judges_failed_at_is_forgotten(tmp_path: Path) -> None:
    async with hostile(lambda body, _: http({"error": {"message": f"no to {SECRET}"}}, 400)) as server:
        async with serving(tmp_path, with_judge(server.base_url)) as served:
            await secrets_told(served)
        await judged(tmp_path, "jane", 1)
        assert of_the_judge(tmp_path, "failures") >= 1
        await asyncio.to_thread(purge, tmp_path)
        assert holding(tmp_path) == []
        assert of_the_judge(tmp_path, "failures") == 0


def before_links(folder: Path) -> None:
    """As a store was before the calls of judges were tied to cases: those with a usable word are named by it."""
    with closing(sqlite3.connect(folder / "three.db")) as connection:
        named = "SELECT call_key FROM judgements WHERE call_key IS NOT NULL"
        connection.execute(f"DELETE FROM judge_calls WHERE key NOT IN ({named})")
        connection.execute("UPDATE migrations SET applied_at = 1e12 WHERE name = '0012-judge-calls'")
        connection.commit()


@pytest.mark.parametrize("table", ["calls", "failures"])
async def test_what_judges_were_asked_in_vain_before_it_was_tied_to_cases_is_forgotten(
    tmp_path: Path, table: str
) -> None:
    def refused(body: Any, number: int) -> bytes:
        return http({"error": {"message": f"no to {body['messages'][-1]['content'][400:]}"}}, 400)

    async with hostile(word_on if table == "calls" else refused) as server:
        async with serving(tmp_path, with_judge(server.base_url)) as served:
            await secrets_told(served)
        await judged(tmp_path, "jane", 1)
        await asyncio.to_thread(before_links, tmp_path)
        assert of_the_judge(tmp_path, table) >= 1
        await asyncio.to_thread(purge, tmp_path)
        assert holding(tmp_path) == []
        assert of_the_judge(tmp_path, "calls") == 0


async def test_a_question_that_is_asked_again_keeps_nothing_of_its_old_answers(tmp_path: Path) -> None:
    """By age: the question stays, what was said when it was asked before does not."""
    async with hostile(word_on) as server:
        async with serving(tmp_path, with_judge(server.base_url)) as served:
            _, body = await served.chat("Which river?")
            await served.post("/v1/feedback", {"episode": body["moot"]["episode"], "answer": "Nile"})
        with closing(sqlite3.connect(tmp_path / "three.db")) as connection:
            old = f"UPDATE episodes SET created_at = 1, answer = '{SECRET}', verdict = replace(verdict, answer, '{SECRET}')"
            connection.execute(old)
            connection.execute("UPDATE calls SET created_at = 1")
            connection.commit()
        await judged(tmp_path, "jane", 0)
        async with serving(tmp_path, with_judge(server.base_url)) as served:
            assert (await served.chat("Which river?"))[0] == 200
        assert holding(tmp_path)
        await asyncio.to_thread(purge, tmp_path, 1)
        assert holding(tmp_path) == []


async def test_money_that_was_spent_stays_known(tmp_path: Path) -> None:
    """A cap on money must not be lifted by forgetting what it was spent on."""
    price = {"price": {"prompt": 1000.0, "completion": 1000.0}, "max_tokens": 100}
    models = {name: {**model, **price} for name, model in THREE["models"].items()}
    file: dict[str, Any] = {**THREE, "models": models, "budget_usd": 1.0, "strategies": ["vote"]}
    async with serving(tmp_path, file) as served:
        statuses = [(await served.chat(f"Question {number}?"))[0] for number in range(12)]
        assert statuses[0] == 200
        assert statuses[-1] == 503
    await asyncio.to_thread(purge, tmp_path)
    async with serving(tmp_path, file) as served:
        status, body = await served.chat("One more?")
        assert (status, body["error"]["code"]) == (503, "budget_reached")


async def test_a_reader_that_does_not_let_go_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from moot.errors import StoreError
    from moot.store import scrubbing

    monkeypatch.setattr(scrubbing, "SCRUB_S", 0.3)
    async with serving(tmp_path) as served:
        await secrets_told(served)
        await served.live.record.flush()
        reader = sqlite3.connect(tmp_path / "three.db", isolation_level=None)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM calls").fetchone()
        store = store_at("sqlite:///three.db", beside=tmp_path)
        await store.open()
        with pytest.raises(StoreError, match=r"three\.db-wal"):
            await forget(store, served_name("three"), 1e12)
        reader.execute("ROLLBACK")
        reader.close()
        await forget(store, served_name("three"), 1e12)
        await store.close()
        assert holding(tmp_path) == []


async def test_postgresql_forgets_as_well(tmp_path: Path, postgres: Any) -> None:
    """All files of the database but its own log, which is its keeper's to set: SECURITY.md says so."""
    url = postgres.database()
    data = postgres.files(url)
    async with hostile(word_on) as server, serving(tmp_path, {**with_judge(server.base_url), "store": url}) as served:
        await secrets_told(served)
        await served.live.record.flush()
        await judged(tmp_path, "jane", 1)

        def left() -> list[str]:
            return holding(data)

        postgres.sql(url, "CHECKPOINT")
        assert left()
        removed = await forget(served.live.store, served_name("three"), 1e12)
        assert removed["episodes"] == 2
        postgres.sql(url, "CHECKPOINT")
        assert left() == []
        assert postgres.sql(url, "SELECT count(*) FROM calls") == [(0,)]


async def test_postgresql_forgets_while_it_is_asked(tmp_path: Path, postgres: Any) -> None:
    """One question by its name, and all others by their age, beside people who go on asking and miss nothing."""
    url = postgres.database()
    data = postgres.files(url)
    statuses: list[int] = []
    async with serving(tmp_path, {**THREE, "store": url}) as served:
        _, told = await served.chat(f"Which {SECRET}?")
        await secrets_told(served)
        await served.live.record.flush()
        before = time.time()
        stopped = asyncio.Event()

        async def asks(who: int) -> None:
            number = 0
            while not stopped.is_set():
                statuses.append((await served.chat(f"Which river has {who} and {number}?"))[0])
                number += 1

        asking = [asyncio.create_task(asks(who)) for who in range(4)]
        while len(statuses) < 8:  # noqa: ASYNC110  said by the others
            await asyncio.sleep(0.01)
        path = f"{served.url}/v1/moot/episodes/{told['moot']['episode']}"
        async with served.session.delete(path) as response:
            assert response.status == 200
        asked = len(statuses)
        await forget(served.live.store, served_name("three"), before)
        while len(statuses) < asked + 8:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        stopped.set()
        await asyncio.gather(*asking)
        await served.live.record.flush()
        postgres.sql(url, "CHECKPOINT")
        assert holding(data) == []
        assert set(statuses) == {200}
        assert postgres.sql(url, "SELECT count(*) FROM episodes") == [(len(statuses),)]
