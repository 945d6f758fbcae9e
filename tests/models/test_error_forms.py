"""Errors inside of successes, in the forms of many gateways: what tells of a failure is one, what says all is well is none."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hostile_server import completion

from moot.errors import CallError, RateLimited, ReplyBroken, ServerFailed
from moot.models.error_forms import MOST_IN_ALL, error_fields
from moot.models.finish_words import CUT_FINISHES, FAILED_FINISHES
from moot.models.wire import read_completion
from moot.types import Reply

ERRED = ("errored", "error_occurred", "error: upstream", "bad_gateway", "exception", "upstream_exception")
LIMITED = ("LENGTH", "Length", "length ", "max_new_tokens", "max_completion_tokens", "token_limit_reached", "truncated")
WELL: list[Any] = [
    *(
        {"code": 0, "message": "No error occurred"},
        {"code": "NO_ERROR", "message": ""},
        {"code": "00000", "message": ""},
    ),
    *(
        {"code": "0", "message": "成功"},
        {"code": 200, "message": "操作成功"},
        {"code": 200, "message": "Request successful."},
    ),
    *({"code": 201, "message": "Created"}, {"code": 20000, "message": "SUCCESS"}, {"Code": "Success", "Message": "OK"}),
    *({"code": 0, "message": "", "details": {"code": 0}}, {"code": 0, "message": None, "details": [{}]}),
    *({"code": 0, "message": "", "x_request_id": "a1"}, {"code": "ok", "message": "", "provider": "somebody"}),
    *({"code": None, "message": "None"}, {"code": 0, "requestId": "r"}, {"code": 0, "request-id": "r", "ray_id": "9a"}),
    *(
        "NO_ERROR",
        "N/A",
        "-",
        "no",
        "False",
        "The operation was completed successfully",
        {},
        [{"code": 0, "message": "ok"}],
    ),
]
FAILED: list[tuple[Any, type[CallError]]] = [
    ({"code": 500, "message": "None"}, ServerFailed),
    ({"code": "503", "message": "null"}, ServerFailed),
    ({"status": 503, "message": "OK"}, ServerFailed),
    ({"code": "server_error", "message": "false"}, ServerFailed),
    ({"code": 0, "status": "UNAVAILABLE", "message": ""}, ServerFailed),
    ({"code": 429, "message": "0"}, RateLimited),
    (429, RateLimited),
    ({"code": 0, "message": "unsuccessful"}, ReplyBroken),
    ({"code": 0, "message": "不成功"}, ReplyBroken),
    ({"code": 0, "message": "", "details": [{"reason": "the pod was evicted"}]}, ReplyBroken),
    ({"code": 0, "message": "", "invalid": True}, ReplyBroken),
    (True, ReplyBroken),
    ("=" * 210 + " CUDA out of memory", ReplyBroken),
    ({"message": "-" * 250 + " upstream overloaded"}, ReplyBroken),
    ("❌", ReplyBroken),
    ("-200", ReplyBroken),
    ([{"a": ""}] * 65, ReplyBroken),
]


def read(**more: Any) -> Reply:
    return read_completion(json.dumps({**completion("half"), **more}), latency_s=1.0, price=None)


def choice(**more: Any) -> list[dict[str, Any]]:
    return [{"index": 0, "message": {"content": "half"}, "finish_reason": "stop", **more}]


@pytest.mark.parametrize("place", ["error", "errors"])
@pytest.mark.parametrize("said", WELL, ids=str)
def test_what_says_that_all_went_well_fails_no_reply(said: Any, place: str) -> None:
    assert read(**{place: said}).text == "half"
    assert read(choices=choice(**{place: said})).text == "half"


@pytest.mark.parametrize("place", ["error", "errors"])
@pytest.mark.parametrize(("said", "kind"), FAILED, ids=str)
def test_a_code_or_a_word_that_tells_of_a_failure_wins(said: Any, kind: type[CallError], place: str) -> None:
    for listed in (said, [said], [{"code": 0, "message": "ok"}, said]):
        with pytest.raises(kind):
            read(**{place: listed})
        with pytest.raises(kind):
            read(choices=choice(**{place: listed}))


def test_an_error_stands_beside_one_that_says_all_went_well() -> None:
    with pytest.raises(ReplyBroken, match="boom"):
        read(error={"code": 0, "message": "ok"}, errors=[{"message": "boom"}])
    with pytest.raises(ReplyBroken, match="'boom'"):
        read(choices=choice(error={"code": 0, "message": "ok"}, errors=[{"message": "boom"}]))


def test_the_words_of_an_error_that_is_only_true_stand_beside_it() -> None:
    with pytest.raises(ReplyBroken, match="upstream timed out"):
        read(error=True, message="upstream timed out")


@pytest.mark.parametrize(
    "finish", sorted({*FAILED_FINISHES, *ERRED, "ERROR", "engine_error", "Rate-Limit-Exceeded", "time_limit"})
)
def test_what_ended_because_the_endpoint_failed_is_no_answer(finish: str) -> None:
    with pytest.raises((ReplyBroken, RateLimited, ServerFailed), match="it ended with"):
        read(choices=choice(finish_reason=finish))


@pytest.mark.parametrize(
    "finish", sorted({*CUT_FINISHES, *LIMITED, "MAX_TOKENS", "ERROR_LIMIT", "model_context_window_exceeded"})
)
def test_what_a_limit_has_cut_is_known_as_cut(finish: str) -> None:
    assert read(choices=choice(finish_reason=finish)).finish == "length"


@pytest.mark.parametrize("finish", ["ERROR_TOXIC", "SAFETY", "content_filter"])
def test_what_a_filter_has_ended_is_its_word(finish: str) -> None:
    assert read(choices=choice(finish_reason=finish)).finish == "content_filter"


@pytest.mark.parametrize(
    "finish", ["stop", "eos", "end_turn", "COMPLETE", "stop_sequence", "tool_calls", "OTHER", "no_error", ""]
)
def test_all_other_words_stand_as_they_are(finish: str) -> None:
    assert read(choices=choice(finish_reason=finish)).finish == (finish or "stop")


def test_an_error_of_very_many_parts_is_looked_through_as_far_as_need_be() -> None:
    """Each has no more parts than are looked at; all together are a quarter of a million."""
    looked = 0

    class Word(str):
        def casefold(self) -> str:
            nonlocal looked
            looked += 1
            return "ok"

        def __getitem__(self, part: Any) -> Word:
            return self

    parts = [[[Word("ok")] * 64] * 64] * 64
    assert error_fields({"error": parts}) is not None, "nobody needs so many to say that all went well"
    assert 0 < looked < 10 * MOST_IN_ALL
    assert error_fields({"error": [["ok"] * 60], "choices": []}) is None
