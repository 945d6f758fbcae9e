"""Rescues and regressions: the paper's tables from its counts, edges, and an interval that covers what it says."""

from __future__ import annotations

import importlib.util
import json
import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moot.measures.safety.cohorts import coverage, macro_average
from moot.measures.safety.consensus import consensus_rate
from moot.measures.safety.gap import gap_closure
from moot.measures.safety.lift import lift
from moot.measures.safety.multiple import (
    FEW,
    NO_CHANGE,
    NO_REGRESSION,
    NO_RESCUE,
    ONE_QUESTION,
    multiple,
    multiple_bounds,
    multiple_p,
)
from moot.measures.safety.pairs import (
    Pair,
    gain_by_strength,
    per_model,
)
from moot.measures.safety.rescues import safety
from moot.measures.safety.two_ways import authority_bias, formatting_tax
from moot.stats.clusters import clustered
from moot.stats.estimates import with_holm
from moot.stats.graded import Value, graded_value, value_of
from moot.stats.paired import compare, mean_difference
from moot.traces import Ending

QUESTIONS = 198


def bench(name: str) -> Any:
    """The simulation is the benchmark's own, so that what is tested is what is printed."""
    path = Path(__file__).parents[2] / "bench" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    import sys

    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("native", "after", "change"),
    [
        (0.5, 0.5, "part-kept"),
        (0.5, math.nextafter(0.5, 0), "part-kept"),  # the same share, but for its last digit
        (0.5, 0.4, "part-regression"),
        (0.4, 0.5, "part-rescue"),
        (0.0, 0.1, "rescue"),
        (1.0, 0.9, "regression"),
        (1.0, 1.0, "kept"),
        (0.0, 0.0, "still-wrong"),
    ],
)
def test_a_score_that_rises_is_a_rescue_and_one_that_falls_a_regression(
    native: float, after: float, change: str
) -> None:
    pair = Pair("q", "m", native, after)
    assert pair.change == change
    assert (pair.native_value.known, pair.after_value.known) == (native, after)


def pairs_of(
    cohort: str, models: int, rescues: int, regressions: int, recovered: int = 0, right: int = 0
) -> list[Pair]:
    """So many changes, dealt out over 198 questions and the cohort's models; everything else stays wrong or right."""
    places = [(f"q{n}", f"{cohort}-{m}") for n in range(QUESTIONS) for m in range(models)]
    random.Random(f"{cohort}").shuffle(places)
    kinds = [
        *[(0.0, 1.0, "answered")] * rescues,
        *[(1.0, 0.0, "answered")] * regressions,
        *[(0.0, 1.0, "refused")] * recovered,
        *[(1.0, 1.0, "answered")] * right,
    ]
    kinds += [(0.0, 0.0, "answered")] * (len(places) - len(kinds))
    return [
        Pair(question, model, native, after, outcome, cohort=cohort)
        for (question, model), (native, after, outcome) in zip(places, kinds, strict=True)
    ]


CLOSED = pairs_of("closed", 3, 42, 15, right=400)
OPEN = pairs_of("open", 6, 234, 56, recovered=3, right=600)


@pytest.mark.parametrize(
    ("pairs", "rescues", "regressions", "printed"),
    [(CLOSED, 42, 15, 2.8), (OPEN, 234, 56, 4.2), ([*CLOSED, *OPEN], 276, 71, 3.9)],
    ids=["closed", "open", "all"],
)
def test_the_table_of_the_paper(pairs: list[Pair], rescues: int, regressions: int, printed: float) -> None:
    row = safety(pairs).row()
    assert (row["rescues"], row["regressions"], row["net"]) == (rescues, regressions, rescues - regressions)
    assert row["multiple"] == pytest.approx(rescues / regressions)
    assert round(row["multiple"], 1) == printed
    assert 0 < row["low"] < row["multiple"] < row["high"]
    assert row["note"] is None
    assert row["n_pairs"] == len(pairs)
    assert row["n"] == QUESTIONS


def test_recovered_stands_apart() -> None:
    row = safety(OPEN).row()
    assert row["recovered"] == 3
    assert row["multiple"] == pytest.approx(234 / 56)
    assert row["multiple_with_recovered"] == pytest.approx(237 / 56)
    wrong = 6 * QUESTIONS - 600 - 56 - 3
    assert row["rescue_rate"] == pytest.approx(234 / wrong), "of the wrong ones; those that never came are not wrong"
    assert row["regression_rate"] == pytest.approx(56 / 656)


