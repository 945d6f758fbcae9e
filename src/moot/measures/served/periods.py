"""Days, and weeks where there are many: by the calendar of UTC, so that a report is the same wherever it is read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

MOST_DAYS = 14
"""Of a longer time each week is told, from Monday on."""


@dataclass(frozen=True, slots=True, order=True)
class Period:
    start: date
    days: int

    @property
    def title(self) -> str:
        return f"{self.start}" if self.days == 1 else f"week of {self.start}"


def period_of(at: float, days: int) -> Period:
    day = datetime.fromtimestamp(at, UTC).date()
    return Period(day if days == 1 else day - timedelta(days=day.weekday()), days)


def days_each(times: Iterable[float]) -> int:
    """How long a period is, of what was asked at these times."""
    every = [datetime.fromtimestamp(at, UTC).date() for at in times]
    return 7 if every and (max(every) - min(every)).days >= MOST_DAYS else 1


def moment(at: float) -> str:
    """As `--json` has it, and as it can be given back."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
