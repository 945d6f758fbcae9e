"""MiniMax's word on how a call went: `base_resp` with a `status_code` of its own, beside a status of 200 and perhaps choices."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_NAMES = {
    **dict.fromkeys(
        (1002, 1039, 1041, 2056), "rate_limit_exceeded"
    ),  # requests, tokens, connections, the plan's window
    **dict.fromkeys((1000, 1013, 1024, 1033), "internal_error"),
    **dict.fromkeys((1004, 2049), "invalid_api_key"),
    **dict.fromkeys((1026, 1027), "content_filter"),  # what was asked, what was answered
    **dict.fromkeys((1042, 2013), "invalid_request"),
    1001: "timeout",
    1008: "insufficient_balance",
}
"""The numbers by the names that others have for the same."""
_NUMBER = re.compile(r"[0-9]{1,9}")


def error_fields(told: object) -> Mapping[str, Any] | None:
    """The error that it tells, as others write one; None: all went well, or there is nothing."""
    if not isinstance(told, Mapping):
        return None
    code = told.get("status_code")
    if isinstance(code, str) and _NUMBER.fullmatch(code):
        code = int(code)
    if type(code) is not int or not code:
        return None
    words = told.get("status_msg")
    said = f"{words} (status_code {code})" if isinstance(words, str) and words else f"status_code {code}"
    return {"code": _NAMES.get(code, code), "message": said}
