"""The label matrix: what every proposer said to every question, as small numbers.

A proposer is a model with a prompt. `SelectionSplit` and `TestSplit` hold the same kind of thing and are different
types, so that a selector cannot be handed the questions that it will be measured on.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from moot.errors import UsageError
from moot.models.cut_out import was_cut
from moot.stats.clusters import clustered, cut, unit_of
from moot.stats.counted_words import count, whose_words
from moot.stats.graded import FEW_WAITING, UNGRADED

Codes = NDArray[np.int16]
Floats = NDArray[np.float64]
Places = NDArray[np.intp]

UNANSWERED = -1
NOBODY_KNOWS = -2
"""The right answer where nobody has said what it is."""

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


class AnswerAlone(NamedTuple):
    """What a proposer said to a question once."""

    answer: str | None
    """None: nothing."""
    grade: float | None
    """How right it is, from 0 to 1; None: nobody has graded it."""


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
    choices: int | None = None
    """How many answers a question has to choose from, where labels are shared; left out, as many as there are classes."""
    ungraded: NDArray[np.bool_] | None = field(default=None, repr=False)
    """Proposers × questions: labels of which nobody knows whether they are right. None: there are none."""
    settled: bool = True
    """Whether anybody has graded an answer that was not right at once. Else what is graded is right by construction."""
    marks: Floats | None = field(default=None, repr=False)
    """Proposers × questions: what each label is worth, where some are right in part. None: a label is right or it is not."""
    clusters: Mapping[str, str] = field(default_factory=dict, repr=False)
    """By question: what it hangs together with. Such questions are never both chosen on and tested on."""
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
    def known(self) -> int:
        """Of how many questions somebody knows the answer."""
        return int((self.truth != NOBODY_KNOWS).sum())

    @property
    def accuracy(self) -> Floats:
        """Of each proposer the least that it can be, over the questions of which somebody knows the answer; 0 where there are
        none. This is what proposers are chosen by: what is graded at once is right, and the rest waits for a judge, so
        over what is graded whoever has least of it would look best.
        """
        shares: Floats = self.worth.sum(axis=1) / max(self.known, 1)
        return shares

    @property
    def worth(self) -> Floats:
        """Proposers × questions: what each label is worth; 0 where nobody has graded it."""
        return self.right.astype(float) if self.marks is None else self.marks

    @property
    def graded(self) -> NDArray[np.intp]:
        """Of each proposer: on how many questions it is known whether it was right."""
        open_labels = 0 if self.ungraded is None else self.ungraded.sum(axis=1)
        return np.full(len(self.proposers), self.size, dtype=np.intp) - open_labels

    @property
    def alternatives(self) -> float:
        """c: between how many answers a vote decides. On questions with choices, so many; on free answers one more than
        the effective number of wrong ones.

        That is one over the share of pairs of wrong answers to the same question that are equal: with c - 1 wrong answers
        of which none is likelier than the others, two of them are equal once in c - 1 times. It goes by who said the same
        and not by what it is called.
        """
        if self.shared:
            return len(self.classes) if self.choices is None else self.choices
        wrong = (self.codes != UNANSWERED) & ~self.right
        if self.ungraded is not None:
            wrong &= ~self.ungraded
        _, question = np.nonzero(wrong)
        cells = question * len(self.classes) + self.codes[wrong]
        alike = np.bincount(cells, minlength=1)
        every = np.bincount(question, minlength=1)
        equal, pairs = (int((counts * (counts - 1) // 2).sum()) for counts in (alike, every))
        return 1 + (pairs + 1) / (equal + 1)

    def why_unfair(self, ungraded: int, asked: int, *, of: str = UNGRADED) -> str | None:
        """Why a figure over those that are graded would flatter; None: it may stand. One rule for all that is made of grades."""
        if not ungraded or (self.settled and ungraded <= FEW_WAITING * asked):
            return None
        return f"{ungraded:,} of {asked:,} {of}; those that are graded are right more often than all are"

    def grades(self, said: Codes) -> Floats:
        """What one answer to each question is worth, such as a team's: 1, 0, or NaN where nobody knows."""
        values: Floats = (said == self.truth).astype(float)
        if self.marks is not None:
            values = np.where(self.codes == said, self.marks, 0.0).max(axis=0)
        if self.ungraded is not None:
            open_words = (self.ungraded & (self.codes == said)).any(axis=0)
            values[open_words | ((self.truth == NOBODY_KNOWS) & (said != UNANSWERED))] = np.nan
        return values

    def right_in(self, team: Sequence[int]) -> Floats:
        """How many labels of a team are right, for each question; NaN where one of them is ungraded."""
        counts: Floats = self.right[list(team)].sum(axis=0).astype(float)
        if self.ungraded is not None:
            counts[self.ungraded[list(team)].any(axis=0)] = np.nan
        return counts

    def units(self) -> list[str]:
        """What each question is a part of: its cluster, or itself."""
        with clustered(self.clusters):
            return [unit_of(question) for question in self.questions]

    def shuffled(self, draw: np.random.Generator) -> list[Places]:
        """The places of the questions, cluster by cluster, in a random order of these."""
        places: dict[str, list[int]] = {}
        for place, unit in enumerate(self.units()):
            places.setdefault(unit, []).append(place)
        groups = [np.array(group, dtype=np.intp) for group in places.values()]
        return [groups[number] for number in draw.permutation(len(groups))]

    def at(self, questions: Places) -> LabelMatrix:
        """Only these questions."""
        return replace(
            self,
            questions=tuple(self.questions[place] for place in questions),
            codes=self.codes[:, questions],
            truth=self.truth[questions],
            ungraded=None if self.ungraded is None else self.ungraded[:, questions],
            marks=None if self.marks is None else self.marks[:, questions],
        )

    def only(self, proposers: Iterable[int]) -> LabelMatrix:
        """Only these proposers."""
        kept = list(proposers)
        return replace(
            self,
            proposers=tuple(self.proposers[place] for place in kept),
            codes=self.codes[kept],
            ungraded=None if self.ungraded is None else self.ungraded[kept],
            marks=None if self.marks is None else self.marks[kept],
        )

    def with_known_truth(self) -> LabelMatrix:
        """Only questions of which somebody knows the answer: nothing can be learnt from the others."""
        known = self.truth != NOBODY_KNOWS
        return self if known.all() else self.at(np.flatnonzero(known))

    def remarks(self) -> list[str]:
        """What is odd about these labels, in words: what a reader should know before the figures."""
        said = []
        gaps = (self.codes == UNANSWERED).sum(axis=1)
        if gaps.any():
            whose = whose_words({str(each): int(own) for each, own in zip(self.proposers, gaps, strict=True)})
            missing = count(int(gaps.sum()), "label is missing and counts", "labels are missing and count")
            said.append(f"{missing} as not right: of {whose}.")
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
    """`m` questions at random for the selection, all others for the test; whole clusters, as near to `m` as they come."""
    size = labels.size
    if size < 2:
        raise UsageError(
            f"{size} questions cannot be split; expected two or more: some to choose on, others to test on"
        )
    m = default_m(size) if m is None else m
    if not 1 <= m < size:
        raise UsageError(f"m = {m} of {size} questions leaves none to test on; expected m from 1 to {size - 1}")
    groups = labels.shuffled(np.random.default_rng([seed % 2**63, number]))
    if len(groups) < 2:
        raise UsageError(f"all {size} questions hang together in one cluster, so there are none to test on")
    selected, tested = parted(groups, m)
    return Halves(SelectionSplit(labels.at(selected), seed + number), TestSplit(labels.at(tested)), selected, tested)


