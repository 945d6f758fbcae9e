"""How a server of this form says no: one error object, whatever the reason."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from functools import partial
from typing import Any

import orjson
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response


class Refused(Exception):
    """A request that is turned away, in the words and with the status of the OpenAI API."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        code: str | None = None,
        kind: str = "invalid_request_error",
        param: str | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message)
        self.status, self.message, self.code, self.kind = status, message, code, kind
        self.param, self.retry_after_s = param, retry_after_s

    def __reduce__(self) -> tuple[Any, ...]:
        """From one process of a server to another."""
        told: dict[str, Any] = {"code": self.code, "kind": self.kind, "param": self.param}
        return partial(Refused, self.status, self.message, **told, retry_after_s=self.retry_after_s), ()


def error_json(refusal: Refused) -> dict[str, Any]:
    return {"error": {"message": refusal.message, "type": refusal.kind, "param": refusal.param, "code": refusal.code}}


def late_error_json(refusal: Refused) -> dict[str, Any]:
    """As the last event of a stream. The stream had its own status, so that of the error stands in it."""
    return {"error": {**error_json(refusal)["error"], "status": refusal.status}}


def refusal_response(refusal: Refused, headers: Mapping[str, str] | None = None) -> Response:
    response_headers = {"X-Request-Id": f"req_{uuid.uuid4().hex}"}
    if refusal.retry_after_s:
        response_headers["Retry-After"] = f"{refusal.retry_after_s:.0f}"
    if refusal.status == 401:
        response_headers["WWW-Authenticate"] = "Bearer"
    return json_response(error_json(refusal), refusal.status, {**response_headers, **(headers or {})})


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    return refusal_response(error)


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    words = {404: f"Unknown request: {request.method} {request.url.path:.200}", 405: "This path takes another method."}
    refusal = Refused(error.status_code, words.get(error.status_code, str(error.detail)), code="unknown_url")
    return refusal_response(refusal, error.headers)


REFUSALS: dict[Any, Any] = {Refused: _refused, HTTPException: _http_error}
"""For an application's `exception_handlers`: whatever is raised, the client gets the same form."""


def json_response(body: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(json_bytes(body), status_code=status, media_type="application/json", headers=headers)


def json_bytes(value: object) -> bytes:
    try:
        return orjson.dumps(value)
    except TypeError:  # half a surrogate pair, which some model wrote: the slow way knows how to escape it
        return json.dumps(value).encode()
