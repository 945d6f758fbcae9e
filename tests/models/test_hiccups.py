"""A success that is none: what an endpoint sends when it fails is its failure, tried again with pauses, and no answer."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hostile_server import GOOD, completion, hostile, http, until_closed

import moot
from moot import Case, Question
from moot.errors import RateLimited, TransportError
from moot.models.retry import Patience

CASES = [Case(Question("q1", "Which?"), "A")]
ATTEMPTS = 3


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[TransportError]:
    """What each pause was made for; they take no time here."""
    made: list[TransportError] = []
    asked_s = Patience.pause_s

    def no_time(self: Patience, failures: int, error: TransportError) -> float:
        assert asked_s(self, failures, error) > 0
        made.append(error)
        return 0.001

    monkeypatch.setattr(Patience, "pause_s", no_time)
    return made


def cup(base_url: str, folder: Path, **model: Any) -> dict[str, Any]:
    ann = {"provider": "endpoint", "base_url": base_url, "model": "m", "retries": {"attempts": ATTEMPTS}, **model}
    return {"name": "cup", "questions": CASES, "models": {"ann": ann}, "store": f"sqlite:///{folder}/cup.db"}


def outcomes(results: moot.Results) -> Any:
    return results.figures["accuracy"][0]["outcomes"]


def sse(*events: Any) -> bytes:
    return b"".join(b"data: " + (e if isinstance(e, bytes) else json.dumps(e).encode()) + b"\n\n" for e in events)


def chunk(content: str = "", finish: str | None = None, **more: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": {"content": content}, "finish_reason": finish, **more}]}


def ended(finish: str, content: str | None = None, **more: Any) -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": finish, **more}
    return {"choices": [choice]}


PACKED = gzip.compress(json.dumps(completion()).encode())
ERROR = {"message": "upstream went away", "type": "server_error"}

WHOLE: dict[str, bytes] = {
    "HTML": http("<html><body>Just a moment...</body></html>", Content_Type="text/html"),
    "broken JSON": http('{"choices": [{"message": {"content": "' + GOOD[:9]),
    "nothing": http(""),
    "no content": http("", 204),
    "null": http("null"),
    "a list": http("[]"),
    "no choices": http({"id": "1"}),
    "choices of another kind": http({"choices": {"0": {}}}),
    "an empty list of choices": http({"choices": []}),
    "a choice that is none": http({"choices": [None]}),
    "an error without a code": http({"error": {"message": "Provider returned error"}}),
    "an error that is a text": http({"error": "overloaded"}),
    "an error of 502": http({"error": {"message": "Provider returned error", "code": 502}, "user_id": "u"}),
    "an error of 524, as a text": http({"error": {"message": "timeout", "code": "524"}}),
    "an error in the choice": http(ended("error", error=ERROR)),
    "an error behind some words": http(ended("error", "It is well", error={**ERROR, "code": 502})),
    "finish_reason error": http(ended("error", "It is well")),
    "finish_reason error, all words": http(ended("error", GOOD)),
    "finish_reason network_error": http(ended("network_error")),
    "finish_reason insufficient_system_resource": http(ended("insufficient_system_resource", "It is")),
    "finish_reason abort": http(ended("abort", "It is")),
    "shorter than its length": http(completion())[:-20],
    "cut at an unknown length": until_closed(json.dumps(completion())[:-20].encode()),
    "gzip cut short": until_closed(PACKED[:-30], Content_Encoding="gzip"),
    "gzip that is none": until_closed(b"not packed at all", Content_Encoding="gzip"),
    "an encoding that nobody asked for": until_closed(PACKED, Content_Encoding="br"),
    "packed twice": until_closed(gzip.compress(PACKED), Content_Encoding="gzip, gzip"),
    "no HTTP": b"220 smtp.example.org ESMTP\r\n",
    "408": http({"error": {"message": "timed out"}}, 408),
}
STREAMED: dict[str, bytes] = {
    "HTML": http("<html>Just a moment...</html>", Content_Type="text/html"),
    "nothing": http(""),
    "an end and nothing else": http(sse(b"[DONE]")),
    "no finish": http(sse(chunk('{"reasoning": '), chunk('"It is'))),
    "no JSON": http(sse(chunk("It is"), b"{broken")),
    "an error": http(sse(chunk("It is"), {"error": ERROR})),
    "an error with a choice": http(sse(chunk(GOOD), {"error": {"code": 502, "message": "gone"}, **chunk("", "error")})),
    "finish_reason error": http(sse(chunk(GOOD), chunk("", "error"), b"[DONE]")),
    "an error, not streamed": http({"error": ERROR}),
    "cut": http(sse(chunk("It is"), chunk("well", "stop")))[:-60],
    "an empty list of choices": http(sse({"choices": []}, b"[DONE]")),
}
HICCUPS = [(False, *case) for case in WHOLE.items()] + [(True, *case) for case in STREAMED.items()]


@pytest.mark.parametrize(
    ("stream", "sent"), [case[::2] for case in HICCUPS], ids=[f"{'stream' if s else 'whole'}: {n}" for s, n, _ in HICCUPS]
)
async def test_a_hiccup_is_the_endpoints_failure(
    stream: bool, sent: bytes, tmp_path: Path, pauses: list[TransportError]
) -> None:
    """Tried again with a pause before each; then failed, and the next run asks again."""
    async with hostile(lambda body, number: sent if number <= ATTEMPTS else http(completion())) as server:
        results = await moot.arun(cup(server.base_url, tmp_path, stream=stream))
        assert outcomes(results) == {"failed": 1}
        assert len(server.seen) == ATTEMPTS
        assert len(pauses) >= ATTEMPTS - 1
        assert all(len(cause) < 1_000 for cause in results.failures)
        again = await moot.arun(cup(server.base_url, tmp_path, stream=stream))
    assert outcomes(again) == {"answered": 1}
    assert len(server.seen) == ATTEMPTS + 1


@pytest.mark.parametrize("sent", [WHOLE["HTML"], WHOLE["an error of 502"]], ids=["HTML", "error"])
async def test_one_hiccup_costs_one_more_request(sent: bytes, tmp_path: Path, pauses: list[TransportError]) -> None:
    async with hostile(lambda body, number: sent if number == 1 else http(completion())) as server:
        assert outcomes(await moot.arun(cup(server.base_url, tmp_path))) == {"answered": 1}
    assert len(server.seen) == 2
    assert server.seen[0] == server.seen[1], "the same request, and no word to the model about its form"


LIMITED: dict[str, dict[str, Any]] = {
    "a code": {"code": 429, "message": "slow down"},
    "a code as a text": {"code": "429", "message": "slow down"},
    "a word": {"code": "rate_limit_exceeded", "message": "slow down"},
    "a type": {"type": "rate_limit_error", "message": "slow down"},
}


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("error", LIMITED.values(), ids=LIMITED)
async def test_a_rate_limit_inside_a_success_is_one(
    error: Any, stream: bool, tmp_path: Path, pauses: list[TransportError]
) -> None:
    body = sse({"error": error}) if stream else {"error": error}
    limited = http(body, Retry_After="0.2")
    async with hostile(lambda body, number: limited if number == 1 else http(completion())) as server:
        assert outcomes(await moot.arun(cup(server.base_url, tmp_path, stream=stream))) == {"answered": 1}
    (pause,) = pauses
    assert isinstance(pause, RateLimited)
    assert pause.retry_after_s == 0.2


async def test_the_pause_may_stand_in_the_error(tmp_path: Path, pauses: list[TransportError]) -> None:
    """OpenRouter puts the provider's headers into the metadata."""
    error = {"code": 429, "message": "slow down", "metadata": {"headers": {"Retry-After": "0.1"}}}
    async with hostile(lambda body, number: http({"error": error} if number == 1 else completion())) as server:
        assert outcomes(await moot.arun(cup(server.base_url, tmp_path))) == {"answered": 1}
    assert [getattr(error, "retry_after_s", None) for error in pauses] == [0.1]