def parted(groups: Sequence[Places], m: int) -> tuple[Places, Places]:
    """The first of these clusters, about `m` questions, and the rest; each in the order of the questions."""
    first = cut([len(group) for group in groups], m)
    return np.sort(np.concatenate(groups[:first])), np.sort(np.concatenate(groups[first:]))


def selection_only(split: object) -> SelectionSplit:
    """What every selector begins with: a test split is refused, also where nobody checks types."""
    if not isinstance(split, SelectionSplit):
        raise TypeError(f"expected a SelectionSplit, found {type(split).__name__}: a selector never sees the test")
    return split


def label_matrix(
    said: Mapping[Proposer, Mapping[str, str | None]],
    truth: Mapping[str, str | None],
    *,
    shared: bool = True,
    choices: int | None = None,
) -> LabelMatrix:
    """From labels by proposer and question. Case and outer space are no difference; an empty label is none.

    Where nobody knows the right answer (None) every label is ungraded.
    """
    proposers, questions = tuple(sorted(said)), tuple(sorted(truth))
    if not proposers or not questions:
        raise UsageError("the label matrix is empty; expected at least one proposer and one question")
    right = [_plain(truth[question]) for question in questions]
    given = {proposer: [_plain(labels.get(question)) for question in questions] for proposer, labels in said.items()}
    classes = tuple(sorted({*right, *(label for labels in given.values() for label in labels)} - {""}))
    code: dict[str, int] = {name: place for place, name in enumerate(classes)}
    if len(code) > np.iinfo(np.int16).max:
        raise UsageError(f"{len(code)} different labels; expected those of questions with choices")
    codes = np.array(
        [[code.get(label, UNANSWERED) for label in given[proposer]] for proposer in proposers], dtype=np.int16
    )
    truths = np.array([code.get(answer, NOBODY_KNOWS) for answer in right], np.int16)
    unknown = truths == NOBODY_KNOWS
    ungraded = (codes != UNANSWERED) & unknown if unknown.any() else None
    return LabelMatrix(proposers, questions, classes, codes, truths, shared, choices, ungraded)


