"""A threshold with a promise: kept in simulated worlds, whatever the probabilities are worth, and nothing for nothing."""

from __future__ import annotations

import numpy as np
import pytest

from moot.decide.promise import LEVEL, fewest_answers, one_of_each, promised

WORLDS = 300


def drawn(draw: np.random.Generator, size: int, shift: float) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities as they are said, and what came of them: true ones, but for a shift of their log-odds."""
    said = draw.beta(6, 1.2, size)
    true = 1 / (1 + np.exp(-(np.log(said / (1 - said)) + shift)))
    return said, (draw.random(size) < true).astype(float)


@pytest.mark.parametrize("shift", [0.0, -0.7], ids=["true", "too sure"])
def test_it_is_kept(shift: float) -> None:
    draw = np.random.default_rng(3)
    said, came = drawn(draw, 200_000, shift)
    broken = answered = 0
    for _ in range(WORLDS):
        chances, rights = drawn(draw, 300, shift)
        promise = promised(chances, rights, [str(place) for place in range(300)], 0.9)
        if promise.threshold is not None:
            answered += 1
            broken += came[said >= promise.threshold].mean() < 0.9
    allowed = WORLDS * (1 - LEVEL) + 3 * np.sqrt(WORLDS * LEVEL * (1 - LEVEL))
    assert broken <= allowed
    assert answered > 0.2 * WORLDS or shift, "and it is not kept by promising nothing"


def test_with_few_questions_nothing_is_promised() -> None:
    fewest = fewest_answers(0.95)
    assert fewest == 59
    sure = np.full(fewest - 1, 0.999)
    promise = promised(sure, np.ones(fewest - 1), [str(place) for place in range(fewest - 1)], 0.95)
    assert (promise.threshold, promise.coverage) == (None, 0.0)
    assert "coverage 0" in promise.words()
    more = promised(np.full(fewest, 0.999), np.ones(fewest), [str(place) for place in range(fewest)], 0.95)
    assert more.coverage == 1.0
    assert more.right == fewest


def test_questions_that_belong_together_count_once() -> None:
    assert one_of_each(["a", "b", "a", "c", "b"]).tolist() == [0, 1, 3]
    units = [str(place // 10) for place in range(200)]
    promise = promised(np.full(200, 0.99), np.ones(200), units, 0.95)
    assert (promise.questions, promise.threshold) == (20, None), "twenty are too few, though each is asked ten times"


def test_what_is_right_does_not_say_where_it_begins() -> None:
    """Other rights move where it ends, never where it begins: with all right it ends at the lowest threshold."""
    chances = np.random.default_rng(0).random(400)
    units = [str(place) for place in range(400)]
    assert promised(chances, np.ones(400), units, 0.9).threshold == 0.0
    assert promised(chances, np.zeros(400), units, 0.9).threshold is None
