"""Published replies of many models to one set of questions, turned into our two files: questions and recorded replies.

Benchmarks publish what each model said in one object a question: ``{"question_id", "question", "options", "answer",
"category", "responses": {"gpt-4o": {"pred": "B", "text": "Let us think ..."}}}``, often as ``.jsonl.gz``. Once it is
converted, a whole experiment can be played with ``provider: recorded`` and no model at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from moot.errors import FileError
from moot.foreign_files import lines_of, unpacked
from moot.models.recorded import json_object
from moot.types import dense_json

Row = Mapping[str, Any]


def convert_replies(source: Path, replies_out: Path, questions_out: Path) -> tuple[str, ...]:
    """Write both files, line by line, and name the models that they hold, in the order of their first reply."""
    models: dict[str, None] = {}
    with replies_out.open("wb") as replies, questions_out.open("wb") as questions:
        for line, row in _rows(source):
            questions.write(dense_json(_question(row, source, line)).encode() + b"\n")
            for reply in _replies(row, source, line):
                models[reply["model"]] = None
                replies.write(dense_json(reply).encode() + b"\n")
    return tuple(models)


def _question(row: Row, source: Path, line: int) -> dict[str, Any]:
    for key in ("question", "options", "answer"):
        if not row.get(key):
            raise FileError("expected a value that is not empty", file=source, line=line, key=key)
    taken = {"id": _id(row, source, line), "text": row["question"], "choices": row["options"], "answer": row["answer"]}
    return {**taken, "category": row["category"]} if row.get("category") else taken


def _replies(row: Row, source: Path, line: int) -> Iterator[dict[str, Any]]:
    """A reply from which no answer was taken keeps its text only: then it is read like any model's reply."""
    responses = row.get("responses")
    if not isinstance(responses, dict) or not all(isinstance(response, dict) for response in responses.values()):
        raise FileError('expected {"MODEL": {"pred": ..., "text": ...}}', file=source, line=line, key="responses")
    for model, response in responses.items():
        reply = {"model": model, "question_id": _id(row, source, line)}
        yield {**reply, **{ours: response[key] for ours, key in _TAKEN.items() if response.get(key) is not None}}


_TAKEN = {"answer": "pred", "text": "text"}


def _id(row: Row, source: Path, line: int) -> str:
    ident = row.get("question_id")
    if not isinstance(ident, str | int) or isinstance(ident, bool) or ident == "":
        raise FileError("expected a text or a whole number", file=source, line=line, key="question_id")
    return str(ident)


def _rows(source: Path) -> Iterator[tuple[int, Row]]:
    try:
        with unpacked(source) as file:
            for number, line in enumerate(lines_of(file, source), start=1):
                if line.strip():
                    yield number, json_object(line, source, number)
    except FileNotFoundError:
        raise FileError("no such file of replies", file=source) from None
    except OSError as error:
        raise FileError(f"cannot be read: {error}", file=source) from None
