"""A model that says what it is told to say and remembers what it was asked: for tests of strategies, public on purpose."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from moot.errors import GenerationFailed
from moot.models.model import messages_json
from moot.models.overheard import told_in_pieces
from moot.types import FREE, Price, Reply, Request

Script = str | Reply | Exception | Mapping[str, Any]
"""One scripted turn. A mapping becomes JSON text; an exception is raised."""


class ScriptedModel:
    """Replies from a list, in order, or from a function of the request.

    >>> model = ScriptedModel("ann", [{"reasoning": "known", "answer": "Paris"}])

    Everything it was sent is kept in `requests`. A list that runs out is an error, not an endless last reply.
    """

    def __init__(
        self,
        name: str,
        replies: Iterable[Script] | Callable[[Request], Script],
        *,
        price: Price | None = FREE,
    ) -> None:
        self.name = name
        self.price = price
        self.requests: list[Request] = []
        self._function = replies if callable(replies) else None
        self._queue = iter(()) if callable(replies) else iter(replies)

    def shape(self, request: Request) -> Mapping[str, Any]:
        return {
            "provider": "scripted",
            "name": self.name,
            "messages": messages_json(request),
            "params": dict(request.params),
            "schema": request.schema,
            "question": request.question_id,
        }

    async def generate(self, request: Request) -> Reply:
        self.requests.append(request)
        script = self._function(request) if self._function else next(self._queue, None)
        if script is None:
            raise GenerationFailed(f"the script of {self.name!r} has no reply left")
        if isinstance(script, Exception):
            raise script
        if isinstance(script, Reply):
            await told_in_pieces(script.text)
            return script
        text = script if isinstance(script, str) else json.dumps(script, ensure_ascii=False)
        await told_in_pieces(text)
        return Reply(text, version=f"scripted/{self.name}", cost_usd=0.0 if self.price == FREE else None)

    async def close(self) -> None:
        pass
