"""Words of models, files and servers on their way to a terminal, which obeys some characters instead of showing them.

An escape sequence can clear the screen, rename the window or write over the line above; a mark of direction turns the
rest of a row around, and with it what somebody else said. So such characters are shown, and never sent.
"""

from __future__ import annotations

import json
import logging
import os
import re
import sys
from contextlib import suppress
from typing import Any, TextIO

from moot.pasted import lines_of

_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""All control characters but the tab and the end of a line, and the marks that turn text around."""


def tamed(text: str) -> str:
    """The same number of characters, of which none is obeyed: ␛ for an escape, � for what has no picture."""
    return _OBEYED.sub(_picture, text)


def _picture(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else "�"


def say(words: object = "", *, file: TextIO | None = None, end: str = "\n", hanging: int | None = None) -> None:
    """`print`, for commands: whatever stands in the words, the terminal obeys none of it, and breaks no word in two.

    `hanging`: how far lines are set in that go on; left out, a little further than the first.
    """
    text = fitted(tamed(str(words)), sys.stdout if file is None else file, hanging)
    print(text, file=file, end=end, flush=file is not None)


def say_as_it_is(words: str) -> None:
    """What is to be copied or piped on: with its own breaks of lines and no others."""
    print(tamed(words))


def fitted(text: str, file: TextIO | None, hanging: int | None = None) -> str:
    """With lines no wider than the terminal; as it is where there is none, since programs read by the line."""
    width = _width(file)
    return "\n".join(_wrapped(line, width, hanging) for line in text.split("\n")) if width else text


def _wrapped(line: str, width: int, hanging: int | None) -> str:
    if len(line) <= width:
        return line
    set_in = len(line) - len(line.lstrip()) + 2 if hanging is None else hanging
    return "\n".join(
        lines_of(
            line,
            width,
            subsequent_indent=" " * min(set_in, width // 2),
            break_long_words=False,
            break_on_hyphens=False,
            drop_whitespace=True,
            replace_whitespace=False,
            expand_tabs=False,
        )
    )


def _width(file: TextIO | None) -> int | None:
    """Of the terminal behind it; None where there is none."""
    with suppress(OSError, ValueError, AttributeError):
        if file is not None and file.isatty():
            columns = os.environ.get("COLUMNS", "")
            return int(columns) if columns.isdecimal() else os.get_terminal_size(file.fileno()).columns
    return None


class TamedLines(logging.Formatter):
    """What is logged may quote a server, and with nobody else to take it a log goes to the terminal."""

    def format(self, record: logging.LogRecord) -> str:
        return tamed(super().format(record))


def tame_log() -> None:
    if logging.lastResort is not None:
        logging.lastResort.setFormatter(TamedLines())


def json_text(value: Any, indent: int | None = None) -> str:
    """The value itself, whole: what a terminal would obey is written as JSON escapes it."""
    written = json.dumps(value, ensure_ascii=False, indent=indent)
    return re.sub(_OBEYED, lambda match: f"\\u{ord(match[0]):04x}", written)


def print_json(value: Any) -> None:
    print(json_text(value, indent=1))
