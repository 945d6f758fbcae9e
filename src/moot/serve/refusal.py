"""Every way in which the server says no, in the form that clients of this API know."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

import orjson
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from moot.errors import BudgetReached, MootError, StoreError
from moot.serve.admission import Refused

NOT_KEEPING = "The store cannot be written; until it can, nothing is answered."


def refuse_politely(app: FastAPI) -> None:
    """Whatever goes wrong in a route ends in the same form."""
    app.add_exception_handler(Refused, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(MootError, _moot_error)


def json_response(body: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(orjson.dumps(body), status_code=status, media_type="application/json", headers=dict(headers or {}))


def error_json(error: Refused) -> dict[str, Any]:
    return {"error": {"message": error.message, "type": error.kind, "param": error.param, "code": error.code}}


def as_refusal(error: Exception) -> Refused:
    if isinstance(error, Refused):
        return error
    if isinstance(error, BudgetReached):
        return Refused(503, str(error), code="budget_reached", kind="insufficient_quota")
    if isinstance(error, StoreError):  # whose words name files of the server; its log has them
        return Refused(503, NOT_KEEPING, code="store_error", kind="server_error", retry_after_s=1.0)
    return Refused(503, str(error), code="team_error", kind="server_error")


async def _refused(request: Request, error: Exception) -> Response:
    refusal = as_refusal(error)
    headers = {"Retry-After": f"{refusal.retry_after_s:.0f}"} if refusal.retry_after_s else {}
    if refusal.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return json_response(error_json(refusal), refusal.status, {**headers, "X-Request-Id": f"req_{uuid.uuid4().hex}"})


async def _moot_error(request: Request, error: Exception) -> Response:
    return await _refused(request, as_refusal(error))


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"] if part != "body")
    message = f"{place}: {first['msg']}" if place else str(first["msg"])
    return await _refused(request, Refused(400, message, code="invalid_request", param=place or None))


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    words = {404: f"Unknown request: {request.method} {request.url.path}", 405: "This path takes another method."}
    refusal = Refused(error.status_code, words.get(error.status_code, str(error.detail)), code="unknown_url")
    response = await _refused(request, refusal)
    response.headers.update(error.headers or {})
    return response
