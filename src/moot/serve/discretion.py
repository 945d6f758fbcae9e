"""What is told to clients of what went wrong behind the team: that it did, and not where.

The words of an endpoint, and of the line to it, name addresses of the server's own network; those of a library, or of the
machine, name files of the server and lines of its code. Clients get them without; the server's log has the addresses
(`log_words`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from moot.errors import CallError

HIDDEN = "(address)"
PATH = "(path)"
TRACE = "(where it broke)"

_TRACE = re.compile(r"\(most recent call last\).*|^[ \t|]*File \"[^\"\n]*\", line \d.*", re.DOTALL | re.MULTILINE)
"""Python's own account of where it broke, to its end: in one line nobody can tell where that is."""

_PATH = re.compile(
    r"""(?<=['"])(?:[a-z]:[\\/]|\\\\|~?/|\.{1,2}/)[^'"\n]+(?=['"])  # in quotes it may have spaces
    | (?<![\w:/.~\\])(?:~|\.{1,2})?(?:/[^\s/'"<>|,;:()]+){2,}/?(?::\d+)*  # two names at least: "and/or" is none
    | (?<![\w\\])[a-z]:[\\/](?:[^\s\\/'"<>|,;:()]+[\\/]?)+(?::\d+)*
    """,
    re.IGNORECASE | re.VERBOSE,
)

_ADDRESS = re.compile(
    r"""(?<![a-z0-9+.-])[a-z0-9+.-]++://[^\s'"<>)\],;]+(?<![:.])  # a URL, without what ends the words before it
    | \(\s*['"][^'"]{1,255}['"]\s*,\s*\d{1,5}(?:\s*,\s*\d+)*\s*\)  # as Python shows an address
    | \[[0-9a-f.%]*+:[0-9a-f:.%]*+\](?::\d{1,5})?  # IPv6, in brackets and without
    | (?<![\w:.])(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?![\w:])
    | (?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?
    | (?<![\w.-])(?:[a-z0-9_-]{1,63}\.)+[a-z][a-z0-9-]+(?::\d{1,5})?  # a name with dots
    | (?<![\w.-])[a-z][a-z0-9_-]{0,62}:\d{2,5}(?![\w.])  # a name and a port
    | (?<![\w.-])localhost(?![\w.-])
    """,
    re.IGNORECASE | re.VERBOSE,
)

_ABOUT_TROUBLE = ("cause", "error", "detail")


THEIRS = "the model's server"


def _every_name(error: type[CallError]) -> Iterator[str]:
    yield error.__name__
    for narrower in error.__subclasses__():
        yield from _every_name(narrower)


_ERROR = re.compile(
    rf"\b(?:{'|'.join(sorted(set(_every_name(CallError))))}): (?P<before>no whole reply from )?(?P<where>\(address\))?"
)
"""A call's error as it is written down: the name of its class, and whose trouble it is."""


def public_words(text: str) -> str:
    """The words without addresses, files and lines of code, and without the names that errors have in it."""
    text = _PATH.sub(PATH, _TRACE.sub(TRACE, text))
    return _ERROR.sub(_in_words, _ADDRESS.sub(HIDDEN, text))


def _in_words(error: re.Match[str]) -> str:
    return f"{error['before'] or ''}{THEIRS if error['where'] else ''}"


def public_record(value: Any, key: str = "") -> Any:
    """A record for a client: what stands under `cause` and the like is without addresses; all else is as it was."""
    if isinstance(value, Mapping):
        return {name: public_record(part, str(name)) for name, part in value.items()}
    if key == "answers" and isinstance(value, list | tuple):  # stored without names: the last of each is its cause
        return [_public_answer(answer) for answer in value]
    if isinstance(value, list | tuple):
        return [public_record(part, key) for part in value]
    return public_words(value) if key in _ABOUT_TROUBLE and isinstance(value, str) else value


def _public_answer(answer: Any) -> Any:
    if isinstance(answer, list | tuple) and len(answer) == 5 and isinstance(answer[4], str):
        return [*answer[:4], public_words(answer[4])]
    return public_record(answer) if isinstance(answer, Mapping) else answer
