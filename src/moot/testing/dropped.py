"""Figures that leave out what is ungraded, and do not say so.

The same rows are taken three times: with some answers ungraded, and with these all wrong or all right. A number that
differs between the last two hangs on what is ungraded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

CLOSE = 1e-9


def dropped(as_ungraded: Any, as_wrong: Any, as_right: Any) -> Iterator[str]:
    """What is wrong with a row, in words."""
    if isinstance(as_ungraded, Mapping) and isinstance(as_wrong, Mapping) and isinstance(as_right, Mapping):
        yield from _in_row(as_ungraded, as_wrong, as_right)
    elif isinstance(as_ungraded, list) and isinstance(as_wrong, list) and isinstance(as_right, list):
        yield from _in_list(as_ungraded, as_wrong, as_right)
    elif _hangs_on_it(as_ungraded, as_wrong, as_right):
        yield _words("a number", as_wrong, as_right)


def _in_row(as_ungraded: Mapping[str, Any], as_wrong: Mapping[str, Any], as_right: Mapping[str, Any]) -> Iterator[str]:
    if _tells(as_ungraded):
        yield from _out_of_bounds(as_ungraded, as_wrong, as_right)
        return
    for key, value in as_ungraded.items():
        wrong, right = as_wrong.get(key), as_right.get(key)
        if _hangs_on_it(value, wrong, right):
            yield _words(key, wrong, right)
        elif isinstance(value, Mapping | list):
            yield from dropped(value, wrong, right)


def _in_list(as_ungraded: list[Any], as_wrong: list[Any], as_right: list[Any]) -> Iterator[str]:
    if len(as_ungraded) == len(as_wrong) == len(as_right):
        for rows in zip(as_ungraded, as_wrong, as_right, strict=True):
            yield from dropped(*rows)
        return
    for row in as_ungraded:  # which row is which is not known: one that stands in all hangs on nothing
        if not (row in as_wrong and row in as_right) and not (isinstance(row, Mapping) and _tells(row)):
            yield "there are other rows once all is graded, and this one has neither bounds nor why"


def _tells(row: Mapping[str, Any]) -> bool:
    """Whether it has bounds, or says why something is not known."""
    return bool(row.get("why")) or any("bounds" in key and value for key, value in row.items())


def _out_of_bounds(
    as_ungraded: Mapping[str, Any], as_wrong: Mapping[str, Any], as_right: Mapping[str, Any]
) -> Iterator[str]:
    bounds = as_ungraded.get("bounds")
    if not isinstance(bounds, Mapping) or bounds.get("low") is None or bounds.get("high") is None:
        return
    low, high = bounds["low"] - CLOSE, bounds["high"] + CLOSE
    both = {key: (as_wrong[key], as_right[key]) for key in as_ungraded if key in as_wrong and key in as_right}
    numbers = {key: ends for key, ends in both.items() if all(map(_is_number, ends))}
    usual = [ends for key, ends in numbers.items() if key in ("value", "accuracy", "difference")]
    ends = usual or [ends for ends in numbers.values() if _hangs_on_it(0, *ends)]
    # Which of its numbers they are the bounds of is the row's own business.
    if ends and not any(low <= wrong <= high and low <= right <= high for wrong, right in ends):
        wrong, right = ends[0]
        yield f"its bounds are {bounds['low']} to {bounds['high']}, and it may be {wrong} or {right} once all is graded"


def _hangs_on_it(value: Any, wrong: Any, right: Any) -> bool:
    return _is_number(value) and _is_number(wrong) and _is_number(right) and abs(wrong - right) > CLOSE


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _words(key: str, wrong: Any, right: Any) -> str:
    between = f"{wrong} where what is ungraded is wrong, {right} where it is right"
    return f"{key} leaves out what is ungraded ({between}), and nothing tells so: expected bounds, or null with why"
