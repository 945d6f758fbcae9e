"""A threshold with a promise: kept in simulated worlds, whatever the probabilities are worth, and nothing for nothing."""

from __future__ import annotations

import os
from collections.abc import Callable

import numpy as np
import pytest

from moot.decide.promise import LEVEL, fewest_answers, promised

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


Clustered = Callable[[np.random.Generator], tuple[np.ndarray, list[str]]]
"""A world of questions that hang together: what came of each, and which it belongs to."""


def first_is_easier(draw: np.random.Generator) -> tuple[np.ndarray, list[str]]:
    rights = draw.random((100, 3)) < (0.97, 0.6, 0.6)
    return rights.ravel(), [str(place // 3) for place in range(300)]


def hardly_easier(draw: np.random.Generator) -> tuple[np.ndarray, list[str]]:
    rights = draw.random((300, 3)) < (0.84, 0.77, 0.77)
    return rights.ravel(), [str(place // 3) for place in range(900)]


def large_ones_are_harder(draw: np.random.Generator) -> tuple[np.ndarray, list[str]]:
    rights = np.r_[draw.random(120) < 0.97, draw.random(200) < 0.6]
    return rights, [*map(str, range(120)), *(f"of twenty: {place // 20}" for place in range(200))]


def exchangeable(draw: np.random.Generator) -> tuple[np.ndarray, list[str]]:
    return draw.random(300) < 0.795, [str(place // 3) for place in range(300)]


def right_as_a_whole(draw: np.random.Generator) -> tuple[np.ndarray, list[str]]:
    return np.repeat(draw.random(100) < 0.795, 3), [str(place // 3) for place in range(300)]


def few_lose_all(draw: np.random.Generator) -> tuple[np.ndarray, list[str]]:
    """Clusters of one to nine; those of nine are lost as a whole in 37 of 100, and the others never."""
    sizes = draw.choice((1, 3, 9), 120, p=(0.5, 0.3, 0.2))
    lost = (sizes == 9) & (draw.random(120) < 0.37)
    return np.repeat(~lost, sizes), [str(place) for place, size in enumerate(sizes) for _ in range(size)]


SHORT_OF_IT = [first_is_easier, hardly_easier, large_ones_are_harder, exchangeable, right_as_a_whole, few_lose_all]
"""In each of them less than eight of ten answers are right: whoever answers anything breaks the promise."""


@pytest.mark.parametrize("world", SHORT_OF_IT, ids=lambda world: world.__name__)
def test_it_is_kept_where_questions_hang_together(world: Clustered) -> None:
    draw, worlds = np.random.default_rng(5), int(os.environ.get("MOOT_WORLDS", 100))
    broken = 0
    for _ in range(worlds):
        rights, units = world(draw)
        broken += promised(np.full(len(rights), 0.85), rights.astype(float), units, 0.8).threshold is not None
    assert broken <= worlds * (1 - LEVEL) + 3 * np.sqrt(worlds * LEVEL * (1 - LEVEL))


def test_it_is_made_where_questions_hang_together() -> None:
    draw = np.random.default_rng(6)
    for size in (2, 5):
        units = [str(place // size) for place in range(300)]
        promises = [
            promised(np.full(300, 0.95), (draw.random(300) < 0.97).astype(float), units, 0.8) for _ in range(20)
        ]
        assert sum(promise.coverage == 1.0 for promise in promises) >= 18, size
        assert {(promise.questions, promise.clusters, promise.largest) for promise in promises} == {
            (300, 300 // size, size)
        }


def test_the_order_of_questions_says_nothing() -> None:
    draw = np.random.default_rng(7)
    rights, units = first_is_easier(draw)
    chances = draw.beta(6, 1.2, 300)
    turned = promised(chances[::-1], rights[::-1].astype(float), units[::-1], 0.5)
    assert turned == promised(chances, rights.astype(float), units, 0.5)
    assert turned.threshold is not None


def test_questions_that_belong_together_are_one_piece_of_evidence() -> None:
    units = [str(place // 10) for place in range(200)]
    promise = promised(np.full(200, 0.99), np.ones(200), units, 0.95)
    assert (promise.clusters, promise.threshold) == (20, None), "twenty are too few, though each is asked ten times"
    assert promise.fewest == fewest_answers(0.95, largest=10)
    assert promise.fewest > 10 * fewest_answers(0.95) * 0.95
    words = promise.words()
    assert "200 questions in 20 clusters" in words
    assert f"it takes {promise.fewest} answers at the least, all of them right" in words
    assert "since up to 10 questions hang together" in words


@pytest.mark.parametrize("largest", [2, 10])
def test_the_fewest_are_the_fewest(largest: int) -> None:
    """Questions by themselves, where somewhere so many hang together: one fewer is not enough."""
    fewest = fewest_answers(0.9, largest=largest)
    for count, enough in ((fewest, True), (fewest - 1, False)):
        units = [str(place) for place in range(count)]
        promise = promised(np.full(count, 0.99), np.ones(count), units, 0.9, largest=largest)
        assert (promise.threshold is not None) == enough


def test_clusters_that_nobody_answers_in_take_nothing_away() -> None:
    """As with single questions: what is abstained from is no evidence either way, however large."""
    units = [str(place // 2) for place in range(200)]
    chances = np.r_[np.full(100, 0.99), np.full(100, 0.1)]
    rights = np.r_[np.ones(100), np.zeros(100)]
    promise = promised(chances, rights, units, 0.9)
    assert promise.threshold is not None
    assert (promise.answered, promise.right) == (100, 100)


def test_what_is_right_does_not_say_where_it_begins() -> None:
    """Other rights move where it ends, never where it begins: with all right it ends at the lowest threshold."""
    chances = np.random.default_rng(0).random(400)
    units = [str(place) for place in range(400)]
    assert promised(chances, np.ones(400), units, 0.9).threshold == 0.0
    assert promised(chances, np.zeros(400), units, 0.9).threshold is None