def shares(cohort: str, models: int, native: int, after: int) -> list[Pair]:
    """In so many questions the first model is right, in the others nobody."""
    return [
        Pair(f"q{n}", f"{cohort}-{m}", float(m == 0 and n < native), float(m == 0 and n < after), cohort=cohort)
        for n in range(QUESTIONS)
        for m in range(models)
    ]


def test_coverage_of_the_paper() -> None:
    closed, opened = shares("closed", 3, 189, 183), shares("open", 6, 184, 172)
    rows = {row["cohort"]: row for row in coverage([*closed, *opened], choices={f"q{n}": 4 for n in range(QUESTIONS)})}
    assert [round(100 * rows[name][side], 1) for name in ("closed", "open") for side in ("native", "after")] == [
        95.5,
        92.4,
        92.9,
        86.9,
    ]
    assert rows["closed"]["difference"] == pytest.approx((183 - 189) / 198)
    assert round(100 * rows[None]["guessing"], 1) == 92.5, "nine guessers on four choices"
    assert rows[None]["models"] == 9


def test_coverage_of_all_together() -> None:
    """194 and 191 of 198: 98.0 and 96.5 %, where two cohorts fill each other's gaps."""
    closed = shares("closed", 1, 189, 183)
    opened = [
        Pair(f"q{n}", "open-0", float(n < 179 or 189 <= n < 194), float(n < 164 or 183 <= n < 191), cohort="open")
        for n in range(QUESTIONS)
    ]
    whole = coverage([*closed, *opened])[-1]
    assert (round(100 * whole["native"], 1), round(100 * whole["after"], 1)) == (98.0, 96.5)
    assert whole["guessing"] is None, "without choices nobody can guess"


def graded_as(*grades: float | None) -> dict[str, Value]:
    return {f"q{number}": value_of([grade]) for number, grade in enumerate(grades)}


def accuracy_of(right: int, n: int = 1000) -> dict[str, Value]:
    return graded_as(*(float(number < right) for number in range(n)))


def test_gap_closure_of_the_paper() -> None:
    found = gap_closure({"qwen": accuracy_of(791)}, {"qwen": accuracy_of(825)}, {"gemini": accuracy_of(899)})
    assert found.estimate is not None
    assert round(100 * found.estimate.value, 1) == 31.5
    assert found.estimate.low is not None
    assert 0 < found.estimate.low < found.estimate.value


def test_no_gap_no_closure() -> None:
    found = gap_closure({"a": accuracy_of(9, 10)}, {"a": accuracy_of(10, 10)}, {"b": accuracy_of(9, 10)})
    assert found.estimate is None
    assert found.note is not None
    assert "no gap" in found.note
    assert gap_closure({"a": {}}, {"a": {}}, {"b": {}}).note == "fewer than two questions that all have played"


def test_questions_that_hang_together_are_one_and_tell_no_gap() -> None:
    weak, strong = {"a": graded_as(0.0, 0.0)}, {"b": graded_as(1.0, 1.0)}
    assert gap_closure(weak, weak, strong).estimate is not None
    with clustered({"q0": "story", "q1": "story"}):
        assert gap_closure(weak, weak, strong).note == "fewer than two questions that all have played"


@pytest.mark.parametrize("side", range(3))
def test_a_cohort_of_which_no_two_can_be_ranked_has_no_best(side: int) -> None:
    """Whichever of the three it is that would have one."""
    every = accuracy_of(30, 60)
    first, second = ({q: every[q] for q in list(every)[half]} for half in (slice(0, 30), slice(30, 60)))
    sides = [{"a": accuracy_of(10, 60)}, {"a": accuracy_of(20, 60)}, {"b": accuracy_of(50, 60)}]
    sides[side] = {"c": first, "d": second}
    assert gap_closure(*sides).note == "no two models of a cohort share enough questions to be ranked"


