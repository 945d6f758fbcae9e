"""Answers that mean something only within their question: thousands of them, in whatever words."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from moot.decide.one_coin import dawid_skene, naive_bayes
from moot.decide.rules import MostProbable, expected_worth
from moot.select import LabelMatrix, Proposer, SelectionSplit, VoteOracle, selector
from moot.select.aggregate import ByLearntRule, NaiveBayesVote, aggregators
from moot.select.kgreedy import value
from moot.select.labels import per_question, split_labels
from moot.select.trial import aggregated
from moot.select.truth import dealt, predicted
from moot.select.voting import candidates_in
from moot.select.within_questions import WithinQuestions


def open_world(proposers: int, questions: int, seed: int = 1, *, shared: bool = False) -> LabelMatrix:
    """Each question has answers of its own, twelve wrong ones of which some are popular; some labels are missing."""
    draw = np.random.default_rng(seed)
    able = draw.uniform(0.15, 0.85, proposers)[:, None] + draw.uniform(-0.3, 0.3, questions)
    wrong = 1 + np.minimum(11, draw.exponential(2.0, able.shape)).astype(int)
    kind = np.where(draw.random(able.shape) < able, 0, wrong)
    words = draw.permuted(np.tile(np.arange(3_000), (questions, 1)), axis=1)[:, :13]
    codes = words[np.arange(questions), kind].astype(np.int16)
    codes[draw.random(codes.shape) < 0.03] = -1
    names = tuple(Proposer(f"m{n:02}") for n in range(proposers))
    ids = tuple(f"q{n:03}" for n in range(questions))
    classes = tuple(f"{n:04}" for n in range(3_000))
    return LabelMatrix(names, ids, classes, codes, words[:, 0].astype(np.int16), shared=shared)


async def test_thousands_of_answers_take_no_more_memory_than_those_that_were_given() -> None:
    """A table of proposers × right classes × questions, as of choices that all questions have in common, would be 160 MB."""
    labels = open_world(43, 721)
    tracemalloc.start()
    try:
        for each in (labels, replace(labels, shared=True)):
            split = SelectionSplit(each)
            chosen = await selector("truth-prediction", {"completions": 1}).select(split, 2, VoteOracle.of(split))
            assert len(chosen.team) == 2
        tried = aggregated(labels, aggregators(labels), m=25)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 60e6
    right = {trial.method: trial.test_accuracy for trial in tried}
    assert right.keys() >= {"majority", "majority-weighted", "naive-bayes", "learnt", "one-coin-dawid-skene"}
    assert min(filter(None, right.values())) > 0.6


def test_the_worth_of_a_team_is_what_naive_bayes_makes_of_its_labels_fold_by_fold() -> None:
    labels = open_world(7, 90, seed=4)
    folds = dealt(SelectionSplit(labels), 5)
    objective = predicted(labels, folds)
    assert isinstance(objective, WithinQuestions)
    everybody = candidates_in(labels)
    for team in [(0,), (3, 1), (2, 4, 6), (6, 5, 3, 1, 0)]:
        low = high = 0.0
        for fold in range(5):
            rule = naive_bayes(everybody.at(np.flatnonzero(folds != fold)))
            asked = everybody.at(np.flatnonzero(folds == fold)).only(team)
            worth = expected_worth(rule, asked)
            low, high = low + float(np.floor(worth).sum()), high + float(np.ceil(worth).sum())
        assert low / 90 - 1e-9 <= value(objective, team) <= high / 90 + 1e-9, "but for ties, which are by lot"


def test_whoever_is_worse_than_chance_speaks_against_its_answer() -> None:
    """Five agree on a wrong answer again and again; a vote of all six would be theirs."""
    names = [f"q{n:02}" for n in range(60)]
    said = {
        Proposer("sage"): {q: (f"right {q}", True) for q in names[:45]} | dict.fromkeys(names[45:], ("slip", False))
    }
    for n in range(5):
        said[Proposer(f"m{n}")] = {
            q: ("myth", False) if m % 6 != n else (f"right {q}", True) for m, q in enumerate(names)
        }
    labels = per_question(said, names)
    assert max(weight for name, weight in naive_bayes(candidates_in(labels)).weights.items() if name != "sage") < 0
    objective = predicted(labels, dealt(SelectionSplit(labels), 5))
    sage = labels.proposers.index(Proposer("sage"))
    assert value(objective, [sage]) == 0.75
    with_all = value(objective, [*(place for place in range(6) if place != sage), sage])
    assert with_all >= 0.75


async def test_exact_solves_what_truth_prediction_climbs_on_open_answers_too() -> None:
    labels = open_world(7, 60, seed=2)
    split = SelectionSplit(labels, 2)
    found = await selector("exact", {"objective": "truth"}).select(split, 3, VoteOracle.of(split))
    objective = predicted(labels, dealt(split, 5))
    assert found.detail["worth"] == max(value(objective, team) for team in combinations(range(7), 3))


@settings(max_examples=4, deadline=None)
@given(seed=st.integers(0, 10**6), renaming=st.integers(0, 10**6))
def test_other_words_within_a_question_move_nothing_that_is_learnt(seed: int, renaming: int) -> None:
    labels = open_world(5, 30, seed)
    draw = np.random.default_rng(renaming)
    codes, truth = labels.codes.copy(), labels.truth.copy()
    for place in range(labels.size):
        other = np.append(draw.permutation(3_000), -1).astype(np.int16)  # the last is for who said nothing
        codes[:, place], truth[place] = other[codes[:, place]], other[truth[place]]
    renamed = replace(labels, codes=codes, truth=truth)
    folds = dealt(SelectionSplit(labels), 5)
    objectives = predicted(labels, folds), predicted(renamed, folds)
    everybody = np.arange(1, 5)
    assert objectives[0].values((0,), everybody).tolist() == objectives[1].values((0,), everybody).tolist()
    for learn in (naive_bayes, dawid_skene):
        assert learn(candidates_in(labels)) == learn(candidates_in(renamed))
    rules = [ByLearntRule().rule(SelectionSplit(each), each) for each in (labels, renamed)]
    assert type(rules[0]) is type(rules[1])
    if isinstance(rules[0], MostProbable) and isinstance(rules[1], MostProbable):
        assert rules[0].model.row.tolist() == rules[1].model.row.tolist()


def test_a_label_without_a_grade_leaves_open_what_hangs_on_it() -> None:
    """z is trusted most and wrong on q0; x is right, and y may be right in other words: then the two outweigh z."""
    names = [f"q{n:02}" for n in range(24)]
    known = names[1:]
    said = {
        Proposer("x"): {q: ("yes", n % 3 > 0) for n, q in enumerate(known)} | {"q00": ("Paris", True)},
        Proposer("y"): {q: ("ja", n % 3 > 0) for n, q in enumerate(known)} | {"q00": ("Lutetia", None)},
        Proposer("z"): {q: ("oui", n % 8 > 0) for n, q in enumerate(known)} | {"q00": ("Oslo", False)},
    }
    labels = per_question(said, names)
    known_part = SelectionSplit(labels.at(np.arange(1, 24)))
    weights = NaiveBayesVote().rule(known_part, labels).weights  # type: ignore[attr-defined]
    assert weights["x"] < weights["z"] < weights["x"] + weights["y"]
    right = NaiveBayesVote().right(known_part, labels)
    assert np.isnan(right[0])
    assert not np.isnan(right[1:]).any()


def test_dawid_skene_finds_whom_to_trust_without_the_truth() -> None:
    labels = open_world(9, 300, seed=3)
    candidates = candidates_in(labels)
    rule = dawid_skene(candidates)
    blind = replace(candidates, worth=np.zeros(candidates.worth.shape))
    assert dawid_skene(blind) == rule
    by_trust = np.argsort([rule.weights[name] for name in candidates.players])
    by_accuracy = np.argsort(labels.accuracy)
    assert set(by_trust[-3:]) == set(by_accuracy[-3:])
    assert expected_worth(rule, candidates).mean() > labels.accuracy.max()


def test_learnt_is_left_out_where_there_is_too_little_to_learn_from() -> None:
    few = split_labels(open_world(4, 30), 15).selection
    assert "15 questions" in (ByLearntRule().why_not(few) or "")
    assert ByLearntRule().why_not(split_labels(open_world(4, 30), 20).selection) is None
