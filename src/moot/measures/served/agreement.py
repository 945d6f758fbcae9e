"""How much of a team stands behind the answer it gave: the share of the drafts that say it.

Nobody has to know what is right for it, so it is there for every question of a served team, and was there in the experiment.
Live and measured answers are compared in one way: as the play itself grouped the drafts, else by their words. What a run
looked up afterwards, to measure, is not asked: a served team has nothing like it.
"""

from __future__ import annotations

from moot.engine.match_record import equal_words
from moot.live.answered_question import LONG
from moot.measures.cells import Stored
from moot.measures.episodes import drafts_of
from moot.models.cut_out import was_cut
from moot.stats.departure import Ranged
from moot.traces import Grouped, not_waited_for, of_kind
from moot.types import Question, Verdict

ALONE = "a player alone has nobody to agree with"
NO_DRAFTS = "its players give no drafts alone"
NO_ANSWER = "nobody gave an answer"


def why_no_agreement(question: Question, cell: Stored) -> str | None:
    """Why there can be none; None: there can."""
    if question.is_long:
        return LONG
    if cell["player"] is not None:
        return ALONE
    return NO_DRAFTS if cell["traits"].drafts is None else None


def agreement(question: Question, cell: Stored, verdict: Verdict) -> Ranged | None:
    """Of those who said something. Whoever was not waited for may have agreed or not, and so may an answer that lost a part."""
    if verdict.answer is None or why_no_agreement(question, cell) is not None:
        return None
    said = {draft.player: draft.text for draft in drafts_of(cell, verdict) if draft.text is not None}
    if not said:
        return None
    same = set(equal_words(question, said.values(), verdict.answer))
    holders = {player for player, text in said.items() if text in same}
    grouped = next(iter(of_kind(verdict.traces, Grouped)), None)
    if grouped is not None and sorted(player for group in grouped.groups for player in group) == sorted(said):
        holders = {player for group in grouped.groups if holders & set(group) for player in group}
    unheard = len(set(not_waited_for(verdict.traces)) - said.keys())
    asked = len(said) + unheard
    if was_cut(verdict.answer):  # whoever gave it, and perhaps everybody
        return Ranged(len(set(verdict.who[:1]) & said.keys()) / asked, 1.0)
    cut = {player for player, text in said.items() if was_cut(text)} - holders
    return Ranged(len(holders) / asked, (len(holders) + len(cut) + unheard) / asked)
