"""Vote: everybody drafts alone, answers that mean the same are one group, the largest group wins.

A tie goes to the captain's group if it is among the tied, else to one of them by lot. So the result depends on who is
captain, at no extra call: the drafts are the same.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from moot.ballots.cut_voices import VoteGroups, cut_players, hangs_on_cut
from moot.ballots.plurality import plurality
from moot.errors import BudgetReached
from moot.models.cut_out import was_cut
from moot.strategies.captaincy import Captained, absent, by_captain, counted_option, nobody_answered
from moot.strategies.natives import LONG_DRAFT
from moot.strategies.traits import CallBound, Traits
from moot.team import Team
from moot.team.together import dropped, heard_out
from moot.traces import Ballot, Counted, HangsOnCut, NotNeeded, NoTwoAgreed, Trace
from moot.types import Answer, Grouping, Question, Verdict


@dataclass(frozen=True, slots=True)
class Vote(Captained):
    """The largest group of answers."""

    name: ClassVar[str] = "vote"
    traits: ClassVar[Traits] = Traits(
        prompts=("draft",),
        drafts="single-call",
        captain="breaks-ties",
        word="group",
        hears="nothing",
        groups=True,
        asks="nobody",
        served={"early_stop": True},
        calls=CallBound(per_player=1),
        long_answers=LONG_DRAFT,
    )

    early_stop: bool = False
    """Drop the calls that are still out once no reply could change the winner; on when a team is served."""

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return by_captain(team, self.captain, needed=False)

    async def play(self, question: Question, team: Team) -> Verdict:
        if not self.early_stop:
            drafts = await team.drafts(question)
            return self.decide(question, team, drafts, await team.group(question, drafts))
        names = [player.name for player in team.players]
        heard = await heard_until_settled(question, team)
        drafts = with_spared(heard, names)
        spared = [name for name in names if name not in heard]
        return self.decide(question, team, drafts, await team.group(question, drafts), spared)

    def decide(
        self,
        question: Question,
        team: Team,
        drafts: Sequence[Answer],
        grouping: Grouping,
        spared: Collection[str] = (),
    ) -> Verdict:
        """`spared`: who was not waited for."""
        if not grouping.groups:
            return nobody_answered(drafts)
        points = [len(group) for group in grouping.groups]
        return verdict_of_groups(question, team, drafts, grouping, most_voices, points, spared)


Ahead = Callable[[VoteGroups], VoteGroups]
"""Which of several groups a rule takes: nobody's where it would ask on."""


def most_voices(groups: VoteGroups) -> VoteGroups:
    """The largest."""
    return plurality(group for group in groups for _ in group)


def verdict_of_groups(
    question: Question,
    team: Team,
    drafts: Sequence[Answer],
    grouping: Grouping,
    ahead: Ahead,
    points: Sequence[float],
    spared: Collection[str] = (),
) -> Verdict:
    """The word of one of the groups that are ahead: the captain's if it is among them, else one by lot.

    `ahead`: tells them. `points`: what each group of the grouping has behind it. `spared`: who was not waited for, or not
    asked, since nothing that they could say would have changed it.
    """
    tied = ahead(grouping.groups)
    winners = _of_tied(question, team, tied)
    assert winners is not None, "whoever decides has asked everybody it wants to hear"
    members = [draft for draft in drafts if draft.player in winners]
    wording = _wording(members, team.captain)
    further: list[Trace] = [NotNeeded(tuple(spared))] if spared else []
    cut = cut_players(drafts)
    if hangs_on_cut(grouping.groups, cut, lambda groups: _of_tied(question, team, ahead(groups))):
        further.append(HangsOnCut(tuple(draft.player for draft in drafts if draft.player in cut)))
    elif len(tied) == len(grouping.players) > 1:
        further.append(NoTwoAgreed(wording.player, "captain" if team.captain in winners else "lot", question.is_long))
    return Verdict(
        wording.text,
        "answered",
        reasoning=wording.reasoning,
        who=tuple(member.player for member in members),
        answers=tuple(drafts),
        absent=tuple(name for name in absent(drafts) if name not in spared),
        traces=(*_count(question, drafts, grouping, tied, points), *further),
    )


def _of_tied(question: Question, team: Team, tied: VoteGroups) -> tuple[str, ...] | None:
    """Which of them has it."""
    if len(tied) < 2:
        return tied[0] if tied else None
    captains_group = next((group for group in tied if team.captain in group), None)
    return captains_group or team.random(question, "tie").choice(tied)


def _count(
    question: Question,
    drafts: Sequence[Answer],
    grouping: Grouping,
    tied: VoteGroups,
    points: Sequence[float],
) -> Iterator[Trace]:
    """The drafts as ballots: everybody votes for its own group."""
    yield grouping.trace()
    for number, group in enumerate(grouping.groups):
        yield from (Ballot(player, {number: 1.0}, turn=1, redrawn=False) for player in group)
    words = {draft.player: counted_option(question, draft.text or "") for draft in drafts}
    winners = tuple(number for number, group in enumerate(grouping.groups) if group in tied)
    yield Counted(tuple(words[group[0]] for group in grouping.groups), tuple(map(float, points)), winners)


def with_spared(heard: Mapping[str, Answer], names: Sequence[str]) -> tuple[Answer, ...]:
    """A draft for everybody: without an answer of those who are not among the heard."""
    return tuple(
        heard.get(name) or Answer(name, None, outcome="unanswered", cause="not needed: the vote was settled without it")
        for name in names
    )


async def heard_until_settled(question: Question, team: Team) -> dict[str, Answer]:
    """By player: everybody alone, at the same time, until the winner is certain; the calls that are then still out are
    dropped."""
    out = {asyncio.create_task(team.draft(player, question)): player.name for player in team.players}
    heard: dict[str, Answer] = {}
    try:
        while out and not _settled([draft.text for draft in heard.values()], len(team.players), question):
            done, _ = await asyncio.wait(out, return_when=asyncio.FIRST_COMPLETED)
            heard |= {out.pop(task): task.result() for task in done}
    except BudgetReached:  # nobody waits for the answer any more, but the others are paid for
        await heard_out(out)
        raise
    finally:
        await dropped(out)
    return heard


def _settled(texts: Sequence[str | None], players: int, question: Question) -> bool:
    """Whether the largest group wins whatever the others say.

    Letters that differ stay apart. Free answers that differ may still turn out to mean the same, so there the leader
    must have more than all others together could have.
    """
    whole = [text for text in texts if text is not None and not was_cut(text)]  # what was cut may be anything
    counts = Counter(text.strip().casefold() for text in whole).most_common(2)
    if not counts:
        return False
    leader = counts[0][1]
    if not question.is_closed:
        return 2 * leader > players
    runner_up = counts[1][1] if len(counts) > 1 else 0
    return leader > runner_up + players - len(texts)


def _wording(members: Sequence[Answer], captain: str | None) -> Answer:
    """Whose words the group is quoted in: the captain's, else the commonest, else the first player's."""
    for member in members:
        if member.player == captain:
            return member
    counts = Counter(member.text for member in members)
    return max(members, key=lambda member: counts[member.text])
