"""The challenge rounds of a cell, graded: what each agent was shown, and what it would say instead."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from moot import traces
from moot.measures.discussion.challenge_rates import GradedObjection, challenges
from moot.measures.source import Source
from moot.stats.graded import WayOfGrading

PLANTED: Mapping[float | None, str] = {None: "planted, ungraded", 0.0: "planted", 1.0: "planted, but right"}
"""What a planted answer turned out to be, by its score; one between these was neither wrong nor right."""
IN_PART = "planted, right in part"


@dataclass(frozen=True, slots=True)
class ChallengeRound:
    """One episode's round: its question, the score of the team's own answer, what was put to the agents, what they said."""

    question: str
    right: float | None
    way: WayOfGrading
    """How the team's own answer came by its grade."""
    put: traces.Challenge
    objections: tuple[traces.Objection, ...] = ()


def challenge_rows(
    source: Source, rounds: Sequence[ChallengeRound], named: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    """One row a cell and setting. Planted answers that turned out right, or right in part, or that nobody could grade, have
    rows of their own."""
    for setting in dict.fromkeys(held.put.setting for held in rounds):
        setting_rounds = [held for held in rounds if held.put.setting == setting]
        yield from _setting_rows(source, setting, setting_rounds, named)


def _setting_rows(
    source: Source, setting: str, rounds: Sequence[ChallengeRound], named: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    planted = any(held.put.planted is not None for held in rounds)
    parts: dict[str, list[ChallengeRound]] = {}
    for held in rounds:
        parts.setdefault(_part(source, held, planted), []).append(held)
    for part in ("shown", PLANTED[0.0], PLANTED[1.0], IN_PART, PLANTED[None]):
        if part_rounds := parts.get(part):
            counted = challenges(list(_objections(source, part_rounds)))
            there = sum(bool(held.objections) for held in part_rounds)
            yield {
                **named,
                "setting": setting,
                "part": part,
                **counted,
                "held": there,
                "not_held": len(part_rounds) - there,
            }


def _part(source: Source, held: ChallengeRound, planted: bool) -> str:
    """`planted`: in this setting answers are planted, also where once there was none to plant."""
    if not planted:
        return "shown"
    if held.put.planted is None:
        return PLANTED[0.0]
    return PLANTED.get(_before(source, held)[0], IN_PART)


def _before(source: Source, held: ChallengeRound) -> tuple[float | None, WayOfGrading]:
    """The score of what was shown: the team's own has been graded already."""
    planted = held.put.planted
    return (held.right, held.way) if planted is None else source.graded(source.cases[held.question], planted)


def _objections(source: Source, rounds: Iterable[ChallengeRound]) -> Iterator[GradedObjection]:
    for held in rounds:
        (before, way), case = _before(source, held), source.cases[held.question]
        for word in held.objections:
            after, after_way = source.graded(case, word.answer)
            yield GradedObjection(
                held.question,
                word.agree,
                before,
                None if word.answer is None else after,
                answered=word.answer is not None,
                ways=(way, after_way),
            )
