"""What an option may be worth on questions of which a play lacks calls, once these are made: anything, for all that is known.

A run that is called again asks again for what could not be reached, and a recording may be completed. Until then such a play
counts as it ended; a bound that is to hold "whichever it turns out to be" takes it at its worst and at its best. In served
traffic nobody asks again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from moot.measures.episodes import EpisodeOutline
from moot.measures.sides import SideResults
from moot.measures.source import Source
from moot.stats.mean import mean

LeastAndMost = tuple[float, float]


def may_come(source: Source, side: SideResults) -> Mapping[str, LeastAndMost]:
    """By question, at the least and at the most; only where some call is missing."""
    if source.served or not side.cut:
        return {}
    plays: dict[str, dict[str, list[LeastAndMost]]] = {}
    missing: set[str] = set()
    for cell in side.cells:
        for episode in source.seen(cell):
            question = episode.key[0]
            if question in side.cut:
                plays.setdefault(question, {}).setdefault(cell["id"], []).append(_ends(episode))
                missing |= {question} if _may_be_completed(episode) else set()
    return {question: _mean_ends([_mean_ends(several) for several in plays[question].values()]) for question in missing}


def _may_be_completed(episode: EpisodeOutline) -> bool:
    return bool(episode.unreached) or episode.lacks_calls


def _ends(episode: EpisodeOutline) -> LeastAndMost:
    if _may_be_completed(episode):
        return 0.0, 1.0
    return episode.value.least, episode.value.most


def _mean_ends(several: Sequence[LeastAndMost]) -> LeastAndMost:
    return mean([least for least, _ in several]), mean([most for _, most in several])
