"""A team as a provider of LiteLLM (extra `litellm`), for its library and its proxy.

    import litellm
    from moot.serve.litellm_provider import TeamProvider

    litellm.custom_provider_map = [{"provider": "moot", "custom_handler": TeamProvider("cup.yaml")}]
    litellm.completion(model="moot/four", messages=[...])

Behind `moot/` stands a name that `moot serve` would answer to.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, cast

try:
    from litellm.llms.custom_llm import CustomLLM, CustomLLMError
    from litellm.types.utils import GenericStreamingChunk, ModelResponse, Usage
except ImportError as error:
    raise ImportError("moot.serve.litellm_provider needs the extra litellm: pip install 'moot[litellm]'") from error

from moot.errors import MootError
from moot.live.background import Background
from moot.live.team import LiveTeam
from moot.openai_form.completions import Completion, usage_json
from moot.openai_form.refusal import Refused, json_bytes
from moot.openai_form.requests import read_body
from moot.serve.chat import ChatRequest
from moot.serve.in_process import answered, served_team
from moot.serve.refusal import as_refusal


class TeamProvider(CustomLLM):
    """The team of a file. It is opened when it is first asked, on a loop of its own, and stays open until `close`."""

    def __init__(self, path: str | Path, *, store: str | None = None) -> None:
        super().__init__()
        self._path, self._store = Path(path), store
        self._thread: Background | None = None
        self._starting = threading.Lock()
        self._opening = asyncio.Lock()
        self._live: LiveTeam | None = None
        self._held = AsyncExitStack()

    # LiteLLM calls these by the names of their arguments, of which it has eighteen; three of them matter here.
    def completion(self, *_: Any, **sent: Any) -> ModelResponse:
        return _written(self._loop.result(self._reply(sent)), sent["model_response"])

    async def acompletion(self, *_: Any, **sent: Any) -> ModelResponse:
        return _written(await self._awaited(sent), sent["model_response"])

    def streaming(self, *_: Any, **sent: Any) -> Iterator[GenericStreamingChunk]:
        """The answer in one piece: it is whole when there is one."""
        yield _chunk(self._loop.result(self._reply(sent)))

    async def astreaming(self, *_: Any, **sent: Any) -> AsyncIterator[GenericStreamingChunk]:
        yield _chunk(await self._awaited(sent))

    def close(self) -> None:
        """Close the team and its store. A later question opens them again."""
        with self._starting:
            thread, self._thread = self._thread, None
        if thread is not None:
            thread.result(self._close())
            thread.stop()

    @property
    def _loop(self) -> Background:
        with self._starting:
            if self._thread is None:
                self._thread = Background()
            return self._thread

    async def _awaited(self, sent: Mapping[str, Any]) -> Completion:
        return await asyncio.wrap_future(self._loop.begin(self._reply(sent)))

    async def _reply(self, sent: Mapping[str, Any]) -> Completion:
        try:
            body = {**_parameters(sent["optional_params"]), "messages": sent["messages"]}
            asked = read_body(ChatRequest, json_bytes(body))
            return await answered(await self._opened(), asked.asked_for, model=sent["model"])
        except (Refused, MootError) as error:
            refusal = as_refusal(error)
            raise CustomLLMError(refusal.status, refusal.message) from None  # type: ignore[no-untyped-call, unused-ignore]

    async def _opened(self) -> LiveTeam:
        async with self._opening:
            if self._live is None:
                self._live = await self._held.enter_async_context(
                    served_team(self._path, store=self._store, every=True)
                )
            return self._live

    async def _close(self) -> None:
        self._live = None
        await self._held.aclose()


def _parameters(params: Mapping[str, Any]) -> dict[str, Any]:
    """As it would be sent to a server. What LiteLLM knows as no parameter it puts aside: `moot` is among it."""
    named = {name: value for name, value in params.items() if name != "extra_body"}
    return {**named, **(params.get("extra_body") or {})}


def _written(done: Completion, response: Any) -> ModelResponse:
    response.model = done.head.model
    (choice,) = response.choices
    choice.message.content = done.text
    choice.finish_reason = done.finish
    counted = usage_json(done.usage)
    response.usage = None if counted is None else Usage(**counted)  # LiteLLM would say 0
    response.moot = done.more["moot"]
    return cast(ModelResponse, response)


def _chunk(done: Completion) -> GenericStreamingChunk:
    return GenericStreamingChunk(
        text=done.text,
        tool_use=None,
        is_finished=True,
        finish_reason=done.finish,
        usage=cast(Any, usage_json(done.usage)),
        index=0,
        provider_specific_fields={"moot": done.more["moot"]},
    )
