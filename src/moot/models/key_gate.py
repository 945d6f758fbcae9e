"""A wrong key or path ends a run at once: nobody asks a thousand questions of an endpoint that lets nobody in.

Until a key has been taken once, few calls leave with it, beside the first of each model, and the others wait. If every model that
shows it is refused (401, 403) the key is wrong, and that is said once, with where the key comes from. A path that is not there
(404, 405) is a refusal as well: `base_url` is wrong for all of them. One reply, whatever it says, and the gate is open for good:
a key that is revoked later makes calls fail like any other trouble. Anything else (429, 500, a timeout, a 404 about the model)
says nothing about key or path: as long as one model has met nothing but such, nothing is ended.

Waiting must cost a good endpoint nothing that anybody notices. A refusal comes at once, while a model may think for
minutes; so others wait for `PATIENCE_S` and then leave, and the calls of a model that was refused wait for as long from the
first refusal on. A model that nobody has asked by then (a judge, who comes after the play) is not waited for.

What is cancelled may be on a bill and is held against the budget. So where the key is wrong, calls that are on their way get
their refusals before the run ends.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Coroutine
from typing import Any

from moot.errors import EndpointClosed, KeyRefused, PathRefused, RequestRejected
from moot.models.first_calls import FIRST_CALLS, PATIENCE_S
from moot.models.model import Model, Wrapper
from moot.types import Reply, Request

ENDING_S = 10.0
"""How long calls that are under way have to end once the key is known to be wrong."""

REFUSING = (401, 403)
"""A filter that refuses with 403 has given a reply by the time it is seen here: see `filtered`."""


class KeyGate:
    """One key at one endpoint, for all the models that show it."""

    def __init__(self, key_from: str | None, *, told: Callable[[str], None] | None = None) -> None:
        """`key_from`: where the file says that the key is, in words. `told`: hears of a wrong key, and nothing is ended."""
        self.is_open = False
        self._key_from = key_from
        self._told = told
        self._unasked: set[str] = set()
        self._asked: set[str] = set()
        self._under_way: Counter[str] = Counter()
        self._refused: Counter[str] = Counter()
        self._refusals: dict[str, RequestRejected] = {}
        """By the model's name in the file, the last one."""
        self._wrong: EndpointClosed | None = None
        """Once every model was refused: what is said about it."""
        self._over = False
        """Nothing is under way any more with a key that is wrong, or has been for too long."""
        self._others_wait = True
        self._refused_wait = True
        self._clocks: list[asyncio.TimerHandle] = []
        self._news: asyncio.Future[None] | None = None

    def expect(self, model: str) -> None:
        """A model that shows this key."""
        self._unasked.add(model)

    def look(self, model: str) -> None:
        """Once more, for a call that has waited elsewhere: a key that is known to be wrong is not shown again."""
        if self._wrong is not None and not self.is_open and model in self._refusals:
            refusal = self._refusals[model]
            raise RequestRejected(str(refusal), status=refusal.status, no_such_path=refusal.no_such_path)

    async def pass_through(self, model: Model, request: Request) -> Reply:
        await self._leave(model.name)
        try:
            reply = await model.generate(request)
            self._open()
            return reply
        except RequestRejected as error:
            if self.is_open or not self._is_refusal(error):
                raise
            refusal = error
            self._refuse(model.name, error)
        finally:
            self._under_way[model.name] -= 1
            self._judge()
        while not self.is_open and (self._wrong is not None or self._refused_wait):
            await self._change()
        raise refusal

    def _is_refusal(self, error: RequestRejected) -> bool:
        return error.status in REFUSING or error.no_such_path

    def _closed(
        self, refusals: dict[str, RequestRejected], said: Callable[[RequestRejected], str] = str
    ) -> EndpointClosed:
        return closed(refusals, self._key_from, said)

    async def _leave(self, model: str) -> None:
        """Wait until this call may be sent."""
        while not self.is_open and not self._may_leave(model):
            await self._change()
        self._unasked.discard(model)
        self._asked.add(model)
        self._under_way[model] += 1
        if not self._clocks:
            self._start(PATIENCE_S, self._let_others_leave)

    def _may_leave(self, model: str) -> bool:
        if self._wrong is not None:
            return False
        if model in self._refused:
            return not self._refused_wait
        return not self._others_wait or model in self._unasked or self._under_way.total() < FIRST_CALLS

    def _refuse(self, model: str, error: RequestRejected) -> None:
        if not self._refused:
            self._start(PATIENCE_S, self._wait_for_no_word)
        self._refused[model] += 1
        self._refusals[model] = error

    def _judge(self) -> None:
        """Something has changed: what does that say about those that wait?"""
        if self._wrong is None and not self.is_open and self._all_refused():
            wrong = self._closed(self._refusals)
            if self._told is None:
                self._wrong = wrong
                self._start(ENDING_S, self._end)
            else:
                self._told(str(self._closed(self._refusals, in_short)))
                self._open()
        if self._wrong is not None and not self._under_way.total():
            self._over = True
        self._tell()

    def _all_refused(self) -> bool:
        if not self._refused or (self._unasked and self._refused_wait):
            return False
        return all(
            self._refused[model] >= FIRST_CALLS or (self._refused[model] and not self._under_way[model])
            for model in self._asked
        )

    def _open(self) -> None:
        self.is_open = True
        for clock in self._clocks:
            clock.cancel()
        self._tell()

    def _start(self, seconds: float, then: Callable[[], None]) -> None:
        self._clocks.append(asyncio.get_running_loop().call_later(seconds, then))

    def _let_others_leave(self) -> None:
        self._others_wait = False
        self._tell()

    def _wait_for_no_word(self) -> None:
        self._refused_wait = False
        self._judge()

    def _end(self) -> None:
        self._over = True
        self._tell()

    async def _change(self) -> None:
        """Wait for whatever changes; `EndpointClosed` once it is over."""
        if self._over and not self.is_open:
            assert self._wrong is not None
            raise type(self._wrong)(str(self._wrong))  # each waiter its own: a traceback grows with every raise
        if self._news is None or self._news.done():
            self._news = asyncio.get_running_loop().create_future()
        await asyncio.shield(self._news)  # who waits and is cancelled takes nobody else along

    def _tell(self) -> None:
        if self._news is not None and not self._news.done():
            self._news.set_result(None)


