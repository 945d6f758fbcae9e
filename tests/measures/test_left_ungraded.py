"""Answers that a grader of one's own, or people, leave without a grade: what is graded of the others is no figure."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import moot
from moot import Case, Question, Score, ScriptedModel, Verdict
from moot.live.asked_question import question_of
from moot.live.team import LiveTeam
from moot.report.figures import figures, find_experiment
from moot.stats.graded import graded_value, why_unfair_together, why_unknown

CASES = [Case(Question(str(n), f"What is number {n}?"), f"right {n}") for n in range(20)]


class Confirms:
    """Is sure of what is right; what it does with the rest is given."""

    name = "confirms"

    def __init__(self, otherwise: Any) -> None:
        self._otherwise = otherwise

    async def grade(self, case: Case, verdict: Verdict) -> Score:
        if verdict.answer == case.answer:
            return Score(1.0, "sure")
        if isinstance(self._otherwise, Exception):
            raise self._otherwise
        return self._otherwise(verdict.answer)  # type: ignore[no-any-return]


def player(name: str, right: Any) -> ScriptedModel:
    def reply(request: Any) -> dict[str, str]:
        number = int(request.question_id)
        return {"reasoning": "So.", "answer": f"right {number}" if right(number) else f"{name} {number}"}

    return ScriptedModel(name, reply)


def run(otherwise: Any, **more: Any) -> moot.Results:
    models = {"ann": player("ann", lambda n: n < 5), "bob": player("bob", lambda n: n < 10)}
    keys = {"name": "cup", "seed": 1, "questions": CASES, "models": models, "grader": Confirms(otherwise), **more}
    return moot.run(keys)


def test_a_grader_that_only_confirms_gives_no_accuracy_of_100_percent() -> None:
    shown = run(lambda answer: Score(None, "unsure")).figures
    rows = {row["player"]: row for row in shown["accuracy"]}
    assert [(rows[name]["value"], rows[name]["n"]) for name in ("ann", "bob")] == [(None, 0)] * 2
    assert [rows[name]["bounds"]["low"] for name in ("ann", "bob")] == [0.25, 0.5]
    assert rows["bob"]["why"] == "10 of 20 answers are ungraded, and whether one is graded hangs on what it says"
    assert "got between 50.0 and 100.0 % (bounds) right" in shown["headline"]["sentence"]


def test_one_that_rejects_some_flatters_no_difference() -> None:
    """bob's wrong answers are rejected and ann's are left open."""
    graded = run(lambda answer: Score(0.0, "bad") if answer.startswith("bob") else Score(None, "unsure"))
    rows = {row["player"]: row for row in graded.figures["accuracy"]}
    assert rows["bob"]["value"] == 0.5
    assert rows["ann"]["value"] is None
    assert rows["ann"]["bounds"] == {"low": 0.25, "high": 1.0}


def test_few_left_open_by_one_that_also_rejects_leave_a_figure_with_bounds() -> None:
    graded = run(lambda answer: Score(None, "unsure") if answer == "bob 19" else Score(0.0, "bad"))
    (row,) = [row for row in graded.figures["accuracy"] if row["player"] == "bob"]
    assert (row["value"], row["n"], row["bounds"]) == (10 / 19, 19, {"low": 0.5, "high": 0.55})


def test_a_grader_that_breaks_is_told_everywhere() -> None:
    with pytest.warns(UserWarning, match="grader 'confirms' failed on 25 answers"):
        results = run(ValueError("no ink"))
    assert [row["value"] for row in results.figures["accuracy"]] == [None, None]
    failure = {"kind": "grader", "name": "confirms", "error": "ValueError: no ink", "times": 25}
    assert results.figures["plugin_failures"] == [failure]
    assert results.warnings[-1].endswith("no grade from it; first: ValueError: no ink")
    (section,) = [section for section in results.sections if section.id == "plugin-failures"]
    assert section.rows == [failure]


THREE: dict[str, Any] = {
    "name": "three",
    "seed": 1,
    "grouping": {"match": "only"},
    "teams": {"three": {"players": ["ann", "bob", "cat"], "captain": "ann"}},
    "strategies": ["vote"],
}
ASKED = 12


async def served(folder: Path, feedback: int, *, choices: bool = False, again: bool = False) -> dict[str, Any]:
    """ann and bob agree, and cat says another thing on every third question: feedback is that the team is right."""
    questions = [question_of(f"What is number {n}?", choices=("red", "blue") if choices else ()) for n in range(ASKED)]
    numbers = {question.id: number for number, question in enumerate(questions)}

    def says(name: str) -> ScriptedModel:
        def reply(request: Any) -> dict[str, str]:
            number = numbers[request.question_id]
            odd = name == "cat" and number % 3 == 0
            answer = ("B" if odd else "A") if choices else (f"odd {number}" if odd else f"right {number}")
            return {"reasoning": "So.", "answer": answer}

        return ScriptedModel(name, reply)

    models = {name: says(name) for name in ("ann", "bob", "cat")}
    team = moot.Experiment(**THREE, models=models, store=f"sqlite:///{folder / 'three.db'}")
    async with LiveTeam(team.as_file, serving=True) as live:
        for number, question in enumerate(questions):
            play = await live.play(question, "three/vote")
            if number < feedback:
                await live.record.feedback(play.id, correct=True)
            if again:
                await live.play(question, "three/vote")
        await live.record.flush()
        return await live.store.run(lambda connection: figures(connection, find_experiment(connection)))


async def test_feedback_on_the_team_flatters_no_draft(tmp_path: Path) -> None:
    """Every equal draft is right and no other has a grade: cat is right in two of three, and that is not known."""
    shown = await served(tmp_path, ASKED)
    (team,) = [row for row in shown["accuracy"] if row["strategy"] == "vote"]
    assert (team["value"], team["n"]) == (1.0, ASKED)
    rows = {row["player"]: row for row in shown["players"]}
    assert (rows["bob"]["value"], rows["bob"]["n"]) == (1.0, ASKED)
    assert (rows["cat"]["value"], rows["cat"]["n"], rows["cat"]["bounds"]) == (None, 0, {"low": 8 / 12, "high": 1.0})
    assert "4 of 12 answers are ungraded" in rows["cat"]["why"]
    assert shown["skyline"]["value"] == 1.0, "one is right on each, whatever the others are"


async def test_what_nobody_spoke_of_thins_out_no_share(tmp_path: Path) -> None:
    """Feedback on three of twelve, one of them with another draft of cat's: a third of what there is, not a twelfth."""
    shown = await served(tmp_path, 3)
    (team,) = [row for row in shown["accuracy"] if row["strategy"] == "vote"]
    assert (team["value"], team["n"], team["bounds"]) == (1.0, 3, {"low": 0.25, "high": 1.0})
    rows = {row["player"]: row for row in shown["players"]}
    assert (rows["bob"]["value"], rows["bob"]["n"]) == (1.0, 3)
    assert rows["cat"]["value"] is None
    assert "1 of 3 answers are ungraded where somebody has said what is right" in rows["cat"]["why"]


