"""The Responses API in its basic form: a text or messages in, one message out, whole or as a stream of events."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from moot.openai_form.completions import Completion
from moot.openai_form.refusal import Refused, json_bytes
from moot.openai_form.requests import ChatMessage, WantedJson
from moot.serve.chat import PIECE, DeadlineSeconds


class TextFormat(BaseModel):
    model_config = ConfigDict(extra="ignore")

    type: Literal["text", "json_object", "json_schema"] = "text"
    name: str = "answer"
    schema_: Annotated[dict[str, Any] | None, Field(alias="schema")] = None


class TextOptions(BaseModel):
    model_config = ConfigDict(extra="ignore")

    format: TextFormat | None = None


class ResponsesRequest(BaseModel):
    """The basic form. Tools, files and stored conversations are not served."""

    model_config = ConfigDict(extra="ignore")

    model: Annotated[str, Field(min_length=1)]
    input: Annotated[str, Field(min_length=1)] | Annotated[list[ChatMessage], Field(min_length=1)]
    instructions: str | None = None
    text: TextOptions | None = None
    stream: bool | None = False
    time_limit_s: DeadlineSeconds | None = None

    @property
    def messages(self) -> list[ChatMessage]:
        system = [ChatMessage(role="system", content=self.instructions)] if self.instructions else []
        spoken = [ChatMessage(role="user", content=self.input)] if isinstance(self.input, str) else self.input
        return [*system, *spoken]

    @property
    def wanted(self) -> WantedJson | None:
        form = self.text.format if self.text is not None else None
        if form is None or form.type == "text":
            return None
        if form.type == "json_schema" and form.schema_ is None:
            raise Refused(400, "'text.format.schema' is missing.", code="invalid_schema", param="text")
        return WantedJson(form.schema_)


def response_json(done: Completion, status: str = "completed") -> dict[str, Any]:
    """A completion in the form of this API."""
    part: dict[str, Any] = (
        {"type": "refusal", "refusal": done.text}
        if done.refused
        else {"type": "output_text", "text": done.text, "annotations": []}
    )
    message = {
        "id": f"msg_{done.head.id.removeprefix('resp_')}",
        "type": "message",
        "role": "assistant",
        "status": status,
        "content": [part] if status == "completed" else [],
    }
    prompt, completion = done.usage.prompt or 0, done.usage.completion or 0
    usage = {
        "input_tokens": prompt,
        "input_tokens_details": {"cached_tokens": done.usage.cached or 0},
        "output_tokens": completion,
        "output_tokens_details": {"reasoning_tokens": done.usage.reasoning or 0},
        "total_tokens": prompt + completion,
    }
    return {
        "id": done.head.id,
        "object": "response",
        "created_at": done.head.created,
        "status": status,
        "model": done.head.model,
        "output": [message] if status == "completed" else [],
        "parallel_tool_calls": False,
        "tool_choice": "none",
        "tools": [],
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "usage": usage if status == "completed" else None,
        **done.more,
    }


def response_events(done: Completion) -> Iterator[bytes]:
    """The stream's events, numbered, as clients of this API expect them."""
    whole = response_json(done)
    message = whole["output"][0]
    begun = {**message, "status": "in_progress", "content": []}
    place = {"item_id": message["id"], "output_index": 0, "content_index": 0}
    kind = "refusal" if done.refused else "output_text"
    field = "refusal" if done.refused else "text"
    empty = {**message["content"][0], field: ""}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": response_json(done, "in_progress")},
        {"type": "response.output_item.added", "output_index": 0, "item": begun},
        {"type": "response.content_part.added", **place, "part": empty},
        *(
            {"type": f"response.{kind}.delta", **place, "delta": done.text[start : start + PIECE], "logprobs": []}
            for start in range(0, len(done.text), PIECE)
        ),
        {"type": f"response.{kind}.done", **place, field: done.text, "logprobs": []},
        {"type": "response.content_part.done", **place, "part": message["content"][0]},
        {"type": "response.output_item.done", "output_index": 0, "item": message},
        {"type": "response.completed", "response": whole},
    ]
    for number, event in enumerate(events):
        body = json_bytes({**event, "sequence_number": number})
        yield b"event: " + str(event["type"]).encode() + b"\ndata: " + body + b"\n\n"
