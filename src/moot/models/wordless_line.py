"""The line that is told instead of what a library says: what it is, and where.

A library chooses also what stands around its words: how its loggers and classes are called, and which file it says that it
warns of. So none of that makes a second line, a colour, or a long one.
"""

from __future__ import annotations

UNTOLD = "its words are not told, since they may repeat what a model was asked or has said"
LONGEST_NAME = 300


def folded(name: object) -> str:
    """On one line, without what a terminal would obey."""
    begins = str(name)[: 4 * LONGEST_NAME]
    plain = " ".join("".join(letter if letter.isprintable() else " " for letter in begins).split())
    return plain if len(plain) <= LONGEST_NAME else f"{plain[:LONGEST_NAME]}…"


def wordless_line(what: object, place: tuple[object, object] | None, *more: str) -> str:
    """`place`: a file, and the number of a line."""
    where = "" if place is None else f" at {folded(place[0])}:{folded(place[1])}"
    return ", ".join((f"{folded(what)}{where}", *more, UNTOLD))
