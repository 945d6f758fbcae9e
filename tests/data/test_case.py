"""One row into a case: every key, and the forms it may have. What is refused is in tests/experiment/test_bad_input.py."""

from __future__ import annotations

from typing import Any

import pytest

from moot.data.case import KEYS, read_case
from moot.types import UNKNOWN, Case, HumanRate

ROW: dict[str, Any] = {"id": "1", "text": "Who?", "answer": "Ann"}


def case(**more: Any) -> Case:
    return read_case({**ROW, **more}, file="cup.jsonl", line=3)


def test_every_key_arrives() -> None:
    full = case(
        context="c",
        language="ru",
        accepted=["Anna"],
        rejected=["Bob"],
        comment="x",
        source="s",
        author="a",
        human="301/390",
        category="k",
        package="p",
        year=1999,
        difficulty="hard",
        lemmatize=True,
        free_order=True,
        meta={"n": [1]},
    )
    question = full.question
    assert (question.id, question.text, question.context, question.language, question.kind) == (
        "1",
        "Who?",
        "c",
        "ru",
        "open",
    )
    assert (full.answer, full.accepted, full.rejected) == ("Ann", ("Anna",), ("Bob",))
    assert (full.comment, full.source, full.author, full.category) == ("x", "s", "a", "k")
    assert (full.package, full.year, full.difficulty, full.human) == ("p", 1999, "hard", HumanRate(301, 390))
    assert (full.lemmatize, full.free_order, full.meta) == (True, True, {"n": [1]})
    assert full.cluster is None
    assert len(KEYS) == 21


@pytest.mark.parametrize("nothing", ["", " ", "\u200b"])
def test_what_may_be_left_out_may_be_blank(nothing: str) -> None:
    found = case(context=nothing, comment=nothing, category=nothing, cluster=nothing)
    assert (found.question.context, found.comment, found.category, found.cluster) == (None, None, None, None)


FORMS = {
    "number-as-text": ({"id": 7, "answer": 42}, "42", "open"),
    "letter": ({"choices": ["x", "y"], "answer": "b"}, "B", "choice"),
    "26-choices": ({"choices": [f"c{n}" for n in range(26)], "answer": "Z"}, "Z", "choice"),
    "numbers-as-choices": ({"choices": [1, 2.5], "answer": "A"}, "A", "choice"),
    "yes": ({"kind": "yes-no", "answer": "Да"}, "yes", "yes-no"),
    "true": ({"kind": "yes-no", "answer": False}, "no", "yes-no"),
    "null": ({"answer": None}, None, "open"),
    "unknown": ({"answer": UNKNOWN}, None, "open"),
    "blanks": ({"answer": " Ann "}, "Ann", "open"),
    "empty-choices": ({"choices": []}, "Ann", "open"),
}


@pytest.mark.parametrize(("changed", "answer", "kind"), FORMS.values(), ids=FORMS)
def test_forms_of_an_answer(changed: dict[str, Any], answer: str | None, kind: str) -> None:
    read = case(**changed)
    assert (read.answer, read.question.kind) == (answer, kind)


HUMAN = {
    "object": ({"solved": 0, "asked": 3}, HumanRate(0, 3)),
    "short": (" 3 / 3 ", HumanRate(3, 3)),
    "empty": ("", None),
    "nulls": ({"solved": None, "asked": None}, None),
}


@pytest.mark.parametrize(("value", "expected"), HUMAN.values(), ids=HUMAN)
def test_human_rate(value: object, expected: HumanRate | None) -> None:
    assert case(human=value).human == expected


def test_the_language_of_the_file_holds_where_a_row_has_none() -> None:
    assert read_case(ROW, file="f", line=1, language="ru").question.language == "ru"
    assert read_case({**ROW, "language": "en"}, file="f", line=1, language="ru").question.language == "en"


def test_what_shapes_a_grade_is_in_the_digest_and_what_does_not_is_not() -> None:
    plain = case()
    assert case(comment="x", human="1/2", category="k").digest == plain.digest
    changed = [case(answer="Bob"), case(accepted=["x"]), case(rejected=["x"]), case(free_order=True), case(text="?")]
    assert len({plain.digest, *(each.digest for each in changed)}) == 6
    assert case(accepted=["x"]).question.digest == plain.question.digest
