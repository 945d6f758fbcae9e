"""What a stage's figures can still become while pairs wait for a grade: held against every way in which they may turn out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moot.measures.safety.multiple import RatioCounts, multiple, multiple_between, multiple_p, multiple_p_between
from moot.measures.safety.pairs import Pair, gain_by_strength
from moot.measures.safety.rescues import safety

GRADES = st.sampled_from([0.0, 1.0])
OUTCOMES = st.sampled_from(["answered", "undecided", "refused"])
GRADED = st.lists(st.builds(Pair, st.just("q"), st.just("ann"), GRADES, GRADES, OUTCOMES, OUTCOMES), max_size=12)
OPEN = st.lists(
    st.one_of(
        st.sampled_from([(None, 0.0), (None, 1.0), (0.0, None), (1.0, None), (None, None)]).map(
            lambda grades: Pair("q", "ann", *grades)
        ),
        st.just(Pair("q", "ann", None, None, native_words="x", after_words="x")),
        st.just(Pair("q", "ann", None, None, native_words="x", after_words="y")),
    ),
    min_size=1,
    max_size=4,
)


def turned_out(pairs: Sequence[Pair]) -> Iterator[Counter[str]]:
    """How many change how, once for every way to grade what is open, the same words of a pair alike."""
    for grades in product((0.0, 1.0), repeat=2 * len(pairs)):
        done = [
            replace(
                pair,
                native=native if pair.native is None else pair.native,
                after=after if pair.after is None else pair.after,
            )
            for pair, native, after in zip(pairs, grades[::2], grades[1::2], strict=True)
        ]
        if any(pair.native_words == "x" == pair.after_words and pair.native != pair.after for pair in done):
            continue
        yield Counter(pair.change for pair in done)


@settings(max_examples=60)
@given(GRADED, OPEN)
def test_bounds_are_the_least_and_the_most_that_can_come_of_it(graded: list[Pair], ungraded: list[Pair]) -> None:
    known = Counter(pair.change for pair in graded)
    every = [known + more for more in turned_out(ungraded)]
    row = safety([*graded, *ungraded]).row()

    def ends(figures: Sequence[float]) -> dict[str, float]:
        return {"low": min(figures), "high": max(figures)}

    assert row["net_bounds"] == ends([counts["rescue"] - counts["regression"] for counts in every])
    assert row["rescues_bounds"] == ends([counts["rescue"] for counts in every])
    assert row["regressions_bounds"] == ends([counts["regression"] for counts in every])
    for name, above, below in (
        ("rescue_rate_bounds", ["rescue"], ["rescue", "still-wrong"]),
        ("regression_rate_bounds", ["regression"], ["regression", "kept"]),
        ("bounds", ["rescue"], ["regression"]),
        ("with_recovered_bounds", ["rescue", "recovered"], ["regression"]),
    ):
        shares = [(sum(counts[c] for c in above), sum(counts[c] for c in below)) for counts in every]
        if all(whole for _, whole in shares):
            assert row[name] == ends([part / whole for part, whole in shares]), name


def test_what_is_a_success_or_not_counted_at_all_is_taken_either_way() -> None:
    """Right after, unknown alone: a rescue, or none of the wrong ones."""
    pairs = [Pair(f"q{n}", "ann", 0.0, float(n < 2)) for n in range(4)]
    row = safety([*pairs, *(Pair(f"x{n}", "ann", None, 1.0) for n in range(3))]).row()
    assert row["rescue_rate_bounds"] == {"low": 2 / 4, "high": 5 / 7}


@pytest.mark.parametrize(("rescues", "stands"), [(19, False), (20, True)])
def test_one_that_waits_is_few_beside_twenty_events(rescues: int, stands: bool) -> None:
    def several(count: int, native: float, after: float, start: int) -> list[Pair]:
        return [Pair(f"q{start + n}", "ann", native, after, after_way="judge") for n in range(count)]

    pairs = [*several(rescues, 0.0, 1.0, 0), *several(20, 1.0, 0.0, 100), *several(20, 0.0, 0.0, 200)]
    row = safety([*pairs, Pair("open", "ann", 0.0, None, after_way="waiting")]).row()
    assert row["regression_rate"] is not None, "what waits was wrong, and cannot be spoilt"
    for name in ("rescue_rate", "multiple", "multiple_with_recovered"):
        assert (row[name] is not None) is stands, name


def test_how_many_pairs_the_gain_by_strength_stands_on() -> None:
    """Where more than half are ungraded, too."""
    graded = [Pair(f"q{n}", model, float(n % 3 > place), 1.0) for n in range(12) for place, model in enumerate("mno")]
    nobody = [Pair(f"x{n}", model, None, 1.0, native_way="nobody") for n in range(50) for model in "mno"]
    row = gain_by_strength([*graded, *nobody])
    assert row is not None
    assert (row["pairs"], row["ungraded"], row["models"]) == (36, 150, 3)


def test_a_rescue_and_a_regression_on_one_question_are_no_multiple_of_one_without_a_doubt() -> None:
    """Left out or not, they cancel: what is left out one at a time shows no spread."""
    asked = [f"q{number}" for number in range(40)]
    once = dict.fromkeys(asked, 0.0) | {"q7": 1.0}
    found = multiple(once, once)
    assert found.value == 1.0
    assert found.low is not None
    assert found.high is not None
    assert found.low < 0.3
    assert found.high > 3
    p = multiple_p(once, once, 2.0)
    assert p is not None
    assert p > 0.5


def counts(rescues: int, regressions: int) -> RatioCounts:
    """Of forty questions, each on a question of its own."""
    asked = [f"q{number}" for number in range(40)]
    gained = {question: float(place < rescues) for place, question in enumerate(asked)}
    lost = {question: float(place >= 40 - regressions) for place, question in enumerate(asked)}
    return RatioCounts(gained, lost)


def test_a_multiple_without_regressions_so_far_is_no_more_than_what_waits_may_leave() -> None:
    seen, worst, best = counts(12, 0), counts(12, 3), counts(15, 0)
    found = multiple_between(seen, worst, best)
    assert (found.value, found.high) == (None, None)
    assert found.low == multiple(*worst).low
    assert found.low is not None
    assert found.low < (multiple(*seen).low or 0.0)


@pytest.mark.parametrize(
    "ends", [(counts(6, 12), counts(12, 12), counts(12, 8)), (counts(12, 12), counts(6, 12), counts(12, 8))]
)
@pytest.mark.parametrize("threshold", [0.1, 0.7, 1.2, 8.0])
def test_no_p_speaks_against_a_multiple_between_what_is_graded_and_what_it_may_become(
    ends: tuple[RatioCounts, RatioCounts, RatioCounts], threshold: float
) -> None:
    """Means over answers of which a part is graded can leave the graded part beyond either end."""
    p, found = multiple_p_between(*ends, threshold), multiple_between(*ends)
    assert found.low is not None
    assert found.high is not None
    assert p == (1.0 if 0.5 <= threshold <= 1.5 else pytest.approx(0.0, abs=0.05))
    assert (p > 0.05) is (found.low <= threshold <= found.high)


@pytest.mark.parametrize("rescues", [0.0, 1.0])
@pytest.mark.parametrize("threshold", [-1.0, -1e-9, 0.0, 0.5])
def test_interval_and_p_agree_below_nothing_too(rescues: float, threshold: float) -> None:
    """A multiple is never below 0: also where nothing was rescued, so that its interval begins there."""
    counts = RatioCounts({str(n): rescues for n in range(40)}, {str(n): float(n % 2) for n in range(40)})
    found = multiple(*counts)
    low, high = found.low or 0.0, found.high
    assert high is not None
    for p in (multiple_p(*counts, threshold), multiple_p_between(counts, counts, counts, threshold)):
        assert p is not None
        assert (p > 0.05) == (low <= threshold <= high), (found, p)
