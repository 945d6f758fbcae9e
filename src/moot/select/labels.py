"""The label matrix: what every proposer said to every question, as small numbers.

A proposer is a model with a prompt. `SelectionSplit` and `TestSplit` hold the same kind of thing and are different
types, so that a selector cannot be handed the questions that it will be measured on.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moot.errors import UsageError

Codes = NDArray[np.int16]
Floats = NDArray[np.float64]
Places = NDArray[np.intp]

UNANSWERED = -1

M = 400
"""Questions for the selection, as in the paper; where there are few, four fifths of them."""


@dataclass(frozen=True, slots=True, order=True)
class Proposer:
    """A model with an instruction prompt."""

    model: str
    prompt: str = ""
    name: str = ""
    """What it is called, if not by its model and prompt: a player of an experiment has a name."""

    def __str__(self) -> str:
        return self.name or (f"{self.model}/{self.prompt}" if self.prompt else self.model)


@dataclass(frozen=True, slots=True, eq=False)
class LabelMatrix:
    """Proposers × questions. A label is the place of its class in `classes`; `UNANSWERED` where there is none."""

    proposers: tuple[Proposer, ...]
    questions: tuple[str, ...]
    classes: tuple[str, ...]
    codes: Codes
    truth: Codes
    shared: bool = True
    """Whether a label means the same class in every question. Free answers do not: their codes hold for one question."""
    _right: NDArray[np.bool_] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if self.codes.shape != (len(self.proposers), len(self.questions)) or self.truth.shape != self.codes.shape[1:]:
            raise ValueError(
                f"{self.codes.shape} labels for {len(self.proposers)} proposers, {len(self.truth)} answers"
            )
        object.__setattr__(self, "_right", self.codes == self.truth)

    @property
    def right(self) -> NDArray[np.bool_]:
        return self._right

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(each.model for each in self.proposers))

    @property
    def size(self) -> int:
        return len(self.questions)

    @property
    def accuracy(self) -> Floats:
        """Of each proposer. A question without its answer counts as not right."""
        return self.right.mean(axis=1) if self.size else np.zeros(len(self.proposers))

    def at(self, questions: Places) -> LabelMatrix:
        """Only these questions."""
        names = tuple(self.questions[place] for place in questions)
        return LabelMatrix(
            self.proposers, names, self.classes, self.codes[:, questions], self.truth[questions], self.shared
        )

    def only(self, proposers: Iterable[int]) -> LabelMatrix:
        """Only these proposers."""
        kept = list(proposers)
        names = tuple(self.proposers[place] for place in kept)
        return LabelMatrix(names, self.questions, self.classes, self.codes[kept], self.truth, self.shared)

    def remarks(self) -> list[str]:
        """What is odd about these labels, in words: what a reader should know before the figures."""
        said = []
        gaps = int((self.codes == UNANSWERED).sum())
        if gaps:
            worst = int((self.codes == UNANSWERED).sum(axis=1).argmax())
            most = int((self.codes[worst] == UNANSWERED).sum())
            said.append(
                f"{gaps} labels are missing and count as not right, most of them of {self.proposers[worst]} ({most})."
            )
        if nobody := int((self.codes == UNANSWERED).all(axis=0).sum()):
            said.append(f"{nobody} questions were answered by nobody; they stay in every denominator.")
        if self.shared and len(np.unique(self.truth)) == 1:
            said.append("All questions have the same right answer: a constant would score as well.")
        if len(self.proposers) > 1 and (self.codes == self.codes[0]).all():
            said.append("All proposers said the same to every question: no choice of a team makes a difference.")
        return said


@dataclass(frozen=True, slots=True, eq=False)
class SelectionSplit:
    """The questions that a selector may look at, and the seed of every draw it makes."""

    labels: LabelMatrix
    seed: int = 0

    def random(self, *role: object) -> np.random.Generator:
        """The generator for one decision: the same for the same seed, whatever was drawn before."""
        named = [zlib.crc32(str(each).encode()) for each in role]
        return np.random.default_rng([self.seed % 2**63, *named])

    @property
    def m(self) -> int:
        return self.labels.size


@dataclass(frozen=True, slots=True, eq=False)
class TestSplit:
    """The questions that a chosen team is measured on. No selector takes one."""

    __test__ = False

    labels: LabelMatrix


@dataclass(frozen=True, slots=True)
class Halves:
    """One random split, made of the seed and its number."""

    selection: SelectionSplit
    test: TestSplit
    selected: Places = field(repr=False)
    tested: Places = field(repr=False)


def default_m(questions: int) -> int:
    return max(1, min(M, questions * 4 // 5))


def split_labels(labels: LabelMatrix, m: int | None = None, *, seed: int = 0, number: int = 0) -> Halves:
    """`m` questions at random for the selection, all others for the test."""
    size = labels.size
    if size < 2:
        raise UsageError(
            f"{size} questions cannot be split; expected two or more: some to choose on, others to test on"
        )
    m = default_m(size) if m is None else m
    if not 1 <= m < size:
        raise UsageError(f"m = {m} of {size} questions leaves none to test on; expected m from 1 to {size - 1}")
    order = np.random.default_rng([seed % 2**63, number]).permutation(size)
    selected, tested = np.sort(order[:m]), np.sort(order[m:])
    return Halves(SelectionSplit(labels.at(selected), seed + number), TestSplit(labels.at(tested)), selected, tested)


def selection_only(split: object) -> SelectionSplit:
    """What every selector begins with: a test split is refused, also where nobody checks types."""
    if not isinstance(split, SelectionSplit):
        raise TypeError(f"expected a SelectionSplit, found {type(split).__name__}: a selector never sees the test")
    return split


def label_matrix(
    said: Mapping[Proposer, Mapping[str, str | None]], truth: Mapping[str, str], *, shared: bool = True
) -> LabelMatrix:
    """From labels by proposer and question. Case and outer space are no difference; an empty label is none."""
    proposers, questions = tuple(sorted(said)), tuple(sorted(truth))
    if not proposers or not questions:
        raise UsageError("the label matrix is empty; expected at least one proposer and one question")
    right = [_plain(truth[question]) for question in questions]
    given = {proposer: [_plain(labels.get(question)) for question in questions] for proposer, labels in said.items()}
    classes = tuple(sorted({*right, *(label for labels in given.values() for label in labels)} - {""}))
    code: dict[str, int] = {name: place for place, name in enumerate(classes)}
    if len(code) > np.iinfo(np.int16).max:
        raise UsageError(f"{len(code)} different labels; expected those of questions with choices")
    code[""] = UNANSWERED
    codes = np.array([[code[label] for label in given[proposer]] for proposer in proposers], dtype=np.int16)
    return LabelMatrix(proposers, questions, classes, codes, np.array([code[each] for each in right], np.int16), shared)


def per_question(
    said: Mapping[Proposer, Mapping[str, tuple[str | None, bool]]], questions: Sequence[str]
) -> LabelMatrix:
    """From free answers, each with its grade: who says the same is known within a question and not beyond it.

    Codes are dealt anew for each question, so that nothing can be learnt from a code alone.
    """
    proposers = tuple(sorted(said))
    codes = np.full((len(proposers), len(questions)), UNANSWERED, dtype=np.int16)
    truth = np.zeros(len(questions), dtype=np.int16)
    for place, question in enumerate(questions):
        answers = [said[proposer].get(question, (None, False)) for proposer in proposers]
        wrong = sorted({_plain(text) for text, right in answers if text is not None and not right})
        deal = np.random.default_rng(zlib.crc32(question.encode())).permutation(len(proposers) + 1)
        truth[place] = deal[0]
        for row, (text, right) in enumerate(answers):
            if right:
                codes[row, place] = deal[0]
            elif text is not None:
                codes[row, place] = deal[1 + wrong.index(_plain(text))]
    classes = tuple(f"#{number}" for number in range(len(proposers) + 1))
    return LabelMatrix(proposers, tuple(questions), classes, codes, truth, shared=False)


def _plain(label: Any) -> str:
    return "" if label is None else str(label).strip().casefold()
