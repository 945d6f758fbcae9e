"""What an experiment file says of a table of questions, for whoever finds out the rest by looking at it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from moot.data.tables.answer_forms import AnswersAs
from moot.data.tables.known_names import ColumnNames
from moot.types import TEXT, QuestionKind

ReferencesAs = Literal["lists", "as-written"]
"""How references to questions without choices are written, where nobody can tell it from the file."""
REFERENCE_FORMS: tuple[ReferencesAs, ...] = get_args(ReferencesAs)

NEEDED = {"text": "the question itself", "answer": "what is right"}
"""Keys that a question cannot be without, and what they are."""


@dataclass(frozen=True, slots=True)
class Stated:
    """What an experiment file says of a table. None under a key: no column is that, whatever it is called."""

    columns: Mapping[str, ColumnNames | None] = field(default_factory=dict)
    answers: AnswersAs | None = None
    sheet: str | None = None
    kind: QuestionKind | None = None
    references: ReferencesAs | None = None

    @property
    def needed(self) -> tuple[str, ...]:
        """Keys that a question cannot be without: to a long answer there need be no reference."""
        return ("text",) if self.kind == TEXT else tuple(NEEDED)


NOTHING_STATED = Stated()


def stated_too(stated: Stated, more: Stated) -> Stated:
    """Both, and where they differ the second."""
    answers, sheet = more.answers or stated.answers, more.sheet or stated.sheet
    kind, references = more.kind or stated.kind, more.references or stated.references
    return Stated({**stated.columns, **more.columns}, answers, sheet, kind, references)
