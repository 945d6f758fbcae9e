"""A success that is none: what an endpoint sends when it fails is its failure, tried again with pauses, and no answer."""

from __future__ import annotations

import gzip
import json
import sqlite3
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from hostile_server import GOOD, Hostile, completion, hostile, http, until_closed

from moot.engine.runner import Runner
from moot.errors import RateLimited, TransportError
from moot.experiment.build import build
from moot.experiment.spec import read_experiment
from moot.models.retry import RetryPatience

ATTEMPTS = 3


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[TransportError]:
    """What each pause was made for; they take no time here."""
    made: list[TransportError] = []
    asked_s = RetryPatience.pause_s

    def no_time(self: RetryPatience, failures: int, error: TransportError) -> float:
        assert asked_s(self, failures, error) > 0
        made.append(error)
        return 0.001

    monkeypatch.setattr(RetryPatience, "pause_s", no_time)
    return made


@dataclass
class Played:
    """How it ended for each model, in the words of the store."""

    outcomes: dict[str, str]
    causes: dict[str, str]


async def run(base_url: str, folder: Path, *names: str, **model: Any) -> Played:
    """What `moot run` does, for many models at once: each asks by its own name."""
    common = {"provider": "endpoint", "base_url": base_url, "retries": {"attempts": ATTEMPTS}, **model}
    models = {f"m{number}": {**common, "model": name} for number, name in enumerate(names)}
    (folder / "questions.jsonl").write_text('{"id": "q1", "text": "Which?", "answer": "A"}\n')
    path = folder / "cup.yaml"
    path.write_text(yaml.safe_dump({"name": "cup", "questions": {"file": "questions.jsonl"}, "models": models}))
    plan = build(read_experiment(path))
    store = await plan.store().open()
    await Runner(plan, store).run()
    await store.close()
    connection = sqlite3.connect(folder / "cup.db")
    rows = connection.execute(
        "SELECT player, outcome, verdict FROM episodes JOIN cells ON cells.id = episodes.cell"
    ).fetchall()
    connection.close()
    of = {f"m{number}": name for number, name in enumerate(names)}
    return Played(
        {of[player]: outcome for player, outcome, _ in rows},
        {of[player]: json.loads(verdict).get("cause", "") for player, _, verdict in rows},
    )


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
    "an error beside all words": http({**completion(), "error": {**ERROR, "code": 502}}),
    "an error in a choice that ended well": http(ended("stop", GOOD, error=ERROR)),
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
    "an error after all words": http(sse(chunk(GOOD), {"error": ERROR}, b"[DONE]")),
    "an error after its end": http(sse(chunk(GOOD, "stop"), {"error": ERROR}, b"[DONE]")),
    "an error in the choice": http(sse(chunk(GOOD), chunk("", error=ERROR), b"[DONE]")),
    "an error in a choice that ended well": http(sse(chunk(GOOD), chunk("", "stop", error=ERROR), b"[DONE]")),
    "an error in the delta": http(sse(chunk(GOOD), {"choices": [{"delta": {"error": ERROR}}]}, b"[DONE]")),
    "an error, not streamed": http({"error": ERROR}),
    "cut": http(sse(chunk("It is"), chunk("well", "stop")))[:-60],
    "an empty list of choices": http(sse({"choices": []}, b"[DONE]")),
}


def asked(server: Hostile) -> Counter[str]:
    return Counter(body["model"] for body in server.seen)


@pytest.mark.parametrize(("stream", "hiccups"), [(False, WHOLE), (True, STREAMED)], ids=["whole", "stream"])
async def test_a_hiccup_is_the_endpoints_failure(
    stream: bool, hiccups: dict[str, bytes], tmp_path: Path, pauses: list[TransportError]
) -> None:
    """Tried again with a pause before each; then failed, and the next run asks again."""
    well = False
    async with hostile(lambda body, number: http(completion()) if well else hiccups[body["model"]]) as server:
        played = await run(server.base_url, tmp_path, *hiccups, stream=stream)
        assert played.outcomes == dict.fromkeys(hiccups, "failed")
        assert asked(server) == dict.fromkeys(hiccups, ATTEMPTS)
        assert len(pauses) >= len(hiccups) * (ATTEMPTS - 1)
        assert all(len(cause) < 1_000 for cause in played.causes.values())
        well = True
        again = await run(server.base_url, tmp_path, *hiccups, stream=stream)
    assert again.outcomes == dict.fromkeys(hiccups, "answered")
    assert asked(server) == dict.fromkeys(hiccups, ATTEMPTS + 1)


