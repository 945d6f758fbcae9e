"""Strategies held to their word in a run: who promises drafts and leaves none in its verdict.

Players are measured by the drafts of those who promise them, so without any the team's players, gains and skyline are
missing from the report, and nobody would know why. The verdicts stand: it is told, and no figure changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from moot.experiment.plan import Cell
from moot.types import Episode

Missing = Mapping[str, int]
"""By the strategy's label: episodes."""


def drafts_missing(cell: Cell, episode: Episode) -> bool:
    """Whether the verdict of a play has no drafts, although somebody was asked and its strategy's traits promise them."""
    verdict = episode.verdict
    return (
        cell.traits.drafts is not None and not verdict.answers and verdict.outcome != "failed" and bool(episode.calls)
    )


def all_missing(told: Iterable[Missing]) -> dict[str, int]:
    """Of all who played."""
    joined: dict[str, int] = {}
    for missing in told:
        for label, episodes in missing.items():
            joined[label] = joined.get(label, 0) + episodes
    return joined


def missing_words(missing: Missing) -> Iterator[str]:
    for label, episodes in missing.items():
        plays = "one episode" if episodes == 1 else f"{episodes} episodes"
        yield (
            f"{label}: its traits promise drafts, and in {plays} Verdict.answers is empty: players cannot be measured by"
            " these; expected answers=drafts in the verdict, or traits without drafts"
        )
