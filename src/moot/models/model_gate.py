"""A model that its server does not have ends a run at once: what the others would say is paid for a team that lacks one.

The same gate as that of a key (`key_gate`), for one model: until it has answered once, few of its calls leave. Where the server
says of all of them that it knows no such model, that is said once, with the name in the server's own list that is nearest.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any

from moot.errors import EndpointClosed, ModelUnknown, MootError, RequestRejected
from moot.models.closest import closest
from moot.models.key_gate import KeyGate
from moot.models.model import Model, Wrapper
from moot.types import Reply, Request

Listing = Callable[[], Awaitable[Sequence[str]]]
"""Asks the server which models it has."""
LISTING_S = 5.0


class ModelGate(KeyGate):
    """One model at its endpoint."""

    def __init__(self, *, told: Callable[[str], None] | None = None) -> None:
        super().__init__(None, told=told)

    def _is_refusal(self, error: RequestRejected) -> bool:
        return error.no_such_model

    def _closed(
        self, refusals: dict[str, RequestRejected], said: Callable[[RequestRejected], str] = str
    ) -> EndpointClosed:
        ((name, error),) = refusals.items()
        return ModelUnknown(f"nobody answers for model {name}: {said(error)}")


class ModelProven(Wrapper):
    """A model whose first calls find out whether its server has it."""

    def __init__(self, inner: Model, gate: ModelGate, asked_as: str, listing: Listing | None) -> None:
        """`asked_as`: what the server is to know it by."""
        super().__init__(inner)
        self._gate, self._asked_as, self._listing = gate, asked_as, listing
        self._hint: asyncio.Task[str] | None = None
        gate.expect(inner.name)

    def generate(self, request: Request) -> Coroutine[Any, Any, Reply]:
        return self.inner.generate(request) if self._gate.is_open else self._proving(request)

    async def _proving(self, request: Request) -> Reply:
        try:
            return await self._gate.pass_through(self.inner, request)
        except ModelUnknown as error:
            if self._hint is None:  # one question for all that wait
                self._hint = asyncio.ensure_future(self._nearest())
            raise ModelUnknown(f"{error}{await asyncio.shield(self._hint)}") from None

    async def _nearest(self) -> str:
        if self._listing is None:
            return ""
        try:
            async with asyncio.timeout(LISTING_S):
                return closest(self._asked_as, await self._listing())
        except (MootError, TimeoutError):
            return ""
