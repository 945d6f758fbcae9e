"""Successes that are none: an error object inside a reply says that the endpoint has failed.

Aggregators have sent status 200 by the time that the provider behind them fails, so they put the error into the reply. It
means what its code would mean as a status: a pause is asked for, the server has failed, or the request was refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from moot.errors import CallError, RateLimited, ReplyBroken, RequestRejected, ServerFailed
from moot.models.border import BEHIND_A_CUT, storable
from moot.models.error_forms import ERRORS, error_fields, error_status, error_words, tells
from moot.models.retry_after import asked_pause_s
from moot.models.secrets import NO_SECRETS, Secrets

_RATE_LIMIT = re.compile(r"rate.?limit|too.?many.?requests|throttl", re.IGNORECASE)
_TELLING = frozenset((*ERRORS, "base_resp", "delta"))
"""Without one of these, neither a reply nor a part of it holds an error."""
PASSING_STATUSES = (408, 409, 425)
"""Below 500, and yet worth another try."""


def error_of(body: Mapping[str, Any], choice: Mapping[str, Any]) -> object:
    """The error inside a reply, or a part of one, if there is one: beside the choices, in the choice, or in its message. Words
    that came before it are not all of the reply."""
    message = choice.get("message")
    if (
        type(message) is dict
        and "choices" in body
        and _TELLING.isdisjoint(body)
        and _TELLING.isdisjoint(choice)
        and _TELLING.isdisjoint(message)
    ):
        return None  # nearly always
    beside = error_fields(body)
    if beside and any(tells(body.get(name)) for name in ERRORS):
        return beside
    for part in (choice, message, choice.get("delta")):
        if isinstance(part, (dict, Mapping)):
            for name in ERRORS:
                if (error := part.get(name)) and tells(error):
                    return error
    return beside


def failure_of(error: object, pause_s: float | None = None, secrets: Secrets = NO_SECRETS) -> CallError:
    """What an error object inside a success means. `pause_s`: what the response's own header asks for."""
    fields = error_fields({"error": error}) or (error if isinstance(error, Mapping) else {"message": error})
    said = f"a success with an error in it: {preview(error_words(fields) or str(dict(fields)), secrets=secrets)}"
    pause_s = asked_pause_s({}, fields) if pause_s is None else pause_s
    status = error_status(fields)
    kinds = " ".join(str(fields.get(name))[:100] for name in ("code", "type", "status"))
    if status == 429 or (status is None and _RATE_LIMIT.search(kinds)):
        return RateLimited(said, retry_after_s=pause_s)
    if status is None:
        return ReplyBroken(said, retry_after_s=pause_s)
    if status >= 500 or status in PASSING_STATUSES:
        failed = ServerFailed(said, status=status, retry_after_s=pause_s)
        failed.maybe_billed = True  # it had begun
        return failed
    return RequestRejected(said, status=status)


def failed_end(finish: str) -> Mapping[str, Any]:
    """The error that a reason to finish tells. One named for a limit or an overload asks for a pause, as its status would."""
    status = error_status({"code": finish})
    named = {"code": status} if status is not None and (status == 429 or status >= 500) else {}
    return {**named, "message": f"it ended with {finish!r}"}


def preview(raw: bytes | bytearray | str, length: int = 200, *, secrets: Secrets = NO_SECRETS) -> str:
    """The beginning of what came, for an error message. `secrets`: are looked for before it is cut."""
    most = length * 2 + BEHIND_A_CUT
    text = raw[:most] if isinstance(raw, str) else raw[: most * 4].decode("utf-8", "replace")
    text = storable(" ".join(secrets.beginning_of(text, length * 2).split()))
    return repr(text if len(text) <= length else text[:length] + "…")
