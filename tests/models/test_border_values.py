"""What each field of a reply becomes at the border, and what an error inside a success means, on both sides of each bound."""

from __future__ import annotations

import math
from typing import Any

import pytest

from moot.errors import RateLimited, ReplyBroken, ReplyTooLarge, RequestRejected, ServerFailed
from moot.models import border, finish_words, hiccups
from moot.types import Reply, Usage


class Shouting(str):
    """Somebody's own text, whose methods are not to be trusted."""

    def __len__(self) -> int:
        return 0

    def encode(self, *_: Any, **__: Any) -> bytes:
        raise AssertionError("it is not asked")


def test_the_text_of_a_reply_is_a_plain_text_or_there_is_no_reply() -> None:
    reply = border.admitted(Reply(Shouting("so"), thoughts=Shouting("hm")))
    assert (reply.text, type(reply.text), reply.thoughts, type(reply.thoughts)) == ("so", str, "hm", str)
    for text in (None, 5, b"so", ["so"]):
        with pytest.raises(border.NoReply, match=f"found {type(text).__name__}"):
            border.admitted(Reply(text))  # type: ignore[arg-type]
    assert border.admitted(Reply("so", thoughts=5)).thoughts is None  # type: ignore[arg-type]
    clean = Reply("so", "stop", Usage(1, 2, 0, 0), 1.5, "v", 0.25, "hm", None)
    assert border.admitted(clean) is clean


def test_a_text_may_be_as_long_as_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(border, "LONGEST_TEXT", 1_000)
    assert border.long_text("ж" * 1_000) == "ж" * 1_000
    with pytest.raises(ReplyTooLarge, match="1,001 characters; at most 1,000"):
        border.long_text("ж" * 1_001)


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ("plain", "plain"),
        ("a\x00b", "a\ufffdb"),
        ("ж \U0001f600", "ж \U0001f600"),
        ("a\ud83d\ude00b", "a\U0001f600b"),
        ("a\ud83db", "a\ufffdb"),
        ("\ude00", "\ufffd"),
    ],
)
def test_halves_of_a_pair_become_one_or_are_replaced(written: str, stored: str) -> None:
    assert border.storable(written) == stored
    assert border.name(written) == stored
    assert border.words(written) == stored


def test_names_and_words_end_at_their_bounds() -> None:
    most = border.LONGEST_NAME
    assert border.name("n" * most) == "n" * most
    assert border.name("n" * (most + 1)) == "n" * most
    assert border.name("") is border.name(None) is border.name(5) is None
    assert border.words("w" * 10, 10) == "w" * 10
    assert border.words("w" * 11, 10) == "w" * 9 + "…"
    assert border.words(5) == "5"

    class Unspeakable(Exception):
        def __str__(self) -> str:
            raise ValueError

    assert border.words(Unspeakable()) == "Unspeakable"


@pytest.mark.parametrize(
    ("value", "tokens", "usd"),
    [
        (0, 0, 0.0),
        (7, 7, 7.0),
        (7.0, 7, 7.0),
        (7.5, None, 7.5),
        (-1, None, None),
        (-0.5, None, None),
        (True, None, None),
        ("7", None, None),
        (math.nan, None, None),
        (math.inf, None, None),
        (10**400, None, None),
        (border.MOST_TOKENS, border.MOST_TOKENS, None if border.MOST_TOKENS > border.MOST_USD else border.MOST_TOKENS),
        (border.MOST_TOKENS + 1, None, None if border.MOST_TOKENS >= border.MOST_USD else border.MOST_TOKENS + 1),
    ],
)
def test_numbers(value: Any, tokens: int | None, usd: float | None) -> None:
    assert border.count(value) == tokens
    assert border.usd(value) == usd
    assert border.seconds(value) == (usd or 0.0) or border.seconds(value) == value > border.MOST_USD
    assert border.usage_of(Usage(1, value, None, 3)) == Usage(1, tokens, None, 3)


def test_money_up_to_its_bound() -> None:
    assert border.usd(border.MOST_USD) == border.MOST_USD
    assert border.usd(math.nextafter(border.MOST_USD, math.inf)) is None
    assert border.usage_of({"prompt": 1}) == Usage()
    whole = Usage(1, 2, 3, 4)
    assert border.usage_of(whole) is whole


def test_log_probabilities_are_plain_and_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    given = {"a\ud83d": [1, 2.5, None, True, ("t",), 2**53 - 1, 2**53, -(2**53), object()], 5: "\ude00"}
    assert border.logprobs_of(given) == {
        "a\ufffd": [1, 2.5, None, True, ["t"], 2**53 - 1, None, None, None],
        "5": "\ufffd",
    }
    deep: Any = "\ud83d"
    for _ in range(border.DEEPEST - 1):
        deep = [deep]
    assert str(border.logprobs_of(deep)).strip("[]") == "'\ufffd'"
    assert str(border.logprobs_of([deep])).strip("[]") == "None"
    monkeypatch.setattr(border, "LONGEST_LOGPROBS", 10)
    assert border.logprobs_of("x" * 8) == "x" * 8
    assert border.logprobs_of("x" * 9) is border.logprobs_of(None) is None


