"""What goes wrong behind a served team, in the form that clients of this API know."""

from __future__ import annotations

import logging
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from moot.errors import BudgetReached, MootError, StoreError, StoreUnreadable
from moot.live.logged_errors import in_log
from moot.openai_form.refusal import REFUSALS, Refused, refusal_response
from moot.serve.discretion import public_words

_log = logging.getLogger(__name__)

NOT_KEEPING = "The store cannot be written; until it can, nothing is answered."
WORKER_SILENT = "A worker does not answer; the others do, and one that has died is replaced."

NOT_DONE = "The store did not do what this needs; the server's log says why. Try again."
"""It may take other things all the same."""

UNREADABLE = "The store holds something that moot did not write; the server's log says where."

BROKEN = "The server made a mistake; its log says which."
"""What broke is for whoever keeps the server, not for its clients."""


def as_refusal(error: Exception) -> Refused:
    if isinstance(error, Refused):
        return error
    if isinstance(error, BudgetReached):
        return Refused(503, str(error), code="budget_reached", kind="insufficient_quota")
    if isinstance(error, StoreUnreadable):  # it can be written, and other questions are answered
        _log.error("the store holds something that moot did not write: %s", in_log(error))
        return Refused(500, UNREADABLE, code="store_unreadable", kind="server_error")
    if isinstance(error, StoreError):  # whose words name files of the server: they are for its log
        words, pause_s = NOT_KEEPING, error.retry_after_s
        if pause_s is None:  # else nothing is kept at the moment, which was logged when it began
            _log.warning("the store did not do what a request needs: %s", in_log(error))
            words, pause_s = NOT_DONE, 5.0
        return Refused(503, words, code="store_error", kind="server_error", retry_after_s=pause_s)
    if isinstance(error, MootError):
        _log.warning("a question could not be played: %s", in_log(error))
        return Refused(503, public_words(str(error)), code="team_error", kind="server_error")
    return Refused(500, BROKEN, code="internal_error", kind="server_error")


async def _moot_error(request: Request, error: Exception) -> Response:
    return refusal_response(as_refusal(error))


TEAM_REFUSALS: dict[Any, Any] = {**REFUSALS, MootError: _moot_error, Exception: _moot_error}
"""For the application's `exception_handlers`."""
