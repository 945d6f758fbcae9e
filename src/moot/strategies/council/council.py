"""Council: everybody drafts alone, everybody ranks the others' drafts, and a chairman writes, or the winner's draft stands.

The ranking is blind: no names, an order drawn for this reviewer and this question and written down, and never one's own
draft among those that one ranks. A ranking that cannot be used is absent, and is not filled in.

The chairman is the captain. It reads all drafts with the ranking and its points, its own unmarked among them. With
``final: winner`` the draft that is ranked highest is the answer as it is. A tie there goes by the captain's ranking if that
holds all who are tied, else by lot.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from moot.strategies.blind import masked
from moot.strategies.captaincy import Captained, absent, by_captain, counted_option, drafts_shown, nobody_answered
from moot.strategies.council.rankings import BORDA, Points, Ranking, RankingForm, check_rule, count_rankings
from moot.strategies.natives import LONG_DRAFT, shown_question
from moot.strategies.traits import CallBound, Traits
from moot.team import Player, Team
from moot.team.forms import AnswerForm
from moot.team.together import together
from moot.traces import Ballot, Counted, Remarked, Shown, Trace
from moot.types import Answer, Question, Verdict

RANKER, CHAIRMAN = "ranker", "chairman"
RANKED_IN, WRITTEN_IN = 2, 3
"""The turns."""
NOTHING_TO_RANK = "each had at most one draft to rank, so that nobody ranked and the ranking says nothing"


@dataclass(frozen=True, slots=True)
class RankedBy:
    """One reviewer's ranking."""

    reviewer: str
    order: tuple[int, ...]
    """The drafts, by number, in the order in which it saw them."""
    ranking: Ranking | None
    cause: str | None = None


@dataclass(frozen=True, slots=True)
class Council(Captained):
    """Drafts, rankings of the others', one answer."""

    name: ClassVar[str] = "council"

    rank: str = BORDA
    """How rankings are counted: `borda`, or any rule that takes orders which leave a draft out, such as `pref-voting:Schulze`."""
    final: Literal["chairman", "winner"] = "chairman"
    """Who has the last word: the captain, who writes it, or the draft that is ranked highest."""

    def __post_init__(self) -> None:
        check_rule(self.rank)

    @property
    def traits(self) -> Traits:
        led = self.final == "chairman"
        templates = ("rank", "chair") if led else ("rank",)
        return Traits(
            prompts=("draft", *templates),
            drafts="single-call",
            captain="leads" if led else "breaks-ties",
            word="captain" if led else "player",
            hears="reasons",
            names="hidden",
            asks="everybody",
            calls=CallBound(per_player=2, fixed=1 if led else 0),
            long_answers=(*LONG_DRAFT, *templates),
            final_stage="chair" if led else None,
        )

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return by_captain(team, self.captain, needed=self.final == "chairman")

    async def play(self, question: Question, team: Team) -> Verdict:
        drafts = await team.drafts(question)
        answered = [draft for draft in drafts if draft.text is not None]
        if not answered:
            return nobody_answered(drafts)
        rankings = await _rankings(question, team, answered)
        points = count_rankings(self.rank, [each.ranking for each in rankings], len(answered))
        traces = tuple(_records(question, answered, rankings, points))
        missing = {*absent(drafts), *(each.reviewer for each in rankings if each.ranking is None)}
        council = _Session(question, team, drafts, answered, points, traces, missing)
        return await _chairman(council) if self.final == "chairman" else _winner(council, rankings)


@dataclass(frozen=True, slots=True)
class _Session:
    """What is known when the drafts are ranked."""

    question: Question
    team: Team
    drafts: tuple[Answer, ...]
    answered: Sequence[Answer]
    points: Points
    traces: tuple[Trace, ...]
    missing: set[str]
    """Who gave no draft, or no usable ranking."""

    def absent(self, *who: str) -> tuple[str, ...]:
        return tuple(draft.player for draft in self.drafts if draft.player in self.missing and draft.player not in who)


async def _rankings(question: Question, team: Team, answered: Sequence[Answer]) -> list[RankedBy]:
    """Everybody who has two of the others' drafts to put in order, at the same time."""
    numbers = {
        player: [number for number, draft in enumerate(answered) if draft.player != player.name]
        for player in team.players
    }
    asked = (_ranked(question, team, player, answered, own) for player, own in numbers.items() if len(own) > 1)
    return await together(asked)


