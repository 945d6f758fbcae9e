"""Is it a filter that refuses? Providers say so in many shapes: this is where they become one.

A filter's word on a prompt comes as an HTTP error (400 or 403, with a code or in words only), as an error inside a
reply that is otherwise a success, as a reply without a choice and a reason for the block, or as the reason why a choice
ended. All of them are the outcome *refused*: asked again the filter would say the same, and it is no failure of the
line. What names an account, a key or a permission is none of it, whatever else it says: that would make one wrong key
look like a model that refuses everything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

FILTERED = "content_filter"
"""The finish reason of a reply that a filter stopped, whichever word the provider has for it."""

_CODES = frozenset(
    (
        "contentfilter", "contentfiltered", "contentfiltererror", "contentpolicyviolation", "contentpolicyviolationerror",
        "contentpolicy", "contentmoderation", "contentblocked", "responsibleaipolicyviolation", "moderationblocked",
        "moderation", "safety", "safetyblock", "promptblocked", "prohibitedcontent", "sensitivecontent", "refusal",
        "datainspectionfailed", "inputtextsensitivecontentdetected", "outputtextsensitivecontentdetected",
        "inputtextriskdetection", "outputtextriskdetection", "guardrailintervened", "imagesafety", "blocklist", "spii",
        "recitation", "1301",
    )
)  # fmt: skip
"""Codes, types and reasons that mean a filter, without case and signs. 1301 is Zhipu's."""

_FINISHES = frozenset(
    (
        "contentfilter", "contentfiltered", "safety", "imagesafety", "prohibitedcontent", "blocklist", "spii", "recitation",
        "sensitive", "guardrailintervened", "contentpolicyviolation", "blocked", "promptblocked", "modelarmor",
        "errortoxic",
    )
)  # fmt: skip
"""Reasons why a choice ended. A model's own refusal has a word of its own, `refusal`, and keeps it."""

_STATUSES = (400, 403, 422, 451)
"""Where words alone may tell. Any other status needs a code."""

_WORDS = re.compile(
    r"content[ _-]?(?:management )?(?:filter|polic)|filtered due|flagged|moderation|usage polic|safety (?:reason|filter|system"
    r"|setting|polic|guard|check)|(?:for|due to|by) safety|inappropriate content|inappropiate content|sensitive (?:content"
    r"|information)|prohibited content|guardrail|prompt injection",
    re.IGNORECASE,
)
_BY_NAME = re.compile(r"content exists risk|content violates usage guidelines|\bSAFETY_CHECK_TYPE_[A-Z]", re.IGNORECASE)
"""DeepSeek's and xAI's own words. xAI names the key and a permission beside them, and means neither."""
_OF_WHAT = re.compile(r"\b(?:prompt|input|content|request|response|output|text|message|question)s?\b", re.IGNORECASE)
_OF_SOMETHING_ELSE = re.compile(
    r"\b(?:account|api[ _-]?key|credential|permission|billing|quota|credits?|subscription|organi[sz]ation|region|country"
    r"|not enabled|not supported|unsupported|unknown (?:parameter|field)|invalid (?:parameter|value|type)|must be)",
    re.IGNORECASE,
)


def filter_words(body: object, status: int) -> str | None:
    """What a filter says in the body of an error, in words; None where it is another error."""
    if isinstance(body, list) and body:
        body = body[0]
    if not isinstance(body, Mapping):
        return _words_alone(body, status) if isinstance(body, str) else None
    errors = [error for error in _errors_in(body) if isinstance(error, Mapping)]
    words = next((text for error in errors if (text := _message(error))), "")
    if any(_is_code(code) for error in errors for code in _codes(error)):
        return words or FILTERED
    if any(_flagged(error.get("metadata")) for error in errors):
        return words or FILTERED
    return _words_alone(words or _bare_words(body), status)


