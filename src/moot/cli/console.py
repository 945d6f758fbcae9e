"""The console that every command writes to. Text from anywhere may be printed on it: see `tame`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console as RichConsole
from rich.console import ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from moot.cli.safe_text import tamed


class Console(RichConsole):
    """Rich's own. All that it draws is made of texts, and each passes here, in whatever table or frame it stands.

    Brackets are brackets: a label or an answer that looks like Rich's markup is not read as such.
    """

    def __init__(self, *, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, markup=False, emoji=False)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        return super().render(_shown(renderable) if isinstance(renderable, Text) else renderable, options)

    def render_str(self, text: str, **how: Any) -> Text:
        return _shown(super().render_str(text, **how))


def print_lines(lines: Iterable[str], console: Console | None = None) -> None:
    """One that is longer than the screen is wrapped there: a sentence is never cut, and a command can still be pasted."""
    console = console or Console()
    for line in lines:
        console.print(Text(line), soft_wrap=True)


def _shown(text: Text) -> Text:
    plain = tamed(text.plain)
    if plain == text.plain:
        return text
    copy = text.copy()
    copy.plain = plain
    return copy
