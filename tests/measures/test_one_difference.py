"""One question, one answer: a report's comparison, a hypothesis and `moot compare` pair two strategies in the same way.

Captains are compared with themselves, also where some of their answers are not graded: a question counts by the mean of
its graded pairs, and not by the mean of whoever happens to be graded on either side.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import pytest

import moot
from moot import Case, Question, Request, ScriptedModel
from moot.models.scripted import Script
from moot.report.compare import compared, words
from moot.report.figures import find_experiment

QUESTIONS = 12


def words_in(request: Request) -> str:
    return "\n".join(message.content for message in request.messages)


def player(name: str) -> ScriptedModel:
    """Ann is always right, bob on every tenth question; who has heard the others says that this is its final word."""

    def reply(request: Request) -> Script:
        prompt, number = words_in(request), int(request.question_id or 0)
        heard = any(f"from {other}" in prompt for other in ("ann", "bob"))
        metal = "gold" if name == "ann" or number % 10 == 0 else "lead"
        return {"reasoning": "So.", "answer": f"{'final' if heard else 'plain'} {metal} from {name}"}

    return ScriptedModel(name, reply)


def judge(request: Request) -> Script:
    """Gold is right; of bob's final words it can say nothing."""
    count = (request.schema or {})["properties"]["grades"]["items"]["properties"]["id"]["maximum"]
    answers = re.findall(r"(?:plain|final) \w+ from \w+", words_in(request))[-count:]
    if any(re.fullmatch(r"final \w+ from bob", answer) for answer in answers):
        return "no idea"
    return {"grades": [{"id": n + 1, "is_correct": "gold" in answer} for n, answer in enumerate(answers)]}


@cache
def played() -> moot.Results:
    return moot.run(
        {
            "name": "metals",
            "seed": 3,
            "questions": [Case(Question(str(n), f"What is number {n}?"), f"Metal {n}") for n in range(QUESTIONS)],
            "models": {"ann": player("ann"), "bob": player("bob"), "jay": ScriptedModel("jay", judge)},
            "players": {name: {"model": name} for name in ("ann", "bob")},
            "teams": {"two": {"players": ["ann", "bob"], "captain": "each"}},
            "judge": {"models": ["jay"]},
            "strategies": ["vote", "silent"],
            "hypotheses": ["accuracy(silent) - accuracy(vote) > 0", "accuracy(vote) > accuracy(silent)"],
        }
    )


def difference(a: str, b: str) -> dict[str, Any]:
    results = played()
    return results.store._read(
        lambda connection: compared(connection, find_experiment(connection, ident=results.plan_id), a, b)
    )


def test_the_world_is_as_it_is_said_to_be() -> None:
    rows = {(row["label"], row["captain"]): row for row in played().figures["accuracy"]}
    assert rows["silent", "ann"]["value"] == rows["vote", "ann"]["value"] == 1.0
    assert rows["silent", "bob"]["value"] is None
    assert rows["vote", "bob"]["value"] == pytest.approx(2 / QUESTIONS)


def test_captains_are_compared_with_themselves() -> None:
    """Only ann's pairs are graded; bob's words as captain wait for the judge, so there is no difference to be told."""
    (comparison,) = [row for row in played().figures["comparisons"] if row["captain"] is None]
    hypothesis, turned = played().figures["hypotheses"]
    told = difference("silent", "vote")
    assert (comparison["a"], comparison["b"]) == ("silent", "vote")
    assert comparison["difference"] == told["difference"] == hypothesis["value"] == turned["value"] is None
    assert "12 of 24 pairs have an ungraded answer" in comparison["why"]
    assert comparison["why"] == told["why"] == hypothesis["note"]
    for key in ("low", "high", "p", "n", "test"):
        assert comparison[key] == told[key] == hypothesis[key], key
    assert comparison["bounds"] == told["bounds"] == pytest.approx(hypothesis["bounds"])
    assert told["accuracy_a"]["value"] is told["accuracy_b"]["value"] is None


def test_what_is_not_graded_is_counted_in_answers() -> None:
    told = difference("silent", "vote")
    assert told["ungraded"] == {"a": QUESTIONS, "b": 0}
    assert all(isinstance(count, int) for count in told["ungraded"].values())
    assert any(f"{QUESTIONS} answers are not graded" in sentence for sentence in words(told))


def test_one_captain_against_all_is_what_was_asked_for() -> None:
    told = difference("silent@ann", "vote")
    assert told["difference"] == pytest.approx(1.0 - (1.0 + 2 / QUESTIONS) / 2)