def is_filter_finish(finish: str) -> bool:
    """Whether a choice ended because a filter wanted it so."""
    return _plain(finish) in _FINISHES


def block_reason(body: Mapping[str, Any], choice: Mapping[str, Any]) -> str | None:
    """Why there is no reply in a body without one, where a filter is the reason; None: nobody says."""
    if not (_MAY_NAME_A_FILTER.isdisjoint(choice) and _MAY_NAME_A_FILTER.isdisjoint(body)):
        return _blocked_by(body, choice)
    return None


_MAY_NAME_A_FILTER = frozenset(
    ("prompt_feedback", "promptFeedback", "native_finish_reason", "prompt_filter_results", "content_filter_results")
)


def _blocked_by(body: Mapping[str, Any], choice: Mapping[str, Any]) -> str | None:
    for feedback in (body.get("prompt_feedback"), body.get("promptFeedback")):
        if isinstance(feedback, Mapping):
            reason = feedback.get("block_reason") or feedback.get("blockReason")
            if reason:
                return f"blocked: {reason}"
    if (native := choice.get("native_finish_reason")) and _plain(str(native)) in _FINISHES:
        return f"blocked: {native}"
    prompts = body.get("prompt_filter_results")
    parts = [part for part in prompts if isinstance(part, Mapping)] if isinstance(prompts, list) else []
    results = [part.get("content_filter_results") for part in (choice, *parts)]
    named = [name for result in results if isinstance(result, Mapping) for name in _filtered_in(result)]
    return f"filtered: {', '.join(dict.fromkeys(named))}" if named else None


def _filtered_in(results: Mapping[str, Any]) -> Iterator[str]:
    for name, result in results.items():
        if isinstance(result, Mapping) and result.get("filtered") is True:
            yield str(name)


def _errors_in(body: Mapping[str, Any]) -> Iterator[object]:
    """The error and what stands behind it: Azure's inner one, a proxy's fields of the provider, its own raw body."""
    error = body.get("error", body)
    if isinstance(error, list):
        error = next(iter(error), None)
    yield error
    if not isinstance(error, Mapping):
        return
    inner = error.get("innererror") or error.get("inner_error")
    yield inner
    for name in ("provider_specific_fields", "metadata"):
        if isinstance(more := error.get(name), Mapping):
            yield more.get("innererror")
            yield {"code": more.get("error_type"), "type": more.get("provider_code")}


def _codes(error: Mapping[str, Any]) -> Iterator[str]:
    for name in ("code", "type", "status", "reason"):
        value = error.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool):
            yield str(value)


def _is_code(code: str) -> bool:
    """Alone, or as the last part of a dotted or prefixed one (``InternalError.Algo.DataInspectionFailed``)."""
    return _plain(code) in _CODES or _plain(re.split(r"[./:]", code)[-1]) in _CODES


def _flagged(metadata: object) -> bool:
    """OpenRouter's word on moderation."""
    return isinstance(metadata, Mapping) and ("flagged_input" in metadata or bool(metadata.get("reasons")))


def _message(error: Mapping[str, Any]) -> str:
    message = error.get("message") or error.get("msg")
    return message if isinstance(message, str) else ""


def _bare_words(body: Mapping[str, Any]) -> str:
    """The words of an error that is nothing but words, or stands under `detail`."""
    for named in (body.get("error"), body.get("detail")):
        if isinstance(named, list):
            named = next(iter(named), None)
        if isinstance(named, str) and named:
            return named
        if isinstance(named, Mapping) and (words := _message(named)):
            return words
    return ""


def _words_alone(words: str, status: int) -> str | None:
    if status in _STATUSES and _BY_NAME.search(words):
        return words
    if status not in _STATUSES or not _WORDS.search(words) or not _OF_WHAT.search(words):
        return None
    return None if _OF_SOMETHING_ELSE.search(words) else words


def _plain(word: str) -> str:
    return re.sub(r"[^a-z0-9]", "", word.casefold())
