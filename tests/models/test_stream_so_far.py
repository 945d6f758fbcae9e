"""What events of a stream come to, one by one; and which status an error would be that has a name, a number or a quoted cause."""

from __future__ import annotations

import time
from typing import Any

import pytest

from moot.errors import ReplyBroken
from moot.models.attempt import attempting
from moot.models.error_forms import error_code, error_fields, error_status, error_words, tells
from moot.models.filtered import FILTERED
from moot.models.flights import left_unpriced, made_elsewhere
from moot.models.idle_lines import IdleLines
from moot.models.secrets import Secrets
from moot.models.stream import StreamSoFar, give_up
from moot.types import Price, Reply, Usage


def choice(words: object = None, finish: str | None = None, **delta: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": {"content": words, **delta}, "finish_reason": finish}]}


def heard(*events: dict[str, Any], **given: Any) -> StreamSoFar:
    so_far = StreamSoFar(**given)
    for event in events:
        so_far.take(event, 10)
    return so_far


def test_words_thoughts_and_a_refusal_are_put_together() -> None:
    so_far = heard(
        choice("Pa", model="x"),
        choice("ris", reasoning_content="hm, "),
        choice(None, reasoning="yes"),
        choice(["no words"], refusal=""),
        {**choice("", "length"), "model": "m", "system_fingerprint": "f"},
        {"usage": {"prompt_tokens": 3, "completion_tokens": 2}},
        {"choices": []},
    )
    reply = so_far.reply(latency_s=1.5, price=Price(1e6, 1e6))
    assert (reply.text, reply.thoughts, reply.finish, reply.latency_s) == ("Paris", "hm, yes", "length", 1.5)
    assert (reply.usage.prompt, reply.usage.completion, reply.cost_usd) == (3, 2, 5.0)
    assert so_far.chosen
    assert so_far.size == 3 * 64 + 64 + len("Parishm, yes"), "each piece takes a little more than its letters"
    assert heard(choice("fine")).reply(latency_s=0.0, price=None).finish == "stop", "nobody said another"


def test_only_words_are_told_to_whoever_listens() -> None:
    so_far = heard(choice("Pa"), choice(""), choice(7), choice(["x"]), choice("ris"), tell=Secrets(()).untold_to(print))
    assert so_far.untold == ["Pa", "ris"]
    assert heard(choice("Pa")).untold == [], "nobody listens"


async def test_what_was_not_told_is_told_once() -> None:
    told: list[str] = []
    so_far = heard(choice("Pa"), choice("ris"), tell=Secrets(()).untold_to(told.append))
    await so_far.tell_untold()
    await so_far.tell_untold()
    assert "".join(told) == "Paris"


def test_of_several_choices_the_first_is_ours() -> None:
    other = {"choices": [{"index": 1, "delta": {"content": "Rome"}}, {"delta": {"content": "Paris"}}, "odd"]}
    assert heard(other).text == ["Paris"]
    assert not heard({"choices": [{"index": 1, "delta": {"content": "Rome"}}]}).chosen
    assert not heard({"choices": "odd"}).chosen


def test_log_probabilities_of_all_events_are_joined() -> None:
    first = {"choices": [{"logprobs": {"content": [1], "odd": 3}}]}
    so_far = heard(first, {"choices": [{"logprobs": {"content": [2, 3], "refusal": [4]}}]})
    assert so_far.logprobs == {"content": [1, 2, 3], "refusal": [4]}
    assert so_far.size == 20, "as long as they were on the wire"


def test_an_error_is_kept_beside_the_words() -> None:
    so_far = heard(choice("Pa"), {"error": {"message": "overloaded"}}, choice("ris"))
    assert so_far.error == {"message": "overloaded"}
    assert so_far.text == ["Pa", "ris"]
    assert heard(choice("fine")).error is None


def test_a_filter_ends_it_and_its_words_stand_where_none_came() -> None:
    blocked = {"error": {"code": "content_filter", "message": "filtered by policy"}}
    cut = heard(choice("Pa"), blocked).reply(latency_s=0.0, price=None)
    assert (cut.text, cut.finish) == ("Pa", FILTERED)
    none = heard(blocked).reply(latency_s=0.0, price=None)
    assert none.finish == FILTERED
    assert none.text


def test_what_was_billed_is_left_for_whoever_pays_where_nobody_waits_any_more() -> None:
    came = Reply("fine", usage=Usage(3, 2), cost_usd=0.5)
    usage = {"usage": {"prompt_tokens": 3, "completion_tokens": 2}}

    def bill(came: Reply | None, so_far: StreamSoFar | None) -> Any:
        with attempting() as attempt:
            give_up(came, so_far, Price(1e6, 1e6))
            return attempt.bill_of(KeyboardInterrupt())

    whole = bill(came, heard(usage))
    assert (whole.billed_usd, whole.billed_tokens) == (0.5, (3, 2))
    cut = bill(None, heard(choice("Pa"), usage))
    assert (cut.billed_usd, cut.billed_tokens, cut.bill_unfinished) == (5.0, (3, 2), True)
    assert bill(None, heard(choice("Pa"))) is None
    assert bill(None, None) is None
    give_up(came, None, None)  # nobody pays


# --- errors in words, names and numbers -------------------------------------------------------------------------------

STATUSES = {
    400: (
        "INVALID_ARGUMENT",
        "invalid_request_error",
        "BadRequestError",
        "context_length_exceeded",
        "unsupported_value",
    ),
    401: ("UNAUTHENTICATED", "invalid_api_key", "authentication_error", "Unauthorized"),
    402: ("insufficient_credits", "Payment Required", "insufficient_balance"),
    403: ("PERMISSION_DENIED", "permission_error", "forbidden"),
    404: ("NOT_FOUND", "not_found_error", "model_not_found", "DeploymentNotFound"),
    429: ("RESOURCE_EXHAUSTED", "rate_limit_exceeded", "too_many_requests", "insufficient_quota", "throttled"),
    500: ("INTERNAL", "server_error", "internal_server_error", "api_error"),
    503: ("UNAVAILABLE", "overloaded_error", "engine_overloaded", "insufficient_system_resource"),
    504: ("DEADLINE_EXCEEDED", "gateway_timeout", "timeout"),
    None: ("", "teapot", "ok"),
}


@pytest.mark.parametrize("status", STATUSES)
def test_a_name_is_the_status_that_others_have_for_the_same(status: int | None) -> None:
    for name in STATUSES[status]:
        assert [error_status({key: name}) for key in ("code", "status", "type")] == [status] * 3, name
        assert error_status({"metadata": {"error_type": name}}) == status


def test_a_number_stands_before_a_name() -> None:
    assert error_status({"code": "not_found", "status": 503}) == 503
    assert [error_status({"code": code}) for code in (400, 599, "404", 399, 600, "0404", True, 404.0, None)] == [
        400,
        599,
        404,
        *[None] * 6,
    ]
    assert error_status({"status_code": 418, "type": "timeout"}) == 418


def test_an_error_is_found_in_each_of_its_forms() -> None:
    error = {"message": "no", "code": 7}
    for body in ({"error": error}, [{"error": error}], {"errors": [{}, error]}, [[], {"x": 1}, {"error": error}]):
        assert error_fields(body) == error, body
    assert error_fields({"error": "wrong", "code": 7}) == {"message": "wrong", "code": 7}
    assert error_fields({"detail": [{"loc": ["body", 0], "msg": "odd"}]}) == {
        "loc": ["body", 0],
        "msg": "odd",
        "message": "body.0: odd",
    }
    assert error_fields({"object": "error", "message": "no"}) == {"object": "error", "message": "no"}
    assert error_fields({"choices": [], "message": "fine"}) is None
    for body in ({}, [], "no", 7, None, {"error": None}, {"error": {}}, {"error": {"code": 0, "message": "success"}}):
        assert error_fields(body) is None, body


def test_what_tells_of_an_error_and_what_says_that_all_is_well() -> None:
    well = (
        None,
        "",
        {},
        [],
        0,
        200,
        "0",
        "ok",
        "no errors",
        "---",
        {"code": 200},
        {"message": "Success"},
        [{"code": 0}],
    )
    assert [each for each in well if tells(each)] == []
    wrong = (
        "wrong",
        7,
        {"code": 404},
        {"message": "wrong"},
        {"request_id": "7", "reason": "odd"},
        ["ok", "wrong"],
        {"a": [7]},
    )
    assert [each for each in wrong if not tells(each)] == []
    assert not tells({"request_id": "7", "traceId": "x", "provider": "p"}), "what stands beside an error is none"


def test_the_servers_own_words_with_those_that_it_quotes() -> None:
    quoted = {"raw": "busy", "provider_name": "Theirs"}
    assert error_words({"message": "no", "metadata": quoted}) == "no (Theirs: busy)"
    assert error_words({"msg": "no", "metadata": {"raw": "busy"}}) == "no (provider: busy)"
    assert error_words({"message": "busy now", "metadata": quoted}) == "busy now"
    assert error_words({"message": 7}) == ""
    assert [error_code({"code": code}) for code in ("model_not_found", 7, True, None, "x" * 400)] == [
        "model_not_found",
        "7",
        "",
        "",
        "x" * 300,
    ]


# --- lines that bring nothing -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seconds", "words", "lines_before", "more"),
    [(0.0, 0, 0, 20_000), (1.5, 0, 0, 23_000), (0.0, 1, 10, 19_994), (0.0, 3, 10, 20_000), (0.0, 9, 0, 20_000)],
    ids=["at once", "in time", "a word takes four along", "and no more than there were", "and none beforehand"],
)
def test_so_many_lines_may_bring_nothing(
    seconds: float, words: int, lines_before: int, more: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "perf_counter", lambda: 100.0 + seconds)
    idle = IdleLines(100.0)
    for _ in range(lines_before):
        idle.count()
    for _ in range(words):
        idle.brought_a_word()
    for _ in range(more):
        idle.count()
    with pytest.raises(ReplyBroken, match=r"the stream does not go on: 2\d,001 lines brought no word"):
        idle.count()


def test_what_left_outside_of_any_call_is_nobodys() -> None:
    left_unpriced()
    made_elsewhere()
