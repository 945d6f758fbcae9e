"""Every way in which moot says no.

    MootError
    ├── UsageError                 the command or a file is wrong; nothing was called (exit code 2)
    │   └── FileError              ... with file, line, key and what was expected
    ├── CallError                  one model call did not give a reply
    │   ├── TransportError         worth another try, by the `retry` wrapper only
    │   │   ├── ConnectionFailed   refused, reset, cut in the middle
    │   │   ├── TimedOut           no whole reply within `timeout_s`
    │   │   ├── RateLimited        429, perhaps with Retry-After
    │   │   ├── ServerFailed       500 and above
    │   │   └── ReplyBroken        a success that holds no reply: HTML, half a JSON, an error, nothing
    │   ├── ReplyTooLarge          more bytes than are taken in
    │   ├── GenerationFailed       there was a reply, and its form could not be kept; or a team has no answer
    │   ├── TakenOver              another process makes this call: nothing was sent, the cache waits for the other
    │   ├── ModelBroke             the code of the model itself raised: an object's, or another package's
    │   └── RequestRejected        any other status: the same request would fail again
    ├── EndpointClosed             an endpoint that has answered nothing yet will answer nothing
    │   ├── KeyRefused             ... it does not take the key
    │   ├── PathRefused            ... it has no such path: `base_url` is wrong
    │   ├── ModelUnknown           ... it has no such model: `model` is misspelt, or not loaded there
    │   └── EndpointUnreachable    ... nothing listens at its address
    ├── BudgetReached              the next call could cross the cap on money (exit code 3)
    └── StoreError                 the store cannot be read or written
        ├── StoreFull              no space left: what was committed is kept
        ├── StoreUnreadable        not a store of ours, or not there to be opened (exit code 2)
        └── StoreNewer             written by a newer moot (exit code 2)

A model call that fails is data: strategies turn a `CallError` into an outcome. `BudgetReached` and `StoreError`
end a run, because going on would break a promise; `EndpointClosed` does, because going on would come to nothing.
"""

from __future__ import annotations

import math
import time
from typing import Self

from moot.bills import BillInPart


class MootError(Exception):
    """The root: catching it catches everything moot raises on purpose."""

    exit_code = 1


class UsageError(MootError):
    """The command or a file is wrong. Raised before any model is called."""

    exit_code = 2


class FileError(UsageError):
    """A mistake in a file, with the place and what was expected there."""

    def __init__(self, problem: str, *, file: object = None, line: int | None = None, key: str | None = None) -> None:
        self.problem, self.file, self.line, self.key = problem, file, line, key
        place = ":".join(str(part) for part in (file, line) if part is not None)
        super().__init__(": ".join(part for part in (place, key, problem) if part))


class CallError(MootError):
    """One model call did not give a reply."""

    maybe_billed = False
    """Whether the provider may charge for this attempt although no reply arrived."""
    billed_usd: float | None = None
    """What the provider says it charges for it, where it does: a failure can come with a bill."""
    billed_tokens: tuple[int, int] | None = None
    """The same in tokens, of the prompt and of what was generated."""
    bill_in_part: BillInPart | None = None
    """What it says of a cost that it does not say in full."""
    bill_unfinished = False
    """It was cut off after that was said: more may have come."""


class TransportError(CallError):
    """The reply got lost on the way; the same request may succeed later."""

    retry_after_s: float | None = None
    """What the endpoint asked for, where it did."""


class ConnectionFailed(TransportError):
    """Refused, reset, or cut in the middle of a reply."""

    def __init__(self, message: str, *, sent: bool = False, nobody_there: bool = False) -> None:
        """`nobody_there`: no connection was made at all."""
        super().__init__(message)
        self.maybe_billed = sent
        self.nobody_there = nobody_there


class TimedOut(TransportError):
    """No whole reply within the time allowed."""

    maybe_billed = True


class RateLimited(TransportError):
    """429: the endpoint asks for a pause."""

    def __init__(self, message: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class ServerFailed(TransportError):
    """A status of 500 or above."""

    def __init__(self, message: str, *, status: int, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after_s = retry_after_s


class ReplyBroken(TransportError):
    """A success status with something that is no reply: the endpoint's failure, as a status of 500 would be."""

    maybe_billed = True

    def __init__(self, message: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class ReplyTooLarge(CallError):
    """More than may be taken in. Sent again it would be as large, and be paid for again."""

    maybe_billed = True


class GenerationFailed(CallError):
    """Something was generated, and it is of no use: it broke the form that the server holds it to. Asked again it may not."""

    maybe_billed = True


class ModelBroke(CallError):
    """The code of the model itself raised, or gave what is no reply."""


class NotRecorded(CallError):
    """Of a recording that has every call: this one is not in it, since it failed then or was never made."""


class RequestRejected(CallError):
    """The endpoint refused the request itself; sending it again would not help."""

    def __init__(self, message: str, *, status: int, no_such_path: bool = False, no_such_model: bool = False) -> None:
        """`no_such_path`: a 404 or 405 that is about the address, and not about the model. `no_such_model`: it says that it has
        no model of this name."""
        super().__init__(message)
        self.status = status
        self.no_such_path = no_such_path
        self.no_such_model = no_such_model


class TakenOver(CallError):
    """Nothing was sent: this process was away for so long that another one has begun the call."""


class EndpointClosed(MootError):
    """An endpoint turns every call away before it has answered once. No `CallError`: it is no outcome of a question.

    Its exit code is 1 and not 2, which promises that nothing was called: other endpoints may have answered, and be paid.
    """


class KeyRefused(EndpointClosed):
    """It does not take the key."""


class PathRefused(EndpointClosed):
    """There is nobody at this path of it."""


class ModelUnknown(EndpointClosed):
    """It has no model of this name."""


class EndpointUnreachable(EndpointClosed):
    """Nothing listens at its address."""


class BudgetReached(MootError):
    """The next call could cross the cap on money."""

    exit_code = 3


class StoreError(MootError):
    """The store cannot be read or written."""

    retry_after_s: float | None = None
    """When it is tried again, where somebody tries."""

    driver_kind: str | None = None
    """What the database's driver calls its error: one of its own words, which quotes nothing."""

    @classmethod
    def until(cls, words: str, tried_again: float) -> Self:
        """`tried_again`: at this moment of the monotonic clock."""
        error = cls(words)
        error.retry_after_s = math.ceil(max(0.0, tried_again - time.monotonic())) + 1.0
        return error


class StoreFull(StoreError):
    """No space left on the device. Everything committed so far is kept."""


class StoreUnreadable(StoreError):
    """What should be a store is none, or cannot be opened."""

    exit_code = 2


class StoreNewer(StoreError):
    """The store was written by a newer moot than this one."""

    exit_code = 2