def test_nobody_is_the_best_for_being_ungraded() -> None:
    """Of what is graded of the flattered one all is right, but that is a quarter of it; the other is right on two thirds."""
    flattered = graded_as(*(1.0 if n % 4 == 0 else None for n in range(60)))
    honest = graded_as(*(float(n % 3 > 0) for n in range(60)))
    start, top = accuracy_of(10, 60), accuracy_of(55, 60)
    found = gap_closure({"weak": start}, {"flattered": flattered, "honest": honest}, {"strong": top})
    expected = gap_closure({"weak": start}, {"honest": honest}, {"strong": top})
    assert found.estimate is not None
    assert expected.estimate is not None
    held = replace(found, estimate=expected.estimate, bounds=None)
    assert held == expected, "the honest one is chosen, and all of it is graded"
    assert found.bounds == {"low": (40 - 10) / 45, "high": (60 - 10) / 45}, "the other may be better"
    assert found.estimate.value == expected.estimate.value
    assert found.estimate.low <= expected.estimate.low < expected.estimate.high < found.estimate.high, (
        "the other may be best"
    )
    alone = gap_closure({"weak": start}, {"flattered": flattered}, {"strong": top})
    assert alone.estimate is not None
    assert (alone.ungraded, alone.estimate.n) == (45, 15)
    assert alone.bounds == {"low": (15 - 10) / 45, "high": (60 - 10) / 45}
    unknown = gap_closure({"weak": start}, {"weak": start}, {"strong": graded_as(*[None] * 50, *[1.0] * 10)})
    assert unknown.estimate is None
    assert unknown.row()["why"] == "the ungraded answers could leave no gap between the two cohorts"


def test_a_vote_has_no_ceiling_after() -> None:
    """Whoever is captain breaks ties for itself: the best of all tie-breaks is nobody's answer."""
    tied = [Pair("q0", name, float(name == "ann"), float(name == "ann"), own_word=False) for name in ("ann", "bob")]
    (row,) = coverage([*tied, *(Pair("q1", name, 0.0, 0.0, own_word=False) for name in ("ann", "bob"))])
    assert (row["native"], row["n"], row["after"], row["difference"]) == (0.5, 2, None, None)
    assert "one word for all" in row["why"]
    (row,) = coverage([replace(pair, own_word=True) for pair in tied])
    assert (row["native"], row["after"]) == (1.0, 1.0)


EDGES = {
    "nothing": ([0, 0, 0], [0, 0, 0], (None, None, None, NO_CHANGE)),
    "no-questions": ([], [], (None, None, None, NO_CHANGE)),
    "one-question": ([3], [1], (3.0, None, None, ONE_QUESTION)),
    "one-question-no-regression": ([3], [0], (None, None, None, ONE_QUESTION)),
}


@pytest.mark.parametrize(("rescues", "regressions", "expected"), EDGES.values(), ids=EDGES)
def test_where_there_is_no_interval(rescues: list[int], regressions: list[int], expected: tuple[Any, ...]) -> None:
    found = multiple(rescues, regressions)
    assert (found.value, found.low, found.high, found.note) == expected


def test_without_regressions_there_is_a_lower_bound_only() -> None:
    found = multiple([1] * 20 + [0] * 30, [0] * 50)
    assert (found.value, found.high, found.note) == (None, None, NO_REGRESSION)
    assert found.low is not None
    assert 1 < found.low < 20
    more = multiple([1] * 40 + [0] * 60, [0] * 100)
    assert more.low is not None
    assert more.low > found.low, "more rescues without a regression say more"


@pytest.mark.parametrize("mirrored", [False, True])
def test_the_side_without_a_count_widens_the_bound_as_a_count_of_a_half_would(mirrored: bool) -> None:
    """By hand: leaving out one of 20 rescues or one of 30 questions on which nothing changed, and 1 / 0.5 for the other side."""
    turned, still = math.log(19.5 / 0.5), math.log(20.5 / 0.5)
    mean = (20 * turned + 30 * still) / 50
    variance = 49 / 50 * (20 * (turned - mean) ** 2 + 30 * (still - mean) ** 2) + 1 / 0.5
    low = math.exp(still - 1.959964 * math.sqrt(variance))
    counts = ([1] * 20 + [0] * 30, [0] * 50)
    found = multiple(*(reversed(counts) if mirrored else counts))
    assert (1 / found.high if mirrored else found.low) == pytest.approx(low, rel=1e-5)  # type: ignore[operator]


def test_without_rescues_there_is_an_upper_bound_only() -> None:
    found = multiple([0] * 50, [1] * 20 + [0] * 30)
    assert (found.value, found.low, found.note) == (0.0, 0.0, NO_RESCUE)
    assert found.high is not None
    assert 0 < found.high < 1


