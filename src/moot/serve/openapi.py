"""The OpenAPI description of what routes read by hand.

Headers and bodies are read by hand and only described here: resolving them is half of what FastAPI does for a request.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from fastapi import FastAPI, Request
from pydantic import BaseModel, ValidationError

from moot.serve.admission import Refused
from moot.serve.chat import LONGEST_S

F = TypeVar("F", bound=BaseModel)

BEARER: dict[str, Any] = {"security": [{"bearer": []}]}
CHAT = {
    **BEARER,
    "parameters": [
        {
            "name": "X-Moot-Team",
            "in": "header",
            "schema": {"type": "string", "enum": ["true", "false"]},
            "description": "true: the stream tells what happens at the table, as it happens.",
        },
        {
            "name": "X-Moot-Time-Limit",
            "in": "header",
            "schema": {"type": "number", "exclusiveMinimum": 0, "maximum": 3600},
            "description": "Seconds, like time_limit_s in the body.",
        },
    ],
}

_REF = "#/components/schemas/{model}"


def body_of(form: type[BaseModel]) -> dict[str, Any]:
    """The description of a body that a route reads by itself."""
    reference = {"$ref": _REF.format(model=form.__name__)}
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": reference}}}}


def describe(app: FastAPI, forms: Sequence[type[BaseModel]]) -> None:
    """Add what FastAPI cannot know: the bodies, and that a key may be asked for."""
    plain = app.openapi

    def described() -> dict[str, Any]:
        schema = plain()
        parts = schema.setdefault("components", {})
        parts["securitySchemes"] = {"bearer": {"type": "http", "scheme": "bearer"}}
        for form in forms:
            whole = form.model_json_schema(ref_template=_REF)
            parts.setdefault("schemas", {}).update({**whole.pop("$defs", {}), form.__name__: whole})
        return schema

    app.openapi = described  # type: ignore[method-assign]


async def read_body(form: type[F], request: Request) -> F:
    """The body in this form, or the first thing that is wrong with it."""
    raw = await request.body()
    try:
        return form.model_validate_json(raw)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        message = f"{place}: {first['msg']}" if place else str(first["msg"])
        raise Refused(400, message, code="invalid_request", param=place or None) from None


def time_limit_s(request: Request) -> float | None:
    given = request.headers.get("x-moot-time-limit")
    if given is None:
        return None
    try:
        limit_s = float(given)
    except ValueError:
        limit_s = 0.0
    if not 0 < limit_s <= LONGEST_S:
        words = f"X-Moot-Time-Limit: expected seconds, more than 0 and at most {LONGEST_S}"
        raise Refused(400, words, code="invalid_request", param="X-Moot-Time-Limit")
    return limit_s
