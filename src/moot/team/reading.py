"""Reading: the answer that a reply in free words gives, where it announces one itself.

No model is asked here. Whoever can ask one reads what is left (`grade.extract`); what nobody can read is *unparsed*.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from moot.team.final_line import after_thoughts, final_answer
from moot.team.final_line.free_words import only_line
from moot.team.forms import AnswerForm, Unusable, object_meant, read_reply
from moot.types import Question, Reply

UNPARSED = "unparsed: no answer could be read from the reply"


@dataclass(frozen=True, slots=True)
class Reading:
    """The answer that a reply gives; without one it is *unparsed*, and `cause` says why, where more is known."""

    answer: str | None
    cause: str | None = None
    by_model: Mapping[str, str | None] = field(default_factory=dict)
    """Where models were asked to read it: what each found; None for one that found nothing, or did not say."""


class Announced:
    """The plainest reader: the answer that the reply itself announces, in JSON or on a line; or its only line."""

    async def read(self, question: Question, reply: Reply, team: object, *, turn: int = 1) -> Reading:
        return Reading(announced(question, reply))


def announced(question: Question, reply: Reply) -> str | None:
    """In the form that the question asks for; None: it announces none."""
    try:
        return read_reply(reply, AnswerForm(question)).value.answer
    except Unusable:
        pass
    text = reply.text.strip()
    if reply.finish == "length" and object_meant(text):
        return None  # the answer would have come behind the reasons, and they are not over
    # Of a reply that was cut off the last line may be half of what it was going to be.
    whole = text.rpartition("\n")[0] if reply.finish == "length" else text
    if (announced := final_answer(whole, question)) is not None:
        return announced
    is_free = question.kind == "open" and reply.finish != "length" and not object_meant(text)
    return only_line(after_thoughts(text)) if is_free else None


def unparsed(*causes: str | None) -> str:
    """The cause of an answer that could not be read, in words."""
    reasons = "; ".join(filter(None, causes))
    return f"{UNPARSED} ({reasons})" if reasons else UNPARSED