def test_clusters_widen_the_interval() -> None:
    """Nine models that change together on one question are one piece of evidence, not nine."""
    spread = multiple([1] * 90 + [0] * 108, [0] * 90 + [1] * 27 + [0] * 81)
    heaped = multiple([9] * 10 + [0] * 188, [0] * 10 + [9] * 3 + [0] * 185)
    assert spread.value == heaped.value
    assert None not in (spread.low, spread.high, heaped.low, heaped.high)
    assert heaped.low < spread.low  # type: ignore[operator]
    assert heaped.high > spread.high  # type: ignore[operator]


counts = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=40)


@settings(deadline=None)
@given(counts, st.randoms())
def test_order_changes_nothing_and_sides_mirror(drawn: Sequence[tuple[int, int]], shuffler: random.Random) -> None:
    rescues, regressions = ([each[side] for each in drawn] for side in (0, 1))
    found = multiple(rescues, regressions)
    mixed = list(drawn)
    shuffler.shuffle(mixed)
    again = multiple([each[0] for each in mixed], [each[1] for each in mixed])
    for one, other in zip((found.value, found.low, found.high), (again.value, again.low, again.high), strict=True):
        assert one == other or one == pytest.approx(other)
    turned = multiple(regressions, rescues)
    if found.value and turned.value and found.low and found.high and turned.low:
        assert found.high == pytest.approx(1 / turned.low)
    for value in (found.value, found.low, found.high):
        assert value is None or math.isfinite(value)


outcomes = st.sampled_from(["answered", "undecided", "unanswered", "refused", "failed"])
grades = st.sampled_from([0.0, 1.0, None])
some_pairs = st.lists(
    st.builds(
        Pair,
        st.sampled_from(["q1", "q2", "q3"]),
        st.sampled_from(["ann", "bob"]),
        grades,
        grades,
        outcomes,
        outcomes,
        st.sampled_from(["open", "closed", None]),
        st.integers(0, 1),
        st.sampled_from(["one", "two", None]),
    ),
    max_size=30,
)


@settings(deadline=None, max_examples=60)  # every example resamples
@given(some_pairs)
def test_everything_adds_up_and_is_json(pairs: list[Pair]) -> None:
    row = safety(pairs).row()
    assert sum(safety(pairs).counts.values()) == len(pairs), "none is left out"
    assert row["net"] == row["rescues"] - row["regressions"]
    models = with_holm(per_model(pairs))
    assert sum(each["rescues"] for each in models) == row["rescues"]
    assert sum(each["regressions"] for each in models) == row["regressions"]
    strength = gain_by_strength(pairs)
    figures = [
        row,
        models,
        with_holm([strength] if strength else []),
        coverage(pairs),
        macro_average(pairs),
        lift(pairs, pairs) and 0,
    ]
    json.dumps(figures, allow_nan=False)


def test_what_counts_as_what() -> None:
    def change(native: float | None, after: float | None, before: str = "answered", then: str = "answered") -> str:
        return Pair("q", "m", native, after, before, then).change

    assert change(0.0, 1.0) == "rescue"
    assert change(1.0, 0.0) == "regression"
    assert change(1.0, 0.0, then="refused") == "regression", "a right answer that is gone is lost"
    assert change(1.0, None, then="failed") == "regression", "without an answer there is nothing to grade"
    assert change(0.0, 1.0, before="unanswered") == "recovered"
    assert change(None, 1.0, before="failed") == "recovered"
    assert change(0.0, 0.0, before="refused") == "still-missing"
    assert change(None, 1.0) == change(0.0, None) == "ungraded"
    assert change(0.0, 1.0, then="undecided") == "rescue", "the fall-back stands as the answer"
    row = safety([Pair("q", "m", 1.0, 0.0, after_outcome="refused"), Pair("q2", "m", 1.0, 0.0)]).row()
    assert (row["regressions"], row["regressions_without_answer"]) == (2, 1)


