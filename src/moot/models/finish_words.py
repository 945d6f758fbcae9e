"""Why a reply ended, in whichever word a server has for it: this is where the words become few.

Some say that the endpoint has failed: whatever words came before are not all of them. Some say that the reply was cut, which is
`length` here. Those that name a filter are in `filtered`. All others stand as they are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from moot.models.border import uncut_name
from moot.models.filtered import FILTERED, is_filter_finish

CUT = "length"

FAILED_FINISHES = frozenset(
    (
        "networkerror",  # Zhipu
        "insufficientsystemresource",  # DeepSeek
        *("abort", "aborted"),  # vLLM, SGLang
        *("failed", "cancelled", "canceled", "inprogress", "queued"),  # OpenAI's Responses, behind a gateway
        "timelimit",  # watsonx, which has cancelled too
        *("timeout", "usercancel"),  # Cohere
        *("failure", "timedout", "interrupted", "clientcancelled", "disconnected"),
        *("overloaded", "unavailable", "serviceunavailable", "badgateway"),
        *("ratelimit", "ratelimited", "ratelimitexceeded", "toomanyrequests", "resourceexhausted", "quotaexceeded"),
    )
)
"""Without case and signs. Beside these, whatever begins or ends with `error` (OpenRouter's and Mistral's `error`,
`engine_error`) or `exception`."""

_ERRS = ("error", "exception")

CUT_FINISHES = frozenset(
    (
        *("maxtokens", "maxoutputtokens", "maxlength"),  # Anthropic, Gemini, Cohere
        "modellength",  # Mistral
        *("modelcontextwindowexceeded", "contextwindowexceeded", "contextlengthexceeded"),  # Anthropic, Zhipu
        "errorlimit",  # Cohere: the end of what the model can hold
        "incomplete",  # OpenAI's Responses: by a limit of tokens, or by a filter
        *("length", "tokenlimit", "tokenlimitreached", "truncated"),
        *("maxnewtokens", "maxcompletiontokens"),  # named for the parameter
    )
)


def failed_finish(finish: str) -> bool:
    if finish in ("stop", CUT):
        return False
    word = _plain(finish)
    errs = word.startswith(_ERRS) or word.endswith(_ERRS)
    named = word in FAILED_FINISHES or (errs and word not in ("noerror", "errornone", "errorfree"))
    return named and word not in CUT_FINISHES and not is_filter_finish(finish)


def failed_end_of(choice: Mapping[str, Any], finish: str | None) -> str | None:
    """The word by which a choice says that the endpoint has failed: its own, or the provider's behind an aggregator."""
    if finish is not None and failed_finish(finish):
        return finish
    native = uncut_name(choice.get("native_finish_reason"))
    return native if native is not None and failed_finish(native) else None


def finish_reason(finish: str) -> str:
    """With one word for all that mean a filter, and one for all that mean a limit."""
    if finish in ("stop", CUT):
        return finish
    if is_filter_finish(finish):
        return FILTERED
    return CUT if _plain(finish) in CUT_FINISHES else finish


def _plain(finish: str) -> str:
    return re.sub(r"[^a-z]", "", finish.casefold())
