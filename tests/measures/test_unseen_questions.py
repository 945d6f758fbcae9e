"""Figures over what came up (wrong answers, right ones, challenges), of which a question may bring one or as many as were
asked. One at a time is what was seen; a question on which all are wrong at once may yet come, and is as large as it can be."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from moot.measures.discussion.challenge_rates import GradedObjection, challenges
from moot.measures.quiz.played import Played
from moot.measures.quiz.self_preference import self_preference
from moot.measures.safety.consensus import consensus_rate
from moot.measures.safety.pairs import Pair
from moot.measures.safety.rescues import safety
from moot.stats.clusters import clustered
from moot.stats.proportion import wilson
from moot.traces import Ending

Changes = Iterable[tuple[float, float]]


def pairs_of(question: str, changes: Changes) -> list[Pair]:
    """One pair a model: right alone, right after."""
    return [Pair(question, f"m{model}", *change) for model, change in enumerate(changes)]


def one_wrong_at_a_time(questions: int, models: int, wrong: int) -> list[Pair]:
    """Each time it is repaired; nobody is wrong on the other questions."""
    return [
        pair
        for place in range(questions)
        for pair in pairs_of(f"q{place}", [(float(place >= wrong), 1.0), *[(1.0, 1.0)] * (models - 1)])
    ]


def mirrored(pairs: Iterable[Pair]) -> list[Pair]:
    """Right for wrong: what was repaired is spoilt."""
    return [Pair(pair.question, pair.model, 1 - (pair.native or 0.0), 1 - (pair.after or 0.0)) for pair in pairs]


@pytest.mark.parametrize(("questions", "models", "wrong"), [(60, 9, 16), (60, 3, 5), (100, 9, 18)])
def test_rates_leave_room_for_a_question_on_which_all_are_wrong(questions: int, models: int, wrong: int) -> None:
    """Of such a world, in which 2 to 3 % of questions are wrong for all and never repaired, half of what is wrong is
    repaired; no such question is among these in 13 to 16 % of experiments."""
    pairs = one_wrong_at_a_time(questions, models, wrong)
    rescued, spoilt = safety(pairs).rescue_rate, safety(mirrored(pairs)).regression_rate
    assert rescued is not None
    assert rescued.low is not None
    assert rescued.value == rescued.high == 1.0
    assert rescued.low < 0.5
    assert spoilt == rescued


def test_so_does_the_other_end() -> None:
    never = [Pair(p.question, p.model, p.native, p.native) for p in one_wrong_at_a_time(60, 9, 16)]
    rate = safety(never).rescue_rate
    assert rate is not None
    assert rate.high is not None
    assert rate.value == rate.low == 0.0
    assert rate.high > 0.5


def test_one_pair_a_question_is_wilsons() -> None:
    rate = safety(one_wrong_at_a_time(60, 1, 16)).rescue_rate
    assert rate is not None
    assert (rate.low, rate.high) == pytest.approx((wilson(16, 16).low, 1.0), abs=1e-12)


def test_a_cluster_can_be_wrong_as_a_whole() -> None:
    """One model, and five questions on each passage: of a passage all five may be wrong."""
    pairs = [Pair(f"p{passage}-{part}", "ann", float(part > 0), 1.0) for passage in range(16) for part in range(5)]
    with clustered({pair.question: pair.question.split("-")[0] for pair in pairs}):
        rate = safety(pairs).rescue_rate
    alone = safety(pairs).rescue_rate
    assert rate is not None
    assert alone is not None
    assert rate.low is not None
    assert alone.low is not None
    assert rate.low < 0.55 < alone.low


def test_what_waits_for_a_grade_is_at_its_worst_there_too() -> None:
    judged = [replace(pair, after_way="judge") for pair in one_wrong_at_a_time(200, 9, 60)]
    at_worst = safety([*judged, *pairs_of("q200", [*[(0.0, 1.0)] * 8, (0.0, 0.0)])]).rescue_rate
    last = Pair("q200", "m8", 0.0, None, after_way="waiting")
    waiting = safety([*judged, *pairs_of("q200", [(0.0, 1.0)] * 8), last]).rescue_rate
    assert at_worst is not None
    assert waiting is not None
    assert waiting.low == at_worst.low


def test_a_question_counts_with_all_that_were_asked_to_challenge() -> None:
    """Where one agent improves something now and then and all five make it worse at once, as much in all, no loss is among
    60 questions in 16 % of experiments."""
    said = [
        GradedObjection(f"q{place}", agree=place >= 9 or agent > 0, before=0.0, after=1.0, answered=True)
        for place in range(60)
        for agent in range(5)
    ]
    found = challenges(said)
    assert found["net"] == 1.0
    assert found["net_low"] < 0
    once = challenges([objection for place, objection in enumerate(said) if place % 5 == 0])
    assert once["net_low"] == pytest.approx(2 * 0.025 ** (1 / 9) - 1)


def test_so_do_captains_who_did_not_choose_themselves() -> None:
    plays = [
        Played(f"q{place}", "captain", f"m{captain}", right=1.0, own_choice=place >= 16 or captain > 0)
        for place in range(60)
        for captain in range(9)
    ]
    *_, pooled = self_preference(plays)
    first, *_ = self_preference([play for play in plays if play.captain == "m0"])
    assert pooled["captain"] is None
    assert pooled["accuracy_not_self_low"] < 0.5
    assert first["accuracy_not_self_low"] == pytest.approx(wilson(16, 16).low)


def test_so_do_repeats_in_which_a_debate_was_needed() -> None:
    unanimous, agreed = Ending("unanimous", True), Ending("consensus", True)
    once = consensus_rate({f"q{place}": [agreed] if place < 16 else [unanimous] for place in range(60)})
    often = consensus_rate(
        {f"q{place}": [agreed if place < 16 else unanimous, *[unanimous] * 8] for place in range(60)}
    )
    assert once is not None
    assert often is not None
    assert once["low"] == pytest.approx(wilson(16, 16).low)
    assert often["low"] < 0.5
