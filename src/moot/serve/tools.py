"""Tools that a client offers. A team calls none on its own: it answers. Where one is forced, as those do who want an answer in a
form, the answer is written down as its arguments, in the same way as by a `response_format`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from moot.config.mistakes import Meant
from moot.config.type_words import told
from moot.openai_form.refusal import Refused
from moot.openai_form.requests import BoundedList, WantedJson
from moot.stats.counted_words import few_names

UNSUPPORTED = "unsupported_parameter"
UNSUPPORTED_VALUE = "unsupported_value"
FunctionName = Annotated[str, Field(pattern=r"^[a-zA-Z0-9_-]{1,64}$"), Meant("1 to 64 letters, digits, _ and -")]
ROOM = 200
"""Characters for names of tools in a message: a request may offer thousands."""
NO_ARGUMENTS: Mapping[str, Any] = {"type": "object", "properties": {}}


class ToolFunction(BaseModel):
    """A function, as both forms of the API describe it."""

    model_config = ConfigDict(extra="ignore")

    name: FunctionName
    description: str | None = None
    parameters: dict[str, Any] | None = None

    @property
    def schema_told(self) -> Mapping[str, Any]:
        """Of its arguments. What the function is for helps whoever writes them."""
        schema = self.parameters or NO_ARGUMENTS
        return {"description": self.description, **schema} if self.description else schema


class ChatTool(BaseModel):
    """A tool in the chat form. Only functions can be forced; what others hold is not read."""

    model_config = ConfigDict(extra="ignore")

    type: str
    function: ToolFunction | None = None


class ResponsesTool(BaseModel):
    """A tool in the form of the Responses API, which says the same on one level."""

    model_config = ConfigDict(extra="allow")

    type: str
    name: str | None = None
    description: str | None = None
    parameters: dict[str, Any] | None = None


class NamedFunction(BaseModel):
    model_config = ConfigDict(extra="ignore")

    name: str


class AllowedTools(BaseModel):
    model_config = ConfigDict(extra="ignore")

    mode: Literal["auto", "required"]
    tools: BoundedList[dict[str, Any]]


class ToolChoice(BaseModel):
    """A tool that is named, or those that are allowed, in either form of the API."""

    model_config = ConfigDict(extra="ignore")

    type: str
    name: str | None = None
    function: NamedFunction | None = None
    mode: Literal["auto", "required"] | None = None
    tools: BoundedList[dict[str, Any]] | None = None
    allowed_tools: AllowedTools | None = None

    @property
    def named(self) -> str | None:
        return self.function.name if self.function is not None else self.name


Choice = Literal["none", "auto", "required"] | ToolChoice
FREE = ("none", "auto")
"""Choices by which nothing has to be called."""


def forced_tool(functions: Sequence[ToolFunction | None], choice: Choice | None) -> WantedJson | None:
    """The one function that has to be called; None: the team may answer in words. `functions`: None for tools of other kinds.

    A named function ends with `stop` and a required one with `tool_calls`, as OpenAI's do.
    """
    if choice is None or choice in FREE:
        return None
    if not functions:
        raise Refused(400, "tool_choice: expected tools to choose from.", code="invalid_request", param="tool_choice")
    if choice == "required":
        return _only(functions, len(functions))
    assert isinstance(choice, ToolChoice)
    if choice.type == "allowed_tools":
        return _of_allowed(functions, choice)
    if choice.type != "function":
        words = f"tool_choice: a team can be made to call a function, and no {told(choice.type)}."
        raise Refused(400, words, code=UNSUPPORTED_VALUE, param="tool_choice")
    return _wanted(_found(functions, [choice.named])[0], "stop")


def _of_allowed(functions: Sequence[ToolFunction | None], choice: ToolChoice) -> WantedJson | None:
    mode = choice.allowed_tools.mode if choice.allowed_tools is not None else choice.mode
    listed = choice.allowed_tools.tools if choice.allowed_tools is not None else choice.tools
    if mode is None or not listed:
        words = "tool_choice: expected the mode, 'auto' or 'required', and the tools that are allowed."
        raise Refused(400, words, code="invalid_request", param="tool_choice")
    named = [tool.get("function", tool) for tool in listed]
    names = [tool.get("name") if isinstance(tool, Mapping) else None for tool in named]
    if mode == "auto":
        return None
    return _only(_found(functions, names), len(names))


def _only(functions: Sequence[ToolFunction | None], offered: int) -> WantedJson:
    if offered != 1 or functions[0] is None:
        words = (
            "tool_choice: a team can be made to call one function, and does not choose among tools; expected 'auto', "
        )
        words += f"or one function that is named, found 'required' with {offered} tools."
        raise Refused(400, words, code=UNSUPPORTED_VALUE, param="tool_choice")
    return _wanted(functions[0], "tool_calls")


def _found(functions: Sequence[ToolFunction | None], names: Sequence[object]) -> list[ToolFunction]:
    offered = {function.name: function for function in reversed(functions) if function is not None}
    for name in names:
        if not isinstance(name, str) or name not in offered:
            expected = few_names([function.name for function in functions if function is not None], ROOM)
            words = f"tool_choice: {name!r:.80} is not among the tools; expected one of {expected or 'no function'}."
            raise Refused(400, words, code="invalid_request", param="tool_choice")
    return [offered[str(name)] for name in names]


def _wanted(function: ToolFunction, finish: str) -> WantedJson:
    return WantedJson(function.schema_told, "tools", function.name, finish)
