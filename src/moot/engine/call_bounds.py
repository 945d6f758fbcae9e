"""Strategies held to their word in a run: who made more calls than it declared.

A bound is what an estimate went by, so a broken one must be known; but what was answered was answered and paid for. It
is told, and no figure changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from moot.experiment.plan import Cell
from moot.grade.extract import EXTRACT
from moot.grade.group import GROUPING
from moot.types import Call, Episode

COUNTED_APART = (EXTRACT, GROUPING)
"""Asked on a strategy's behalf, as often as replies want it: no part of a bound."""


@dataclass(frozen=True, slots=True)
class ExceededBound:
    """What a strategy declared for one question, and what it took where it took more."""

    declared: int
    made: int
    """The most of any question."""
    episodes: int = 1

    def __add__(self, other: ExceededBound) -> ExceededBound:
        return ExceededBound(
            max(self.declared, other.declared), max(self.made, other.made), self.episodes + other.episodes
        )


def strategy_calls(calls: Iterable[Call]) -> int:
    """Usable replies to what the strategy itself asked."""
    return sum(call.usable and call.stage not in COUNTED_APART for call in calls)


def declared_calls(cell: Cell) -> int | None:
    """The most that one question may take by the strategy's own word; None where it gave none."""
    bound = cell.traits.calls
    return None if bound is None else bound.at_most(len(cell.team.players))


def exceeded_by(cell: Cell, episode: Episode) -> ExceededBound | None:
    declared = declared_calls(cell)
    if declared is None or len(episode.calls) <= declared:  # no need to look which of them count
        return None
    made = strategy_calls(episode.calls)
    return None if made <= declared else ExceededBound(declared, made)


def together(told: Iterable[Mapping[str, ExceededBound]]) -> dict[str, ExceededBound]:
    """Of all who played: by the strategy's label."""
    joined: dict[str, ExceededBound] = {}
    for exceeded in told:
        for label, bound in exceeded.items():
            joined[label] = joined[label] + bound if label in joined else bound
    return joined


def exceeded_words(exceeded: Mapping[str, ExceededBound]) -> Iterator[str]:
    for label, bound in exceeded.items():
        yield (
            f"{label}: declared at most {bound.declared} calls a question and made up to {bound.made},"
            f" in {bound.episodes} episodes; estimates went by the lower number"
        )
