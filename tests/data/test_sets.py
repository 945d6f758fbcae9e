"""The sets that come with moot grade themselves right and each other wrong."""

from __future__ import annotations

import pytest

from moot.data import builtin, builtin_names, load
from moot.grade.match import match
from moot.team.forms import AnswerForm, read_reply
from moot.types import Case, Reply, canonical_json


def cases(name: str) -> list[Case]:
    return list(load(builtin(name)))


def test_there_are_sets_in_both_languages() -> None:
    assert {"facts-en", "general-en", "quiz-en", "quiz-ru"} <= set(builtin_names())


def test_ids_are_unique_over_all_sets() -> None:
    listed = [case.question.id for name in builtin_names() for case in cases(name)]
    assert len(set(listed)) == len(listed) >= 100


@pytest.mark.parametrize("name", builtin_names())
def test_every_reference_and_variant_is_right_through_a_reply(name: str) -> None:
    for case in cases(name):
        for answer in (case.answer, *case.accepted):
            said = Reply(canonical_json({"reasoning": "", "answer": answer}).decode())
            taken = read_reply(said, AnswerForm(case.question)).value.answer
            assert match(case, taken).value == 1.0, (case.question.id, answer)


@pytest.mark.parametrize("name", builtin_names())
def test_the_answer_of_another_question_is_wrong(name: str) -> None:
    listed = cases(name)
    pairs = zip(listed, [*listed[1:], listed[0]], strict=True)
    wrong = [(one.question.id, other.answer) for one, other in pairs if one.answer != other.answer]
    assert len(wrong) > len(listed) / 2
    by_id = {case.question.id: case for case in listed}
    assert [each for each in wrong if match(by_id[each[0]], each[1]).value != 0.0] == []


@pytest.mark.parametrize("name", builtin_names())
def test_no_open_question_holds_its_own_answer(name: str) -> None:
    """Else a player could read it off."""
    for case in cases(name):
        if case.answer and not case.question.choices and len(case.answer) > 4:
            assert case.answer.casefold() not in case.question.text.casefold(), case.question.id


@pytest.mark.parametrize("name", builtin_names())
def test_no_letter_is_right_much_more_often_than_others(name: str) -> None:
    letters = [case.answer for case in cases(name) if case.question.choices]
    for letter in set(letters):
        assert letters.count(letter) < len(letters) / 2
