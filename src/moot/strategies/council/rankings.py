"""Rankings as ballots: every reviewer has put the others' drafts in order, and never its own.

So no two ballots need be about the same drafts. Under `borda` each draft has the mean of what the rankings that hold it
give: 1 for the first place, 0 for the last, evenly between. A sum would favour whoever's own ranking is missing, for all
others would lose a ranking by that. Other rules get ballots on which a reviewer's own draft has no place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, ClassVar

from moot.ballots import LIBRARY, Rule, counted, registered, rule
from moot.ballots.tally import most
from moot.errors import UsageError
from moot.strategies.discuss.paper import kind_of
from moot.team.forms import Unusable, object_schema

BORDA = "borda"
_NOT_OF_RANKINGS = ("solution-counting", "ranked-voting")
"""One has no ballots at all; the other is Borda's sum over ballots of at most five places."""

Ranking = Mapping[int, float]
"""By the number of a draft: its place, from 1 on."""


@dataclass(frozen=True, slots=True)
class Points:
    """What the rankings came to."""

    points: tuple[float | None, ...]
    """Of each draft; None: no ranking holds it."""
    winners: tuple[int, ...]
    """All that are ahead; none: nobody ranked anything."""

    @property
    def places(self) -> tuple[int | None, ...]:
        """Each draft's place by its points; those that are equal share one."""
        given = [each for each in self.points if each is not None]
        return tuple(None if each is None else 1 + sum(other > each for other in given) for each in self.points)


def check_rule(name: str) -> None:
    """Whether a rule takes orders that leave a draft out, as those of a council do; else a complaint with those that do."""
    if name == BORDA:
        return
    known = ", ".join((BORDA, *_brought(), f"{LIBRARY}RULE"))
    if name in _NOT_OF_RANKINGS or (name in registered() and kind_of(rule(name)) != "ranking"):
        raise UsageError(f"rank: {name} does not count such rankings; expected one of {known}")
    if name not in registered() and not name.startswith(LIBRARY):
        raise UsageError(f"rank: {name!r} is unknown; expected one of {known}")
    if (problem := rule(name).problem({0: 1, 1: 2}, 3)) is not None:
        why = "nobody ranks its own draft, and this rule needs every draft on every ballot"
        raise UsageError(f"rank: {name}: {why} ({problem}); expected one of {known}")


def _brought() -> list[str]:
    """Rules of other packages that count orders."""
    from moot.ballots import BUILT_IN

    return [name for name in sorted(registered()) if name not in BUILT_IN and kind_of(rule(name)) == "ranking"]


def count_rankings(name: str, rankings: Sequence[Ranking | None], drafts: int) -> Points:
    """What these rankings give to so many drafts. One that is missing gives nothing, to nobody."""
    if name == BORDA:
        return _borda([ranking for ranking in rankings if ranking], drafts)
    by: Rule = rule(name)
    tally = counted(by, rankings, drafts)
    return Points(tally.points if tally.spoilt < tally.voters else (None,) * drafts, tally.winners)


def _borda(rankings: Sequence[Ranking], drafts: int) -> Points:
    given: list[list[float]] = [[] for _ in range(drafts)]
    for ranking in rankings:
        for draft, place in ranking.items():
            given[draft].append((len(ranking) - place) / (len(ranking) - 1))
    points = tuple(fmean(own) if own else None for own in given)
    # One point more for all: a draft that is last on every ballot has nothing, and may be the only one ranked.
    ahead = most([0.0 if each is None else each + 1.0 for each in points])
    return Points(points, ahead)


@dataclass(frozen=True, slots=True)
class RankingForm:
    """``{"ranking": [2, 1, 3]}``: every number that is shown, once, the best first."""

    letters: ClassVar[str] = ""
    order: tuple[int, ...]
    """The drafts as this reviewer sees them."""

    @property
    def schema(self) -> Mapping[str, Any]:
        size = len(self.order)
        number = {"type": "integer", "minimum": 1, "maximum": size}
        ranking = {"type": "array", "items": number, "minItems": size, "maxItems": size}  # what strict servers know
        return object_schema({"ranking": ranking})

    def read(self, data: Mapping[str, Any]) -> Ranking:
        written = data.get("ranking")
        if not isinstance(written, list):
            raise Unusable("no-field")
        numbers = [int(item) if isinstance(item, str) and item.strip() in self._numbers else item for item in written]
        if not all(type(number) is int for number in numbers) or sorted(numbers) != self._all:
            raise Unusable("no-ballot")
        return {self.order[number - 1]: float(place) for place, number in enumerate(numbers, start=1)}

    @property
    def _all(self) -> list[int]:
        return list(range(1, len(self.order) + 1))

    @property
    def _numbers(self) -> set[str]:
        return set(map(str, self._all))
