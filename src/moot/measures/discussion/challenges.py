"""The challenge rounds of a cell, graded: what each agent was shown, and what it would say instead."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from moot.measures.discussion.challenge import Objection, challenges
from moot.measures.source import Source
from moot.strategies.discuss.challenge import PLANTED

RIGHT = 0.5
"""A planted answer that scores as much is no wrong answer."""


@dataclass(frozen=True, slots=True)
class Round:
    """One episode's round: its question, the score of the team's own answer, and what was written down."""

    question: str
    right: float | None
    notes: Mapping[str, Any]


def challenge_rows(
    source: Source, setting: str, rounds: Sequence[Round], named: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    """One row a cell. Planted answers that turned out right, or that nobody could grade, have rows of their own."""
    parts: dict[str, list[Round]] = {}
    for each in rounds:
        parts.setdefault(_part(source, each), []).append(each)
    for part in ("shown", "planted", "planted, but right", "planted, ungraded"):
        if own := parts.get(part):
            found = challenges(list(_objections(source, own)), seed=source.seed)
            held = sum(bool(each.notes["replies"]) for each in own)
            yield {**named, "setting": setting, "part": part, **found, "held": held, "not_held": len(own) - held}


def _part(source: Source, each: Round) -> str:
    if each.notes["setting"] not in PLANTED:
        return "shown"
    if each.notes.get("planted") is None:
        return "planted"
    value = _before(source, each)
    return "planted, ungraded" if value is None else "planted, but right" if value >= RIGHT else "planted"


def _before(source: Source, each: Round) -> float | None:
    """The score of what was shown: the team's own has been graded already."""
    planted = each.notes.get("planted")
    return each.right if planted is None else source.grade(source.cases[each.question], planted)


def _objections(source: Source, rounds: Iterable[Round]) -> Iterator[Objection]:
    for each in rounds:
        before, case = _before(source, each), source.cases[each.question]
        for reply in each.notes["replies"]:
            new = reply["answer"]
            after = None if new is None else source.grade(case, new)
            yield Objection(each.question, reply["agree"], before, after, answered=new is not None)
