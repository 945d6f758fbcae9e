"""The OpenAI chat form as servers really send it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moot.errors import CallError, ReplyBroken
from moot.models.border import storable
from moot.models.hiccups import preview
from moot.models.wire import read_completion, read_usage
from moot.types import FREE, Price, Reply, Usage

PRICE = Price(prompt=1.0, completion=2.0)


def body(message: Any = None, **more: Any) -> bytes:
    choice = {"message": message or {"content": "Paris"}, "finish_reason": "stop"}
    return json.dumps({"choices": [choice], "model": "qwen3", **more}).encode()


def read(raw: bytes | str, price: Price | None = PRICE) -> Reply:
    return read_completion(raw, latency_s=0.5, price=price)


def test_a_whole_reply() -> None:
    usage = {
        "prompt_tokens": 1_000_000,
        "completion_tokens": 500_000,
        "completion_tokens_details": {"reasoning_tokens": 400},
        "prompt_tokens_details": {"cached_tokens": 7},
    }
    reply = read(body(usage=usage, system_fingerprint="fp1"))
    assert (reply.text, reply.finish, reply.version, reply.latency_s) == ("Paris", "stop", "qwen3 fp1", 0.5)
    assert reply.usage == Usage(1_000_000, 500_000, 400, 7)
    assert reply.cost_usd == pytest.approx(2.0), "reasoning tokens are part of the completion"


@pytest.mark.parametrize("usage", [None, {}, [], {"prompt_tokens": 5}, {"prompt_tokens": 5, "completion_tokens": True}])
def test_tokens_that_were_not_counted_are_unknown_and_not_free(usage: Any) -> None:
    reply = read(body(usage=usage))
    assert reply.usage.completion is None
    assert reply.cost_usd is None
    assert read(body(usage=usage), FREE).cost_usd == 0.0
    assert read(body(), None).cost_usd is None


CONTENT = {
    "null": (None, ""),
    "parts": ([{"type": "text", "text": "Pa"}, {"type": "image"}, {"text": "ris"}, "x"], "Paris"),
    "number": (5, ""),
    "empty": ("", ""),
}


@pytest.mark.parametrize(("content", "text"), CONTENT.values(), ids=CONTENT)
def test_forms_of_content(content: Any, text: str) -> None:
    assert read(body({"content": content})).text == text


def test_refusals_and_thoughts() -> None:
    refused = read(body({"content": None, "refusal": "I would rather not."}))
    assert (refused.text, refused.refused) == ("I would rather not.", True)
    assert read(body({"content": "x", "reasoning_content": "hm"})).thoughts == "hm"
    assert read(body({"content": "x", "reasoning": "hm"})).thoughts == "hm"
    assert read(body({"content": "x", "reasoning": ""})).thoughts is None


@pytest.mark.parametrize("choices", [[], [None], [{}], [{"message": None, "finish_reason": "stop"}]])
def test_no_choice_is_no_reply(choices: Any) -> None:
    with pytest.raises(ReplyBroken):
        read(json.dumps({"choices": choices}))


def test_of_several_choices_the_first_is_the_reply() -> None:
    choices = [{"message": {"content": word}, "finish_reason": "stop"} for word in ("one", "two", "three")]
    assert read(json.dumps({"choices": choices})).text == "one"


@pytest.mark.parametrize(("code", "filtered"), [(None, True), ("x", True), (400, True), (500, False)])
def test_words_of_a_filter_inside_a_success_count_like_those_of_a_refused_request(code: Any, filtered: bool) -> None:
    """Where nothing says what status the error would have had, it is that of a request that was refused."""
    error = {"message": "Your prompt was blocked by the content policy.", "code": code}
    for raw in ({"error": error}, {"choices": [{"error": error}]}):
        if filtered:
            reply = read(json.dumps(raw))
            assert (reply.text, reply.finish) == (error["message"], "content_filter")
        else:
            with pytest.raises(CallError):
                read(json.dumps(raw))


BROKEN = [
    b"",
    b"<html>502</html>",
    b"[]",
    b"null",
    b'{"error": "x"}',
    b'{"choices": null}',
    b'{"choices": {}}',
    b"\xff",
    b"[" * 10**5,
]


@pytest.mark.parametrize("raw", BROKEN, ids=lambda raw: repr(raw[:20]))
def test_what_is_no_reply_says_how_it_begins(raw: bytes) -> None:
    with pytest.raises(ReplyBroken) as caught:
        read(raw)
    assert len(str(caught.value)) < 400


def test_what_orjson_does_not_take_is_read_all_the_same() -> None:
    assert read(rb'{"choices": [{"message": {"content": "a\ud800b"}}]}').text == "a\ufffdb"
    assert read(b'{"choices": [{"message": {"content": "x"}}], "usage": {"prompt_tokens": NaN}}').text == "x"


def test_what_no_store_can_hold_is_replaced() -> None:
    assert storable("a\x00b\ud800c😀") == "a\ufffdb\ufffdc😀"
    assert storable("\ud83d\ude00") == "😀", "two halves make a whole"
    assert preview(b"a\n\n b\xff" + b"x" * 1000) == "'a b\ufffd" + "x" * 196 + "…'"


@given(st.text(st.characters(), max_size=30))
def test_storable_text_can_be_encoded_and_stays(text: str) -> None:
    stored = storable(text)
    stored.encode()
    assert "\x00" not in stored
    assert storable(stored) == stored


KEYS = st.sampled_from(
    ["choices", "message", "content", "usage", "finish_reason", "refusal", "text", "model", "prompt_tokens"]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
@settings(deadline=None, max_examples=120)
def test_any_json_is_a_reply_or_a_failed_call(value: Any) -> None:
    try:
        reply = read(json.dumps(value))
    except CallError:
        return
    assert isinstance(reply.text, str)
    assert isinstance(reply.finish, str)
    assert read_usage(value) == read_usage(value)
