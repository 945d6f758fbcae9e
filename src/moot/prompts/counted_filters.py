"""Filters of templates that are ours in place of Jinja's: what comes of them, or what it takes, has an end."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

from jinja2 import Undefined
from jinja2.exceptions import SecurityError
from jinja2.filters import FILTERS as USUAL_FILTERS
from jinja2.utils import htmlsafe_json_dumps

from moot.prompts.bounds import (
    AN_ITEM,
    LINES_A_STEP,
    LONGEST_IN_JSON,
    LONGEST_NUMERAL,
    LONGEST_PLACE,
    LONGEST_SEPARATOR,
    MOST_INDENT,
    MOST_PLACES,
    counted,
    short_enough,
    spend,
    weight,
)
from moot.prompts.foreign_text import joined, lines_of, most_lines

_PLACE = re.compile(r"%(?:%|[+\-# 0]{0,3}[0-9]{0,2}(?:\.[0-9]{0,2})?[diouxXeEfFgGcs])")
"""Where a text is formatted: how wide what stands there is, with as many places, and what kind it is of."""


def _format(pattern: Any, *values: Any) -> str:
    """``"%.1f" | format(x)``: a width or precision has two digits at most."""
    text = str(pattern)
    if "%" in _PLACE.sub("", text):
        raise SecurityError(f"formats with {text[:40]!r}; expected a width of two digits at most")
    weights = (weight(value) * (1 if isinstance(value, str) else LONGEST_IN_JSON) for value in values)
    short_enough(len(text) + LONGEST_PLACE * text.count("%") + sum(weights))
    return text % values


def _join(values: Any, between: Any = "", attribute: Any = None) -> str:
    if attribute is not None:
        raise SecurityError("joins by an attribute; expected map before join")
    several = flat(counted(values))
    short_enough(weight(several) + len(several) * len(str(between)))
    texts = [str(value) for value in several]
    return str(between).join(texts)


def _replace(text: Any, old: Any, new: Any, count: Any = None) -> str:
    whole, before, after = str(text), str(old), str(new)
    found = whole.count(before)
    times = found if count is None or int(count) < 0 else min(int(count), found)  # as Python: below nothing is all
    short_enough(len(whole) + max(0, len(after) - len(before)) * times)
    return whole.replace(before, after, times)


def _indent(text: Any, width: Any = 4, first: Any = False, blank: Any = False) -> str:
    whole = str(text)
    if not isinstance(width, str):
        _check_indent(width)
    pad = width if isinstance(width, str) else " " * int(width)
    lines = most_lines(whole)
    spend(lines // LINES_A_STEP)
    short_enough(len(whole) + lines * len(pad))
    padded = (pad + line if place and (line or blank) else line for place, line in enumerate(lines_of(whole)))
    return (pad if first else "") + joined(padded, "\n")


def _check_indent(width: Any) -> None:
    if int(width) > MOST_INDENT:
        raise SecurityError(f"indents by more than {MOST_INDENT}")


def _tojson(value: Any, indent: Any = None) -> str:
    """As Jinja's. What is written so may be written so again, and be longer each time."""
    if indent is not None:
        indent = max(0, int(indent))  # a text would stand before every value
        _check_indent(indent)
    weighs = weight(value)
    lines = 2 * weighs // AN_ITEM  # a list begins one and ends on another
    short_enough(weighs + lines * _depth(value) * (indent or 0))
    made = str(htmlsafe_json_dumps(value, sort_keys=True, indent=indent))
    short_enough(len(made) - weighs)  # one character may be twelve
    return made


def _depth(value: Any) -> int:
    """How many lists stand within each other."""
    if isinstance(value, dict):
        value = list(value.values())
    return 1 + max(map(_depth, value), default=0) if isinstance(value, list | tuple) else 0


def flat(values: Any) -> Any:
    for value in values:
        if isinstance(value, list | tuple | dict | Undefined):
            raise SecurityError("shows a list of lists; expected a loop over it")
    return values


def _trim(value: Any, chars: Any = None) -> str:
    check_separator(chars)
    return str(value).strip(chars)


def check_separator(text: Any) -> None:
    if isinstance(text, str) and len(text) > LONGEST_SEPARATOR:
        raise SecurityError(f"strips or splits by more than {LONGEST_SEPARATOR} characters")


def _int(value: Any, default: Any = 0, base: Any = 10) -> Any:
    """As Jinja's, but a text of more than some digits is no number."""
    if isinstance(value, str) and len(value) > LONGEST_NUMERAL:
        return default
    return USUAL_FILTERS["int"](value, default, base)


def _float(value: Any, default: Any = 0.0) -> Any:
    if isinstance(value, str) and len(value) > LONGEST_NUMERAL:
        return default
    return USUAL_FILTERS["float"](value, default)


def _round(value: Any, precision: Any = 0, method: Any = "common") -> Any:
    _check_number(value)
    if not isinstance(precision, int) or abs(precision) > MOST_PLACES:
        raise SecurityError(f"rounds to {precision!r:.20} places; expected at most {MOST_PLACES}")
    return USUAL_FILTERS["round"](value, precision, method)


def _escape(value: Any) -> str:
    """As a plain text: one that is marked as safe would escape whatever is joined to it, where nobody counts."""
    return str(USUAL_FILTERS["escape"](value))


def of_a_number(test: Callable[..., Any]) -> Callable[..., Any]:
    """`"%99999d" is even` would be formatted."""

    @functools.wraps(test)
    def asked(value: Any, *given: Any) -> Any:
        _check_number(value)
        return test(value, *given)

    return asked


def _check_number(value: Any) -> None:
    if isinstance(value, str | list | tuple):
        raise SecurityError(f"counts with {str(value)[:20]!r}; expected a number")


OURS: dict[str, Callable[..., Any]] = {
    "format": _format,
    "join": _join,
    "replace": _replace,
    "indent": _indent,
    "int": _int,
    "float": _float,
    "round": _round,
    "tojson": _tojson,
    "trim": _trim,
    "e": _escape,
    "escape": _escape,
}
