"""From how many different answers on it pays to talk: chosen on four fifths of the questions, scored on the last fifth."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from second_way.cohort_gap import FOLDS, _folds
from second_way.compare import ANY_TEXT, Near
from second_way.diversity import fullest_groups, open_again
from second_way.intervals import mean
from second_way.luck import claim, near, paid_low
from second_way.options import unpriceable
from second_way.quiz_pairs import GRADED, TESTED, apart_on_both_sides, bounds, difference
from second_way.raw import Raw
from second_way.resampling import drawn_sums, ends
from second_way.shares import Value, mean_row, mean_value, unfair_together, value_of
from second_way.tables import Key, Play, Table, drafts_of

Row = dict[str, Any]
NOBODY: Mapping[Key, set[str]] = {}


@dataclass(frozen=True)
class Policy:
    """One value, so many calls and so much money a question."""

    values: dict[str, Value]
    calls: dict[str, float]
    cost_usd: dict[str, float] | None


def talk_threshold(raw: Raw, table: Table) -> Row | None:
    if not table.talking or not table.voting:
        return None
    voted, talked = (
        [play for play in table.together if play.strategy == labels[-1]] for labels in (table.voting, table.talking)
    )
    if open_again(table):
        return None  # on which side of a threshold these stand is open
    distinct = {key: len(groups) for key, groups in fullest_groups([*voted, *talked]).items()}
    both = {play.key for play in voted} & {play.key for play in talked} & distinct.keys()
    grouping, most = _grouping(raw, table)
    sides = [{key: [play for play in plays if play.key == key] for key in sorted(both)} for plays in (voted, talked)]
    arms = [_policy(raw, sides[0], {}, {}), _policy(raw, {}, sides[1], {})]
    asked = sorted(arms[0].values)
    graded = [q for q in asked if all(arm.values[q].known is not None for arm in arms)]
    if len(graded) < 2:
        return None
    left_out = len(asked) - len(graded)
    waiting = unfair_together([[arm.values[question] for arm in arms] for question in asked])
    graded = [] if waiting else graded
    labels = (table.voting[-1], table.talking[-1])
    held = [[raw.episodes(cell) for cell in table.cells if cell.label == label] for label in labels]
    cut = {question for plays in held for question in unpriceable(plays)}
    starts = range(max([most, 1, *(distinct[key] for key in both)]) + 1, 0, -1)  # of equals the one that talks least
    drafted = _drafted(raw, table, talked)
    arms = [_whole(arm, cut) for arm in arms]
    policies = {
        start: _whole(
            _policy(
                raw,
                {key: plays for key, plays in sides[0].items() if distinct[key] < start},
                {key: plays for key, plays in sides[1].items() if distinct[key] >= start},
                grouping,
                {} if start == starts[0] else drafted,
            ),
            cut,
        )
        for start in starts
    }
    folds = _folds(raw, asked)
    parts = min(FOLDS, len(asked))
    chosen = [_best(policies, [q for q in asked if folds[q] != fold]) for fold in range(parts)]
    choice = {question: chosen[folds[question]] for question in asked}
    fitted = _by_choice(policies, choice)
    start = _best(policies, asked)
    means = any(_repeated(plays) for plays in (voted, talked))
    row: Row = {
        "talk_from": None if waiting else start,
        "chosen": [] if waiting else chosen,
        "always_vote": _arm(arms[0], graded, arms),
        "always_talk": _arm(arms[1], graded, arms),
        "by_threshold": _paid(_arm(fitted, graded, arms), policies.values(), graded),
        "after_the_fact": _mean_of_known([policies[start].values[q].known for q in graded]),
        "over_vote": _over(policies, start, arms[0], means=means),
        "over_talk": _over(policies, start, arms[1], means=means),
        "n": len(graded),
        "left_out": len({play.question for play in [*voted, *talked]}) - len(graded),
    }
    if left_out:
        row["ungraded"] = left_out
    if not waiting:
        return row
    arms_why = {name: {**row[name], "why": ANY_TEXT} for name in ("always_vote", "always_talk", "by_threshold")}
    return {**row, **arms_why, "why": ANY_TEXT}


def _mean_of_known(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return mean(known) if known else None


def _repeated(plays: Sequence[Play]) -> bool:
    """Whether a question is played more than once, be it under several captains."""
    return len({play.question for play in plays}) < len(plays)


def _grouping(raw: Raw, table: Table) -> tuple[dict[Key, list[str]], int]:
    """The calls that grouping each set of drafts took, the fullest set if it was grouped; and the most drafts of any."""
    steps = {(r["cell"], r["question_id"], r["repeat"]): json.loads(r["transcript"]) for r in raw.tables["verdicts"]}
    calls: dict[Key, list[tuple[tuple[int, int], list[str]]]] = {}
    most = 0
    for cell in table.cells:
        for episode in raw.episodes(cell):
            drafts = drafts_of(cell, episode)
            most = max(most, len(drafts))
            if cell.traits.get("groups") and drafts:
                key = episode.question, episode.repeat // int(cell.traits.get("repeats", 1))
                keys = [s[3] for s in steps[cell.id, episode.question, episode.repeat] if s[1] == "grouping" and s[3]]
                fullness = len(drafts), sum(text is not None for _, text in drafts)
                calls.setdefault(key, []).append((fullness, list(dict.fromkeys(keys))))
    return {key: max(several, key=lambda one: one[0])[1] for key, several in calls.items()}, most


def _drafted(raw: Raw, table: Table, talked: Sequence[Play]) -> dict[Key, set[str]]:
    """The calls by which everybody was heard before a captain talked."""
    steps = {(r["cell"], r["question_id"], r["repeat"]): json.loads(r["transcript"]) for r in raw.tables["verdicts"]}
    found: dict[Key, set[str]] = {}
    for cell in table.cells:
        if talked and cell.label == talked[0].strategy:
            for episode in raw.episodes(cell):
                key = episode.question, episode.repeat // int(cell.traits.get("repeats", 1))
                told = steps[cell.id, episode.question, episode.repeat]
                found.setdefault(key, set()).update(s[3] for s in told if s[1] == "draft" and s[2] == 1 and s[3])
    return found


def _policy(
    raw: Raw,
    voted: Mapping[Key, Sequence[Play]],
    talked: Mapping[Key, Sequence[Play]],
    grouping: Mapping[Key, Sequence[str]],
    drafted: Mapping[Key, set[str]] = NOBODY,
) -> Policy:
    """Each set of drafts by its mean over captains, each question by its mean over sets."""
    values: dict[str, list[Value]] = {}
    calls: dict[str, list[float]] = {}
    costs: dict[str, list[float | None]] = {}
    for key, plays in [*voted.items(), *talked.items()]:
        more = grouping.get(key, ()) if key in talked else ()
        values.setdefault(key[0], []).append(value_of([play.right for play in plays], [play.said for play in plays]))
        asked = [[*play.calls, *more] for play in plays]
        if key in voted and any(drafted.get(key, set()) - set(play.calls) for play in plays):
            # Whoever may talk has to hear everybody first, be it that the vote did not wait for all.
            asked = [sorted({*plays[-1].calls, *drafted[key], *grouping.get(key, ())})]
        calls.setdefault(key[0], []).append(mean([float(len(each)) for each in asked]))
        prices = [[raw.calls[call]["cost_usd"] for call in each] for each in asked]
        known = all(price is not None for several in prices for price in several)
        costs.setdefault(key[0], []).append(mean([sum(several) for several in prices]) if known else None)
    priced = all(cost is not None for several in costs.values() for cost in several)
    return Policy(
        {question: mean_value(several) for question, several in values.items()},
        {question: mean(several) for question, several in calls.items()},
        {q: mean([cost or 0.0 for cost in several]) for q, several in costs.items()} if priced else None,
    )


def _whole(policy: Policy, cut: set[str]) -> Policy:
    """What it takes is told by the questions of which it is known what the vote and the talk take."""
    calls = {question: calls for question, calls in policy.calls.items() if question not in cut}
    usd = None if policy.cost_usd is None else {question: policy.cost_usd[question] for question in calls}
    return Policy(policy.values, calls, usd)


def _best(policies: Mapping[int, Policy], questions: Sequence[str]) -> int:
    """Most right, what is ungraded taken for wrong; of equals the cheapest."""
    money = all(policy.cost_usd is not None for policy in policies.values())

    def merit(start: int) -> tuple[bool, float, float]:
        mine = [policies[start].values[question] for question in questions]
        paid = (policies[start].cost_usd if money else policies[start].calls) or {}
        cost = sum(paid[question] for question in questions if question in paid)
        return any(v.known is not None for v in mine), round(sum(v.least for v in mine), 9), -round(cost, 12)

    return max(policies, key=merit)


def _by_choice(policies: Mapping[int, Policy], choice: Mapping[str, int]) -> Policy:
    costs = [policies[start].cost_usd for start in choice.values()]
    return Policy(
        {question: policies[start].values[question] for question, start in choice.items()},
        {q: policies[start].calls[q] for q, start in choice.items() if q in policies[start].calls},
        {q: cost[q] for (q, _), cost in zip(choice.items(), costs, strict=True) if cost is not None and q in cost}
        if all(cost is not None for cost in costs)
        else None,
    )


def _arm(policy: Policy, graded: Sequence[str], arms: Sequence[Policy]) -> Row:
    """While something waits in any arm the interval is no narrower than over what is seen, nor than over all in the end."""
    known = [value for q in graded if (value := policy.values[q].known) is not None]
    row = mean_row(known, "accuracy")
    gradable = {q: policy.values[q] for q in policy.values if all(arm.values[q].worst is not None for arm in arms)}
    if known and row["low"] is not None and len(gradable) > len(known):
        one = mean_row(known, "accuracy", gradable)
        if not any(value.waits for value in gradable.values()):
            one = mean_row([value.known or 0.0 for value in gradable.values()], "accuracy")
        if one["low"] is not None:
            row |= {"low": min(row["low"], one["low"]), "high": max(row["high"], one["high"])}
    if any(value.open for value in policy.values.values()):
        low, high = (mean([getattr(value, end) for value in policy.values.values()]) for end in ("least", "most"))
        row |= {"ungraded": sum(v.most - v.least for v in policy.values.values()), "bounds": {"low": low, "high": high}}
    row |= {"cost_usd": None, "cost_usd_low": None, "cost_usd_high": None, "calls": None}
    if policy.calls:
        row["calls"] = mean([*policy.calls.values()])
    if len(policy.calls) < len(policy.values):
        row["cost_n"] = len(policy.calls)
    if policy.cost_usd:
        paid = [*policy.cost_usd.values()]
        row["cost_usd"] = mean(paid)
        if len(paid) > 1 and max(paid) - min(paid) > 1e-12:
            sums = drawn_sums([[cost] for cost in paid], seed=1)
            row["cost_usd_low"], row["cost_usd_high"] = ends(np.asarray(sums[:, 0] / len(paid)), len(paid))
    return row


def _paid(row: Row, policies: Iterable[Policy], graded: Sequence[str]) -> Row:
    """Both ends of the cross-fitted accuracy, paid for the choice among the thresholds that differ."""
    if row["low"] is None:
        return row
    table = np.array(sorted({tuple(policy.values[q].known or 0.0 for q in graded) for policy in policies}))
    low = paid_low(table, row["accuracy"], row["low"])
    high = paid_low(1 - table, 1 - row["accuracy"], 1 - row["high"])
    assert high is not None
    turned = Near(1 - (high.value or 0.0), high.within) if isinstance(high, Near) else 1 - high
    return {**row, "low": low, "high": turned}


@dataclass(frozen=True)
class Learnt:
    """The threshold that was learnt stands in the first row, beside those that are paid for."""

    table: Any
    arm: Any
    means: bool

    def claim(self, alpha: float) -> Any:
        said = claim(self.table, self.arm, 0, 0, None, means=self.means, side=alpha / 2)
        assert said is not None
        return said

    @property
    def p(self) -> float:
        low, high = self.claim(0.05).p
        return float(low + high) / 2

    def limits(self, alpha: float) -> Any:
        said = self.claim(alpha)
        return tuple(None if end is None else near(end) for end in (said.low, said.high))


def _over(policies: Mapping[int, Policy], start: int, other: Policy, *, means: bool) -> Row:
    """The threshold that was learnt, paid for as one of all that are not the arm itself."""
    pairs = {question: [(value, other.values[question])] for question, value in policies[start].values.items()}
    row = {key: value for key, value in difference(pairs, means=means).items() if key not in (TESTED, GRADED)} | bounds(
        pairs
    )
    row = apart_on_both_sides(row, pairs)
    if not row["n"]:
        return row

    def marks(policy: Policy) -> list[float]:
        known = [policy.values[question].known for question in pairs]
        return [math.nan if value is None else value for value in known]

    arm = np.array([marks(other)])
    paid = [np.array(marks(policy)) for place, policy in policies.items() if place != start]
    beside = [own for own in paid if not np.array_equal(own, arm[0], equal_nan=True)]
    tested = Learnt(np.array([marks(policies[start]), *beside]), arm, means)
    said = tested.claim(0.05)
    low, high = tested.limits(0.05)
    row |= {"low": low, "high": high, "p": near(said.p), TESTED: tested}
    if said.low is None or said.high is None or "bounds" not in row:
        return row
    if (said.low[0] > 0 and row["bounds"]["low"] <= 0) or (said.high[1] < 0 and row["bounds"]["high"] >= 0):
        row["why"] = ANY_TEXT
    return row
