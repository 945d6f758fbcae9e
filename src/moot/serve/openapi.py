"""The routes of the served API, each with what OpenAPI tells of it, and the description made of them all.

Bodies and headers are read by the handlers themselves; what they read is described here, beside the path.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from inspect import getdoc
from typing import Any, get_args

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from moot import __version__
from moot.openai_form.refusal import Refused
from moot.serve.asked_for import LONGEST_S
from moot.types import QuestionKind

Handler = Callable[[Request], Awaitable[Response]]

TEAM_HEADER = {
    "name": "X-Moot-Team",
    "in": "header",
    "schema": {"type": "string", "enum": ["true", "false"]},
    "description": "true: the stream tells what happens at the table, as it happens.",
}
TIME_HEADER = {
    "name": "X-Moot-Time-Limit",
    "in": "header",
    "schema": {"type": "number", "exclusiveMinimum": 0, "maximum": LONGEST_S},
    "description": "Seconds, like time_limit_s in the body.",
}

_REFUSED = {
    400: "The request is wrong.",
    401: "The key is wrong.",
    403: "The page that asks is not allowed to, or the key is no admin's.",
    404: "There is no such team or episode.",
    408: "Nobody answered, or no place was free, within the time limit of the request.",
    409: "The team gave no answer that could be right or wrong.",
    413: "The body is too large.",
    415: "The body is not application/json.",
    421: "The server does not answer to this name.",
    429: "Too many requests; Retry-After says when to come back.",
    500: "The server made a mistake.",
    502: "The team has no answer.",
    503: "The budget is spent, or the store cannot be written.",
}
_JSON = "application/json"
_SECONDS = re.compile(r"(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][-+]?[0-9]++)?")
_REF = "#/components/schemas/{model}"
_ERROR = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["message", "type", "param", "code"],
            "properties": {
                "message": {"type": "string"},
                "type": {"type": "string"},
                "param": {"type": ["string", "null"]},
                "code": {"type": ["string", "null"]},
            },
        }
    },
}


_MOOT = {
    "type": "object",
    "description": "What an ordinary model has not.",
    "required": [
        "episode",
        "strategy",
        "outcome",
        "probability",
        "calls",
        "cost_usd",
        "seconds",
        "kind",
        "not_applied",
    ],
    "properties": {
        "episode": {"type": "string", "description": "The id to give feedback on."},
        "strategy": {"type": "string"},
        "captain": {"type": ["string", "null"]},
        "outcome": {"type": "string", "enum": ["answered", "undecided", "abstained", "refused"]},
        "probability": {
            "type": ["number", "null"],
            "minimum": 0,
            "maximum": 1,
            "description": "That the answer is right; null with why. Where the outcome is abstained, that it would have been.",
        },
        "probability_from": {"type": "string", "description": "What the probability was learnt from."},
        "why": {"type": "string", "description": "Why there is no probability."},
        "cause": {"type": "string", "description": "Why there is no answer, or no decision."},
        "note": {"type": "string", "description": "What is worth knowing of the answer, such as that no two agreed."},
        "who": {"type": "array", "items": {"type": "string"}},
        "agreement": {"type": ["number", "null"]},
        "diversity": {"type": ["integer", "null"]},
        "agreement_why": {"type": "string", "description": "Why there is no agreement, nor diversity."},
        "absent": {"type": "array", "items": {"type": "string"}},
        "not_needed": {"type": "array", "items": {"type": "string"}},
        "deadline_s": {"type": "number"},
        "turns": {"type": "integer"},
        "calls": {"type": "integer"},
        "cost_usd": {"type": ["number", "null"]},
        "seconds": {"type": "number"},
        "kind": {
            "type": "string",
            "enum": list(get_args(QuestionKind)),
            "description": "What the question was taken for.",
        },
        "choice": {"type": "string", "description": "The text of the choice that the answer is the letter of."},
        "not_applied": {
            "type": "array",
            "items": {"type": "string"},
            "description": "What the request says that changes nothing, since the team is served as it was measured.",
        },
        "cut_by": {
            "type": "string",
            "enum": ["max_tokens", "stop", "model"],
            "description": "Why the text ends before the answer does; model: whoever wrote it was cut off by its own length.",
        },
    },
}


class DescribedRoute(Route):
    """A path, who answers there, and what is told of it."""

    def __init__(
        self,
        path: str,
        handler: Handler,
        *,
        method: str = "GET",
        body: type[BaseModel] | None = None,
        parameters: Sequence[Mapping[str, Any]] = (),
        key: bool = True,
        answers: Sequence[str] = (_JSON,),
        asks_team: bool = False,
        unfinished: str | None = None,
    ) -> None:
        """`unfinished`: what it means where the answer is that something is still to be done (202)."""
        super().__init__(path, handler, methods=[method])
        self.method = method.lower()
        self.body = body
        self.parameters = [*parameters, *(_in_path(name) for name in self.param_convertors)]
        self.key = key
        self.answers = answers
        self.asks_team = asks_team
        self.unfinished = unfinished

    def operation(self) -> dict[str, Any]:
        operation: dict[str, Any] = {
            "operationId": self.name,
            "summary": (getdoc(self.endpoint) or "").partition("\n")[0],
            "responses": {"200": {"description": "The answer.", "content": {kind: {} for kind in self.answers}}},
        }
        if self.unfinished is not None:
            operation["responses"]["202"] = {"description": self.unfinished, "content": {_JSON: {}}}
        if self.asks_team:
            beside = {
                "type": "object",
                "required": ["moot"],
                "properties": {"moot": {"$ref": _REF.format(model="Moot")}},
            }
            operation["responses"]["200"]["content"][_JSON] = {"schema": beside}
        if self.parameters:
            operation["parameters"] = self.parameters
        if self.body is not None:
            schema = {"$ref": _REF.format(model=self.body.__name__)}
            operation["requestBody"] = {"required": True, "content": {_JSON: {"schema": schema}}}
        if self.key:
            operation["security"] = [{"bearer": []}]
            schema = {"$ref": _REF.format(model="Error")}
            operation["responses"] |= {
                str(status): {"description": words, "content": {_JSON: {"schema": schema}}}
                for status, words in _REFUSED.items()
            }
        return operation


def _in_path(name: str) -> dict[str, Any]:
    return {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}


def described(routes: Iterable[BaseRoute]) -> dict[str, Any]:
    """The OpenAPI description of all routes that have one."""
    paths: dict[str, dict[str, Any]] = {}
    schemas: dict[str, Any] = {"Error": _ERROR, "Moot": _MOOT}
    for route in routes:
        if not isinstance(route, DescribedRoute):
            continue
        paths.setdefault(route.path_format, {})[route.method] = route.operation()
        if route.body is not None:
            whole = route.body.model_json_schema(ref_template=_REF)
            schemas |= {**whole.pop("$defs", {}), route.body.__name__: whole}
    return {
        "openapi": "3.1.0",
        "info": {"title": "moot", "version": __version__},
        "paths": paths,
        "components": {"schemas": schemas, "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}}},
    }


def whole_number(name: str, *, least: int, most: int, default: int) -> dict[str, Any]:
    """The description of a number in the query."""
    schema = {"type": "integer", "minimum": least, "maximum": most, "default": default}
    return {"name": name, "in": "query", "required": False, "schema": schema}


def read_whole_number(request: Request, parameter: Mapping[str, Any]) -> int:
    """The number that the query holds, as it was described."""
    name, schema = parameter["name"], parameter["schema"]
    text = request.query_params.get(name, str(schema["default"]))
    number = int(text) if text.isascii() and text.isdecimal() and len(text) < 20 else -1
    if not schema["minimum"] <= number <= schema["maximum"]:
        words = f"{name}: expected a whole number from {schema['minimum']} to {schema['maximum']}"
        raise Refused(400, words, code="invalid_request", param=name)
    return number


def time_limit_s(request: Request) -> float | None:
    header = request.headers.get("x-moot-time-limit")
    if header is None:
        return None
    limit_s = float(header) if _SECONDS.fullmatch(header) else 0.0
    if not 0 < limit_s <= LONGEST_S:
        words = f"X-Moot-Time-Limit: expected seconds, more than 0 and at most {LONGEST_S}"
        raise Refused(400, words, code="invalid_request", param="X-Moot-Time-Limit")
    return limit_s