class KeyProven(Wrapper):
    """A model whose first calls find out whether its key is taken."""

    def __init__(self, inner: Model, gate: KeyGate) -> None:
        super().__init__(inner)
        self._gate = gate
        gate.expect(inner.name)

    def generate(self, request: Request) -> Coroutine[Any, Any, Reply]:
        return self.inner.generate(request) if self._gate.is_open else self._gate.pass_through(self.inner, request)


class KeyShown(Wrapper):
    """The same where a call really leaves: it may have waited long for its turn, behind the gate."""

    def __init__(self, inner: Model, gate: KeyGate) -> None:
        super().__init__(inner)
        self._gate = gate

    def generate(self, request: Request) -> Coroutine[Any, Any, Reply]:
        self._gate.look(self.name)
        return self.inner.generate(request)


_WHERE = re.compile(r"\S{1,300} answered \d{3}\b")


def in_short(error: RequestRejected) -> str:
    """Without what the server said, which may be what it was asked: for a log, which forgets nothing."""
    where = _WHERE.match(str(error))
    return f"status {error.status}" if where is None else where[0]


def closed(
    refusals: dict[str, RequestRejected], key_from: str | None, said: Callable[[RequestRejected], str] = str
) -> EndpointClosed:
    """What is wrong and what to do about it. `refusals`: by the name of the model in the file."""
    models = ", ".join(refusals)
    of = f"model {models}" if len(refusals) == 1 else f"models {models}"
    # A server that asks for the key first lets nobody know whether the path is there.
    error = min(refusals.values(), key=lambda refusal: refusal.no_such_path)
    if error.no_such_path:
        return PathRefused(f"nobody answers for {of} at this address: {said(error)}.")
    return KeyRefused(f"{_refused(error, of)}: {said(error)}. {key_advice(error.status, key_from)}")


def _refused(error: RequestRejected, of: str) -> str:
    return f"the key of {of} is refused" if error.status == 401 else f"{of} may not be asked with this key"


def key_advice(status: int, key_from: str | None) -> str:
    """Where to look, after a 401 or 403."""
    if key_from is None:
        return "The file sets no key for it: expected api_key_env, the name of the environment variable that holds one."
    expected = "a key of this endpoint" if status == 401 else "one that may use this model, from where you are"
    return f"The key comes from {key_from}: expected {expected}."