def test_ungraded_pairs_are_in_no_figure_but_their_own_count() -> None:
    graded = [
        Pair(f"q{n}", model, float(n % 3 > 0), float(n % 4 > 0), dataset="ab"[n % 2])
        for n in range(24)
        for model in "mn"
    ]
    # Two that nobody graded on one side, on questions of their own; ann's alone would be right, ann's after would not.
    unknown = [Pair("x0", "m", None, 1.0, dataset="a"), Pair("x1", "n", 1.0, None, dataset="b")]
    both = [*graded, *unknown]
    row, without_unknown = safety(both).row(), safety(graded).row()
    bounds, net_bounds = row.pop("bounds"), row.pop("net_bounds")
    assert {key: value for key, value in row.items() if not key.endswith("_bounds")} == {
        **without_unknown,
        "ungraded": 2,
    }
    assert row["regressions_bounds"] == {"low": row["regressions"], "high": row["regressions"] + 1}
    rescues, regressions = row["rescues"], row["regressions"]
    assert bounds == {"low": rescues / (regressions + 1), "high": (rescues + 1) / regressions}
    assert net_bounds == {"low": row["net"] - 1, "high": row["net"] + 1}
    with_unknown, without = per_model(both), per_model(graded)
    assert [row["ungraded"] for row in with_unknown] == [1, 1]
    ends = [row.pop("bounds") for row in with_unknown]
    assert [{**row, "ungraded": 0} for row in with_unknown] == without
    whole_sums = [24 * row["difference"] for row in without]
    expected = [{"low": total / 25, "high": (total + 1) / 25} for total in whole_sums]
    expected[1] = {"low": (whole_sums[1] - 1) / 25, "high": whole_sums[1] / 25}
    assert ends == [pytest.approx(end) for end in expected]
    # Figures over several models are on the questions that all of them have.
    level = [*graded, *(replace(pair, model=name) for pair in unknown for name in "mn")]
    average, complete = macro_average(level), macro_average(graded)
    assert average is not None
    assert complete is not None
    sums = [12 * part["difference"] for part in complete["datasets"]]
    ends = [{"low": sums[0] / 13, "high": (sums[0] + 1) / 13}, {"low": (sums[1] - 1) / 13, "high": sums[1] / 13}]
    assert [part.pop("bounds") for part in average["datasets"]] == [pytest.approx(end) for end in ends]
    means = {side: (ends[0][side] + ends[1][side]) / 2 for side in ("low", "high")}
    assert average.pop("bounds") == pytest.approx(means)
    assert average == {**complete, "ungraded": 4}
    (whole,), (expected,) = coverage(level), coverage(graded)
    native = 24 * expected["native"]
    assert whole.pop("native_bounds") == pytest.approx({"low": (native + 1) / 26, "high": (native + 2) / 26})
    assert whole.pop("after_bounds")["high"] > whole.pop("bounds")["high"]
    assert whole == {**expected, "ungraded": 2}, "questions"
    moved = lift(level, [*graded, *(Pair(pair.question, name, 1.0, 1.0) for pair in unknown for name in "mn")])
    alone = lift(graded, graded)
    assert moved is not None
    assert alone is not None
    shown = moved.row()
    assert shown.pop("bounds") == {"low": alone.row()["net_difference"] - 2, "high": alone.row()["net_difference"] + 2}
    assert shown == {**alone.row(), "ungraded": 4}


def test_one_who_is_right_covers_a_question_whatever_the_ungraded_said() -> None:
    pairs = [
        Pair("q0", "m", 1.0, 1.0),
        Pair("q0", "n", None, 0.0),
        Pair("q1", "m", 0.0, 0.0),
        Pair("q1", "n", 0.0, None),
    ]
    (row,) = coverage(pairs)
    assert (row["native"], row["after"], row["n"], row["ungraded"]) == (1.0, 1.0, 1, 1)


def test_a_stage_of_which_nothing_is_graded_has_no_figures() -> None:
    row = safety([Pair("q0", "m", None, 1.0)]).row()
    assert (row["multiple"], row["rescue_rate"], row["net_share"]) == (None, None, None)
    assert (row["ungraded"], row["n_pairs"], row["n"]) == (1, 0, 0)
    (model,) = per_model([Pair("q0", "m", None, 1.0)])
    assert (model["native"], model["after"], model["difference"], model["n"], model["ungraded"]) == (*[None] * 3, 0, 1)
    assert model["why"] == "no pair has both answers graded"
    assert model["bounds"] == {"low": 0.0, "high": 1.0}


def test_lift_is_over_the_same_pairs() -> None:
    review = [Pair(f"q{n}", "m", float(n % 2), float(n % 2 == 0 or n < 20)) for n in range(60)]
    debate = [Pair(f"q{n}", "m", float(n % 2), float(n % 2 == 0 or n < 50)) for n in range(10, 60)]
    found = lift(review, debate)
    assert found is not None
    shared = [pair for pair in review if int(pair.question[1:]) >= 10]
    assert found.first.row() == safety(shared).row()
    assert found.value == pytest.approx(25 / 5 - 25 / 20)
    assert found.net_difference is not None
    assert found.net_difference.value == pytest.approx(found.second.net - found.first.net) == pytest.approx(15)
    assert found.net_difference.low is not None
    assert found.net_difference.low > 0


