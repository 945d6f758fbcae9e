"""How many calls at once are of use at an endpoint, by how they went: pure arithmetic, told the time."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(slots=True)
class CallsUnderLimit:
    """Calls that started and ended under one limit while it was the limit that held them back."""

    level: float
    opened_at: float
    calls: int = 0
    total_s: float = 0.0

    @property
    def mean_s(self) -> float:
        return self.total_s / self.calls


class AdaptiveLimit:
    """The number of calls allowed in flight: halved by refusals, and no higher than is of use.

    Latency alone says little: replies differ in length, and a queue of our own making looks like a slow server. So now
    and then a lower limit is tried. If latency falls as far as the limit did, calls had only been queueing: the lower
    limit costs nothing and stays. If it does not, the server works on so many at once and the old limit is back. A limit
    that was lowered is tried upwards in the same way.
    """

    ROUND = 64
    """Calls at least that a limit is judged by: replies differ in length."""
    EARLY = 20
    """Calls after which a trial that is plainly failing ends."""
    QUEUEING = 0.62
    """Half the limit with less than this share of the latency: nothing is lost, within the noise."""
    USEFUL = 1.6
    """Twice the limit with less than this times the latency: more gets done."""
    FIRST_HOLD, HOLD = 3, 30
    """Rounds before the first trial and between trials, so that trials that fail cost next to nothing."""
    HEADROOM = 1.5
    """Above the lowest limit that lost nothing, so that the server always has the next call at hand."""
    GROWTH = 0.2
    FEWEST = 8
    """Calls by which the share of refusals is told, at least."""

    def __init__(self, ceiling: int) -> None:
        self.ceiling = ceiling
        self.level = float(ceiling)
        """As much as is of use."""
        self.value = float(ceiling)
        """As much as is allowed: below the level for a while after a refusal."""
        self._halved_at = -math.inf
        self._before_refusal = float(ceiling)
        self._refused_share = 1.0
        """Of the calls of about the last round; the worst until there are any."""
        self._round = CallsUnderLimit(self.level, -math.inf)
        self._before: CallsUnderLimit | None = None
        self._hold = self.FIRST_HOLD
        self._shrinking = False

    @property
    def allowed(self) -> int:
        return max(1, int(self.value))

    def succeeded(self, started_at: float, now: float, in_flight: int) -> None:
        allowed = self.allowed
        self._refused_share -= self._refused_share / max(self.FEWEST, allowed)
        if in_flight < 0.8 * allowed:
            return  # not the limit that holds us back: nothing to learn
        if self.value < self.level:
            # One step a call would swing wildly when hundreds return together: this is one step a round of calls.
            self.value = min(self.level, self.value + self.GROWTH / math.sqrt(self.value))
            return
        if started_at < self._round.opened_at:
            return
        self._round.calls += 1
        self._round.total_s += now - started_at
        enough = max(self.ROUND, 2 * allowed)
        if self._round.calls >= enough or (self._round.calls >= self.EARLY and self._fails_plainly()):
            self._judge(now)

    def refused(self, started_at: float, now: float) -> None:
        """Halve, or less where few are refused: a server that now and then says no is not one that is full.

        Calls that started before that only confirm what is known, and say how many of them there are.
        """
        self._refused_share += (1 - self._refused_share) / max(self.FEWEST, self.allowed)
        if started_at >= self._halved_at:
            self._before_refusal = self.value
            self._halved_at = now
            if self._before is not None:
                self._settle(self._before.level, now)
        lower = self._before_refusal * (1 - self._refused_share / 2)
        self.value = max(1.0, min(self.value, lower))

    def _fails_plainly(self) -> bool:
        before = self._before
        return before is not None and self.level < before.level and self._round.mean_s > 0.85 * before.mean_s

    def _judge(self, now: float) -> None:
        """A round is over: go on as before, begin a trial, or end one."""
        before = self._before
        if before is None:
            self._hold -= 1
            if self._hold > 0 or self.ceiling < 2:
                self._open(now)
            elif self.level < self.ceiling and not self._shrinking:
                self._try(min(float(self.ceiling), 2 * self.level), now)
            else:
                self._try(max(1.0, self.level / 2), now)
            return
        share = self._round.mean_s / before.mean_s
        if self.level > before.level:
            useful = share < self.USEFUL ** math.log2(self.level / before.level)
            self._settle(self.level if useful else before.level, now)
        elif share > self.QUEUEING:
            self._settle(before.level * (self.HEADROOM if self._shrinking else 1.0), now)
        elif self.level < 2:
            self._settle(self.level, now)
        else:
            self._shrinking = True
            self._try(self.level / 2, now)

    def _try(self, level: float, now: float) -> None:
        self._before = self._round
        self._move(level, now)

    def _settle(self, level: float, now: float) -> None:
        self._before, self._hold, self._shrinking = None, self.HOLD, False
        self._move(min(float(self.ceiling), level), now)

    def _move(self, level: float, now: float) -> None:
        held_back_by_level = self.value >= self.level
        self.level = level
        self.value = level if held_back_by_level else min(self.value, level)
        self._open(now)

    def _open(self, now: float) -> None:
        self._round = CallsUnderLimit(self.level, now)
