"""Replies from a file. What is refused in one is in tests/experiment/test_bad_input.py."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from moot.errors import FileError, NotRecorded
from moot.models.model import Model, call_key
from moot.models.recorded import RecordedModel, read_recording, request_digest
from moot.team.forms import AnswerForm, read_reply
from moot.types import Message, Question, Reply, Request

QUESTION = Question("q", "Who?")


def written(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps({"model": "gpt", "question_id": "q", **row}) + "\n" for row in rows))
    return path


def asked(sample: int = 0, attempt: int = 0, question: str = "q") -> Request:
    form = AnswerForm(QUESTION).schema
    return Request((Message("user", "Who?"),), sample=sample, attempt=attempt, question_id=question, schema=form)


async def reply_of(row: dict[str, Any], folder: Path) -> Reply:
    return await RecordedModel("m", file=written(folder / "r.jsonl", row), model="gpt").generate(asked())


FORMS = {
    "answer": ({"answer": "Ann"}, "Ann", ""),
    "reasoning": ({"answer": "Ann", "reasoning": "known"}, "Ann", "known"),
    "text-beside": ({"answer": "Ann", "text": "It is Ann."}, "Ann", "It is Ann."),
    "answer-that-looks-like-json": ({"answer": '{"answer": "Bob"}'}, '{"answer": "Bob"}', ""),
    "answer-with-quotes": ({"answer": 'the "Ann"\n'}, 'the "Ann"', ""),
    "text-in-the-form": ({"text": '{"reasoning": "r", "answer": "Ann"}'}, "Ann", "r"),
    "half-a-surrogate": ({"answer": "A\ud800"}, "A\ufffd", ""),
}


@pytest.mark.parametrize(("row", "answer", "reasoning"), FORMS.values(), ids=FORMS)
async def test_forms(row: dict[str, Any], answer: str, reasoning: str, tmp_path: Path) -> None:
    reply = await reply_of(row, tmp_path)
    taken = read_reply(reply, AnswerForm(QUESTION)).value
    assert (taken.answer, taken.reasoning) == (answer, reasoning)
    assert (reply.version, reply.cost_usd, reply.finish) == ("gpt", None, "stop")


async def test_whoever_asks_for_free_words_gets_the_answer_as_it_was_given(tmp_path: Path) -> None:
    model = RecordedModel("m", file=written(tmp_path / "r.jsonl", {"answer": "# Ann\n\nSo."}), model="gpt")
    assert (await model.generate(replace(asked(), schema=None))).text == "# Ann\n\nSo."


async def test_an_open_answer_is_one_to_an_open_question_alone(tmp_path: Path) -> None:
    file = written(tmp_path / "r.jsonl", {"open_answer": "Ann", "text": "Ann (B)."})
    model = RecordedModel("m", file=file, model="gpt")
    assert read_reply(await model.generate(asked()), AnswerForm(QUESTION)).value.answer == "Ann"
    for closed in (Question("q", "Who?", ("Bob", "Ann")), Question("q", "Ann?", kind="yes-no")):
        assert (await model.generate(replace(asked(), schema=AnswerForm(closed).schema))).text == "Ann (B)."
    assert (await model.generate(replace(asked(), schema=None))).text == "Ann (B)."
    with pytest.raises(FileError, match="open_answer: expected one of answer and open_answer"):
        read_recording(written(tmp_path / "both.jsonl", {"open_answer": "Ann", "answer": "Ann"}))


async def test_nothing_recorded_is_said_so(tmp_path: Path) -> None:
    model = RecordedModel("m", file=written(tmp_path / "r.jsonl", {"answer": "Ann"}), model="gpt")
    for request in (asked(question="other"), asked(sample=1), asked(attempt=1)):
        assert (await model.generate(request)).finish == "unrecorded"
    assert (await reply_of({"answer": None}, tmp_path)).text == ""


async def test_samples_and_models_are_kept_apart(tmp_path: Path) -> None:
    rows = [{"answer": "Ann"}, {"answer": "Bob", "sample": 1}, {"answer": "Eve", "model": "other"}]
    file = written(tmp_path / "r.jsonl", *rows)
    gpt, other = (RecordedModel(name, file=file, model=name) for name in ("gpt", "other"))
    texts = [(await model.generate(asked(sample))).text for model, sample in ((gpt, 0), (gpt, 1), (other, 0))]
    assert [json.loads(text)["answer"] for text in texts] == ["Ann", "Bob", "Eve"]
    assert gpt.recording is other.recording, "one file is read once"
    assert call_key(gpt, asked()) != call_key(other, asked())


def test_a_changed_file_is_read_again_and_has_other_keys(tmp_path: Path) -> None:
    file = written(tmp_path / "r.jsonl", {"answer": "Ann"})
    before = RecordedModel("m", file=file, model="gpt")
    written(file, {"answer": "Eve"})
    os.utime(file, ns=(1, 1))
    after = RecordedModel("m", file=file, model="gpt")
    assert call_key(before, asked()) != call_key(after, asked())
    assert isinstance(after, Model)


def test_a_folder_is_no_recording(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be read: Is a directory"):
        read_recording(tmp_path)


async def test_a_recording_of_calls_answers_the_very_same_words_and_no_others(tmp_path: Path) -> None:
    put = Request((Message("system", "Be brief."), Message("user", "Who?")), question_id="q1", sample=2)
    key = request_digest([("system", "Be brief."), ("user", "Who?")], 0)
    lines = [
        {"model": "m", "question_id": "q1", "text": "Anna", "sample": 2, "request": key},
        {"model": "m", "text": "no", "sample": 0, "request": key, "finish": "refusal"},
    ]
    path = tmp_path / "replies.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    model = RecordedModel("m", file=path, model="m")
    assert (await model.generate(put)).text == "Anna"
    assert (await model.generate(replace(put, sample=0))).refused
    for other in (
        replace(put, sample=1),
        replace(put, attempt=1),
        replace(put, messages=put.messages[1:]),
        replace(put, messages=(*put.messages, Message("user", "Well?"))),
    ):
        with pytest.raises(NotRecorded, match=r"replies\.jsonl has no reply of m to this"):
            await model.generate(other)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([{"model": "m", "question_id": "1", "text": "a", "request": "x"}] * 2, "2: a second reply"),
        (
            [
                {"model": "m", "question_id": "1", "text": "a", "request": "x"},
                {"model": "m", "question_id": "1", "text": "a"},
            ],
            "expected it in all of a model or in none",
        ),
        ([{"model": "m", "text": "a"}], "question_id"),
        ([{"model": "m", "question_id": "1", "text": "a", "request": 3}], "expected a text or null"),
    ],
)
def test_odd_recordings_of_calls(tmp_path: Path, lines: list[dict[str, object]], words: str) -> None:
    path = tmp_path / "replies.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    with pytest.raises(FileError, match=words):
        RecordedModel("m", file=path, model="m")


async def test_what_a_reply_took_when_it_was_made(tmp_path: Path) -> None:
    row = {"answer": "Ann", "cost_usd": 0.25, "prompt_tokens": 7, "completion_tokens": 3, "seconds": 1.5}
    reply = await reply_of(row, tmp_path)
    assert (reply.cost_usd, reply.usage.prompt, reply.usage.completion, reply.latency_s) == (0.25, 7, 3, 1.5)


async def test_what_nobody_says_the_cost_of_is_not_free(tmp_path: Path) -> None:
    model = RecordedModel("m", file=written(tmp_path / "s.jsonl", {"answer": "Ann", "seconds": 1}), model="gpt")
    assert ((await model.generate(asked())).cost_usd, model.price, model.mean_cost_usd) == (None, None, None)


@pytest.mark.parametrize(("costs", "mean"), [((0.1, 0.3), 0.2), ((0.1, None), None), ((None, None), None)])
def test_the_mean_cost_of_a_recording(costs: tuple[float | None, ...], mean: float | None, tmp_path: Path) -> None:
    """Of all its replies, or nobody knows it."""
    path = tmp_path / "r.jsonl"
    rows = [{"model": "m", "question_id": f"q{n}", "answer": "A", "cost_usd": cost} for n, cost in enumerate(costs)]
    path.write_text("\n".join(map(json.dumps, rows)))
    assert RecordedModel("m", file=path, model="m").mean_cost_usd == (None if mean is None else pytest.approx(mean))


@pytest.mark.parametrize(
    ("key", "value"), [("cost_usd", -1), ("cost_usd", "1"), ("prompt_tokens", 1.5), ("seconds", True)]
)
def test_what_no_reply_took(key: str, value: object, tmp_path: Path) -> None:
    with pytest.raises(FileError, match=f"r.jsonl:1: {key}: expected a (whole )?number from 0 on, or null"):
        read_recording(written(tmp_path / "r.jsonl", {"answer": "Ann", key: value}))
