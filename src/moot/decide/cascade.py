"""Cascade: players are asked one after another, until the rest cannot change the answer, or until it is sure enough.

Who comes first is given, goes by price, or is learnt from graded questions; so is what a probability hangs on. A last,
dear stage, such as a captain who reads all reasons, is played only where it is not sure enough with everybody asked, and
decides from the same drafts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal

from annotated_types import Ge, Gt, Lt

from moot.ballots.cut_voices import MOST_CUT, UNTOLD_OF_CUT, VoteGroups, cut_players, readings
from moot.decide.asking_order import (
    CHEAPEST_FIRST,
    AskingPlan,
    GivenOrder,
    Wanted,
    asking_as_given,
    asking_by_lessons,
    asking_by_rule,
    cheapest_first,
    cheapest_order,
    given_order,
)
from moot.decide.candidates import candidates_by_name
from moot.decide.cascading import WaveResult
from moot.decide.deciding import places_of_groups, traits_of_rule
from moot.decide.last_stage import GivenStage, stage_of, traits_ending_with
from moot.decide.rule_file import RuleContent, rule_of
from moot.decide.studied import studied
from moot.later import numpy as np
from moot.strategies import Strategy
from moot.strategies.captaincy import Captained, by_captain, nobody_answered
from moot.strategies.option_meanings import Meaning
from moot.strategies.traits import Traits
from moot.strategies.vote import verdict_of_groups, with_spared
from moot.team import Team
from moot.team.together import together
from moot.traces import Cascaded, DecidedByRule, HangsOnCut, ToldProbability, Trace
from moot.types import Answer, Grouping, Question, Verdict, digest

LEARNING = ("best", "learnt")


@dataclass(frozen=True, slots=True)
class Cascade(Captained):
    """As few players as it takes."""

    name: ClassVar[str] = "cascade"

    order: Literal["best", "cheapest", "learnt"] | tuple[str, ...] = "learnt"
    """Who is asked first: whoever was right most often, the cheapest, whose voice counts most by what was learnt (which then
    decides), or everybody by name."""
    until: Literal["decided"] | Annotated[float, Gt(0.5), Lt(1)] = "decided"
    """`decided`: the rest cannot change which answer is taken. A number: it is right with this probability."""
    then: str | Mapping[str, Any] | None = None
    """A strategy that decides where the probability is not reached with everybody asked."""
    wave: Annotated[int, Ge(1)] = 1
    """How many are asked at a time."""
    from_: Annotated[Mapping[str, Any] | None, Meaning(rule=True)] = None
    """A file that `moot fit` wrote, or what is in it; left out, what the other questions of the run teach."""

    def __post_init__(self) -> None:
        if not isinstance(self.order, str):
            if twice := [name for place, name in enumerate(self.order) if name in self.order[:place]]:
                raise ValueError(f"order: {twice[0]!r} stands twice")
            if not self.order:
                raise ValueError("order: expected every player by name, found nobody")
            object.__setattr__(self, "order", GivenOrder(self.order))
        if self.then is not None:
            if self.until == "decided":
                raise ValueError("then: decides where a probability is not reached; expected one, such as until: 0.95")
            if not isinstance(self.then, str):
                object.__setattr__(self, "then", GivenStage.of(self.then))
            stage_of(self.then, self.captain)
        if self.from_ is not None:
            if not self._uses_lessons:
                raise ValueError(
                    "from: nothing learnt is made use of; expected order: best or learnt, or until: 0.95, say"
                )
            object.__setattr__(self, "from_", RuleContent(self.from_))
            rule_of(self.from_)

    @property
    def last_stage(self) -> Strategy | None:
        return None if self.then is None else stage_of(self.then, self.captain)

    @property
    def _uses_lessons(self) -> bool:
        return self.until != "decided" or self.order in LEARNING

    @property
    def traits(self) -> Traits:
        traits = traits_of_rule(learns=self._uses_lessons and self.from_ is None)
        if self.last_stage is None or self.then is None:
            return traits
        return traits_ending_with(traits, self.last_stage, self.then)

    def lineups(self, team: Team) -> tuple[Team, ...]:
        names = tuple(player.name for player in team.players)
        if self.from_ is not None and set(rule_of(self.from_).players) != set(names):
            return ()
        self._names(team)
        if self.from_ is not None:
            for table in team.tables():
                for kind in (None, *rule_of(self.from_).by_kind):
                    self.asking(table, kind)
        if self.last_stage is None:
            return by_captain(team, self.captain, needed=False)
        return self.last_stage.lineups(team)

    async def play(self, question: Question, team: Team) -> Verdict:
        plan = self.asking(team, question.kind)
        course = _Course(question, team, plan)
        while course.left and not course.enough:
            await course.ask()
        if self.last_stage is not None and not course.enough and course.answered:
            return await self._played_on(self.last_stage, course)
        return course.verdict(self.threshold)

    @property
    def threshold(self) -> float | None:
        """How likely an answer must be right; None: until it is decided."""
        return None if isinstance(self.until, str) else self.until

    def asking(self, team: Team, kind: str | None = None) -> AskingPlan:
        """Whom this team asks when, and until when. `kind`: of the question, where a file may tell it by kinds."""
        players = tuple(player.name for player in team.players)
        names, why = self._names(team), cheapest_order(team).words if self.order == CHEAPEST_FIRST else None
        wanted = Wanted(self.order, names, self.threshold, self.wave, self.then is not None, why)
        if not self._uses_lessons:
            return asking_as_given(wanted, players)
        if self.from_ is not None:
            rule = rule_of(self.from_)
            return asking_by_rule(wanted, players, rule if kind is None else rule.for_kind(kind))
        return asking_by_lessons(wanted, studied(team.lessons, players))

    def _names(self, team: Team) -> Sequence[str] | None:
        """Who is asked when; None: that is learnt."""
        if isinstance(self.order, str):
            return cheapest_first(team) if self.order == CHEAPEST_FIRST else None
        return given_order(self.order, team)

    async def _played_on(self, last: Strategy, course: _Course) -> Verdict:
        verdict = await last.play(course.question, replace(course.team, drafted=dict(course.heard)))
        hangs = course.hangs_at_last()
        records = (*course.records(self.threshold, then=last.name), *(() if hangs is None else (hangs,)))
        return replace(verdict, traces=(*verdict.traces, *records))


def order_shape(played: Strategy, team: Team) -> dict[str, Any]:
    """What a cell's identity keeps of an order that follows from prices, or from what recorded replies cost: with others of them
    these players are asked in another."""
    if isinstance(played, Cascade) and played.order == CHEAPEST_FIRST:
        return {"order": cheapest_first(team)}
    return {}


def cascade_mark(played: Strategy, stage: str) -> str:
    """Of a cascade that asks in this order, until then, and ends with a stage of this mark: whatever rule it holds."""
    assert isinstance(played, Cascade), "nothing else ends with a stage"
    return digest([played.order, played.until, played.wave, stage])[:16]


class _Course:
    """One question, wave after wave."""

    def __init__(self, question: Question, team: Team, plan: AskingPlan) -> None:
        self.question, self.team, self.plan = question, team, plan
        self.left = [list(wave) for wave in plan.waves]
        self.waves: list[tuple[str, ...]] = []
        self.heard: dict[str, Answer] = {}
        self.grouping: Grouping | None = None
        self.standing: WaveResult | None = None
        self.probabilities: list[float] = []
        self.untold = None if plan.kept is None else plan.kept.why_untold(question)
        """Why no probability is told of an answer to this question."""

    @property
    def enough(self) -> bool:
        if self.untold is not None and self.plan.until.threshold is not None:
            return False  # by a figure that says nothing of such a question nobody is spared
        return self.standing is not None and bool(self.standing.enough[0])

    @property
    def answered(self) -> bool:
        return any(draft.text is not None for draft in self.heard.values())

    @property
    def drafts(self) -> list[Answer]:
        """Of those who were asked, in the order of their seats."""
        return [self.heard[name] for name in self.plan.players if name in self.heard]

    async def ask(self) -> None:
        names = tuple(self.plan.players[seat] for seat in self.left.pop(0))
        drafts = await together(self.team.draft(self.team[name], self.question) for name in names)
        self.heard |= dict(zip(names, drafts, strict=True))
        if self.untold is None and self.plan.kept is not None and cut_players(drafts):
            self.untold, self.probabilities = UNTOLD_OF_CUT, []
        self.waves.append(names)
        if self.left and not self._may_be_enough():
            return
        self.grouping = await self.team.group(self.question, self.drafts)
        self.standing = self._stand(self.grouping.groups)
        if not np.isnan(self.standing.chances[0]) and self.untold is None:
            self.probabilities.append(float(self.standing.chances[0]))

    def _may_be_enough(self) -> bool:
        """Whether it could be, if all who spoke meant the same: which answers do is asked only then."""
        spoke = tuple(draft.player for draft in self.drafts if draft.text is not None)
        if self.plan.until.threshold is not None or min(self.plan.voices.values()) < 0:
            return True
        return bool(spoke) and bool(self._stand((spoke,)).enough[0])

    def _stand(self, groups: Sequence[Sequence[str]]) -> WaveResult:
        asked = tuple(draft.player for draft in self.drafts)
        waiting = [self.plan.players[seat] for wave in self.left for seat in wave]
        return self.plan.until.hear(candidates_by_name(asked, [groups], [{}]), waiting)

    def _ahead(self, groups: VoteGroups) -> VoteGroups:
        """What was ahead in the end; had these said the same instead, what would have been taken where it would have stopped,
        and nobody's where it would have asked on."""
        assert self.grouping is not None, "whoever is ahead was heard"
        assert self.standing is not None, "the same"
        standing, here = self.standing, groups
        if groups != self.grouping.groups:
            if (found := self._stopped(groups)) is not None:
                standing, here = found
            elif self.left:
                return ()
            else:
                standing = self._stand(groups)
        asked = tuple(name for name in self.plan.players if any(name in group for group in here))
        places = places_of_groups(candidates_by_name(asked, [here], [{}]), here)
        first = [set(part) for part, place in zip(here, places, strict=True) if standing.ahead[0, place]]
        return [group for group in groups if any(part <= set(group) for part in first)]

    def _stopped(self, groups: VoteGroups) -> tuple[WaveResult, VoteGroups] | None:
        """Where it would have stopped, had these said the same, and who of them had been asked; None: nowhere."""
        asked: set[str] = set()
        for wave in self.waves:
            asked |= set(wave)
            here = [part for group in groups if (part := tuple(name for name in group if name in asked))]
            names = [name for name in self.plan.players if name in asked]
            waiting = [name for name in self.plan.players if name not in asked]
            standing = self.plan.until.hear(candidates_by_name(names, [here], [{}]), waiting)
            if here and waiting and bool(standing.enough[0]):
                return standing, here
        return None

    def hangs_at_last(self) -> HangsOnCut | None:
        """Of a last stage that is played: whether it might not have been, had nothing been cut out of a draft."""
        cut = cut_players(self.drafts)
        if self.grouping is None or not cut:
            return None
        several = readings(self.grouping.groups, cut)
        if len(cut) <= MOST_CUT and not any(self._enough_with(groups) for groups in several):
            return None
        return HangsOnCut(tuple(draft.player for draft in self.drafts if draft.player in cut))

    def _enough_with(self, groups: VoteGroups) -> bool:
        return self._stopped(groups) is not None or bool(self._stand(groups).enough[0])

    def verdict(self, until: float | None) -> Verdict:
        drafts = with_spared(self.heard, self.plan.players)
        if not self.answered or self.grouping is None or self.standing is None:
            return replace(nobody_answered(drafts), traces=self.records(until))
        asked = tuple(draft.player for draft in self.drafts)
        groups = self.grouping.groups
        places = places_of_groups(candidates_by_name(asked, [groups], [{}]), groups)
        points = [float(self.standing.scores[0, place]) for place in places]
        spared = [name for name in self.plan.players if name not in self.heard]
        found = verdict_of_groups(self.question, self.team, drafts, self.grouping, self._ahead, points, spared)
        return replace(found, traces=(*found.traces, *self.records(until)))

    def records(self, until: float | None, then: str | None = None) -> tuple[Trace, ...]:
        """Of the path, and of the rule where one was learnt."""
        sure = until is not None and bool(self.probabilities) and self.probabilities[-1] >= until
        stopped: Literal["decided", "sure", "everybody"]
        stopped = "sure" if sure else "everybody" if not self.left else "decided"
        path = Cascaded(tuple(self.waves), stopped, tuple(self.probabilities), until, then, self.plan.why_order)
        kept = self.plan.kept
        untold = () if self.untold is None else (ToldProbability(None, self.untold),)
        if kept is None or then is not None:
            return (path, *untold)
        chance = self.probabilities[-1] if self.probabilities else None
        decided = DecidedByRule(kept.kind, kept.rule.words(), kept.why, chance, dict(kept.weights))
        return (decided, path, *untold)
