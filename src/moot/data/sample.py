"""How many questions of a set are enough to stand for all of it."""

from __future__ import annotations

import math


def sample_size(population: int, *, z: float = 1.96, share: float = 0.5, margin: float = 0.05) -> int:
    """Cochran's size for a share within `margin`, corrected for a finite set: 374 of 14,042 at 95 % and 5 %."""
    if population < 1:
        raise ValueError(f"expected a set of at least one question, found {population}")
    unlimited = z * z * share * (1 - share) / (margin * margin)
    return math.ceil(unlimited / (1 + (unlimited - 1) / population))