@pytest.mark.parametrize(
    ("error", "kind", "status", "pause_s", "said"),
    [
        ({"message": "slow down", "code": 429}, RateLimited, 429, None, "slow down"),
        ({"msg": "slow down", "code": "429"}, RateLimited, 429, None, "slow down"),
        ({"message": "", "msg": "second"}, ReplyBroken, None, None, "second"),
        ({"message": "first", "msg": "second"}, ReplyBroken, None, None, "first"),
        ({"message": {"deep": 1}, "x": "kept"}, ReplyBroken, None, None, "kept"),
        ("only words", ReplyBroken, None, None, "only words"),
        ({"message": "m", "type": "rate_limit_exceeded"}, RateLimited, 429, None, "m"),
        ({"message": "m", "code": 503, "type": "rate_limit_exceeded"}, ServerFailed, 503, None, "m"),
        ({"message": "m", "code": 500}, ServerFailed, 500, None, "m"),
        ({"message": "m", "code": 599}, ServerFailed, 599, None, "m"),
        ({"message": "m", "code": 600}, ReplyBroken, None, None, "m"),
        ({"message": "m", "code": 399}, ReplyBroken, None, None, "m"),
        ({"message": "m", "code": 400}, RequestRejected, 400, None, "m"),
        ({"message": "m", "code": 499}, RequestRejected, 499, None, "m"),
        ({"message": "m", "code": "0500"}, ReplyBroken, None, None, "m"),
        ({"message": "m", "code": True, "status": 408}, ServerFailed, 408, None, "m"),
        ({"message": "m", "code": 409}, ServerFailed, 409, None, "m"),
        ({"message": "m", "code": 425}, ServerFailed, 425, None, "m"),
        ({"message": "m", "code": 429, "metadata": {"headers": {"Retry-After": "7"}}}, RateLimited, 429, 7.0, "m"),
        ({"message": "m", "code": 502, "metadata": {"headers": {"retry-after": 7}}}, ServerFailed, 502, 7.0, "m"),
        ({"message": "m", "metadata": {"headers": {"Retry-After": [7], "X": "1"}}}, ReplyBroken, None, None, "m"),
        ({"message": "m", "metadata": {"headers": "Retry-After: 7"}}, ReplyBroken, None, None, "m"),
    ],
)
def test_an_error_inside_a_success(
    error: Any, kind: type[Exception], status: int | None, pause_s: float | None, said: str
) -> None:
    failure = hiccups.failure_of(error)
    assert type(failure) is kind
    assert said in str(failure)
    assert getattr(failure, "retry_after_s", None) == pause_s
    if kind in (ServerFailed, RequestRejected):
        assert getattr(failure, "status", None) == status
    assert failure.maybe_billed is (kind in (ServerFailed, ReplyBroken))
    if kind is not RequestRejected:
        assert getattr(hiccups.failure_of(error, 3.0), "retry_after_s", None) == 3.0, (
            "the response's own header is first"
        )


def test_where_an_error_may_stand_in_a_success() -> None:
    for body, choice in (
        ({"error": "e"}, {"error": "x"}),
        ({"error": None}, {"error": "e", "message": {"error": "x"}}),
        ({}, {"message": {"error": "e"}}),
    ):
        assert hiccups.error_of(body, choice) in ("e", {"message": "e"})
    assert hiccups.error_of({}, {"message": "error"}) is None


@pytest.mark.parametrize(
    ("finish", "failed"),
    [
        ("stop", False),
        ("length", False),
        ("content_filter", False),
        ("tool_calls", False),
        ("error_free", False),
        ("Error", True),
        ("server-error", True),
        ("INTERNAL_SERVER_ERROR", True),
    ],
)
def test_reasons_to_finish_that_are_failures(finish: str, failed: bool) -> None:
    assert finish_words.failed_finish(finish) is failed


def test_a_preview_is_short_clean_and_on_one_line() -> None:
    assert hiccups.preview("a\n b") == "'a b'"
    assert hiccups.preview("x" * 200) == repr("x" * 200)
    assert hiccups.preview("x" * 201) == repr("x" * 200 + "…")
    assert hiccups.preview(bytearray(b"\xffab"), 2) == repr("\ufffda…")
    assert hiccups.preview("x" * 5, 4) == "'xxxx…'"
