"""The questions of logs in the form of a file of questions, with all that is known to be right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from moot.data.case import read_case
from moot.data.logs.answers import AnsweredReply
from moot.data.logs.log import QuestionInLog
from moot.data.logs.reference_forms import ReferenceForms
from moot.data.written_references import AS_WRITTEN
from moot.grade.listed import LISTED
from moot.grade.normalise import normalise
from moot.models.border import storable
from moot.types import Case


class QuestionRows:
    """With what the tools called right, by question and answer."""

    def __init__(self, replies: Sequence[AnsweredReply], forms: ReferenceForms) -> None:
        self._forms = forms
        self._words: dict[str, dict[str, str]] = {}
        self._worth: dict[str, dict[str, set[float]]] = {}
        for reply in replies:
            if reply.answer is None or reply.worth is None or reply.question.is_closed:
                continue
            name, same = reply.question.id, normalise(reply.answer)
            self._words.setdefault(name, {}).setdefault(same, reply.answer)
            self._worth.setdefault(name, {}).setdefault(same, set()).add(reply.worth)

    def of(self, question: QuestionInLog) -> dict[str, Any]:
        """An answer that a tool called right, and never wrong, is accepted, and so is the answer within the reference."""
        row: dict[str, Any] = {"id": question.name, "text": question.text}
        if question.choices:
            row["choices"] = list(question.choices)
        if question.context:
            row["context"] = question.context
        row["answer"] = question.answer
        given = [*question.accepted, *self._forms.of(question)]
        known = {normalise(each) for each in (question.answer or "", *given)}
        if accepted := [*given, *self._called(question, 1.0, known)]:
            row["accepted"] = accepted
        listed = self._forms.is_listed(question)
        if listed and (rejected := self._called(question, 0.0, known)):
            row["rejected"] = rejected
        if question.category or question.task:
            row["category"] = question.category or question.task
        told = {key: _storable(value) for key, value in row.items()}
        meta = {**(LISTED if listed else {}), **(AS_WRITTEN if self._forms.is_whole(question) else {})}
        return {**told, "meta": meta} if meta else told

    def _called(self, question: QuestionInLog, worth: float, known: set[str]) -> list[str]:
        """Answers of which the tool always said so, beside those that are known to be right."""
        words = self._words.get(question.name, {})
        given = self._worth.get(question.name, {})
        return [words[same] for same, each in given.items() if each == {worth} and same not in known]


def cases_of(rows: Sequence[Mapping[str, Any]], file: Path) -> dict[str, Case]:
    return {row["id"]: read_case(row, file=str(file), line=1) for row in rows}


def _storable(value: Any) -> Any:
    return [storable(each) for each in value] if isinstance(value, list) else storable(value)