def test_many_small_repairs_do_not_show_that_a_debate_never_spoils_all() -> None:
    """One of six models repaired on every third of thirty questions may stand beside a rare question on which all are lost."""
    review = [Pair(f"q{n}", f"m{model}", float(model > 0), float(model > 0)) for n in range(30) for model in range(6)]
    debate = [replace(pair, after=1.0) if int(pair.question[1:]) % 3 == 0 else pair for pair in review]
    found = lift(review, debate)
    assert found is not None
    more = found.net_difference
    assert more is not None
    expected = mean_difference({f"q{n}": (n % 3 == 0) / 12 for n in range(30)})
    assert expected is not None
    assert more.value == 10
    assert (more.low, more.high) == pytest.approx((360 * (expected.low or 0.0), 360 * (expected.high or 0.0)))
    assert more.low is not None
    assert more.low < 0


def test_lift_holds_every_way_in_which_what_waits_may_be_graded() -> None:
    review = [Pair(f"q{n}", "m", n % 2, n % 2, native_way="judge", after_way="judge") for n in range(240)]
    review = [replace(pair, after=1.0 - (pair.after or 0.0)) if n % 5 < 2 else pair for n, pair in enumerate(review)]
    debate = [replace(pair, after=float(n % 3 > 0)) for n, pair in enumerate(review)]
    waits = [replace(pair, after=None, after_way="waiting") if n in (4, 9) else pair for n, pair in enumerate(debate)]
    found = lift(review, waits)
    assert found is not None
    assert found.net_difference is not None
    limits = []
    for grades in product((0.0, 1.0), repeat=2):
        graded = {"q4": grades[0], "q9": grades[1]}
        one = lift(review, [replace(pair, after=graded.get(pair.question, pair.after)) for pair in debate])
        assert one is not None
        assert one.net_difference is not None
        limits.append((one.net_difference.low or 0.0, one.net_difference.high or 0.0))
    assert found.net_difference.low == pytest.approx(min(low for low, _ in limits))
    assert found.net_difference.high == pytest.approx(max(high for _, high in limits))


def test_lift_does_not_exist_where_a_multiple_is_infinite() -> None:
    clean = [Pair(f"q{n}", "m", 0.0, 1.0) for n in range(5)]
    found = lift(clean, clean)
    assert found is not None
    assert found.value is None
    assert found.row()["net_difference"] == 0
    assert lift(clean, []) is None


def test_models_one_by_one() -> None:
    rows = per_model([*CLOSED, *OPEN])
    assert len(rows) == 9
    assert [row["native"] for row in rows] == sorted((row["native"] for row in rows), reverse=True)
    for row in rows:
        gained = (row["rescues"] + row["recovered"] - row["regressions"]) / QUESTIONS
        assert row["after"] - row["native"] == pytest.approx(gained) == pytest.approx(row["difference"])
        assert row["low"] <= row["difference"] <= row["high"]
    assert sum(row["refused"] for row in rows) == 3


def test_weak_models_gain_more() -> None:
    """Each of four models is right alone on so many of 400 questions, and on all but 40 of them after."""
    pairs = [
        Pair(f"q{number}", model, float(number % 10 < right), float(number % 10 < 9))
        for model, right in (("a", 3), ("b", 5), ("c", 7), ("d", 8))
        for number in range(400)
    ]
    found = gain_by_strength(pairs)
    assert found is not None
    assert found["rho"] == pytest.approx(-1)
    assert found["p"] == pytest.approx(2 / 24), "two of the orders of four go together so closely"
    assert (found["low"], found["high"]) == (None, None), "with an interval of no width p would be 0"
    assert "fewer than five" in found["why"]
    assert gain_by_strength([pair for pair in pairs if pair.model in "ab"]) is None


@pytest.mark.parametrize(
    ("gains", "reason"),
    [
        ((4, 3, 2, 1), "fewer than five"),
        ((4, 2, 3, 1), "fewer than five"),
        ((5, 4, 3, 2, 1), "perfect"),
        ((5, 4, 3, 1, 2), None),
    ],
)
def test_a_perfect_order_of_models_has_no_interval(gains: tuple[int, ...], reason: str | None) -> None:
    """Fisher's z of 1 is infinite, and below five models its variance says nothing."""
    pairs = [
        Pair(f"q{number}", f"m{model}", float(number % 10 < model), float(number % 10 < model + gain))
        for model, gain in enumerate(gains)
        for number in range(400)
    ]
    found = gain_by_strength(pairs)
    assert found is not None
    assert found["rho"] is not None
    assert (found["low"] is None, found["high"] is None) == (reason is not None, reason is not None)
    assert (reason is None) == ("why" not in found)
    assert reason is None or reason in found["why"]


