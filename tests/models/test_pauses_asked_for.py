"""How long a server asks to be left alone: seconds that are worked out by hand, in each of the ways in which they are said."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import pytest

from moot.models.retry_after import LONGEST_S, asked_pause_s, duration_s, retry_after_s

YEAR_S = 366 * 86_400.0


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("17s", 17.0),
        ("6m0s", 360.0),
        ("1h", 3_600.0),
        ("1d2h3m4.5s", 86_400 + 7_200 + 180 + 4.5),
        ("12ms", 0.012),
        ("250us", 0.00025),
        ("250µs", 0.00025),
        ("500ns", 5e-7),
        ("  2.5 ", 2.5),
        (2, 2.0),
        (0, 0.0),
        (0.25, 0.25),
        (-1, None),
        (True, None),
        ("soon", None),
        ("5 s", None),
        ("s", None),
        ("", None),
        ("-5", None),
        ("1s" * 6, 6.0),
        ("1s" * 7, None),
        (None, None),
        ("9" * 15, YEAR_S),
        ("9" * 16, None),
        (10**12, YEAR_S),
        pytest.param(10**400, None, id="of four hundred digits"),
        (float("inf"), None),
        (float("nan"), None),
        (" " * 100 + "1", None),
    ],
    ids=str,
)
def test_a_duration_in_words(text: object, seconds: float | None) -> None:
    assert duration_s(text) == (None if seconds is None else pytest.approx(seconds, rel=1e-12))


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("30", 30.0),
        ("1.5", 1.5),
        ("-3", 0.0),
        ("Thu, 01 Jan 1970 00:02:00 GMT", 20.0),
        ("Thu, 01 Jan 1970 00:01:00 GMT", 0.0),
        ("inf", None),
        ("nan", None),
        ("1e300", YEAR_S),
        ("tomorrow", None),
        ("", None),
    ],
)
def test_a_header_in_seconds_or_as_a_date(header: str | None, seconds: float | None) -> None:
    assert retry_after_s(header, now=100.0) == seconds
    assert LONGEST_S == YEAR_S, "nobody means more than a year"


NOW = 1_700_000_000.0


@pytest.mark.parametrize(
    ("headers", "error", "seconds"),
    [
        ({"Retry-After": "3"}, {"message": "try again in 9s"}, 3.0),
        ({}, None, None),
        ({}, {"message": "no"}, None),
        ({}, {"message": "Rate limit reached. Please try again in 7.66s. Visit"}, 7.66),
        ({}, {"message": "retry after about 1m30s"}, 90.0),
        ({}, {"message": "Try Again in 20 SEC"}, 20.0),
        ({}, {"message": "again in 250MS"}, 0.25),
        ({}, {"details": [{"x": 1}, "y", {"retryDelay": "41s"}]}, 41.0),
        ({}, {"details": [{"retry_delay": {"seconds": 12}}]}, 12.0),
        ({}, {"details": [{}] * 20 + [{"retryDelay": "41s"}]}, None),
        ({}, {"metadata": {"headers": {"Retry-After": "8"}}}, 8.0),
        pytest.param(
            {}, {"details": [{"retryDelay": 10**400}], "message": "again in 2s"}, 2.0, id="four hundred digits"
        ),
        # limits that are used up, the last of them
        ({"x-ratelimit-reset-requests": "6m0s", "x-ratelimit-remaining-requests": "0"}, {}, 360.0),
        ({"X-RateLimit-Reset": "5", "x-ratelimit-reset-tokens": "7", "x-ratelimit-remaining-tokens": "0.0"}, {}, 7.0),
        ({"x-ratelimit-reset-requests": "6m0s", "x-ratelimit-remaining-requests": "3"}, {}, None),
        ({"x-ratelimit-reset": "0"}, {}, None),
        # by the clock, in seconds and in milliseconds
        ({"x-ratelimit-reset": "1700000025"}, {}, 25.0),
        ({"x-ratelimit-reset": "1700000025000"}, {}, 25.0),
        ({"x-ratelimit-reset": "1600000000"}, {}, None),
        ({"x-ratelimit-reset": "50000000"}, {}, None),
        # more than anybody means
        ({"x-ratelimit-reset": "9000h"}, {}, YEAR_S),
        ({"x-ratelimit-reset-tokens": "99999999s"}, {}, YEAR_S),
    ],
    ids=str,
)
def test_a_pause_is_found_wherever_it_stands(
    headers: Mapping[str, Any], error: Mapping[str, Any] | None, seconds: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "time", lambda: NOW)
    assert asked_pause_s(headers, error) == (None if seconds is None else pytest.approx(seconds))
