"""Choosing from a list by its numbers, in a few keystrokes: the same at a terminal and from a pipe."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence

from moot.cli.safe_text import say
from moot.errors import UsageError

_RANGE = re.compile(r"([0-9]{1,6})\s*(?:-\s*([0-9]{1,6}))?")


def typed(prompt: str) -> str:
    """A line, as it was typed. The end of the input is no answer: nobody said yes."""
    say(f"{prompt} ", end="", file=sys.stdout)
    try:
        line = sys.stdin.readline() if sys.stdin is not None else ""
    except (OSError, UnicodeDecodeError):
        line = ""
    if sys.stdin is None or not sys.stdin.isatty():
        say()
    if not line:
        raise UsageError("the input ended before all was chosen, and nothing is written; --yes takes what is proposed")
    return line.strip()


def several(prompt: str, count: int, proposed: Sequence[int]) -> list[int]:
    """Positions from 0: `1,3-5`, `all`, `none`, or enter for those that are proposed."""
    while True:
        line = typed(f"{prompt} [{in_numbers(proposed) or 'none'}]")
        if not line:
            return list(proposed)
        chosen = numbers(line, count)
        if chosen is not None:
            return chosen
        say(f"expected numbers from 1 to {count} with commas between, such as 1-{count}; or all, or none")


def one(prompt: str, count: int, proposed: int | None = None) -> int:
    """A position from 0. Mostly there is nothing to be proposed: whoever is asked knows, and we do not."""
    while True:
        line = typed(f"{prompt} [{f'1-{count}' if proposed is None else proposed + 1}]")
        if not line and proposed is not None:
            return proposed
        chosen = numbers(line, count)
        if chosen is not None and len(chosen) == 1:
            return chosen[0]
        say(f"expected one number from 1 to {count}")


def agreed(prompt: str) -> bool:
    """No, unless it is said."""
    return typed(f"{prompt} [y/N]").casefold() in ("y", "yes")


def numbers(line: str, count: int) -> list[int] | None:
    """The positions that a line names, each once and in order; None where it does not make sense."""
    word = line.strip().casefold()
    if word in ("all", "none"):
        return list(range(count)) if word == "all" else []
    chosen: set[int] = set()
    for part in re.split(r"[,;\s]+", re.sub(r"\s*-\s*", "-", word).strip(",; ")):
        found = _RANGE.fullmatch(part)
        if found is None:
            return None
        first, last = int(found[1]), int(found[2] or found[1])
        if not 1 <= first <= last <= count:
            return None
        chosen.update(range(first - 1, last))
    return sorted(chosen)


def in_numbers(positions: Sequence[int]) -> str:
    """1-3,5 of 0, 1, 2, 4."""
    parts: list[list[int]] = []
    for number in (position + 1 for position in sorted(positions)):
        if parts and parts[-1][-1] == number - 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ",".join(str(part[0]) if len(part) == 1 else f"{part[0]}-{part[-1]}" for part in parts)
