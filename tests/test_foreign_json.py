"""A number that somebody wrote is the number that is compared, whichever way it came in."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from moot.data import load
from moot.data.published import published_rows
from moot.data.replies import convert_replies
from moot.foreign_json import read_json
from moot.select.files import read_labels
from moot.serve.events import call_event
from moot.team.forms import AnswerForm, Unusable, read_reply
from moot.types import Call, Question, Reply, Request, canonical_json

ASKED = Question("q", "How many?")


def said(text: str) -> str:
    return read_reply(Reply(text), AnswerForm(ASKED)).value.answer


def in_a_reply(number: str) -> list[str]:
    whole = f'{{"reasoning": "r", "answer": {number}}}'
    return [said(whole), said(f"So: {whole}"), said(f"<think>hm</think>{whole}"), said(whole.replace('"r"', "'r'"))]


def in_questions(number: str) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        lines, table = Path(folder, "q.jsonl"), Path(folder, "q.csv")
        lines.write_text(f'{{"id": {number}, "text": "t", "answer": {number}, "accepted": [{number}]}}\n')
        table.write_text(f'id,text,answer,accepted\n{number},t,{number},"[{number}]"\n')
        cases = [*load(lines), *load(table)]
    return [text for case in cases for text in (case.question.id, case.answer or "", *case.accepted)]


def in_published(number: str) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "a.json").write_text(f'[{{"n": {number}}}]')
        Path(folder, "b.jsonl").write_text(f'{{"n": {number}}}\n')
        return [row.needed("n") for row in published_rows(Path(folder))]


def in_labels(number: str) -> list[str]:
    found = []
    for name, text in (
        ("l.jsonl", f'{{"question_id": {number}, "model": "m", "pred": {number}, "answer": {number}}}\n'),
        ("l.csv", f"question_id,model,pred,answer\n{number},m,{number},{number}\n"),
    ):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, name).write_text(text)
            labels = read_labels(Path(folder, name), kind="choices")
            found += [*labels.questions, *labels.classes]
    return found


def in_converted_replies(number: str) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        source, replies, questions = (Path(folder, name) for name in ("s.jsonl", "r.jsonl", "q.jsonl"))
        row = f'"question_id": {number}, "question": "t", "options": [{number}, 1], "answer": "A"'
        source.write_text(f'{{{row}, "responses": {{"m": {{"pred": "A"}}}}}}\n')
        convert_replies(source, replies, questions)
        (case,) = load(questions)
        return [case.question.id, case.question.choices[0], json.loads(replies.read_text())["question_id"]]


def while_watched(number: str) -> list[str]:
    shown = call_event(Call("m", "draft", 1, Request(()), Reply(f'{{"answer": {number}}}')))["said"]
    return [str(shown["answer"])]


READERS: dict[str, Callable[[str], list[str]]] = {
    each.__name__: each
    for each in (in_a_reply, in_questions, in_published, in_labels, in_converted_replies, while_watched)
}


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
@given(st.one_of(st.integers(-(10**3_900), 10**3_900), st.integers(1, 3_900).map(lambda length: 10**length - 7)))
@example(2**63)
@example(2**64)
@example(-(2**63) - 1)
@example(2**100)
@settings(max_examples=12, deadline=None)
def test_every_digit_of_a_whole_number_survives(reader: Callable[[str], list[str]], number: int) -> None:
    assert set(reader(str(number))) == {str(number)}


@pytest.mark.parametrize("reader", [in_questions, in_published, in_labels, while_watched])
@pytest.mark.parametrize(
    "number",
    ["0.1000000000000000055", "99999999999999.99", "1e400", "-1e-400", "12345678.123456789012", "7" * 5_000],
    ids=lambda number: number[:24],
)
def test_what_no_float_holds_stays_as_it_is_written(reader: Callable[[str], list[str]], number: str) -> None:
    assert set(reader(number)) == {number}
    whole = f'{{"reasoning": "r", "answer": {number}}}'
    assert {said(whole), said(f"So: {whole}")} == {number}
    with pytest.raises(Unusable):  # mending rounds: it is asked for again
        said(whole.replace('"r"', "'r'"))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_what_a_float_holds_is_one(number: float) -> None:
    assert read_json(json.dumps(number)) == read_json(json.dumps(number).encode()) == number


@pytest.mark.parametrize(("written", "whole"), [("1e15", 10**15), ("1e23", 10**23), ("3.0", 3), ("-2E20", -2 * 10**20)])
def test_a_whole_number_is_the_same_answer_however_it_is_written(written: str, whole: int) -> None:
    assert said(f'{{"reasoning": "r", "answer": {written}}}') == said(f'{{"reasoning": "r", "answer": {whole}}}')


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
@pytest.mark.parametrize("key", ["id", "answer", "text", "choices", "category"])
def test_what_is_no_number_is_refused_by_its_key(constant: str, key: str, tmp_path: Path) -> None:
    row = {"id": '"1"', "text": '"t"', "answer": '"A"', "choices": '["x", "y"]'}
    row[key] = f'["x", {constant}]' if key == "choices" else constant
    path = tmp_path / "q.jsonl"
    path.write_text("{" + ", ".join(f'"{name}": {value}' for name, value in row.items()) + "}\n")
    with pytest.raises(Exception, match=rf"q\.jsonl:1: {key}: expected .*a number that is none"):
        load(path)


def test_a_hash_is_made_of_every_digit() -> None:
    assert canonical_json({"b": 1, "a": 2**70}) == b'{"a":1180591620717411303424,"b":1}'
    assert canonical_json([2**70]) != canonical_json([2**70 + 1])
