"""Which answer a logged reply gives, and whether the tool's verdict on it is ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from moot.data.case import read_case
from moot.data.logs.log import LoggedReply, QuestionInLog
from moot.data.logs.verdict_evidence import JudgedReply, evidence_of, says_reference
from moot.grade.match import match
from moot.grade.normalise import normalise
from moot.models.border import storable
from moot.team.forms import Unusable, settle
from moot.team.reading import announced
from moot.types import Case, Question, Reply

LONGEST_ANSWER = 300
"""Characters. What a tool gives as the answer is often the whole reply; a longer one is read like any reply."""


@dataclass(frozen=True, slots=True)
class AnsweredReply:
    logged: LoggedReply
    question: Question
    answer: str | None
    contrary: bool = False
    """Whether the verdicts of its task say something else than whether a reply is right."""

    @property
    def worth(self) -> float | None:
        """The tool's verdict; None: it has none that says whether the reply is right."""
        return None if self.contrary else self.logged.worth

    @property
    def said(self) -> bool:
        return self.logged.text is not None or bool(self.logged.answer)

    @property
    def read_in_play(self) -> bool:
        """Whether it is read in play and not here: the log names no reference, so what is asked then may have choices that no
        log names, and a tool that gives the whole reply as its answer took nothing from it."""
        logged = self.logged
        if logged.question.answer is not None or logged.text is None:
            return False
        return logged.answer is None or logged.answer.strip() == logged.text.strip()

    @property
    def row(self) -> dict[str, Any] | None:
        """In the form of recorded replies; None: nothing was said."""
        logged = self.logged
        if not self.said:
            return None
        row: dict[str, Any] = {"model": logged.model, "question_id": logged.question.name}
        if self.read_in_play:
            row |= {"open_answer": self.answer, "text": logged.text}
        elif self.answer is not None:
            row |= {"answer": self.answer, "text": logged.text}
        else:
            # Without an answer a text is read again in play. What neither tool nor reader found is not looked for twice.
            row["reasoning"] = logged.text
        row["sample"] = logged.sample
        spent = {
            "cost_usd": logged.cost_usd,
            "prompt_tokens": logged.usage.prompt,
            "completion_tokens": logged.usage.completion,
            "seconds": logged.seconds,
        }
        row |= spent
        return {
            key: storable(value) if isinstance(value, str) else value for key, value in row.items() if value is not None
        }


def answered(logged: LoggedReply, question: Question) -> AnsweredReply:
    return AnsweredReply(logged, question, _answer(logged, question))


def _answer(logged: LoggedReply, question: Question) -> str | None:
    given = logged.answer
    if given is None:
        return None if logged.text is None else _read(question, logged, logged.text)
    short = given.strip()
    if not short:
        return None
    if question.is_closed or ("\n" not in short and len(short) <= LONGEST_ANSWER):
        try:
            return settle(short, question)
        except Unusable:
            return announced(question, Reply(short))
    return announced(question, Reply(short))


def _read(question: Question, logged: LoggedReply, text: str) -> str | None:
    """As any reply is read. Where nothing is found so in an open one that is a single line, it is tried with plain spaces; and a
    line that the tool calls right, or that is the reference itself, is its own answer, be it a mark."""
    found = announced(question, Reply(text))
    line = " ".join(text.split())
    if found is not None or question.kind != "open" or "\n" in text.strip() or len(line) > LONGEST_ANSWER:
        return found
    if logged.worth == 1 or text.strip() in (logged.question.answer, *logged.question.accepted):
        return line or None
    return announced(question, Reply(line))


class Verdicts:
    """What the tools called right, by question and answer."""

    def __init__(self, replies: Sequence[AnsweredReply]) -> None:
        self._words: dict[str, dict[str, str]] = {}
        self._worth: dict[str, dict[str, set[float]]] = {}
        for reply in replies:
            if reply.answer is None or reply.worth is None or reply.question.is_closed:
                continue
            name, same = reply.question.id, normalise(reply.answer)
            self._words.setdefault(name, {}).setdefault(same, reply.answer)
            self._worth.setdefault(name, {}).setdefault(same, set()).add(reply.worth)

    def question_row(self, question: QuestionInLog) -> dict[str, Any]:
        """In the form of a file of questions. An answer that a tool called right, and never wrong, is accepted."""
        row: dict[str, Any] = {"id": question.name, "text": question.text}
        if question.choices:
            row["choices"] = list(question.choices)
        if question.context:
            row["context"] = question.context
        row["answer"] = question.answer
        known = {normalise(each) for each in (question.answer or "", *question.accepted)}
        right = [
            self._words[question.name][same]
            for same, worth in self._worth.get(question.name, {}).items()
            if worth == {1.0} and same not in known
        ]
        if accepted := [*question.accepted, *right]:
            row["accepted"] = accepted
        if question.category or question.task:
            row["category"] = question.category or question.task
        return {key: _storable(value) for key, value in row.items()}

    def cases(self, rows: Sequence[Mapping[str, Any]], file: Path) -> dict[str, Case]:
        return {row["id"]: read_case(row, file=str(file), line=1) for row in rows}


@dataclass(frozen=True, slots=True)
class ContraryVerdicts:
    """A task whose verdicts call the references themselves wrong: they say something else than whether a reply is right."""

    task: str
    wrong: int
    """How many replies that are the reference they call so."""
    of: int
    others_right: int | None = None
    """Where they are replies that say the reference among other words: how many of the others are called right."""
    others: int = 0


def contrary_verdicts(replies: Sequence[AnsweredReply]) -> list[ContraryVerdicts]:
    """Of open questions: of choices nothing is accepted for a verdict. A task of which nothing is called right has none: its log
    may well say that every reply fails, be it of its cost."""
    tasks: dict[str, list[AnsweredReply]] = {}
    for reply in replies:
        if not reply.question.is_closed and reply.answer is not None and reply.logged.worth in (0.0, 1.0):
            tasks.setdefault(reply.logged.question.task, []).append(reply)
    some_right = {task: own for task, own in tasks.items() if any(reply.logged.worth == 1 for reply in own)}
    found = (_contrary(task, of_task) for task, of_task in some_right.items())
    return [each for each in found if each is not None]


def _contrary(task: str, replies: Sequence[AnsweredReply]) -> ContraryVerdicts | None:
    asked = [reply.logged.question for reply in replies]
    same = [
        reply.logged.worth
        for reply, question in zip(replies, asked, strict=True)
        if reply.answer in (question.answer, *question.accepted)
    ]
    if 2 * same.count(0.0) > len(same):
        return ContraryVerdicts(task, same.count(0.0), len(same))
    # A reply in a sentence is no reference word for word. A strict tool may call every one of them wrong, and no others right.
    seen = evidence_of(
        JudgedReply(says_reference(question, reply.answer), reply.logged.worth)
        for reply, question in zip(replies, asked, strict=True)
    )
    if not seen.is_contrary:
        return None
    wrong, right = seen.saying.count(0.0), seen.others.count(1.0)
    return ContraryVerdicts(task, wrong, len(seen.saying), right, len(seen.others))


def _storable(value: Any) -> Any:
    return [storable(each) for each in value] if isinstance(value, list) else storable(value)


def worth_here(reply: AnsweredReply, case: Case) -> float:
    """By match alone, as every run grades first."""
    return match(case, reply.answer).value or 0.0
