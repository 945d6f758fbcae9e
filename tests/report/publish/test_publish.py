"""`moot report ... --publish FOLDER`: what stands in the folder is true, is enough to repeat the verdict, and tells no secret."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
import shutil
import sqlite3
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.experiment.spec import read_experiment
from moot.report.publish.board import ROW
from moot.report.publish.board_page import board_html
from moot.report.publish.experiment_again import files_beside

Captured = pytest.CaptureFixture[str]
KEY = "sk-live-4711-abcdef-very-secret"
TEAM = "tenant-of-somebody-4711"
QUESTIONS = 12
COMPARED = ("of", "value", "low", "high", "n", "over_best_single", "cost_unit", "cost_ratio", "sentence")


def moot(*arguments: object) -> int:
    return run_app(app, [str(each) for each in arguments])


class _Models(BaseHTTPRequestHandler):
    """Models that hear everything and say what the words of the prompt draw; one of them fails, and tells where it lives."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        drawn = int(hashlib.sha256(json.dumps([body["model"], body["messages"]]).encode()).hexdigest(), 16)
        host = self.headers["host"]
        if body["model"] == "gamma-3" and "number 5" in json.dumps(body["messages"]):
            self._send(400, {"error": {"message": f"no backend at http://{host}/v1 for {self.path}"}})
            return
        answer = ("Paris", "Paris", "Rome", "Oslo")[drawn % 4]
        heard = sorted(set(re.findall(r"number \d+", json.dumps(body["messages"]))))
        text = json.dumps({"reasoning": f"because of {drawn % 97}, {heard}", "answer": answer})
        if answers := re.findall(r'answer n=."(\d+)', json.dumps(body["messages"])):
            text = json.dumps({"groups": [[int(number)] for number in answers], "heard": heard})
        if body["model"] == "judge-4":  # at the second attempt, and never on Oslo
            asked = json.dumps(body["messages"])
            usable = "Hm, " in asked and "Oslo" not in asked
            text = json.dumps({"grades": [{"id": 1, "is_correct": False}]}) if usable else f"Hm, {drawn % 9973}."
        if body["model"] == "judge-5":
            text = json.dumps({"reason": "so", "preferred": ("first", "second", "tie")[drawn % 3]})
        usage = {"prompt_tokens": 100, "completion_tokens": 20}
        self._send(
            200,
            {
                "model": body["model"],
                "choices": [{"message": {"content": text}, "finish_reason": "stop"}],
                "usage": usage,
            },
        )

    def _send(self, status: int, body: Any) -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Models)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def questions(folder: Path, name: str = "questions.jsonl", start: int = 0) -> None:
    rows = [
        {"id": f"q{n}", "text": f"Which town is number {n}?", "answer": "Paris"}
        for n in range(start, start + QUESTIONS)
    ]
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def experiment(folder: Path, address: str, name: str = "cup", **more: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    questions(folder)
    models = {
        short: {
            "provider": "endpoint",
            "base_url": f"{address}/v1",
            "model": model,
            "api_key_env": "MOOT_TEST_KEY_OF_CUP",
            "headers": {"x-tenant-token": TEAM},
            "price": {"prompt": 1.0, "completion": 2.0},
            "params": {"max_tokens": 200},
            "retries": {"attempts": 1},
        }
        for short, model in (("ann", "alpha-1"), ("bob", "beta-2"), ("cat", "gamma-3"))
    }
    spec = {
        "name": name,
        "seed": 7,
        "questions": {"file": "questions.jsonl"},
        "models": models,
        "teams": {"three": {"players": ["ann", "bob", "cat"], "captain": "ann"}},
        "strategies": ["solo", "vote", "talkative"],
        "budget_usd": 5,
        **more,
    }
    path = folder / f"{name}.yaml"
    path.write_text(json.dumps(spec), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory, address: str) -> Iterator[Path]:
    """A run of models behind an address with a key, some calls of which have failed."""
    folder = tmp_path_factory.mktemp("a-private-place")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MOOT_TEST_KEY_OF_CUP", KEY)
        path = experiment(folder, address)
        assert moot("run", path, "--quiet") in (0, 1)
        yield path


@pytest.fixture(scope="module")
def published(played: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("web") / "board"
    assert moot("report", played, "--publish", folder) == 0
    return folder


def rows_of(folder: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((folder / "leaderboard.json").read_text(encoding="utf-8"))["rows"]
    return found


def headline(path: Path, capfd: Captured) -> dict[str, Any]:
    capfd.readouterr()
    assert moot("report", path, "--json") == 0
    found: dict[str, Any] = json.loads(capfd.readouterr().out)["headline"]
    return found


def test_anyone_repeats_the_verdict_from_the_folder_alone(
    published: Path, played: Path, tmp_path: Path, capfd: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A captain who has seen the others' answers too, and without the key or a network."""
    told = headline(played, capfd)
    monkeypatch.delenv("MOOT_TEST_KEY_OF_CUP")
    elsewhere = tmp_path / "elsewhere"
    (run,) = (published / "runs").iterdir()
    shutil.copytree(run, elsewhere)
    text = (elsewhere / "experiment.yaml").read_text(encoding="utf-8")
    assert "provider: recorded" in text
    assert "endpoint" not in text
    assert moot("run", elsewhere / "experiment.yaml", "--quiet") in (0, 1)
    again = headline(elsewhere / "experiment.yaml", capfd)
    assert told["over_best_single"]["failed"], "what failed fails again, and is no silence"
    assert any("could not be reached (cat)" in words for words in again["words"])
    assert {key: again[key] for key in COMPARED} == {key: told[key] for key in COMPARED}
    assert told["n"] == QUESTIONS
    assert {row["repeat"]["same"] for row in rows_of(published)} == {True}


def test_what_was_never_run_leaves_no_folder(address: str, tmp_path: Path, capfd: Captured) -> None:
    path = experiment(tmp_path, address)
    assert moot("report", path, "--publish", tmp_path / "web" / "pub") == 2
    assert "run" in capfd.readouterr().err
    assert not (tmp_path / "web").exists()
    (tmp_path / "mine").mkdir()
    assert moot("report", path, "--publish", tmp_path / "mine") == 2
    assert (tmp_path / "mine").is_dir(), "it was there before"


def test_a_reply_that_is_changed_is_another_verdict(published: Path, tmp_path: Path, capfd: Captured) -> None:
    """So it is the replies that it is repeated from."""
    (run,) = (published / "runs").iterdir()
    shutil.copytree(run, tmp_path / "again")
    replies = tmp_path / "again" / "replies.jsonl"
    replies.write_text(replies.read_text(encoding="utf-8").replace("Paris", "Oslo"), encoding="utf-8")
    moot("run", tmp_path / "again" / "experiment.yaml", "--quiet")
    assert headline(tmp_path / "again" / "experiment.yaml", capfd)["value"] == 0


def unpacked(path: Path) -> bytes:
    """All that a file tells: of a page what is packed in it too."""
    content = path.read_bytes()
    blocks = re.findall(rb'<script type="application/octet-stream"[^>]*>([^<]*)</script>', content)
    return content + b"".join(gzip.decompress(base64.b64decode(block)) for block in blocks)


def test_no_key_no_address_and_no_path_is_published(published: Path, played: Path, address: str) -> None:
    host = address.removeprefix("http://")
    private = [
        KEY,
        TEAM,
        address,
        host,
        "MOOT_TEST_KEY_OF_CUP",
        str(played.parent),
        str(Path.home()),
        "base_url",
        str(Path.cwd()),
    ]
    files = [path for path in published.rglob("*") if path.is_file()]
    assert {path.name for path in files} >= {
        "index.html",
        "report.html",
        "experiment.yaml",
        "replies.jsonl",
        "questions.jsonl",
    }
    told = b"".join(unpacked(path) for path in files)
    assert not [word for word in private if word.encode() in told]
    assert b"no backend at" in told, "a failure that tells the address is part of the run"


def test_only_what_the_figures_rest_on_is_published(
    tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a question that was taken out of the file, and of a team that is no longer in it, nothing is left to be read."""
    monkeypatch.setenv("MOOT_TEST_KEY_OF_CUP", KEY)
    file = tmp_path / "questions.jsonl"
    path = experiment(tmp_path, address, strategies=["solo", "vote", "talkative"])
    rows = file.read_text(encoding="utf-8").splitlines(keepends=True)
    file.write_text("".join(rows[:6]), encoding="utf-8")
    assert moot("run", path, "--quiet") in (0, 1)
    spec = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**spec, "strategies": ["solo", "vote"]}), encoding="utf-8")
    file.write_text("".join([*rows[:2], rows[3].replace("number 3", "number 33")]), encoding="utf-8")
    assert moot("run", path, "--quiet") in (0, 1)
    assert moot("report", path, "--publish", tmp_path / "board") == 0
    (replies,) = (tmp_path / "board" / "runs").glob("*/replies.jsonl")
    recorded = [json.loads(line) for line in replies.read_text(encoding="utf-8").splitlines()]
    heard = {number for each in recorded for number in re.findall(r"number \d+", each["text"])}
    assert heard == {"number 0", "number 1", "number 33"}
    assert {each["question_id"] for each in recorded} == {"q0", "q1", "q3"}
    assert len(recorded) == 3 * 3, "a draft of each of three, and no captain's last word"


def test_what_judges_said_of_another_experiments_answers_is_not_published(
    tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same questions in one store: a judgement is known by question and answer, whoever asked for it."""
    monkeypatch.setenv("MOOT_TEST_KEY_OF_CUP", KEY)
    path = experiment(tmp_path, address, strategies=["solo"])
    spec = {**json.loads(path.read_text(encoding="utf-8")), "store": f"sqlite:///{tmp_path}/both.db"}
    path.write_text(json.dumps(spec), encoding="utf-8")
    assert moot("run", path, "--quiet") in (0, 1)
    players = {name: {"model": name, "instruction": f"Secretly {name}."} for name in ("ann", "cat")}
    secret = {**spec, "name": "secret", "players": players, "judge": {"models": ["bob"]}, "strategies": ["solo"]}
    secret["teams"] = {"two": {"players": ["ann", "cat"]}}
    other = tmp_path / "secret.yaml"
    other.write_text(json.dumps(secret), encoding="utf-8")
    assert moot("run", other, "--quiet") in (0, 1)
    with sqlite3.connect(tmp_path / "both.db") as store:
        (judged,) = store.execute("SELECT count(*) FROM judge_calls").fetchone()
        theirs = {
            text for (text,) in store.execute("SELECT text FROM calls WHERE key IN (SELECT key FROM judge_calls)")
        }
    assert judged > 0, "else there is nothing to leave out"
    assert moot("report", path, "--publish", tmp_path / "board") == 0
    (replies,) = (tmp_path / "board" / "runs").glob("*/replies.jsonl")
    assert not theirs & {json.loads(line)["text"] for line in replies.read_text(encoding="utf-8").splitlines()}


def test_who_finds_out_what_means_the_same_is_published_with_the_questions_it_was_about(
    tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOOT_TEST_KEY_OF_CUP", KEY)
    path = experiment(tmp_path, address, strategies=["solo", "vote"], grouping={"model": "bob"})
    spec = json.loads(path.read_text(encoding="utf-8"))
    spec["teams"] = {"two": {"players": ["ann", "cat"]}}
    path.write_text(json.dumps(spec), encoding="utf-8")
    file = tmp_path / "questions.jsonl"
    rows = file.read_text(encoding="utf-8").splitlines(keepends=True)
    assert moot("run", path, "--quiet") in (0, 1)
    file.write_text("".join(rows[:5]), encoding="utf-8")
    assert moot("run", path, "--quiet") in (0, 1)
    assert moot("report", path, "--publish", tmp_path / "board") == 0
    (replies,) = (tmp_path / "board" / "runs").glob("*/replies.jsonl")
    recorded = [json.loads(line) for line in replies.read_text(encoding="utf-8").splitlines()]
    heard = {number for each in recorded for number in re.findall(r"number \d+", each["text"])}
    assert heard == {f"number {number}" for number in range(5)}
    assert any('"groups"' in each["text"] for each in recorded), "with the words of who grouped"
    assert all(row["repeat"]["same"] for row in rows_of(tmp_path / "board"))


def replies_of(board: Path) -> list[dict[str, Any]]:
    (replies,) = (board / "runs").glob("*/replies.jsonl")
    return [json.loads(line) for line in replies.read_text(encoding="utf-8").splitlines()]


def test_calls_of_a_play_that_never_ended_are_not_published(
    tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run was killed in the middle of captains' work, and the captains were then taken out of the file."""
    monkeypatch.setenv("MOOT_TEST_KEY_OF_CUP", KEY)
    path = experiment(tmp_path, address, strategies=["solo", "talkative"])
    assert moot("run", path, "--quiet") in (0, 1)
    with sqlite3.connect(tmp_path / "cup.db") as store:
        store.execute("DELETE FROM episodes WHERE cell IN (SELECT id FROM cells WHERE strategy = 'talkative')")
        alone = {text for (text,) in store.execute("SELECT transcript FROM episodes")}
        calls = dict(store.execute("SELECT key, text FROM calls"))
    unfinished = {text for key, text in calls.items() if not any(key in told for told in alone)}
    assert unfinished, "captains' words"
    spec = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**spec, "strategies": ["solo"]}), encoding="utf-8")
    assert moot("run", path, "--quiet") in (0, 1)
    assert moot("report", path, "--publish", tmp_path / "board") == 0
    recorded = replies_of(tmp_path / "board")
    assert not unfinished & {each["text"] for each in recorded}
    assert None not in {each["question_id"] for each in recorded}
    assert all(row["repeat"]["same"] for row in rows_of(tmp_path / "board"))


def test_what_a_game_asked_is_not_published(tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOOT_TEST_KEY_OF_CUP", KEY)
    path = experiment(tmp_path, address, strategies=["solo"], store="sqlite:///cup.db")
    assert moot("run", path, "--quiet") in (0, 1)
    with sqlite3.connect(tmp_path / "cup.db") as store:
        (before,) = store.execute("SELECT count(*) FROM calls").fetchone()
        assert moot("play", "--team", path, "--strategy", "talkative", "--limit", 1) == 0
        (after,) = store.execute("SELECT count(*) FROM calls").fetchone()
    assert after > before, "the captain's word, on the question of the run, is paid for under its name"
    assert moot("report", path, "--publish", tmp_path / "board") == 0
    assert len(replies_of(tmp_path / "board")) == before


def test_a_judge_is_published_with_the_attempts_that_led_to_its_word_and_no_others(
    tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOOT_TEST_KEY_OF_CUP", KEY)
    path = experiment(tmp_path, address, strategies=["solo", "talkative"], judge={"models": ["jim"]})
    spec = json.loads(path.read_text(encoding="utf-8"))
    spec["models"]["jim"] = {**spec["models"]["ann"], "model": "judge-4"}
    spec["players"] = {name: {"model": name} for name in ("ann", "bob", "cat")}
    path.write_text(json.dumps(spec), encoding="utf-8")
    assert moot("run", path, "--quiet") in (0, 1)
    with sqlite3.connect(tmp_path / "cup.db") as store:
        said = dict(store.execute("SELECT key, text FROM calls WHERE model = 'jim'"))
        named = {key for (key,) in store.execute("SELECT call_key FROM judgements WHERE call_key IS NOT NULL")}
        assert store.execute("SELECT count(*) FROM judgements WHERE call_key IS NULL").fetchone()[0]
    assert named
    assert moot("report", path, "--publish", tmp_path / "board") == 0
    judged = [each for each in replies_of(tmp_path / "board") if each["model"] == "judge-4"]
    assert len(judged) == 2 * len(named), "each word came with the second attempt"
    assert len(said) > len(judged), "where no attempt was of use nothing rests on them"
    assert all(row["repeat"]["same"] for row in rows_of(tmp_path / "board"))


def test_the_words_of_a_judge_that_compares_two_answers_are_published_with_the_run(
    tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The questions lie in a file whose name has a space, which is no name of anything that is published."""
    monkeypatch.setenv("MOOT_TEST_KEY_OF_CUP", KEY)
    path = experiment(tmp_path, address, strategies=["solo", "talkative"], judge={"models": ["jim"], "pairwise": True})
    rows = [{"id": f"q{n}", "text": f"What is number {n} like?", "kind": "text"} for n in range(4)]
    (tmp_path / "long questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    spec = json.loads(path.read_text(encoding="utf-8"))
    spec["questions"] = {"file": "long questions.jsonl"}
    spec["models"]["jim"] = {**spec["models"]["ann"], "model": "judge-5"}
    spec["players"] = {name: {"model": name} for name in ("ann", "bob", "cat")}
    path.write_text(json.dumps(spec), encoding="utf-8")
    assert moot("run", path, "--quiet") in (0, 1)
    with sqlite3.connect(tmp_path / "cup.db") as store:
        compared = dict(store.execute("SELECT call_key, preferred FROM preferences WHERE preferred IS NOT NULL"))
    assert compared
    assert moot("report", path, "--publish", tmp_path / "board") == 0
    judged = [each for each in replies_of(tmp_path / "board") if each["model"] == "judge-5"]
    assert len(judged) == len(compared)
    assert all(row["repeat"]["same"] for row in rows_of(tmp_path / "board"))
    (place,) = (tmp_path / "board" / "runs").iterdir()
    assert not [each for each in place.rglob("*") if " " in each.name]
    assert "long questions" not in "".join(each.read_text(encoding="utf-8") for each in place.glob("*.yaml"))


def test_the_rows_fit_the_schema_that_stands_beside_them(published: Path) -> None:
    schema = json.loads((published / "leaderboard.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    board = json.loads((published / "leaderboard.json").read_text(encoding="utf-8"))
    Draft202012Validator(schema).validate(board)
    by_title = {row["played"]["title"]: row for row in board["rows"]}
    assert set(by_title) == {"solo@ann", "solo@bob", "solo@cat", "vote@ann", "talkative@ann"}
    assert by_title["solo@ann"]["gain"] is None
    assert by_title["talkative@ann"]["played"]["players"] == [["ann", "alpha-1"], ["bob", "beta-2"], ["cat", "gamma-3"]]


def test_every_figure_is_the_reports_own(published: Path, played: Path, capfd: Captured) -> None:
    capfd.readouterr()
    assert moot("report", played, "--json") == 0
    figures = json.loads(capfd.readouterr().out)
    rows = {row["played"]["title"]: row for row in rows_of(published)}
    for own in figures["accuracy"]:
        row = rows[f"{own['label']}@{own.get('player') or own['captain']}"]
        assert [row["accuracy"][key] for key in ("value", "low", "high")] == [
            own[key] for key in ("value", "low", "high")
        ]
        assert (row["n"], row["calls_per_question"]) == (own["n"], own["calls_per_question"])
        assert row["usd_per_1000"] == pytest.approx(own["usd_per_question"] * 1_000)
    told = figures["headline"]
    over = told["over_best_single"]
    row = rows[told["of"]]
    assert row["headline"]
    assert row["chosen"] == "after the fact"
    assert [row["gain"][key] for key in ("over", "value", "low", "high")] == [
        over[key] for key in ("single", "difference", "low", "high")
    ]
    other = next(each for title, each in rows.items() if each["gain"] and title != told["of"])
    assert other["gain"]["value"] is not None
    assert (other["gain"]["low"], other["gain"]["high"]) == (None, None), "in too many plays cat could not be reached"
    assert "could not be reached (cat)" in other["gain"]["why"]


def foreign(**more: Any) -> dict[str, Any]:
    row = {
        "id": "theirs-1",
        "experiment": "theirs",
        "played": {"title": "vote", "strategy": "vote", "players": [["x", "some-model"]]},
        "set": {"name": "their questions", "digest": "ab" * 16, "questions": 100},
        "n": 100,
        "accuracy": {"value": 0.5, "low": 0.4, "high": 0.6},
        "gain": None,
        "usd_per_1000": None,
        "calls_per_question": 3,
        "date": "2026-01-02",
        "report": "https://example.org/report.html",
    }
    return {**row, **more}


def put(folder: Path, *rows: Any) -> None:
    board = json.loads((folder / "leaderboard.json").read_text(encoding="utf-8"))
    board["rows"] += rows
    (folder / "leaderboard.json").write_text(json.dumps(board), encoding="utf-8")


def test_rows_of_others_stay_and_those_that_do_not_fit_are_named(
    published: Path, played: Path, tmp_path: Path, capfd: Captured
) -> None:
    folder = tmp_path / "board"
    shutil.copytree(published, folder)
    again = foreign(date="2026-01-03")
    odd = [foreign(id="a", report="javascript:alert(1)"), foreign(id="b", n=101), {"no": "row"}, again]
    odd.append(foreign(id="c", accuracy={"value": 0.9, "low": 0.1, "high": 0.2}))
    put(folder, foreign(), *odd)
    before = len(rows_of(folder))
    capfd.readouterr()
    assert moot("report", played, "--publish", folder) == 0
    said = capfd.readouterr().err
    assert "5 rows do not fit" in said
    assert said.count("row ") >= 4
    assert "report: 'javascript:alert(1)'" in said
    assert "101 of 100 questions" in said
    rows = rows_of(folder)
    assert len(rows) == before, "its own rows were replaced, and nobody's lost"
    assert [row for row in rows if row in odd] == odd
    page = (folder / "index.html").read_text(encoding="utf-8")
    assert "their questions" in page
    assert "https://example.org/report.html" in page
    assert "javascript:" not in page
    assert page.count('<section class="board"') == 2


def test_numbers_of_others_stay_numbers_and_none_stops_publishing(
    published: Path, played: Path, tmp_path: Path, capfd: Captured
) -> None:
    folder = tmp_path / "board"
    shutil.copytree(published, folder)
    huge = [
        foreign(id="d", usd_per_1000=10**400),
        foreign(id="e", n=10**400, set={**foreign()["set"], "questions": 10**400}),
    ]
    put(folder, foreign(id="f", accuracy={"value": 0.123456789, "low": 0.1, "high": 0.6}), *huge)
    board = folder / "leaderboard.json"
    board.write_text(
        board.read_text(encoding="utf-8").replace("0.123456789", "0.12345678912345678912"), encoding="utf-8"
    )
    capfd.readouterr()
    assert moot("report", played, "--publish", folder) == 0
    assert "2 rows do not fit" in capfd.readouterr().err
    rows = {row["id"]: row for row in rows_of(folder)}
    assert rows["f"]["accuracy"]["value"] == pytest.approx(0.12345678912345679)
    assert rows["d"]["usd_per_1000"] == 10**400, "what does not fit stays as it is"


def test_an_older_run_of_the_same_is_replaced(published: Path, played: Path, tmp_path: Path) -> None:
    folder = tmp_path / "board"
    shutil.copytree(published, folder)
    rows = rows_of(folder)
    board = {"rows": [{**row, "date": "2020-01-01"} for row in rows]}
    (folder / "leaderboard.json").write_text(json.dumps(board), encoding="utf-8")
    assert moot("report", played, "--publish", folder) == 0
    assert rows_of(folder) == rows
    assert len(list((folder / "runs").iterdir())) == 1


@pytest.mark.parametrize("number", ["1e400", "-1E+999", "1" * 5_000, "[1e400, " + "2" * 4_200 + "]"])
def test_a_number_that_nothing_holds_stays_as_it_was_written(
    published: Path, played: Path, tmp_path: Path, capfd: Captured, number: str
) -> None:
    folder = tmp_path / "board"
    shutil.copytree(published, folder)
    put(folder, foreign(id="g", usd_per_1000="HERE"), foreign(id="h", experiment="HERE", report="\x00number 0"))
    board = folder / "leaderboard.json"
    board.write_text(board.read_text(encoding="utf-8").replace('"HERE"', number), encoding="utf-8")
    capfd.readouterr()
    for _ in range(2):
        assert moot("report", played, "--publish", folder) == 0
        said = capfd.readouterr().err
        assert "2 rows do not fit" in said
        assert len(said) < 2_000
    text = board.read_text(encoding="utf-8")
    assert re.sub(r"\s", "", text).count(re.sub(r"\s", "", number)) == 2
    assert '"report": "\\u0000number 0"' in text


def test_what_is_no_leaderboard_is_left_as_it_is(
    published: Path, played: Path, tmp_path: Path, capfd: Captured
) -> None:
    for content in ("{", "[]", '{"rows": 3}'):
        folder = tmp_path / "board"
        folder.mkdir(exist_ok=True)
        (folder / "leaderboard.json").write_text(content, encoding="utf-8")
        assert moot("report", played, "--publish", folder) == 2
        assert "leaderboard.json" in capfd.readouterr().err
        assert [path.name for path in folder.iterdir()] == ["leaderboard.json"]
        assert (folder / "leaderboard.json").read_text(encoding="utf-8") == content


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("leaderboard.json", '{"rows": [{"id": "x"}, {"id": "x\\ud800"}]}', "row 2 holds half of a surrogate pair"),
        ("leaderboard.json", '{"rows": [{"n": Infinity}]}', "row 1 holds a number that JSON has not"),
        ("leaderboard.json", '{"rows": [[{"n": [NaN]}]]}', "row 1 holds a number that JSON has not"),
        ("leaderboard.json", '{"rows": [], "season": 2026}', "holds more than a leaderboard ('season')"),
        ("leaderboard.schema.json", '{"title": "Of my own"}', "was not written by moot"),
    ],
)
def test_what_others_have_there_is_never_lost(
    played: Path, tmp_path: Path, capfd: Captured, name: str, content: str, words: str
) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    assert moot("report", played, "--publish", tmp_path) == 2
    assert words in capfd.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == [name], "nothing was begun"
    assert (tmp_path / name).read_text(encoding="utf-8") == content


def test_what_a_published_run_is_made_from_is_not_written_over(
    published: Path, tmp_path: Path, capfd: Captured
) -> None:
    folder = tmp_path / "board"
    shutil.copytree(published, folder)
    (again,) = (folder / "runs").glob("*/experiment.yaml")
    assert moot("run", again, "--quiet") in (0, 1)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and ".db" not in path.name}
    assert moot("report", again, "--publish", folder) == 2
    assert "would be lost" in capfd.readouterr().err
    assert {path: path.read_bytes() for path in before} == before


def test_a_model_that_is_called_by_an_address_is_published_by_its_name(
    tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOOT_TEST_KEY_OF_CUP", KEY)
    path = experiment(tmp_path, address, strategies=["solo"])
    spec = json.loads(path.read_text(encoding="utf-8"))
    spec["models"]["ann"]["model"] = "https://models.internal.corp/x"
    path.write_text(json.dumps(spec), encoding="utf-8")
    assert moot("run", path, "--quiet") in (0, 1)
    assert moot("report", path, "--publish", tmp_path / "board") == 0
    for file in (tmp_path / "board").rglob("*"):
        assert not file.is_file() or b"internal.corp" not in unpacked(file), file
    (replies,) = (tmp_path / "board" / "runs").glob("*/replies.jsonl")
    assert {json.loads(line)["model"] for line in replies.read_text(encoding="utf-8").splitlines()} == {
        *("ann", "beta-2", "gamma-3")
    }


def test_only_what_moot_wrote_is_published_beside(tmp_path: Path, address: str) -> None:
    """A label that happens to name a file, a template that is a link: neither is a rule."""
    outside = tmp_path / "elsewhere.j2"
    outside.write_text("not yours", encoding="utf-8")
    path = experiment(tmp_path / "here", address, prompts="words")
    spec = json.loads(path.read_text(encoding="utf-8"))
    rule = {"team": ["ann", "bob"], "accuracies": {"ann": 0.5}, "chosen_on": ["0" * 32]}
    teams = {}
    for place, content in (("a/pick.json", rule), ("b/pick.json", rule), ("private.json", {"password": "x"})):
        (path.parent / place).parent.mkdir(exist_ok=True)
        (path.parent / place).write_text(json.dumps(content), encoding="utf-8")
        teams[place[0]] = {"players": ["ann", "bob"], "selection": place}
    (path.parent / "words" / "en").mkdir(parents=True)
    (path.parent / "words" / "en" / "draft.j2").write_text("Say it.", encoding="utf-8")
    (path.parent / "words" / "en" / "link.j2").symlink_to(outside)
    path.write_text(json.dumps({**spec, "teams": teams}), encoding="utf-8")
    found = files_beside(read_experiment(path))
    assert sorted(found) == ["files/pick-2.json", "files/pick.json", "prompts/en/draft.j2"]


def test_wrong_commands(played: Path, tmp_path: Path, address: str, capfd: Captured) -> None:
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text("<h1>my page</h1>", encoding="utf-8")
    for arguments, words in (
        ((played, "--publish", tmp_path / "file"), "expected a folder"),
        ((played, "--publish", tmp_path / "site"), "was not written by moot"),
        ((played, "--publish", tmp_path / "x", "--json"), "without --json"),
        (("--publish", tmp_path / "x"), "expected the experiment files"),
        ((played, played, "--publish", tmp_path / "x"), "one run"),
    ):
        assert moot("report", *arguments) == 2
        assert words in capfd.readouterr().err
    assert (tmp_path / "site" / "index.html").read_text(encoding="utf-8") == "<h1>my page</h1>"
    never = experiment(tmp_path / "never", address)
    assert moot("report", never, "--publish", tmp_path / "x") == 2
    assert "run the experiment first" in capfd.readouterr().err


def test_a_file_that_was_changed_since_is_not_its_run(
    played: Path, address: str, tmp_path: Path, capfd: Captured
) -> None:
    folder = tmp_path / "changed"
    shutil.copytree(played.parent, folder)
    path = experiment(folder, address, seed=8)
    assert moot("report", path, "--publish", tmp_path / "x") == 2
    assert "was not run" in capfd.readouterr().err


HOSTILE = '<script>window.pwned=1</script><img src=x onerror="pwned()">{{script}}"\'\u202e'


def test_names_run_nothing() -> None:
    row = foreign(
        experiment=HOSTILE,
        played={"title": HOSTILE, "strategy": HOSTILE, "players": [[HOSTILE, HOSTILE]]},
        set={"name": HOSTILE, "digest": "ab" * 16, "questions": 100},
        graded_by=[HOSTILE],
        moot=HOSTILE,
        accuracy={"value": None, "low": None, "high": None, "why": HOSTILE},
        gain={"over": HOSTILE, "value": 0.1, "low": None, "high": None, "why": HOSTILE},
        repeat={"file": "runs/x/experiment.yaml", "same": False, "why": HOSTILE},
    )
    Draft202012Validator(ROW).validate(row)
    page = board_html([row])
    assert HOSTILE not in page
    assert "<img" not in page
    assert page.count("<script") == 1
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    assert policy[1].startswith("default-src 'none'")
    script = re.search(r'<script type="module">(.*?)</script>', page, re.DOTALL)
    assert script is not None
    assert base64.b64encode(hashlib.sha256(script[1].encode()).digest()).decode() in policy[1]
    assert " style=" not in page
    assert " onclick=" not in page


def test_a_page_asks_nobody_and_works_in_any_folder(published: Path) -> None:
    page = (published / "index.html").read_text(encoding="utf-8")
    links = re.findall(r'(?:href|src)="([^"]*)"', page)
    assert links
    assert all(link.startswith(("#", "data:", "runs/", "leaderboard.")) for link in links)
    for link in links:
        if link.startswith(("runs/", "leaderboard.")):
            assert (published / link).is_file()
    assert not re.search(r"\b(?:fetch|XMLHttpRequest|import)\s*\(", page)


def test_sets_of_questions_are_never_one_table() -> None:
    one = foreign(id="1")
    other = foreign(id="2", set={"name": "their questions", "digest": "cd" * 16, "questions": 100})
    judged = foreign(id="3", graded_by=["match", "a judge"])
    page = board_html([one, other, judged, foreign(id="4", accuracy={"value": 0.7, "low": 0.6, "high": 0.8})])
    tables = re.findall(r"<tbody>(.*?)</tbody>", page, re.DOTALL)
    assert sorted(table.count("<tr") for table in tables) == [1, 1, 2]
    for words in ("picked afterwards", "not ranked against each other", "interval (95"):
        assert words in page


def test_what_cannot_be_told_is_said() -> None:
    row = foreign(accuracy={"value": None, "low": None, "high": None, "why": "nothing of it is graded"}, simulated=True)
    page = board_html([row])
    assert "nothing of it is graded" in page
    assert "simulated models" in page
    assert (
        "0.0" not in re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL).split("<tbody>")[1].split("</tbody>")[0]
    )


@pytest.fixture(scope="module")
def learning(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Published: a strategy that learns in the run beside others; questions hang together, and some grades are missing."""
    folder = tmp_path_factory.mktemp("learning")
    rows = [{"id": f"q{n}", "text": f"Question {n}?", "answer": "yes", "cluster": f"c{n // 2}"} for n in range(80)]
    (folder / "q.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    models = {name: {"provider": "simulated", "accuracy": 0.7} for name in ("ann", "bob", "cat")}
    spec = {"name": "cup", "seed": 3, "questions": {"file": "q.jsonl"}, "models": models}
    file = folder / "cup.yaml"
    file.write_text(json.dumps({**spec, "strategies": ["solo", "vote", "leader"]}), encoding="utf-8")
    assert moot("run", file, "--quiet") == 0
    assert moot("report", file, "--publish", folder / "board") == 0
    return folder / "board"


def test_what_learnt_in_the_run_is_marked_and_said(learning: Path) -> None:
    rows = {row["played"]["label"]: row for row in rows_of(learning)}
    assert [rows[label]["learnt_in_run"] for label in ("solo", "vote", "leader")] == [False, False, True]
    page = (learning / "index.html").read_text(encoding="utf-8")
    assert page.count('<span class="mark-word warn">learnt in the run</span>') == 1
    assert "1 row is of what was learnt in the run that it is measured in" in page
    assert any("they are too narrow" in words for words in rows["leader"]["caveats"])
    assert not any("Learnt in this run" in words for words in rows["vote"]["caveats"])


def test_every_row_says_what_its_report_does(learning: Path) -> None:
    for row in rows_of(learning):
        assert any("each cluster counts as one in intervals and tests" in words for words in row["caveats"])
    told = next(row for row in rows_of(learning) if row["headline"])
    assert any("picked afterwards" in words for words in told["caveats"])
    assert "each cluster counts as one" in (learning / "index.html").read_text(encoding="utf-8")


def test_who_could_not_be_reached_is_said_of_their_rows(published: Path) -> None:
    caveats = {row["played"]["title"]: " ".join(row["caveats"]) for row in rows_of(published)}
    assert "a model could not be reached (cat)" in caveats["solo@cat"]
    assert "could not be reached" not in caveats["solo@ann"]


def test_rows_of_others_need_no_such_words() -> None:
    Draft202012Validator(ROW).validate(foreign())
    page = board_html([foreign(caveats=["<b>not</b> so"], learnt_in_run=True, chosen="declared late")])
    assert "&lt;b&gt;not&lt;/b&gt; so" in page
    assert "All rows are of what was learnt in the run" in page
    assert "declared late" in page


def test_few_questions_are_said_of_each_row_that_has_few(published: Path, learning: Path) -> None:
    few = "With fewer than 30 questions, results are very uncertain."
    rows = [row for row in rows_of(published) if row["n"]]
    assert len(rows) > 1
    assert [row["caveats"].count(few) for row in rows] == [int(row["n"] < 30) for row in rows]
    assert any(row["n"] < 30 and not row["headline"] for row in rows)
    assert not any("are very uncertain" in words for row in rows_of(learning) for words in row["caveats"])
