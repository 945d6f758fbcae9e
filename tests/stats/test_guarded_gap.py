"""A verdict on a gap is no nearer than what holds whatever was lost: rare losses are often not seen at all."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from moot.experiment.claims import parse
from moot.measures.claims.figure import Ratio
from moot.measures.claims.hypothesis import judge, with_holm
from moot.stats.closure import Closure, Side, closure, only
from moot.stats.clusters import clustered
from moot.stats.guarded_gap import guarded_closed
from moot.stats.ratio import closed

Rows = dict[str, tuple[float, float]]


def gap_of(taken: int, left: int, lost: int, questions: int) -> Rows:
    """Questions of the gap that were closed and were not, and lost ones of those that the best single player has."""
    kinds = [(1.0, 1.0)] * taken + [(0.0, 1.0)] * left + [(-1.0, 0.0)] * lost
    return {f"q{place:03}": kind for place, kind in enumerate(kinds + [(0.0, 0.0)] * (questions - len(kinds)))}


def ratio_of(rows: Rows) -> Ratio:
    """One start and nobody beside it: half of what has no gap is right alone."""
    start = {q: float(rise < 0 or (not gap and place % 2 == 0)) for place, (q, (rise, gap)) in enumerate(rows.items())}
    reached, top = ({q: start[q] + row[place] for q, row in rows.items()} for place in (0, 1))
    return Ratio(
        {q: rise for q, (rise, _) in rows.items()},
        {q: gap for q, (_, gap) in rows.items()},
        best_of=(only(reached), only(start), only(top)),
    )


def verdicts(rows: Rows, text: str, family: int) -> list[dict[str, object]]:
    judged = judge(parse(text), dict.fromkeys(parse(text).terms, ratio_of(rows)))
    return with_holm([judged] * family, [True] * family)


def test_losses_that_were_not_seen_confirm_nothing_in_a_family() -> None:
    """A hundredth of the questions is lost in truth, so that 0.967 of the gap is closed: of 500 none is lost in 0.66 %."""
    (alone,) = verdicts(gap_of(150, 0, 0, 500), "gap_closure(a) > 0.967", 1)
    family = verdicts(gap_of(150, 0, 0, 500), "gap_closure(a) > 0.967", 20)
    assert alone["p"] < 0.05 / 20, "Fieller's own tail is too thin for this"  # type: ignore[operator]
    assert 2 * 0.99**500 * 0.9 < alone["p_holm"] < 0.05  # type: ignore[operator]
    assert (alone["verdict"], alone["test"]) == ("confirmed", "fieller")
    assert {row["verdict"] for row in family} == {"open"}
    assert family[0]["low_holm"] < 0.967 < alone["low"]  # type: ignore[operator]
    assert (family[0]["low"], family[0]["p"]) == (alone["low"], alone["p"]), (
        "the gap's own section has the same as before"
    )


def test_what_is_far_from_its_threshold_is_still_found() -> None:
    assert {row["verdict"] for row in verdicts(gap_of(50, 10, 3, 200), "gap_closure(a) > 0.3", 10)} == {"confirmed"}
    assert {row["verdict"] for row in verdicts(gap_of(50, 40, 8, 300), "gap_closure(a) > 0.8", 10)} == {"refuted"}


def figures() -> Iterator[Closure]:
    """Questions alone and in packages, one start and three, gaps that a question may have the other way round."""
    generator = np.random.default_rng(8)
    for number in range(8):
        asked = [f"q{place:03}" for place in range(60)]
        names = ("ann", "bob", "cat") if number % 2 else ("ann",)
        players = {name: (generator.random(60) < 0.5).astype(float) for name in names}
        best = max(players, key=lambda name: players[name].sum())
        top = (generator.random(60) < 0.85).astype(float)
        top = np.maximum(top, players[best]) if number % 4 < 2 else top
        reached = np.where(generator.random(60) < 0.8, top, generator.random(60) < 0.5)
        by_question = {name: dict(zip(asked, own.tolist(), strict=True)) for name, own in players.items()}
        rows = dict(zip(asked, zip(reached - players[best], top - players[best], strict=True), strict=True))
        packages = {question: str(place // 3) for place, question in enumerate(asked)} if number > 3 else {}
        with clustered(packages):
            sides = [only(dict(zip(asked, own.tolist(), strict=True))) for own in (reached, top)]
            found = closure(rows, sides[0], Side(by_question, best), sides[1])
            assert found is not None
            yield found


@pytest.mark.parametrize("alpha", [0.05, 0.005, 0.00025])
def test_p_and_interval_come_from_one_test(alpha: float) -> None:
    there = 0
    for figure in figures():
        for fit in (closed, guarded_closed):
            one = Closure(figure.seen, figure.gap, fit)
            low, high = one.limits(alpha)
            if low is None or high is None:
                assert (one.p(-5.0) or 0) > alpha
                assert (one.p(5.0) or 0) > alpha
                continue
            there += 1
            for end, out in ((low, -1e-6), (high, 1e-6)):
                assert (one.p(end + out) or 0) < alpha < (one.p(end - out) or 0)
    assert there > 4


def test_no_verdict_is_nearer_than_the_row() -> None:
    for figure in figures():
        guard = Closure(figure.seen, figure.gap, guarded_closed)
        for alpha in (0.05, 0.005):
            (low, high), (least, most) = figure.limits(alpha), guard.limits(alpha)
            if least is not None and most is not None:
                assert low is not None
                assert high is not None
                assert least <= low < high <= most
        for threshold in (-0.5, 0.0, 0.3, 0.9, 1.5):
            assert (guard.p(threshold) or 0) >= (figure.p(threshold) or 0)


def test_a_package_that_was_not_seen_is_as_large_as_the_largest() -> None:
    rows = gap_of(60, 0, 0, 200)
    with clustered({question: str(place // 5) for place, question in enumerate(rows)}):
        together = guarded_closed(rows)
    alone = guarded_closed(rows)
    assert together is not None
    assert alone is not None
    assert (together.p(0.8) or 0) > 5 * (alone.p(0.8) or 0)
    # Were six of 100 packages lost wholly, 0.8 of the gap would be closed, and of forty none is seen in 8.4 %.
    assert (together.p(0.8) or 0) > 2 * 0.94**40 * 0.9


@pytest.mark.parametrize("threshold", [-3.0, -1.0, -0.2, 0.0, 0.5, 0.9, 1.5])
def test_what_is_closed_and_what_is_left_of_a_gap_are_one_question(threshold: float) -> None:
    """One less the other, so that a share below nothing is as hard to rule out as one above all."""
    rows = gap_of(1, 20, 1, 200)
    one, other = guarded_closed(rows), guarded_closed({q: (gap - rise, gap) for q, (rise, gap) in rows.items()})
    assert one is not None
    assert other is not None
    assert one.p(threshold) == pytest.approx(other.p(1 - threshold))
    low, high = other.limits()
    assert low is not None
    assert high is not None
    assert one.limits() == pytest.approx((1 - high, 1 - low))


def test_a_gap_that_may_be_none_rules_out_no_share() -> None:
    """Twelve gaps, and none the other way round, as half would be were there none: that is twice in 4,096."""
    one = guarded_closed(gap_of(0, 12, 5, 20))
    assert one is not None
    assert one.limits(0.0003) == (None, None)
    assert min(one.p(share) or 0 for share in (-30.0, -5.0, 1.0, 2.0, 30.0)) > 0.0003
    assert one.limits(0.0006) != (None, None)
