"""The p that belongs to limits: the level at which they come to leave a threshold out.

So words, interval and p say one thing, also of figures that have limits at any level and no test of their own.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from math import nextafter

from moot.stats.quantiles import ALPHA

_HALVINGS = 50
_LEAST = 1e-12
"""A p so small is 0."""


def p_of_limits(holds: Callable[[float], bool]) -> float:
    """Two-sided; above alpha exactly where the limits hold the threshold. `holds`: whether those of a level do.

    Limits may end at a threshold for a while; p is where they come to it, so to end there is to hold it.
    """
    if holds(1.0):
        return 1.0
    if not holds(_LEAST):
        return 0.0
    told = not holds(ALPHA)
    inside, outside = (math.log(_LEAST), math.log(ALPHA)) if told else (math.log(ALPHA), 0.0)
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if holds(math.exp(middle)) else (inside, middle)
    p = math.exp(outside)
    return min(p, ALPHA) if told else max(p, nextafter(ALPHA, 1.0))
