"""Choosing from a list by its numbers, in a few keystrokes: the same at a terminal and from a pipe."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence

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
        raise UsageError(
            "the input ended before everything was chosen, so nothing was written; --yes accepts the proposals"
        )
    return line.strip()


def several(
    prompt: str,
    offered: Sequence[int],
    proposed: Sequence[int],
    names: Sequence[str] = (),
    whole: Callable[[], None] | None = None,
) -> list[int]:
    """Some of the positions, from 0, that are offered: `1,3-5`, `all`, `none`, or enter for those that are proposed.
    `names`: what every position is called, where that may be typed too. `whole`: shows all of them, where `list` is typed."""
    while True:
        line = typed(f"{prompt} [{in_numbers(proposed) or 'none'}]")
        if not line:
            return list(proposed)
        if whole is not None and line.casefold() == "list":
            whole()
            continue
        chosen = numbers_or_names(line, offered, names)
        if chosen is not None:
            return chosen
        or_names = " or names" if names else ""
        say(f"expected numbers of {in_numbers(offered)}{or_names} separated by commas, such as 1,3-5; or all, or none")


def one(prompt: str, ways: Sequence[Sequence[int]], proposed: int | None = None, names: Sequence[str] = ()) -> int:
    """Which of the ways, each named by its positions, from 0; no position at all is `none`. `names`: as in `several`.

    Mostly there is nothing to be proposed: whoever is asked knows, and we do not. Then enter is no answer.
    """
    offered = sorted({place for way in ways for place in way})
    expected = f"one of {', '.join(map(name_of, ways))}" if any(len(way) != 1 for way in ways) else in_numbers(offered)
    what = "number or name" if names else "number"
    while True:
        wanted = f"Type a {what} ({expected})" if proposed is None else f"Enter accepts [{name_of(ways[proposed])}]"
        line = typed(f"{prompt} {wanted}")
        if not line and proposed is not None:
            return proposed
        chosen = numbers_or_names(line, offered, names)
        found = [place for place, way in enumerate(ways) if chosen == sorted(way)]
        if found:
            return found[0]
        say(f"expected one {what}: {expected}" if all(len(way) == 1 for way in ways) else f"expected {expected}")


def name_of(way: Sequence[int]) -> str:
    """What is typed for it: 3, or 3-6 where it is several, or none."""
    return in_numbers(way) or "none"


def agreed(prompt: str) -> bool:
    """No, unless it is said."""
    return typed(f"{prompt} [y/N]").casefold() in ("y", "yes")


def taken(prompt: str) -> bool:
    """Yes, unless it is denied."""
    while (line := typed(f"{prompt} [Y/n]").casefold()) not in ("", "y", "yes", "n", "no"):
        say("expected y or n")
    return not line.startswith("n")


def numbers(line: str, offered: Sequence[int]) -> list[int] | None:
    """The positions, from 0, that a line names, each once and in order; None where it does not make sense.

    A range may go over what is not offered: 2-5 is what is offered of them.
    """
    word = line.strip().casefold()
    if word in ("all", "none"):
        return sorted(offered) if word == "all" else []
    chosen: set[int] = set()
    for part in re.split(r"[,;\s]+", re.sub(r"(?<!\s)\s*+-\s*", "-", word).strip(",; ")):
        found = _RANGE.fullmatch(part)
        if found is None:
            return None
        first, last = int(found[1]) - 1, int(found[2] or found[1]) - 1
        if first > last or not {first, last} <= set(offered):
            return None
        chosen.update(place for place in offered if first <= place <= last)
    return sorted(chosen)


def numbers_or_names(line: str, offered: Sequence[int], names: Sequence[str]) -> list[int] | None:
    """The same where positions have names too, which may hold commas and spaces. A number is always a position."""
    if (chosen := numbers(line, offered)) is not None or not names:
        return chosen
    by_name = {names[place].casefold(): place for place in reversed(offered)}
    by_name |= {names[place]: place for place in offered}

    def called(words: str) -> int | None:
        return by_name.get(words, by_name.get(words.casefold()))

    if (whole := called(line.strip())) is not None:
        return [whole]
    found: set[int] = set()
    for part in filter(None, map(str.strip, re.split("[,;]", line))):
        place = called(part)
        places = numbers(part, offered) if place is None else [place]
        if places is None:
            return None
        found.update(places)
    return sorted(found) or None


def in_numbers(positions: Sequence[int]) -> str:
    """1-3,5 of 0, 1, 2, 4."""
    parts: list[list[int]] = []
    for number in (position + 1 for position in sorted(positions)):
        if parts and parts[-1][-1] == number - 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ",".join(str(part[0]) if len(part) == 1 else f"{part[0]}-{part[-1]}" for part in parts)
