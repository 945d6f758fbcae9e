"""Whether a pattern of a JSON Schema means one thing to everybody: to Python, and to ECMA-262 with the flag u, which JSON Schema
names and by which editors, browsers and most validators read it."""

from __future__ import annotations

import re
from collections.abc import Iterator

_ALIKE = re.compile(r"\\(?:[sS]|[fnrtv]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[\^$\\.*+?()\[\]{}|/])")
"""Escapes that both know and take for the same."""
_ASCII_THERE = re.compile(r"\\[wWdDbB]")
_GROUP = re.compile(r"\((?:\?(?::|=|!|<=|<!))?(?!\?)")
_QUANTIFIER = re.compile(r"(?:[*+?]|\{[0-9]+(?:,[0-9]*)?\})\??")


def patterns_of(schema: object) -> Iterator[str]:
    if isinstance(schema, dict):
        if isinstance(own := schema.get("pattern"), str):
            yield own
        if isinstance(keys := schema.get("patternProperties"), dict):
            yield from keys
    inside = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ()
    for each in inside:
        yield from patterns_of(each)


def unlike(pattern: str) -> str | None:
    """What one of the two does not read, or reads as something else; None: nothing."""
    place, in_class, may_repeat = 0, False, False
    while place < len(pattern):
        rest = pattern[place:]
        if rest[0] == "\\":
            if (found := _ASCII_THERE.match(rest)) is not None:
                return f"{found[0]} is of ASCII alone in one, of all letters in the other"
            found = re.compile(r"\\-").match(rest) if in_class else None
            found = found or _ALIKE.match(rest)
            if found is None:
                return f"{rest[:2]} is no escape of both"
            may_repeat = True
        elif in_class:
            found = re.compile(r"[^\[&~|]|[&~|](?![&~|])").match(rest)  # a set within a set, in newer forms of both
            if found is None:
                return f"{rest[:2]} within a class"
            in_class = found[0] != "]"
            may_repeat = True
        elif rest[0] == "[":
            found = re.compile(r"\[\^?(?!\])").match(rest)  # an empty class to one, a bracket to the other
            if found is None:
                return "a class that begins with ]"
            in_class = True
        elif rest[0] == "(":
            found = _GROUP.match(rest)
            if found is None:
                return f"{rest[:4]} is no group of both"
            may_repeat = False
        elif (found := _QUANTIFIER.match(rest)) is not None:
            if not may_repeat:
                return f"{found[0]} repeats nothing, or what repeats already"
            may_repeat = False
        elif rest[0] in "]{}":
            return f"{rest[0]} stands alone"
        else:
            found = re.compile(r".", re.DOTALL).match(rest)
            may_repeat = rest[0] not in "^|$"
        assert found is not None
        place += found.end()
    return "a class without an end" if in_class else None
