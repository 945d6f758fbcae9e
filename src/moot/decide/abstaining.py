"""Whether an answer is given: only where the probability that it is right is high enough, and else the team abstains.

`below` is a probability. `target` is what is wanted of the answers given: so many of them right, promised by a threshold that
was tested on graded questions which taught neither the rule nor its probabilities (`moot.decide.promise`). Both come from the
graded drafts of other questions, those of a run or those that `moot fit` learnt from. Only what is decided from drafts alone
has such a probability: whoever is asked again after them may know more than they tell, or less.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from moot.decide.choice_model import ChoiceModel
from moot.decide.deciding import Kept, RuleVote, candidates_here, place_of
from moot.decide.learning import FEWEST, PLURALITY
from moot.decide.learnt import LearntVote
from moot.decide.promise import (
    FEWEST_FOR_PROMISE,
    LEARNT_FROM,
    PARTS,
    Promise,
    fewest_answers,
    level_of_each,
    promise_of,
)
from moot.decide.rule_file import FittedRule
from moot.decide.rules import Plurality
from moot.decide.studied import NothingLearnt, Studied, studied
from moot.errors import UsageError
from moot.strategies import Strategy, Traits, label, value_told
from moot.strategies.vote import Vote
from moot.team import Team
from moot.team.lessons import FOLDS
from moot.traces import Abstained, DecidedByRule, Grouped, ToldProbability, of_kind
from moot.types import WITH_ANSWER, Grouping, Verdict

ABSTAIN = "abstain"
"""The key beside a strategy's options."""
LEVEL_OF_A_FOLD = level_of_each(FOLDS)
"""Every fold of a run has a threshold of its own, and the run keeps its promise where all of them are kept."""
EXPECTED = "expected {below: 0.9}, a probability, or {target: 0.95}, how many of the answers given are to be right"


@dataclass(frozen=True, slots=True)
class Abstain:
    """From where on an answer is given. One of the two."""

    below: float | None = None
    target: float | None = None

    @classmethod
    def of(cls, written: object) -> Abstain:
        """As a file has it."""
        if not isinstance(written, Mapping) or len(written) != 1 or not set(written) <= {"below", "target"}:
            raise UsageError(f"{EXPECTED}, found {written!r:.80}")
        ((name, value),) = written.items()
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1:
            raise UsageError(f"{name}: expected a number between 0 and 1, found {value!r:.40}")
        return cls(**{name: float(value)})

    def __str__(self) -> str:
        return "{" + ", ".join(f"{name}: {value_told(value)}" for name, value in self.json().items()) + "}"

    def json(self) -> dict[str, float]:
        return {name: value for name in ("below", "target") if (value := getattr(self, name)) is not None}

    @property
    def fewest_lessons(self) -> int:
        return FEWEST if self.target is None else FEWEST_FOR_PROMISE


def why_no_probability(strategy: Strategy) -> str | None:
    """Why nothing tells how sure the answers of a strategy are; None: something does."""
    if isinstance(strategy, Vote) and strategy.early_stop:
        return "early_stop leaves players unheard, and how sure an answer is hangs on all of them"
    if isinstance(strategy, Vote | RuleVote):
        return None
    beside = "vote, weighted, learnt or leader, which decide from drafts alone"
    return f"how sure {strategy.name} is cannot be told from its players' drafts; expected it beside {beside}"


def kept_by(strategy: Strategy, team: Team) -> Kept:
    if isinstance(strategy, Vote):
        return Kept(Plurality(), PLURALITY, "everybody counts alike")
    assert isinstance(strategy, RuleVote), why_no_probability(strategy)
    return strategy.kept(team)


def promised_by(rule: FittedRule, strategy: Strategy, target: float) -> Promise | None:
    """What a rule that was read from a file promises of this strategy's answers; None: nothing for this target."""
    kind = (
        rule.kept_rule.kind if isinstance(strategy, LearntVote) else PLURALITY if isinstance(strategy, Vote) else None
    )
    return next((each for each in rule.promises.get(kind or "", ()) if each.target == target), None)


@dataclass(frozen=True, slots=True, eq=False)
class HowSure:
    """What tells how sure an answer is, and from where on it is given."""

    model: ChoiceModel | None
    why: str
    """What it was learnt from; where nothing was, why not."""
    below: float | None = None
    """None: where the team may abstain, nothing is given."""
    held: str = ""
    """Why nothing is, or what is promised of what is."""


