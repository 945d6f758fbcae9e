"""A wrong key ends a run at once: nobody asks a thousand questions of an endpoint that lets nobody in.

Until a key has been taken once, few calls leave with it and the others wait. If all of these are refused (401, 403) the
key is wrong, and that is said once, with where the key comes from. One reply, whatever it says, and the gate is open for
good: a key that is revoked later makes calls fail like any other trouble.

Waiting must cost a good endpoint nothing that anybody notices. A refusal comes at once, while a model may think for
minutes; so where nobody has been refused within `PATIENCE_S`, the others leave without waiting for the first reply. They
still end the run when refusals come after all. A refusal is not judged as long as others of the first calls are under way:
where an endpoint lets the key in for one model and not for another, the run goes on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from moot.errors import KeyRefused, RequestRejected
from moot.models.model import Model, Wrapper
from moot.types import Reply, Request

FIRST_CALLS = 4
"""That leave with a key before it is known to be taken."""

PATIENCE_S = 2.0
"""How long others wait for the word on the first ones."""

REFUSING = (401, 403)
"""A filter that refuses with 403 has given a reply by the time it is seen here: see `filtered`."""


class KeyGate:
    """One key at one endpoint, for all the models that show it."""

    def __init__(self, key_from: str | None, *, told: Callable[[str], None] | None = None) -> None:
        """`key_from`: where the file says that the key is, in words. `told`: hears of a wrong key, and nothing is ended."""
        self.is_open = False
        self._key_from = key_from
        self._told = told
        self._under_way = 0
        self._refusals: dict[str, RequestRejected] = {}
        """By the model's name in the file, the last one."""
        self._refused = 0
        self._closed: str | None = None
        """Once it is sure that the key is wrong: what is said about it."""
        self._patient = True
        self._clock: asyncio.TimerHandle | None = None
        self._news: asyncio.Future[None] | None = None

    async def pass_through(self, model: Model, request: Request) -> Reply:
        await self._leave()
        try:
            reply = await model.generate(request)
            self._open()
            return reply
        except RequestRejected as error:
            if error.status not in REFUSING or self.is_open:
                raise
            refusal = error
            self._refused += 1
            self._refusals[model.name] = error
        finally:
            self._under_way -= 1
            self._judge()
        await self._judged()
        raise refusal

    async def _judged(self) -> None:
        """Wait for the word on a call that was refused: whether it was the key."""
        while not self.is_open:
            if self._closed is not None:
                raise KeyRefused(self._closed)
            await self._change()

    async def _leave(self) -> None:
        """Wait until this call may be sent."""
        while not self.is_open:
            if self._closed is not None:
                raise KeyRefused(self._closed)
            if not self._refused and (self._under_way < FIRST_CALLS or not self._patient):
                break
            await self._change()
        self._under_way += 1
        if self._clock is None:
            self._clock = asyncio.get_running_loop().call_later(PATIENCE_S, self._lose_patience)

    def _judge(self) -> None:
        """A call is over: what does that say about those that wait?"""
        if not self.is_open and self._refused and (not self._under_way or self._refused >= FIRST_CALLS):
            words = refused_words(self._refusals, self._key_from)
            if self._told is None:
                self._closed = words
            else:
                self._told(words)
                self._open()
        self._tell()

    def _open(self) -> None:
        self.is_open = True
        if self._clock is not None:
            self._clock.cancel()
        self._tell()

    def _lose_patience(self) -> None:
        self._patient = False
        self._tell()

    def _change(self) -> asyncio.Future[None]:
        if self._news is None or self._news.done():
            self._news = asyncio.get_running_loop().create_future()
        return asyncio.shield(self._news)  # who waits and is cancelled takes nobody else along

    def _tell(self) -> None:
        if self._news is not None and not self._news.done():
            self._news.set_result(None)


class KeyProven(Wrapper):
    """A model whose first calls find out whether its key is taken."""

    def __init__(self, inner: Model, gate: KeyGate) -> None:
        super().__init__(inner)
        self._gate = gate

    async def generate(self, request: Request) -> Reply:
        if self._gate.is_open:
            return await self.inner.generate(request)
        return await self._gate.pass_through(self.inner, request)


def refused_words(refusals: dict[str, RequestRejected], key_from: str | None) -> str:
    """What is wrong and what to do about it. `refusals`: by the name of the model in the file."""
    models = ", ".join(refusals)
    of = f"model {models}" if len(refusals) == 1 else f"models {models}"
    error = next(iter(refusals.values()))
    return f"{_refused(error, of)}: {error}. {key_advice(error.status, key_from)}"


def _refused(error: RequestRejected, of: str) -> str:
    return f"the key of {of} is refused" if error.status == 401 else f"{of} may not be asked with this key"


def key_advice(status: int, key_from: str | None) -> str:
    """Where to look, after a 401 or 403."""
    if key_from is None:
        return "The file sets no key for it: expected api_key_env, the name of the environment variable that holds one."
    expected = "a key of this endpoint" if status == 401 else "one that may use this model, from where you are"
    return f"The key comes from {key_from}: expected {expected}."
