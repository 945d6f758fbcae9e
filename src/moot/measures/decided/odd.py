"""What is odd about the players of a rule over drafts, as `moot fit` tells it: always right, mostly silent, all alike."""

from __future__ import annotations

import numpy as np

from moot.decide.candidates import candidates_by_name
from moot.decide.odd_players import odd_players
from moot.measures.cells import Stored
from moot.measures.episodes import drafts_of
from moot.measures.source import Source
from moot.traces import Cascaded, Grouped, of_kind


def odd_in_words(source: Source, cell: Stored) -> list[str]:
    """By the first play of each question. Nothing of a cascade: who was not asked is not silent."""
    players: dict[str, None] = {}
    groups, rights = {}, {}
    for episode in source.episodes(cell):
        traces = episode.verdict.traces
        if of_kind(traces, Cascaded):
            return []
        grouped = of_kind(traces, Grouped)
        if not grouped or episode.question in groups:
            continue
        drafts = drafts_of(cell, episode.verdict)
        players |= dict.fromkeys(draft.player for draft in drafts)
        groups[episode.question] = grouped[0].groups
        case = source.cases[episode.question]
        rights[episode.question] = {draft.player: source.graded(case, draft.text)[0] for draft in drafts}
    candidates = candidates_by_name(list(players), list(groups.values()), list(rights.values()))
    settled = np.flatnonzero(candidates.settled)
    return list(odd_players(candidates.graded(settled))) if len(settled) else []