def sureness(strategy: Strategy, abstain: Abstain | None, rule: FittedRule | None, team: Team) -> tuple[Team, HowSure]:
    """How sure this team's answers are; and the team as it decides: with the lessons that are not kept for a promise."""
    if rule is not None:
        return team, _of_rule(rule, strategy, abstain)
    players = tuple(player.name for player in team.players)
    taught = studied(team.lessons, players)
    if abstain is None or abstain.target is None:
        return team, _told(taught, None if abstain is None else abstain.below)
    lessons, kept_for_it = taught.parted()
    deciding = replace(team, lessons=lessons)
    target = abstain.target

    def made() -> HowSure:
        told = _told(studied(lessons, players), None)
        if told.model is None:
            return told
        rule_kept = kept_by(strategy, deciding).rule
        asked = studied(kept_for_it, players).for_promise()
        promise = promise_of(rule_kept, told.model, *asked, target, level=LEVEL_OF_A_FOLD)
        return replace(told, below=promise.threshold, held=promise.words())

    return deciding, taught.once(("promise", strategy, target), made)


def _of_rule(rule: FittedRule, strategy: Strategy, abstain: Abstain | None) -> HowSure:
    told = HowSure(rule.kept_rule.model, _learnt_from(rule.questions))
    if abstain is None:
        return told
    if abstain.target is None:
        return replace(told, below=abstain.below)
    promise = promised_by(rule, strategy, abstain.target)
    assert promise is not None, "a rule that promises something else is refused when the file is read"
    return replace(told, below=promise.threshold, held=promise.words())


def _told(taught: Studied, below: float | None) -> HowSure:
    model = taught.model()
    if isinstance(model, NothingLearnt):
        return HowSure(None, model.why)
    return HowSure(model, _learnt_from(int(taught.candidates.settled.sum())), below)


def _learnt_from(questions: int | None) -> str:
    return "from graded questions" if questions is None else f"from {questions:,} graded questions"


def weighed(verdict: Verdict, sure: HowSure, abstain: Abstain | None) -> Verdict:
    """The verdict with its probability; where it is not sure enough, without its answer, which is kept in a record."""
    if verdict.outcome not in WITH_ANSWER or verdict.answer is None:
        return verdict
    chance = None if sure.model is None else _chance(sure.model, verdict)
    traces = (*verdict.traces, ToldProbability(chance, sure.why))
    if abstain is None or (chance is not None and sure.below is not None and chance >= sure.below):
        return replace(verdict, traces=traces)
    return held_back(replace(verdict, traces=traces), _why(chance, sure), abstain, chance, sure.below)


def held_back(verdict: Verdict, why: str, abstain: Abstain, chance: float | None, below: float | None) -> Verdict:
    """Without its answer, which stands in a record."""
    record = Abstained(
        verdict.answer or "", why, chance, below, abstain.target, reasoning=verdict.reasoning, who=verdict.who
    )
    return replace(
        verdict,
        answer=None,
        outcome="abstained",
        reasoning="",
        who=(),
        cause=why,
        traces=(*verdict.traces, record),
    )


def _why(chance: float | None, sure: HowSure) -> str:
    if chance is None:
        return f"not sure enough: no probability could be told ({sure.why})"
    said = f"not sure enough: right with {percent_below(chance, sure.below)} % ({sure.why})"
    return f"{said}; {sure.held}" if sure.below is None else f"{said}, and answered from {100 * sure.below:g} % on"


def percent_below(chance: float, below: float | None) -> str:
    """In whole percent; with more digits where it would look as high as what it is below."""
    digits = 0
    while below is not None and digits < 6 and float(f"{100 * chance:.{digits}f}") >= float(f"{100 * below:g}"):
        digits += 1
    return f"{100 * chance:.{digits}f}"


def _chance(model: ChoiceModel, verdict: Verdict) -> float | None:
    grouped = of_kind(verdict.traces, Grouped)
    if not grouped or not verdict.who:
        return None
    grouping = Grouping(grouped[-1].groups, grouped[-1].stages)
    number = grouping.group_of(verdict.who[0])
    if number is None or not set(grouping.players) <= set(model.players):
        return None
    candidates = candidates_here(model.players, grouping)
    return float(model.probabilities(candidates)[0, place_of(candidates, grouping.groups[number])])


