"""Votes with an answer out of which a secret was cut: it may equal any other, so nothing that hangs on it is firm."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from beside import in_a_thread
from heard_requests import in_form, serving

from moot.cli.app import app
from moot.cli.exit import run_app

ALL_CUT = {"ann": "oakum river", "bob": "river", "cat": "firth"}
"""The key of ann's model is oakum."""
TWO_AGREE = {"ann": "oakum river", "bob": "firth", "cat": "firth"}


HANGING = """SELECT question_id FROM cases JOIN scores ON scores."case" = cases.id
    WHERE scores.detail LIKE 'the count hangs on an answer%'"""


def moot(*arguments: object) -> int:
    return run_app(app, [str(each) for each in arguments])


def rows_of(folder: Path, sql: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(folder / "cup.db")) as connection:
        return connection.execute(sql).fetchall()


def by_model(
    answers: Mapping[str, str],
    said: Callable[[Mapping[str, str], str], str] = lambda answers, name: in_form(answers[name]),
) -> AbstractContextManager[str]:
    async def handler(request: web.Request) -> web.Response:
        if request.method == "GET":
            return web.json_response({"data": [{"id": name} for name in answers]})
        body = await request.json()
        message = {"role": "assistant", "content": said(answers, body["model"])}
        usage = {"prompt_tokens": 10, "completion_tokens": 5}
        return web.json_response({"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage})

    return in_a_thread(serving(handler))


def team_file(folder: Path, url: str, answers: Mapping[str, str], strategies: list[Any], **others: Any) -> Path:
    rows = [{"id": f"q{n}", "text": f"Which name is number {n}?", "answer": "firth"} for n in range(12)]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    models = {
        name: {
            "provider": "endpoint",
            "base_url": url,
            "model": name,
            "api_key_env": "KEY_OF_ANN" if name == "ann" else "KEY_OF_OTHERS",
        }
        for name in answers
    }
    teams = {"t": {"players": list(answers)}}
    content = {
        "name": "cup",
        "questions": {"file": "questions.jsonl"},
        "models": models,
        "teams": teams,
        "strategies": strategies,
        **others,
    }
    path = folder / "cup.yaml"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEY_OF_ANN", "oakum")
    monkeypatch.setenv("KEY_OF_OTHERS", "a-key-that-nobody-says")
    monkeypatch.setenv("COLUMNS", "200")


def figures(path: Path, capfd: pytest.CaptureFixture[str]) -> dict[str, Any]:
    capfd.readouterr()
    assert moot("report", path, "--json") == 0
    told: dict[str, Any] = json.loads(capfd.readouterr().out)
    return told


def row_of(told: dict[str, Any], label: str) -> dict[str, Any]:
    (row,) = [row for row in told["accuracy"] if row["label"] == label]
    return row


RULES: list[Any] = [
    "vote",
    {"weighted": {"weights": {"ann": 1, "bob": 1, "cat": 1}}},
    {"leader": {"player": "cat", "unless": 2}},
    {"cascade": {"order": ["bob", "ann", "cat"]}},
]


@pytest.mark.parametrize("strategy", RULES, ids=str)
def test_a_count_that_hangs_on_what_was_cut_has_no_grade(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], strategy: Any
) -> None:
    with by_model(ALL_CUT) as url:
        path = team_file(tmp_path, url, ALL_CUT, ["solo", strategy])
        assert moot("run", path, "--quiet") == 0
        said = capfd.readouterr().err
    told = figures(path, capfd)
    (row,) = [row for row in told["accuracy"] if not row.get("player")]
    assert (row["value"], row["ungraded"], row["cut"]) == (None, 12, 12)
    assert "24 answers have no grade" in said, "ann's own, and the team's"
    assert rows_of(tmp_path, "SELECT count(*) FROM scores WHERE value IS NULL") == [(24,)]
    found = rows_of(tmp_path, HANGING)
    assert found, "where lots gave it to ann it is the answer itself that has lost a part"
    assert moot("show", path, found[0][0]) == 0
    shown = " ".join(capfd.readouterr().out.split())
    assert "ungraded: the count hangs on an answer of which part equals a key of its model and was cut out" in shown


@pytest.mark.parametrize("strategy", RULES, ids=str)
def test_one_that_comes_out_the_same_whatever_was_cut_is_firm(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], strategy: Any
) -> None:
    with by_model(TWO_AGREE) as url:
        path = team_file(tmp_path, url, TWO_AGREE, ["solo", strategy])
        assert moot("run", path, "--quiet") == 0
    told = figures(path, capfd)
    (row,) = [row for row in told["accuracy"] if not row.get("player")]
    assert (row["value"], row["ungraded"]) == (1.0, 0)
    assert "cut" not in row


