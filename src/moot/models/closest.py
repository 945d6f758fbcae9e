"""A hint for a name that is nearly right. It stands beside the models because everything that looks up names may use it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from itertools import islice

MOST_COMPARED = 1_000
"""Names: somebody else's table may have tens of thousands of columns."""


CUTOFF = 0.7


def closest(name: object, known: Iterable[str]) -> str:
    """What to add to a complaint about an unknown name: ``; did you mean 'players'?``, or nothing."""
    near = closest_name(name, known)
    return f"; did you mean {near!r}?" if near is not None else ""


def closest_name(name: object, known: Iterable[str], cutoff: float = CUTOFF) -> str | None:
    """The name itself, for whoever has to spell it in another way."""
    if isinstance(name, Mapping | list | tuple):  # no name, and as long as it likes
        return None
    asked, names = str(name)[:100], list(islice(known, MOST_COMPARED))
    if same := [each for each in names if each.casefold() == asked.casefold()]:  # nearer than any other letter
        return same[0]
    near = difflib.get_close_matches(asked, names, n=1, cutoff=cutoff)
    return near[0] if near else None
