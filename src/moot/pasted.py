"""What is printed to be typed: a path in a command can be pasted, whatever signs it has."""

from __future__ import annotations

import re
import shlex
import textwrap
from typing import Any

FILE = "FILE"
"""What stands for a file that is not known by its name."""


_QUOTED = r"'(?:[^'\n]|'\"'\"')*+'"
_COMMAND = re.compile(rf"\bmoot [a-z]+(?:(?: [^\s',;:]++){{0,40}}? {_QUOTED})+")
"""Up to its last word in quotes. So many without lie before none: it would be looked for up to the end from each command anew."""
_SPACE = "\ue000"
"""Stands for a space at which no line may end: nobody's text has it, it is nobody's letter."""


def pasted(path: object | None) -> str:
    """One word of a command, in quotes where a shell would read it as several."""
    return FILE if path is None else shlex.quote(str(path))


def lines_of(words: str, width: int, **options: Any) -> list[str]:
    """As `textwrap.wrap` has them, but no line ends within a command with a word in quotes: pasted, it would be another."""
    held = _COMMAND.sub(lambda command: command[0].replace(" ", _SPACE), words)
    return [line.replace(_SPACE, " ") for line in textwrap.wrap(held, width, **options)]
