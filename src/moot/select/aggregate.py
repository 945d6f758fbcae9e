"""Label-level aggregators: what the whole pool's labels add up to, without a model. They stand beside the summariser.

Most are rules of `decide`, which see of a label only who else has it, so that it may mean something in its question alone.
Those learn from the selection split, but for Dawid–Skene, which sees no truth. A tree and the kin of Dawid–Skene from
crowd-kit take labels for classes that all questions have in common.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Protocol

import numpy as np

from moot.decide.candidates import candidates_of
from moot.decide.learning import FEWEST, learn_rule
from moot.decide.one_coin import dawid_skene, naive_bayes
from moot.decide.rules import DraftRule, Plurality, WeightedSum
from moot.decide.weights import log_odds
from moot.errors import UsageError
from moot.select.labels import UNANSWERED, Codes, Floats, LabelMatrix, SelectionSplit
from moot.select.truth import INSTALL_SKLEARN, MOST_CLASSES, one_hot
from moot.select.voting import best_of_each, candidates_in, lots, names_of, ruled, worth_of_rule


class Aggregator(Protocol):
    @property
    def name(self) -> str: ...

    def predict(self, known: SelectionSplit, asked: LabelMatrix) -> Codes:
        """A class for each question asked, learnt from what is known; `UNANSWERED` where there is no label at all."""


@dataclass(frozen=True, slots=True)
class ByRule:
    """What a rule of `decide` makes of the labels."""

    def voters(self, known: SelectionSplit) -> list[int]:
        return list(range(len(known.labels.proposers)))

    def rule(self, known: SelectionSplit, asked: LabelMatrix) -> DraftRule:
        """For the questions asked, of the voters alone."""
        raise NotImplementedError

    def predict(self, known: SelectionSplit, asked: LabelMatrix) -> Codes:
        voters = asked.only(self.voters(known))
        return ruled(self.rule(known, asked), voters, lots(asked, known.seed))

    def right(self, known: SelectionSplit, asked: LabelMatrix) -> Floats:
        """What its words are worth; a label that waits for its grade may yet go with those that are right."""
        voters = asked.only(self.voters(known))
        return worth_of_rule(self.rule(known, asked), voters, lots(asked, known.seed))


@dataclass(frozen=True, slots=True)
class Majority(ByRule):
    """A vote over everybody, or over the best proposer of each model or for each prompt."""

    over: str = "all"
    """all | best-prompt (of each model) | best-model (for each prompt)"""
    weighted: bool = False
    two_class: bool = False
    """Weights log(p / (1-p)) as in the paper, whatever the number of classes."""

    @property
    def name(self) -> str:
        weights = ("-two-class" if self.two_class else "-weighted") if self.weighted else ""
        return f"majority{'' if self.over == 'all' else f'-{self.over}'}{weights}"

    def voters(self, known: SelectionSplit) -> list[int]:
        if self.over == "all":
            return list(range(len(known.labels.proposers)))
        return best_of_each(known.labels, known.labels.accuracy, "model" if self.over == "best-prompt" else "prompt")

    def rule(self, known: SelectionSplit, asked: LabelMatrix) -> DraftRule:
        if not self.weighted:
            return Plurality()
        labels = known.labels
        weights = log_odds(labels.accuracy, labels.known, labels.alternatives, two_class=self.two_class)
        return WeightedSum(dict(zip(names_of(labels), weights.tolist(), strict=True)))


@dataclass(frozen=True, slots=True)
class NaiveBayesVote(ByRule):
    """Each label moves the odds of its answer by how right its proposer is where it speaks."""

    name: str = "naive-bayes"

    def rule(self, known: SelectionSplit, asked: LabelMatrix) -> DraftRule:
        return naive_bayes(candidates_in(known.labels))


@dataclass(frozen=True, slots=True)
class OneCoinDawidSkene(ByRule):
    """Who can be trusted is inferred from who agrees with whom, on the questions known and asked; no truth is seen."""

    name: str = "one-coin-dawid-skene"

    def rule(self, known: SelectionSplit, asked: LabelMatrix) -> DraftRule:
        codes = np.hstack([known.labels.codes, asked.codes])
        return dawid_skene(candidates_of(names_of(asked), codes, np.zeros(codes.shape)))


@dataclass(frozen=True, slots=True)
class ByLearntRule(ByRule):
    """The rule that `decide` learns: a weight for every proposer, or the better of the vote and the best one where these
    weights do not show on other questions that they are better."""

    name: str = "learnt"

    def rule(self, known: SelectionSplit, asked: LabelMatrix) -> DraftRule:
        labels = known.labels.with_known_truth()
        return learn_rule(candidates_in(labels), labels.units()).rule

    def why_not(self, known: SelectionSplit) -> str | None:
        """Why nothing can be learnt from these questions, in words."""
        units = len(set(known.labels.with_known_truth().units()))
        if units >= FEWEST:
            return None
        return (
            f"{self.name} is left out: {units} questions or clusters to choose on, where {FEWEST} are needed to learn"
        )


@dataclass(frozen=True, slots=True)
class DecisionTree:
    """A tree over everybody's labels, learnt on the selection split (extra `scikit-learn`)."""

    name: str = "decision-tree"

    def predict(self, known: SelectionSplit, asked: LabelMatrix) -> Codes:
        try:
            from sklearn.tree import DecisionTreeClassifier
        except ImportError:
            raise UsageError(f"{self.name} needs scikit-learn: {INSTALL_SKLEARN}") from None
        everybody = range(len(asked.proposers))
        tree = DecisionTreeClassifier(random_state=known.seed % 2**32)
        learnt = known.labels.with_known_truth()
        if not learnt.size:
            return np.full(asked.size, UNANSWERED, dtype=np.int16)
        tree.fit(one_hot(learnt, everybody), learnt.truth)
        predictions: Codes = tree.predict(one_hot(asked, everybody)).astype(np.int16)
        predictions[(asked.codes == UNANSWERED).all(axis=0)] = UNANSWERED
        return predictions


