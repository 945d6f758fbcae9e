"""Strategies and models from elsewhere that behave oddly cost their own question, and nothing that was paid for."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

import moot
from moot import Case, Question, Reply, Request, Verdict
from moot.models.scripted import ScriptedModel

CASES = [Case(Question(f"q{number}", f"Which, {number}?"), "A") for number in range(4)]


@dataclass(frozen=True)
class Odd:
    """Drafts, and on the second question comes to something that is no verdict."""

    name: ClassVar[str] = "odd"
    odd: ClassVar[Any] = None

    def lineups(self, team: Any) -> tuple[Any, ...]:
        return (team,)

    async def play(self, question: Question, team: Any) -> Any:
        drafts = await team.drafts(question)
        if question.id == "q1":
            return await self.oddity()
        return Verdict(drafts[0].text, "answered", who=(drafts[0].player,), answers=tuple(drafts))

    async def oddity(self) -> Any:
        return self.odd


class Number(Odd):
    odd = Verdict(5, "answered")  # type: ignore[arg-type]


class Great(Odd):
    odd = Verdict("A", "great")  # type: ignore[arg-type]


class Cancelled(Odd):
    async def oddity(self) -> Any:
        raise asyncio.CancelledError


def ann() -> ScriptedModel:
    return ScriptedModel("ann", lambda request: {"reasoning": "r", "answer": "A"})


@pytest.mark.parametrize("strategy", [Odd(), Number(), Great(), Cancelled()], ids=lambda odd: type(odd).__name__)
def test_what_is_no_verdict_fails_its_question_only(strategy: Any) -> None:
    results = moot.run({"name": "cup", "models": {"ann": ann()}, "questions": CASES, "strategies": [strategy]})
    (row,) = results.figures["accuracy"]
    assert row["outcomes"] == {"answered": 3, "failed": 1}
    assert results.state == "failed"
    (cause,) = results.failures
    assert cause.startswith("a bug in odd: ")


class NeverCloses(ScriptedModel):
    async def close(self) -> None:
        raise RuntimeError("no")

    async def generate(self, request: Request) -> Reply:
        return Reply('{"reasoning": "r", "answer": "A"}')


def test_a_model_that_cannot_be_closed_loses_nothing() -> None:
    closed: list[str] = []

    class Bob(ScriptedModel):
        async def close(self) -> None:
            closed.append(self.name)

    models = {"ann": NeverCloses("ann", []), "bob": Bob("bob", lambda request: {"reasoning": "r", "answer": "A"})}
    with pytest.warns(ResourceWarning, match="ann was not closed: RuntimeError: no"):
        results = moot.run({"name": "cup", "models": models, "questions": CASES})
    assert [row["value"] for row in results.figures["accuracy"]] == [1.0, 1.0]
    assert closed == ["bob"]


@dataclass(frozen=True)
class First(Odd):
    name: ClassVar[str] = "mine"


@dataclass(frozen=True)
class Last(Odd):
    name: ClassVar[str] = "mine"


def test_two_classes_of_one_name_are_refused() -> None:
    model = ann()
    keys: dict[str, Any] = {"name": "cup", "models": {"ann": model}, "questions": CASES}
    refused = r"'mine' is the name of .*First already.*expected another name"
    with pytest.raises(moot.MootError, match=refused):
        moot.run({**keys, "strategies": [First(), Last()]})
    with pytest.raises(moot.MootError, match=refused):
        moot.run({**keys, "strategies": [First()]}, strategies=[Last()])
    assert not model.requests


@dataclass(frozen=True)
class Separated(Odd):
    name: ClassVar[str] = "sep"
    sep: str = "-"

    async def oddity(self) -> Any:
        return Verdict("A", "answered", who=("ann",))

    async def play(self, question: Question, team: Any) -> Any:
        await team.drafts(question)
        return Verdict("A" if self.sep == ", " else "B", "answered", who=("ann",))


def test_a_value_in_quotes_is_read_back_as_it_is() -> None:
    claims = ['accuracy(sep(sep=",")) > 0.9', 'accuracy( sep( sep = ", " ) ) > 0.9']
    results = moot.run(
        {
            "name": "cup",
            "models": {"ann": ann()},
            "questions": CASES,
            "strategies": [Separated(","), Separated(", ")],
            "hypotheses": claims,
        }
    )
    assert [row["value"] for row in results.figures["hypotheses"]] == [0.0, 1.0]