@pytest.mark.parametrize("able", [(0.45, 0.55), (0.3, 0.9)])
def test_equal_gains_are_no_sign_that_weak_models_gain_more(able: tuple[float, float]) -> None:
    """Nothing is gained by anybody: a native figure that is low by chance must make no gain. 29–74 % did with one set."""
    generator = np.random.default_rng(12)
    worlds, alarms = 150, 0
    for world in range(worlds):
        skills = generator.uniform(*able, size=6)
        pairs = [
            Pair(f"q{number}", f"m{model}", float(alone), float(after))
            for model, skill in enumerate(skills)
            for number, (alone, after) in enumerate(generator.random((30, 2)) < skill)
        ]
        found = gain_by_strength(pairs, seed=world)
        alarms += found is not None and found["p"] <= 0.05
    assert alarms / worlds <= 0.05 + 3 * (0.05 * 0.95 / worlds) ** 0.5


def test_the_formatting_tax_is_paired() -> None:
    single = {(f"q{n}", model): [graded_value(float(n < 50))] for n in range(100) for model in ("a", "b")}
    double = {(f"q{n}", model): [graded_value(float(n < 60))] for n in range(100) for model in ("a", "b", "c")}
    found = formatting_tax(single, double)
    assert found is not None
    assert (found["single"], found["double"], found["n"], found["n_pairs"]) == (0.5, 0.6, 100, 200)
    assert found["difference"] == pytest.approx(0.1)
    assert found["low"] > 0
    assert formatting_tax(single, {}) is None


MOVED = [(1.0, 0.0)] * 9 + [(0.0, 1.0)] * 3 + [(1.0, 1.0)] * 20
"""(after, native): each right or wrong."""


