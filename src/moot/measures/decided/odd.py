"""What is odd about the players of a rule over drafts, as `moot fit` tells it: always right, mostly silent, all alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from moot.ballots.cut_voices import cut_players
from moot.decide.candidates import candidates_by_name
from moot.decide.odd_players import odd_players
from moot.later import numpy as np
from moot.measures.cells import Stored
from moot.measures.episodes import drafts_of
from moot.measures.source import Source
from moot.stats.counted_words import count
from moot.traces import Cascaded, Grouped, of_kind

LEFT_OUT = "what is odd leaves out what is not, and takes it for wrong beside an answer that is right"


@dataclass(frozen=True, slots=True)
class OddPlayers:
    """What is odd, and of how many of the questions that it is told by not every answer is graded."""

    words: tuple[str, ...] = ()
    waiting: int = 0
    grouped: int = 0

    def row(self) -> dict[str, Any]:
        """In the names of the report. What is not graded may make others odd, or none, and that is said."""
        if not self.waiting:
            return {"odd": list(self.words)}
        why = f"not every answer to {self.waiting:,} of {count(self.grouped, 'question')} is graded: {LEFT_OUT}"
        return {"odd": list(self.words), "why": why}


def odd_among(source: Source, cell: Stored) -> OddPlayers:
    """By the first play of each question. Nothing of a cascade: who was not asked is not silent."""
    players: dict[str, None] = {}
    groups, rights = {}, {}
    for episode in source.episodes(cell):
        traces = episode.verdict.traces
        if of_kind(traces, Cascaded):
            return OddPlayers()
        grouped = of_kind(traces, Grouped)
        if not grouped or episode.question in groups:
            continue
        drafts = drafts_of(cell, episode.verdict)
        if cut_players(drafts):
            continue  # who agrees with whom is not known
        players |= dict.fromkeys(draft.player for draft in drafts)
        groups[episode.question] = grouped[0].groups
        case = source.cases[episode.question]
        rights[episode.question] = {draft.player: source.graded(case, draft.text)[0] for draft in drafts}
    candidates = candidates_by_name(sorted(players), list(groups.values()), list(rights.values()))
    settled = np.flatnonzero(candidates.settled)
    words = tuple(odd_players(candidates.graded(settled))) if len(settled) else ()
    return OddPlayers(words, int(candidates.waiting.sum()), len(groups))
