"""Why a server does not take the form that a reply is asked for in, by its own words.

Three things look alike: a server that knows no JSON schemas, one that does not like this schema, and a model that did not
keep to it this time. Only the first says something about the calls to come.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal

Complaint = Literal["mode", "schema", "generation"]
"""The mode is not supported; something else about the form is not taken; what was generated does not fit it."""

FORM_STATUSES = (400, 404, 415, 422, 501)

_FORM = re.compile(r"response.?format|json|schema|structured|grammar|guided", re.IGNORECASE)
_MODE = re.compile(
    r"response.?format|json.?(?:schema|object|mode|output)|structured.?output|guided|grammar", re.IGNORECASE
)
_UNSUPPORTED = re.compile(
    r"\bun(?:supported|known|available|recogni[sz]ed|expected)\b|(?:\bnot|n't)\s+(?:\w+\s+)?(?:support|available|implement"
    r"|allow|permit|recogni[sz]e|known|enabled|valid\b|accept|one of)|no support|extra (?:input|field)|must be|should be"
    r"|expected one of|invalid (?:value|type|parameter|argument|option|field|enum|response.?format)",
    re.IGNORECASE,
)
_OF_A_SCHEMA = re.compile(
    r"invalid (?:json.?)?schema|schema for|in context|additional.?properties|\bkeywords?\b|\$ref|\bproperties\b"
    r"|\brequired\b|schema (?:is |was )?(?:too|could|has|contains|must)|too (?:complex|deep|large|many)"
    r"|(?<!json_)schema (?:is |was )?not|json_schema (?:is |was )?not (?!(?:\w+ )?(?:support|available|enabled|implement|allow))",
    re.IGNORECASE,
)
_GENERATED = re.compile(
    r"failed.?generation|(?:failed|unable|could not|cannot) (?:to )?(?:generate|validate|parse|produce|complete) (?:valid |the )?"
    r"(?:json|output|generat|model)|generated (?:json|output|text|content)"
    r"|(?:json|output).?(?:validat\w{0,9}|parse|generation).?fail"
    r"|model (?:output|did not (?:output|produce|generate))|tool.?use.?fail",
    re.IGNORECASE,
)


def complaint(status: int, raw: bytes | bytearray) -> Complaint | None:
    """What a rejection says about the form; None where it is about something else.

    Of an error the server's own words and codes count, and nothing around them: an address may have "json" in it.
    """
    if status not in FORM_STATUSES:
        return None
    words = " ".join(_said(raw))
    if not _FORM.search(words):
        return None
    if _GENERATED.search(words):
        return "generation"
    if _MODE.search(words) and _UNSUPPORTED.search(words) and not _OF_A_SCHEMA.search(words):
        return "mode"
    return "schema"


def _said(raw: bytes | bytearray) -> Iterator[str]:
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        yield raw[:4_000].decode("utf-8", "replace")
        return
    error = body.get("error", body) if isinstance(body, Mapping) else body
    if not isinstance(error, Mapping):
        yield str(error)[:4_000]
        return
    for name in ("message", "msg", "detail", "code", "type", "param"):
        if (value := error.get(name)) is not None:
            yield str(value)[:4_000]
    if "failed_generation" in error:
        yield "failed_generation"


def schema_key(schema: Mapping[str, Any]) -> str:
    """One text for a schema that a server did not like."""
    return json.dumps(schema, sort_keys=True, default=str)
