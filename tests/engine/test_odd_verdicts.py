"""A verdict or a record unlike what it declares costs its own question: the run goes on, and the store stays readable."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Literal

import pytest
from odd_strategy import CASES, Odd

import moot
from moot import Question, ScriptedModel, Verdict
from moot.testing import check_strategy
from moot.traces import trace, trace_of
from moot.types import Answer


def ann() -> ScriptedModel:
    return ScriptedModel("ann", lambda request: {"reasoning": "r", "answer": "A"})


@trace("odds")
@dataclass(frozen=True)
class Odds:
    chance: float | None = None
    names: tuple[str, ...] = ()
    pair: tuple[str, int] | None = None
    side: Literal["left", "right"] | None = None
    by_place: Mapping[int, float] = field(default_factory=dict)
    flags: list[bool] = field(default_factory=list)


@trace("claimed")
@dataclass(frozen=True)
class Claimed:
    text: str

    @property
    def claims(self) -> str:
        return self.text


ODD_VERDICTS = {
    "no-answer": ({"answer": None}, "expected an answer where the outcome is 'answered', found None"),
    "who-text": ({"who": "ann"}, "expected a tuple of names as who, found 'ann'"),
    "who-stranger": ({"who": ("zed",)}, "expected players or officers of the line-up as who, found 'zed'"),
    "answers-texts": ({"answers": ("A",)}, "expected a tuple of Answer as answers, found ('A',)"),
    "answers-text": (
        {"answers": (Answer("ann", "A", "because " * 20), Answer("bob", 3))},  # type: ignore[arg-type]
        "expected a text or None as the text of bob's answer, found 3",
    ),
    "answers-reasoning": (
        {"answers": (Answer("ann", "A", None),)},  # type: ignore[arg-type]
        "expected a text as the reasoning of ann's answer, found None",
    ),
    "answers-cause": (
        {"answers": (Answer("ann", None, outcome="failed", cause=OSError("x")),)},  # type: ignore[arg-type]
        "expected a text or None as the cause of ann's answer, found OSError('x')",
    ),
    "answers-outcome": (
        {"answers": (Answer("ann", "A", outcome="done"),)},  # type: ignore[arg-type]
        "as the outcome of ann's answer, found 'done'",
    ),
    "answers-player": ({"answers": (Answer(7, "A"),)}, "expected a name as the player of an answer, found 7"),  # type: ignore[arg-type]
    "answers-stranger": (
        {"answers": (Answer("zed", "A"),)},
        "expected answers of players of the line-up, found one of 'zed'",
    ),
    "answers-twice": (
        {"answers": (Answer("ann", "A"), Answer("ann", "B"))},
        "expected one answer of each player, found two of 'ann'",
    ),
    "turns": ({"turns": "2"}, "expected a whole number as turns, found '2'"),
    "absent": ({"absent": (3,)}, "expected a tuple of names as absent, found (3,)"),
    "cause": ({"cause": ValueError("x")}, "expected a text or None as the cause, found ValueError('x')"),
    "reasoning": ({"reasoning": None}, "expected a text as the reasoning, found None"),
    "traces": ({"traces": ({"kind": "ballot"},)}, "expected a tuple of traces, found ({'kind': 'ballot'},)"),
    "half-answer": ({"answer": "A\ud800"}, "the answer holds half of a surrogate pair"),
    "nul-answer": ({"answer": "A\0"}, "the answer holds a NUL"),
    "half-reasoning": ({"reasoning": "\udfff"}, "the reasoning holds half of a surrogate pair"),
    "half-draft": ({"answers": (Answer("ann", "A", "\ud800"),)}, "ann's reasoning holds half of a surrogate pair"),
    "half-trace": ({"traces": (Odds(1.0, ("\ud800",)),)}, "the record Odds holds half of a surrogate pair"),
    "text-for-number": ({"traces": (Odds("3"),)}, "expected float | None as Odds.chance, found '3'"),  # type: ignore[arg-type]
    "truth-for-number": ({"traces": (Odds(True),)}, "expected float | None as Odds.chance, found True"),
    "no-number": ({"traces": (Odds(float("nan")),)}, "expected float | None as Odds.chance, found nan"),
    "endless": ({"traces": (Odds(float("inf")),)}, "expected float | None as Odds.chance, found inf"),
    "too-long": ({"traces": (Odds(2**80),)}, "expected float | None as Odds.chance, found 12089"),
    "text-for-texts": ({"traces": (Odds(1.0, "A"),)}, "expected tuple[str, ...] as Odds.names, found 'A'"),  # type: ignore[arg-type]
    "none-for-text": ({"traces": (Odds(1.0, (None,)),)}, "expected tuple[str, ...] as Odds.names, found (None,)"),  # type: ignore[arg-type]
    "list-for-tuple": ({"traces": (Odds(1.0, ["A"]),)}, "expected tuple[str, ...] as Odds.names, found ['A']"),  # type: ignore[arg-type]
    "other-pair": ({"traces": (Odds(pair=("A",)),)}, "as Odds.pair, found ('A',)"),  # type: ignore[arg-type]
    "other-word": ({"traces": (Odds(side="up"),)}, "as Odds.side, found 'up'"),  # type: ignore[arg-type]
    "other-key": ({"traces": (Odds(by_place={"1": 1.0}),)}, "as Odds.by_place, found {'1': 1.0}"),  # type: ignore[dict-item]
    "claims": ({"traces": (Claimed("A"),)}, "expected a tuple of texts as Claimed.claims, found 'A'"),
}


@pytest.mark.parametrize("odd", ODD_VERDICTS)
def test_a_verdict_with_odd_parts_fails_its_question_only(odd: str) -> None:
    parts, words = ODD_VERDICTS[odd]
    results = moot.run({"name": "cup", "models": {"ann": ann()}, "questions": CASES, "strategies": [oddly(parts)]})
    (row,) = results.figures["accuracy"]
    assert row["outcomes"] == {"answered": 3, "failed": 1}
    (cause,) = results.failures
    assert cause.startswith("a bug in odd-parts: ")
    assert words in cause


def test_a_record_of_its_types_is_kept() -> None:
    kept = Odds(3, ("A", "\0"), ("A", 1), "left", {1: 0.5}, [True])
    results = moot.run(
        {"name": "cup", "models": {"ann": ann()}, "questions": CASES, "strategies": [oddly({"traces": (kept,)})]}
    )
    assert not results.failures
    content = json.loads(results.frame("traces")["content"][0])
    assert trace_of({"kind": "odds", **content}) == kept


def test_words_that_no_store_can_hold_cost_one_question_and_never_the_store(tmp_path: Path) -> None:
    """The words of an error are somebody else's too: half a pair in them ended every report of the store."""

    @dataclass(frozen=True)
    class Raises(Odd):
        name: ClassVar[str] = "raises"

        async def oddity(self) -> Any:
            raise ValueError("half \ud800 a pair")

    path = tmp_path / "moot.db"
    results = moot.run(
        {"name": "cup", "models": {"ann": ann()}, "questions": CASES, "strategies": [Raises()]}, store=path
    )
    ((cause, times),) = results.failures.items()
    assert (cause.encode(), times) == (b"a bug in raises: ValueError: half \xef\xbf\xbd a pair", 1)
    assert moot.report(path).figures["accuracy"] == results.figures["accuracy"]


def test_the_suite_refuses_a_verdict_that_a_run_would_refuse() -> None:
    @dataclass(frozen=True)
    class Half(Odd):
        name: ClassVar[str] = "half"

        async def play(self, question: Question, team: Any) -> Verdict:
            return replace(await super().play(question, team), reasoning="\ud800")

    with pytest.raises(AssertionError, match="a run would refuse this verdict: the reasoning holds half"):
        asyncio.run(check_strategy(Half()))


def oddly(parts: dict[str, Any]) -> Any:
    @dataclass(frozen=True)
    class Parts(Odd):
        name: ClassVar[str] = "odd-parts"

        async def oddity(self) -> Any:
            return Verdict(**{"answer": "A", "outcome": "answered", **parts})

    return Parts()
