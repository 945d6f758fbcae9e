"""How a model is asked to stream where somebody listens: with a count of tokens, without, or not at all.

Not every server streams, and of those that do not all count the tokens of a stream. What a server refuses is not asked for
again. A reply that must be paid for and that nobody counts is worse than one that is waited for: a model with a price streams
only where its tokens are counted. What the file says of streaming (`stream: true`) stands, whoever listens.
"""

from __future__ import annotations

import re
from typing import Any, Literal

from moot.errors import RequestRejected
from moot.models.filtered import FILTERED
from moot.types import FREE, Price, Reply

Way = Literal["counted", "uncounted", "whole"]

NOT_COUNTED_STREAMS = "tokens of streams are not counted"
_OF_STREAMS = re.compile(r"(?<!up)(?<!down)stream", re.IGNORECASE)
"""A gateway speaks of its upstream where it means the server behind it."""
_REFUSING = (400, 404, 405, 415, 422, 501)


class StreamRefused(RequestRejected):
    """The server takes the request, but not as a stream, or not with a count."""


class StreamWay:
    """What is known of one model's server."""

    def __init__(self, *, always: bool, price: Price | None) -> None:
        self._always = always
        self._priced = price not in (None, FREE)
        self._way: Way = "counted"

    def body(self, body: dict[str, Any], *, listens: bool) -> Way:
        """Ask for a stream in a body, if there is to be one: in which way it was asked for."""
        if not self._always and (not listens or "stream" in body):
            return "whole"
        way = self._way
        if way != "whole":
            body["stream"] = True
        if way == "counted":
            body.setdefault("stream_options", {"include_usage": True})
        else:
            body.pop("stream_options", None)
        return way

    def check(self, asked: Way, status: int, words: str) -> None:
        """`StreamRefused` where a server's complaint is about the way in which it was asked: a lesser one is left."""
        if asked == "whole" or status not in _REFUSING or not _OF_STREAMS.search(words):
            return
        if self._always:
            if asked == "uncounted" or "stream_options" not in words.casefold():
                return
            self._way = "uncounted"
        elif asked == "uncounted" or self._priced or "stream_options" not in words.casefold():
            self._way = "whole"
        elif self._way == "counted":
            self._way = "uncounted"
        raise StreamRefused(words, status=status)

    def learn(self, asked: Way, reply: Reply) -> None:
        """A reply has come to its end. One that a filter broke off says nothing of what the server counts."""
        uncounted = reply.usage.completion is None and reply.finish != FILTERED
        if asked != "whole" and self._priced and not self._always and uncounted:
            self._way = "whole"

    def heard_nothing(self) -> None:
        """A stream came to its end without a word, and nobody knows what was sent: it is waited for whole from now on."""
        if not self._always:
            self._way = "whole"

    def words(self) -> tuple[str, ...]:
        """What is asked for in another way, because the server does not take it."""
        if self._way != "uncounted":
            return ()
        return (f"stream_options is not sent, since the server does not take it: {NOT_COUNTED_STREAMS}",)
