"""`moot select` on what an experiment has played: neither a stop, nor a second way of answering alone, nor repeats, nor a
score between right and wrong makes a figure that the report does not have."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from worlds import in_form, number_of

import moot
from moot import Case, Question, Request, ScriptedModel
from moot.cli.app import app
from moot.cli.exit import run_app
from moot.errors import ReplyBroken

Knows = Callable[[Request, int], bool]
FILE = {
    "name": "cup",
    "store": "sqlite:///cup.db",
    "questions": {"builtin": "general-en"},
    "models": {name: {"provider": "simulated", "accuracy": 0.5} for name in ("ann", "bob", "cat")},
}
EVERY: Mapping[str, Knows] = {
    "ann": lambda request, n: n % 2 == 0,
    "bob": lambda request, n: True,
    "cat": lambda request, n: n % 3 == 0,
}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "250")


def play(knows: Mapping[str, Knows], questions: int = 24, **more: Any) -> dict[str, Any]:
    """The figures of an experiment in which everybody knows what it knows, stored for the file of the same name."""

    def model(name: str) -> ScriptedModel:
        def reply(request: Request) -> Any:
            n = number_of(request)
            return in_form(request, "ABCD"[n % 4] if knows[name](request, n) else "ABCD"[(n + 1) % 4])

        return ScriptedModel(name, reply)

    asked = [
        Case(
            Question(f"q{n}", f"Which letter is number {n}?", choices=("Paris", "Rome", "Oslo", "Bonn")), "ABCD"[n % 4]
        )
        for n in range(questions)
    ]
    keys = {"name": "cup", "questions": asked, "models": {name: model(name) for name in knows}, "strategies": ["solo"]}
    Path("cup.db").unlink(missing_ok=True)
    Path("cup.yaml").write_text(json.dumps(FILE), encoding="utf-8")
    return dict(moot.run({**keys, **more}, store="cup.db").figures)  # type: ignore[arg-type]


def forget(player: str, questions: Sequence[int]) -> None:
    """As if the run had been stopped before these."""
    with closing(sqlite3.connect("cup.db")) as connection, connection:
        for n in questions:
            connection.execute(
                "DELETE FROM episodes WHERE cell IN (SELECT id FROM cells WHERE player = ?) AND question IN"
                " (SELECT question FROM experiment_questions WHERE position = ?)",
                (player, n),
            )


def selected(capfd: pytest.CaptureFixture[str], *more: object) -> list[dict[str, Any]]:
    capfd.readouterr()
    assert run_app(app, ["select", "cup.yaml", "--json", *map(str, more)]) == 0, capfd.readouterr().err
    rows: list[dict[str, Any]] = json.loads(capfd.readouterr().out)
    return rows


def alone(rows: Sequence[Mapping[str, Any]]) -> dict[str, tuple[float, int]]:
    return {row["team"][0]: (row["test_accuracy"], row["n"]) for row in rows if row["kind"] == "single"}


def test_what_was_not_played_is_not_wrong(capfd: pytest.CaptureFixture[str]) -> None:
    """Bob, who knows everything, was stopped; and what he was asked and did not answer stays his."""
    play({**EVERY, "dan": EVERY["cat"]})
    forget("bob", range(12, 24))
    forget("dan", range(1, 24))
    with closing(sqlite3.connect("cup.db")) as connection, connection:
        cell = "(SELECT id FROM cells WHERE player = 'bob')"
        first = "(SELECT question FROM experiment_questions WHERE position = 0)"
        connection.execute(f"UPDATE episodes SET answer = NULL WHERE cell = {cell} AND question = {first}")
        case = '(SELECT "case" FROM experiment_questions WHERE position = 0)'
        connection.execute(f'UPDATE scores SET value = 0 WHERE cell = {cell} AND "case" = {case}')
    rows = selected(capfd, "--k", 1, "--m", 8)
    assert alone(rows) == {"bob": (11 / 12, 12), "ann": (0.5, 12), "cat": (pytest.approx(1 / 3), 12)}
    top = next(row for row in rows if row["method"] == "top-accuracy")
    assert top["team"] == ["bob"]
    assert (top["n"], len(top["chosen_on"])) == (4, 8)
    assert {row["left_out"] for row in rows} == {12}
    assert all(row["proposers_left_out"] == {"dan": 1} for row in rows)
    assert [row["unanswered"] for row in rows if row["kind"] == "single"] == [1, 0, 0]
    assert run_app(app, ["select", "cup.yaml", "--k", "1", "--m", "8", "--all"]) == 0
    said = capfd.readouterr().out
    assert "12 questions are left out, because not all proposers have played them." in said
    assert "Left out, with too few questions in common with the others: dan (1 question)." in said
    assert "On all questions that all of them have played." in said
    assert run_app(app, ["select", "cup.yaml", "--k", "1", "--m", "12"]) == 2
    assert "m = 12 of 12 questions leaves none to test on" in capfd.readouterr().err


def test_whoever_never_answered_is_no_proposer(capfd: pytest.CaptureFixture[str]) -> None:
    """Of what failed now and then, and of what was refused, it is said whose it is, of all of them."""

    def broken(request: Request, n: int) -> bool:
        raise ReplyBroken("no reply")

    def sometimes(request: Request, n: int) -> bool:
        return broken(request, n) if n < 3 else True

    play({**EVERY, "dan": broken, "eve": sometimes, "fay": sometimes})
    rows = selected(capfd, "--k", 2)
    assert set(alone(rows)) == {"ann", "bob", "cat", "eve", "fay"}
    assert next(row["size"] for row in rows if row["method"] == "input-all") == 5
    assert all(row["never_answered"] == ["dan"] for row in rows)
    assert run_app(app, ["select", "cup.yaml", "--k", "2", "--all"]) == 0
    said = capfd.readouterr()
    assert "Left out, since every answer failed and how good it is is unknown: dan." in said.out
    assert "6 labels are missing and count as not right: of eve (3) and fay (3)." in said.err
    play({"dan": broken, "eve": broken})
    assert run_app(app, ["select", "cup.yaml", "--k", "1"]) == 2
    assert "every answer of dan and of eve failed" in capfd.readouterr().err


def test_with_nothing_in_common_there_is_no_choice(capfd: pytest.CaptureFixture[str]) -> None:
    play({name: EVERY[name] for name in ("ann", "bob")}, 8)
    forget("ann", range(4))
    forget("bob", range(4, 8))
    assert run_app(app, ["select", "cup.yaml", "--k", "1"]) == 2
    assert "fewer than two of 2 have enough questions in common to be chosen among" in capfd.readouterr().err
    forget("ann", range(8))
    forget("bob", range(8))
    assert run_app(app, ["select", "cup.yaml", "--k", "1"]) == 2
    assert "nothing has been played alone yet" in capfd.readouterr().err


def test_what_nobody_has_graded_is_not_wrong(capfd: pytest.CaptureFixture[str]) -> None:
    play(EVERY)
    with closing(sqlite3.connect("cup.db")) as connection, connection:
        connection.execute(
            "DELETE FROM scores WHERE cell IN (SELECT id FROM cells WHERE player = 'bob')"
            ' AND "case" IN (SELECT "case" FROM experiment_questions WHERE position = 5)'
        )
    rows = selected(capfd, "--k", 1)
    (bob,) = (row for row in rows if row["team"] == ["bob"] and row["kind"] == "single")
    assert bob["test_accuracy"] is None, (
        "what is graded would flatter, as no judge has settled anything: as in a report"
    )
    assert bob["bounds"] == {"low": 23 / 24, "high": 1.0}
    assert {row["team"][0]: row.get("ungraded") for row in rows if row["kind"] == "single"} == {
        "bob": 1,
        "ann": None,
        "cat": None,
    }
    assert {row["left_out"] for row in rows} == {0}, "it was played"


def test_the_order_of_the_file_decides_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    """Ann knows everything in one call, and nothing in two."""
    knows = {**EVERY, "ann": lambda request, n: bool((request.schema or {}).get("properties"))}
    ways: list[Any] = ["solo", {"solo": {"drafts": "double-call"}}]
    both = []
    for order in (ways, ways[::-1]):
        play(knows, 12, strategies=order)
        both.append(selected(capfd, "--k", 2))
    assert both[0] == both[1]
    assert alone(both[0])["ann"] == (1.0, 12)
    assert {row["strategy"] for row in both[0]} == {"solo"}
    assert run_app(app, ["select", "cup.yaml", "--k", "2"]) == 0
    assert "come from solo, as a summariser reads them, not from solo(drafts=double-call)" in capfd.readouterr().out
    for condition in ("drafts=double-call", "strategy=solo(drafts=double-call)"):
        rows = selected(capfd, "--k", 2, "--where", condition)
        assert alone(rows)["ann"] == (0.0, 12)
        assert {row["strategy"] for row in rows} == {"solo(drafts=double-call)"}


def test_repeats(capfd: pytest.CaptureFixture[str]) -> None:
    """Ann knows everything when she is asked first, and nothing when she is asked again."""
    figures = play({**EVERY, "ann": lambda request, n: request.sample == 0}, 12, repeats=3)
    rows = selected(capfd, "--k", 1, "--m", 6)
    assert {row["player"]: (row["value"], row["n"]) for row in figures["accuracy"]} == alone(rows)
    ends = {row["player"]: (row["low"], row["high"]) for row in figures["accuracy"]}
    singles = {row["team"][0]: row for row in rows if row["kind"] == "single"}
    assert ends == {name: (row["low"], row["high"]) for name, row in singles.items()}
    assert {(row["kind"] == "single", row["repeats"], row["repeats_played"]) for row in rows} == {
        (True, 3, 3),
        (False, 1, 3),
    }
    assert run_app(app, ["select", "cup.yaml", "--k", "1", "--m", "6", "--all"]) == 0
    said = capfd.readouterr().out
    assert "chosen and tested on the first of 3 repeats" in said
    assert "On all questions, the mean over 3 repeats." in said


def test_what_is_right_in_part_counts_in_part(capfd: pytest.CaptureFixture[str]) -> None:
    """Words in common with the reference: two of four, all of them, none."""
    share = {"ann": "red fox", "bob": "red fox runs far", "cat": "nothing"}
    models = {name: ScriptedModel(name, lambda r, said=said: in_form(r, said)) for name, said in share.items()}
    asked = [
        {"id": f"r{n}", "text": f"What does {n} say?", "context": "The red fox runs far.", "answer": "red fox runs far"}
        | {"meta": {"score": "f1"}}
        for n in range(8)
    ]
    Path("q.jsonl").write_text("\n".join(map(json.dumps, asked)), encoding="utf-8")
    Path("cup.yaml").write_text(json.dumps(FILE), encoding="utf-8")
    keys: Any = {"name": "cup", "questions": {"file": "q.jsonl"}, "models": models, "strategies": ["solo"]}
    figures = moot.run(keys, store="cup.db").figures
    expected = {row["player"]: (pytest.approx(row["value"]), row["n"]) for row in figures["accuracy"]}
    rows = selected(capfd, "--k", 1, "--m", 4)
    assert alone(rows) == expected
    assert alone(rows)["ann"][0] == pytest.approx(2 / 3)
    without_bob = selected(capfd, "--k", 1, "--m", 4, "--where", "player!=bob", "--method", "top-accuracy")
    (row,) = without_bob
    assert (row["team"], row["accuracies"]) == (["ann"], {"ann": pytest.approx(2 / 3)})
    assert row["test_accuracy"] == pytest.approx(2 / 3)
