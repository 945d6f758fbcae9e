"""`--since`: how far back, or from when on."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from moot.errors import UsageError

SECONDS = {"m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
_BACK = re.compile(r"(\d{1,6}(?:\.\d{1,3})?)\s*([mhdw])")


def read_since(text: str, now: float) -> float:
    """As seconds of the clock. A date or time without a zone is one of UTC."""
    wanted = text.strip()
    if (back := _BACK.fullmatch(wanted)) and float(back[1]) > 0:
        return max(0.0, now - float(back[1]) * SECONDS[back[2]])
    try:
        moment = datetime.fromisoformat(wanted)
        at = (moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        expected = (
            "30m, 12h, 7d or 2w, or a date or a time such as 2026-11-10 or 2026-11-10T08:00+01:00 (without a zone: UTC)"
        )
        raise UsageError(f"--since: expected {expected}; found {text!r}") from None
    if at > now:
        raise UsageError(
            f"--since: {text!r} lies ahead; expected a time that is past (without a zone it is one of UTC)"
        )
    return max(0.0, at)
