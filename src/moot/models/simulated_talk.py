"""How a simulated model takes part in a discussion: it reads the solutions shown, and agrees and votes by its own answer.

The answer itself comes about as a captain's does (see `simulated`). From it follow the rest of the fields: it agrees with
the latest solution if that is its own answer, and on a ballot all its weight is there; on a list without its answer, it
takes what a draw says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from moot.models.reading import Shown
from moot.models.world import plain
from moot.types import Message

_SOLUTION = re.compile(r"<solution(?: n=[^>\n]*)?>\n(.*?)\n</solution>", re.DOTALL)
_CONVICTION = re.compile(r"conviction (-?\d+(?:\.\d+)?)")
_BALLOTS = ("choice", "ranking", "points", "approved")


def read_solutions(messages: Sequence[Message]) -> list[Shown]:
    """The solutions in the last message that shows any, each with the conviction of the words before it."""
    for message in reversed(messages):
        if message.role == "user" and "<solution" in message.content:
            shown, start = [], 0
            for found in _SOLUTION.finditer(message.content):
                heard = _CONVICTION.findall(message.content, start, found.start())
                shown.append(Shown(found.group(1).strip(), float(heard[-1]) if heard else None))
                start = found.end()
            return shown
    return []


def decided(
    made: Mapping[str, Any],
    schema: Mapping[str, Any],
    shown: Sequence[Shown],
    answer: str,
    draw: Callable[[str], float],
) -> dict[str, Any]:
    """The reply with its agreement and its ballot brought into line with the answer."""
    said = dict(made)
    if not shown or not isinstance(properties := schema.get("properties"), Mapping):
        return said
    if "agree" in properties:
        said["agree"] = plain(shown[-1].text) == plain(answer)
    if field := next((each for each in _BALLOTS if each in properties), None):
        own = [place for place, each in enumerate(shown) if plain(each.text) == plain(answer)]
        best = own[0] if own else int(draw("ballot") * len(shown))
        said[field] = _ballot(field, properties[field], best, len(shown))
    return said


def _ballot(field: str, part: Mapping[str, Any], best: int, size: int) -> Any:
    if field == "choice":
        return best + 1
    if field == "approved":
        return [best + 1]
    if field == "points":
        most = part.get("items", {}).get("maximum", 1)
        return [most if place == best else 0 for place in range(size)]
    order = [best, *(place for place in range(size) if place != best)]
    return [place + 1 for place in order[: part.get("maxItems", size)]]
