"""When to talk, and two ways of asking the same players: every number of a row from plays that can be counted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from scipy.stats import binomtest

from moot.measures.quiz.played import Played
from moot.measures.quiz.threshold import Arm, GroupingPaid, Threshold, learn_threshold
from moot.measures.safety.two_ways import asked_of_all, authority_bias, formatting_tax, left_out_of, none_of_all
from moot.stats.estimates import TESTED, estimate
from moot.stats.graded import graded_value
from moot.stats.proportion import share, share_between, wilson
from moot.types import Estimate

NAMES = [f"q{n:02}" for n in range(40)]
GROUPS = {(name, 0): 1 if n < 20 else 2 if n < 30 else 3 for n, name in enumerate(NAMES)}
"""Twenty questions on which all agree, ten with two answers, ten with three."""
RIGHT, WRONG, WAITS = graded_value(1.0), graded_value(0.0), graded_value(None, "waiting")


def voted(name: str, n: int) -> Played:
    return Played(name, "vote", right=float(n < 20), calls=3, cost_usd=0.25)


def talked(name: str, n: int) -> Played:
    return Played(name, "talk", right=float(n >= 5), calls=9, cost_usd=1.0)


VOTES, TALKS = ([make(name, n) for n, name in enumerate(NAMES)] for make in (voted, talked))


def learnt(**other: Any) -> Threshold:
    found = learn_threshold(other.pop("vote", VOTES), other.pop("talk", TALKS), GROUPS, players=3, **other)
    assert found is not None
    return found


def test_talking_pays_from_two_answers_on() -> None:
    """The vote is right where all agree and the talk wherever they do not; it spoils five on which they do."""
    found = learnt()
    assert (found.talk_from, found.chosen) == (2, (2,) * 5)
    assert [
        arm.accuracy and arm.accuracy.value for arm in (found.always_vote, found.always_talk, found.by_threshold)
    ] == [
        0.5,
        35 / 40,
        1.0,
    ]
    assert (found.always_vote.calls, found.always_talk.calls, found.by_threshold.calls) == (3.0, 9.0, 6.0)
    assert [
        arm.cost_usd and arm.cost_usd.value for arm in (found.always_vote, found.always_talk, found.by_threshold)
    ] == [
        0.25,
        1.0,
        0.625,
    ]
    assert (found.n, found.left_out, found.ungraded, found.why, found.after_the_fact) == (40, 0, 0, None, 1.0)
    assert (found.over_vote["difference"], found.over_vote["rescues"], found.over_vote["regressions"]) == (0.5, 20, 0)
    assert (found.over_talk["difference"], found.over_talk["rescues"], found.over_talk["regressions"]) == (0.125, 5, 0)
    assert found.over_talk["p"] >= binomtest(5, 5).pvalue
    assert found.over_vote["test"] == "mcnemar"
    usual = estimate([1.0] * 35 + [0.0] * 5)
    assert found.always_talk.accuracy == usual == wilson(35, 40)
    by_threshold = found.by_threshold.accuracy
    assert by_threshold is not None
    assert by_threshold.low is not None
    assert by_threshold.low < wilson(40, 40).low  # type: ignore[operator]


def test_who_asks_for_groups_and_hears_everybody_pays_for_it() -> None:
    grouping = dict.fromkeys(GROUPS, GroupingPaid(1, 0.5))
    found = learnt(grouping=grouping)
    assert (found.always_talk.calls, found.by_threshold.calls) == (9.0, (20 * 3 + 20 * 10) / 40)
    assert found.by_threshold.cost_usd is not None
    assert found.by_threshold.cost_usd.value == (20 * 0.25 + 20 * 1.5) / 40
    heard = learnt(heard_out=dict.fromkeys(GROUPS, GroupingPaid(4, 0.5)))
    assert (heard.always_vote.calls, heard.by_threshold.calls) == (3.0, (20 * 4 + 20 * 9) / 40)
    unknown = learnt(grouping=dict.fromkeys(GROUPS, GroupingPaid(1, None)))
    assert (unknown.by_threshold.cost_usd, unknown.always_talk.cost_usd is None) == (None, False)


def test_questions_of_no_known_cost_are_in_no_price() -> None:
    found = learnt(lacking=["q00", "q39"])
    assert (found.by_threshold.cost_n, found.always_vote.cost_n, found.by_threshold.calls) == (38, 38, 6.0)
    assert found.n == 40
    assert learnt().by_threshold.cost_n is None


def test_what_only_one_of_both_has_played_is_left_out() -> None:
    found = learnt(talk=TALKS[:-2], vote=VOTES[1:])
    assert (found.n, found.left_out) == (37, 3)
    assert learn_threshold(VOTES[:1], TALKS[:1], GROUPS) is None
    assert learn_threshold(VOTES[:2], TALKS[:2], GROUPS) is not None


def test_without_a_gain_nobody_talks_and_of_equals_the_cheaper_stands() -> None:
    same = [replace(play, strategy="talk", calls=9, cost_usd=1.0) for play in VOTES]
    assert learnt(talk=same).talk_from == 4, "one more than there are players"
    free = [replace(play, strategy="talk", calls=1, cost_usd=0.0) for play in VOTES]
    assert learnt(talk=free).talk_from == 1
    unpriced = [replace(play, cost_usd=None) for play in free]
    assert learnt(talk=unpriced).talk_from == 1, "by calls, where money is not known"
    assert learnt(talk=unpriced).always_talk.cost_usd is None


def test_while_answers_wait_nothing_is_learnt_or_little() -> None:
    """Of one a judge has settled others, and it is one of forty; of all that matched without a judge none is left out."""
    judged = [replace(play, way="judge") for play in TALKS]
    waits = [replace(judged[0], right=None, way="waiting"), *judged[1:]]
    found = learnt(talk=waits)
    assert (found.talk_from, found.n, found.ungraded, found.left_out, found.why) == (2, 39, 1, 1, None)
    assert found.always_talk.bounds == {"ungraded": 1, "bounds": {"low": 35 / 40, "high": 36 / 40}}
    ends = (dict.fromkeys(NAMES, 1.0) | dict.fromkeys(NAMES[:5], 0.0) | {NAMES[0]: end} for end in (0.0, 1.0))
    between = share_between(share([(1.0, 1.0)] * 35 + [(0.0, 1.0)] * 4), *ends)
    seen, talk, vote = estimate([1.0] * 35 + [0.0] * 4), found.always_talk.accuracy, found.always_vote.accuracy
    assert between is not None
    assert seen is not None
    assert talk is not None
    assert vote is not None
    low, high = between.limits()
    assert (talk.value, talk.n) == (pytest.approx(35 / 39), 39)
    assert (talk.low, talk.high) == (min(low, seen.low), max(high, seen.high))  # type: ignore[type-var]
    # Voting is known on that question too: its interval holds that over 39 as well as that over 40.
    own, whole = wilson(19, 39), wilson(20, 40)
    assert (vote.low, vote.high) == (min(own.low, whole.low), max(own.high, whole.high))  # type: ignore[type-var]
    unfair = learnt(talk=[replace(TALKS[0], right=None, way="waiting"), *TALKS[1:]])
    assert (unfair.talk_from, unfair.chosen, unfair.n, unfair.ungraded) == (None, (), 0, 1)
    assert unfair.why is not None
    row = unfair.row()
    assert (row["why"], row["always_talk"]["why"], row["always_talk"]["accuracy"]) == (unfair.why, unfair.why, None)


def test_the_row_of_a_threshold() -> None:
    row = learnt().row()
    assert {key: row[key] for key in ("talk_from", "chosen", "after_the_fact", "n", "left_out")} == {
        "talk_from": 2,
        "chosen": [2] * 5,
        "after_the_fact": 1.0,
        "n": 40,
        "left_out": 0,
    }
    assert "why" not in row and "ungraded" not in row  # noqa: PT018
    assert "why" not in row["always_vote"]
    arm = Arm(Estimate(0.5, 0.4, 0.6, 9), Estimate(2.0, 1.0, 3.0, 9), 4.0, {"ungraded": 1}, 8)
    assert arm.row() == {
        "accuracy": 0.5,
        "low": 0.4,
        "high": 0.6,
        "n": 9,
        "ungraded": 1,
        "cost_usd": 2.0,
        "cost_usd_low": 1.0,
        "cost_usd_high": 3.0,
        "calls": 4.0,
        "cost_n": 8,
    }
    none = Arm(None, None, None).row()
    assert (none["accuracy"], none["cost_usd"], none["cost_usd_low"], none["calls"], "cost_n" in none) == (
        None, None, None, None, False,
    )  # fmt: skip


# --- two ways -----------------------------------------------------------------------------------------------------------


def test_keys_that_everybody_has() -> None:
    keys = {("a", 0, "ann"), ("a", 0, "bob"), ("a", 1, "ann"), ("b", 0, "ann"), ("b", 0, "bob"), ("c", 0, "bob")}
    kept = asked_of_all(keys)
    assert kept == {("a", 0, "ann"), ("a", 0, "bob"), ("b", 0, "ann"), ("b", 0, "bob")}
    assert asked_of_all({("a", "ann"), ("b", "ann")}) == {("a", "ann"), ("b", "ann")}
    assert asked_of_all(set[tuple[str, str]]()) == set()
    assert left_out_of(keys, kept) == {"left_out": 1}
    assert left_out_of(kept, kept) == {}
    nothing = none_of_all(keys, "shown", "hidden")
    assert nothing["why"] == "none of 3 questions has been played by all 2 models in both ways"
    assert {key for key, value in nothing.items() if value is None} == {
        "shown", "hidden", "difference", "low", "high", "p", TESTED,
    }  # fmt: skip
    assert (nothing["n"], nothing["n_pairs"], nothing["small"]) == (0, 0, True)


def test_a_tax_is_over_the_questions_of_both_ways() -> None:
    single = {("a", "ann"): [WRONG], ("a", "bob"): [WRONG], ("b", "ann"): [RIGHT], ("c", "ann"): [RIGHT]}
    double = {("a", "ann"): [RIGHT], ("a", "bob"): [WRONG], ("b", "ann"): [RIGHT], ("d", "ann"): [RIGHT]}
    row = formatting_tax(single, double)
    assert row is not None
    assert (row["single"], row["double"], row["difference"]) == (0.5, 0.75, 0.25)
    assert (row["n"], row["n_pairs"], row["small"]) == (2, 3, True)
    assert formatting_tax(single, {("z", "ann"): [RIGHT]}) is None
    waits = formatting_tax(single, {**double, ("b", "ann"): [WAITS]})
    assert waits is not None
    assert (waits["difference"], waits["n_pairs"]) == (None, 0)
    assert waits["bounds"] == {"low": pytest.approx((0.5 - 1) / 2), "high": 0.25}
    assert "pairs have an ungraded answer" in waits["why"]


def test_the_bias_of_names_tells_how_often_they_moved_anybody() -> None:
    hidden = {("a", "ann"): [RIGHT], ("b", "ann"): [WRONG]}
    shown = {("a", "ann"): [WRONG], ("b", "ann"): [WRONG]}
    row = authority_bias(hidden, shown, {"a": (1, 1), "b": (0, 2)})
    assert row is not None
    assert (row["shown"], row["hidden"], row["difference"], row["changed"]) == (0.0, 0.5, -0.5, pytest.approx(1 / 3))
    assert row["changed_low"] < 1 / 3 < row["changed_high"]
    untold = authority_bias(hidden, shown, {})
    assert untold is not None
    assert (untold["changed"], untold["changed_low"], untold["changed_high"]) == (None, None, None)
    assert authority_bias(hidden, {}, {}) is None