def test_two_answers_that_look_alike_after_the_cut_are_not_one(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is left of both is the mark alone; what was cut out of them may be two different keys."""
    monkeypatch.setenv("KEY_OF_OTHERS", "firth")
    answers = {"ann": "oakum", "bob": "firth", "cat": "river"}
    with by_model(answers) as url:
        path = team_file(tmp_path, url, answers, ["solo", "vote"])
        assert moot("run", path, "--quiet") == 0
    assert rows_of(tmp_path, "SELECT count(*) FROM episodes WHERE answer LIKE '%✂%'") != [(0,)]
    row = row_of(figures(path, capfd), "vote")
    assert (row["value"], row["cut"]) == (None, 12)
    verdicts = [json.loads(text) for (text,) in rows_of(tmp_path, "SELECT verdict FROM episodes")]
    groups = [record["groups"] for verdict in verdicts for record in verdict.get("traces", ()) if "groups" in record]
    assert groups
    assert all(each == [["ann"], ["bob"], ["cat"]] for each in groups)


def test_how_many_different_answers_there_were_is_not_known(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with by_model(ALL_CUT) as url:
        teams = {"t": {"players": list(ALL_CUT), "captain": "bob"}}
        path = team_file(
            tmp_path, url, ALL_CUT, ["solo", "vote", "talkative", {"adaptive": {"talk_from": 3}}], teams=teams
        )
        assert moot("run", path, "--quiet") == 0
    told = figures(path, capfd)
    assert not told.get("diversity")
    assert not told.get("self_preference"), "whose draft a captain says is not known either"
    row = row_of(told, "adaptive")
    assert (row["value"], row["cut"]) == (None, 12), "with nothing cut out they might not have talked"
    assert row_of(told, "talkative")["value"] == 0.0, "who has read them all gives an answer of its own"


def in_every_form(answers: Mapping[str, str], model: str) -> str:
    """What this model says, whatever form is asked for; on a ballot it takes the first option."""
    said = answers[model]
    return json.dumps(
        {"reasoning": "so", "answer": said, "message": "so", "solution": said, "agree": True, "choice": 1}
    )


def test_what_was_cut_is_neither_the_same_as_before_nor_another(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """With names shown ann ends on words that look like those without names: whether they were, nobody knows."""
    reviews = ["peer-review", {"peer-review": {"names": "shown"}}]
    for captain, shares in (("ann", {None}), ("bob", {0.0})):
        folder = tmp_path / captain
        folder.mkdir()
        with by_model(ALL_CUT) as url:
            teams = {"t": {"players": list(ALL_CUT), "captain": captain}}
            path = team_file(folder, url, ALL_CUT, ["solo", *reviews], teams=teams)
            assert moot("run", path, "--quiet") == 0
        told = figures(path, capfd)["authority_bias"]
        assert told
        assert {row["changed"] for row in told} == shares


def test_how_alike_final_answers_are_is_not_known_of_those_that_lost_a_part(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Nor which place on a ballot was liked, where options may say the same."""
    alike = {}
    for name, answers in (("cut", ALL_CUT), ("whole", {"ann": "stone river", "bob": "river", "cat": "firth"})):
        folder = tmp_path / name
        folder.mkdir()
        with by_model(answers, in_every_form) as url:
            talk = {
                "discuss": {
                    "decision": "simple-voting",
                    "agents": 3,
                    "personas": "none",
                    "max_turns": 1,
                    "vote_from": 1,
                }
            }
            path = team_file(folder, url, answers, ["solo", talk])
            assert moot("run", path, "--quiet") == 0
        told = figures(path, capfd)
        alike[name] = bool(told.get("similarity")), [row.get("decisions") for row in told.get("position_bias", ())]
    assert alike["whole"][0]
    assert not alike["cut"][0]
    assert any(alike["whole"][1])
    assert not any(alike["cut"][1]), "every look is counted apart"


def in_a_talk(answers: Mapping[str, str], model: str) -> str:
    """Each gives its own solution and agrees to none."""
    words = dict.fromkeys(("reasoning", "message", "steelman", "critique", "summary"), "so")
    return json.dumps({**words, "answer": answers[model], "solution": answers[model], "agree": False, "choice": 1})


def consensus(protocol: str = "majority-consensus", **others: Any) -> dict[str, Any]:
    manner = {"agents": 3, "personas": "none", "max_turns": 1, "drafting": "all-agents-drafting", **others}
    return {"discuss": {"decision": protocol, **manner}}


TALKS: list[tuple[dict[str, str], Any, int]] = [
    (ALL_CUT, consensus(), 12),
    (TWO_AGREE, consensus(), 0),
    (TWO_AGREE, consensus("unanimity-consensus"), 12),
    ({**ALL_CUT, "ann": "stone river"}, consensus(), 0),
    (TWO_AGREE, consensus(drafting="first-agent"), 12),
]


@pytest.mark.parametrize(("answers", "strategy", "cut"), TALKS)
def test_a_consensus_that_hangs_on_what_was_cut_has_no_grade(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], answers: dict[str, str], strategy: Any, cut: int
) -> None:
    """Somebody may have agreed without anybody's knowing it; where all others agree anyway it is firm."""
    with by_model(answers, in_a_talk) as url:
        path = team_file(tmp_path, url, answers, ["solo", strategy])
        assert moot("run", path, "--quiet") == 0
    (row,) = [row for row in figures(path, capfd)["accuracy"] if not row.get("player")]
    assert (row["ungraded"], row.get("cut", 0)) == (cut, cut)


@pytest.mark.parametrize(
    ("answers", "cut"), [(TWO_AGREE, True), (ALL_CUT, False), ({**TWO_AGREE, "ann": "stone firth"}, False)]
)
def test_whether_there_was_a_debate_is_not_known_where_all_may_have_said_the_same(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], answers: dict[str, str], cut: bool
) -> None:
    """Where two are apart for sure it is known that nobody agreed, whatever the third one said."""
    debate = {"debate": {"max_rounds": 1, "drafts": "single-call"}}
    teams = {"t": {"players": list(answers), "captain": "bob"}}
    with by_model(answers, in_a_talk) as url:
        path = team_file(tmp_path, url, answers, ["solo", debate], teams=teams)
        assert moot("run", path, "--quiet") == 0
    told = figures(path, capfd)
    (row,) = [row for row in told["accuracy"] if not row.get("player")]
    assert row.get("cut", 0) == (12 if cut else 0)
    (ended,) = told["consensus"]
    if cut:
        assert (ended["value"], ended["unknown"], ended["bounds"]) == (None, 12, {"low": 0.0, "high": 1.0})
        assert ended["why"]
    else:
        assert (ended["value"], ended["endings"]) == (0.0, {"max-rounds": 12})
        assert "unknown" not in ended
    assert moot("report", path) == 0
