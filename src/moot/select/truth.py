"""truth-prediction: the team whose labels, together, best predict the truth. No summariser is asked.

The predictor is naive Bayes, cross-validated. Its log-likelihoods add up over the members of a team, so they are laid
out once for every proposer, fold and question; after that the cross-validated accuracy of a team is a sum and a maximum.
Where a label means something only within its question, or next to every question has a right label of its own, it is learnt how
often a proposer is right (`within_questions`); else also which classes it mistakes for which. Any scikit-learn classifier may
take its place (extra `scikit-learn`), fitted the slow way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from moot.errors import UsageError
from moot.select.kgreedy import COMPLETIONS, Objective, k_greedy, value
from moot.select.labels import UNANSWERED, Codes, Floats, LabelMatrix, Places, SelectionSplit, selection_only
from moot.select.oracle import Oracle
from moot.select.registry import Chosen, check_count, check_k, completed
from moot.select.within_questions import WithinQuestions
from moot.stats.clusters import dealt as dealt_in_order

FOLDS = 5
INSTALL_SKLEARN = "pip install 'moot[scikit-learn]'"
NAIVE_BAYES = "naive-bayes"
MOST_CLASSES = 100
"""With more right labels than these none comes back often enough to learn what is said for it, and a table of them all
outgrows any memory. With more labels than these a tree and the kin of Dawid–Skene take minutes for each thousand questions."""
AT_ONCE = 4_000_000
"""Numbers in one block of candidates: what stays in the cache of a processor is quick."""


@dataclass(frozen=True, slots=True)
class TruthPrediction:
    """k-greedy on the cross-validated accuracy of a light classifier."""

    name: ClassVar[str] = "truth-prediction"

    classifier: Any = NAIVE_BAYES
    """`naive-bayes`, a scikit-learn classifier, or where one is found: ``sklearn.tree:DecisionTreeClassifier``."""
    folds: int = FOLDS
    completions: int = COMPLETIONS

    def __post_init__(self) -> None:
        check_count("completions", self.completions)
        if not isinstance(self.folds, int) or isinstance(self.folds, bool) or self.folds < 2:
            raise ValueError(f"folds: expected a whole number from 2 on, found {self.folds!r}")

    async def select(self, split: SelectionSplit, k: int, oracle: Oracle) -> Chosen:
        return await self.extend(split, (), k, oracle)

    async def extend(self, split: SelectionSplit, team: Sequence[int], k: int, oracle: Oracle) -> Chosen:
        check_k(selection_only(split).labels, k)
        split = replace(split, labels=split.labels.with_known_truth())
        labels = split.labels
        if self.classifier != NAIVE_BAYES and not labels.shared:
            raise UsageError("a classifier needs questions with choices: free answers have no classes in common")
        if why := why_not_cross_validated(split):
            return Chosen(completed(split, team, k), notes=(why,))
        folds = dealt(split, self.folds)
        objective = (
            predicted(labels, folds)
            if self.classifier == NAIVE_BAYES
            else Classified(labels, folds, _estimator(self.classifier))
        )
        chosen = k_greedy(split, objective, k, team, self.completions)
        return Chosen(chosen, detail={"worth": value(objective, chosen)})


def predicted(labels: LabelMatrix, folds: Places) -> Objective:
    """Naive Bayes, cross-validated, of classes where all questions have them in common."""
    in_common = labels.shared and len(np.unique(labels.truth)) <= MOST_CLASSES
    return NaiveBayes.of(labels, folds) if in_common else WithinQuestions.of(labels, folds)


def dealt(split: SelectionSplit, folds: int) -> Places:
    """A fold for every question, of equal sizes, by lot; never more folds than questions, or clusters of them."""
    units = list(dict.fromkeys(names := split.labels.units()))
    sizes, lot = Counter(names), split.random("folds").permutation(len(units))
    order = [units[place] for place in np.argsort(lot)]
    fold_of = dict(zip(order, dealt_in_order([sizes[unit] for unit in order], min(folds, len(units))), strict=True))
    return np.array([fold_of[name] for name in names], dtype=np.intp)


def why_not_cross_validated(split: SelectionSplit) -> str | None:
    """Why nothing can be learnt on some questions and tried on the others, where that is so."""
    alone = len(set(split.labels.units())) < 2
    return "one question or cluster cannot be cross-validated; by accuracy" if alone else None


@dataclass(frozen=True, slots=True, eq=False)
class NaiveBayes:
    """Categorical naive Bayes with Laplace smoothing, as in scikit-learn; a missing label says nothing."""

    prior: Floats
    """classes × questions: the log share of each class among the other folds. Only classes that are right somewhere: what
    is never right is never predicted, and there may be thousands of such labels."""
    likelihood: Floats
    """proposers × classes × questions: log P(what it said here | class), by the other folds."""
    truth: Places
    """Of each question, the place of the right class among these."""

    @classmethod
    def of(cls, labels: LabelMatrix, folds: Places) -> NaiveBayes:
        (n, m), f = labels.codes.shape, int(folds.max()) + 1
        right_classes, truth = np.unique(labels.truth, return_inverse=True)
        c = len(right_classes)
        per_fold = np.bincount(folds * c + truth, minlength=f * c).reshape(f, c)
        others = per_fold.sum(axis=0) - per_fold
        with np.errstate(divide="ignore"):  # a class that the other folds lack is never predicted
            prior = np.log(others / others.sum(axis=1, keepdims=True))
        likelihood = np.empty((n, c, m))
        for proposer, codes in enumerate(labels.codes):  # one by one, so that no second table of this size is ever held
            likelihood[proposer] = _heard_if(codes, truth, folds, (f, c), len(labels.classes))
        return cls(prior[folds].T, likelihood, truth)

    def values(self, base: Sequence[int], candidates: Places) -> Floats:
        base_scores = self.prior + self.likelihood[list(base)].sum(axis=0)
        block = max(1, AT_ONCE // base_scores.size)
        accuracies = [
            self._accuracy(base_scores + self.likelihood[candidates[start : start + block]])
            for start in range(0, len(candidates), block)
        ]
        return np.concatenate(accuracies)

    def _accuracy(self, scores: Floats) -> Floats:
        right: NDArray[np.bool_] = scores.argmax(axis=1) == self.truth
        share: Floats = right.mean(axis=1)
        return share


def _heard_if(codes: Codes, truth: Places, folds: Places, shape: tuple[int, int], classes: int) -> Floats:
    """classes that are right × questions: log P(what one proposer said | class) by the other folds, Laplace-smoothed over
    all classes that there are; 0 where it said nothing."""
    f, c = shape
    answered = codes != UNANSWERED
    labels, heard = np.unique(codes, return_inverse=True)  # what it never says needs no count of its own
    kinds = len(labels)
    cell = (folds * c + truth) * kinds + heard
    counts = np.bincount(cell[answered], minlength=f * c * kinds).reshape(f, c, kinds)
    train = counts.sum(axis=0)[:, heard].T - counts[folds, :, heard] + 1.0
    totals = counts.sum(axis=2)
    of_class = (totals.sum(axis=0) - totals + float(classes))[folds]
    logs: Floats = np.where(answered[:, None], np.log(train / of_class), 0.0).T
    return logs


@dataclass(frozen=True, slots=True, eq=False)
class Classified:
    """The same objective by any scikit-learn classifier: fitted for each team and fold anew."""

    labels: LabelMatrix
    folds: Places
    classifier: Any

    def values(self, base: Sequence[int], candidates: Places) -> Floats:
        return np.array([self._accuracy([*base, int(candidate)]) for candidate in candidates])

    def _accuracy(self, team: Sequence[int]) -> float:
        try:
            from sklearn.base import clone
        except ImportError:
            raise UsageError(f"a classifier of one's own needs scikit-learn: {INSTALL_SKLEARN}") from None
        features, truth = one_hot(self.labels, team), self.labels.truth
        right = 0
        for fold in range(int(self.folds.max()) + 1):
            test = self.folds == fold
            train_truth = truth[~test]
            if len(np.unique(train_truth)) == 1:  # some classifiers refuse to learn a constant
                right += int((truth[test] == train_truth[0]).sum())
                continue
            right += int(
                (clone(self.classifier).fit(features[~test], train_truth).predict(features[test]) == truth[test]).sum()
            )
        return right / len(truth)


def one_hot(labels: LabelMatrix, team: Sequence[int]) -> Floats:
    """Questions × (members × classes): a missing label is a row of zeros for its member."""
    matches = labels.codes[list(team)].T[:, :, None] == np.arange(len(labels.classes))
    features: Floats = matches.reshape(labels.size, -1).astype(float)
    return features


def _estimator(named: Any) -> Any:
    if not isinstance(named, str):
        return named
    module, _, attribute = named.partition(":")
    if module.partition(".")[0] == "sklearn" and find_spec("sklearn") is None:
        raise UsageError(f"classifier {named!r} needs scikit-learn: {INSTALL_SKLEARN}")
    try:
        return getattr(import_module(module), attribute)()
    except (ImportError, AttributeError, TypeError, ValueError):
        expected = "expected naive-bayes or a place such as sklearn.tree:DecisionTreeClassifier"
        raise UsageError(f"classifier {named!r} cannot be found; {expected}") from None