@pytest.mark.parametrize("code", [400, 401, 402, 403, 404])
async def test_a_refusal_inside_a_success_is_not_tried_again(
    code: int, tmp_path: Path, pauses: list[TransportError]
) -> None:
    async with hostile(lambda body, number: http({"error": {"code": code, "message": "no credits"}})) as server:
        results = await moot.arun(cup(server.base_url, tmp_path))
    assert outcomes(results) == {"failed": 1}
    assert (len(server.seen), pauses) == (1, [])
    (cause,) = results.failures
    assert "RequestRejected" in cause
    assert "no credits" in cause


UNUSABLE: dict[str, Any] = {
    "other words": completion("Well, that depends on many things, does it not?"),
    "no words": completion(""),
    "null": completion(None),
    "a call of a tool": ended("tool_calls", None) | {"tool_calls": [{"function": {"name": "x", "arguments": "{"}}]},
}


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("body", UNUSABLE.values(), ids=UNUSABLE)
async def test_a_good_reply_with_useless_words_is_unanswered(
    body: Any, stream: bool, tmp_path: Path, pauses: list[TransportError]
) -> None:
    async with hostile(lambda _, number: http(body)) as server:
        assert outcomes(await moot.arun(cup(server.base_url, tmp_path, stream=stream))) == {"unanswered": 1}
        assert (len(server.seen), pauses) == (5, [])
        assert outcomes(await moot.arun(cup(server.base_url, tmp_path, stream=stream))) == {"unanswered": 1}
    assert len(server.seen) == 5, "it is not asked again"


async def test_an_error_beside_whole_words_is_no_failure(tmp_path: Path, pauses: list[TransportError]) -> None:
    async with hostile(lambda _, number: http({**completion(), "error": {"code": 0, "message": "success"}})) as server:
        assert outcomes(await moot.arun(cup(server.base_url, tmp_path))) == {"answered": 1}
    assert len(server.seen) == 1
