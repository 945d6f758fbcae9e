"""An error in whichever form a server writes it: this is where the forms become one.

OpenAI and most others say `{"error": {"message", "type", "code"}}`. Gemini puts that into a list, vLLM and Mistral leave the
outer `error` away (`{"object": "error", "message"}`), FastAPI says `{"detail": [{"loc", "msg"}]}`, others `{"errors": [...]}` or
a text alone. The code is a number, a number as a text, or a name, OpenAI's (`rate_limit_exceeded`) or Google's
(`RESOURCE_EXHAUSTED`). MiniMax has numbers of its own (`base_resp`). An aggregator quotes the provider behind it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from moot.models import base_resp

DEEPEST = 4
"""Errors within errors are followed so far."""
MOST_PARTS = 64
"""What has more parts is not looked through: nobody needs so many to say that all went well."""
MOST_IN_ALL = 512
"""Nor parts of its parts."""
LONGEST_WELL = 200
"""Nor so many characters."""

_STATUS_OF_NAME = {
    **dict.fromkeys(("invalidargument", "failedprecondition", "outofrange", "badrequesterror", "badrequest"), 400),
    **dict.fromkeys(("invalidrequesterror", "invalidrequest", "contextlengthexceeded", "unsupportedparameter"), 400),
    **dict.fromkeys(("unsupportedvalue", "unknownparameter", "invalidvalue"), 400),
    **dict.fromkeys(("unauthenticated", "invalidapikey", "authenticationerror", "unauthorized"), 401),
    **dict.fromkeys(("insufficientcredits", "paymentrequired", "insufficientbalance"), 402),
    **dict.fromkeys(("permissiondenied", "permissionerror", "forbidden"), 403),
    **dict.fromkeys(("notfound", "notfounderror", "modelnotfound", "deploymentnotfound"), 404),
    **dict.fromkeys(("resourceexhausted", "ratelimitexceeded", "ratelimiterror", "toomanyrequests"), 429),
    **dict.fromkeys(("insufficientquota", "quotaexceeded", "throttled", "ratelimit", "ratelimited"), 429),
    **dict.fromkeys(("internal", "servererror", "internalservererror", "internalerror", "apierror"), 500),
    **dict.fromkeys(("unavailable", "serviceunavailable", "overloaded", "overloadederror", "engineoverloaded"), 503),
    **dict.fromkeys(("insufficientsystemresource",), 503),  # DeepSeek
    **dict.fromkeys(("deadlineexceeded", "gatewaytimeout", "timeout"), 504),
}
"""What a name would be as a status, without case and signs."""

ERRORS = ("error", "errors")
"""Where an error stands in a reply, or in a part of one."""
_WELL = re.compile(
    r"(?:the)?(?:request|operation|call|response|completion|task|query|api)?(?:was|is|has)?(?:been)?"
    r"(?:completed|processed|finished|executed)?(?:success|successful|successfully|succeeded|ok|okay)"
    r"|no(?:error|errors|problem|problems|issue|issues)(?:occurred|found|detected|reported)?"
    r"|completed|created|accepted|(?:操作|请求|执行|调用|处理|查询)?成功|无错误|正常"
)
"""How servers say that all went well, without case and signs."""
_BLANKS = " \t\r\n-–—_.\"'"
"""Signs that stand where nothing is to be said; others, and a banner of them, say something."""
_NUMBER = re.compile(r"\s*-?[0-9]{1,19}\s*")
_NOTHING = ("none", "null", "nil", "false", "no", "na", "undefined", "empty")
"""How they say nothing."""
_NO_WORDS_OF_IT = (
    *("requestid", "traceid", "logid", "timestamp", "time", "date", "param"),
    *("provider", "provider_name", "model", "region", "host", "version"),
)
_NAMES_AN_ID = re.compile(r"(?:^|[-_. ])(?:uu)?[iI][dD]$|[a-z]I[dD]$")
"""What stands beside an error and is none."""


def error_fields(body: object, deep: int = DEEPEST) -> Mapping[str, Any] | None:
    """The error that the body of a response holds, as one object with a `message`; None: it holds none."""
    if isinstance(body, list):
        found = (error_fields(each, deep - 1) for each in body[:8] if isinstance(each, Mapping)) if deep else iter(())
        return next((fields for fields in found if fields is not None), None)
    if not isinstance(body, (dict, Mapping)):  # nearly always a dict, which is told at once
        return None
    for name in ERRORS:
        if (error := body.get(name)) and tells(error):
            return _fields(error, body, deep)
    if (minimax := base_resp.error_fields(body.get("base_resp"))) is not None:
        return minimax
    if "choices" in body:
        return None
    if detail := body.get("detail"):
        return _fields(detail, body, deep)
    told = body.get("message") or body.get("msg")
    return body if isinstance(told, str) or body.get("object") == "error" else None


def tells(error: object) -> bool:
    """Whether it says of anything that it went wrong. Some gateways send the fields of an error with every reply, with nothing in
    them, or that all went well."""
    return _tells(error, iter(range(MOST_IN_ALL)))


def _tells(error: object, looks: Iterator[int], deep: int = DEEPEST) -> bool:
    """`looks`: one for each part that may still be looked at."""
    if not error or not deep or (isinstance(error, (list, Mapping)) and len(error) > MOST_PARTS):
        return bool(error)
    if next(looks, None) is None:
        return True
    if isinstance(error, list):
        return any(_tells(each, looks, deep - 1) for each in error)
    if not isinstance(error, Mapping):
        return not _is_well(error)
    if error_status(error) is not None:  # whatever it says beside that
        return True
    told = error.get("message") or error.get("msg")
    if (
        isinstance(told, str) and len(told) <= LONGEST_WELL and _WELL.fullmatch(_bare(told))
    ):  # whatever number it gives that
        return False
    return any(_tells(value, looks, deep - 1) for name, value in error.items() if not _is_beside(str(name)))


def _is_well(value: object) -> bool:
    """Whether a word or a number says that all went well, or nothing."""
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        value = int(value)
    if isinstance(value, str):
        if len(value) > LONGEST_WELL:
            return False
        return not value.strip(_BLANKS) or _bare(value) in _NOTHING or _WELL.fullmatch(_bare(value)) is not None
    return type(value) in (int, float) and (value == 0 or 200 <= value < 300)  # type: ignore[operator]


def _bare(words: str) -> str:
    return "".join(sign for sign in words[:LONGEST_WELL].casefold() if sign.isalnum())


def _is_beside(name: str) -> bool:
    return name.casefold() in _NO_WORDS_OF_IT or _NAMES_AN_ID.search(name) is not None


def _fields(error: object, around: Mapping[str, Any], deep: int) -> Mapping[str, Any]:
    if isinstance(error, list) and error:
        looks = iter(range(MOST_IN_ALL))
        error = next((each for each in error[:MOST_PARTS] if _tells(each, looks)), error[0])
    if not isinstance(error, str | Mapping):
        told = around.get("message") or around.get("msg")
        code = {} if _number(error) is None else {"code": error}
        error = {**code, "message": told} if isinstance(told, str) else {**code, "message": str(error)}
    if isinstance(error, str):
        return {**{name: around[name] for name in ("code", "type", "status") if name in around}, "message": error}
    if "loc" in error and isinstance(error.get("msg"), str):
        place = ".".join(str(part) for part in error["loc"]) if isinstance(error["loc"], list) else str(error["loc"])
        return {**error, "message": f"{place}: {error['msg']}"}
    if deep and isinstance(error.get("error"), Mapping) and "message" not in error:
        return _fields(error["error"], error, deep - 1)
    return error


def error_in(raw: bytes | bytearray | str) -> Mapping[str, Any] | None:
    """The same of a body that is not read yet."""
    try:
        return error_fields(json.loads(raw))
    except (ValueError, RecursionError):
        return None


def error_words(error: Mapping[str, Any]) -> str:
    """The server's own words, with those of the provider that it quotes; empty where it says nothing."""
    message = error.get("message") or error.get("msg")
    words = message if isinstance(message, str) else ""
    metadata = error.get("metadata")
    quoted = metadata.get("raw") if isinstance(metadata, Mapping) else None
    if isinstance(quoted, str) and quoted and quoted not in words:
        by = metadata.get("provider_name") if isinstance(metadata, Mapping) else None
        return f"{words} ({by if isinstance(by, str) else 'provider'}: {quoted})"
    return words


def error_code(error: Mapping[str, Any]) -> str:
    """The server's word for what went wrong, such as `model_not_found`; empty where it gives none."""
    code = error.get("code")
    return str(code)[:300] if isinstance(code, str | int) and not isinstance(code, bool) else ""


def error_status(error: Mapping[str, Any]) -> int | None:
    """What the error would be as an HTTP status, by its code, number or name; None: it does not say."""
    values = [error.get(name) for name in ("code", "status", "status_code", "type")]
    metadata = error.get("metadata")
    if isinstance(metadata, Mapping):
        values.append(metadata.get("error_type"))
    numbers = (_number(value) for value in values)
    named = (_STATUS_OF_NAME.get(_plain(value)) for value in values if isinstance(value, str))
    return next((status for status in (*numbers, *named) if status is not None), None)


def _number(code: object) -> int | None:
    """An HTTP status that is written as a number or as a text."""
    if isinstance(code, str) and re.fullmatch(r"[1-9][0-9]{2}", code):
        code = int(code)
    return code if type(code) is int and 400 <= code < 600 else None


def _plain(name: str) -> str:
    return re.sub(r"[^a-z]", "", name[:100].casefold())
