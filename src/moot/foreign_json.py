"""JSON that somebody else wrote is read without losing a digit: a number in it may be an answer, a reference or an id.

The fast reader makes a float of a whole number past 64 bits, and the standard library makes infinity of 1e400, both
without a word; two who say the same would be told apart then, and one who is right be called wrong.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from math import isfinite
from typing import Any

import orjson

LONGEST_WHOLE = 4_000
"""Digits, which is less than Python turns into a number. A longer one stays a text."""

MOST_VALUES = 10_000_000
"""In one document, by the marks that stand between values. A few bytes become a hundred in memory where each is a value."""

_LONG = r"[0-9][0-9.]{15}|[0-9][eE]-[0-9]{3}"
"""What a number looks like that a float may not hold. In words it is rare enough to be read the slow way for nothing."""
_LONG_TEXT, _LONG_BYTES = re.compile(_LONG), re.compile(_LONG.encode())


def read_json(written: str | bytes, *, exact: bool = True, unheld: Callable[[str], Any] | None = None) -> Any:
    """The value. A number that neither an int nor a float holds as it is written is the text that was written; not `exact`: a
    decimal is the nearest float, for figures, of which nobody means the twentieth digit; and a number past all of them is what
    `unheld` makes of it.

    NaN and half surrogates are taken, so that whoever reads can say where they stand. `ValueError`: it is no JSON
    (`UnicodeDecodeError`: no UTF-8), nested too deep, or of more values than any file of ours has.
    """
    if len(written) > MOST_VALUES and _marks(written) > MOST_VALUES:
        raise ValueError(f"more than {MOST_VALUES:,} values")
    try:
        value = orjson.loads(written)
    except ValueError:
        pass  # the slow way takes a little more, and says what is wrong
    else:
        # An object of nothing but texts, as most replies of models, has no number to lose; else one is looked for.
        if type(value) is dict and all(type(item) is str for item in value.values()):
            return value
        if (_LONG_TEXT.search(written) if isinstance(written, str) else _LONG_BYTES.search(written)) is None:
            return value
    text = written if isinstance(written, str) else written.removeprefix(codecs.BOM_UTF8).decode()

    def whole(number: str) -> Any:
        return whole_number(number) if unheld is None or len(number) <= LONGEST_WHOLE else unheld(number)

    def figure(number: str) -> Any:
        value = float(number)
        return value if unheld is None or isfinite(value) else unheld(number)

    try:
        return json.loads(text, parse_int=whole, parse_float=decimal_number if exact else figure)
    except RecursionError:
        raise ValueError("nested too deep") from None


def _marks(written: str | bytes) -> int:
    if isinstance(written, str):
        return written.count(",") + written.count("[") + written.count("{")
    return written.count(b",") + written.count(b"[") + written.count(b"{")


def whole_number(written: str) -> int | str:
    """As an int; as it is written where it is too long for one."""
    return int(written) if len(written) <= LONGEST_WHOLE else written


def decimal_number(written: str) -> float | str:
    """As a float; as it is written where that would be another number."""
    if len(written) > LONGEST_WHOLE:
        return written
    number = float(written)
    try:
        return number if Decimal(repr(number)) == Decimal(written) else written
    except InvalidOperation:  # an exponent of twenty digits, or what became infinity
        return written
