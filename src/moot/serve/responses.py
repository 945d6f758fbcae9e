"""The Responses API in its basic form: a text or messages in, one message or one call of a function out, whole or as events."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count
from typing import Annotated, Any, ClassVar, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from moot.config.mistakes import mistakes
from moot.config.type_words import either, told
from moot.openai_form.completions import Completion, Head
from moot.openai_form.refusal import Refused, json_bytes
from moot.openai_form.requests import (
    BoundedList,
    CalledFunction,
    ChatMessage,
    ChatRole,
    ContentPart,
    SentToolCall,
    WantedJson,
)
from moot.serve.asked_for import PLAIN_FORM, AskedOfTeam, CannotBeDone, MootOptions, TeamRequest, refuse_all_but_words
from moot.serve.chat import piece_chars
from moot.serve.tools import UNSUPPORTED_VALUE, ResponsesTool, ToolFunction, forced_tool
from moot.types import Usage

TABLE_EVENT = "moot.event"


class TextFormat(BaseModel):
    model_config = ConfigDict(extra="ignore")

    type: Literal["text", "json_object", "json_schema"] = "text"
    name: str = "answer"
    schema_: Annotated[dict[str, Any] | None, Field(alias="schema")] = None


class TextOptions(BaseModel):
    model_config = ConfigDict(extra="allow")

    format: TextFormat | None = None


class InputItem(BaseModel):
    """A message, or a call of a function and what came of it."""

    model_config = ConfigDict(extra="ignore")

    type: str | None = None
    role: ChatRole | None = None
    content: str | BoundedList[ContentPart] | None = None
    name: str | None = None
    arguments: str | None = None
    output: str | BoundedList[ContentPart] | None = None

    def message(self, place: str) -> ChatMessage | None:
        """None for what a model has thought, which is of no use to others."""
        if self.type in (None, "message"):
            if self.role is None:
                words = f"{place}.role: Field required; expected {either(get_args(ChatRole))}"
                raise Refused(400, words, code="invalid_request", param=f"{place}.role")
            refuse_all_but_words(self.content, f"{place}.content")
            return ChatMessage(role=self.role, content=self.content)
        if self.type == "function_call":
            called = CalledFunction(name=self.name or "", arguments=self.arguments or "")
            return ChatMessage(role="assistant", tool_calls=[SentToolCall(function=called)])
        if self.type == "function_call_output":
            refuse_all_but_words(self.output, f"{place}.output")
            return ChatMessage(role="tool", content=self.output)
        if self.type == "reasoning":
            return None
        words = f"{place}.type: the team reads messages and calls of functions; found {told(self.type)}"
        raise Refused(400, words, code=UNSUPPORTED_VALUE, param=f"{place}.type")


class ResponsesRequest(TeamRequest):
    """The basic form. Nothing is looked up in conversations that were before: each request has all that is asked."""

    input: Annotated[str, Field(min_length=1)] | Annotated[BoundedList[InputItem], Field(min_length=1)]
    instructions: str | None = None
    text: TextOptions | None = None
    tools: BoundedList[ResponsesTool] | None = None

    said_elsewhere: ClassVar[Mapping[str, CannotBeDone]] = {
        "messages": CannotBeDone("a question is read from input here; expected it left out"),
        "response_format": CannotBeDone("a form is asked for by text.format here; expected it left out", PLAIN_FORM),
    }

    @property
    def messages(self) -> list[ChatMessage]:
        system = [ChatMessage(role="system", content=self.instructions)] if self.instructions else []
        if isinstance(self.input, str):
            return [*system, ChatMessage(role="user", content=self.input)]
        read = [item.message(f"input.{number}") for number, item in enumerate(self.input)]
        return [*system, *(message for message in read if message is not None)]

    @property
    def _form(self) -> WantedJson | None:
        form = self.text.format if self.text is not None else None
        if form is None or form.type == "text":
            return None
        if form.type == "json_schema" and form.schema_ is None:
            raise Refused(400, "'text.format.schema' is missing.", code="invalid_schema", param="text")
        return WantedJson(form.schema_, "text")

    @property
    def asked_for(self) -> AskedOfTeam:
        """What the team is to do; `Refused` where that cannot be done."""
        self.refuse_what_cannot_be_done()
        tool, form = (
            forced_tool([_function(tool, number) for number, tool in enumerate(self.tools or ())], self.tool_choice),
            self._form,
        )
        more = self.text.model_extra or {} if self.text is not None else {}
        passed_over = {
            "tools": bool(self.tools),
            "text.format": form is not None and tool is not None,
            **{f"text.{key}": value is not None for key, value in more.items()},
        }
        choice = (
            self.tool_choice.model_dump(exclude_none=True)
            if isinstance(self.tool_choice, BaseModel)
            else self.tool_choice
        )
        bounds = self.bounds_of(tool or form)
        echoed = {
            "tools": [tool.model_dump(exclude_none=True) for tool in self.tools or ()],
            "tool_choice": choice or ("auto" if self.tools else "none"),
            "max_output_tokens": bounds.most_tokens,
        }
        return AskedOfTeam(
            self.messages,
            self.moot or MootOptions(),
            tool or form,
            bounds,
            self.not_applied(tool, form, passed_over),
            echoed,
        )


def _function(tool: ResponsesTool, number: int) -> ToolFunction | None:
    """Tools of other kinds have other names, or none: so a name is looked at here."""
    if tool.type != "function":
        return None
    try:
        return ToolFunction(name=tool.name or "", description=tool.description, parameters=tool.parameters)
    except ValidationError as error:
        (wrong,) = mistakes(ToolFunction, error)
        place = f"tools.{number}.name"
        raise Refused(400, f"{place}: {wrong.problem}", code="invalid_request", param=place) from None


_CUT_BY = {"length": "max_output_tokens", "content_filter": "content_filter"}
"""Why a response is not complete, by the reason to finish."""


def response_json(done: Completion, echoed: Mapping[str, Any], status: str | None = None) -> dict[str, Any]:
    """A completion in the form of this API. `echoed`: what of the request stands in it again."""
    cut = _CUT_BY.get(done.finish)
    status = status or ("completed" if cut is None else "incomplete")
    over = status != "in_progress"
    return {
        "id": done.head.id,
        "object": "response",
        "created_at": done.head.created,
        "status": status,
        "model": done.head.model,
        "output": [_item(done, status)] if over else [],
        "parallel_tool_calls": False,
        **echoed,
        "error": None,
        "incomplete_details": {"reason": cut} if over and cut else None,
        "instructions": None,
        "metadata": {},
        "usage": _usage(done.usage) if over else None,
        **done.more,
    }


def _usage(usage: Usage) -> dict[str, Any] | None:
    """None where a call was not counted: all of these have to be numbers."""
    prompt, completion = usage.prompt, usage.completion
    if prompt is None or completion is None:
        return None
    return {
        "input_tokens": prompt,
        "input_tokens_details": {"cached_tokens": usage.cached or 0},
        "output_tokens": completion,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning or 0},
        "total_tokens": prompt + completion,
    }


def _item(done: Completion, status: str) -> dict[str, Any]:
    """What the team says, or the function that it calls."""
    ident = done.head.id.removeprefix("resp_")
    if done.tool is not None:
        called = {"call_id": done.call_id, "name": done.tool, "arguments": done.text}
        return {"id": f"fc_{ident}", "type": "function_call", "status": status, **called}
    part: dict[str, Any] = (
        {"type": "refusal", "refusal": done.text}
        if done.refused
        else {"type": "output_text", "text": done.text, "annotations": []}
    )
    return {"id": f"msg_{ident}", "type": "message", "role": "assistant", "status": status, "content": [part]}


class ResponseEvents:
    """The events of one stream, numbered, as clients of this API expect them."""

    def __init__(self, echoed: Mapping[str, Any]) -> None:
        self._echoed = echoed
        self._numbers = count()
        self._open = False
        self._place: dict[str, Any] = {}

    def whole(self, done: Completion) -> Iterator[bytes]:
        """Where all of it is known when the stream begins."""
        if done.tool is None and not done.refused:
            yield from self.begun(done.head, done)
            yield from self.rest(done)
            return
        item = response_json(done, self._echoed)["output"][0]
        yield from self.opened(done.head, done)
        for event in _call_events(done, item) if done.tool is not None else _refusal_events(done, item):
            yield self._written(event)
        yield from self._over(done)

    def begun(self, head: Head, done: Completion | None = None) -> Iterator[bytes]:
        """A message, before its first word. `done`: where it is known by now what it will be."""
        message = _item(done or Completion(head, "", Usage()), "in_progress")
        self._place = {"item_id": message["id"], "output_index": 0, "content_index": 0}
        yield from self.opened(head, done)
        item = {**message, "content": []}
        yield self._written({"type": "response.output_item.added", "output_index": 0, "item": item})
        part = {**message["content"][0], "text": ""}
        yield self._written({"type": "response.content_part.added", **self._place, "part": part})

    def words(self, piece: str) -> bytes:
        """The next of them."""
        return self._written({"type": "response.output_text.delta", **self._place, "delta": piece, "logprobs": []})

    def rest(self, done: Completion, told: int = 0) -> Iterator[bytes]:
        """What has not been told of the message, and its end."""
        for piece in _pieces(done.text[told:]):
            yield self.words(piece)
        part = _item(done, "completed")["content"][0]
        text = {"text": done.text, "logprobs": []}
        yield self._written({"type": "response.output_text.done", **self._place, **text})
        yield self._written({"type": "response.content_part.done", **self._place, "part": part})
        yield from self._over(done)

    def failed(self, head: Head, refusal: Refused) -> bytes:
        """There is no answer, although some of one was sent."""
        response = response_json(Completion(head, "", Usage()), self._echoed, "failed")
        error = {"code": refusal.code or "server_error", "message": refusal.message}
        ended = {**response, "output": [], "usage": None, "error": error}
        return self._written({"type": "response.failed", "response": ended})

    def opened(self, head: Head, done: Completion | None = None) -> Iterator[bytes]:
        """The first event, if it was not sent yet."""
        if not self._open:
            self._open = True
            response = response_json(done or Completion(head, "", Usage()), self._echoed, "in_progress")
            yield self._written({"type": "response.created", "response": response})

    def table(self, head: Head, event: Mapping[str, Any]) -> Iterator[bytes]:
        """Something that happened at the table, in an event of our own, which other clients do not know."""
        yield from self.opened(head)
        yield self._written({"type": TABLE_EVENT, "event": dict(event)})

    def _over(self, done: Completion) -> Iterator[bytes]:
        whole = response_json(done, self._echoed)
        yield self._written({"type": "response.output_item.done", "output_index": 0, "item": whole["output"][0]})
        yield self._written({"type": f"response.{whole['status']}", "response": whole})

    def _written(self, event: Mapping[str, Any]) -> bytes:
        body = json_bytes({**event, "sequence_number": next(self._numbers)})
        return b"event: " + str(event["type"]).encode() + b"\ndata: " + body + b"\n\n"


def _pieces(text: str) -> Iterator[str]:
    chars = piece_chars(len(text))
    return (text[start : start + chars] for start in range(0, len(text), chars))


def _refusal_events(done: Completion, message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    place = {"item_id": message["id"], "output_index": 0, "content_index": 0}
    part = message["content"][0]
    begun = {**message, "status": "in_progress", "content": []}
    yield {"type": "response.output_item.added", "output_index": 0, "item": begun}
    yield {"type": "response.content_part.added", **place, "part": {**part, "refusal": ""}}
    for piece in _pieces(done.text):
        yield {"type": "response.refusal.delta", **place, "delta": piece, "logprobs": []}
    yield {"type": "response.refusal.done", **place, "refusal": done.text, "logprobs": []}
    yield {"type": "response.content_part.done", **place, "part": part}


def _call_events(done: Completion, call: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    place = {"item_id": call["id"], "output_index": 0}
    begun = {**call, "status": "in_progress", "arguments": ""}
    yield {"type": "response.output_item.added", "output_index": 0, "item": begun}
    for piece in _pieces(done.text):
        yield {"type": "response.function_call_arguments.delta", **place, "delta": piece}
    arguments = {"name": done.tool, "arguments": done.text}
    yield {"type": "response.function_call_arguments.done", **place, **arguments}
