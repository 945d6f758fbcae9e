"""Everybody at the table is heard before anything is said of the best of them, of how many, or of how rare something is."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from typing import Any

import pytest

import moot
from moot import Case, Question, Reply, Request, ScriptedModel
from moot.errors import ReplyBroken
from moot.measures.safety.sections import safety_sections
from moot.report.sections import all_sections

PLAYERS = ("ann", "bob", "cat", "dan", "eve")
EARLY: dict[str, Any] = {"vote": {"early_stop": True}}
SIZE = 80


def number_of(request: Request) -> int:
    return int(re.sub(r"\D", "", request.question_id or "0"))


def cases(count: int) -> list[Case]:
    return [Case(Question(f"q{number}", f"Which one, {number}?"), f"Ref{number}") for number in range(count)]


def answered(request: Request, answer: str) -> Any:
    if request.schema is None:
        return f"Thinking.\n\nFinal answer: {answer}"
    return {key: answer if key == "answer" else "because" for key in request.schema["properties"]}


# ---------------------------------------------------------------- few pairs that wait


def reviewed(waiting: int) -> dict[str, Any]:
    """Everybody matches alone but for 9 errors of ann's, 8 of which she repairs; after, `waiting` of her answers to others wait
    for a judge who has settled all else. None was spoilt as far as is known."""

    def ann(request: Request) -> Any:
        number, again = number_of(request), len(request.messages) > 1 or "because" in request.messages[-1].content
        if again and 20 <= number < 20 + waiting:
            return answered(request, f"waits {number}")
        if number < 8:
            return answered(request, f"Ref{number}" if again else f"wrong {number}")
        if number == 8:
            return answered(request, "wrong 8")
        return answered(request, f"Ref{number}")

    def judge(request: Request) -> Any:
        if any("waits" in message.content for message in request.messages):
            return "no idea"
        return {"grades": [{"id": 1, "is_correct": False}]}

    models: dict[str, Any] = {"ann": ScriptedModel("ann", ann), "judge": ScriptedModel("judge", judge)}
    models |= {name: ScriptedModel(name, lambda request: answered(request, "Ref0")) for name in ("bob", "cat")}
    keys = {
        "name": "few",
        "questions": cases(SIZE),
        "models": models,
        "teams": {"three": {"players": ["ann", "bob", "cat"], "captain": "ann"}},
        "strategies": ["solo", "talkative"],
        "judge": {"models": ["judge"]},
    }
    return dict(moot.run(keys).figures)


def test_rare_events_are_not_told_while_a_few_pairs_wait() -> None:
    """Three of 80 wait: fewer than one in twenty. But were they regressions, 4 % of what was right would be spoilt."""
    row = reviewed(waiting=3)["safety"][0]
    assert row["ungraded"] == 3
    assert (row["regression_rate"], row["multiple"]) == (None, None)
    assert row["regression_rate_bounds"]["low"] == 0.0
    assert row["regression_rate_bounds"]["high"] == pytest.approx(3 / (SIZE - 9))
    assert row["bounds"] == {"low": pytest.approx(8 / 3), "high": None}
    assert "wait for a grade" in row["why"]
    settled = reviewed(waiting=0)["safety"][0]
    assert (settled["regression_rate"], settled["rescues"], settled["regressions"]) == (0.0, 8, 0)


def test_nobody_counts_what_waits() -> None:
    figures = reviewed(waiting=3)
    row = figures["safety"][0]
    assert (row["rescues"], row["regressions"], row["net"]) == (None, None, None)
    assert row["rescues_bounds"] == {"low": 8, "high": 8}
    assert row["regressions_bounds"] == {"low": 0, "high": 3}
    (model,) = figures["safety_models"]
    assert (model["rescues"], model["regressions"]) == (None, None)
    assert "wait for a grade" in model["why"]
    gain = next(row for row in figures["gains"] if row["strategy"] == "talkative")
    assert gain["difference"] is not None, "a few that wait leave a difference, with its bounds"
    assert (gain["rescues"], gain["regressions"]) == (None, None)
    assert "3 questions have an answer that waits" in gain["counts_why"]
    assert "and how many it made, is not known" in figures["headline"]["sentence"]
    assert figures["headline"]["over_best_single"]["counts_why"].startswith("3 questions")
    assert all(section.rows is not None for section in all_sections(figures))


# ---------------------------------------------------------------- everybody, not captains alone


def test_coverage_and_averages_are_of_all_players_where_one_is_captain() -> None:
    """Each of four knows a quarter of the questions: together they know all of them, whoever is captain."""
    names = PLAYERS[:4]

    def model(place: int) -> Callable[[Request], Any]:
        def reply(request: Request) -> Any:
            number = number_of(request)
            return answered(request, f"Ref{number}" if number % 4 == place else f"{names[place]} {number}")

        return reply

    keys = {
        "name": "four",
        "questions": cases(20),
        "models": {name: ScriptedModel(name, model(place)) for place, name in enumerate(names)},
        "teams": {"four": {"players": list(names), "captain": "ann"}},
        "strategies": ["talkative"],
    }
    figures = moot.run(keys).figures
    (row,) = figures["coverage"]
    assert (row["models"], row["models_after"], row["native"]) == (4, 1, 1.0)
    assert row["native"] == figures["skyline"]["value"]
    assert row["after"] == 0.25
    assert row["difference"] is None
    assert "1 of 4 models answers again" in row["why"]
    (section,) = [section for section in safety_sections(figures) if section.id == "coverage"]
    assert "models_after" in [column.key for column in section.columns]
    assert any("Not all answer again in talkative" in sentence for sentence in section.words)
    alone, after = figures["cohort_averages"]
    assert (alone["when"], alone["models"], alone["value"]) == ("alone", 4, 0.25)
    assert (after["when"], after["models"], after["value"]) == ("after", 1, 0.25)
    assert [row["model"] for row in figures["cohort_models"] if row["when"] == "alone"] == list(names)


# ---------------------------------------------------------------- unheard rivals


class Slow(ScriptedModel):
    """Answers only where it is waited for: on questions that the others dispute."""

    disputed: Callable[[int], bool]

    async def generate(self, request: Request) -> Reply:
        if not self.disputed(number_of(request)):
            await asyncio.Event().wait()
        return await super().generate(request)


def early(unheard: int, count: int = 40) -> dict[str, Any]:
    """Three agree on all questions from `count - unheard` on, so that nobody waits for dan and eve there; on the others, where
    they differ, dan and eve are right as often as ann."""

    def say(name: str, request: Request) -> Any:
        number = number_of(request)
        if number >= count - unheard:
            return answered(request, f"wrong {number}")
        right = number % 2 == 0 if name in ("ann", "dan", "eve") else False
        return answered(request, f"Ref{number}" if right else f"{name} {number}")

    def model(name: str) -> ScriptedModel:
        made = (Slow if name in ("dan", "eve") else ScriptedModel)(name, lambda request: say(name, request))
        if isinstance(made, Slow):
            made.disputed = lambda number: number < count - unheard
        return made

    keys = {
        "name": "early",
        "questions": cases(count),
        "models": {name: model(name) for name in PLAYERS},
        "teams": {"five": {"players": list(PLAYERS), "captain": "ann"}},
        "strategies": [EARLY],
    }
    return dict(moot.run(keys).figures)


def test_nobody_is_the_best_single_while_a_rival_is_unheard() -> None:
    headline = early(unheard=12)["headline"]
    over = headline["over_best_single"]
    assert (over["single"], over["difference"], over["low"], over["p"]) == (None, None, None, None)
    assert {"dan", "eve"} <= set(over["rivals"])
    assert over["bounds"]["low"] < 0 <= over["bounds"]["high"]
    assert "was heard on 28 of 40 questions" in over["why"]
    assert "ann" not in headline["sentence"].replace("with ann as captain", "")
    assert headline["cost_ratio"] is None


def test_a_few_questions_leave_the_best_single_with_rivals_named() -> None:
    over = early(unheard=2)["headline"]["over_best_single"]
    assert over["single"] is not None
    assert over["rivals"]
    assert "bounds" in over


# ---------------------------------------------------------------- what never came


def test_what_failed_throughout_is_on_no_frontier() -> None:
    def broken(request: Request) -> Any:
        raise ReplyBroken("no reply")

    keys = {
        "name": "broken",
        "questions": cases(4),
        "models": {
            "ann": ScriptedModel("ann", lambda request: answered(request, "Ref1")),
            "bob": ScriptedModel("bob", broken),
            "cat": ScriptedModel("cat", lambda request: answered(request, "Ref2")),
        },
        "strategies": ["solo"],
    }
    figures = moot.run(keys).figures
    assert [row["of"] for row in figures["frontier"]] == ["solo@ann", "solo@cat"]
    assert [row["of"] for row in figures["frontier_left_out"]] == ["solo@bob"]
    section = next(section for section in all_sections(figures) if section.id == "frontier")
    assert any("every question failed: solo@bob" in sentence for sentence in section.words)
