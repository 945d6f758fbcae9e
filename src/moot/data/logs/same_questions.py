"""One question in several logs: its words are the same in all, and its choices are, in whatever order each log shows them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from moot.data.case import read_case
from moot.data.logs.fields import LETTERS
from moot.data.logs.log import LoggedReply, QuestionInLog
from moot.errors import FileError
from moot.models.border import blank
from moot.stats.counted_words import count
from moot.types import Question


@dataclass(frozen=True, slots=True)
class LeftOutQuestion:
    question: QuestionInLog
    error: FileError
    """Why a file of questions could not hold it."""

    @property
    def why(self) -> str:
        if blank(self.question.text):
            return "no words to ask"
        return f"{self.error.key}: {self.error.problem}" if self.error.key else self.error.problem


class QuestionsOfLogs:
    """The questions in the order in which they were first seen, each as the first log has it."""

    def __init__(self) -> None:
        self._first: dict[str, LoggedReply] = {}
        self._asked: dict[str, Question] = {}
        self.left_out: dict[str, LeftOutQuestion] = {}
        """By name those that nobody could be asked."""

    def __iter__(self) -> Iterator[QuestionInLog]:
        return (reply.question for reply in self._first.values())

    def asked(self) -> dict[str, Question]:
        """By name, as players see them."""
        return self._asked

    def placed(self, reply: LoggedReply) -> LoggedReply | None:
        """The reply with the question as it was first seen; letters of choices in another order become those of the first. None:
        nobody could be asked this question, which is no reason to refuse the others."""
        question = reply.question
        if question.name in self.left_out:
            return None
        earlier = self._first.get(question.name)
        if earlier is None:
            try:
                self._asked[question.name] = _checked(reply)
            except FileError as error:
                self.left_out[question.name] = LeftOutQuestion(question, error)
                return None
            self._first[question.name] = reply
            return reply
        first = earlier.question
        if question == first:
            return replace(reply, question=first)
        if differs := _difference(question, first):
            raise FileError(
                f"{question.name!r} is another question here than in {earlier.file}: {differs}; expected logs of the same"
                " questions",
                file=reply.file,
                line=reply.line,
            )
        moved = _moved(question, first)
        if (reference := moved.get(question.answer or "", question.answer)) != first.answer and None not in (
            reference,
            first.answer,
        ):
            raise FileError(
                f"the reference of {question.name!r} is {reference!r:.60}, and in {earlier.file} {first.answer!r:.60}",
                file=reply.file,
                line=reply.line,
            )
        if first.answer is None and reference is not None:
            self._first[question.name] = replace(earlier, question=replace(first, answer=reference))
            first = self._first[question.name].question
        if not first.compared and question.compared:
            self._first[question.name] = replace(earlier, question=replace(first, compared=question.compared))
            first = self._first[question.name].question
        answer = reply.answer if reply.answer is None else moved.get(reply.answer.strip().upper(), reply.answer)
        return replace(reply, question=first, answer=answer)


def _difference(question: QuestionInLog, first: QuestionInLog) -> str | None:
    """In words; None: there is none but of white space and of order."""
    if question.text.split() != first.text.split():
        return f"{question.text[:60]!r}, and there {first.text[:60]!r}"
    here, there = Counter(question.choices), Counter(first.choices)
    if here == there:
        return None
    if not (here and there):
        return f"with {'no choices' if not here else count(len(question.choices), 'choice')} to it, and there with" + (
            f" {'none' if not there else len(first.choices)}"
        )
    only_here, only_there = ([*(one - other)] for one, other in ((here, there), (there, here)))
    apart = [
        f"{each[0][:60]!r} is among them {where}"
        for each, where in ((only_here, "here"), (only_there, "there"))
        if each
    ]
    return f"the choices differ ({', and '.join(apart)})"


def _moved(question: QuestionInLog, first: QuestionInLog) -> dict[str, str]:
    """By letter the one that the same choice has in the first log; empty where they stand in the same order."""
    if question.choices == first.choices or len(set(first.choices)) < len(first.choices):
        return {}
    return {LETTERS[place]: LETTERS[first.choices.index(each)] for place, each in enumerate(question.choices)}


def _checked(reply: LoggedReply) -> Question:
    """`FileError` where a file of questions could not hold it."""
    question = reply.question
    # A reference is there for the check alone: whether there is one is told later, of all questions together.
    row = {"id": question.name, "text": question.text, "answer": question.answer or ("A" if question.choices else "-")}
    if question.choices:
        row["choices"] = list(question.choices)  # type: ignore[assignment]
    if question.context:
        row["context"] = question.context
    return read_case(row, file=str(reply.file), line=reply.line or 1).question
