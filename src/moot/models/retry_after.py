"""The Retry-After header in both of its forms: seconds, and an HTTP date."""

from __future__ import annotations

import math
import time
from email.utils import parsedate_to_datetime

LONGEST_S = 366 * 86_400.0
"""Nobody means more than a year; a number of hundreds of digits is no time at all."""


def retry_after_s(header: str | None, *, now: float | None = None) -> float | None:
    """Seconds to wait, never negative; None where the header is absent or makes no sense."""
    if header is None:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(header).timestamp() - (time.time() if now is None else now)
        except (TypeError, ValueError, OverflowError, LookupError, AttributeError):
            return None
    return min(LONGEST_S, max(0.0, seconds)) if math.isfinite(seconds) else None