async def _ranked(
    question: Question, team: Team, player: Player, answered: Sequence[Answer], others: Sequence[int]
) -> RankedBy:
    order = tuple(team.random(question, "order", RANKER, player.name).sample(list(others), len(others)))
    prompt = team.prompts.beside(__file__).render(
        "rank", **shown_question(question), drafts=[_shown(question, team, answered[number]) for number in order]
    )
    heard = await team.ask(player, question, prompt, RankingForm(order), stage="rank", turn=RANKED_IN)
    return RankedBy(player.name, order, heard.value, heard.cause)


def _shown(question: Question, team: Team, draft: Answer) -> tuple[str, str]:
    """A draft without a name in it: of a short answer only the reasons can hold one."""
    text = draft.text or ""
    return masked(text, team) if question.is_long else text, masked(draft.reasoning, team)


def _records(
    question: Question, answered: Sequence[Answer], rankings: Sequence[RankedBy], points: Points
) -> Sequence[Trace]:
    """Who saw what in which order, what each said of it, and what that came to."""
    records: list[Trace] = []
    for each in rankings:
        first = None if each.ranking is None else (each.order.index(min(each.ranking, key=each.ranking.__getitem__)),)
        shown = drafts_shown([answered[number] for number in each.order])
        records.append(Shown(each.reviewer, RANKER, shown, turn=RANKED_IN, places=first))
        records.append(
            Ballot(
                each.reviewer,
                each.ranking,
                "ranking",
                each.order,
                turn=RANKED_IN,
                role=RANKER,
                cause=None if each.ranking is not None else each.cause,
            )
        )
    if not rankings:
        return [Remarked(NOTHING_TO_RANK)]
    options = tuple(counted_option(question, draft.text or "") for draft in answered)
    records.append(Counted(options, tuple(each or 0.0 for each in points.points), points.winners, RANKED_IN))
    return records


async def _chairman(council: _Session) -> Verdict:
    """The captain writes the answer. One who says nothing usable leaves the team without: the winner is not quietly taken."""
    team, question = council.team, council.question
    assert team.captain is not None, "line-ups have a captain"
    size = len(council.answered)
    order = team.random(question, "order", CHAIRMAN, team.captain).sample(range(size), size)
    places, points = council.points.places, council.points.points
    prompt = team.prompts.beside(__file__).render(
        "chair",
        **shown_question(question),
        ranked_drafts=[
            (*_shown(question, team, council.answered[number]), places[number], points[number]) for number in order
        ],
    )
    heard = await team.ask(team[team.captain], question, prompt, AnswerForm(question), stage="chair", turn=WRITTEN_IN)
    word = heard.value
    shown = drafts_shown([council.answered[number] for number in order])
    record = Shown(team.captain, CHAIRMAN, shown, turn=WRITTEN_IN, answer=word.answer if word else None)
    traces = (*council.traces, record)
    if word is None:
        cause = f"the chairman {team.captain} gave no answer: {heard.cause}"
        return Verdict(
            None,
            heard.outcome,
            answers=council.drafts,
            turns=WRITTEN_IN,
            absent=(*council.absent(team.captain), team.captain),
            cause=cause,
            traces=traces,
        )
    return Verdict(
        word.answer,
        "answered",
        reasoning=word.reasoning,
        who=(team.captain,),
        answers=council.drafts,
        turns=WRITTEN_IN,
        absent=council.absent(team.captain),
        traces=traces,
    )


def _winner(council: _Session, rankings: Sequence[RankedBy]) -> Verdict:
    """The draft that is ranked highest, as it is. Where nobody ranked anything the lot is only fallen back on."""
    team, tied = council.team, council.points.winners
    own = {each.reviewer: each.ranking for each in rankings}
    if not tied:
        tied = tuple(range(len(council.answered)))
    taken = tied[0] if len(tied) == 1 else _by_captain(own, team.captain, tied)
    if taken is None:
        taken = team.random(council.question, "tie").choice(tied)
    draft = council.answered[taken]
    decided = bool(council.points.winners) or len(council.answered) == 1
    return Verdict(
        draft.text,
        "answered" if decided else "undecided",
        reasoning=draft.reasoning,
        who=(draft.player,),
        answers=council.drafts,
        turns=RANKED_IN if rankings else 1,
        absent=council.absent(draft.player),
        cause=None if decided else "there is no usable ranking, so that a draft was drawn by lot",
        traces=council.traces,
    )


def _by_captain(own: Mapping[str, Ranking | None], captain: str | None, tied: Sequence[int]) -> int | None:
    """The first of the tied in the captain's ranking, where it holds them all: its own draft it has not ranked."""
    ranking = own.get(captain or "")
    if ranking is None or not all(number in ranking for number in tied):
        return None
    return min(tied, key=lambda number: ranking[number])
