"""Whether an answer is given: only where the probability that it is right is high enough, and else the team abstains.

`below` is a probability. `target` is what is wanted of the answers given: so many of them right, promised by a threshold that
was tested on graded questions which taught neither the rule nor its probabilities (`moot.decide.promise`). Both come from the
graded drafts of other questions, those of a run or those that `moot fit` learnt from, and where a strategy asks on after the
drafts from its own graded verdicts too (`moot.decide.how_sure`).
"""

from __future__ import annotations

from dataclasses import astuple, dataclass, replace
from typing import Any

from moot.decide.abstain_option import Abstain
from moot.decide.how_sure import (
    LEVEL_OF_A_FOLD,
    HowSure,
    WhoseWord,
    chance_of,
    learnt_from,
    of_rule,
    promised_by,
)
from moot.decide.learnt import LearntVote
from moot.decide.promise import LEARNT_FROM, PARTS, fewest_answers
from moot.decide.rule_file import FittedRule
from moot.stats.written_numbers import of_hundred
from moot.strategies import Strategy, Traits, label
from moot.strategies.option_values import ABSTAIN
from moot.strategies.traits import GROUPING
from moot.team.lessons import FOLDS
from moot.traces import Abstained, DecidedByRule, ToldProbability, of_kind
from moot.types import WITH_ANSWER, Verdict


def weighed(verdict: Verdict, sure: HowSure, abstain: Abstain | None, whose: WhoseWord | None = None) -> Verdict:
    """The verdict with its probability; where it is not sure enough, without its answer, which is kept in a record.

    `whose`: whose draft the answer is, where the strategy asks on after the drafts.
    """
    if not wants_weighing(verdict):
        return verdict
    chance = chance_of(verdict, sure, whose)
    if chance is None and sure.heard is not None:
        sure = replace(sure, why=WHOSE_UNKNOWN if sure.asks_on(verdict) else UNHEARD)
    told = ToldProbability(chance, sure.why)  # which the rule that decided may have said as well
    traces = (*(trace for trace in verdict.traces if trace != told), told)
    if abstain is None or (chance is not None and sure.below is not None and chance >= sure.below):
        return replace(verdict, traces=traces)
    return held_back(replace(verdict, traces=traces), _why(chance, sure), abstain, chance, sure.below)


UNHEARD = "nothing was learnt of those alone who were asked"
WHOSE_UNKNOWN = "nobody knows whose draft the answer is"


def wants_weighing(verdict: Verdict) -> bool:
    return verdict.outcome in WITH_ANSWER and verdict.answer is not None


def untold(verdict: Verdict, why: str) -> Verdict:
    """With a record of why nothing tells how sure it is."""
    return (
        replace(verdict, traces=(*verdict.traces, ToldProbability(None, why))) if wants_weighing(verdict) else verdict
    )


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
    while below is not None and digits < 6 and float(of_hundred(chance, digits)) >= float(f"{100 * below:g}"):
        digits += 1
    return of_hundred(chance, digits)


@dataclass(frozen=True, slots=True)
class AnswerChance:
    """That a verdict's answer is right, or would be; and from what that is known, or why it is not."""

    value: float | None
    why: str

    @classmethod
    def of(cls, verdict: Verdict, *, long_answer: bool = False) -> AnswerChance:
        for told in reversed(of_kind(verdict.traces, ToldProbability)):
            return cls(told.probability, told.why)
        for decided in reversed(of_kind(verdict.traces, DecidedByRule)):
            if decided.probability is not None:
                return cls(decided.probability, learnt_from(None))  # its own words say why the rule stands
        if verdict.outcome not in (*WITH_ANSWER, "abstained"):
            return cls(None, "there is no answer")
        return cls(None, UNTOLD_OF_LONG if long_answer else UNTOLD)

    def json(self) -> dict[str, Any]:
        """`probability` with what it is from, or null with why."""
        if self.value is None:
            return {"probability": None, "why": self.why}
        return {"probability": round(self.value, 6), "probability_from": self.why}

    def words(self) -> str:
        """`right with 97 %: from 240 graded questions`; nothing where it is not known."""
        return "" if self.value is None else f"right with {of_hundred(self.value, 0)} %: {self.why}"


UNTOLD = (
    "no rule tells it: moot fit FILE -o rule.json learns one, for learnt: {from: rule.json}, or for any other that was played in "
    "the run as rule: rule.json of its team"
)
UNTOLD_OF_LONG = "no rule tells it of long answers: they are compared or have points, and are not right or wrong"
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
    drafted = not traits.alone and traits.drafts is not None
    if drafted and (abstain is not None or (rule is not None and rule.of_strategy is not None)):
        # Which drafts mean the same, and whose draft its answer is, is asked on its behalf.
        traits = replace(traits, prompts=tuple(dict.fromkeys((*traits.prompts, GROUPING))))
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
    if rule.by_kind:
        parts = {kind: sureness_shape(strategy, abstain, part) for kind, part in sorted(rule.by_kind.items())}
        return {**shape, "by_kind": parts}
    if rule.of_strategy is not None:
        shape["verdicts"] = list(astuple(rule.of_strategy.talk or rule.of_strategy.model))
        if (drafts := rule.of_strategy.drafts) is not None:
            shape["verdicts"] += [*drafts.weights.tolist(), drafts.common, *drafts.none]
    if abstain is not None and abstain.target is not None:
        shape["from"] = of_rule(rule, strategy, abstain).below
    return shape


def abstention_warnings(abstain: Abstain | None, rule: FittedRule | None, strategy: Strategy) -> tuple[str, ...]:
    """That a rule promises nothing, so that nothing will be answered: said before the first call."""
    if abstain is None or abstain.target is None or rule is None:
        return ()
    words = [BEFORE_CLUSTERS] if rule.before_clusters else []
    for kind, part in rule.by_kind.items() or [("", rule)]:
        promise = promised_by(part, strategy, abstain.target)
        if promise is not None and promise.threshold is None:
            words.append(f"questions of kind {kind}: {promise.words()}" if kind else promise.words())
    return tuple(words)


BEFORE_CLUSTERS = (
    "what the rule promises is from an older moot, which took every question for itself: where some hang together it promises "
    "too much; moot fit FILE --promise TARGET -o rule.json promises anew"
)


def unused_words(team: str, why: str | None) -> tuple[str, ...]:
    return () if why is None else (f"the rule of team {team} is not made use of: {why}",)


def too_few_for(abstain: Abstain | None, questions: int, largest: int, kind: str = "") -> str | None:
    """That a run of so many questions, so many of which hang together at the most, can promise nothing, were all answers right;
    None: it may. `kind`: of these questions, where the run has others too."""
    if abstain is None or abstain.target is None:
        return None
    fewest = fewest_answers(abstain.target, LEVEL_OF_A_FOLD, largest)
    kept = int(questions * (1 - 1 / FOLDS) * (1 - LEARNT_FROM / PARTS))
    if kept >= fewest:
        return None
    since = "" if largest == 1 else f", since up to {largest:,} questions hang together,"
    of_kind, nothing = (f" of kind {kind}", "all of these") if kind else ("", "everything (coverage 0)")
    taken = f"takes {fewest:,} right answers at the least{since} on questions{of_kind} that are kept for it"
    return f"abstain: target {abstain.target:g} {taken}, and there are about {kept:,}: it will abstain from {nothing}"
