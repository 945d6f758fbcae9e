"""In which form a reference can be said: a log may hold a whole solution, of which its tool compares the end alone.

By match no short answer would be that reference, and whoever is right would be wrong. So the answer within a solution is accepted
as well, unless the log's verdicts speak against it; and where no reply that is called right was ever seen to be its reference,
nothing but what the log has judged is graded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from moot.data.logs.answers import AnsweredReply
from moot.data.logs.log import QuestionInLog
from moot.data.logs.verdict_evidence import FEWEST, says_any
from moot.data.solution_answers import answer_within
from moot.grade.normalise import normalise, spelled

HARDLY_EVER = 0.05
"""Of the replies that a log calls right: if no more are the reference or say it, it is no answer that anybody gives."""


@dataclass(frozen=True, slots=True)
class UnsaidReferences:
    """A task of which no reply that is called right was seen to be its reference, nor to say it."""

    task: str
    right: int
    """Replies that the log calls right."""
    questions: int
    """Those whose reference no answer was seen to match."""
    listed: int
    """Of these: to which no short answer is known to be right either."""


class ReferenceForms:
    """What is right beside the references themselves, and which of them nobody is seen to say."""

    def __init__(self, replies: Sequence[AnsweredReply], questions: Sequence[QuestionInLog]) -> None:
        self._questions = {each.name: each for each in questions if each.answer is not None and not each.choices}
        self._judged = [
            reply
            for reply in replies
            if reply.question.id in self._questions and reply.answer is not None and reply.worth is not None
        ]
        self._within = {name: _forms(each) for name, each in self._questions.items()}
        self._within = {name: forms for name, forms in self._within.items() if forms}
        self._refuted = {*self._refuted_forms()}

    def of(self, question: QuestionInLog) -> list[str]:
        """What is accepted for being the answer within the reference."""
        return [
            form
            for same, form in self._within.get(question.name, {}).items()
            if (question.name, same) not in self._refuted and (question.task, "") not in self._refuted
        ]

    def is_whole(self, question: QuestionInLog) -> bool:
        """Whether the log calls what is within the reference wrong, so that nobody should read it as the answer."""
        return bool(self._within.get(question.name)) and not self.of(question)

    def _refuted_forms(self) -> Iterator[tuple[str, str]]:
        """Forms that the log calls wrong: of one question, or, by a task and no form, of most of its questions."""
        seen: Counter[tuple[str, bool]] = Counter()
        for reply in self._judged if self._within else ():
            same = normalise(reply.answer or "")
            if same in self._within.get(reply.question.id, {}):
                task = self._questions[reply.question.id].task
                seen[task, reply.worth == 1] += 1
                if reply.worth != 1:
                    yield reply.question.id, same
        for task, _ in list(seen):
            if seen[task, False] > seen[task, True]:
                yield task, ""

    @cached_property
    def _met(self) -> Mapping[str, set[str]]:
        """By task the questions whose reference is said by a reply that is called right; only tasks where it hardly ever is."""
        right: Counter[str] = Counter()
        saying: Counter[str] = Counter()
        met: dict[str, set[str]] = {}
        for reply in self._judged:
            if reply.worth != 1:
                continue
            question = self._questions[reply.question.id]
            right[question.task] += 1
            met.setdefault(question.task, set())
            if self._says(question, reply):
                saying[question.task] += 1
                met[question.task].add(question.name)
        return {
            task: names
            for task, names in met.items()
            if right[task] >= FEWEST and saying[task] <= HARDLY_EVER * right[task]
        }

    def _says(self, question: QuestionInLog, reply: AnsweredReply) -> bool:
        references = [question.answer or "", *question.accepted, *self.of(question)]
        answer = reply.answer or ""
        return says_any(answer, references) or spelled(answer, "en") in {spelled(each, "en") for each in references}

    def is_unsaid(self, question: QuestionInLog) -> bool:
        """Whether no answer was seen to match its reference, nor those of its task."""
        if question.name not in self._questions or self.of(question):
            return False
        met = self._met.get(question.task)
        return met is not None and question.name not in met

    @cached_property
    def _short_and_right(self) -> set[str]:
        """Questions with a short answer that the log calls right, and never wrong."""
        worth: dict[tuple[str, str], set[float | None]] = {}
        for reply in self._judged:
            if not reply.whole:
                worth.setdefault((reply.question.id, normalise(reply.answer or "")), set()).add(reply.worth)
        return {name for (name, _), given in worth.items() if given == {1.0}}

    def is_listed(self, question: QuestionInLog) -> bool:
        """Whether nothing short is known to be right, so that only answers which the log has judged can be graded."""
        return self.is_unsaid(question) and question.name not in self._short_and_right

    @property
    def unsaid(self) -> Iterator[UnsaidReferences]:
        for task in self._met:
            own = [each for each in self._questions.values() if each.task == task and self.is_unsaid(each)]
            if own:
                right = sum(
                    reply.worth == 1 and self._questions[reply.question.id].task == task for reply in self._judged
                )
                yield UnsaidReferences(task, right, len(own), sum(map(self.is_listed, own)))


def _forms(question: QuestionInLog) -> dict[str, str]:
    """By their spelling the answers within its references, which are none of these."""
    references = (question.answer or "", *question.accepted)
    within = [answer_within(each) for each in references]
    found = {normalise(each): each for each in (*question.compared, *filter(None, within))}
    return {same: each for same, each in found.items() if same not in map(normalise, references)} if found else {}


def as_whole(replies: Sequence[AnsweredReply]) -> tuple[list[AnsweredReply], dict[str, int]]:
    """Replies from which no answer can be read are their own answers where most are so that the log calls right: its verdicts are
    on the whole of them. By task how many, right and wrong alike."""
    right: Counter[tuple[str, bool]] = Counter()
    for reply in replies:
        if reply.can_be_whole and reply.logged.worth == 1:
            right[reply.logged.question.task, reply.answer is None] += 1
    tasks = {task for task, unread in right if unread and right[task, True] > right[task, False]}
    taken: Counter[str] = Counter()
    read = []
    for reply in replies:
        task = reply.logged.question.task
        if task in tasks and reply.answer is None and reply.can_be_whole and (words := reply.in_one_line):
            taken[task] += 1
            reply = replace(reply, answer=words, whole=True)
        read.append(reply)
    return read, dict(taken)
