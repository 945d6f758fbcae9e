"""A file of recorded replies: which lines are refused, what its replies took; and what is said of a key or a cap."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from moot.errors import FileError, NotRecorded, RequestRejected
from moot.models import border
from moot.models.budget import SpentBeside, budget_words
from moot.models.key_gate import closed, in_short, key_advice
from moot.models.recorded import PlayedBack, RecordedModel, read_recording, request_digest
from moot.types import Message, Price, Request

GOOD = {"model": "gpt", "question_id": "q"}
NEITHER = "expected a text that is not empty"
ODD: dict[str, tuple[dict[str, Any], str, str]] = {
    "an unknown key": ({**GOOD, "anwser": "A"}, "unknown key; expected one of ", "anwser"),
    "no model": ({"question_id": "q"}, NEITHER, "model"),
    "an empty model": ({**GOOD, "model": ""}, NEITHER, "model"),
    "no question": ({"model": "gpt"}, NEITHER, "question_id"),
    "a request of no model": ({"request": "r"}, NEITHER, "model"),
    "an answer in numbers": ({**GOOD, "answer": 7}, "expected a text or null", "answer"),
    "a text in a list": ({**GOOD, "text": []}, "expected a text or null", "text"),
    "half a sample": ({**GOOD, "sample": 0.5}, "expected a whole number from 0 on", "sample"),
    "a true sample": ({**GOOD, "sample": True}, "expected a whole number from 0 on", "sample"),
    "a sample below nothing": ({**GOOD, "sample": -1}, "expected a whole number from 0 on", "sample"),
    "half a token": ({**GOOD, "prompt_tokens": 0.5}, "expected a whole number from 0 on, or null", "prompt_tokens"),
    "a cost below nothing": ({**GOOD, "cost_usd": -1}, "expected a number from 0 on, or null", "cost_usd"),
    "two answers": (
        {**GOOD, "answer": "A", "open_answer": "A"},
        "expected one of answer and open_answer",
        "open_answer",
    ),
}


def written(folder: Path, *rows: Any) -> Path:
    path = folder / "r.jsonl"
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows) + "\n\n")
    return path


@pytest.mark.parametrize(("row", "words", "key"), ODD.values(), ids=ODD)
def test_a_line_that_is_none_is_said_with_its_number_and_key(row: Any, words: str, key: str, tmp_path: Path) -> None:
    with pytest.raises(FileError) as raised:
        read_recording(written(tmp_path, GOOD, row))
    assert words in str(raised.value)
    assert (raised.value.line, raised.value.key) == (2, key)


@pytest.mark.parametrize("line", ["[]", "7", "{", '"text"'])
def test_a_line_that_is_no_object_is_said_so(line: str, tmp_path: Path) -> None:
    with pytest.raises(FileError, match="expected one JSON object a line"):
        read_recording(written(tmp_path, line))


def test_calls_and_drafts_of_one_model_do_not_go_together(tmp_path: Path) -> None:
    both = written(tmp_path, GOOD, {**GOOD, "request": "r"})
    with pytest.raises(FileError, match="some lines of 'gpt' have a request and others none"):
        read_recording(both)
    with pytest.raises(FileError, match="no such file of recorded replies"):
        read_recording(tmp_path / "gone.jsonl")


def test_a_model_that_is_not_in_the_file_is_said_with_those_that_are(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD, {**GOOD, "model": "ann"})
    with pytest.raises(
        FileError, match=r"holds no replies of 'gtp'; expected one of its models: there are those of ann, gpt"
    ):
        RecordedModel("m", file=path, model="gtp")
    with pytest.raises(FileError, match="there are none at all"):
        RecordedModel("m", file=written(tmp_path), model="gpt")


SPENT = [
    {**GOOD, "answer": "A", "cost_usd": 0.5, "completion_tokens": 10},
    {**GOOD, "answer": "A", "sample": 1, "cost_usd": 1.5, "completion_tokens": 30},
    {**GOOD, "question_id": "p", "answer": "A", "prompt_tokens": 1_000_000, "completion_tokens": 1_000_000},
    {**GOOD, "model": "ann", "answer": "A", "cost_usd": 8.0},
]


def test_means_are_of_the_replies_that_are_played_back(tmp_path: Path) -> None:
    path = written(tmp_path, *SPENT)

    def model(**given: Any) -> RecordedModel:
        return RecordedModel("m", file=path, model="gpt", **given)

    some = model(played=PlayedBack({"q"}, 2))
    assert (some.known_costs, some.mean_cost_usd, some.mean_completion_tokens) == (2, 1.0, 20.0)
    one = model(played=PlayedBack({"q"}, 1))
    assert (one.known_costs, one.mean_cost_usd, one.mean_completion_tokens) == (1, 0.5, 10.0)
    assert (model().known_costs, model().mean_cost_usd) == (2, None), "of one reply nobody knows it"
    priced = model(then=Price(2.0, 4.0))
    assert (priced.known_costs, priced.mean_cost_usd) == (3, pytest.approx((0.5 + 1.5 + 6.0) / 3))


async def test_a_call_that_was_recorded_is_played_back_to_the_very_same_words(tmp_path: Path) -> None:
    said = (Message("system", "be brief"), Message("user", "?"))
    key = request_digest([(message.role, message.content) for message in said], 0)
    path = written(tmp_path, {**GOOD, "request": key, "text": "fine", "finish": "length", "seconds": 2.0})
    model = RecordedModel("m", file=path, model="gpt")
    reply = await model.generate(Request(said))
    assert (reply.text, reply.finish, reply.latency_s, reply.cost_usd) == ("fine", "length", 2.0, None)
    for other in (Request(said[1:]), Request(said, attempt=1), Request(said, sample=1)):
        with pytest.raises(NotRecorded, match=r"r\.jsonl has no reply of gpt to this"):
            await model.generate(other)


# --- words about keys and caps ----------------------------------------------------------------------------------------


def rejection(words: str, status: int, **more: Any) -> RequestRejected:
    return RequestRejected(words, status=status, **more)


def test_what_is_said_of_a_key_that_is_refused() -> None:
    assert str(closed({"a": rejection("no", 401)}, "$KEY")) == (
        "the key of model a is refused: no. The key comes from $KEY: expected a key of this endpoint."
    )
    assert str(closed({"a": rejection("no", 403), "b": rejection("never", 403)}, "$KEY")) == (
        "models a, b may not be asked with this key: no. "
        "The key comes from $KEY: expected one that may use this model, from where you are."
    )
    assert key_advice(401, None).startswith("The file sets no key for it: expected api_key_env")
    assert str(closed({"a": rejection("404: no", 404, no_such_path=True)}, None)) == (
        "nobody answers for model a at this address: 404: no."
    )


def test_a_log_is_told_where_it_was_refused_and_nothing_of_what_was_said() -> None:
    assert in_short(rejection("https://x.y/v1 answered 401: sk-secret", 401)) == "https://x.y/v1 answered 401"
    assert in_short(rejection("sk-secret https://x.y/v1 answered 401", 401)) == "status 401"


def test_how_a_budget_stands() -> None:
    assert budget_words(1.0, 1.0) == "the budget of $1.00 is reached: $1.00 spent"
    assert budget_words(1.0, 1.5) == "the budget of $1.00 is crossed: $1.50 spent"
    assert budget_words(0.75, 0.5, SpentBeside(1.0, 0.25, "moot ask")) == (
        "the budget of $1.00 is reached: $0.75 spent, $0.25 of it by moot ask"
    )
    assert budget_words(1.0, 0.5, SpentBeside(1.0, 0.0, "moot ask")) == "the budget of $1.00 is reached: $0.50 spent"


# --- texts and numbers at the border ----------------------------------------------------------------------------------


def test_what_looks_alike_is_one_text_and_what_is_not_seen_is_blank() -> None:
    assert [
        border.as_seen(text) for text in ("a  b\n", "a\u200bb", "e\u0301", "a\ufe0f", "a\u3164b", "\u00a0a\tb")
    ] == [
        "a b",
        "ab",
        "é",
        "a",
        "ab",
        "a b",
    ]
    assert [border.blank(text) for text in ("", " \n", "\u200b", "\u3164", "\ufe0f", "\u200ba", ".", "\u0301")] == [
        *[True] * 5,
        *[False] * 2,
        True,
    ]


def test_marks_that_choose_a_form_are_drawn_as_nothing_and_their_neighbours_are_not() -> None:
    """Variation selectors of Mongolian, of all, and of ideographs; and the joiner of graphemes."""
    unseen = ("\u034f", "\u180b", "\u180d", "\ufe00", "\ufe0f", "\U000e0100", "\U000e01ef")
    assert [border.as_seen(f"a{mark}") for mark in unseen] == ["a"] * len(unseen)
    seen = ("\u034e", "\u0350", "\u180a", "\ufdff", "\ufe10", "\U000e01f0")
    assert [border.as_seen(f"a{mark}") for mark in seen] == [f"a{mark}" for mark in seen]


def test_why_a_text_cannot_be_kept() -> None:
    assert border.text_problem("fine, né") is None
    assert border.text_problem(" \u200b") == "expected a text that is not empty"
    assert border.text_problem("a\x00") == "holds a NUL character, which no store can take"
    assert border.text_problem("a\ud800") == "holds half of a surrogate pair, which no file or model can take"
    assert border.storable("a\x00\ud800é") == "a\ufffd\ufffdé"
    assert border.storable("\ud83d\ude00") == "😀", "two halves are a whole"


def test_amounts_and_counts_that_nobody_believes() -> None:
    assert [border.count(value) for value in (0, 120.0, 0.5, -1, True, "1", None, 10**30)] == [0, 120, *[None] * 6]
    assert border.told_count(10**400) == border.MOST_TOKENS
    assert [border.usd(value) for value in (0, 0.5, -1, True, "1", float("nan"), 10**400, 1.1e9)] == [
        0.0,
        0.5,
        *[None] * 6,
    ]
    assert [border.told_usd(value) for value in (0.5, 10**400, float("inf"), True)] == [0.5, 1e9, 1e9, None]
    assert border.cut("abcdef", 6) == "abcdef"
    assert border.cut("abcdefg", 6) == "abcde…"
