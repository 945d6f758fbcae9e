"""Rows of some public forms as the rows of a table: a question that is an object of its own, choices that say each whether
they are right, and texts with the marks of HTML in them."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from typing import Any

from moot.data.tables.object_cells import flagged

_QUESTION = "question"
_STEMS = ("text", "stem")
_CHOICES, _RIGHT = "choices", "answer"
_LISTS = ("answers", "options", "choices", "answerOptions", "answer_options")
"""Where a quiz of a web page has its choices, each with whether it is right."""
_OPEN_TRIVIA = frozenset(("type", "difficulty", "category", "question", "correct_answer", "incorrect_answers"))
"""All of its columns: no other set is asked for its marks, which may be what a question is about."""
_MARK = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});")


def as_flat(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """A row as it is, where it is flat."""
    asked = row.get(_QUESTION)
    if isinstance(asked, Mapping):
        row = _with_its_question(row, asked)
    for name in _LISTS:
        if (found := flagged(row.get(name))) is not None and not {_CHOICES, _RIGHT} & row.keys() - {name}:
            others = {other: cell for other, cell in row.items() if other != name}
            right = found.right[0] if len(found.right) == 1 else found.right or ""
            return {**others, _CHOICES: found.choices, _RIGHT: right}
    return {name: _unmarked(cell) for name, cell in row.items()} if len(row) < 8 and row.keys() == _OPEN_TRIVIA else row


def _with_its_question(row: Mapping[str, Any], asked: Mapping[str, Any]) -> Mapping[str, Any]:
    """The text of the question in its place, and its choices beside it, as ARC is published."""
    stems = [asked[name] for name in _STEMS if isinstance(asked.get(name), str)]
    if len(stems) != 1:
        return row
    inner = {_CHOICES: asked[_CHOICES]} if _CHOICES in asked and _CHOICES not in row else {}
    return {**row, _QUESTION: stems[0], **inner}


def _unmarked(cell: Any) -> Any:
    if isinstance(cell, list):
        return [_unmarked(item) for item in cell]
    return _MARK.sub(lambda found: html.unescape(found[0]), cell) if isinstance(cell, str) else cell
