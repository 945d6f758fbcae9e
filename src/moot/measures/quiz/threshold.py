"""From how many different answers on it pays to talk: the `talk_from` of a team that talks only where it must.

Learnt from stored plays, of a team that voted and of the same team with a captain who heard everybody's reasons,
without a call: had the team voted below the threshold and talked from it on, what would it have got right and paid? The
threshold is chosen on some questions and scored on the others.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from moot.measures.question_costs import mean_cost, without_cut
from moot.measures.quiz.answer_counts import diversity_of
from moot.measures.quiz.played import DraftsKey, Played, repeated, split
from moot.stats.choice import Claim, chosen_interval
from moot.stats.clusters import units_of, value_rows
from moot.stats.crossfit import FOLDS, best, crossfit
from moot.stats.estimates import TESTED, Row, estimate, estimate_row
from moot.stats.graded import Value, bounds_row, completed, least_of, mean_value, why_unfair_together
from moot.stats.graded_pairs import abstained_apart, compared_row, fair_pairs, why_turned
from moot.stats.mean import mean
from moot.stats.paired import mean_of
from moot.stats.proportion import share, share_between
from moot.stats.waiting_choice import Tables, claim_whatever
from moot.types import Estimate

if TYPE_CHECKING:
    from moot.stats.bootstrap import Floats


@dataclass(frozen=True, slots=True)
class GroupingPaid:
    """What it took to group one set of drafts, or to hear all of it. Unknown cost is None."""

    calls: int = 0
    cost_usd: float | None = 0.0


@dataclass(frozen=True, slots=True)
class Arm:
    """One policy: what it gets right and what it costs a question. Unknown cost is None, and so is what no whole play tells."""

    accuracy: Estimate | None
    cost_usd: Estimate | None
    calls: float | None
    bounds: Row = field(default_factory=dict)
    """Over all questions, where not all is graded."""
    cost_n: int | None = None
    """Over how many questions what one takes is known, where these are not all."""

    def row(self) -> Row:
        cost = self.cost_usd
        return {
            **estimate_row(self.accuracy, "accuracy"),
            **self.bounds,
            "cost_usd": cost and cost.value,
            "cost_usd_low": cost and cost.low,
            "cost_usd_high": cost and cost.high,
            "calls": self.calls,
            **({} if self.cost_n is None else {"cost_n": self.cost_n}),
        }


@dataclass(frozen=True, slots=True)
class Threshold:
    """The learnt threshold, and how it does on questions that it was not learnt from."""

    talk_from: int | None
    """Learnt from all questions: the one to play with. Its own accuracy on them is `after_the_fact`."""
    chosen: tuple[int, ...]
    """By fold."""
    always_vote: Arm
    always_talk: Arm
    by_threshold: Arm
    """Cross-fitted."""
    after_the_fact: float | None
    over_vote: Row
    """What `talk_from` got right more than always voting, on the questions it was learnt from: the choice is paid for."""
    over_talk: Row
    n: int
    left_out: int
    """Questions that were not both voted and talked about, or not graded, or whose groups are not known."""
    ungraded: int = 0
    """Of these, how many are left out because one of the two answers is ungraded."""
    why: str | None = None
    """Why nothing can be learnt although some questions are graded."""

    def row(self) -> Row:
        return {
            "talk_from": self.talk_from,
            "chosen": list(self.chosen),
            **{
                name: {**arm.row(), **({"why": self.why} if self.why and arm.accuracy is None else {})}
                for name, arm in (
                    ("always_vote", self.always_vote),
                    ("always_talk", self.always_talk),
                    ("by_threshold", self.by_threshold),
                )
            },
            "after_the_fact": self.after_the_fact,
            "over_vote": self.over_vote,
            "over_talk": self.over_talk,
            "n": self.n,
            "left_out": self.left_out,
            **({"ungraded": self.ungraded} if self.ungraded else {}),
            **({"why": self.why} if self.why else {}),
        }


@dataclass(frozen=True, slots=True)
class _Policy:
    """One value a question, of the policy with one threshold."""

    values: dict[str, Value]
    cost_usd: Mapping[str, float] | None
    calls: Mapping[str, float]
    """This, and the money, of the questions of which no play lacks calls."""
    ways: dict[str, frozenset[bool]]
    """By question what it does, ``vote`` or ``talk``; with repeats it may do both."""

    @property
    def marks(self) -> dict[str, float | None]:
        return {question: value.known for question, value in self.values.items()}


def learn_threshold(
    vote: Sequence[Played],
    talk: Sequence[Played],
    groups: Mapping[DraftsKey, int] | None = None,
    *,
    players: int | None = None,
    grouping: Mapping[DraftsKey, GroupingPaid] | None = None,
    heard_out: Mapping[DraftsKey, GroupingPaid] | None = None,
    lacking: Collection[str] = frozenset(),
    folds: int = FOLDS,
    seed: int = 0,
) -> Threshold | None:
    """None below two questions. `groups` is d by set of drafts (from the plays if not given; 0: nobody answered).

    1 always talks, `players` + 1 never does. Where two are equally accurate the cheaper stands, and then the one that
    talks less. Chosen on all questions, by the least that each threshold can be where answers are ungraded; scored on
    those of which both are graded. With repeats each is voted or talked on by its own drafts. A team with a threshold
    groups even where it talks: `grouping` says what that took. And it hears everybody before it knows whether to talk:
    `heard_out` says what votes that did not wait for all would have taken then. `lacking` are the questions of which nobody
    knows what one of the two takes, since plays lack calls: every policy is priced on the same others.
    """
    diversity = diversity_of([*vote, *talk]) if groups is None else dict(groups)
    asked = {play.question for play in [*vote, *talk]}
    both = {play.drafts for play in vote} & {play.drafts for play in talk} & diversity.keys()
    voted, talked = _plays_on(vote, both), _plays_on(talk, both)
    whole_policy = partial(_policy, lacking=lacking)
    arms = whole_policy(voted, {}), whole_policy({}, talked)
    questions = sorted(arms[0].values)
    graded = [q for q in questions if all(arm.values[q].known is not None for arm in arms)]
    if len(graded) < 2:
        return None
    ungraded = len(questions) - len(graded)
    if (why := why_unfair_together([tuple(arm.values[q] for arm in arms) for q in questions])) is not None:
        graded = []
    never = max([players or 0, 1, *(diversity[drafts] for drafts in both)]) + 1
    options = {
        str(start): whole_policy(
            {drafts: plays for drafts, plays in voted.items() if diversity[drafts] < start},
            {drafts: plays for drafts, plays in talked.items() if diversity[drafts] >= start},
            grouping or {},
            {} if start == never else heard_out or {},
        )
        for start in range(never, 0, -1)
    }  # of equals the first stands: the one that talks least
    right = {start: policy.marks for start, policy in options.items()}
    costs, least = _prices(options), {start: least_of(policy.values) for start, policy in options.items()}
    fitted = crossfit(right, questions, costs=costs, least=least, count=folds, seed=seed)
    start = best(right, questions, costs, least)
    if fitted is None or start is None:
        return None
    played, pooled = _by_choice(options, fitted.choice), repeated(vote) or repeated(talk)
    gradable = [] if why else [q for q in questions if all(arm.values[q].worst is not None for arm in arms)]
    always_vote, always_talk, by_threshold = (_arm(policy, graded, gradable, seed) for policy in (*arms, played))
    by_threshold = replace(by_threshold, accuracy=_paid_for(by_threshold.accuracy, right, graded, seed))
    after_the_fact = [mark for question in graded if (mark := right[start][question]) is not None]
    return Threshold(
        talk_from=None if why else int(start),
        chosen=() if why else tuple(map(int, fitted.chosen)),
        always_vote=always_vote,
        always_talk=always_talk,
        by_threshold=by_threshold,
        after_the_fact=mean(after_the_fact) if after_the_fact else None,
        over_vote=_compared(options, start, arms[0], pooled, seed),
        over_talk=_compared(options, start, arms[1], pooled, seed),
        n=len(graded),
        left_out=len(asked) - len(graded),
        ungraded=ungraded,
        why=why,
    )


PlaysByDrafts = Mapping[DraftsKey, Sequence[Played]]


def _plays_on(plays: Sequence[Played], both: set[DraftsKey]) -> dict[DraftsKey, list[Played]]:
    return split([play for play in plays if play.drafts in both], lambda play: play.drafts)


_NOTHING_PAID: Mapping[DraftsKey, GroupingPaid] = {}


def _policy(
    voted: PlaysByDrafts,
    talked: PlaysByDrafts,
    grouping: Mapping[DraftsKey, GroupingPaid] = _NOTHING_PAID,
    heard_out: Mapping[DraftsKey, GroupingPaid] = _NOTHING_PAID,
    *,
    lacking: Collection[str] = frozenset(),
) -> _Policy:
    """Each set of drafts by its mean over captains, each question by its mean over repeats."""
    values: dict[str, list[Value]] = {}
    calls: dict[str, list[float]] = {}
    ways: dict[str, frozenset[bool]] = {}
    costs_usd: dict[str, list[float | None]] = {}
    for drafts, plays in sorted([*voted.items(), *talked.items()]):
        question = drafts[0]
        paid = grouping.get(drafts, GroupingPaid()) if drafts in talked else GroupingPaid()
        ways[question] = ways.get(question, frozenset()) | {drafts in talked}
        values.setdefault(question, []).append(mean_value([play.value for play in plays]))
        if drafts in voted and (whole := heard_out.get(drafts)) is not None:
            calls.setdefault(question, []).append(whole.calls)
            costs_usd.setdefault(question, []).append(whole.cost_usd)
            continue
        calls.setdefault(question, []).append(sum(play.calls for play in plays) / len(plays) + paid.calls)
        known = [play.cost_usd for play in plays if play.cost_usd is not None]
        unknown = paid.cost_usd is None or len(known) < len(plays)
        costs_usd.setdefault(question, []).append(None if unknown else sum(known) / len(plays) + (paid.cost_usd or 0.0))
    priced = not any(cost is None for several in costs_usd.values() for cost in several)
    return _Policy(
        {question: mean_value(several) for question, several in values.items()},
        without_cut(
            {question: mean([cost or 0.0 for cost in several]) for question, several in costs_usd.items()}, lacking
        )
        if priced
        else None,
        without_cut({question: mean(several) for question, several in calls.items()}, lacking),
        ways,
    )


@dataclass(frozen=True, slots=True)
class _PaidFor:
    """A claim whose limits can be asked for at any level."""

    claim: Callable[..., Claim | None]

    def limits(self, alpha: float) -> tuple[float | None, float | None]:
        found = self.claim(side=alpha / 2)
        return (None, None) if found is None else (found.low, found.high)


def _compared(options: Mapping[str, _Policy], start: str, other: _Policy, pooled: bool, seed: int) -> Row:
    """The threshold that was learnt against one of the arms, the choice among all thresholds paid for (`stats.choice`).

    Over the questions of which both are graded, with bounds over all.
    """
    chosen = options[start]
    pairs = {question: [(value, other.values[question])] for question, value in chosen.values.items()}
    row = abstained_apart(compared_row(pairs, pooled=pooled), fair_pairs(pairs))
    if row["difference"] is None:
        return row
    arm = [other.values[question].known for question in pairs]
    # One that does as the arm on every question cannot be better than it by luck.
    beside = [
        policy
        for name, policy in options.items()
        if name != start and [policy.values[question].known for question in pairs] != arm
    ]
    tables = _tables([chosen, *beside], other, list(pairs))
    clusters = units_of(pairs)
    paid = _PaidFor(partial(claim_whatever, *tables, option=0, single=0, pooled=pooled, clusters=clusters, seed=seed))
    found = paid.claim()
    assert found is not None, "there is a difference"
    test = "mcnemar" if row["test"] == "mcnemar" and clusters is None else "score"
    row |= {"low": found.low, "high": found.high, "p": found.p, "test": test, TESTED: paid}
    row.pop("why", None)
    turned = why_turned(row, found.limits_graded)
    return {**row, "why": turned} if turned else row


def _tables(options: Sequence[_Policy], arm: _Policy, asked: Sequence[str]) -> tuple[Tables, Tables]:
    """What waits on a question that a policy plays as the arm does is one answer: it turns out the same for both."""
    import numpy as np

    def table(policies: Sequence[_Policy], end: str, of_arm: str | None = None) -> Floats:
        rows = [
            [
                getattr((arm if as_arm else policy).values[question], of_arm if as_arm and of_arm else end)
                for question in asked
                for as_arm in [policy.ways[question] == arm.ways[question]]
            ]
            for policy in policies
        ]
        return np.array(rows, dtype=float)

    ours = Tables(table(options, "known"), table(options, "worst", "best"), table(options, "best", "worst"))
    return ours, Tables(*(table([arm], end) for end in ("known", "worst", "best")))


def _prices(options: Mapping[str, _Policy]) -> Mapping[str, Mapping[str, float]]:
    """Money where all of it is known, else calls: the two cannot be compared with each other."""
    money = {start: policy.cost_usd for start, policy in options.items() if policy.cost_usd is not None}
    return money if len(money) == len(options) else {start: policy.calls for start, policy in options.items()}


def _by_choice(options: Mapping[str, _Policy], choice: Mapping[str, str]) -> _Policy:
    """Each question under the threshold that its fold may use."""
    costs = {question: options[start].cost_usd for question, start in choice.items()}
    costs_usd = {question: cost[question] for question, cost in costs.items() if cost is not None and question in cost}
    calls = {question: options[start].calls for question, start in choice.items()}
    return _Policy(
        {question: options[start].values[question] for question, start in choice.items()},
        None if any(cost is None for cost in costs.values()) else costs_usd,
        {question: of_start[question] for question, of_start in calls.items() if question in of_start},
        {question: options[start].ways[question] for question, start in choice.items()},
    )


def _arm(policy: _Policy, graded: Sequence[str], gradable: Sequence[str], seed: int) -> Arm:
    """Right over the questions that every arm has graded; cost and calls over all of which no play lacks calls.

    The interval holds over these, and over all that will be graded: a question that waits for another arm may be known here.
    """
    marks = {question: policy.values[question].known for question in graded}
    right = {question: value for question, value in marks.items() if value is not None}
    values = {question: policy.values[question] for question in gradable}
    worst, best = (completed(values, best=best) for best in (False, True))
    reached = estimate(right)
    if right and not right == worst == best:
        between = share_between(share(value_rows(right)), worst, best)
        reached = None if between is None else _holding(reached, between.estimate())
    paid = None if policy.cost_usd is None else mean_of(policy.cost_usd, seed=seed)
    bounds = bounds_row(policy.values.values())
    whole = len(policy.calls)
    return Arm(reached, paid, mean_cost(policy.calls), bounds, None if whole == len(policy.values) else whole)


def _paid_for(
    reached: Estimate | None, right: Mapping[str, Mapping[str, float | None]], graded: Sequence[str], seed: int
) -> Estimate | None:
    """The cross-fitted accuracy, both ends of its interval paid for the choice among all thresholds.

    Folds are no independent tests: what one of them tests helps to choose for the others. So it may be off by as much as the
    threshold that is farthest off, and by more than one that was fixed beforehand.
    """
    if reached is None or reached.low is None or reached.high is None:
        return reached
    import numpy as np

    # Thresholds that come to the same are nothing to choose between.
    distinct = dict.fromkeys(tuple(values[question] for question in graded) for values in right.values())
    table = np.array(list(distinct), dtype=float)
    clusters = units_of(graded)
    low = chosen_interval(table, 0, reached, clusters=clusters, seed=seed).low
    mirrored = replace(reached, value=1 - reached.value, low=1 - reached.high, high=1 - reached.low)
    high = chosen_interval(1 - table, 0, mirrored, clusters=clusters, seed=seed).low
    return replace(reached, low=low, high=None if high is None else 1 - high)


def _holding(seen: Estimate | None, all_graded: Estimate) -> Estimate:
    """An estimate over what is seen whose interval is no narrower than either."""
    if seen is None or seen.low is None or seen.high is None or all_graded.low is None or all_graded.high is None:
        return all_graded
    return replace(all_graded, low=min(seen.low, all_graded.low), high=max(seen.high, all_graded.high))
