"""Numbers as people write them: rounded half away from zero, and sums of money that never look like nothing.

Here, and not where tables are made, because a budget that is reached says how much was spent in the same way as a report.
"""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Decimal, localcontext

_FAR_APART = 1_000
_MORE_DIGITS = 4
_DIGITS = 700
"""More than any number of Python's floats has, before and behind the point."""


def rounded(value: float, digits: int, *, scale: int = 0, sign: bool = False) -> str:
    """A number to so many digits, times ten to the power of `scale`: 56.25 is 56.3, and −56.25 is −56.3.

    Half goes away from zero, by the digits that the number is written with and not by the binary fraction next to them:
    that is what people expect, and what the page does (`format.js`). What rounds to nothing has no sign.
    """
    if not math.isfinite(value):
        return f"{value:{'+' if sign else ''}.{digits}f}"
    with localcontext() as context:
        context.prec = _DIGITS
        exact = Decimal(value if isinstance(value, int) else repr(float(value))).scaleb(scale)
        near = exact.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)
    return f"{near:{'+' if sign and near else ''},f}" if near else f"{abs(near):f}"


def of_hundred(share: float, digits: int = 1, *, sign: bool = False) -> str:
    """A share as so many of a hundred: 0.9025 is 90.3, in whatever words, table or page it stands."""
    return rounded(share, digits, scale=2, sign=sign)


def dollars(usd: float) -> str:
    """Never a nought that is none: small sums keep two digits."""
    if usd == 0:
        return "$0"
    if not math.isfinite(usd):
        return f"${usd}"
    return f"${rounded(usd, _digits(usd))}"


def dollars_alike(*sums: float, apart: bool = False) -> tuple[str, ...]:
    """Sums that stand beside each other, to be compared: all to the same digit. `apart`: no two that differ are written as one.

    What is less than a thousandth of the greatest does not make all of them long: it keeps its own digits.
    """
    finite = [abs(usd) for usd in sums if usd and math.isfinite(usd)]
    if not finite:
        return tuple(map(dollars, sums))
    near = [usd for usd in finite if usd * _FAR_APART >= max(finite)]
    digits = max(map(_digits, near))
    for more in range(_MORE_DIGITS + 1 if apart else 0):
        written = tuple(_to(usd, digits + more) for usd in sums)
        if len(set(written)) == len(set(sums)):
            return written
    return tuple(_to(usd, digits) for usd in sums)


def _to(usd: float, digits: int) -> str:
    if not usd or not math.isfinite(usd) or _digits(usd) > digits:
        return dollars(usd)
    return f"${rounded(usd, digits)}"


def _digits(usd: float) -> int:
    return 2 if abs(usd) >= 0.1 else min(12, 1 - math.floor(math.log10(abs(usd))))
