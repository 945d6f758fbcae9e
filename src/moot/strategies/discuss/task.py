"""The task, as every prompt of a discussion repeats it: agents who no longer see it drift away from it."""

from __future__ import annotations

from typing import Any

from moot.types import Question


def task(question: Question) -> dict[str, Any]:
    return {
        "question": question.text,
        "choices": tuple(zip(question.letters, question.choices, strict=True)),
        "context": question.context,
        "kind": question.kind,
    }
