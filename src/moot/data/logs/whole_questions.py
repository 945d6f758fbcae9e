"""Questions to which every model of the logs has all its replies.

A reply that logs lack may be one that was never asked for, or one that never came: nobody can tell. So a team is claimed to be
better only as far as that does not hang on what is missing, and with many models even one in a hundred of each leaves little of
that. Whoever takes whole questions alone loses the others, and is told which.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from moot.data.logs.answers import AnsweredReply
from moot.data.logs.log import LoggedFigure
from moot.errors import UsageError
from moot.stats.counted_words import count, whose_words
from moot.stats.graded import FEW_WAITING

COMPLETE = "--complete"
"""The option that leaves out the other questions."""


@dataclass(frozen=True, slots=True)
class LackingReplies:
    by_model: Mapping[str, Collection[str]]
    """The questions to which each lacks one; a model that lacks none is here too."""
    questions: int

    @property
    def anywhere(self) -> frozenset[str]:
        return frozenset().union(*self.by_model.values())

    @property
    def whose(self) -> str:
        return whose_words({model: len(own) for model, own in self.by_model.items()}, of=self.questions)

    @property
    def warning(self) -> Iterator[str]:
        """Before somebody runs what claims nothing."""
        if len(self.by_model) > 1 and len(self.anywhere) > FEW_WAITING * self.questions:
            told = f"on {len(self.anywhere):,} of {count(self.questions, 'question')} some model has no reply"
            yield f"{told}: too many for a claim about a team of all of them. {COMPLETE} leaves these questions out"

    @property
    def words(self) -> Iterator[str]:
        """Where they are left out."""
        if self.anywhere:
            left = count(self.questions - len(self.anywhere), "question")
            yield (
                f"{count(len(self.anywhere), 'question')} left out to which a model lacks a reply: {self.whose}; all is of the"
                f" other {left} now, which may be easier than these, or harder"
            )


def lacking_replies(replies: Sequence[AnsweredReply], samples: int) -> LackingReplies:
    """Of the first `samples` to each question, which are what a run plays."""
    there: dict[str, set[tuple[str, int]]] = {}
    for reply in replies:
        own = there.setdefault(reply.logged.model, set())
        if reply.row is not None:
            own.add((reply.question.id, reply.logged.sample))
    questions = dict.fromkeys(reply.question.id for reply in replies)
    by_model = {
        model: {name for name in questions if any((name, sample) not in own for sample in range(samples))}
        for model, own in there.items()
    }
    return LackingReplies(by_model, len(questions))


def on_whole_questions(
    replies: Sequence[AnsweredReply], figures: Sequence[LoggedFigure], lacking: LackingReplies
) -> tuple[list[AnsweredReply], list[LoggedFigure]]:
    """What is left of the replies, and of the figures which are of others too."""
    left_out = lacking.anywhere
    if len(left_out) == lacking.questions:
        raise UsageError(f"{COMPLETE}: there is no question to which every model has a reply; {lacking.whose} lack one")
    part = {reply.logged.question.task for reply in replies if reply.question.id in left_out}
    kept = [reply for reply in replies if reply.question.id not in left_out]
    return kept, [replace(each, of_more=each.of_more or each.task in part) for each in figures]
