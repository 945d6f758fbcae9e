"""What a simulated server has seen, and how much it lets through: the ground truth for tests that count calls."""

from __future__ import annotations

import hashlib
import time
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

LOG_KEPT = 200_000
"""Requests that the log remembers; older ones are in the counts only."""

NO_STATUS = 0
"""What the log says of a request that was never answered."""


@dataclass(slots=True)
class Visit:
    """One request to /v1/chat/completions, from its arrival on. Its status is None while it is worked on."""

    n: int
    body: str
    seen: int
    model: str = ""
    status: int | None = None
    outcome: str = "gone"


class VisitTally:
    """Counts by outcome and by body, and a log."""

    def __init__(self) -> None:
        self.concurrent = 0
        self.clear()

    def clear(self) -> None:
        """Begin anew. Requests that are being worked on still are."""
        self.requests = 0
        self.max_concurrent = self.concurrent
        self.outcomes: Counter[str] = Counter()
        self.seen: Counter[str] = Counter()
        self.served: Counter[str] = Counter()
        self.log: deque[Visit] = deque(maxlen=LOG_KEPT)

    @contextmanager
    def visit(self, raw: bytes) -> Iterator[Visit]:
        body = hashlib.sha256(raw).hexdigest()
        self.requests += 1
        self.concurrent += 1
        self.max_concurrent = max(self.max_concurrent, self.concurrent)
        visit = Visit(self.requests, body, self.seen[body])
        self.seen[body] += 1
        self.log.append(visit)
        try:
            yield visit
        finally:
            self.concurrent -= 1
            self.outcomes[visit.outcome] += 1
            if visit.status is None:
                visit.status = NO_STATUS
            if visit.outcome == "ok":
                self.served[body] += 1

    def as_json(self) -> dict[str, Any]:
        times = Counter(self.seen.values())
        return {
            "requests": self.requests,
            "outcomes": dict(self.outcomes),
            "concurrent": self.concurrent,
            "max_concurrent": self.max_concurrent,
            "bodies": len(self.seen),
            "bodies_by_times_seen": {str(count): times[count] for count in sorted(times)},
            "repeated": sum(count > 1 for count in self.served.values()),
        }


class RateLimit:
    """A bucket of a minute's requests that fills up evenly."""

    def __init__(self, rpm: int) -> None:
        self._rpm = rpm
        self._left = float(rpm)
        self._at = time.monotonic()

    def wait_s(self) -> float:
        """0 if the request may pass, else how long until one may."""
        now = time.monotonic()
        self._left = min(self._rpm, self._left + (now - self._at) * self._rpm / 60)
        self._at = now
        if self._left < 1:
            return (1 - self._left) * 60 / self._rpm
        self._left -= 1
        return 0.0