CROWD: Mapping[str, str] = {
    "dawid-skene": "DawidSkene",
    "one-coin-dawid-skene": "OneCoinDawidSkene",
    "glad": "GLAD",
    "mace": "MACE",
    "mmsr": "MMSR",
}
"""Aggregators of crowd-kit by our names."""

QUICK = ("dawid-skene", "one-coin-dawid-skene")
"""Those that a table shows of itself: seconds for a hundred thousand labels."""


@dataclass(frozen=True, slots=True)
class Crowd:
    """Dawid–Skene and its kin: who can be trusted is inferred from the labels alone, truth unseen (extra `crowd-kit`)."""

    name: str = "dawid-skene"

    def __post_init__(self) -> None:
        if self.name not in CROWD:
            raise UsageError(f"aggregator {self.name!r} is unknown; expected one of {', '.join(CROWD)}")

    def predict(self, known: SelectionSplit, asked: LabelMatrix) -> Codes:
        return self.infer(asked)

    def infer(self, asked: LabelMatrix) -> Codes:
        try:
            import pandas as pd  # type: ignore[import-untyped]
            from crowdkit import aggregation
        except ImportError:
            raise UsageError(f"{self.name} needs crowd-kit: pip install 'moot[crowd-kit]'") from None
        worker, task = np.nonzero(asked.codes != UNANSWERED)
        if not len(task):
            return np.full(asked.size, UNANSWERED, dtype=np.int16)
        rows = pd.DataFrame({"task": task, "worker": worker, "label": asked.codes[worker, task]})
        kind = getattr(aggregation, CROWD[self.name])
        with warnings.catch_warnings():
            # It writes in a way that pandas will drop: hundreds of lines about code that is not ours to change.
            warnings.filterwarnings("ignore", category=DeprecationWarning, module=r"crowdkit\.")
            inferred = kind().fit_predict(rows)
        predictions = np.full(asked.size, UNANSWERED, dtype=np.int16)
        predictions[inferred.index.to_numpy()] = inferred.to_numpy()
        return predictions


def aggregators(labels: LabelMatrix) -> list[Aggregator]:
    """All that make sense for these labels, a tree only where scikit-learn is installed; see `QUICK` for the rest."""
    prompts = len({proposer.prompt for proposer in labels.proposers})
    several = len(labels.models) > 1
    kinds = ["all"]
    if prompts > 1 and several:  # else the best of each is everybody, or one
        kinds += ["best-prompt", "best-model"]
    usable: list[Aggregator] = [Majority(over, weighted) for over in kinds for weighted in (False, True)]
    usable.append(Majority(weighted=True, two_class=True))
    usable += [NaiveBayesVote(), ByLearntRule()]
    if not labels.shared or too_many(labels):  # else crowd-kit's, which know that a label is a class
        usable.append(OneCoinDawidSkene())
    if labels.shared and not too_many(labels) and not missing_tree(labels):
        usable.append(DecisionTree())
    return usable


def missing_tree(labels: LabelMatrix) -> str | None:
    """Why a table has no tree where it could have one, in words."""
    if not labels.shared or too_many(labels) or find_spec("sklearn") is not None:
        return None
    return f"{DecisionTree().name} is left out, which needs scikit-learn: {INSTALL_SKLEARN}"


def too_many(labels: LabelMatrix) -> str | None:
    """Which aggregators are left out, in words, where labels are so many that a table would wait for them for hours."""
    if not labels.shared or len(labels.classes) <= MOST_CLASSES:
        return None
    named = f"{DecisionTree().name} and {Crowd().name}"
    return f"{len(labels.classes):,} different labels: {named} are left out, whose time grows with the square of these"


def inferred(labels: LabelMatrix, names: tuple[str, ...] = QUICK) -> dict[str, Codes]:
    """What crowd-kit's aggregators make of all questions at once: they see no truth, so no split is needed."""
    if not labels.shared or too_many(labels):
        return {}
    return {name: Crowd(name).infer(labels) for name in names}
