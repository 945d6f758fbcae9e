"""A file with a rule may be a stranger's: what is made use of can be kept, shown and counted with, or the file is refused.

What stands in it goes into the store with every team that decides by it, and into the record of every question. So no text is
longer than a person would write there, none holds what no store can take, and no number is larger than a count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from moot.errors import UsageError
from moot.models.border import LONGEST_NAME, LONGEST_WORDS, unstorable
from moot.types import Estimate

WRITTEN = "expected what moot fit writes"
LARGEST = 2**53
"""Of any number; every whole one up to it is held exactly, wherever it is written."""
LARGEST_WEIGHT = 1_000.0
"""Of a player, or of none being right. Learning goes in so many steps of such a length that it ends far below."""
LONGEST_WHY = 500
DEEPEST = 8
MOST_VALUES = 200_000
"""Of all that is made use of: what is learnt of those who are asked one after another grows with the square of the team."""


def check_values(content: Mapping[str, Any], keys: Sequence[str]) -> None:
    """What stands under these keys: texts, numbers, truth values, and lists or keys and values of these, not too many."""
    open_values = [(key, content[key], DEEPEST) for key in keys if key in content]
    found = len(open_values)
    while open_values:
        place, value, deep = open_values.pop()
        if not isinstance(value, Mapping | list | tuple):
            _check_one(value, place)
            continue
        found += len(value)
        if not deep or found > MOST_VALUES:
            raise UsageError(f"{WRITTEN}: {place}: {'too many values' if deep else 'nested too deep'}")
        if isinstance(value, Mapping):
            open_values += [(f"{place}.{_checked_key(key, place)}", item, deep - 1) for key, item in value.items()]
        else:
            open_values += [(f"{place}.{number}", item, deep - 1) for number, item in enumerate(value)]


def _check_one(value: object, place: str) -> None:
    if value is None or isinstance(value, bool):
        return
    if isinstance(value, str):
        if problem := _problem(value, LONGEST_WORDS):
            raise UsageError(f"{WRITTEN}: {place}: the text {problem}")
    elif not isinstance(value, int | float):
        raise UsageError(f"{WRITTEN}: {place}: expected a value that JSON has, found {type(value).__name__}")
    elif not abs(value) <= LARGEST:  # nor is NaN
        raise UsageError(f"{WRITTEN}: {place}: expected a number of at most {LARGEST:,} either way")


def _checked_key(key: object, place: str) -> str:
    if not isinstance(key, str):
        raise UsageError(f"{WRITTEN}: {place}: expected names as keys, found {type(key).__name__}")
    if problem := _problem(key, LONGEST_NAME):
        raise UsageError(f"{WRITTEN}: {place}: a name {problem}")
    return key


def _problem(text: str, longest: int) -> str | None:
    too_long = f"has {len(text):,} characters; expected at most {longest:,}" if len(text) > longest else None
    return too_long or unstorable(text)


def checked_weight(value: object, place: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UsageError(f"{WRITTEN}: {place}: expected a number, found {value!r:.40}")
    if not abs(value) <= LARGEST_WEIGHT:
        raise UsageError(f"{WRITTEN}: {place}: expected a number of at most {LARGEST_WEIGHT:,.0f} either way")
    return float(value)


def checked_count(value: object, place: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= LARGEST:
        raise UsageError(f"{WRITTEN}: {place}: expected a count of questions, found {value!r:.40}")
    return value


def checked_figure(figure: Mapping[str, Any], place: str) -> Estimate | None:
    """None where a part of it is not known. What cannot be is refused: a false figure is worse than none."""
    n, ends = figure.get("n"), [figure.get(key) for key in ("value", "low", "high")]
    if n is None or None in ends:
        return None
    n = checked_count(n, f"{place}.n")
    if not all(isinstance(end, int | float) and not isinstance(end, bool) for end in ends):
        raise UsageError(f"{WRITTEN}: {place}: expected numbers")
    value, low, high = map(float, ends)  # type: ignore[arg-type]
    if not 0 <= low <= value <= high <= 1:
        raise UsageError(f"{WRITTEN}: {place}: expected 0 ≤ low ≤ value ≤ high ≤ 1, found {low:g}, {value:g}, {high:g}")
    return Estimate(value, low, high, n)
