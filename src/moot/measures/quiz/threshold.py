"""From how many different answers on it pays to talk: the `talk_from` of a team that talks only where it must.

Learnt from stored plays, of a team that voted and of the same team with a captain who heard everybody's reasons,
without a call: had the team voted below the threshold and talked from it on, what would it have got right and paid? The
threshold is chosen on some questions and scored on the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from moot.measures.quiz.played import Played, by_question, diversity_of, repeated, split, values_by_question
from moot.stats.crossfit import FOLDS, best, crossfit
from moot.stats.estimates import Row, estimate, estimate_row
from moot.stats.graded import least_of
from moot.stats.paired import Paired, compare, mean_of
from moot.types import Estimate


@dataclass(frozen=True, slots=True)
class Arm:
    """One policy: what it gets right and what it costs a question. Unknown cost is None."""

    accuracy: Estimate | None
    cost_usd: Estimate | None
    calls: float

    def row(self) -> Row:
        cost = self.cost_usd
        return {
            **estimate_row(self.accuracy, "accuracy"),
            "cost_usd": cost and cost.value,
            "cost_usd_low": cost and cost.low,
            "cost_usd_high": cost and cost.high,
            "calls": self.calls,
        }


@dataclass(frozen=True, slots=True)
class Threshold:
    """The learnt threshold, and how it does on questions that it was not learnt from."""

    talk_from: int
    """Learnt from all questions: the one to play with. Its own accuracy on them is `after_the_fact`."""
    chosen: tuple[int, ...]
    """By fold."""
    always_vote: Arm
    always_talk: Arm
    by_threshold: Arm
    """Cross-fitted."""
    after_the_fact: float
    over_vote: Paired
    over_talk: Paired
    n: int
    left_out: int
    """Questions that were not both voted and talked about, or not graded, or whose groups are not known."""
    ungraded: int = 0
    """Of these, how many are left out because one of the two answers is ungraded."""

    def row(self) -> Row:
        return {
            "talk_from": self.talk_from,
            "chosen": list(self.chosen),
            "always_vote": self.always_vote.row(),
            "always_talk": self.always_talk.row(),
            "by_threshold": self.by_threshold.row(),
            "after_the_fact": self.after_the_fact,
            "over_vote": self.over_vote.row(),
            "over_talk": self.over_talk.row(),
            "n": self.n,
            "left_out": self.left_out,
            **({"ungraded": self.ungraded} if self.ungraded else {}),
        }


@dataclass(frozen=True, slots=True)
class _Policy:
    """One value a question, of the policy with one threshold."""

    right: dict[str, float | None]
    """None: ungraded."""
    cost_usd: dict[str, float] | None
    calls: dict[str, float]
    least: dict[str, float] = field(default_factory=dict)
    """The least that the questions can be of which something is ungraded: only the choice goes by it."""

    @property
    def graded(self) -> dict[str, float]:
        return {question: value for question, value in self.right.items() if value is not None}


def learn_threshold(
    vote: Sequence[Played],
    talk: Sequence[Played],
    groups: Mapping[str, int] | None = None,
    *,
    players: int | None = None,
    grouping_usd: Mapping[str, float] | None = None,
    folds: int = FOLDS,
    seed: int = 0,
) -> Threshold | None:
    """None below two questions. `groups` is d by question (from the plays if not given; 0: nobody answered).

    1 always talks, `players` + 1 never does. Where two are equally accurate the cheaper stands, and then the one that
    talks less. Chosen on all questions, by the least that each threshold can be where answers are ungraded; scored on
    those of which both are graded. A team with a threshold groups even where it talks: `grouping_usd` adds what that
    costs, if known.
    """
    diversity = diversity_of([*vote, *talk]) if groups is None else dict(groups)
    asked = {play.question for play in [*vote, *talk]}
    grouped = {play.question for play in vote} & {play.question for play in talk} & diversity.keys()
    both = grouped & by_question(vote).keys() & by_question(talk).keys()
    if len(both) < 2:
        return None
    questions, graded = sorted(grouped), sorted(both)
    most = max([players or 0, 1, *(diversity[question] for question in questions)])
    voted, talked = _policy(vote, questions), _policy(talk, questions)
    options = {
        str(start): _mixed(voted, talked, {q for q in questions if diversity[q] >= start}, grouping_usd or {})
        for start in range(most + 1, 0, -1)  # of equals the first stands: the one that talks least
    }
    right = {start: policy.right for start, policy in options.items()}
    costs = _prices(options)
    least = {start: policy.least for start, policy in options.items()}
    fitted = crossfit(right, questions, costs=costs, least=least, count=folds, seed=seed)
    start = best(right, questions, costs, least)
    if fitted is None or start is None:
        return None
    voted, talked = _policy(vote, graded), _policy(talk, graded)
    played = _by_choice(options, {question: fitted.choice[question] for question in graded})
    pooled = repeated(vote) or repeated(talk)
    return Threshold(
        talk_from=int(start),
        chosen=tuple(map(int, fitted.chosen)),
        always_vote=_arm(voted, seed),
        always_talk=_arm(talked, seed),
        by_threshold=_arm(played, seed),
        after_the_fact=sum(right[start][question] or 0.0 for question in graded) / len(graded),
        over_vote=compare(_pairs(played, voted, graded), pooled=pooled, seed=seed),
        over_talk=compare(_pairs(played, talked, graded), pooled=pooled, seed=seed),
        n=len(graded),
        left_out=len(asked - both),
        ungraded=len(grouped - both),
    )


def _policy(plays: Sequence[Played], questions: Sequence[str]) -> _Policy:
    wanted = set(questions)
    parts = split([play for play in plays if play.question in wanted], lambda play: play.question)
    calls = {question: sum(play.calls for play in part) / len(part) for question, part in parts.items()}
    costs_usd: dict[str, float] = {}
    for question, question_plays in parts.items():
        paid = [play.cost_usd for play in question_plays if play.cost_usd is not None]
        if len(paid) == len(question_plays):
            costs_usd[question] = sum(paid) / len(paid)
    values = values_by_question(play for part in parts.values() for play in part)
    right = {question: value.known for question, value in values.items()}
    return _Policy(right, costs_usd if len(costs_usd) == len(parts) else None, calls, least_of(values))


def _pairs(one: _Policy, other: _Policy, questions: Sequence[str]) -> dict[str, tuple[float, float]]:
    marks = {question: (one.right[question], other.right[question]) for question in questions}
    return {
        question: (first, second)
        for question, (first, second) in marks.items()
        if first is not None and second is not None
    }


def _mixed(voted: _Policy, talked: _Policy, talk: set[str], grouping_usd: Mapping[str, float]) -> _Policy:
    cost = None
    if voted.cost_usd is not None and talked.cost_usd is not None:
        cost = {q: paid for q, paid in voted.cost_usd.items() if q not in talk}
        cost |= {q: paid + grouping_usd.get(q, 0.0) for q, paid in talked.cost_usd.items() if q in talk}
    return _Policy(
        {q: talked.right[q] if q in talk else value for q, value in voted.right.items()},
        cost,
        {q: talked.calls[q] if q in talk else value for q, value in voted.calls.items()},
        {q: value for q, value in voted.least.items() if q not in talk}
        | {q: value for q, value in talked.least.items() if q in talk},
    )


def _prices(options: Mapping[str, _Policy]) -> dict[str, dict[str, float]]:
    """Money where all of it is known, else calls: the two cannot be compared with each other."""
    money = {start: policy.cost_usd for start, policy in options.items() if policy.cost_usd is not None}
    return money if len(money) == len(options) else {start: policy.calls for start, policy in options.items()}


def _by_choice(options: Mapping[str, _Policy], choice: Mapping[str, str]) -> _Policy:
    """Each question under the threshold that its fold may use."""
    costs = {question: options[start].cost_usd for question, start in choice.items()}
    costs_usd = {question: cost[question] for question, cost in costs.items() if cost is not None}
    return _Policy(
        {question: options[start].right[question] for question, start in choice.items()},
        costs_usd if len(costs_usd) == len(choice) else None,
        {question: options[start].calls[question] for question, start in choice.items()},
    )


def _arm(policy: _Policy, seed: int) -> Arm:
    paid = None
    if policy.cost_usd is not None:
        paid = mean_of(policy.cost_usd, seed=seed)
    calls = sum(policy.calls.values()) / len(policy.calls)
    return Arm(estimate(policy.graded), paid, calls)