def shape(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return row["low"], row["high"], row["p"]


def test_a_models_repeats_are_pooled_also_where_they_never_differ() -> None:
    def row(repeats: int) -> Mapping[str, Any]:
        pairs = [
            Pair(f"q{n}", "m", native, after, repeat=repeat)
            for n, (after, native) in enumerate(MOVED)
            for repeat in range(repeats)
        ]
        (found,) = per_model(pairs)
        return found

    assert shape(row(1)) == shape(compare(MOVED).row())
    assert shape(row(3)) == shape(compare(MOVED, pooled=True).row())
    # All repeats agree here: of no difference the test of the mean says what McNemar's does, of others less.
    assert shape(row(3))[2] == pytest.approx(shape(row(1))[2])
    assert shape(row(3))[0] < shape(row(1))[0] < shape(row(1))[1] < shape(row(3))[1]


@pytest.mark.parametrize("of", [formatting_tax, partial(authority_bias, changed={})], ids=["tax", "names"])
def test_two_ways_of_several_models_or_of_repeats_are_pooled(of: Callable[..., Any]) -> None:
    def row(models: Sequence[str], repeated: bool) -> Mapping[str, Any]:
        sides = [
            {(f"q{n}", m): [graded_value(pair[side])] for n, pair in enumerate(MOVED) for m in models}
            for side in (1, 0)
        ]
        found = of(*sides, repeated=repeated)
        assert found is not None
        return found

    assert shape(row("a", False)) == shape(compare(MOVED).row())
    pooled = shape(compare(MOVED, pooled=True).row())
    assert shape(row("a", True)) == shape(row("ab", False)) == pooled


def test_the_bias_of_names_is_paired_and_says_how_often_they_moved_anybody() -> None:
    right, wrong = [graded_value(1.0)], [graded_value(0.0)]
    hidden = {("q1", "ann"): right, ("q1", "bob"): wrong, ("q2", "ann"): wrong, ("q3", "ann"): right}
    shown = {("q1", "ann"): right, ("q1", "bob"): right, ("q2", "ann"): right, ("q4", "ann"): right}
    found = authority_bias(hidden, shown, {"q1": (1, 2), "q2": (1, 1)})
    assert found is not None
    assert (found["hidden"], found["shown"], found["difference"]) == (0.25, 1.0, 0.75), "one pair a question"
    assert (found["n"], found["n_pairs"]) == (2, 3), "q3 and q4 have no other side"
    assert found["changed"] == pytest.approx(2 / 3)
    assert authority_bias(hidden, {}, {}) is None
    nobody = authority_bias(hidden, hidden, {})
    assert nobody is not None
    assert (nobody["difference"], nobody["changed"]) == (0.0, None), "nobody said anything twice"


def test_the_consensus_rate_is_of_those_debated() -> None:
    """Agreement at last, in the resolution, is agreement: the answer is then the team's."""
    agreed, unanimous = Ending("consensus", agreed=True), Ending("unanimous", agreed=True)
    stuck, late = Ending("stuck", agreed=False), Ending("max-rounds", agreed=True)
    found = consensus_rate({"a": [unanimous], "b": [agreed], "c": [stuck], "d": [agreed], "e": [late]})
    assert found is not None
    assert (found["value"], found["n"], found["unanimous_before"]) == (0.75, 4, 1)
    assert (found["in_rounds"], found["agreed_in_resolution"]) == (0.5, 1)
    assert found["endings"] == {"consensus": 2, "max-rounds": 1, "stuck": 1}
    assert consensus_rate({"a": [unanimous]}) is None
    repeated = consensus_rate({"a": [agreed, stuck], "b": [agreed, unanimous], "c": [stuck, stuck]})
    assert repeated is not None
    assert (repeated["value"], repeated["n"]) == (0.4, 3), "repeats of a question are one cluster"


def test_datasets_weigh_the_same() -> None:
    large = [Pair(f"a{n}", "m", 0.0, 0.0, dataset="large") for n in range(90)]
    small = [Pair(f"b{n}", "m", 0.0, float(n < 5), dataset="small") for n in range(10)]
    found = macro_average([*large, *small])
    assert found is not None
    assert found["difference"] == pytest.approx(0.25)
    assert found["low"] < 0.25 < found["high"]
    assert macro_average(large) is None


def test_the_interval_covers_the_truth() -> None:
    """2,000 repetitions in worlds where the changes of one question hang together: 93 to 97 %."""
    simulation = bench("safety_coverage")
    for world in simulation.WORLDS[:2]:
        for expected in (15, 71):
            rescues, regressions, truth = simulation.drawn(world, expected, 2_000, seed=5)
            assert regressions.sum(axis=-1).mean() == pytest.approx(expected, rel=0.1)
            share = simulation.covered(multiple_bounds(rescues, regressions), truth).mean()
            assert 0.93 <= share <= 0.97, (world, expected, share)
    rescues, regressions, truth = simulation.drawn(simulation.WORLDS[1], 3, 2_000, seed=5)
    assert simulation.covered(multiple_bounds(rescues, regressions), truth).mean() >= 0.93, "few: wide, not wrong"


def test_what_comes_in_bunches_counts_as_often_as_it_came() -> None:
    """Two questions of a hundred on which all nine were rescued show no more than two on which one was."""
    once = {f"q{n}": float(n < 2) for n in range(100)}
    nine, none = {question: 9 * count for question, count in once.items()}, dict.fromkeys(once, 0.0)
    one, all_of_them = multiple(once, none), multiple(nine, none)
    assert all_of_them.low == pytest.approx(one.low)
    assert (all_of_them.low or 9.0) < 1
    assert multiple_p(nine, none, 1.0) == pytest.approx(multiple_p(once, none, 1.0))
    spoilt = multiple(none, nine)
    assert spoilt.high == pytest.approx(1 / (one.low or 9.0))


def test_questions_that_changed_are_counted_and_not_pairs() -> None:
    rescues = {f"q{n}": 9.0 * (n < 3) for n in range(100)}
    regressions = {f"q{n}": 9.0 * (n in (4, 5)) for n in range(100)}
    assert multiple(rescues, regressions).note == FEW
    rescues |= {f"q{n}": 1.0 for n in range(10, 20)}
    assert multiple(rescues, regressions).note is None


def test_of_questions_without_choices_nobody_guesses_the_answer() -> None:
    """Two of four questions have four choices: two guessers cover each of these with 7/16, and the others never."""
    pairs = [Pair(f"q{n}", name, float(n % 2), 1.0) for n in range(4) for name in ("ann", "bob")]
    (row,) = coverage(pairs, choices={"q0": 4, "q1": 4})
    assert (row["n"], row["guessing"]) == (4, pytest.approx(2 * 7 / 16 / 4))
