"""What a team says whose time has run out: the vote of those who replied, or one of their texts, and why the others have not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from moot.grade.extract import EXTRACT
from moot.grade.group import Stages
from moot.models.limit import paused_s
from moot.models.model import Model
from moot.strategies.vote import Vote
from moot.team import Team
from moot.team.forms import AnswerForm, Unusable, read_reply
from moot.traces import Deadline, NoTwoAgreed
from moot.types import Answer, Call, Question, Verdict

SAID_WAIT_S = 0.1
"""A wait for a place that is worth a word."""


async def what_there_is(
    team: Team, question: Question, journal: Iterable[Call], deadline_s: float, waited_s: float
) -> Verdict:
    """The vote of those who replied in time; of long answers, which nobody compares, the captain's, or one drawn by lot."""
    drafts: dict[str, Answer] = {}
    names = [player.name for player in team.players]
    for call in journal:
        if call.reply is None or call.player not in names or call.stage == EXTRACT:
            continue  # whoever reads another's reply may have a seat too, but what it finds is not its own answer
        if question.is_long and call.request.schema is not None:
            continue  # a ballot, say: a long answer is free words
        if call.reply.refused:
            refused = Answer(call.player, None, outcome="refused", cause=call.reply.text[:300] or call.reply.finish)
            drafts.setdefault(call.player, refused)
            continue
        try:
            reply = read_reply(call.reply, AnswerForm(question)).value
        except Unusable:
            continue
        drafts[call.player] = Answer(call.player, reply.answer, reply.reasoning)
    late = {player.name: _late(player.model, deadline_s, waited_s) for player in team.players}
    answers = tuple(drafts.get(name) or Answer(name, None, outcome="unanswered", cause=late[name]) for name in names)
    grouping = await Stages().group(question, answers, team)
    verdict = Vote().decide(question, team, answers, grouping)
    counted = tuple(record for record in verdict.traces if not question.is_long or not isinstance(record, NoTwoAgreed))
    traces = (*counted, Deadline(deadline_s))
    if verdict.answer is None:
        return replace(verdict, traces=traces)
    heard = f"the time ran out; {len(drafts)} of {len(names)} had replied{_stands(question, team, verdict)}"
    return replace(verdict, outcome="undecided", cause=heard, traces=traces)


def _stands(question: Question, team: Team, verdict: Verdict) -> str:
    """What of theirs the answer is. Nobody votes on long answers; and where no two agreed, that is said already."""
    if question.is_long:
        author = verdict.who[0]
        return f", and this is the text of {author}{', the captain' if author == team.captain else ''}"
    return "" if verdict.note is not None else ", and this is their vote"


def _late(model: Model, deadline_s: float, waited_s: float) -> str:
    words = f"no reply within {deadline_s:g} s"
    if waited_s >= SAID_WAIT_S:
        words += f", of which {waited_s:.1f} s were the wait for a place"
    if left_s := paused_s(model):
        words += f": not asked, as its server wants a pause of another {left_s:,.0f} s"
    return words
