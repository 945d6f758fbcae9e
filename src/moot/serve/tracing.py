"""OpenTelemetry spans by the GenAI conventions (extra `opentelemetry`): one for the team, one for every call inside.

Without the extra, or with no exporter set up in this process, nothing is traced and nothing is slower.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from moot.models.model import Model, Wrapper
from moot.types import Reply, Request

try:
    from opentelemetry import trace
except ImportError:  # the extra is not installed
    trace = None  # type: ignore[assignment]


class Traced(Wrapper):
    """A model whose calls are spans."""

    def __init__(self, inner: Model, name: str) -> None:
        super().__init__(inner)
        self._called = name

    async def generate(self, request: Request) -> Reply:
        with span(f"chat {self._called}", {"gen_ai.request.model": self._called}) as noted:
            reply = await self.inner.generate(request)
            noted(
                {
                    "gen_ai.response.model": reply.version or self._called,
                    "gen_ai.response.finish_reasons": [reply.finish],
                    "gen_ai.usage.input_tokens": reply.usage.prompt,
                    "gen_ai.usage.output_tokens": reply.usage.completion,
                }
            )
            return reply


@contextmanager
def span(name: str, attributes: dict[str, Any]) -> Iterator[Callable[[dict[str, Any]], None]]:
    """A span for as long as the block lasts; the block may add what it learns."""
    if not _exported():
        yield lambda more: None
        return
    tracer = trace.get_tracer("moot")
    described = {"gen_ai.operation.name": "chat", "gen_ai.provider.name": "moot", **attributes}
    with tracer.start_as_current_span(name, attributes=described) as current:

        def noted(more: dict[str, Any]) -> None:
            current.set_attributes({key: value for key, value in more.items() if value is not None})

        yield noted


def _exported() -> bool:
    """Whether anybody looks: a provider has been set up in this process, or the environment names one."""
    return trace is not None and not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)


def traced(name: str, model: Model) -> Model:
    return model if trace is None else Traced(model, name)
