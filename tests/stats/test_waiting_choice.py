"""The best of many while answers wait for a grade: what is said of it holds for every way in which they can be graded."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
import pytest

from moot.stats.choice import claim
from moot.stats.waiting_choice import Tables, claim_whatever, said_alike

Marks = Sequence[Sequence[float | None]]
"""Rows × questions; None waits."""
QUESTIONS = 60


def tables(marks: Marks) -> Tables:
    seen, worst, best = (
        np.array([[end if mark is None else mark for mark in row] for row in marks], dtype=float)
        for end in (np.nan, 0.0, 1.0)
    )
    return Tables(seen, worst, best)


def gradings(*several: Marks) -> Iterator[list[np.ndarray]]:
    """Every way in which all that waits may be graded, of options and singles at once."""
    waiting = sum(mark is None for marks in several for row in marks for mark in row)
    for drawn in product((0.0, 1.0), repeat=waiting):
        left = iter(drawn)
        yield [
            np.array([[next(left) if mark is None else mark for mark in row] for row in marks], dtype=float)
            for marks in several
        ]


def world(draw: random.Random, rows: int, waiting: int) -> list[list[float | None]]:
    marks: list[list[float | None]] = []
    for _ in range(rows):
        chance = draw.choice([0.2, 0.5, 0.8])
        marks.append([float(draw.random() < chance) for _ in range(QUESTIONS)])
        for place in draw.sample(range(QUESTIONS), waiting):
            marks[-1][place] = None
    return marks


def right_on(count: int, waiting: int = 0) -> list[float | None]:
    """Right on the first questions; those after them wait."""
    return [1.0] * count + [None] * waiting + [0.0] * (QUESTIONS - count - waiting)


@pytest.mark.parametrize(("of_options", "of_singles"), [(0, 2), (2, 0), (1, 1)])
def test_the_interval_holds_that_of_every_grading_and_reaches_no_further(of_options: int, of_singles: int) -> None:
    """Of one option, so that nothing is paid for others: then the outermost gradings are the ends."""
    draw = random.Random(f"{of_options}{of_singles}")
    for _ in range(5):
        options, singles = world(draw, 1, of_options), world(draw, 2, of_singles)
        ours = claim_whatever(tables(options), tables(singles), option=0, single=0)
        assert ours is not None
        assert ours.low is not None
        assert ours.high is not None
        found = [claim(*graded, option=0, single=0) for graded in gradings(options, singles)]
        lows = [one.low for one in found if one is not None and one.low is not None]
        highs = [one.high for one in found if one is not None and one.high is not None]
        assert len(lows) == len(highs) == 2 ** (of_options + 2 * of_singles)
        assert ours.low == pytest.approx(min(*lows, ours.difference))
        assert ours.high == pytest.approx(max(*highs, ours.difference))
        assert not ours.more or all(one is not None and one.more for one in found)


@pytest.mark.parametrize(
    ("second", "highest"),
    [(right_on(41, waiting=3), False), (right_on(39, waiting=4), False), (right_on(30, waiting=3), True)],
    ids=["may", "may, and is lower as far as is graded", "may not"],
)
def test_an_option_that_another_may_pass_is_not_taken_for_the_highest(
    second: list[float | None], highest: bool
) -> None:
    """42 right, and 41 to 44, 39 to 43 or 30 to 33 beside it; a third is far below. Where it is not known to be the highest, the
    upper end pays for the choice too."""
    options = tables([right_on(42), second, right_on(6)])
    singles = tables([right_on(20), [1.0, 0.0] * (QUESTIONS // 2)])
    found = claim_whatever(options, singles, option=0, single=0, draws=2_000)
    ends = {top: claim(options.best, singles.worst, option=0, single=0, draws=2_000, top=top) for top in (False, True)}
    assert found is not None
    assert ends[True] is not None
    assert ends[False] is not None
    assert ends[True].high < ends[False].high  # type: ignore[operator]
    assert found.high == ends[highest].high  # type: ignore[union-attr]


Sayings = Sequence[Sequence[float | str]]
"""Rows × questions; words wait, and are graded alike to one question."""


def all_gradings(*several: Sayings) -> Iterator[list[np.ndarray]]:
    said = sorted(
        {(q, mark) for marks in several for row in marks for q, mark in enumerate(row) if isinstance(mark, str)}
    )
    for drawn in product((0.0, 1.0), repeat=len(said)):
        right = dict(zip(said, drawn, strict=True))
        yield [
            np.array(
                [[right[q, mark] if isinstance(mark, str) else mark for q, mark in enumerate(row)] for row in marks]
            )
            for marks in several
        ]


def sayings(draw: random.Random, rows: int) -> list[list[float | str]]:
    chance = draw.choice([0.2, 0.5, 0.8])
    return [
        [draw.choice("xy") if q < 2 else float(draw.random() < chance) for q in range(QUESTIONS)] for _ in range(rows)
    ]


def test_what_option_and_single_both_say_is_graded_alike() -> None:
    """Against each single by itself the outermost gradings are the ends: what both say moves nothing."""
    draw = random.Random(3)
    for _ in range(8):
        options, singles = sayings(draw, 1), sayings(draw, 1)
        waiting = [
            tables([[None if isinstance(m, str) else m for m in row] for row in rows]) for rows in (options, singles)
        ]
        words = [[[{m: 1.0} if isinstance(m, str) else {} for m in row] for row in rows] for rows in (options, singles)]
        alike = said_alike(*words)
        ours = claim_whatever(*waiting, option=0, single=0, alike=alike)
        assert ours is not None
        found = [claim(*graded, option=0, single=0) for graded in all_gradings(options, singles)]
        lows = [one.low for one in found if one is not None and one.low is not None]
        highs = [one.high for one in found if one is not None and one.high is not None]
        assert ours.low == pytest.approx(min(*lows, ours.difference))
        assert ours.high == pytest.approx(max(*highs, ours.difference))
        same = sum(one == other for one, other in zip(options[0], singles[0], strict=True) if isinstance(one, str))
        assert (alike is None) == (same == 0)
        wider = claim_whatever(*waiting, option=0, single=0)
        assert wider is not None
        assert wider.low is not None
        assert ours.low is not None
        assert wider.low <= ours.low + 1e-12


def test_what_two_say_alike_is_the_part_of_the_one_who_says_less_of_it() -> None:
    """Of two captains one says it, of three players all do: only that half will move with the other side."""
    ours, theirs = [{"x": 0.5, "y": 0.25}, {}], [{"x": 1.0, "z": 1.0}, {"x": 1.0}]
    alike = said_alike([ours], [theirs])
    assert alike is not None
    assert alike.tolist() == [[[0.5, 0.0]]]
    assert said_alike([theirs], [ours]).tolist() == alike.tolist()  # type: ignore[union-attr]


@pytest.mark.parametrize("turned", [False, True], ids=["less", "more"])
def test_nothing_is_claimed_where_what_is_graded_says_the_contrary(turned: bool) -> None:
    """On 36 questions one of ten answers is graded, and right, and the other nine say what the single says: whatever that
    is, they differ by a tenth. On 24 all is graded, and the single is right. So it is less, and what is graded says more."""
    parts, wholes = [1.0] * 36 + [0.0] * 24, [0.0] * 36 + [1.0] * 24
    mine = Tables(*(np.array([row]) for row in (parts, [0.1] * 36 + [0.0] * 24, parts)))
    other = Tables(*(np.array([row]) for row in (wholes, wholes, [0.9] * 36 + [1.0] * 24)))
    alike = np.array([[[0.9] * 36 + [0.0] * 24]])
    options, singles = (other, mine) if turned else (mine, other)
    found = claim_whatever(options, singles, option=0, single=0, pooled=True, alike=alike)
    assert found is not None
    assert found.difference == pytest.approx(-0.2 if turned else 0.2)
    assert (found.p, found.more) == (1.0, False)
