"""A case as a row of a question file: what `read_case` reads back as the same case."""

from __future__ import annotations

from typing import Any

from moot.types import Case

_PLAIN = ("comment", "source", "author", "category", "package", "year", "difficulty", "cluster")


def written_case(case: Case) -> dict[str, Any]:
    """Only what is there; the set that it is of is the file's matter."""
    question = case.question
    row: dict[str, Any] = {"id": question.id, "text": question.text, "language": question.language}
    if question.choices:
        row["choices"] = list(question.choices)
    elif question.kind != "open":
        row["kind"] = question.kind
    if question.context is not None:
        row["context"] = question.context
    row["answer"] = case.answer
    if case.accepted:
        row["accepted"] = list(case.accepted)
    if case.rejected:
        row["rejected"] = list(case.rejected)
    row |= {key: value for key in _PLAIN if (value := getattr(case, key)) is not None}
    row |= {key: True for key in ("lemmatize", "free_order") if getattr(case, key)}
    if case.human is not None:
        row["human"] = {"solved": case.human.solved, "asked": case.human.asked}
    if case.meta:
        row["meta"] = dict(case.meta)
    if case.rubric:
        row["rubric"] = [{"name": each.name, "points": each.points, "says": each.says} for each in case.rubric]
    return row