@dataclass(frozen=True, slots=True)
class AnswerChance:
    """That a verdict's answer is right, or would be; and from what that is known, or why it is not."""

    value: float | None
    why: str

    @classmethod
    def of(cls, verdict: Verdict) -> AnswerChance:
        for told in reversed(of_kind(verdict.traces, ToldProbability)):
            return cls(told.probability, told.why)
        for decided in reversed(of_kind(verdict.traces, DecidedByRule)):
            if decided.probability is not None:
                return cls(decided.probability, _learnt_from(None))  # its own words say why the rule stands
        if verdict.outcome not in (*WITH_ANSWER, "abstained"):
            return cls(None, "there is no answer")
        return cls(None, UNTOLD)

    def json(self) -> dict[str, Any]:
        """`probability` with what it is from, or null with why."""
        if self.value is None:
            return {"probability": None, "why": self.why}
        return {"probability": round(self.value, 6), "probability_from": self.why}

    def words(self) -> str:
        """`right with 97 %: from 240 graded questions`; nothing where it is not known."""
        return "" if self.value is None else f"right with {100 * self.value:.0f} %: {self.why}"


UNTOLD = (
    "no rule tells it: moot fit FILE -o rule.json learns one, for learnt: {from: rule.json}, or for another that decides from "
    "drafts alone as rule: rule.json of its team"
)
TIME_RAN_OUT = "the time ran out, and how sure an answer is hangs on what all players say"


def cut_off(verdict: Verdict, abstain: Abstain | None) -> Verdict:
    """What is said when the time is up, by those who were heard: nothing tells how sure that is."""
    if verdict.answer is None:
        return verdict
    untold = replace(verdict, traces=(*verdict.traces, ToldProbability(None, TIME_RAN_OUT)))
    return untold if abstain is None else held_back(untold, f"not sure enough: {TIME_RAN_OUT}", abstain, None, None)


def abstain_option(abstain: Abstain | None) -> dict[str, Any]:
    """Beside the options of a strategy, as they are stored."""
    return {} if abstain is None else {ABSTAIN: abstain.json()}


def label_with(strategy: Strategy, abstain: Abstain | None) -> str:
    """``vote(abstain={below: 0.9})``."""
    told = label(strategy)
    if abstain is None:
        return told
    return f"{told[:-1]}, {ABSTAIN}={abstain})" if told.endswith(")") else f"{told}({ABSTAIN}={abstain})"


def traits_with(traits: Traits, abstain: Abstain | None, rule: FittedRule | None) -> Traits:
    """What abstains learns how sure it is from the other questions of the run, where no rule tells it."""
    if abstain is None:
        return traits
    traits = replace(traits, weighs=True)  # whether its word stands is a rule's, be it a vote's
    if rule is not None:
        return traits
    return replace(traits, learns=True, fewest_lessons=max(traits.fewest_lessons, abstain.fewest_lessons))


def sureness_shape(strategy: Strategy, abstain: Abstain | None, rule: FittedRule | None) -> dict[str, Any]:
    """What tells two apart that are called the same: the rule of their team, and the threshold that it promises with."""
    if rule is None:
        return {}
    shape: dict[str, Any] = {} if isinstance(strategy, LearntVote) else {"rule": rule.mark}
    if abstain is not None and abstain.target is not None:
        shape["from"] = _of_rule(rule, strategy, abstain).below
    return shape


def abstention_warnings(abstain: Abstain | None, rule: FittedRule | None, strategy: Strategy) -> tuple[str, ...]:
    """That a rule promises nothing, so that nothing will be answered: said before the first call."""
    if abstain is None or abstain.target is None or rule is None:
        return ()
    promise = promised_by(rule, strategy, abstain.target)
    return () if promise is None or promise.threshold is not None else (promise.words(),)


def too_few_for(abstain: Abstain | None, questions: int) -> str | None:
    """That a run of so many questions can promise nothing, were all answers right; None: it may."""
    if abstain is None or abstain.target is None:
        return None
    fewest = fewest_answers(abstain.target, LEVEL_OF_A_FOLD)
    kept = int(questions * (1 - 1 / FOLDS) * (1 - LEARNT_FROM / PARTS))
    if kept >= fewest:
        return None
    words = f"takes {fewest} right answers at the least on questions that are kept for it, and there are about {kept}"
    return f"abstain: target {abstain.target:g} {words}: it will abstain from everything (coverage 0)"