async def test_one_hiccup_costs_one_more_request(tmp_path: Path, pauses: list[TransportError]) -> None:
    async with hostile(lambda body, number: WHOLE["HTML"] if number == 1 else http(completion())) as server:
        assert (await run(server.base_url, tmp_path, "m")).outcomes == {"m": "answered"}
    assert len(server.seen) == 2
    assert server.seen[0] == server.seen[1], "the same request, and no word to the model about its form"


LIMITED: dict[str, dict[str, Any]] = {
    "a code": {"code": 429, "message": "slow down"},
    "a code as a text": {"code": "429", "message": "slow down"},
    "a word": {"code": "rate_limit_exceeded", "message": "slow down"},
    "a type": {"type": "rate_limit_error", "message": "slow down"},
}


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
async def test_a_rate_limit_inside_a_success_is_one(stream: bool, tmp_path: Path, pauses: list[TransportError]) -> None:
    seen: set[str] = set()

    def answer(body: Any, number: int) -> bytes:
        if body["model"] in seen:
            return http(completion())
        seen.add(body["model"])
        error = {"error": LIMITED[body["model"]]}
        return http(sse(error) if stream else error, Retry_After="0.2")

    async with hostile(answer) as server:
        played = await run(server.base_url, tmp_path, *LIMITED, stream=stream)
    assert played.outcomes == dict.fromkeys(LIMITED, "answered")
    assert [type(error) for error in pauses] == [RateLimited] * len(LIMITED)
    assert {error.retry_after_s for error in pauses} == {0.2}


async def test_the_pause_may_stand_in_the_error(tmp_path: Path, pauses: list[TransportError]) -> None:
    """OpenRouter puts the provider's headers into the metadata."""
    error = {"code": 429, "message": "slow down", "metadata": {"headers": {"Retry-After": "0.1"}}}
    async with hostile(lambda body, number: http({"error": error} if number == 1 else completion())) as server:
        assert (await run(server.base_url, tmp_path, "m")).outcomes == {"m": "answered"}
    assert [error.retry_after_s for error in pauses] == [0.1]


async def test_a_refusal_inside_a_success_is_not_tried_again(tmp_path: Path, pauses: list[TransportError]) -> None:
    codes = ["400", "401", "402", "403", "404"]
    refused = {code: http({"error": {"code": int(code), "message": "no credits"}}) for code in codes}
    async with hostile(lambda body, number: refused[body["model"]]) as server:
        played = await run(server.base_url, tmp_path, *codes)
    assert played.outcomes == dict.fromkeys(codes, "failed")
    assert (len(server.seen), pauses) == (len(codes), [])
    assert all("RequestRejected" in cause and "no credits" in cause for cause in played.causes.values())


UNUSABLE: dict[str, Any] = {
    "other words": completion("Well, that depends on many things, does it not?"),
    "no words": completion(""),
    "null": completion(None),
    "a call of a tool": ended("tool_calls", None) | {"tool_calls": [{"function": {"name": "x", "arguments": "{"}}]},
}


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
async def test_a_good_reply_with_useless_words_is_unanswered(
    stream: bool, tmp_path: Path, pauses: list[TransportError]
) -> None:
    async with hostile(lambda body, number: http(UNUSABLE[body["model"]])) as server:
        for _ in range(2):
            played = await run(server.base_url, tmp_path, *UNUSABLE, stream=stream)
            assert played.outcomes == dict.fromkeys(UNUSABLE, "unanswered")
            assert asked(server) == dict.fromkeys(UNUSABLE, 5), "it is not asked again"
    assert pauses == []


@pytest.mark.parametrize(
    "said",
    [
        *(
            {"code": 0, "message": "success"},
            {"code": None, "message": ""},
            "ok",
            {"code": 200},
            "null",
            "No errors",
            [None],
        ),
        *({"code": "1000", "message": "success"}, {"code": 0, "message": "", "request_id": "r1"}),
    ],
)
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
async def test_an_error_that_says_all_went_well_is_none(
    stream: bool, said: object, tmp_path: Path, pauses: list[TransportError]
) -> None:
    whole = {**completion(), "error": said}
    body = sse(chunk(GOOD), {**chunk("", "stop"), "error": said}, b"[DONE]") if stream else whole
    async with hostile(lambda _, number: http(body)) as server:
        assert (await run(server.base_url, tmp_path, "m", stream=stream)).outcomes == {"m": "answered"}
    assert len(server.seen) == 1


