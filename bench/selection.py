"""How fast a team is chosen: selectors on made-up labels, beside the plain way on the same work.

    python bench/selection.py [labels]

The plain way fits scikit-learn's naive Bayes once for each candidate, completion and fold. It is timed on the whole
small instance, and on the large one for a sample of the same evaluations, scaled by their number.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.naive_bayes import CategoricalNB

from moot.measures.selection.figures import method_rows
from moot.select.aggregate import aggregators, inferred
from moot.select.kgreedy import k_greedy
from moot.select.labels import LabelMatrix, Proposer, SelectionSplit
from moot.select.oracle import VoteOracle
from moot.select.registry import registered, selector
from moot.select.trial import aggregated, trials
from moot.select.truth import NaiveBayes, dealt

PROMPTS = 5


def made_up(proposers: int, questions: int, classes: int = 10, seed: int = 1) -> LabelMatrix:
    """Models of different ability that share the difficulty of questions, each with five prompts much alike."""
    draw = np.random.default_rng(seed)
    models = proposers // PROMPTS
    truth = draw.integers(classes, size=questions).astype(np.int16)
    able = np.repeat(draw.normal(0, 0.5, models), PROMPTS)[:, None]
    view = np.repeat(draw.normal(size=(models, questions)), PROMPTS, axis=0)
    own = draw.normal(size=(proposers, questions))
    right = able - 0.8 * draw.normal(size=questions) + 0.6 * view + 0.6 * own > 0
    wrong = (truth + draw.integers(1, classes, size=right.shape)) % classes
    names = tuple(Proposer(f"m{n // PROMPTS:02}", f"p{n % PROMPTS}") for n in range(proposers))
    codes = np.where(right, truth, wrong).astype(np.int16)
    return LabelMatrix(names, tuple(f"q{n:05}" for n in range(questions)), tuple("abcdefghij"[:classes]), codes, truth)


@dataclass
class Plain:
    """The same objective, fitted anew for every team: what one would write first. Stops after so many evaluations."""

    labels: LabelMatrix
    folds: np.ndarray
    fast: NaiveBayes
    most: int | None = None
    evaluations: int = 0
    fitted: int = 0
    seconds: float = 0.0
    ties: int = 0

    def values(self, base: Sequence[int], candidates: np.ndarray) -> np.ndarray:
        """Beyond `most` the quick way answers, so that the search goes on the same way."""
        self.evaluations += len(candidates)
        if self.most is not None and self.fitted >= self.most:
            return self.fast.values(base, candidates)
        started = time.process_time()
        found = np.array([self._accuracy([*base, int(each)]) for each in candidates])
        self.seconds += time.process_time() - started
        self.fitted += len(candidates)
        quick = self.fast.values(base, candidates)
        # Classes that are exactly as likely are told apart by rounding alone, in either way.
        self.ties += int((np.abs(found - quick) > 1e-9).sum())
        assert np.abs(found - quick).max() * len(self.labels.truth) < 3.5, (
            "the quick way must give the same but for ties"
        )
        return quick

    def _accuracy(self, team: list[int]) -> float:
        features, truth, right = self.labels.codes[team].T, self.labels.truth, 0
        for fold in range(int(self.folds.max()) + 1):
            test = self.folds == fold
            model = CategoricalNB(min_categories=len(self.labels.classes)).fit(features[~test], truth[~test])
            right += int((model.predict(features[test]) == truth[test]).sum())
        return right / len(truth)


async def timed(name: str, labels: LabelMatrix, k: int, rounds: int = 3) -> float:
    split = SelectionSplit(labels, 7)
    oracle = VoteOracle.of(split)
    least = float("inf")
    for _ in range(rounds):
        started = time.process_time()
        found = await selector(name).select(split, k, oracle)
        least = min(least, time.process_time() - started)
    if name == "exact":
        assert found.detail["proven"], "the search gave up"
    return least


def plain(labels: LabelMatrix, k: int, most: int | None) -> tuple[float, int, int]:
    split = SelectionSplit(labels, 7)
    folds = dealt(split, 5)
    objective = Plain(labels, folds, NaiveBayes.of(labels, folds), most)
    k_greedy(split, objective, k)
    print(f"<!-- {objective.ties} of {objective.fitted} differ, by ties -->")
    return objective.seconds * objective.evaluations / objective.fitted, objective.evaluations, objective.fitted


async def of_labels(classes: int) -> float:
    """CPU of all that `moot select --labels choices` does on 500 questions with so many different labels."""
    generator = np.random.default_rng(3)
    truth = generator.integers(classes, size=500).astype(np.int16)
    knows = generator.random((6, 500)) < np.linspace(0.5, 0.75, 6)[:, None]
    codes = np.where(knows, truth, generator.integers(classes, size=knows.shape)).astype(np.int16)
    names = tuple(f"{number:05}" for number in range(classes))
    questions = tuple(f"q{number}" for number in range(500))
    labels = LabelMatrix(tuple(Proposer(f"m{n}") for n in range(6)), questions, names, codes, truth)
    start = time.process_time()
    played = [trial async for trial in trials(labels, [selector(name) for name in registered()], 3)]
    method_rows(labels, played)
    method_rows(labels, aggregated(labels, aggregators(labels)), "aggregator")
    inferred(labels)
    return time.process_time() - start


async def main() -> None:
    few, many = [await of_labels(classes) for classes in (10, 3_000)]
    print(
        f"`moot select`, 500 questions, 3,000 labels: {many:.1f} s beside {few:.1f} s of 10 labels: {many / few:.1f} ×"
    )
    small, large = made_up(40, 400), made_up(400, 2_000)
    print("| figure | CPU on one core | bound |\n| --- | --- | --- |")
    quick = {}
    for label, labels, k, bound in (
        ("N = 40, m = 400, k = 5", small, 5, 2),
        ("N = 400, m = 2,000, k = 8", large, 8, 60),
    ):
        for name in ("truth-prediction", "oracle-surrogate"):
            seconds = quick[label, name] = await timed(name, labels, k, rounds=3 if labels is small else 1)
            print(f"| `{name}`, {label} | {seconds:.2f} s | {bound} s |", flush=True)
    print(f"| `exact`, N = 40, m = 400, k = 5 | {await timed('exact', small, 5):.2f} s | 60 s |")
    print(f"| `exact`, N = 40, m = 400, k = 7 | {await timed('exact', small, 7, rounds=1):.2f} s | – |", flush=True)
    for label, labels, k, most in (
        ("N = 40, m = 400, k = 5", small, 5, None),
        ("N = 400, m = 2,000, k = 8", large, 8, 400),
    ):
        seconds, evaluations, fitted = plain(labels, k, most)
        whole = "all fitted" if fitted == evaluations else f"{fitted:,} of them fitted, scaled"
        ratio = seconds / quick[label, "truth-prediction"]
        print(
            f"| plain `truth-prediction`, {label} ({evaluations:,} teams, {whole}) | {seconds:.0f} s: **{ratio:.0f} ×** | – |"
        )


if __name__ == "__main__":
    asyncio.run(main())