async def test_feedback_holds_for_the_same_answer_given_later(tmp_path: Path) -> None:
    shown = await served(tmp_path, ASKED, again=True)
    (team,) = [row for row in shown["accuracy"] if row["strategy"] == "vote"]
    assert (team["value"], team["n"], team["ungraded"]) == (1.0, ASKED, 0)


async def test_the_right_choice_settles_all_others(tmp_path: Path) -> None:
    shown = await served(tmp_path, ASKED, choices=True)
    rows = {row["player"]: row for row in shown["players"]}
    assert (rows["cat"]["value"], rows["cat"]["n"], "bounds" in rows["cat"]) == (8 / 12, ASKED, False)


def test_few_that_wait_are_few_of_those_that_can_be_graded() -> None:
    """Three of forty can have a grade, and two of these wait: that is no twentieth."""
    values = [graded_value(1.0, "judge"), *[graded_value(None, "waiting")] * 2, *[graded_value(None, "nobody")] * 37]
    assert "2 of 3 answers" in str(why_unknown(values))
    assert "2 of 3 pairs" in str(why_unfair_together([(value, value) for value in values], of="pairs"))
    assert why_unknown([graded_value(1.0, "judge"), *[graded_value(None, "nobody")] * 39]) is None


def test_what_has_no_reference_waits_for_nobody() -> None:
    """Every second question has none: over the others the team's figure stands, and so does that of drafts."""
    cases = [
        Case(
            Question(str(n), f"Which is {n}?", kind="choice", choices=("x", "y")),
            "A" if n % 2 else None,
            known=bool(n % 2),
        )
        for n in range(20)
    ]

    def says(request: Any) -> dict[str, str]:
        return {"reasoning": "So.", "answer": "A" if int(request.question_id) < 10 else "B"}

    models = {name: ScriptedModel(name, says) for name in ("ann", "bob")}
    teams = {"two": {"players": ["ann", "bob"]}}
    keys = {"name": "cup", "questions": cases, "models": models, "teams": teams, "strategies": ["vote"]}
    shown = moot.run(keys).figures
    for row in (*shown["accuracy"], *shown["players"]):
        assert (row["value"], row["n"]) == (0.5, 10), row


class UnsureOfTin:
    """Rejects lead, and has no word yet on tin."""

    name = "unsure-of-tin"

    async def grade(self, case: Case, verdict: Verdict) -> Score:
        return Score(None, "unsure") if verdict.answer == "tin" else Score(float(verdict.answer == "gold"), "metals")


def test_where_another_could_be_the_best_a_gap_has_no_value_as_in_its_row() -> None:
    """Ann has one right answer more than bob, of whom two wait."""

    def says(name: str, answer: Callable[[int], str]) -> ScriptedModel:
        return ScriptedModel(name, lambda request: json.dumps({"answer": answer(int(request.question_id or 0))}))

    models = {
        "ann": says("ann", lambda n: "gold" if n % 2 else "lead"),
        "bob": says("bob", lambda n: "tin" if n in (0, 2) else "gold" if n % 2 and n != 1 else "lead"),
        "cat": says("cat", lambda n: "gold" if n % 3 == 0 else "lead"),
    }
    shown = moot.run(
        {
            "name": "tin",
            "models": models,
            "questions": [Case(Question(str(n), f"Which metal is {n}?"), answer="gold") for n in range(60)],
            "strategies": ["solo", "vote"],
            "teams": {"three": {"players": ["ann", "bob", "cat"], "captain": "ann"}},
            "grader": UnsureOfTin(),
            "hypotheses": ["gap_closure(vote@ann) < 2"],
        }
    ).figures
    ((gap,), (hypothesis,)) = shown["gap"], shown["hypotheses"]
    assert (gap["value"], gap["why"]) == (None, "bob could be the best single player")
    assert (hypothesis["value"], hypothesis["verdict"], hypothesis["note"]) == (None, "open", gap["why"])
    assert hypothesis.get("bounds") is None
