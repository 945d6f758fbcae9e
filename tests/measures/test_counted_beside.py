"""What is counted beside a figure is what the figure is over: questions once each, and players who answered."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

import pytest
from rich.console import Console
from worlds import in_form, number_of, questions

import moot
from moot import Case, Question, Request, Score, ScriptedModel, Verdict
from moot.errors import ReplyBroken
from moot.report.sections import all_sections
from moot.report.terminal import print_report

QUESTIONS = 12


def broken(request: Request) -> Any:
    raise ReplyBroken("no reply")


def mostly_right(request: Request) -> Any:
    return in_form(request, "Paris" if number_of(request) % 4 else "Bern")


@pytest.fixture(scope="module")
def one_is_broken() -> Mapping[str, Any]:
    models = {name: ScriptedModel(name, mostly_right) for name in ("ann", "cat")}
    keys = {
        "name": "broken",
        "questions": questions(QUESTIONS),
        "models": {**models, "bob": ScriptedModel("bob", broken)},
        "teams": {"three": {"players": ["ann", "cat", "bob"], "captain": "each"}},
        "strategies": ["solo", "vote", "silent"],
    }
    return moot.run(keys).figures


def test_a_share_without_a_difference_stands_beside_the_questions_that_it_is_over(
    one_is_broken: Mapping[str, Any],
) -> None:
    rows = [row for row in one_is_broken["cohort_models"] if row["value"] is not None]
    assert any(row["difference"] is None for row in rows), "held against a mean of whom one never answered"
    assert {(row["n"], row["value_n"]) for row in rows} == {(QUESTIONS, QUESTIONS)}
    assert {row["n"] for row in one_is_broken["cohort_models"] if row["value"] is None} <= {0}
    sections = {section.id: section for section in all_sections(one_is_broken)}
    for ident in ("native-and-after", "cohort-models"):
        told = [row for row in sections[ident].rows if row["value"] is not None]
        assert told
        assert all(row["n"] == QUESTIONS for row in told), ident


def test_who_never_answered_is_no_guesser(one_is_broken: Mapping[str, Any]) -> None:
    assert one_is_broken["skyline"]["players"] == 2


class Unsure:
    """Leaves the second repeat of one question open, and the whole of another."""

    name = "unsure"

    async def grade(self, case: Case, verdict: Verdict) -> Score:
        answer = str(verdict.answer)
        if answer in ("no 3 1", "no 5 0", "no 5 1"):
            return Score(None, "unsure")
        return Score(float(not answer.startswith("no")), "sure")


def repeated(repeats: int) -> Mapping[str, Any]:
    def reply(request: Request) -> dict[str, str]:
        number = int(request.question_id)
        wrong = number in (3, 5) or number % 3 == 0
        return {"reasoning": "So.", "answer": f"no {number} {request.sample}" if wrong else f"yes {number}"}

    cases = [Case(Question(str(n), f"What is number {n}?"), f"yes {n}") for n in range(80)]
    models = {name: ScriptedModel(name, reply) for name in ("ann", "bob")}
    keys = {"name": "cup", "questions": cases, "models": models, "grader": Unsure(), "repeats": repeats}
    teams = {"duo": {"players": ["ann", "bob"], "captain": "ann"}}
    return moot.run({**keys, "teams": teams, "strategies": ["solo", "vote"]}).figures


def shown(figures: Mapping[str, Any]) -> str:
    out = io.StringIO()
    print_report(figures, Console(file=out, width=300))
    return " ".join(out.getvalue().split())


def test_a_question_that_is_graded_in_one_repeat_counts_once() -> None:
    figures = repeated(2)
    top = figures["skyline"]
    assert (top["n"], top["ungraded"], top["questions"]) == (79, 2, 80)
    told = shown(figures)
    assert "of 79 of 80 questions, in the repeats whose every answer is graded; over all between" in told
    assert "81 questions" not in told
    assert "of the 79 of 80 questions whose every answer is graded" in shown(repeated(1))


class OpenNowAndThen(Unsure):
    """One repeat of three questions: of all repeats few, of all questions more than a figure may leave out."""

    async def grade(self, case: Case, verdict: Verdict) -> Score:
        if str(verdict.answer) in ("no 0 0", "no 3 0", "no 6 0"):
            return Score(None, "unsure")
        return Score(float(not str(verdict.answer).startswith("no")), "sure")


def test_one_difference_is_withheld_everywhere_or_nowhere() -> None:
    def reply(request: Request) -> Any:
        number = int(request.question_id)
        return {"reasoning": "So.", "answer": f"no {number} {request.sample}" if number % 3 == 0 else f"yes {number}"}

    def second(request: Request) -> Any:
        return {"reasoning": "So.", "answer": f"yes {int(request.question_id)}"}

    cases = [Case(Question(str(n), f"What is number {n}?"), f"yes {n}") for n in range(40)]
    models = {"ann": ScriptedModel("ann", reply), "bob": ScriptedModel("bob", second)}
    keys = {"name": "cup", "questions": cases, "models": models, "grader": OpenNowAndThen(), "repeats": 3}
    teams = {"duo": {"players": ["ann", "bob"], "captain": "each"}}
    figures = moot.run({**keys, "teams": teams, "strategies": ["solo", "silent"]}).figures
    gains = {row["captain"]: row["difference"] for row in figures["gains"] if row["captain"]}
    after = {row["model"]: row["difference"] for row in figures["safety_models"]}
    assert gains["ann"] is after["ann"] is None
    assert gains["bob"] == after["bob"] is not None
    whys = [row["why"] for family in ("gains", "safety_models") for row in figures[family] if row["difference"] is None]
    told = ("3 of 40 pairs have", "3 of 40 questions to a model, all repeats together, have")
    assert all(any(f"{words} an ungraded answer" in why for words in told) for why in whys if "80" not in why)
