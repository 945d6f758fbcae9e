"""A short key that is a right answer as well: it is cut out of replies, and what has lost a part is not graded wrong."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from beside import in_a_thread
from heard_requests import in_form, serving

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.grade.grading import Grading, scored
from moot.grade.match import CUT
from moot.models.cut_out import CUT_OUT, was_cut
from moot.models.secrets import Secrets
from moot.types import Case, Question, Reply


def saying(said: Callable[[str], str]) -> AbstractContextManager[str]:
    """An endpoint that replies to the words that it is asked with."""

    async def handler(request: web.Request) -> web.Response:
        if request.method == "GET":
            return web.json_response({"data": [{"id": "m"}]})
        body = await request.json()
        message = {"role": "assistant", "content": said(body["messages"][-1]["content"])}
        usage = {"prompt_tokens": 10, "completion_tokens": 5}
        return web.json_response({"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage})

    return in_a_thread(serving(handler))


def experiment(folder: Path, url: str, rows: list[dict[str, Any]], **model: Any) -> Path:
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    described = {"provider": "endpoint", "base_url": url, "model": "m", "api_key_env": "HOSTED_KEY", **model}
    path = folder / "cup.yaml"
    path.write_text(json.dumps({"name": "cup", "questions": {"file": "questions.jsonl"}, "models": {"tom": described}}))
    return path


def moot(*arguments: object) -> int:
    return run_app(app, [str(each) for each in arguments])


def rows_of(folder: Path, sql: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(folder / "cup.db")) as connection:
        return connection.execute(sql).fetchall()


OPEN = [{"id": "q1", "text": "How many?", "answer": "100"}, {"id": "q2", "text": "Who?", "answer": "Ann"}]


def right(prompt: str) -> str:
    return in_form("100" if "How many?" in prompt else "Ann")


def test_it_is_ungraded_and_the_run_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOSTED_KEY", "100")
    with saying(right) as url:
        assert moot("run", experiment(tmp_path, url, OPEN), "--quiet") == 0
    said = capfd.readouterr().err
    assert "the key of tom (HOSTED_KEY) has fewer than 8 characters" in said
    assert "1 answer has no grade: part of the answer equals a key of its model and was cut out (HOSTED_KEY)" in said
    grades = dict(rows_of(tmp_path, "SELECT stage, value FROM scores"))
    assert grades == {"ungraded": None, "match": 1.0}
    answers = {answer for (answer,) in rows_of(tmp_path, "SELECT answer FROM episodes")}
    assert answers == {CUT_OUT, "Ann"}
    assert moot("report", tmp_path / "cup.yaml", "--json") == 0
    told = capfd.readouterr().out
    assert "1 of 2 answers are ungraded" in told
    (row,) = json.loads(told)["accuracy"]
    assert (row["ungraded"], row["cut"]) == (1, 1)
    assert "for_a_person" not in row, "a person does not know what was cut out either"
    monkeypatch.setenv("COLUMNS", "200")
    assert moot("report", tmp_path / "cup.yaml") == 0
    said = " ".join(capfd.readouterr().out.split())
    assert "1 answer without a grade: part of the answer equals a key of its model and was cut out" in said
    assert moot("show", tmp_path / "cup.yaml", "q1") == 0
    assert "part of the answer equals a key of its model and was cut out" in capfd.readouterr().out


def test_a_letter_or_a_form_that_was_cut_is_no_silence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """No choice is left to read: the play has failed, which is not wrong, and says by what."""
    monkeypatch.setenv("HOSTED_KEY", "B")
    rows = [{"id": "q1", "text": "Which?", "choices": ["x", "y"], "answer": "B"}]
    with saying(lambda _: in_form("B")) as url:
        assert moot("run", experiment(tmp_path, url, rows), "--quiet") == 1
    assert "part of the reply equals a key of its model and was cut out" in capfd.readouterr().err
    assert rows_of(tmp_path, "SELECT outcome FROM episodes") == [("failed",)]


@pytest.mark.parametrize("reply", ["Answer: 100", "100", "It is **100**.", "So I say:\n\n100\n"])
def test_in_free_words_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], reply: str
) -> None:
    monkeypatch.setenv("HOSTED_KEY", "100")
    with saying(lambda _: reply) as url:
        moot("run", experiment(tmp_path, url, OPEN[:1], json_mode="off"), "--quiet")
    outcomes = rows_of(tmp_path, "SELECT outcome FROM episodes")
    values = rows_of(tmp_path, "SELECT value FROM scores")
    assert outcomes == [("failed",)] or values == [(None,)]
    assert "was cut out" in capfd.readouterr().err


def test_doctor_ticks_no_such_reply(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOSTED_KEY", "Paris")
    monkeypatch.setenv("COLUMNS", "200")
    with saying(lambda _: in_form("Paris")) as url:
        assert moot("doctor", experiment(tmp_path, url, OPEN)) == 1
        said = capfd.readouterr()
        assert "✓" not in said.out
        told = " ".join(said.out.split())
        assert "part of the answer equals a key of its model and was cut out (HOSTED_KEY)" in told
        monkeypatch.setenv("HOSTED_KEY", "a-key-that-is-long")
        assert moot("doctor", tmp_path / "cup.yaml") == 0


@pytest.mark.parametrize(
    ("model", "place"),
    [
        ({"headers_env": {"X-Api-Key": "OTHER_KEY"}}, "OTHER_KEY"),
        ({"headers": {"X-Auth-Token": "Bearer t0p"}}, "the header X-Auth-Token"),
        ({"proxy": "http://team:short@127.0.0.1:9"}, "the password of proxy"),
        ({"headers": {"X-Max-Tokens": "100"}}, None),
        ({}, None),
    ],
)
def test_a_very_short_key_is_told_of_at_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], model: Any, place: str | None
) -> None:
    monkeypatch.setenv("HOSTED_KEY", "ollama")
    monkeypatch.setenv("OTHER_KEY", "s3cret")
    path = experiment(tmp_path, "http://127.0.0.1:9/v1", OPEN, retries={"attempts": 1}, **model)
    assert moot("run", path, "--quiet") == 1
    said = capfd.readouterr().err
    assert ("has fewer than 8 characters" in said) == (place is not None)
    if place is not None:
        assert f"the key of tom ({place}) has fewer than 8 characters" in said
    assert "s3cret" not in said
    assert "t0p" not in said


def test_no_grader_and_no_judge_settles_what_was_cut() -> None:
    cut = Secrets(["100"]).without(Reply("100 men")).text
    assert was_cut(cut)
    for case in (
        Case(Question("q", "How many?"), "100"),
        Case(Question("q", "How many?"), None, known=False),
        Case(Question("q", "Which?", ("x", "y"), kind="choice"), "A"),
    ):
        assert scored(None, case, cut, (), None, judges=0) == CUT
        assert scored(None, case, cut, (), None, judges=2) == CUT
        grading = Grading(team=None)  # type: ignore[arg-type]
        assert not grading.needs_judge(case, cut)
        assert not grading.open_to_judgement(case, cut)
    assert CUT.value is None
