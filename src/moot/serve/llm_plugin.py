"""Teams as models of the command `llm` (extra `llm`): `llm moot add cup.yaml`, then `llm -m moot/cup "..."`.

The names are kept in llm's own folder, so nothing but a small file is read until a team is asked.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import llm
from pydantic import Field

from moot.errors import MootError
from moot.openai_form.completions import Completion
from moot.openai_form.refusal import Refused
from moot.openai_form.requests import ChatMessage
from moot.serve.asked_for import AskedOfTeam
from moot.serve.in_process import answered, served_team
from moot.whole_files import written_whole

PREFIX = "moot/"


def _kept() -> Path:
    return Path(llm.user_dir()) / "moot-teams.json"


def teams() -> dict[str, str]:
    """The files of the teams that were added, by name."""
    try:
        named = json.loads(_kept().read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except ValueError:
        named = None
    if not isinstance(named, dict):
        click.echo(f"{_kept()} holds no list of teams, and none is known; llm moot add FILE writes it anew", err=True)
        return {}
    return {str(name): str(path) for name, path in named.items()}


def _keep(named: dict[str, str]) -> None:
    with written_whole(_kept()) as draft:
        draft.write_text(json.dumps(named, indent=2), encoding="utf-8")


class TeamOfFile(llm.Model):
    """The team of a file. What llm has of a conversation comes along; what is asked is kept as by `moot serve`."""

    can_stream = False

    class Options(llm.Options):
        strategy: str | None = Field(default=None, description="Another of the file, such as four/silent@ann")

    def __init__(self, name: str, path: str) -> None:
        self.model_id = f"{PREFIX}{name}"
        self._path = Path(path)

    def execute(self, prompt: Any, stream: bool, response: Any, conversation: Any = None) -> Iterator[str]:
        try:
            messages = _messages(prompt, conversation)
            done = asyncio.run(self._answered(messages, prompt.options.strategy))
        except (MootError, Refused) as error:
            raise llm.ModelError(str(error)) from None
        response.set_usage(input=done.usage.prompt, output=done.usage.completion)
        response.response_json = {"moot": done.more["moot"]}
        yield done.text

    async def _answered(self, messages: list[ChatMessage], strategy: str | None) -> Completion:
        async with served_team(self._path, every=strategy is not None) as live:
            return await answered(live, AskedOfTeam(messages), model=strategy)


NO_ATTACHMENTS = "the team reads words alone; expected no attachments; a text goes along by -f FILE"


def _messages(prompt: Any, conversation: Any) -> list[ChatMessage]:
    """All that was said. `Refused` for what is no text: llm itself lets it pass."""
    if prompt.attachments:
        raise Refused(400, NO_ATTACHMENTS)
    whole = hasattr(prompt, "messages")  # from llm 0.32 on, whose conversations hold no earlier replies
    said = _of_chain(prompt.messages) if whole else _of_turns(prompt, conversation)
    told = dict.fromkeys(each.text for each in said if each.role == "system")
    told |= dict.fromkeys([prompt.system] if prompt.system else [])
    spoken = [each for each in said if each.role != "system"]
    return [*(ChatMessage(role="system", content=words) for words in told), *spoken]


def _of_chain(messages: Any) -> list[ChatMessage]:
    from llm.parts import AttachmentPart, TextPart

    if any(isinstance(part, AttachmentPart) for message in messages for part in message.parts):
        raise Refused(400, NO_ATTACHMENTS)
    texts = [(each.role, "".join(part.text for part in each.parts if isinstance(part, TextPart))) for each in messages]
    return [ChatMessage(role=role, content=text) for role, text in texts if text]


def _of_turns(prompt: Any, conversation: Any) -> list[ChatMessage]:
    said: list[ChatMessage] = []
    for reply in conversation.responses if conversation is not None else ():
        if reply.prompt.system:
            said.append(ChatMessage(role="system", content=reply.prompt.system))
        said.append(ChatMessage(role="user", content=reply.prompt.prompt))
        said.append(ChatMessage(role="assistant", content=reply.text_or_raise()))
    return [*said, ChatMessage(role="user", content=prompt.prompt)]


@llm.hookimpl
def register_models(register: Any) -> None:
    for name, path in teams().items():
        register(TeamOfFile(name, path))


@llm.hookimpl
def register_commands(cli: click.Group) -> None:
    @cli.group(name="moot")
    def moot_group() -> None:
        """Teams of language models."""

    @moot_group.command()
    @click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
    @click.option("--name", help="Its name behind moot/; left out: that of the file.")
    def add(file: Path, name: str | None) -> None:
        """The team of FILE as a model."""
        named = name or file.stem
        _keep({**teams(), named: str(file.resolve())})
        click.echo(f"llm -m {PREFIX}{named} 'a question'")

    @moot_group.command(name="list")
    def list_teams() -> None:
        """The teams that were added."""
        for name, path in teams().items():
            click.echo(f"{PREFIX}{name}  {path}")

    @moot_group.command()
    @click.argument("name")
    def remove(name: str) -> None:
        """Forget a team; its file stays."""
        left = teams()
        if left.pop(name.removeprefix(PREFIX), None) is None:
            raise click.ClickException(f"there is no team {name!r}; expected one of {', '.join(left) or 'none'}")
        _keep(left)
