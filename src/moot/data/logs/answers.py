"""Which answer a logged reply gives, and whether the tool's verdict on it is ours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from moot.data.logs.log import NOTHING_FOUND, LoggedReply
from moot.data.logs.verdict_evidence import JudgedReply, evidence_of, says_reference
from moot.grade.match import match
from moot.grade.normalise import LONGEST_COMPARED
from moot.models.border import storable
from moot.team.final_line import after_thoughts
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
    whole: bool = False
    """Whether its answer is all of the reply, since none could be read from it."""

    @property
    def worth(self) -> float | None:
        """The tool's verdict; None: it has none that says whether the reply is right."""
        return None if self.contrary else self.logged.worth

    @property
    def said(self) -> bool:
        return self.logged.text is not None or bool(self.logged.answer)

    @property
    def can_be_whole(self) -> bool:
        """Whether the log's verdict is on a reply to an open question which the tool did not find empty."""
        logged = self.logged
        judged = logged.worth is not None and logged.question.answer is not None and not logged.refused
        return judged and not self.question.is_closed and logged.text is not None and logged.answer != NOTHING_FOUND

    @property
    def in_one_line(self) -> str | None:
        """All that it says; None: nothing, or too much to be compared."""
        words = " ".join(after_thoughts(self.logged.text or "").split())
        return words if words and len(words) <= LONGEST_COMPARED else None

    @property
    def read_in_play(self) -> bool:
        """Whether it is read in play and not here: the log names no reference, so what is asked then may have choices that no
        log names, and a tool that gives the whole reply as its answer took nothing from it."""
        logged = self.logged
        if logged.question.answer is not None or logged.text is None or logged.refused:
            return False
        return logged.answer is None or logged.answer.strip() == logged.text.strip()

    @property
    def row(self) -> dict[str, Any] | None:
        """In the form of recorded replies; None: nothing was said."""
        logged = self.logged
        if not self.said:
            return None
        row: dict[str, Any] = {"model": logged.model, "question_id": logged.question.name}
        if logged.refused:
            row |= {"text": logged.text or "", "finish": logged.finish}
        elif self.read_in_play:
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
    if logged.refused:
        return None
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


def worth_here(reply: AnsweredReply, case: Case) -> float | None:
    """By match alone, as every run grades first. None: neither right nor wrong by it."""
    return match(case, reply.answer).value
