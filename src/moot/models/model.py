"""The seam: `async generate(Request) -> Reply`. Everything that talks to a model, and everything that wraps one, is a Model."""

from __future__ import annotations

from collections.abc import Coroutine, Mapping
from typing import Any, Protocol, runtime_checkable

from moot.types import Price, Reply, Request, digest

OF_THE_QUESTIONS = ("question", "space")
"""What the shape of a model says of the questions that it is asked, and not of itself: a simulated one draws its wrong answers
from all of them."""
OF_A_REQUEST = ("messages", "params", "schema", *OF_THE_QUESTIONS)
"""What the shape of a call has beside who is asked."""


@runtime_checkable
class Model(Protocol):
    @property
    def name(self) -> str:
        """What the experiment calls it."""

    @property
    def price(self) -> Price | None:
        """None: unknown, which is not free."""

    def shape(self, request: Request) -> Mapping[str, Any]:
        """Everything that shapes the reply to this request: provider, address, model, parameters, messages.

        The key of the stored call is made of it, so what is left out here would be confused in the cache; and what
        must never be written down (a key, a header) has no place in it.
        """

    async def generate(self, request: Request) -> Reply:
        """Ask once. Raises a `CallError` where there is no reply."""

    async def close(self) -> None:
        """Let go of connections. A closed model may be used again."""


def call_key(model: Model, request: Request) -> str:
    """The name under which a call is stored once and for all."""
    return digest([model.shape(request), request.sample, request.attempt])


def messages_json(request: Request) -> list[dict[str, str]]:
    return [{"role": message.role, "content": message.content} for message in request.messages]


class Wrapper:
    """A Model around a Model. A subclass changes `generate`; who it is and what it costs stays the inner model's.

    A dozen of them stand around every model of a run, and each call passes all of them. So what does not change is asked once,
    and one that has nothing to do on the way hands on what the next one returns (a plain `def generate`), and waits for nothing.
    """

    def __init__(self, inner: Model) -> None:
        self.inner = inner
        self.name = inner.name
        self.price = inner.price
        self._shaping: Model = inner
        """Who says what shapes a reply: the next one that does not merely hand the question on."""
        if isinstance(inner, Wrapper) and type(inner).shape is Wrapper.shape:
            self._shaping = inner._shaping

    def shape(self, request: Request) -> Mapping[str, Any]:
        return self._shaping.shape(request)

    def generate(self, request: Request) -> Coroutine[Any, Any, Reply]:
        return self.inner.generate(request)

    async def close(self) -> None:
        await self.inner.close()


def plays_back(model: Model) -> bool:
    """Whether all that it can say was said, and paid for, before: by a model that says so of itself."""
    return getattr(innermost(model), "plays_back", False) is True


def innermost(model: Model) -> Model:
    """The model that everything around it wraps."""
    while isinstance(model, Wrapper):
        model = model.inner
    return model
