"""A race: who leaves it and when, and that the best hardly ever does."""

from __future__ import annotations

import math

import numpy as np
import pytest

from moot.stats.racing import STAKES, Race, raced


def drawn(seed: int, accuracies: tuple[float, ...], questions: int) -> np.ndarray:
    draw = np.random.default_rng(seed)
    return (draw.random((len(accuracies), questions)) < np.array(accuracies)[:, None]) * 1.0


def plain(worth: np.ndarray, alpha: float = 0.05) -> list[tuple[int, int]]:
    """The same in plain Python: after which question each leaves."""
    left, right = list(range(len(worth))), [0.0] * len(worth)
    capital = [[1.0] * len(STAKES) for _ in worth]
    out = []
    for number in range(worth.shape[1]):
        now = worth[:, number]
        for option in left:
            others = [each for each in left if each != option]
            top = max(right[each] for each in others)
            leading = [now[each] for each in others if right[each] == top]
            gap = math.fsum(leading) / len(leading) - now[option]
            capital[option] = [won * (1 + stake * gap) for won, stake in zip(capital[option], STAKES, strict=True)]
        for option in left:
            right[option] += now[option]
        for option in [each for each in left if sum(capital[each]) / len(STAKES) >= 1 / alpha]:
            left.remove(option)
            out.append((option, number + 1))
        if len(left) <= 1:
            break
    return out


@pytest.mark.parametrize("seed", range(4))
def test_as_in_plain_python(seed: int) -> None:
    worth = drawn(seed, (0.8, 0.6, 0.55, 0.5), 300)
    race, found = Race(4), []
    for number, question in enumerate(worth.T, start=1):
        found += [(option, number) for option in race.hear(question)]
        if race.over:
            break
    assert found == plain(worth)
    assert race.plays == sum(dict(found).get(option, race.asked) for option in range(4))


def test_who_is_out_is_not_looked_at() -> None:
    worth = drawn(1, (0.9, 0.3, 0.6), 200)
    whole = raced(worth)
    race = Race(3)
    for question in worth.T[: whole.questions]:
        race.hear(np.where(race.running, question, np.nan))
    assert race.left == whole.left == (0,)


def test_the_best_stays_and_calls_are_saved() -> None:
    found = [raced(drawn(seed, (0.7, *np.linspace(0.62, 0.42, 11)), 3_000)) for seed in range(12)]
    assert all(each.left == (0,) for each in found)
    assert sum(each.plays for each in found) <= 0.5 * sum(each.plays_of_all for each in found)


def test_equals_are_hardly_ever_put_out_and_cost_no_more_than_all() -> None:
    found = [raced(drawn(seed, (0.6,) * 4, 150)) for seed in range(80)]
    assert sum(0 not in each.left for each in found) <= 0.05 * 80 + 4
    assert all(each.plays <= each.plays_of_all == 4 * each.questions for each in found)


@pytest.mark.parametrize(("options", "alpha"), [(1, 0.05), (3, 0.0), (3, 1.0)])
def test_what_is_no_race(options: int, alpha: float) -> None:
    with pytest.raises(ValueError, match="expected"):
        Race(options, alpha)


@pytest.mark.parametrize("seed", range(3))
def test_what_is_not_known_puts_nobody_out_whom_the_truth_does_not(seed: int) -> None:
    """One answer in five was not graded: the race with the truth is at least as far."""
    worth = drawn(seed, (0.8, 0.5, 0.45), 200)
    known = np.random.default_rng(seed + 9).random(worth.shape) < 0.8
    true, bounded = Race(3), Race(3)
    for number in range(200):
        if true.over:
            break
        true.hear(worth[:, number])
        bounded.hear(np.where(known, worth, 0.0)[:, number], np.where(known, worth, 1.0)[:, number])
        assert set(true.left) <= set(bounded.left)
    exact = Race(3)
    for question in worth.T[: true.asked]:
        exact.hear(question, question)
    assert exact.left == true.left
