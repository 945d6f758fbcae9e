"""In which form lm-evaluation-harness compares a target: without what its task says to ignore.

The expressions are somebody else's, and Python's engine may take for ever for some. So only those are followed whose time is at
most the square of a text's length times their own, where both together are small, and for a few seconds in all.
"""

from __future__ import annotations

import re
import string
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from moot.data.logs.fields import items, mapping

_FOLLOWED = re.compile(
    r"(?:\(\?[ims]+\))?\^?"
    r"(?:(?:\\[^A-Za-z0-9]|\\[DSWdnstw]|\[\^?(?:\\[^A-Za-z0-9]|\\[DSWdnstw]|[^\[\]\\])++\]|[^\\()\[\]{}|*+?^$])[*+?]?+)*+\$?"
)
"""Signs in a row, one perhaps repeated or left out: no groups, no alternatives, nothing that looks back."""
_REPEATED = re.compile(r"\\.|\[[^\[\]]*+\]|(?<!\()([*+?])", re.DOTALL)
MOST_PATTERNS = 20
LONGEST_PATTERN = 200
LONGEST_TARGET = 5_000
"""Characters: a longer target is left as it is."""
MOST_WORK = 3e8
"""Steps of one expression on one target at most, some half a second: from each place of the text what is repeated may reach its
end, and from each place that it gives back all that follows it may be tried. A longer target is left as it is."""
LONGEST_S = 3.0
"""For all targets of a task."""


@dataclass(slots=True)
class ComparedForm:
    """What exact_match of a task compares of a target."""

    patterns: Sequence[re.Pattern[str]] = ()
    no_numbers: bool = False
    unused: str = ""
    """The first expression that is not followed."""
    too_long: int = 0
    """Targets that were left as they are for their length."""
    _until: float | None = field(default=None, repr=False)

    def of(self, target: str) -> str | None:
        """None: the target itself, or it cannot be told."""
        if self.unused or not (self.patterns or self.no_numbers):
            return None
        if len(target) > LONGEST_TARGET or any(_work(pattern, target) > MOST_WORK for pattern in self.patterns):
            self.too_long += 1
            return None
        self._until = time.monotonic() + LONGEST_S if self._until is None else self._until
        found = target
        for pattern in self.patterns:
            if time.monotonic() > self._until:
                self.unused = "an expression that takes too long"
                return None
            found = pattern.sub("", found)
        if self.no_numbers:
            found = found.translate(str.maketrans("", "", string.digits))
        found = found.strip()
        return found if found and found != target.strip() else None


def compared_form(configs: Sequence[Mapping[str, Any]], metric: str | None) -> ComparedForm:
    """By the first of these configurations of a task that says of the metric what it ignores."""
    for config in configs:
        for each in map(mapping, items(config.get("metric_list"))):
            if each.get("metric") == metric and ("regexes_to_ignore" in each or each.get("ignore_numbers")):
                return _form([str(one) for one in items(each.get("regexes_to_ignore"))], each.get("ignore_numbers"))
    return ComparedForm()


def _form(expressions: Sequence[str], ignore_numbers: Any) -> ComparedForm:
    patterns = [_pattern(each) for each in expressions[: MOST_PATTERNS + 1]]
    if len(patterns) > MOST_PATTERNS:
        return ComparedForm(unused=f"one of more than {MOST_PATTERNS} expressions")
    odd = next((each for each, pattern in zip(expressions, patterns, strict=True) if pattern is None), "")
    return ComparedForm([each for each in patterns if each is not None], ignore_numbers is True, odd)


def _pattern(expression: str) -> re.Pattern[str] | None:
    if len(expression) > LONGEST_PATTERN or not _FOLLOWED.fullmatch(expression):
        return None
    if _repetitions(expression) > 1:
        return None
    try:
        return re.compile(expression)
    except (re.error, OverflowError):
        return None


def _repetitions(expression: str) -> int:
    return sum(found[1] is not None for found in _REPEATED.finditer(expression))


def _work(pattern: re.Pattern[str], text: str) -> float:
    """How many steps it may take at most: each of its characters may be tried so often."""
    places = len(text) + 1
    return len(pattern.pattern) * places * (places if _repetitions(pattern.pattern) else 1.0)
