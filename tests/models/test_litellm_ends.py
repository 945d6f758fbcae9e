"""How a call through LiteLLM ended, told by what its error was raised from: LiteLLM itself is not asked."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import aiohttp
import httpcore
import httpx
import pytest

from moot.errors import ServerFailed
from moot.models.litellm_ends import CallEnd, Overheard
from moot.types import Price

ASKED = httpx.Request("POST", "http://here/v1")
USAGE = {"prompt_tokens": 3, "completion_tokens": 2}


def raised_from(*causes: BaseException) -> BaseException:
    """The first, raised from the second, and so on."""
    for error, cause in pairwise(causes):
        error.__cause__ = cause
    return causes[0]


def answered(status: int, content: bytes = b"{}") -> httpx.HTTPStatusError:
    response = httpx.Response(status, headers={"retry-after": "3"}, content=content, request=ASKED)
    return httpx.HTTPStatusError("no", request=ASKED, response=response)


def end(*causes: BaseException, before: BaseException | None = None, heard: Overheard | None = None) -> CallEnd:
    return CallEnd(raised_from(*causes), before, heard or Overheard())


def own_error(module: str, name: str = "OpenAIError") -> BaseException:
    made: type[Exception] = type(name, (Exception,), {"__module__": module})
    return made("no key")


def test_a_status_that_somebody_sent_stands_whatever_litellm_makes_of_it() -> None:
    found = end(ValueError("InternalServerError"), answered(429, b'{"usage": {"input_tokens": 3, "output_tokens": 2}}'))
    assert (found.status, found.headers["retry-after"]) == (429, "3")
    assert (found.sent_or_lost, found.lost, found.nobody_there) == (True, False, False)
    assert found.sent == {"usage": {"input_tokens": 3, "output_tokens": 2}}
    assert found.usage == {"input_tokens": 3, "output_tokens": 2, **USAGE}
    assert end(answered(500, b"<html>")).sent is None
    assert end(answered(500, b"[]")).usage is None
    assert end(answered(500, b'{"usage": 7}')).usage is None


@pytest.mark.parametrize(
    ("causes", "nobody"),
    [
        ([httpx.ConnectError("refused"), httpcore.ConnectError("refused")], True),
        ([httpx.ConnectError("in words of httpx"), httpcore.ReadError("cut")], False),
        ([httpx.ReadError("cut")], False),
        ([httpx.UnsupportedProtocol("ftp")], True),
        ([httpx.InvalidURL("odd")], True),
        ([aiohttp.InvalidURL("odd")], True),
        ([aiohttp.ServerDisconnectedError()], False),
    ],
    ids=["refused", "cut beneath", "cut", "protocol", "address", "address of aiohttp", "disconnected"],
)
def test_whether_anything_can_have_left(causes: list[BaseException], nobody: bool) -> None:
    found = end(RuntimeError("APIError"), *causes)
    assert (found.status, found.lost, found.sent_or_lost, found.nobody_there) == (None, True, True, nobody)


def test_what_another_call_ended_with_is_none_of_this_ones() -> None:
    before = answered(500)
    assert end(ValueError("ours"), before, before=before).status is None
    assert not end(ValueError("ours"), before, before=before).sent_or_lost
    turning = ValueError("a")
    turning.__cause__ = other = ValueError("b")
    other.__cause__ = turning
    assert not CallEnd(turning, None, Overheard()).lost, "a circle has an end"
    hidden = ValueError("ours")
    hidden.__context__ = answered(503)
    assert CallEnd(hidden, None, Overheard()).status == 503


@pytest.mark.parametrize(
    ("causes", "status", "begun", "kept_back"),
    [
        ([own_error("openai")], None, False, True),
        ([own_error("openai", "RateLimitError")], None, False, False),
        ([own_error("theirs")], None, False, False),
        ([ValueError("no such parameter")], 400, False, True),
        ([ValueError("no such parameter")], 499, False, True),
        ([ValueError("made up")], 500, False, False),
        ([ValueError("made up")], 399, False, False),
        ([ValueError("in words")], "400", False, False),
        ([ValueError("no such parameter")], 400, True, False),
        ([ValueError("no"), httpx.ReadError("cut")], 400, False, False),
    ],
    ids=str,
)
def test_what_litellm_has_refused_itself(
    causes: list[BaseException], status: Any, begun: bool, kept_back: bool
) -> None:
    heard = Overheard()
    if begun:
        heard({"model": "m"})
    assert heard.begun is begun
    assert end(*causes, heard=heard).kept_back(status) is kept_back


def test_what_came_is_the_first_that_was_said_to() -> None:
    heard = Overheard()
    for response in (None, json.dumps({"usage": USAGE}), "made of it"):
        heard({"original_response": response})
    assert heard.body == json.dumps({"usage": USAGE})
    assert end(ValueError("unreadable"), heard=heard).usage == USAGE
    assert end(ValueError("unreadable")).usage is None


@pytest.mark.parametrize(
    ("body", "failed"),
    [
        ({"choices": [{"finish_reason": "error"}]}, True),
        ({"choices": [{"finish_reason": "stop"}]}, False),
        ({"choices": [{"finish_reason": "stop", "native_finish_reason": "abort"}]}, True),
        ({"choices": [], "base_resp": {"status_code": 1002}}, True),
        ({"choices": [], "base_resp": {"status_code": 0}}, False),
        ({"choices": [7]}, False),
        (["choices"], False),
        ({"error": "of another kind"}, False),
    ],
    ids=str,
)
def test_a_completion_that_says_that_it_failed(body: Any, failed: bool) -> None:
    heard = Overheard()
    assert heard.failed is None
    heard({"original_response": json.dumps(body)})
    assert heard.failed == (json.dumps(body) if failed else None)


@pytest.mark.parametrize(
    ("causes", "kept_back", "usd", "unsure"),
    [
        ([answered(500)], False, 0.0, False),
        ([answered(500, json.dumps({"usage": USAGE}).encode())], False, 5.0, False),
        ([httpx.ReadError("cut")], False, None, True),
        ([httpx.ConnectError("refused")], False, 0.0, False),
        ([ValueError("no key")], True, 0.0, False),
        ([ValueError("unreadable")], False, None, True),
    ],
    ids=["answered", "counted", "cut", "refused", "kept back", "unreadable"],
)
def test_what_of_it_is_on_a_bill(causes: list[BaseException], kept_back: bool, usd: float | None, unsure: bool) -> None:
    error = ServerFailed("no", status=500)
    beneath = [httpcore.ConnectError("refused")] if isinstance(causes[0], httpx.ConnectError) else []
    end(*causes, *beneath).tell_bill(error, Price(1e6, 1e6), kept_back=kept_back)
    assert (error.billed_usd or 0.0) == (usd or 0.0)
    assert bool(error.maybe_billed and error.billed_usd is None) is unsure
