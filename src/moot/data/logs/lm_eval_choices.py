"""Which choice is right in a log of lm-evaluation-harness, whose `target` may be a place, a letter or the words of one.

"1" is the second choice to the harness, and may be the words of the third. What the log says of each answer tells: a reading by
which a model is right where the log calls it wrong is none. It is the same for all questions of a task, and for all models.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from moot.data.logs.fields import LETTERS, mapping, text
from moot.data.logs.lm_eval_sample import LmEvalSample
from moot.data.logs.lm_eval_targets import spelt_list
from moot.data.tables.answer_forms import place_of
from moot.types import MOST_CHOICES

ChoiceReading = Callable[[LmEvalSample], int | None]
"""Which choice a sample says is right; None: it does not say."""
MOST_CONTRARY = 0.25
"""The share of answers of which a reading may say otherwise than the log: likelihoods may be normed in ways unknown here."""


def best_reading(samples: Sequence[LmEvalSample], metric: str | None) -> ChoiceReading | None:
    """The one that fits what the log says of the answers best, of equal ones the first. None: none fits, or none can be tried."""
    if only_parts(samples, metric):
        return None
    judged = sum(sample.worth(metric) is not None for sample in samples)
    best, best_fit = None, _Fit(0, 0)
    for reading in READINGS:
        fit = _fit(samples, metric, reading)
        if fit is not None and fit.is_enough and (best is None or fit.surplus > best_fit.surplus):
            best, best_fit = reading, fit
        if best_fit.agreeing == judged > 0:
            break  # it says of all answers what the log says
    return best


@dataclass(frozen=True, slots=True)
class _Fit:
    """On how many answers a reading says what the log says, and on how many otherwise."""

    agreeing: int
    contrary: int

    @property
    def surplus(self) -> int:
        return self.agreeing - self.contrary

    @property
    def is_enough(self) -> bool:
        """By chance half of the answers of a poor model would agree; where none is judged, nothing speaks against it."""
        return self.contrary <= MOST_CONTRARY * (self.agreeing + self.contrary)


def only_parts(samples: Sequence[LmEvalSample], metric: str | None) -> bool:
    """Whether nobody is simply right or wrong: several choices are right then, each by a part."""
    given = [worth for sample in samples if (worth := sample.worth(metric)) is not None]
    return bool(given) and not any(worth in (0.0, 1.0) for worth in given)


def _fit(samples: Sequence[LmEvalSample], metric: str | None, reading: ChoiceReading) -> _Fit | None:
    """None: it says nothing."""
    agreeing = contrary = 0
    read = False
    for sample in samples:
        place, worth = reading(sample), sample.worth(metric)
        read = read or place is not None
        if place is not None and worth in (0.0, 1.0):
            agrees = (sample.likeliest(metric) == place) == (worth == 1)
            agreeing, contrary = agreeing + agrees, contrary + (not agrees)
    return _Fit(agreeing, contrary) if read else None


def several_are_right(sample: LmEvalSample) -> bool:
    """Whether the target is a list of several places."""
    listed = spelt_list(sample.row.get("target"))
    return listed is not None and len(listed) > 1


def _target(*forms: str) -> ChoiceReading:
    def read(sample: LmEvalSample) -> int | None:
        written = _only(sample.row.get("target"))
        words = (sample.continuations, sample.choices) if sample.blank is None else (sample.choices,)
        return None if written is None else _place(written, [[w.strip() for w in each] for each in words], forms)

    return read


def _only(target: Any) -> str | None:
    """The target, or the only one of a list."""
    listed = spelt_list(target)
    return text(listed[0] if listed is not None and len(listed) == 1 else target)


def _truth(sample: LmEvalSample) -> int | None:
    """A truth value is a place to the harness as well: False is the first choice, True the second."""
    place = {"False": 0, "True": 1}.get(str(sample.row.get("target")).strip())
    return place if len(sample.continuations) > 1 else None


def _own_answer(*forms: str) -> ChoiceReading:
    """By the row of the set itself, where the target is no choice."""

    def read(sample: LmEvalSample) -> int | None:
        written = text(sample.doc.answer)
        return None if written is None else _place(written, [sample.choices], forms)

    return read


def _place(written: str, words: Sequence[Sequence[str]], forms: Sequence[str]) -> int | None:
    places = (place_of(written, each, form) for form in forms for each in words)
    return next((place for place in places if place is not None and place < len(words[0])), None)


READINGS: tuple[ChoiceReading, ...] = (
    _target("from-0", "letters", "texts"),
    _target("letters", "texts", "from-0"),
    _truth,
    _own_answer("letters", "texts"),
    _own_answer("from-0"),
    _own_answer("from-1"),
)
"""In the order in which they are believed. The harness itself takes a target of digits as a place, counted from 0."""


def labelled_choice(sample: LmEvalSample) -> int | None:
    """Of generated replies: the choice of the set's row that the target names by letter, by words, or by the set's own label."""
    written, choices = text(sample.row.get("target")), sample.doc.choices
    if written is None or not 2 <= len(choices) <= MOST_CHOICES:
        return None
    place = _by_label(written, sample)
    return _place(written, [choices], ("letters", "texts")) if place is None else place


def letter_by_label(taken: str, sample: LmEvalSample) -> str:
    """What was taken of a reply, as the letter of the choice that the set's own label stands for, where it is such a label."""
    place = _by_label(taken.strip("(). \n\t"), sample)
    return taken if place is None else LETTERS[place]


def _by_label(written: str, sample: LmEvalSample) -> int | None:
    listed = mapping(mapping(sample.row.get("doc")).get("choices")).get("label")
    labels = [str(each) for each in listed] if isinstance(listed, list) else []
    alone = len(labels) == len(sample.doc.choices) and labels.count(written.strip()) == 1
    return labels.index(written.strip()) if alone else None
