"""Two ways to the same figures, set side by side: every leaf of the report must be known to the second way, and equal."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

TOLERANCE = 1e-9


@dataclass(frozen=True)
class Near:
    """A figure that is drawn at random in both ways, such as the end of a bootstrap's interval: equal within `within`."""

    value: float | None
    within: float


@dataclass(frozen=True)
class Holds:
    """Words, and what else is no number: not written a second time, but checked by what they must say."""

    check: Callable[[Any], bool]
    about: str


ANY_TEXT = Holds(lambda value: isinstance(value, str) and bool(value.strip()), "some words")


def differences(found: Any, expected: Any, place: str = "") -> Iterator[str]:
    """Where the report says something else, or something that there is no second way to."""
    if isinstance(expected, Holds):
        if not expected.check(found):
            yield f"{place}: {found!r} is not {expected.about}"
    elif isinstance(expected, Near):
        if (found is None) != (expected.value is None) or (
            found is not None and abs(found - (expected.value or 0.0)) > expected.within
        ):
            yield f"{place}: {found!r}, the second way {expected.value!r} (within {expected.within:g})"
    elif isinstance(expected, Mapping):
        yield from _keys(found, expected, place)
    elif isinstance(expected, Sequence) and not isinstance(expected, str):
        if not isinstance(found, Sequence) or isinstance(found, str) or len(found) != len(expected):
            count = len(found) if isinstance(found, Sequence) else found
            yield f"{place}: {count!r} entries, the second way {len(expected)}"
        else:
            for number, (one, other) in enumerate(zip(found, expected, strict=True)):
                yield from differences(one, other, f"{place}[{number}]")
    elif not _equal(found, expected):
        yield f"{place}: {found!r}, the second way {expected!r}"


def _keys(found: Any, expected: Mapping[str, Any], place: str) -> Iterator[str]:
    if not isinstance(found, Mapping):
        yield f"{place}: {found!r}, the second way has keys {sorted(expected)}"
        return
    for key in [*found, *(key for key in expected if key not in found)]:
        where = f"{place}.{key}" if place else str(key)
        if key not in expected:
            yield f"{where}: there is no second way to it"
        elif key not in found:
            yield f"{where}: not in the report, the second way {expected[key]!r}"
        else:
            yield from differences(found[key], expected[key], where)


def _equal(found: Any, expected: Any) -> bool:
    numbers = [isinstance(value, int | float) and not isinstance(value, bool) for value in (found, expected)]
    if all(numbers):
        return math.isclose(found, expected, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    return bool(found == expected)
