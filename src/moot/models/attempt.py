"""One request, as whoever pays for it sees it, and what those beneath have learnt of its bill.

A call that is given up (a client that hangs up, a limit of time, a hedge's slower half, Ctrl-C) ends in no reply and in no
failure that could carry what the endpoint had stated by then. So whoever reads replies leaves it here.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from moot.errors import CallError
from moot.types import Reply


class GivenUp(CallError):
    """Nobody waits for the reply any more. It is never raised: it carries what was billed until then."""

    maybe_billed = True


class Attempt:
    """One request."""

    def __init__(self) -> None:
        self.held_back = False
        """It waits for the last look: nothing of it can be on a bill."""
        self._given_up: GivenUp | None = None

    def give_up(self, bill: GivenUp) -> None:
        """What was stated of it before whoever waited for it went away."""
        self._given_up = bill

    def bill_of(self, error: BaseException) -> CallError | None:
        """What says how much an end without a reply has cost; None: nobody does."""
        return self._given_up or (error if isinstance(error, CallError) else None)


_attempt: ContextVar[Attempt | None] = ContextVar("attempt", default=None)


@contextmanager
def attempting() -> Iterator[Attempt]:
    """Around one request."""
    attempt = Attempt()
    token = _attempt.set(attempt)
    try:
        yield attempt
    finally:
        _attempt.reset(token)


def who_pays() -> Attempt | None:
    """The request that this is for, where somebody pays for it."""
    return _attempt.get()


def bill_of_reply(reply: Reply) -> GivenUp:
    """Of one that came whole, and that nobody takes any more."""
    bill = GivenUp("a reply that came, and was not waited for")
    bill.billed_usd, bill.bill_in_part = reply.cost_usd, reply.in_part
    if reply.usage.prompt is not None and reply.usage.completion is not None:
        bill.billed_tokens = (reply.usage.prompt, reply.usage.completion)
    return bill
