"""Which choice is right in a log of lm-evaluation-harness, whose `target` may be a place, a letter or the words of one.

"1" is the second choice to the harness, and may be the words of the third. What the log says of each answer tells: a reading by
which a model is right where the log calls it wrong is none. It is the same for all questions of a task, and for all models.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from moot.data.logs.fields import mapping, text
from moot.data.logs.lm_eval_sample import LmEvalSample
from moot.data.tables.answer_forms import place_of

ChoiceReading = Callable[[LmEvalSample], int | None]
"""Which choice a sample says is right; None: it does not say."""


def best_reading(samples: Sequence[LmEvalSample], metric: str | None) -> ChoiceReading | None:
    """The one that fits what the log says of the answers best, of equal ones the first. None: none fits, or none can be tried."""
    if only_parts(samples, metric):
        return None
    judged = sum(sample.worth(metric) is not None for sample in samples)
    best, best_fit = None, -1
    for reading in READINGS:
        fit = _fit(samples, metric, reading)
        if fit is not None and fit > best_fit:
            best, best_fit = reading, fit
        if best_fit == judged > 0:
            break  # it says of all answers what the log says
    return best


def only_parts(samples: Sequence[LmEvalSample], metric: str | None) -> bool:
    """Whether nobody is simply right or wrong: several choices are right then, each by a part."""
    given = [worth for sample in samples if (worth := sample.worth(metric)) is not None]
    return bool(given) and not any(worth in (0.0, 1.0) for worth in given)


def _fit(samples: Sequence[LmEvalSample], metric: str | None, reading: ChoiceReading) -> int | None:
    """On how many answers the reading says what the log says, less those on which it says otherwise. None: it says nothing."""
    fit, read = 0, False
    for sample in samples:
        place, worth = reading(sample), sample.worth(metric)
        read = read or place is not None
        if place is not None and worth in (0.0, 1.0):
            fit += 1 if (sample.likeliest(metric) == place) == (worth == 1) else -1
    return fit if read else None


def _target(*forms: str) -> ChoiceReading:
    def read(sample: LmEvalSample) -> int | None:
        written = text(sample.row.get("target"))
        words = (sample.continuations, sample.choices) if sample.blank is None else (sample.choices,)
        return None if written is None else _place(written, [[w.strip() for w in each] for each in words], forms)

    return read


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
    _own_answer("letters", "texts"),
    _own_answer("from-0"),
    _own_answer("from-1"),
)
"""In the order in which they are believed. The harness itself takes a target of digits as a place, counted from 0."""


def labelled_choice(sample: LmEvalSample) -> int | None:
    """Of generated replies: the choice of the set's row that the target names by letter, by words, or by the set's own label."""
    written, choices = text(sample.row.get("target")), sample.doc.choices
    if written is None or len(choices) < 2:
        return None
    listed = mapping(mapping(sample.row.get("doc")).get("choices")).get("label")
    labels = [str(each) for each in listed] if isinstance(listed, list) else []
    if len(labels) == len(choices) and labels.count(written.strip()) == 1:
        return labels.index(written.strip())
    return _place(written, [choices], ("letters", "texts"))
