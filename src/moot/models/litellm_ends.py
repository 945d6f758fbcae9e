"""How a call through LiteLLM ended: whether anything left, what came back, and what of it is on a bill.

Its classes do not say. A reply that was cut, HTML, and nobody listening are all its InternalServerError, with a status and a
response that it has made up. What it raised that from does say: the error of the connection, or of a status that somebody sent.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import aiohttp

from moot.errors import CallError
from moot.models import base_resp
from moot.models.finish_words import failed_end_of
from moot.models.wire import tell_bill
from moot.types import Price

_OTHER_NAMES = {"input_tokens": "prompt_tokens", "output_tokens": "completion_tokens"}
"""How Anthropic counts."""


class Overheard:
    """What LiteLLM tells of one call while it makes it (its `logger_fn`)."""

    def __init__(self) -> None:
        self.begun = False
        self.body: str | None = None
        """What came, as it came: the first that is said to. What LiteLLM made of it may be said after it."""

    def __call__(self, details: Mapping[str, Any]) -> None:
        self.begun = True
        if self.body is None and isinstance(came := details.get("original_response"), str):
            self.body = came

    @property
    def failed(self) -> str | None:
        """What came, where it is a completion that says it failed: LiteLLM passes it on as one that ended well."""
        if self.body is None or not any(word in self.body for word in ("choices", "base_resp")):
            return None
        try:
            completion = json.loads(self.body)
            choices = completion.get("choices")
        except (ValueError, AttributeError, RecursionError):
            return None
        choice = choices[0] if isinstance(choices, list) and choices else None
        failed = isinstance(choice, dict) and failed_end_of(choice, str(choice.get("finish_reason")))
        return self.body if failed or base_resp.error_fields(completion.get("base_resp")) else None


class CallEnd:
    """The end of a call that LiteLLM raises for."""

    def __init__(self, error: BaseException, before: BaseException | None, overheard: Overheard) -> None:
        """`before`: what was being handled when the call began; what that was raised from is of other calls."""
        import httpx  # LiteLLM brings it

        self._overheard = overheard
        causes = list(_causes(error, before))
        self._no_client = any(type(cause).__name__ == "OpenAIError" and _of(cause) == "openai" for cause in causes)
        """The plain error of that package, which is raised where no client can be made, for want of a key."""
        self._causes = [cause for cause in causes if _of(cause) in ("httpx", "aiohttp", "httpcore")]
        """Those of the connection, the last one first."""
        told = self._causes[0] if self._causes else None
        response = told.response if isinstance(told, httpx.HTTPStatusError) else None
        self.status: int | None = None if response is None else response.status_code
        """That somebody sent, which LiteLLM may have replaced by one of its own."""
        self.headers: Mapping[str, str] = {} if response is None else response.headers
        self._sent_body = None if response is None else _content(response)

    @property
    def sent(self) -> object:
        """What came with the status; None where it is no JSON."""
        try:
            return json.loads(self._sent_body or b"")
        except (ValueError, RecursionError):
            return None

    @property
    def lost(self) -> bool:
        """No whole response came."""
        return bool(self._causes) and self.status is None

    @property
    def sent_or_lost(self) -> bool:
        """It is the server's or the connection's; else something that LiteLLM could not read."""
        return self.status is not None or self.lost

    @property
    def nobody_there(self) -> bool:
        """No connection was made, so nothing can have left. LiteLLM says so of more in httpx's words: those beneath are asked."""
        import httpcore
        import httpx

        if not self.lost:
            return False
        beneath = next((cause for cause in self._causes if _of(cause) in ("aiohttp", "httpcore")), self._causes[0])
        never = (aiohttp.ClientConnectorError, aiohttp.ClientHttpProxyError, aiohttp.InvalidURL, httpcore.ConnectError)
        return isinstance(beneath, (*never, httpcore.UnsupportedProtocol, httpx.UnsupportedProtocol, httpx.InvalidURL))

    def kept_back(self, status: object) -> bool:
        """LiteLLM has refused the call itself: a key that is missing, a parameter that the provider does not have."""
        refused = self._no_client or (isinstance(status, int) and 400 <= status < 500)
        return refused and not self._causes and not self._overheard.begun

    @property
    def usage(self) -> object:
        """The count of tokens in what came, in the names of the OpenAI form; None where there is none."""
        raw = self._sent_body if self.status is not None else self._overheard.body
        try:
            usage = json.loads(raw or "").get("usage")
        except (ValueError, AttributeError, RecursionError):
            return None
        if not isinstance(usage, dict):
            return None
        return {**{ours: usage[theirs] for theirs, ours in _OTHER_NAMES.items() if theirs in usage}, **usage}

    def tell_bill(self, error: CallError, price: Price | None, *, kept_back: bool) -> None:
        """Only what never left, or was answered with a whole response that names no cost, costs nothing for sure."""
        unsure = self.status is None and not self.nobody_there and not kept_back
        unsure = unsure or (self.status is not None and self._sent_body is None)
        tell_bill(error, self.usage, price, generated=unsure)


def _causes(error: BaseException, before: BaseException | None) -> Iterator[BaseException]:
    """The error, and what it was raised from, and so on."""
    seen: set[int] = set() if before is None else {id(before)}
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        yield cause
        cause = cause.__cause__ or cause.__context__


def _of(error: BaseException) -> str:
    """The package that it belongs to."""
    return type(error).__module__.partition(".")[0]


def _content(response: Any) -> bytes | None:
    try:
        content = response.content
    except Exception:  # noqa: BLE001  one that was not read to its end
        return None
    return content if isinstance(content, bytes) else None
