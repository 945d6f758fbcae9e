"""Reading: the answer that a reply in free words gives, where it announces one itself.

No model is asked here. Whoever can ask one reads what is left (`grade.extract`); what nobody can read is *unparsed*.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from moot.team.final_line import final_answer
from moot.team.forms import AnswerForm, Unusable, object_meant, read_reply
from moot.types import Question, Reply

UNPARSED = "unparsed: no answer could be read from the reply"

_ONE_LINE = re.compile(r"""[\w"'«“„(](?:[\w .,;:!'’"«»“”„()&/%°+№-]{0,119})""")
"""A reply to an open question that is one short line of plain words is the answer itself."""


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
        return Reading(_announced(question, reply))


def _announced(question: Question, reply: Reply) -> str | None:
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
    is_answer = question.kind == "open" and reply.finish != "length" and _ONE_LINE.fullmatch(text)
    return text if is_answer else None


def unparsed(*causes: str | None) -> str:
    """The cause of an answer that could not be read, in words."""
    reasons = "; ".join(filter(None, causes))
    return f"{UNPARSED} ({reasons})" if reasons else UNPARSED
