"""Selectors: what everything that chooses proposers must do."""

from __future__ import annotations

import dataclasses
from collections.abc import Awaitable
from inspect import isawaitable
from typing import TYPE_CHECKING, Any

from moot.errors import UsageError
from moot.plugins import in_one_line

if TYPE_CHECKING:
    from moot.select import Chosen, LabelMatrix, Oracle, SelectionSplit, Selector


async def check_selector(selector: Selector) -> None:
    """Same split same team; a team of k different proposers, in order; survives poor labels; keeps to its budget."""
    import numpy as np

    from moot.select.labels import SelectionSplit, TestSplit
    from moot.select.oracle import VoteOracle

    assert dataclasses.is_dataclass(selector), "a selector is a dataclass: its fields are its options"
    before = repr(selector)
    for name, labels in _label_matrices().items():
        split = SelectionSplit(labels, seed=7)
        oracle = VoteOracle.of(split)
        teams = {}
        for k in (1, 2, 3):
            first, second = [await _chosen(selector, split, k, oracle, f"{name}, k = {k}") for _ in range(2)]
            assert first.team == second.team, f"the same split gave two teams ({name}, k = {k})"
            assert len(set(first.team)) == len(first.team), f"a proposer is in the team twice ({name}, k = {k})"
            assert set(first.team) <= set(range(len(labels.proposers))), f"only proposers can be chosen ({name})"
            assert first.calls == 0, f"the oracle takes no calls, yet {first.calls} are said ({name})"
            teams[k] = first.team
        sizes = {k: len(team) for k, team in teams.items()}
        ignores_k = len({frozenset(team) for team in teams.values()}) == 1
        assert ignores_k or all(size == k for k, size in sizes.items()), f"k is not respected ({name}): {sizes}"
    split = SelectionSplit(_label_matrices()["usual"], seed=7)
    everybody = len(split.labels.proposers)
    for wrong in (split.labels, TestSplit(split.labels)):
        what = "anything but a selection split", "selection_only(split)"
        await _refuses(selector.select(wrong, 2, VoteOracle.of(split)), TypeError, *what)
    beyond = "a k beyond the pool", "check_k(split.labels, k)"
    await _refuses(selector.select(split, everybody + 1, VoteOracle.of(split)), UsageError, *beyond)
    if "calls" in [option.name for option in dataclasses.fields(selector)]:
        freely, counted = _CountedOracle(VoteOracle.of(split)), _CountedOracle(VoteOracle.of(split))
        await _chosen(selector, split, 3, freely, "without a budget")
        chosen = await _chosen(dataclasses.replace(selector, calls=10), split, 3, counted, "calls = 10")
        assert counted.asked <= 10, f"a budget of 10 calls, and {counted.asked} were made"
        assert chosen.calls == counted.asked, f"{counted.asked} calls were made, {chosen.calls} are said"
        assert len(chosen.team) == 3, "a budget that ends the search leaves a whole team all the same"
        assert chosen.notes or freely.asked <= 10, "a budget that ended the search must be said in the notes"
    assert np.array_equal(split.labels.codes, _label_matrices()["usual"].codes), "a selector changes no labels"
    assert repr(selector) == before, "a selector keeps no state between splits"


async def _chosen(selector: Selector, split: SelectionSplit, k: int, oracle: Oracle, where: str) -> Chosen:
    """What it chooses, or a sentence about what else happens."""
    from moot.select import Chosen

    try:
        choosing: object = selector.select(split, k, oracle)
        given = await choosing if isawaitable(choosing) else choosing
    except Exception as error:
        raise AssertionError(f"it fails ({where}): {in_one_line(error)}") from error
    assert isawaitable(choosing), f"expected async def select, found one that gives a {type(given).__name__} at once"
    assert isinstance(given, Chosen), f"expected a Chosen, found {type(given).__name__} ({where})"
    return given


async def _refuses(choice: Awaitable[Chosen], error: type[Exception], what: str, how: str) -> None:
    promised = f"{what} must be refused with {error.__name__} (moot.select: {how})"
    try:
        await choice
    except error:
        return
    except Exception as other:
        raise AssertionError(f"{promised}, found {in_one_line(other)}") from other
    raise AssertionError(promised)


def _label_matrices() -> dict[str, LabelMatrix]:
    """Four models with two prompts each on forty questions, and what may be wrong with such labels."""
    import numpy as np

    from moot.select.labels import UNANSWERED, LabelMatrix, Proposer

    draw = np.random.default_rng(7)
    truth = draw.integers(4, size=40).astype(np.int16)
    knows = draw.random((8, 40)) < np.repeat([0.8, 0.6, 0.5, 0.3], 2)[:, None]
    codes = np.where(knows, truth, (truth + draw.integers(1, 4, size=(8, 40))) % 4).astype(np.int16)
    gaps = np.where(draw.random((8, 40)) < 0.3, UNANSWERED, codes).astype(np.int16)
    gaps[:, 0] = UNANSWERED
    gaps[7] = UNANSWERED
    proposers = tuple(Proposer(f"m{number // 2}", f"p{number % 2}") for number in range(8))
    questions = tuple(f"q{number:02}" for number in range(40))

    def made(labels: Any, right: Any) -> LabelMatrix:
        return LabelMatrix(proposers, questions[: len(right)], ("a", "b", "c", "d"), labels.astype(np.int16), right)

    return {
        "usual": made(codes, truth),
        "missing answers, one question that nobody answered": made(gaps, truth),
        "nobody ever answered": made(np.full_like(codes, UNANSWERED), truth),
        "one class": made(np.zeros_like(codes), np.zeros_like(truth)),
        "all proposers identical": made(np.tile(codes[0], (8, 1)), truth),
        "all always wrong": made(np.tile((truth + 1) % 4, (8, 1)), truth),
        "one question": made(codes[:, :1], truth[:1]),
        "two questions": made(codes[:, :2], truth[:2]),
    }


@dataclasses.dataclass
class _CountedOracle:
    """A summariser that costs a call a question, and counts them."""

    oracle: Oracle
    asked: int = 0
    calls_each: int = 1
    words: str = "counted"

    async def right(self, teams: Any, questions: Any) -> Any:
        self.asked += len(questions)
        return await self.oracle.right(teams, questions)
