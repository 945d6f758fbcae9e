"""How long an endpoint asks to be left alone, in all the ways in which they say it.

A header in seconds, milliseconds or as a date; Google's `retryDelay` among the details of an error; the words of the message
("Please try again in 7.66s"); at last the time at which a limit that is used up is reset. That is when all of it is there
again, which is often later than needed, so it comes last.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

LONGEST_S = 366 * 86_400.0
"""Nobody means more than a year; a number of hundreds of digits is no time at all."""

_UNITS_S = {"d": 86_400.0, "h": 3_600.0, "m": 60.0, "s": 1.0, "ms": 0.001, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
_PART = r"[0-9]{1,12}(?:\.[0-9]{1,12})?(?:ms|us|µs|ns|d|h|m|s)"
_DURATION = re.compile(rf"(?:{_PART}){{1,6}}")
_IN_WORDS = re.compile(
    rf"(?:retry|try again|again) (?:in|after) (?:about )?({_PART}(?:{_PART}){{0,5}}|[0-9.]{{1,12}} ?sec)", re.IGNORECASE
)
_EPOCH_S = 1e9
_EPOCH_MS = 1e12


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
    return _bounded(seconds)


def duration_s(text: object) -> float | None:
    """Seconds of "17s", "6m0s", "0.5s" or "12ms", or of a plain number; None for what is none of these."""
    if isinstance(text, int | float) and not isinstance(text, bool):
        return _bounded(text) if text >= 0 else None
    if not isinstance(text, str) or len(text) > 100:
        return None
    text = text.strip()
    if re.fullmatch(r"[0-9]{1,15}(?:\.[0-9]{1,12})?", text):
        return _bounded(float(text))
    if not _DURATION.fullmatch(text):
        return None
    parts = re.findall(r"(?<![0-9.])([0-9.]++)([a-zµ]++)", text)
    return _bounded(sum(float(number) * _UNITS_S[unit] for number, unit in parts))


def asked_pause_s(headers: Mapping[str, Any], error: Mapping[str, Any] | None = None) -> float | None:
    """What a response asks for by its headers and the error in it; None: nothing."""
    given = {name.casefold(): value for name, value in headers.items() if isinstance(name, str)}
    pause_s = _in_headers(given)
    if pause_s is not None or error is None:
        return pause_s
    metadata = error.get("metadata")
    handed_on = metadata.get("headers") if isinstance(metadata, Mapping) else None
    if isinstance(handed_on, Mapping):  # an aggregator hands on the headers that the provider sent
        handed_on = {name.casefold(): value for name, value in handed_on.items() if isinstance(name, str)}
    else:
        handed_on = {}
    for told in (_in_headers(handed_on), _in_details(error.get("details")), _in_words(error.get("message"))):
        if told is not None:
            return told
    return _reset_s(given) or _reset_s(handed_on)


def _in_headers(headers: Mapping[str, Any]) -> float | None:
    pause_ms = duration_s(headers.get("retry-after-ms"))
    if pause_ms is not None:
        return pause_ms / 1_000
    header = headers.get("retry-after")
    return retry_after_s(str(header)[:100]) if isinstance(header, str | int | float) else None


def _in_details(details: object) -> float | None:
    """`google.rpc.RetryInfo` among the details of an error of Google's."""
    for detail in details[:20] if isinstance(details, list) else ():
        delay = detail.get("retryDelay") or detail.get("retry_delay") if isinstance(detail, Mapping) else None
        if isinstance(delay, Mapping):  # as its fields
            delay = delay.get("seconds")
        if (pause_s := duration_s(delay)) is not None:
            return pause_s
    return None


def _in_words(message: object) -> float | None:
    found = _IN_WORDS.search(message[:4_000]) if isinstance(message, str) else None
    if found is None:
        return None
    text = re.sub(r" ?sec$", "", found[1], flags=re.IGNORECASE)
    return duration_s(text.casefold())


def _reset_s(headers: Mapping[str, Any]) -> float | None:
    """When the limits that are used up are there again. A limit of which something is left is not the reason."""
    pauses: list[float] = []
    for name, value in headers.items():
        if not name.startswith("x-ratelimit-reset"):
            continue
        left = headers.get(name.replace("-reset", "-remaining"))
        seconds = _until(value)
        if seconds is not None and seconds > 0 and (left is None or str(left).strip() in ("0", "0.0")):
            pauses.append(seconds)
    return max(pauses, default=None)


def _until(value: object) -> float | None:
    """A time from now on, or a time of the clock in seconds or milliseconds since 1970."""
    seconds = duration_s(value)
    if seconds is None or seconds < LONGEST_S:
        return seconds
    try:
        number = float(str(value))
    except ValueError:  # so many hours
        return seconds
    at_s = number / 1_000 if number >= _EPOCH_MS else number
    return _bounded(at_s - time.time()) if at_s >= _EPOCH_S else None


def _bounded(seconds: float) -> float | None:
    try:
        return min(LONGEST_S, max(0.0, float(seconds))) if math.isfinite(seconds) else None
    except OverflowError:
        return None
