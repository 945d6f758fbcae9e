"""Whatever is chosen on some questions and scored on others: no cluster stands on both sides."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from moot.errors import FileError, UsageError
from moot.experiment.selected import read_selection
from moot.measures.selection.figures import method_rows, single_rows
from moot.measures.selection.sections import HowChosen, selection_sections
from moot.select import LabelMatrix, Proposer, SelectionSplit, VoteOracle, read_labels, selector, split_labels
from moot.select.surrogate import learn_parts
from moot.select.trial import Trial, trials
from moot.select.truth import dealt
from moot.stats.choice import chosen_interval
from moot.stats.clusters import clustered, units_of
from moot.stats.crossfit import crossfit, folds
from moot.stats.estimates import estimate
from moot.stats.frontier import Option, frontier
from moot.stats.rank import halves
from moot.types import Case, Question

QUESTIONS = [f"q{number:03}" for number in range(60)]
TOGETHER = {question: f"passage {number // 4}" for number, question in enumerate(QUESTIONS[:48])}
"""Twelve clusters of four, and twelve questions that stand alone."""


def test_no_cluster_is_in_two_folds() -> None:
    with clustered(TOGETHER):
        fold_of = folds(QUESTIONS, count=5, seed=3)
    assert set(fold_of) == set(QUESTIONS)
    for cluster in set(TOGETHER.values()):
        assert len({fold_of[question] for question in QUESTIONS if TOGETHER.get(question) == cluster}) == 1
    sizes = Counter(fold_of.values())
    assert len(sizes) == 5
    assert max(sizes.values()) - min(sizes.values()) <= 4, "as equal as clusters of four allow"


def test_questions_that_stand_alone_are_dealt_as_ever() -> None:
    alone = folds(QUESTIONS, count=5, seed=3)
    assert set(Counter(alone.values()).values()) == {12}
    with clustered({question: question for question in QUESTIONS}):
        assert folds(QUESTIONS, count=5, seed=3) == alone


def test_a_choice_is_never_scored_on_the_cluster_it_was_made_on() -> None:
    """Each option is right on one cluster alone: whoever sees a part of a cluster would choose well for the rest."""
    together = {question: f"c{number // 20}" for number, question in enumerate(QUESTIONS)}
    options = {
        cluster: {question: float(together[question] == cluster) for question in QUESTIONS}
        for cluster in set(together.values())
    }
    with clustered(together):
        fitted = crossfit(options, QUESTIONS, seed=1)
    assert fitted is not None
    assert len(fitted.chosen) == 3, "never more folds than clusters"
    assert sum(fitted.values.values()) == 0
    with clustered(dict.fromkeys(QUESTIONS, "one")):
        assert crossfit(options, QUESTIONS) is None, "one cluster cannot be chosen on and scored on"


def test_the_frontier_has_as_many_folds_as_there_are_clusters() -> None:
    values: dict[str, float | None] = {question: float(number % 2) for number, question in enumerate(QUESTIONS)}
    options = {name: Option(values, dict.fromkeys(QUESTIONS, cost)) for name, cost in (("a", 1.0), ("b", 2.0))}
    for clusters, parts in (({question: str(n % 3) for n, question in enumerate(QUESTIONS)}, 3), (TOGETHER, 5)):
        with clustered(clusters):
            assert [row["of_folds"] for row in frontier(options, QUESTIONS)] == [parts, parts]
    with clustered(dict.fromkeys(QUESTIONS, "one")):
        assert [(row["folds"], row["of_folds"]) for row in frontier(options, QUESTIONS)] == [(0, 0), (0, 0)]


def test_no_cluster_is_in_both_halves() -> None:
    """One half says how strong a model is, the other what it gains."""
    with clustered(TOGETHER):
        first = halves(QUESTIONS, seed=3)
    assert 0 < len(first) < len(QUESTIONS)
    for cluster in set(TOGETHER.values()):
        assert len({question in first for question in QUESTIONS if TOGETHER.get(question) == cluster}) == 1


def test_what_belongs_together_is_named_once() -> None:
    assert units_of(QUESTIONS) is None
    with clustered(TOGETHER):
        assert units_of(QUESTIONS[48:]) is None
        names = units_of(QUESTIONS)
    assert names is not None
    assert len(set(names)) == 24
    assert names[0] == names[3] != names[4]


def test_the_price_of_a_choice_is_by_cluster_and_keeps_their_number() -> None:
    generator = np.random.default_rng(5)
    table = np.repeat(generator.random((6, 15)) < 0.5, 4, axis=1).astype(float)
    names = {question: str(number // 4) for number, question in enumerate(QUESTIONS)}
    with clustered(names):
        usual = estimate(dict(zip(QUESTIONS, table[0].tolist(), strict=True)))
        assert usual is not None
        paid = chosen_interval(table, 0, usual, clusters=units_of(QUESTIONS))
        once = chosen_interval(table[:, ::4], 0, usual)
    assert paid.clusters == usual.clusters == 15
    assert (paid.low or 0) < (usual.low or 0)
    assert paid.low == pytest.approx(once.low), "four copies of a question say what one says"


def matrix(clusters: dict[str, str]) -> LabelMatrix:
    generator = np.random.default_rng(2)
    truth = generator.integers(4, size=len(QUESTIONS)).astype(np.int16)
    said = np.where(generator.random((6, len(truth))) < 0.6, truth, (truth + 1) % 4).astype(np.int16)
    proposers = tuple(Proposer(f"m{number}") for number in range(6))
    return LabelMatrix(proposers, tuple(QUESTIONS), tuple("abcd"), said, truth, clusters=clusters)


@pytest.mark.parametrize("number", range(5))
def test_no_cluster_is_selected_on_and_tested_on(number: int) -> None:
    labels = matrix(TOGETHER)
    halves = split_labels(labels, 30, seed=1, number=number)
    one, other = (set(part.labels.units()) for part in (halves.selection, halves.test))
    assert not one & other
    assert abs(halves.selection.m - 30) <= 2, "as near to m as whole clusters come"
    assert halves.selection.m + halves.test.labels.size == len(QUESTIONS)
    fold_of = dealt(halves.selection, 5)
    names = halves.selection.labels.units()
    assert len({(name, int(fold)) for name, fold in zip(names, fold_of, strict=True)}) == len(set(names))
    fitted, scored = learn_parts(halves.selection, [])
    assert not {names[place] for place in fitted} & {names[place] for place in scored}
    assert len(fitted) + len(scored) == halves.selection.m


def test_without_clusters_splits_are_as_ever() -> None:
    halves = split_labels(matrix({}), 30, seed=1)
    order = np.random.default_rng([1, 0]).permutation(len(QUESTIONS))
    assert halves.selected.tolist() == sorted(order[:30])
    split = halves.selection
    assert dealt(split, 5).tolist() == (split.random("folds").permutation(30) % 5).tolist()


def test_what_is_one_cluster_cannot_be_split() -> None:
    labels = matrix(dict.fromkeys(QUESTIONS, "one"))
    with pytest.raises(UsageError, match="hang together"):
        split_labels(labels, 30)
    chosen = asyncio.run(
        selector("truth-prediction").select(SelectionSplit(labels), 2, VoteOracle.of(split_of(labels)))
    )
    assert chosen.notes == ("one question or cluster cannot be cross-validated; by accuracy",)


def split_of(labels: LabelMatrix) -> SelectionSplit:
    return SelectionSplit(labels)


def test_a_label_file_may_say_what_hangs_together(tmp_path: Path) -> None:
    rows = [
        {"question_id": q, "model": m, "pred": "A", "answer": "A", "cluster": cluster}
        for q, cluster in (("1", "x"), ("2", "x"), ("3", None), ("4", "y"))
        for m in ("one", "two")
    ]
    path = tmp_path / "labels.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    assert read_labels(path).clusters == {"1": "x", "2": "x", "4": "y"}
    assert read_labels(path, kind="free").clusters == {"1": "x", "2": "x", "4": "y"}
    path.write_text("\n".join(map(json.dumps, [*rows, {**rows[0], "model": "three", "cluster": "y"}])))
    with pytest.raises(FileError, match="two clusters"):
        read_labels(path)


def _differing(labels: LabelMatrix) -> list[Trial]:
    """One method is right on all questions of ten clusters more than the other, wrong on all of three."""
    every = np.arange(labels.size)
    better = np.array([0.0 if 40 <= place < 52 else 1.0 for place in every])
    worse = np.array([0.0 if place < 40 else 1.0 for place in every])
    return [
        Trial(name, 1, 0, (team,), 0, (), None, right, every, np.zeros(labels.size))
        for name, team, right in (("top-accuracy", 0, worse), ("greedy", 1, better))
    ]


def test_a_method_is_beaten_by_clusters_and_not_by_questions() -> None:
    by_fours = {question: str(number // 4) for number, question in enumerate(QUESTIONS)}
    by_twenties = {question: str(number // 20) for number, question in enumerate(QUESTIONS)}
    beaten = {}
    for name, clusters in (("alone", {}), ("fours", by_fours), ("twenties", by_twenties)):
        labels = matrix(clusters)
        rows = {row["method"]: row for row in method_rows(labels, _differing(labels))}
        beaten[name] = rows["top-accuracy"]["beaten_by"]
        assert rows["greedy"]["over"].get("clusters") == (len(set(clusters.values())) or None)
    assert beaten == {"alone": "greedy", "fours": None, "twenties": None}
    singles = single_rows(matrix(by_twenties))
    plain = single_rows(matrix({}))
    assert singles[0]["low"] < plain[0]["low"]


def test_words_say_that_clusters_are_whole() -> None:
    labels = matrix(TOGETHER)
    rows = method_rows(labels, _differing(labels))
    first, *_ = selection_sections(rows, HowChosen("a vote", m=30, splits=1, questions=60, clusters=24))
    assert first.words[0].startswith("60 questions in 24 clusters, which are never divided, about 30 to choose on, 1")


def test_every_method_runs_on_clusters() -> None:
    labels = matrix(TOGETHER)

    async def played() -> list[Trial]:
        methods = [selector(name) for name in ("top-accuracy", "oracle-surrogate", "truth-prediction", "exact")]
        return [trial async for trial in trials(labels, methods, 3, m=30, splits=2)]

    rows = method_rows(labels, asyncio.run(played()))
    assert len(rows) == 4
    names = dict(zip(labels.questions, labels.units(), strict=True))
    for row in rows:
        chosen = {names[question] for question in row["chosen_on_ids"]}
        assert all(question in row["chosen_on_ids"] for question, name in names.items() if name in chosen)


def test_what_hangs_together_with_a_question_of_the_choice_is_left_out_too(tmp_path: Path) -> None:
    cases = [Case(Question(q, f"What is {q}?"), "x", cluster=cluster) for q, cluster in zip("abc", "ppq", strict=True)]
    path = tmp_path / "chosen.json"
    path.write_text(json.dumps([{"accuracies": {"m": 0.5}, "team": ["m"], "chosen_on_ids": ["a"]}]))
    left_out = read_selection(path).questions(cases)
    assert [case.question in left_out for case in cases] == [True, True, False]
    elsewhere = [cases[0], Case(Question("d", "What is d?"), "x", cluster="p", question_set="other")]
    left_out = read_selection(path).questions(elsewhere)
    assert [case.question in left_out for case in elsewhere] == [True, False]
