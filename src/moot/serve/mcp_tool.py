"""A team as a tool of the Model Context Protocol (extra `mcp`), so that an agent can convene one: `moot mcp cup.yaml`.

The agent's program starts the command and speaks with it over its standard input and output; nothing listens.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field, ValidationError

try:
    from mcp.server.mcpserver import Context, MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
except ImportError as error:
    raise ImportError("moot mcp needs the extra mcp: pip install 'moot[mcp]'") from error

import moot
from moot.config.mistakes import Meant, Mistake, mistakes
from moot.config.type_words import told
from moot.errors import MootError
from moot.live.team import LiveTeam
from moot.models.closest import closest
from moot.openai_form.refusal import Refused
from moot.openai_form.requests import ChatMessage
from moot.serve.asked_for import AskedOfTeam, MootOptions
from moot.serve.in_process import LONGEST, answered, served_team
from moot.serve.refusal import as_refusal
from moot.types import MOST_CHOICES, Call, QuestionKind

AT_ONCE = 16
"""Questions under way: an agent that sends more of them waits."""


TELL_S = 2.0
"""An answer waits no longer than this for what is told before it."""


class TeamAnswer(BaseModel):
    """What the team says, and how far to trust it."""

    answer: str = Field(description="What the team says; where it abstains or refuses, that it does.")
    choice: str | None = Field(None, description="Where choices were sent: the one whose letter is the answer.")
    outcome: str = Field(description="answered; abstained: not sure enough; refused.")
    probability: float | None = Field(
        None, description="That the answer is right, as learnt from graded questions; null: nothing was learnt."
    )
    agreement: float | None = Field(None, description="The share of the team that said the same.")
    model: str = Field(description="Which team and strategy answered.")
    moot: dict[str, Any] = Field(
        description="All that is told of it: who, calls, cost, who was absent, the episode's id."
    )


_Question = Annotated[
    str,
    Field(description="The question, with all that is needed to answer it."),
    Meant("the question, a text with all that is needed to answer it"),
]
_Choices = Annotated[
    list[str] | None, Field(description=f"2 to {MOST_CHOICES} possible answers; the answer is then a letter.")
]
_About = Annotated[str | None, Field(description="A text that the question is about.")]
_Kind = Annotated[QuestionKind | None, Field(description="text: a long answer. Left out: as the team was measured.")]
_Whom = Annotated[str | None, Field(description="Another team or strategy of the file, by its name.")]


class _Arguments(BaseModel):
    """Those of `ask_team`, by which what is wrong with them is said."""

    question: _Question
    choices: _Choices = None
    about: _About = None
    kind: _Kind = None
    model: _Whom = None


class _TeamServer(MCPServer[Any]):
    """Refuses what no tool has: an agent that sends `options` for `choices` has to hear that nobody read them. What is wrong with
    the others is said as everywhere in moot."""

    async def call_tool(self, name: str, arguments: dict[str, Any], *context: Any, **more: Any) -> Any:
        tool = next((tool for tool in await self.list_tools() if tool.name == name), None)
        known = None if tool is None else list(tool.input_schema["properties"])
        if known is not None and (unknown := [each for each in arguments if each not in known]):
            several = "argument" if len(unknown) == 1 else "arguments"
            named = f"unknown {several} {', '.join(map(told, unknown))}"
            raise ToolError(f"{named}; expected {', '.join(known)}{closest(unknown[0], known)}")
        try:
            return await super().call_tool(name, arguments, *context, **more)
        except ToolError as error:
            if isinstance(error.__cause__, ValidationError):
                raise ToolError(_words(_Arguments, error.__cause__)) from None
            raise


def team_server(live: LiveTeam) -> MCPServer[Any]:
    """The server of an open team, not yet running. Its one tool is `ask_team`."""
    server = _TeamServer(
        "moot",
        title="A team of language models",
        instructions="Several models answer the question and decide together. Ask it what is hard, or what has to be right.",
        version=moot.__version__,
        log_level="WARNING",
    )
    places = asyncio.Semaphore(AT_ONCE)

    async def ask_team(
        question: _Question,
        context: Context[Any, Any],
        choices: _Choices = None,
        about: _About = None,
        kind: _Kind = None,
        model: _Whom = None,
    ) -> TeamAnswer:
        """Ask a team of language models. They answer independently and decide together; the reply says how far they agreed and,
        where that was learnt, how probably the answer is right. It may abstain: then rely on something else."""
        try:
            options = MootOptions(choices=choices, context=about, kind=kind)
        except ValidationError as error:
            raise ToolError(_words(MootOptions, error)) from None
        if sum(map(len, (question, about or "", *(choices or ())))) > LONGEST:
            raise ToolError(f"expected at most {LONGEST:,} characters in question, about and choices")
        async with places, _told(context) as heard:
            try:
                wish = AskedOfTeam([ChatMessage(role="user", content=question)], options)
                done = await answered(live, wish, model=model, heard=heard)
            except (Refused, MootError) as error:
                words = str(error) if isinstance(error, Refused) else as_refusal(error).message
                raise ToolError(words) from None
        report = done.more["moot"]
        known = {name: report.get(name) for name in ("choice", "outcome", "probability", "agreement")}
        return TeamAnswer(answer=done.text, model=done.head.model, moot=dict(report), **known)

    server.add_tool(ask_team, title="Ask a team of models", structured_output=True)
    return server


def _words(form: type[BaseModel], error: ValidationError) -> str:
    return "; ".join(f"{_place(each)}: {each.problem}" for each in mistakes(form, error))


def _place(wrong: Mistake) -> str:
    """The tool's own name for what is wrong."""
    return ".".join("about" if part == "context" else str(part) for part in wrong.key)


@asynccontextmanager
async def _told(context: Context[Any, Any]) -> AsyncIterator[Callable[[Call], None]]:
    """The agent's program hears of each call that is over, where it asked to hear of progress."""
    over: asyncio.Queue[Call | None] = asyncio.Queue()

    async def tell() -> None:
        number = 0
        while (call := await over.get()) is not None:
            number += 1
            await context.report_progress(number, message=f"{call.player}: {call.stage}")

    telling = asyncio.create_task(tell())
    try:
        yield over.put_nowait
        over.put_nowait(None)
        with contextlib.suppress(Exception):  # whoever does not listen misses nothing
            await asyncio.wait_for(telling, TELL_S)
    finally:
        telling.cancel()


def run_server(path: Path | None, *, store: str | None, only: Sequence[str], every: bool) -> None:
    """Until the agent's program closes the line. Standard output is the line: what is logged goes to standard error."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    asyncio.run(_until_closed(path, store, only, every))


async def _until_closed(path: Path | None, store: str | None, only: Sequence[str], every: bool) -> None:
    # Open before the line is: what is wrong with the file is said in words, and not as a break of the protocol.
    async with served_team(path, store=store, only=only, every=every) as live:
        await team_server(live).run_stdio_async()
