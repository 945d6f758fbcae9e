"""Weeks in which nothing has changed: an experiment with repeats or clusters makes no more alerts of them than one without."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import numpy as np
import pytest

from moot.measures.served.drift import _Pair, _row
from moot.measures.served.periods import Period
from moot.stats.clusters import clustered
from moot.stats.departure import Ranged

CELL: dict[str, Any] = {"strategy": "vote", "label": "vote", "team": "six", "captain": "ann", "player": None}
DAYS, A_DAY, WEEKS = 5, 8, 40


def agreed(rng: np.random.Generator, easy: Any) -> list[Ranged]:
    """How many of four drafts say the answer, of questions so easy."""
    shares = np.maximum(1, rng.binomial(4, easy)) / 4
    return [Ranged(float(share), float(share)) for share in shares]


def alerted(rng: np.random.Generator, questions: int, repeats: int, together: int) -> bool:
    easy = np.repeat(rng.beta(4.2, 1.8, questions // together), together)
    names = [f"m{place}" for place in range(len(easy))]
    measured = [pair for _ in range(repeats) for pair in zip(names, agreed(rng, easy), strict=True)]
    by_day = {
        Period(date(2026, 11, 1) + timedelta(day), 1): [
            (f"l{day}-{place}", value) for place, value in enumerate(agreed(rng, rng.beta(4.2, 1.8, A_DAY)))
        ]
        for day in range(DAYS)
    }
    live = [pair for values in by_day.values() for pair in values]
    clusters = {name: f"c{place // together}" for place, name in enumerate(names)} if together > 1 else {}
    with clustered(clusters):
        return bool(_row(_Pair(CELL, "agreement", live, by_day, measured), 1, 7)["alert"])


@pytest.mark.parametrize(("questions", "repeats", "together"), [(100, 1, 1), (120, 6, 1), (200, 1, 10)])
def test_hardly_any_is_alerted(questions: int, repeats: int, together: int) -> None:
    rng = np.random.default_rng(11)
    alerts = sum(alerted(rng, questions, repeats, together) for _ in range(WEEKS))
    assert alerts <= 6, "5 % is promised: seven of forty come by luck in one run of two hundred"
