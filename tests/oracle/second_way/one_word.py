"""Words, p and interval say one thing: a p is at most 5 % exactly where the interval beside it leaves out what is tested."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

LEVEL = 0.05


def two_words(figures: Any, where: str = "") -> Iterator[str]:
    """Where p and interval of a row disagree, by itself or adjusted; what is tested is the row's threshold, or zero."""
    if isinstance(figures, list):
        for number, row in enumerate(figures):
            yield from two_words(row, f"{where}[{number}]")
    if not isinstance(figures, dict):
        return
    for key, value in figures.items():
        yield from two_words(value, f"{where}.{key}")
        if not (key == "p" or key.endswith(("_p", "p_holm"))) or not isinstance(value, int | float):
            continue
        before = key.removesuffix("_holm").removesuffix("p")
        end = "_holm" if key.endswith("p_holm") else ""
        if not before and "difference_low" in figures:  # low and high are those of another figure there
            before = "difference_"
        low, high = figures.get(f"{before}low{end}"), figures.get(f"{before}high{end}")
        tested = figures.get("threshold") or 0.0
        if low is not None and high is not None and (value <= LEVEL) != (low > tested or high < tested):
            yield f"{where}: {key} {value}, {low} to {high}"