def per_question(
    said: Mapping[Proposer, Mapping[str, tuple[str | None, bool | None]]],
    questions: Sequence[str],
    unknown: Collection[str] = (),
) -> LabelMatrix:
    """From free answers, each with its grade (None: nobody has graded it): who says the same is known within a question
    and not beyond it. `unknown`: questions without a reference; where no answer has a grade either, nobody knows.

    Codes are dealt anew for each question, by lot and by who said what first, so that nothing can be learnt from a code
    alone, and other words for the same answers change nothing.
    """
    proposers = tuple(sorted(said))
    codes = np.full((len(proposers), len(questions)), UNANSWERED, dtype=np.int16)
    ungraded = np.zeros(codes.shape, dtype=np.bool_)
    truth = np.zeros(len(questions), dtype=np.int16)
    for place, question in enumerate(questions):
        answers = [said[proposer].get(question, (None, False)) for proposer in proposers]
        keys = [f"{row}{text}" if was_cut(text) else _plain(text) for row, (text, _) in enumerate(answers)]
        told = zip(keys, answers, strict=True)
        others = list(dict.fromkeys(key for key, (text, right) in told if text is not None and not right))
        deal = np.random.default_rng(zlib.crc32(question.encode())).permutation(len(proposers) + 1)
        spoken_of = any(right is not None for text, right in answers if text is not None)
        truth[place] = NOBODY_KNOWS if question in unknown and not spoken_of else deal[0]
        for row, (text, right) in enumerate(answers):
            if right:
                codes[row, place] = deal[0]
            elif text is not None:
                codes[row, place] = deal[1 + others.index(keys[row])]
                ungraded[row, place] = right is None
    classes = tuple(f"#{number}" for number in range(len(proposers) + 1))
    open_labels = ungraded if ungraded.any() else None
    return LabelMatrix(proposers, tuple(questions), classes, codes, truth, shared=False, ungraded=open_labels)


def _plain(label: Any) -> str:
    return "" if label is None else str(label).strip().casefold()
