"""A question as somebody asks it, by hand or from a program."""

from __future__ import annotations

from collections.abc import Sequence

from moot.errors import UsageError
from moot.models.border import as_seen
from moot.types import MOST_CHOICES, Question, QuestionKind, digest


def choice_twice(choices: Sequence[str]) -> str | None:
    """A choice that is there once more, to whoever reads them; None: there is none."""
    met: set[str] = set()
    for choice in choices:
        if (seen := as_seen(choice)) in met:
            return seen
        met.add(seen)
    return None


def question_of(
    text: str,
    choices: Sequence[str] = (),
    language: str = "en",
    kind: QuestionKind | None = None,
    context: str | None = None,
) -> Question:
    """A question as somebody asks it. The same words are the same question. `kind`: None: as the choices say. `context`: what
    it is about."""
    if not text.strip():
        raise UsageError("expected a question that is not empty")
    if len(choices) == 1 or len(choices) > MOST_CHOICES:
        raise UsageError(f"expected 2 to {MOST_CHOICES} choices, found {len(choices)}")
    if (twice := choice_twice(choices)) is not None:
        raise UsageError(f"expected each choice once, found {twice!r} twice")
    if kind is not None and (kind == "choice") != bool(choices):
        raise UsageError(f"kind: {kind!r} {'needs' if kind == 'choice' else 'does not go with'} choices")
    ident = f"asked-{digest([text, list(choices), *filter(None, [kind, context])])[:12]}"
    asked_kind: QuestionKind = kind or ("choice" if choices else "open")
    return Question(ident, text, choices=tuple(choices), context=context, language=language, kind=asked_kind)


def choice_of(question: Question, answer: str | None) -> str | None:
    """The words of the choice whose letter is the answer; None: it is the letter of none."""
    return dict(zip(question.letters, question.choices, strict=True)).get(answer or "")
