"""Sides of a comparison: like is compared with like, and no cell has a louder voice for being played oftener."""

from __future__ import annotations

from typing import Any

import pytest

from moot.measures.cells import Stored
from moot.measures.episodes import EpisodeOutline
from moot.measures.sides import partners, side_of
from moot.strategies.traits import Traits


def cell(label: str, **who: str) -> Stored:
    seat = {key: who.get(key) for key in ("captain", "player", "cohort")}
    team = None if "player" in who else "three"
    made: Any = {"id": f"{label}{sorted(who.items())}", "strategy": label, "label": label, "team": team, **seat}
    return Stored(**made, spec="{}", given={}, options={}, traits=Traits())


def named(pairs: list[tuple[Stored, Stored]]) -> set[tuple[str | None, ...]]:
    whose = [(one["player"] or one["captain"] or one["cohort"]) for pair in pairs for one in pair]
    return set(zip(whose[::2], whose[1::2], strict=True))


VOTE, TALK, ALONE = (
    [cell(label, **{seat: name}) for name in ("ann", "bob")]
    for label, seat in (("vote", "captain"), ("talk", "captain"), ("solo", "player"))
)
TABLES, OTHERS = ([cell(label, cohort=name) for name in ("open", "closed")] for label in ("vote", "discuss"))


@pytest.mark.parametrize(
    ("one", "other", "pairs"),
    [
        (VOTE, TALK, {("ann", "ann"), ("bob", "bob")}),
        (VOTE, ALONE, {("ann", "ann"), ("bob", "bob")}),
        (TABLES, OTHERS, {("open", "open"), ("closed", "closed")}),
        (VOTE, ALONE[:1], {("ann", "ann"), ("bob", "ann")}),
        (ALONE[:1], VOTE, {("ann", "ann"), ("ann", "bob")}),
        (VOTE, OTHERS, {(one, other) for one in ("ann", "bob") for other in ("open", "closed")}),
    ],
    ids=["captains", "captains and themselves", "cohorts", "with one", "one with", "nobody on both sides"],
)
def test_who_is_compared_with_whom(one: list[Stored], other: list[Stored], pairs: set[tuple[str, str]]) -> None:
    assert named(partners(one, other)) == pairs


class Played:
    """So many episodes of each cell on one question, each with its number of calls and its price."""

    def __init__(self, calls: dict[str, list[int]]) -> None:
        self._calls = calls

    def seen(self, of: Stored) -> list[EpisodeOutline]:
        return [
            EpisodeOutline(
                of, ("q", 0), 0, 1.0, "answered", "match", None, 0.0, tuple(f"{number}" for number in range(n))
            )
            for n in self._calls[of["captain"] or ""]
        ]

    def paid_usd(self, episodes: list[EpisodeOutline]) -> list[float]:
        return [float(len(episode.calls)) for episode in episodes]


def test_a_cell_that_was_played_oftener_has_no_louder_voice() -> None:
    """Under ann 2 calls, three times; under bob 6, once: 4 on the mean, and not 3."""
    source: Any = Played({"ann": [2, 2, 2], "bob": [6]})
    side = side_of(source, VOTE, "vote")
    assert (side.calls, side.cost_usd) == ({"q": 4.0}, {"q": 4.0})
