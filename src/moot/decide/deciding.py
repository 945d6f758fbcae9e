"""One question decided by a rule: everybody drafts alone, like answers are grouped, and the rule says which group has it.

What a rule shares with the vote is the vote's own: a tie goes to the captain's group, else by lot; the group is quoted in the
captain's words, else the commonest; who says nothing has no voice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from moot.ballots.cut_voices import UNTOLD_OF_CUT, VoteGroups, cut_players
from moot.decide.candidates import Candidates, candidates_by_name
from moot.decide.choice_model import ChoiceModel
from moot.decide.learning import FEWEST, LearntRule
from moot.decide.rules import DraftRule, checked_scores, winners
from moot.decide.studied import NothingLearnt
from moot.later import numpy as np
from moot.strategies.captaincy import Captained, nobody_answered
from moot.strategies.traits import CallBound, Traits
from moot.strategies.vote import verdict_of_groups
from moot.team import Team
from moot.traces import DecidedByRule, ToldProbability
from moot.types import Answer, Grouping, Question, Verdict


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """The rule that decides, why it is this one, and what tells the probability of its answer."""

    rule: DraftRule
    kind: str
    """`learnt`, `weighted`, `leader`, or what stands in its place."""
    why: str
    model: ChoiceModel | None = None
    weights: Mapping[str, float] = field(default_factory=dict)
    kinds: frozenset[str] = frozenset()
    """Of the questions of which it tells how sure it is; nothing: that is not known, or they are the run's own."""
    together: frozenset[str] = frozenset()
    """Kinds that taught it as if they were one, as an older moot did: of none of them it tells how sure it is."""

    def why_untold(self, question: Question) -> str | None:
        """Why it tells of no answer to this question how sure it is; None: it may."""
        if self.together:
            kinds = " and ".join(sorted(self.together))
            return f"learnt from questions of kind {kinds} as if they were one: how sure it is of either is not known"
        if not self.kinds or question.kind in self.kinds:
            return None
        learnt = " and ".join(sorted(self.kinds))
        return f"learnt from questions of kind {learnt}, and this one is of kind {question.kind}: how sure it is is not known"

    @classmethod
    def of(cls, learnt: LearntRule | NothingLearnt, players: Sequence[str]) -> Kept:
        weights = learnt.rule.voices(players)
        if isinstance(learnt, NothingLearnt):
            return cls(learnt.rule, learnt.kept, learnt.why, weights=weights)
        return cls(learnt.rule, learnt.kept, learnt.words(), learnt.model, weights)


def traits_of_rule(*, learns: bool) -> Traits:
    """All rules over drafts are alike to whoever plays and measures them."""
    return Traits(
        prompts=("draft",),
        drafts="single-call",
        captain="breaks-ties",
        word="group",
        hears="nothing",
        groups=True,
        asks="nobody",
        weighs=True,
        calls=CallBound(per_player=1),
        learns=learns,
        fewest_lessons=FEWEST if learns else 1,
    )


class RuleVote(Captained):
    """All players draft alone, and a rule takes one of their answers."""

    __slots__ = ()

    def kept(self, team: Team) -> Kept:
        """The rule by which this team decides."""
        raise NotImplementedError

    def kept_for(self, question: Question, team: Team) -> Kept:
        """The same for this question: what a file holds may be another rule for each kind of questions."""
        return self.kept(team)

    async def play(self, question: Question, team: Team) -> Verdict:
        drafts = await team.drafts(question)
        return decide_by(self.kept_for(question, team), question, team, drafts, await team.group(question, drafts))


def decide_by(kept: Kept, question: Question, team: Team, drafts: Sequence[Answer], grouping: Grouping) -> Verdict:
    """The word of the group that the rule takes, with a record of the rule."""
    if not grouping.groups:
        return nobody_answered(drafts)
    seats = tuple(player.name for player in team.players) if kept.model is None else kept.model.players
    candidates = candidates_here(seats, grouping.groups, team.category)
    places = places_of_groups(candidates, grouping.groups)
    scores = checked_scores(kept.rule, candidates)[0]
    points = [float(scores[place]) if np.isfinite(scores[place]) else 0.0 for place in places]

    def ahead(groups: VoteGroups) -> VoteGroups:
        table = candidates_here(seats, groups, team.category)
        first = winners(kept.rule, table)[0]
        return [group for group, place in zip(groups, places_of_groups(table, groups), strict=True) if first[place]]

    verdict = verdict_of_groups(question, team, drafts, grouping, ahead, points)
    won = grouping.group_of(verdict.who[0])
    assert won is not None, "whoever stands behind the answer is of a group"
    untold = UNTOLD_OF_CUT if cut_players(drafts) else kept.why_untold(question)
    model = kept.model if untold is None else None
    chance = None if model is None else float(model.probabilities(candidates)[0, places[won]])
    record = DecidedByRule(kept.kind, kept.rule.words(), kept.why, chance, dict(kept.weights))
    why = () if untold is None else (ToldProbability(None, untold),)
    return replace(verdict, traces=(*verdict.traces, record, *why))


def candidates_here(players: Sequence[str], groups: VoteGroups, category: str = "") -> Candidates:
    """The answers to one question, which nobody has graded."""
    return candidates_by_name(players, [groups], [{}], (category,) if category else ())


def places_of_groups(candidates: Candidates, groups: VoteGroups) -> list[int]:
    """Where each group stands among the candidates, which go by the seats of who gave them first."""
    return [place_of(candidates, group) for group in groups]


def place_of(candidates: Candidates, group: Sequence[str]) -> int:
    return int(candidates.support[0, :, candidates.players.index(group[0])].argmax())
