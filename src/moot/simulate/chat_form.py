"""A chat request as simulated models take it: with the sampling parameters, which are checked as real servers do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from moot.openai_form.requests import ChatForm
from moot.types import Message

Tokens = Annotated[int, Field(ge=0, strict=True)]

_ROLES: Mapping[str, Literal["system", "user", "assistant"]] = {
    "system": "system",
    "developer": "system",
    "assistant": "assistant",
}
_SAMPLING = ("temperature", "max_tokens", "max_completion_tokens")


class SimulatedChat(ChatForm):
    """Whatever else a request holds goes along as a parameter."""

    model_config = ConfigDict(extra="allow")

    model: Annotated[str, Field(min_length=1)]
    n: Annotated[int, Field(ge=1, le=1, strict=True)] | None = None
    temperature: Annotated[float, Field(ge=0, strict=True)] | None = None
    max_tokens: Tokens | None = None
    max_completion_tokens: Tokens | None = None

    def spoken(self) -> tuple[Message, ...]:
        return tuple(Message(_ROLES.get(message.role, "user"), message.text) for message in self.messages)

    def params(self) -> dict[str, Any]:
        named = {name: getattr(self, name) for name in _SAMPLING if name in self.model_fields_set}
        return {**(self.model_extra or {}), **named}
