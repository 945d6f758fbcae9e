"""The final answer as it is written, where one alone writes it and nothing can change it any more.

What has been given away is never taken back. If the reply breaks off and is begun anew, the new one is given on only as long as
it says the same; where the answer is another in the end, whoever was given the beginning of the first is told so.
"""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO

from moot.models.filtered import FILTERED
from moot.models.overheard import Tell
from moot.openai_form.refusal import Refused
from moot.serve.final_bounds import FinalBounds
from moot.team.final_line import patterns
from moot.team.final_line.spoken_so_far import SpokenSoFar
from moot.types import Call

WRITTEN_ANEW, STOPPED_BY_FILTER, REFUSED, WERE_THOUGHTS = (
    "answer_written_anew",
    "answer_filtered",
    "answer_refused",
    "answer_was_thoughts",
)
_WORDS = {
    WRITTEN_ANEW: "The answer broke off while it was sent and was then written anew, in other words",
    STOPPED_BY_FILTER: "A content filter stopped the answer while it was sent",
    REFUSED: "The model that wrote the answer ended by refusing to",
    WERE_THOUGHTS: "What was sent turned out to be thoughts of a model that had sent none before, and no part of its answer",
}
"""By code, why what was sent is not the beginning of the answer."""


class PlainSpeakers:
    """Models that are known to send no thoughts, or to mark where these begin.

    Thoughts without an opening tag are known by the closing one alone, when it is too late. A server that sends them so always
    does: a model of which a free reply was heard to its end, and which held none, does not.
    """

    def __init__(self) -> None:
        self._plain: dict[str, bool] = {}

    def learn(self, call: Call) -> None:
        reply = call.reply
        if reply is None or call.model is None or call.request.schema is not None or not reply.text.strip():
            return
        if _unopened_thoughts(reply.text):
            self._plain[call.model] = False
        elif reply.finish == "stop":  # one that was cut may have been cut in its thoughts
            self._plain.setdefault(call.model, True)

    def know(self, model: str) -> bool:
        return self._plain.get(model, False)


def _unopened_thoughts(text: str) -> bool:
    ends = patterns.THOUGHT_ENDS.search(text)
    return ends is not None and patterns.THOUGHT_BEGINS.search(text, 0, ends.start()) is None


class EarlyAnswer:
    """What was given away of one answer."""

    def __init__(self, stage: str, bounds: FinalBounds, say: Callable[[str], None]) -> None:
        """`stage`: in which it is written."""
        self.stage = stage
        self._bounds = bounds
        self._say = say
        self._told = StringIO()  # of pieces without number, read again by whoever begins anew
        self.size = 0
        """Characters."""
        self._ended: str | None = None
        """What became of the reply that was sent first."""

    @property
    def text(self) -> str:
        return self._told.getvalue()

    def _from(self, place: int, most: int) -> str:
        self._told.seek(place)
        return self._told.read(most)

    def voice(self, *, plain: bool) -> Tell:
        """Somebody begins to write it."""
        spoken, bounded = SpokenSoFar(plain=plain), self._bounds.so_far()
        place, apart = 0, False

        def tell(words: str) -> None:
            nonlocal place, apart
            sure = bounded.take(spoken.take(words))
            if apart or not sure:
                return
            before = self._from(place, len(sure)) if place < self.size else ""
            if not sure.startswith(before):
                apart = True
                return
            place += len(sure)
            if new := sure[len(before) :]:
                self._told.seek(self.size)
                self._told.write(new)
                self.size += len(new)
                self._say(new)

        return tell

    def heard(self, call: Call) -> None:
        """A reply in its stage is over."""
        if self.size and self._ended is None and call.reply is not None:
            filtered = STOPPED_BY_FILTER if call.reply.finish == FILTERED else REFUSED if call.reply.refused else None
            self._ended = filtered or (WERE_THOUGHTS if _unopened_thoughts(call.reply.text) else WRITTEN_ANEW)

    def check(self, text: str, *, other: bool) -> None:
        """`Refused` where the answer is not what was begun. `other`: it is no text at all, but a refusal, say."""
        if self.size and (other or not text.startswith(self.text)):
            code = self._ended or WRITTEN_ANEW
            words = f"{_WORDS[code]}: what was sent of it does not count. Ask again, or without a stream."
            raise Refused(502, words, code=code, kind="server_error")