TOLD = {"prompt_tokens": 0, "completion_tokens": 8_000}
TOLD_USD = 0.8
PRICED: dict[str, Any] = {"price": {"prompt": 0.0, "completion": 100.0}, "params": {"max_tokens": 100}}
BILLED: dict[str, bytes] = {
    "finish_reason error": http({**ended("error"), "usage": TOLD}),
    "an error and no choices": http({"error": ERROR, "usage": TOLD}),
    "no choices": http({"id": "1", "usage": TOLD}),
    "no message": http({"choices": [None], "usage": TOLD}),
    "an error of 502": http({"error": {"code": 502}, "usage": TOLD}),
    "an error of 429": http({"error": {"code": 429}, "usage": TOLD}),
    "an error of 400": http({"error": {"code": 400}, "usage": TOLD}),
    "an error of 400 in the choice": http({**ended("error", error={"code": 400}), "usage": TOLD}),
    "status 500": http({"error": ERROR, "usage": TOLD}, 500),
    "status 429": http({"error": ERROR, "usage": TOLD}, 429),
    "status 400": http({"error": ERROR, "usage": TOLD}, 400),
    "status 400, about the form": http({"error": {"message": "response_format is not supported"}, "usage": TOLD}, 400),
}
BILLED_STREAMS: dict[str, bytes] = {
    "finish_reason error": http(sse(chunk("It"), chunk("", "error"), {"choices": [], "usage": TOLD}, b"[DONE]")),
    "an error beside it": http(sse(chunk("It"), {"error": ERROR, "usage": TOLD})),
    "an error of 429": http(sse({"error": {"code": 429}, "usage": TOLD})),
    "an error of 400": http(sse(chunk("It"), {"error": {"code": 400}, "usage": TOLD})),
    "an error after it": http(sse({**chunk("It"), "usage": TOLD}, {"error": ERROR})),
    "no choices": http(sse({"choices": [], "usage": TOLD}, b"[DONE]")),
    "no JSON after it": http(sse({**chunk("It"), "usage": TOLD}, b"{broken")),
    "cut": http(sse({**chunk("It"), "usage": TOLD})),
    "connection cut": http(sse({**chunk("It"), "usage": TOLD}, chunk("is")))[:-3],
    "not streamed": http({"error": ERROR, "usage": TOLD}),
}


def losses_usd(folder: Path) -> list[float]:
    connection = sqlite3.connect(folder / "cup.db")
    amounts = [usd for (usd,) in connection.execute("SELECT usd FROM losses")]
    connection.close()
    return amounts


@pytest.mark.parametrize(("stream", "billed"), [(False, BILLED), (True, BILLED_STREAMS)], ids=["whole", "stream"])
async def test_a_bill_that_comes_with_a_failure_is_in_the_books(
    stream: bool, billed: dict[str, bytes], tmp_path: Path, pauses: list[TransportError]
) -> None:
    async with hostile(lambda body, number: billed[body["model"]]) as server:
        played = await run(server.base_url, tmp_path, *billed, stream=stream, **PRICED)
    assert played.outcomes == dict.fromkeys(billed, "failed")
    assert losses_usd(tmp_path) == [pytest.approx(TOLD_USD)] * len(server.seen)


MAYBE: dict[str, tuple[bytes, bool]] = {
    "choices and 400": (http(ended("error", error={"code": 400})), True),
    "choices and 429": (http({**ended("error"), "error": {"code": 429}}), True),
    "400 alone": (http({"error": {"code": 400}}), False),
    "429 alone": (http({"error": {"code": 429}}), False),
}


async def test_what_was_generated_and_has_no_bill_counts_at_its_most(
    tmp_path: Path, pauses: list[TransportError]
) -> None:
    async with hostile(lambda body, number: MAYBE[body["model"]][0]) as server:
        await run(server.base_url, tmp_path, *MAYBE, **PRICED)
    counted = sum(times for name, times in asked(server).items() if MAYBE[name][1])
    assert losses_usd(tmp_path) == [pytest.approx(0.01)] * counted


async def test_a_bill_that_was_going_on_when_it_was_cut_is_no_whole_one(
    tmp_path: Path, pauses: list[TransportError]
) -> None:
    """Servers that count along in every event."""
    so_far = {"prompt_tokens": 0, "completion_tokens": 1}
    async with hostile(lambda body, number: http(sse({**chunk("It"), "usage": so_far}))) as server:
        await run(server.base_url, tmp_path, "m", stream=True, **PRICED)
    assert losses_usd(tmp_path) == [pytest.approx(0.01)] * len(server.seen)
