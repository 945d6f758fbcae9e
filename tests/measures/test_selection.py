"""The figures of a selector over splits: their mean, and limits that are no surer than one split is."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from moot.measures.selection.by_split import clearly_better
from moot.measures.selection.figures import method_rows
from moot.measures.selection.sections import HowChosen, selection_sections
from moot.select.labels import LabelMatrix, Proposer, SelectionSplit
from moot.select.oracle import AskedOracle, Oracle
from moot.select.registry import Chosen, Selector, selector
from moot.select.trial import Summarisers, Trial
from moot.select.trial import trials as every_trial
from moot.stats.paired import OnePair
from moot.stats.proportion import wilson
from moot.stats.splits import OverSplits

SIZE = 400


def matrix() -> LabelMatrix:
    truth = np.zeros(SIZE, dtype=np.int32)
    ids = tuple(f"q{number}" for number in range(SIZE))
    return LabelMatrix((Proposer("ann"),), ids, ("A", "B"), truth[None, :], truth)


def trials(right: np.ndarray) -> list[Trial]:
    """A row a split, every question tested in each."""
    every = np.arange(SIZE)
    return [
        Trial("top", 1, split, (0,), 0, (), None, values.astype(float), every, np.zeros(SIZE))
        for split, values in enumerate(right)
    ]


def test_one_split_is_wilsons() -> None:
    right = np.random.default_rng(1).random((1, SIZE)) < 0.6
    (row,) = method_rows(matrix(), trials(right))
    expected = wilson(int(right.sum()), SIZE)
    assert (row["test_accuracy"], row["low"], row["high"], row["n"]) == (
        pytest.approx(expected.value),
        expected.low,
        expected.high,
        SIZE,
    )


def test_the_same_question_in_twenty_splits_is_one_question() -> None:
    once = np.random.default_rng(2).random(SIZE) < 0.6
    (row,) = method_rows(matrix(), trials(np.tile(once, (20, 1))))
    expected = wilson(int(once.sum()), SIZE)
    assert expected.low is not None
    assert expected.high is not None
    assert row["n"] == SIZE
    assert (row["low"], row["high"]) == pytest.approx((expected.low, expected.high), abs=0.01)


def test_the_limits_over_splits_are_the_means_of_those_of_each() -> None:
    """Splits share their questions: as often as they are drawn again, there are no more of these."""
    right = np.random.default_rng(3).random((20, SIZE)) < 0.6
    (row,) = method_rows(matrix(), trials(right))
    each = [wilson(int(values.sum()), SIZE) for values in right]
    assert row["test_accuracy"] == pytest.approx(right.mean())
    assert (row["low"], row["high"]) == pytest.approx(
        [np.mean([getattr(one, end) for one in each]) for end in ("low", "high")]
    )


@dataclass(frozen=True)
class First:
    """Always takes the first: nothing is chosen."""

    name: str = "first"

    async def select(self, split: SelectionSplit, k: int, oracle: Oracle) -> Chosen:
        return Chosen(tuple(range(k)), 0)


def over_splits(accuracies: Sequence[float], questions: int, m: int, splits: int, number: int) -> list[dict[str, Any]]:
    """The rows of the most accurate proposer and of the first, each question an independent draw for each proposer."""
    draw = np.random.default_rng([77, number])
    right = draw.random((len(accuracies), questions)) < np.array(accuracies)[:, None]
    proposers = tuple(Proposer(f"p{place}") for place in range(len(accuracies)))
    ids = tuple(f"q{place}" for place in range(questions))
    truth = np.zeros(questions, dtype=np.int32)
    labels = LabelMatrix(proposers, ids, ("A", "B"), (~right).astype(np.int32), truth)

    async def tried() -> list[Trial]:
        methods: list[Selector] = [selector("top-accuracy"), First()]
        return [trial async for trial in every_trial(labels, methods, 1, m=m, splits=splits, seed=number)]

    return method_rows(labels, asyncio.run(tried()))


def test_twenty_splits_are_no_twenty_tests() -> None:
    """What one split tests helps to choose on the others. With intervals as if they were independent, and all proposers
    equally good, a truth of 60 % was missed in 14 to 22 of 100 worlds, and a difference to the first found in 6 to 14."""
    chosen, first = over_splits([0.6] * 8, 100, 80, 20, 0)
    one = wilson(12, 20)
    assert one.low is not None
    assert one.high is not None
    assert chosen["high"] - chosen["low"] > 0.9 * (one.high - one.low)
    assert first["over"]["high"] - first["over"]["low"] > 0.9 * (one.high - one.low)


def test_a_gain_is_found_over_splits_and_its_p_is_that_of_its_interval() -> None:
    (_, first) = over_splits([0.4, 0.8, 0.5], 200, 80, 5, 1)
    over = first["over"]
    assert over["test"] == "splits"
    assert first["beaten_by"] == "top-accuracy"
    assert over["p"] < 0.001
    assert over["high"] < 0
    figure = OverSplits([OnePair(12, 3, 60), OnePair(9, 6, 60), OnePair(5, 5, 60)], 120)
    assert figure.value == pytest.approx((9 / 60 + 3 / 60) / 3)
    for threshold in (-0.1, -0.02, 0.0, 0.05, 0.2, 0.3):
        p = figure.p(threshold)
        assert p is not None
        for alpha in (0.999 * p, min(1.0, 1.001 * p)):
            low, high = figure.limits(alpha)
            assert low is not None
            assert high is not None
            assert (low <= threshold <= high) == (alpha < p or p == 1), threshold


def test_a_difference_over_splits_holds_whatever_is_ungraded() -> None:
    draw = np.random.default_rng(8)
    right = {name: (draw.random((3, SIZE)) < chance).astype(float) for name, chance in (("top", 0.8), ("low", 0.5))}
    right["low"][:, :10] = np.nan
    tried = [
        replace(trial, method=name, team=(place,)) for place, name in enumerate(right) for trial in trials(right[name])
    ]
    labels = matrix()
    labels = replace(labels, proposers=(Proposer("ann"), Proposer("bob")), codes=np.tile(labels.codes, (2, 1)))
    _, row = method_rows(labels, tried, against="top")
    over = row["over"]
    gaps = [right["low"][split, 10:].mean() - right["top"][split, 10:].mean() for split in range(3)]
    assert (over["difference"], over["n"], over["ungraded"]) == (pytest.approx(np.mean(gaps)), SIZE - 10, 10)
    ends = [np.nan_to_num(right["low"], nan=end).mean() - right["top"].mean() for end in (0.0, 1.0)]
    assert (over["bounds"]["low"], over["bounds"]["high"]) == pytest.approx(ends)
    each = [OnePair(*_counts(right["low"][split], right["top"][split], 1.0), SIZE).limits()[1] for split in range(3)]
    assert over["high"] == pytest.approx(np.mean([end for end in each if end is not None]))
    assert (row["beaten_by"], over["small"]) == ("top", False)


def _counts(own: np.ndarray, other: np.ndarray, end: float) -> tuple[int, int]:
    """Better and worse, were all that is ungraded this."""
    gap = np.nan_to_num(own, nan=end) - other
    return int((gap > 0).sum()), int((gap < 0).sum())


def test_what_nobody_could_grade_is_not_wrong() -> None:
    """Of 400 words 20 are ungraded: the figure is over 380, the interval holds whatever they are, the bounds are over all."""
    right = (np.random.default_rng(4).random((1, SIZE)) < 0.6).astype(float)
    right[0, :20] = np.nan
    (row,) = method_rows(matrix(), trials(right))
    graded = right[0, 20:]
    expected = wilson(int(graded.sum()), 380)
    assert (row["test_accuracy"], row["n"], row["ungraded"]) == (pytest.approx(expected.value), 380, 20)
    ends = wilson(int(graded.sum()), SIZE), wilson(int(graded.sum()) + 20, SIZE)
    assert (row["low"], row["high"]) == (pytest.approx(ends[0].low), pytest.approx(ends[1].high))
    assert row["bounds"] == {"low": graded.sum() / SIZE, "high": (graded.sum() + 20) / SIZE}
    assert "why" not in row
    (section, *_) = selection_sections(
        [{**row, "accuracies": {"ann": 0.6}}], HowChosen("asked", m=10, splits=1, questions=SIZE)
    )
    assert any("20 of the ensemble's words are ungraded" in words for words in section.words)


def test_what_the_rest_would_flatter_has_no_figure() -> None:
    """What is graded without the judge is right by construction: with many that wait for it there are bounds alone."""
    right = np.ones((1, SIZE))
    right[0, :21] = np.nan
    (row,) = method_rows(matrix(), trials(right))
    assert (row["test_accuracy"], row["low"], row["high"], row["n"]) == (None, None, None, 0)
    assert row["bounds"] == {"low": pytest.approx(379 / SIZE), "high": 1.0}
    assert "21 of 400" in row["why"]


def test_where_nothing_is_graded_there_is_no_figure() -> None:
    (row,) = method_rows(matrix(), trials(np.full((1, SIZE), np.nan)))
    assert (row["test_accuracy"], row["low"], row["high"], row["n"]) == (None, None, None, 0)
    assert row["bounds"] == {"low": 0.0, "high": 1.0}
    assert "grade" in row["why"]


def test_with_everything_graded_nothing_is_said_of_it() -> None:
    (row,) = method_rows(matrix(), trials(np.ones((1, SIZE))))
    assert not {"ungraded", "bounds", "why"} & row.keys()


@pytest.mark.parametrize("name", ["greedy", "model-first", "oracle-surrogate"])
async def test_a_choice_takes_what_is_ungraded_as_not_right(name: str) -> None:
    """bob is right wherever it is graded, which is what a match does; ann half the time, and all of hers is graded."""
    every = np.zeros(40, dtype=np.int32)
    ids = tuple(f"q{number}" for number in range(40))
    labels = LabelMatrix((Proposer("ann"), Proposer("bob")), ids, ("A", "B"), np.array([every, every]), every)

    async def ask(team: tuple[Proposer, ...], question: str) -> float:
        number = int(question[1:])
        if team[-1].model == "ann":
            return float(number % 2)
        return 1.0 if number % 4 == 0 else float("nan")

    chosen = await selector(name).select(SelectionSplit(labels, 7), 1, AskedOracle(labels, ask))
    if name != "oracle-surrogate":  # which goes by the number of right labels alone
        assert chosen.team == (0,)
    assert len(chosen.team) == 1


def beside(top: np.ndarray, low: np.ndarray, **more: Any) -> dict[str, Any]:
    """What stands of the second method over the first; a row a split."""
    tried = [
        replace(trial, method=name, team=(place,), **more)
        for place, (name, right) in enumerate((("top", top), ("low", low)))
        for trial in trials(right)
    ]
    labels = matrix()
    labels = replace(labels, proposers=(Proposer("ann"), Proposer("bob")), codes=np.tile(labels.codes, (2, 1)))
    _, row = method_rows(labels, tried, against="top")
    over: dict[str, Any] = row["over"]
    return over


def of_which_differ(better: int, worse: int) -> tuple[np.ndarray, np.ndarray]:
    """Two methods on one split: on so many questions the first is right alone, on so many the second, on the rest both."""
    top, low = np.ones(SIZE), np.ones(SIZE)
    low[:better] = 0
    top[better : better + worse] = 0
    return top, low


def test_the_same_split_twice_says_of_means_over_repeats_what_it_says_once() -> None:
    """Means that happen to be 0 or 1 are means all the same: their limits are not those of single answers."""
    top, low = of_which_differ(30, 12)
    once, twice = (beside(np.tile(top, (times, 1)), np.tile(low, (times, 1)), repeats=3) for times in (1, 2))
    assert [twice[key] for key in ("difference", "low", "high", "p")] == pytest.approx(
        [once[key] for key in ("difference", "low", "high", "p")]
    )
    single = beside(np.tile(top, (2, 1)), np.tile(low, (2, 1)))
    assert (twice["low"], twice["high"]) != pytest.approx((single["low"], single["high"]), abs=1e-4)


def test_a_difference_is_small_where_it_is_on_any_split() -> None:
    few, many = of_which_differ(5, 1), of_which_differ(40, 10)
    small = [
        beside(np.array([first[0], second[0]]), np.array([first[1], second[1]]))["small"]
        for first, second in ((few, many), (many, few), (many, many))
    ]
    assert small == [True, True, False]


def test_one_is_clearly_better_up_to_the_level_that_is_asked_for() -> None:
    """The level is that of one side: the p of two sides is held against twice as much."""
    top, low = of_which_differ(14, 5)
    own, other = (trials(np.tile(right, (2, 1))) for right in (top, low))
    p = OverSplits([OnePair(14, 5, SIZE)] * 2, SIZE).p_zero
    assert p is not None
    assert clearly_better(matrix(), own, other, 0.51 * p) == pytest.approx(p / 2)
    assert clearly_better(matrix(), own, other, 0.49 * p) == 1.0
    assert clearly_better(matrix(), other, own, 1.0) == 1.0


# --- right labels and g: by the rule of every figure -----------------------------------------------------------------


def counted(right: np.ndarray, known: np.ndarray, *, settled: bool = True, **more: Any) -> dict[str, Any]:
    """The row of one split with so many right labels in front of each word."""
    tried = [replace(trial, known=known.astype(float), **more) for trial in trials(right[None, :])]
    (row,) = method_rows(replace(matrix(), settled=settled), tried)
    return row


def cells_of(row: dict[str, Any]) -> list[tuple[int, float | None, float | None]]:
    return [(cell["n"], cell["share"], cell["accuracy"]) for cell in row["right_labels"]]


def test_right_labels_are_withheld_where_what_is_graded_would_flatter() -> None:
    """What matches is right at once, and what does not waits: of labels and words that are graded all are right."""
    known = np.ones(SIZE)
    known[:200] = np.nan
    for settled in (True, False):
        row = counted(np.ones(SIZE), known, settled=settled)
        assert cells_of(row) == [(0, None, None)] * 2
        assert all("200 of 400 test questions have an ungraded answer" in cell["why"] for cell in row["right_labels"])
    row = counted(np.where(np.arange(SIZE) < 21, np.nan, 1.0), np.ones(SIZE))
    assert cells_of(row) == [(0, None, None)] * 2, "the words are ungraded, whatever the labels are"
    row = counted(np.ones(SIZE), np.where(np.arange(SIZE) < 1, np.nan, 1.0), settled=False)
    assert cells_of(row) == [(0, None, None)] * 2, "nobody has graded anything but matches"


def test_right_labels_are_over_the_questions_that_are_graded_word_and_labels() -> None:
    """300 with one right label, of whose words 4 are ungraded; of 6 others a label is ungraded."""
    known, right = np.zeros(SIZE), np.zeros(SIZE)
    known[:300], right[:150] = 1, 1.0
    right[:4], known[300:306] = np.nan, np.nan
    row = counted(right, known)
    assert cells_of(row) == [(94, 94 / 390, 0.0), (296, 296 / 390, pytest.approx(146 / 296))]
    assert not any("why" in cell for cell in row["right_labels"])


def drawn_right_labels(rows: Sequence[dict[str, Any]]) -> Any:
    held = [{**row, "k": 1, "accuracies": {"ann": 0.5}} for row in rows]
    made = selection_sections(held, HowChosen("asked", m=10, splits=1, questions=SIZE))
    return next(section for section in made if section.id == "selection-right-labels")


def test_the_ensemble_is_pooled_over_graded_words() -> None:
    """Of the words behind two right labels none is graded: a dash, not 0 %; other cells are weighted by what is graded."""
    known, right = np.ones(SIZE), np.ones(SIZE)
    known[:5], right[:5] = 0, np.nan
    first = counted(right, known, method="first")
    other = counted(np.where(np.arange(SIZE) < 100, 0.0, 1.0), np.ones(SIZE), method="other")
    section = drawn_right_labels([first, other])
    assert section.rows[-1] == {"method": "ensemble right then", "k": 1, "0": None, "1": pytest.approx(695 / 795)}
    nothing = counted(np.full(SIZE, np.nan), np.ones(SIZE))
    section = drawn_right_labels([nothing])
    assert [(row["0"], row["1"]) for row in section.rows] == [(None, None)] * 2
    assert any("400 of 400 test questions" in words for words in section.words)


def test_a_split_without_a_grade_leaves_the_mean_over_splits_unknown() -> None:
    right = np.ones((30, SIZE))
    right[0] = np.nan
    (row,) = method_rows(matrix(), trials(right))
    assert (row["test_accuracy"], row["low"], row["high"], row["n"], row["deviation"]) == (None, None, None, 0, None)
    assert "split" in row["why"]


@pytest.mark.parametrize("name", ["oracle-surrogate", "exact"])
@pytest.mark.parametrize("waiting", [0.0, 0.5])
async def test_g_is_no_figure_where_the_words_it_was_learnt_from_flatter(name: str, waiting: float) -> None:
    """Of the words that are graded all are right. Then no distance is told by it either, and the row says so."""
    draw = np.random.default_rng(5)
    codes = (draw.random((4, 60)) < 0.5).astype(np.int32)
    ids, people = tuple(f"q{number}" for number in range(60)), tuple(map(Proposer, ("ann", "bob", "cat", "dan")))
    labels = LabelMatrix(people, ids, ("A", "B"), codes, np.zeros(60, dtype=np.int32))

    async def ask(team: tuple[Proposer, ...], question: str) -> float:
        return float("nan") if int(question[1:]) < 60 * waiting else 1.0

    tried = [
        trial
        async for trial in every_trial(
            labels,
            [selector(name), selector("exact")],
            2,
            m=40,
            summarisers=lambda halves: Summarisers(
                AskedOracle(halves.selection.labels, ask), AskedOracle(halves.test.labels, ask)
            ),
        )
    ]
    row = method_rows(labels, tried)[0]
    if not waiting:
        assert row["g"] == [1, 1, 1]
        assert row["proven"]
        assert "why_no_g" not in row
        return
    assert (row["g"], row["distance"], row["proven"]) == (None, None, 0)
    assert "sampled words are ungraded" in row["why_no_g"]
    assert any("least" in note for note in row["notes"])


async def test_g_is_no_figure_where_the_labels_wait() -> None:
    ids, people = tuple(f"q{number}" for number in range(40)), (Proposer("ann"), Proposer("bob"))
    ungraded = np.zeros((2, 40), dtype=np.bool_)
    ungraded[1, ::4] = True
    codes = np.where(ungraded, 1, 0).astype(np.int32)
    labels = LabelMatrix(people, ids, ("A", "B"), codes, np.zeros(40, dtype=np.int32), ungraded=ungraded)
    tried = [trial async for trial in every_trial(labels, [selector("oracle-surrogate")], 1, m=30)]
    (row,) = method_rows(labels, tried)
    assert row["g"] is None
    assert "ungraded label" in row["why_no_g"]
    (member,) = row["team"]
    waiting = sum(int(question[1:]) % 4 == 0 for question in row["chosen_on_ids"])
    assert row.get("accuracies_ungraded") == ({"bob": waiting} if member == "bob" else None)
