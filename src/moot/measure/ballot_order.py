"""Position bias: whether what stands first on a ballot paper is chosen more often than chance would have it.

Each voter's paper has an order of its own, so without a bias the option shown first is everybody's favourite in one of
n cases. Questions are the unit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from moot.measure.discussion import between_bounds
from moot.measure.paired import FEW_QUESTIONS, bootstrap_share, cluster_bootstrap
from moot.measure.quiz import estimate_row

Kind = Literal["choice", "ranking", "points", "approved"]


@dataclass(frozen=True, slots=True)
class Paper:
    """A ballot as it was shown and filled in. `choice` None: spoilt."""

    question: str
    order: Sequence[int]
    choice: Mapping[int, float] | None
    kind: Kind = "choice"

    @property
    def favourites(self) -> tuple[int, ...]:
        """What the voter likes best: what it ranks first, gives most points to, or approves of; several share the vote."""
        if not self.choice:
            return ()
        best = min(self.choice.values()) if self.kind == "ranking" else max(self.choice.values())
        return tuple(option for option, value in self.choice.items() if value == best)


def first_shown(papers: Iterable[Paper], *, seed: int = 0) -> dict[str, Any] | None:
    """How often the first option shown is the favourite, beside what chance gives; None without a ballot to count.

    Spoilt ballots and those that favour nobody are counted and are neither.
    """
    chosen: dict[str, list[tuple[float, float]]] = {}
    spoilt = empty = 0
    for paper in papers:
        favourites = paper.favourites
        if paper.choice is None:
            spoilt += 1
        elif not favourites:
            empty += 1
        else:
            share = (paper.order[0] in favourites) / len(favourites)
            chosen.setdefault(paper.question, []).append((share, 1 / len(paper.order)))
    ballots = sum(map(len, chosen.values()))
    if not ballots:
        return None
    firsts = [(sum(share for share, _ in each), float(len(each))) for each in chosen.values()]
    excess = [(sum(share - chance for share, chance in each), float(len(each))) for each in chosen.values()]
    difference = between_bounds(cluster_bootstrap(excess, seed=seed))
    assert difference is not None, "there are ballots"
    return {
        **estimate_row(bootstrap_share(firsts, seed=seed), "first"),
        "chance": sum(chance for each in chosen.values() for _, chance in each) / ballots,
        "difference": difference.value,
        "difference_low": difference.low,
        "difference_high": difference.high,
        "ballots": ballots,
        "spoilt": spoilt,
        "empty": empty,
        "small": len(chosen) < FEW_QUESTIONS,
    }
