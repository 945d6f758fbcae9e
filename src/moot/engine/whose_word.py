"""Whose draft it is that a verdict says, while it is played: what tells how sure a captain's word is hangs on it.

It is found as a measurement finds it, by the very same calls, so in a run nobody is asked anew: words that equal a draft need
nobody, every other one is asked about beside one draft of each group.
"""

from __future__ import annotations

from moot.decide.how_sure import WhoseWord
from moot.engine.match_record import equal_words, texts_of
from moot.engine.matching import DraftSet, Learnt, group_drafts, match_word
from moot.experiment.plan import Cell
from moot.grade.group import Stages
from moot.models.cut_out import was_cut
from moot.team import Team
from moot.traces import Grouped, of_kind
from moot.types import Answer, Case, Question, Verdict


async def whose_word(cell: Cell, question: Question, team: Team, verdict: Verdict, *, watched: bool) -> WhoseWord:
    """`watched`: somebody follows the calls, and pays for these too; in a run they are a measurement."""
    drafts = [draft for draft in verdict.answers if draft.text is not None]
    table = team.seated(cell.traits.drafts_repeat(team.repeat))
    grouped = of_kind(verdict.traces, Grouped)
    groups = grouped[0].groups if grouped else (await table.group(question, drafts)).groups
    holders: tuple[str, ...] | None = verdict.who
    if cell.traits.word not in ("group", "player"):
        holders = await _holders(question, table, drafts, verdict.answer or "")
    if watched:
        team.journal.extend(table.journal)
    return WhoseWord(groups, holders)


async def _holders(question: Question, table: Team, drafts: list[Answer], word: str) -> tuple[str, ...] | None:
    """Who had drafted this; None: nobody could tell."""
    said = texts_of(drafts)
    if any(map(was_cut, (*said, word))):
        return None
    texts, grouper = tuple(dict.fromkeys(said)), table.grouper
    same: list[str] | None = equal_words(question, texts, word)
    if not same and texts and question.kind == "open" and isinstance(grouper, Stages) and grouper.tells_meanings:
        about, asked = Learnt(), DraftSet(Case(question, None, known=False), table.repeat, table, texts, (word,))
        await match_word(asked, await group_drafts(asked, table, grouper, about), word, table, grouper, about)
        same = about.same.get(word)
    return None if same is None else tuple(draft.player for draft in drafts if draft.text in same)
