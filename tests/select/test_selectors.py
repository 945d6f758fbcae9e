"""Selectors: the contract, what each chooses where the right choice is known, and what it spends."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from installing import bring

from moot.errors import UsageError
from moot.select import (
    Chosen,
    LabelMatrix,
    Oracle,
    Proposer,
    SelectionSplit,
    Selector,
    VoteOracle,
    registered,
    selector,
)
from moot.select.exact import optimum
from moot.select.greedy import Greedy, ModelFirst
from moot.select.kgreedy import k_greedy, value
from moot.select.oracle import AskedOracle, Meter
from moot.select.surrogate import OracleSurrogate, WorthByCount, learn
from moot.select.truth import Classified, NaiveBayes, dealt
from moot.testing import check_selector


def matrix(right: Sequence[Sequence[int]], *, prompts: int = 1, classes: int = 4) -> LabelMatrix:
    """Rows of 1 (right), 0 (wrong, all the same way) and -1 (unanswered)."""
    rows = np.array(right)
    truth = (np.arange(rows.shape[1]) % classes).astype(np.int16)
    codes = np.where(rows == 1, truth, np.where(rows == 0, (truth + 1) % classes, -1)).astype(np.int16)
    proposers = tuple(
        Proposer(f"m{row // prompts}", f"p{row % prompts}" if prompts > 1 else "") for row in range(len(rows))
    )
    return LabelMatrix(
        proposers, tuple(f"q{n:03}" for n in range(rows.shape[1])), tuple("abcdefgh"[:classes]), codes, truth
    )


def crowd(proposers: int, questions: int, seed: int = 1, *, classes: int = 4, prompts: int = 1) -> LabelMatrix:
    draw = np.random.default_rng(seed)
    able = draw.uniform(0.3, 0.8, size=proposers)
    truth = draw.integers(classes, size=questions).astype(np.int16)
    knows = draw.random((proposers, questions)) < able[:, None]
    codes = np.where(knows, truth, draw.integers(classes, size=knows.shape)).astype(np.int16)
    names = tuple(Proposer(f"m{n // prompts:02}", f"p{n % prompts}" if prompts > 1 else "") for n in range(proposers))
    return LabelMatrix(names, tuple(f"q{n:04}" for n in range(questions)), tuple("abcdefgh"[:classes]), codes, truth)


async def chosen(name: str, labels: LabelMatrix, k: int, **options: object) -> Chosen:
    split = SelectionSplit(labels, seed=3)
    return await selector(name, options).select(split, k, VoteOracle.of(split))


@pytest.mark.parametrize("name", registered())
async def test_the_contract(name: str) -> None:
    await check_selector(selector(name))


@dataclass(frozen=True)
class Spendthrift:
    """Breaks a promise: it does not look at its budget."""

    name: ClassVar[str] = "spendthrift"
    calls: int | None = None

    async def select(self, split: SelectionSplit, k: int, oracle: Oracle) -> Chosen:
        return await dataclasses.replace(Greedy(), calls=None).select(split, k, oracle)


@dataclass(frozen=True)
class Credulous:
    """Breaks a promise: it takes whatever it is given."""

    name: ClassVar[str] = "credulous"

    async def select(self, split: SelectionSplit, k: int, oracle: Oracle) -> Chosen:
        if k > len(split.labels.proposers):
            raise UsageError("too many")
        return Chosen(tuple(range(k)))


@dataclass(frozen=True)
class Unlooking:
    """Breaks a promise, and only by accident: nobody looked at what was given."""

    name: ClassVar[str] = "unlooking"

    async def select(self, split: SelectionSplit, k: int, oracle: Oracle) -> Chosen:
        labels = split.labels
        return Chosen(tuple(range(k)) if k <= len(labels.proposers) else ())


@dataclass(frozen=True)
class Fails:
    name: ClassVar[str] = "fails"

    async def select(self, split: SelectionSplit, k: int, oracle: Oracle) -> Chosen:
        return {}["best"]  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Names:
    name: ClassVar[str] = "names"

    async def select(self, split: SelectionSplit, k: int, oracle: Oracle) -> Any:
        return ("ann", "bob")


@dataclass(frozen=True)
class AtOnce:
    name: ClassVar[str] = "at-once"

    def select(self, split: SelectionSplit, k: int, oracle: Oracle) -> Any:
        return Chosen(tuple(range(k)))


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (Spendthrift(), "budget"),
        (Credulous(), "selection split"),
        (
            Unlooking(),
            "selection split must be refused with TypeError .*selection_only.*, found AttributeError: 'Label",
        ),
        (Fails(), r"it fails \(usual, k = 1\): KeyError: 'best'"),
        (Names(), "expected a Chosen, found tuple"),
        (AtOnce(), "expected async def select, found one that gives a Chosen at once"),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
async def test_a_broken_selector_is_noticed(broken: Selector, words: str) -> None:
    with pytest.raises(AssertionError, match=words):
        await check_selector(broken)


# --- baselines ----------------------------------------------------------------------------------------------------------


async def test_baselines_choose_what_they_say() -> None:
    labels = matrix(
        [
            [1, 1, 1, 1, 1, 1, 0, 0],  # m0/p0: 6
            [1, 1, 1, 1, 1, 0, 0, 0],  # m0/p1: 5
            [1, 1, 1, 1, 1, 1, 1, 0],  # m1/p0: 7
            [1, 0, 0, 0, 0, 0, 0, 0],  # m1/p1: 1
            [0, 0, 0, 1, 1, 1, 1, 1],  # m2/p0: 5
            [0, 0, 0, 0, 1, 0, 0, 0],  # m2/p1: 1
        ],
        prompts=2,
    )
    assert (await chosen("top-accuracy", labels, 2)).team == (2, 0)
    assert set((await chosen("best-model", labels, 1)).team) == {0, 1}  # the best mean, though not the best proposer
    assert set((await chosen("per-model-top", labels, 1)).team) == {0, 2, 4}
    assert set((await chosen("input-all", labels, 1)).team) == set(range(6))
    diverse = await chosen("conditioned-diversity", labels, 2, tau=0.5)
    assert diverse.team == (2, 4)
    few = await chosen("conditioned-diversity", labels, 4, tau=0.8)
    assert few.team[0] == 2
    assert "only 1 proposers reach tau" in " ".join(few.notes)


async def test_equal_proposers_are_ranked_by_lot_not_by_name() -> None:
    labels = matrix([[1, 0, 1, 0]] * 6)
    first = {
        (await selector("top-accuracy").select(split, 1, VoteOracle.of(split))).team[0]
        for split in (SelectionSplit(labels, seed) for seed in range(30))
    }
    assert len(first) > 3


# --- with the summariser in the loop ------------------------------------------------------------------------------------


def needs_both(labels: LabelMatrix, calls: list[tuple[tuple[str, ...], str]]) -> AskedOracle:
    """A summariser that is right only if it reads the two weakest together: no accuracy would tell."""

    async def ask(team: tuple[Proposer, ...], question: str) -> float:
        names = {each.model for each in team}
        calls.append((tuple(sorted(names)), question))
        return float({"m03", "m04"} <= names) if len(names) > 1 else 0.5 * ("m03" in names)

    return AskedOracle(labels, ask)


async def test_greedy_asks_about_everybody_and_takes_who_adds_most() -> None:
    labels, calls = crowd(5, 6), []
    split = SelectionSplit(labels)
    found = await Greedy().select(split, 2, needs_both(labels, calls))
    assert [str(labels.proposers[place]) for place in found.team] == ["m03", "m04"]
    assert found.calls == len(calls) == 5 * 6 + 4 * 6


async def test_model_first_asks_once_a_question_and_model() -> None:
    labels, calls = crowd(8, 12, prompts=2), []
    split = SelectionSplit(labels)

    async def ask(team: tuple[Proposer, ...], question: str) -> float:
        calls.append((team, question))
        return float(team[-1] == Proposer("m02", "p1")) or 0.25 * (team[-1].model == "m02")

    found = await ModelFirst().select(split, 2, AskedOracle(labels, ask))
    assert labels.proposers[found.team[0]] == Proposer("m02", "p1")
    assert found.calls == len(calls) == 2 * 4 * 12  # n_models · m · k
    asked_first = [(team[0].model, question) for team, question in calls[: 4 * 12]]
    assert len(set(asked_first)) == 4 * 12, "each question once for each model"
    assert {team[0].prompt for team, _ in calls[: 4 * 12]} == {"p0", "p1"}


async def test_with_one_prompt_a_model_model_first_is_greedy() -> None:
    labels = crowd(7, 60)
    assert (await chosen("model-first", labels, 4)).team == (await chosen("greedy", labels, 4)).team


async def test_a_budget_ends_the_search_at_a_whole_step() -> None:
    labels, calls = crowd(5, 10), []
    found = await Greedy(calls=50 + 40).select(SelectionSplit(labels), 4, needs_both(labels, calls))
    assert found.calls == len(calls) == 90
    assert len(found.team) == 4
    assert "ended the search at 2 of 4" in found.notes[0]


async def test_hybrid_lets_the_costly_one_begin() -> None:
    labels, calls = crowd(5, 10), []
    split = SelectionSplit(labels)
    found = await selector("hybrid", {"first": "greedy", "first_k": 2, "then": "top-accuracy"}).select(
        split, 3, needs_both(labels, calls)
    )
    assert [str(labels.proposers[place]) for place in found.team[:2]] == ["m03", "m04"]
    rest = max((0, 1, 2), key=lambda place: labels.accuracy[place])
    assert found.team[2] == rest
    assert found.calls == len(calls) == 50 + 40
    assert "2 by greedy, 1 by top-accuracy" in found.notes


@pytest.mark.parametrize("wrong", [{"first": "input-all"}, {"then": "hybrid"}, {"first_k": 0}, {"calls": -1}])
def test_hybrid_refuses_what_cannot_grow(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        selector("hybrid", wrong)


# --- truth-prediction ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("classes", [2, 4])
def test_naive_bayes_is_that_of_scikit_learn(classes: int) -> None:
    """The tables laid out once give, team by team and fold by fold, what fitting anew gives."""
    from sklearn.naive_bayes import CategoricalNB

    labels = crowd(6, 83, classes=classes)
    folds = dealt(SelectionSplit(labels), 5)
    fast = NaiveBayes.of(labels, folds)
    for team in [(0,), (1, 4), (0, 2, 5), (5, 3, 1, 0)]:
        right = 0
        for fold in range(5):
            test = folds == fold
            model = CategoricalNB(min_categories=classes).fit(labels.codes[list(team)].T[~test], labels.truth[~test])
            right += (model.predict(labels.codes[list(team)].T[test]) == labels.truth[test]).sum()
        assert value(fast, team) == pytest.approx(right / 83)


def test_a_missing_label_says_nothing() -> None:
    labels = crowd(3, 60)
    silent = LabelMatrix(
        (*labels.proposers, Proposer("m99")),
        labels.questions,
        labels.classes,
        np.vstack([labels.codes, np.full((1, 60), -1, dtype=np.int16)]),
        labels.truth,
    )
    folds = dealt(SelectionSplit(silent), 5)
    objective = NaiveBayes.of(silent, folds)
    assert value(objective, (0, 1, 2, 3)) == value(objective, (0, 1, 2))


async def test_truth_prediction_takes_a_liar_whom_accuracy_would_not() -> None:
    """Labels that are always wrong in the same way tell the truth exactly; a classifier sees it, an accuracy does not."""
    draw = np.random.default_rng(5)
    truth = draw.integers(4, size=200).astype(np.int16)
    liar = (truth + 1) % 4
    half = [np.where(draw.random(200) < 0.5, truth, draw.integers(4, size=200)) for _ in range(4)]
    labels = LabelMatrix(
        tuple(Proposer(f"m{n}") for n in range(5)),
        tuple(f"q{n:03}" for n in range(200)),
        tuple("abcd"),
        np.array([*half, liar]).astype(np.int16),
        truth,
    )
    assert 4 in (await chosen("truth-prediction", labels, 2)).team
    assert 4 not in (await chosen("top-accuracy", labels, 2)).team
    assert 4 in (await chosen("truth-prediction", labels, 2, classifier="sklearn.tree:DecisionTreeClassifier")).team


def test_any_classifier_is_cross_validated_on_the_same_folds() -> None:
    from sklearn.linear_model import LogisticRegression

    labels = crowd(4, 40)
    folds = dealt(SelectionSplit(labels), 5)
    objective = Classified(labels, folds, LogisticRegression())
    assert 0 <= value(objective, (0, 1)) <= 1
    constant = LabelMatrix(
        labels.proposers, labels.questions, labels.classes, labels.codes, np.zeros(40, dtype=np.int16)
    )
    assert value(Classified(constant, folds, LogisticRegression()), (0, 1)) == 1.0


async def test_a_classifier_needs_classes_in_common() -> None:
    labels = dataclasses.replace(crowd(4, 20), shared=False)
    with pytest.raises(UsageError, match="free answers"):
        await chosen("truth-prediction", labels, 2, classifier="sklearn.tree:DecisionTreeClassifier")


# --- the surrogate and the optimum --------------------------------------------------------------------------------------


async def test_g_is_learnt_from_teams_with_exactly_so_many_right_labels() -> None:
    labels = crowd(10, 80)
    split, seen = SelectionSplit(labels, 4), []

    async def ask(team: tuple[Proposer, ...], question: str) -> float:
        places = [labels.proposers.index(each) for each in team]
        c = int(labels.right[places, labels.questions.index(question)].sum())
        seen.append((c, question))
        return float(c >= 2)

    learnt = await learn(split, 4, Meter(AskedOracle(labels, ask)), samples=30)
    assert learnt is not None
    assert learnt.g.tolist() == [0, 0, 1, 1, 1]
    assert learnt.calls == len(seen) == 5 * 30
    assert sorted({c for c, _ in seen}) == [0, 1, 2, 3, 4]
    assert not {question for _, question in seen} & set(learnt.scored.questions), "scored where g was not learnt"


async def test_a_count_that_no_team_reaches_is_interpolated_and_flagged() -> None:
    labels = matrix([[1] * 12] * 3 + [[0] * 12])  # with k = 3: two or three right, never none or one
    found = await OracleSurrogate(samples=5).select(SelectionSplit(labels), 3, VoteOracle.of(SelectionSplit(labels)))
    assert found.detail["interpolated"] == [0, 1]
    assert "interpolated" in found.notes[0]
    assert all(0 <= each <= 1 for each in found.detail["g"])


async def test_a_small_budget_takes_fewer_samples() -> None:
    labels = crowd(8, 60)

    async def ask(team: tuple[Proposer, ...], question: str) -> float:
        return 1.0

    found = await OracleSurrogate(calls=25).select(SelectionSplit(labels), 3, AskedOracle(labels, ask))
    assert found.calls == 24
    assert "allows 6 samples for each c instead of 200" in found.notes[0]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 5), st.sampled_from(["rising", "hump", "any"]))
def test_branch_and_bound_finds_what_trying_all_teams_finds(seed: int, k: int, shape: str) -> None:
    draw = np.random.default_rng(seed)
    right = (draw.random((9, 15)) < draw.uniform(0.2, 0.9, size=(9, 1))).astype(float)
    g = draw.random(k + 1)
    if shape == "rising":
        g = np.sort(g)
    elif shape == "hump":
        g = np.concatenate([np.sort(g[: k // 2 + 1]), -np.sort(-g[k // 2 + 1 :])])
    objective = WorthByCount(right, g)
    best = max(
        float(g[right[list(team)].sum(axis=0).astype(int)].mean()) for team in itertools.combinations(range(9), k)
    )
    found = optimum(objective, k)
    assert found.proven
    assert found.value == pytest.approx(best)
    assert value(objective, found.team) == pytest.approx(best)
    assert len(set(found.team)) == k


async def test_exact_is_never_below_k_greedy_and_gives_up_in_words() -> None:
    labels = crowd(14, 80)
    split = SelectionSplit(labels, 2)
    exact = await selector("exact").select(split, 5, VoteOracle.of(split))
    greedy = await selector("oracle-surrogate").select(split, 5, VoteOracle.of(split))
    assert exact.detail["proven"]
    assert exact.detail["worth"] >= greedy.detail["worth"] - 1e-9
    short = await selector("exact", {"most_nodes": 1}).select(split, 5, VoteOracle.of(split))
    assert not short.detail["proven"]
    assert "no proof" in " ".join(short.notes)


async def test_exact_can_solve_what_truth_prediction_climbs() -> None:
    labels = crowd(8, 60)
    split = SelectionSplit(labels, 2)
    found = await selector("exact", {"objective": "truth"}).select(split, 3, VoteOracle.of(split))
    objective = NaiveBayes.of(labels, dealt(split, 5))
    best = max(value(objective, team) for team in itertools.combinations(range(8), 3))
    assert found.detail["proven"]
    assert found.detail["worth"] == value(objective, found.team) == best
    climbed = await selector("truth-prediction").select(split, 3, VoteOracle.of(split))
    assert climbed.detail["worth"] <= best
    short = await selector("exact", {"objective": "truth", "most_nodes": 3}).select(split, 3, VoteOracle.of(split))
    assert not short.detail["proven"]
    await check_selector(selector("exact", {"objective": "truth"}))


def test_k_greedy_values_a_candidate_in_a_whole_team() -> None:
    """A worth that only a team of three has: alone nobody is worth anything, so plain greedy would be blind."""

    class Trio:
        def values(self, base: Sequence[int], candidates: np.ndarray) -> np.ndarray:
            return np.array(
                [len({3, 5, 6} & {*base, int(each)}) ** 2 if len(base) == 2 else 0.0 for each in candidates]
            )

    split = SelectionSplit(crowd(8, 20), 1)
    assert set(k_greedy(split, Trio(), 3, completions=200)) == {3, 5, 6}
    assert set(k_greedy(split, Trio(), 3, (3, 5))) == {3, 5, 6}


def test_k_greedy_completes_alike_for_all_and_never_with_the_candidate_itself() -> None:
    asked: list[tuple[tuple[int, ...], list[int]]] = []

    class Recorded:
        def values(self, base: Sequence[int], candidates: np.ndarray) -> np.ndarray:
            asked.append((tuple(base), candidates.tolist()))
            return np.zeros(len(candidates))

    team = k_greedy(SelectionSplit(crowd(9, 20), 1), Recorded(), 4, completions=5)
    assert all(len(base) == 3 for base, _ in asked), "always one short of the final size"
    assert all(not set(base) & set(candidates) for base, candidates in asked)
    first_step = asked[: len(asked) - 1]
    wide = [candidates for base, candidates in first_step if len(candidates) > 2 and not set(base) & set(team[:1])]
    assert wide, "all who stand outside a completion are measured in it together"
    accuracy = crowd(9, 20).accuracy
    assert list(accuracy[list(team)]) == sorted(accuracy, reverse=True)[:4], "of equal worth, the more accurate"


def test_another_package_may_bring_a_selector(monkeypatch: pytest.MonkeyPatch) -> None:
    bring(monkeypatch, "moot.selectors", {"mine": "moot.select.baselines:TopAccuracy"})
    assert selector("mine") == selector("top-accuracy")


def test_unknown_selectors_and_options() -> None:
    with pytest.raises(UsageError, match="greedy"):
        selector("gredy")
    with pytest.raises(UsageError, match="tau"):
        selector("conditioned-diversity", {"tua": 0.5})
    with pytest.raises(UsageError, match="tau"):
        selector("conditioned-diversity", {"tau": 5})
