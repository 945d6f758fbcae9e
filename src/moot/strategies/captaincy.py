"""What strategies with a captain share: who is captain, and what a captain is shown.

Answers are shown without names, each in a block of its own, in an order drawn for this captain and this question and
written down, so that the effect of position can be measured. Reasons are shown with the names in them masked. So are long
answers, whose reasons stand in them: the captain writes its own from them, and nothing is copied with a hole in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from moot.errors import UsageError
from moot.strategies.blind import masked
from moot.strategies.natives import long_question, shown_question
from moot.team import Team
from moot.team.forms import AnswerForm
from moot.traces import Shown
from moot.types import Answer, Question, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Captained:
    """The option of every strategy whose line-ups have a captain, who leads, breaks ties, or reviews."""

    captain: str | None = None
    """A player's name, or `each`: a line-up for everybody. Left out: as the team says."""


def by_captain(team: Team, captain: str | None = None, *, needed: bool = True) -> tuple[Team, ...]:
    """A line-up for every captain that the team may have, or for the one that the strategy names.

    A captain leads its own cohort: those of another are no part of its line-up.
    """
    if len(tables := team.tables()) > 1:
        return tuple(lineup for table in tables for lineup in by_captain(table, captain, needed=needed))
    (team,) = tables
    wanted = team.captain if captain is None else captain
    if wanted is None and needed:
        where = f"teams: {{{team.name}: {{players: [...], captain: each}}}}"
        raise UsageError(f"team {team.name!r} has no captain; expected captain: each or captain: NAME, as in {where}")
    if wanted == "each":
        return tuple(replace(team, captain=player.name) for player in team.players)
    if any(wanted in members for cohort, members in team.cohorts.items() if cohort != team.cohort):
        return ()  # captain at another table
    if wanted is not None and wanted not in [player.name for player in team.players]:  # anything may stand in a file
        names = ", ".join(player.name for player in team.players)
        raise UsageError(f"captain {wanted!r} is not in team {team.name!r}; expected each or one of {names}")
    return (replace(team, captain=wanted),)


def absent(drafts: Sequence[Answer]) -> tuple[str, ...]:
    return tuple(draft.player for draft in drafts if draft.text is None)


def nobody_answered(drafts: Sequence[Answer]) -> Verdict:
    """Nothing to decide on. The worst of the reasons is the outcome: an outage is not a lack of knowledge."""
    outcomes = {draft.outcome for draft in drafts}
    outcome = next(reason for reason in ("failed", "refused", "unanswered") if reason in outcomes)
    players: dict[str | None, list[str]] = {}
    for draft in drafts:
        players.setdefault(draft.cause, []).append(draft.player)
    causes = "; ".join(
        f"{', '.join(names)}: {cause}" for cause, names in players.items()
    )  # what all have met is said once
    return Verdict(None, outcome, answers=tuple(drafts), absent=absent(drafts), cause=f"nobody answered ({causes})")


async def captain_decides(question: Question, team: Team, drafts: Sequence[Answer], *, reasons: bool) -> Verdict:
    """The captain reads the answers, with or without the reasons, and gives the team's word.

    A captain who says nothing usable leaves the team without an answer: the vote is not quietly taken instead.
    """
    assert team.captain is not None, "line-ups have a captain"
    answered = [draft for draft in drafts if draft.text is not None]
    if not answered:
        return nobody_answered(drafts)
    order = team.random(question, "order", team.captain).sample(answered, len(answered))
    stage = "talkative" if reasons else "silent"
    if question.is_long:
        texts = [masked(draft.text or "", team) for draft in order]
        prompt = team.prompts.render("captain-text", **long_question(question), texts=texts)
    else:
        answers = [(draft.text, masked(draft.reasoning, team) if reasons else None) for draft in order]
        prompt = team.prompts.render("captain", **shown_question(question), answers=answers)
    examples = () if question.is_long else team.prompts.examples("captain")
    form = AnswerForm(question)
    heard = await team.ask(team[team.captain], question, prompt, form, stage=stage, turn=2, examples=examples)
    word = heard.value
    record = Shown(team.captain, "captain", drafts_shown(order), turn=2, answer=word.answer if word else None)
    if word is None:
        cause = f"the captain {team.captain} gave no answer: {heard.cause}"
        return Verdict(
            None, heard.outcome, answers=tuple(drafts), turns=2, absent=absent(drafts), cause=cause, traces=(record,)
        )
    return Verdict(
        word.answer,
        "answered",
        reasoning=word.reasoning,
        who=(team.captain,),
        answers=tuple(drafts),
        turns=2,
        absent=tuple(name for name in absent(drafts) if name != team.captain),
        traces=(record,),
    )


def drafts_shown(order: Sequence[Answer]) -> tuple[tuple[str, ...], ...]:
    """Drafts in an order, for the record: each stands for the one player who wrote it."""
    return tuple((draft.player,) for draft in order)


LONGEST_OPTION = 80
"""Characters of a long answer in the record of a count: it stands whole among the answers."""


def counted_option(question: Question, text: str) -> str:
    """An option in the words in which it is counted; of a long answer, how it begins."""
    plain = " ".join(text.split()) if question.is_long else text
    return f"{plain[: LONGEST_OPTION - 1]}…" if question.is_long and len(plain) > LONGEST_OPTION else text
