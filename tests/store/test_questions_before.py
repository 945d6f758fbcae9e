"""What earlier plans of a name asked: questions that were taken out, references that are others, words that are carried on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from small_store import fill, plan, small_store
from sqlalchemy import Connection, select

from moot.store import queries, schema
from moot.store.questions_before import (
    carry_settlements,
    questions_played,
    questions_taken_out,
    references_changed,
)
from moot.store.rows import case_row
from moot.types import Case, Question


@pytest.fixture
def store() -> Iterator[Connection]:
    with small_store() as connection:
        yield connection


def case(ident: str, text: str, answer: str = "x") -> Case:
    return Case(Question(id=ident, text=text), answer=answer)


A, B, C, D = (case(name, f"What is {name}?") for name in "abcd")


def asked(store: Connection, ident: str, cases: Sequence[Case], created_at: float, cells: str = "s") -> Any:
    """A plan of these questions, as it stands in the store."""
    plan(store, ident, cells=cells, created_at=created_at)
    queries.add(store, schema.cases, [case_row(each) for each in cases])
    places = [
        {"experiment": ident, "position": n, "question": each.question.digest, "case": each.digest}
        for n, each in enumerate(cases)
    ]
    queries.put(store, schema.experiment_questions, places)
    return queries.experiment_of(store, ident)


def played(store: Connection, cell: str, *cases: Case) -> None:
    fill(store, schema.episodes, *({"cell": cell, "question": each.question.digest} for each in cases))


def test_what_was_played_and_is_asked_no_more_was_taken_out(store: Connection) -> None:
    asked(store, "cup-1", [A, B, C], 1.0)
    now = asked(store, "cup-2", [A, D], 2.0)
    assert questions_taken_out(store, now) == 0, "nothing was played"
    played(store, "s", A, B)
    assert questions_taken_out(store, now) == 1, "b; c was never played"
    played(store, "elsewhere", C)
    assert questions_taken_out(store, now) == 1, "by none of its cells"
    played(store, "s", C)
    assert questions_taken_out(store, now) == 2
    assert questions_taken_out(store, queries.experiment_of(store, "cup-1")) == 0, "nothing was before it"


def test_it_counts_beside_questions_that_both_have_and_of_one_name(store: Connection) -> None:
    asked(store, "cup-1", [B, C], 1.0)
    asked(store, "far-1", [A, B], 1.0)
    played(store, "s", A, B, C)
    assert questions_taken_out(store, asked(store, "cup-2", [A, D], 2.0)) == 0, "they have nothing in common"
    assert questions_taken_out(store, asked(store, "cup-3", [B], 1.5)) == 1, "c"


def test_a_question_that_only_moved_was_not_taken_out(store: Connection) -> None:
    """By its words, and as often as they were asked."""
    asked(store, "cup-1", [A, B, case("e", "What is b?")], 1.0)
    played(store, "s", A, B, case("e", "What is b?"))
    moved = case("row 7", "What is b?")
    assert questions_taken_out(store, asked(store, "cup-2", [A, moved, case("row 8", "What is b?")], 2.0)) == 0
    assert questions_taken_out(store, asked(store, "cup-3", [A, moved], 3.0)) == 1
    one_moved = asked(store, "cup-4", [moved], 1.5)
    assert questions_taken_out(store, one_moved) == 2, "another row moved with it, and a is gone"


def test_a_plan_that_is_not_in_the_store_yet_says_what_it_asks(store: Connection) -> None:
    asked(store, "cup-1", [A, B], 1.0)
    played(store, "s", A, B)
    new = {"id": "cup-9", "name": "cup", "created_at": 9.0}
    wordings = {each.question.digest: each.question.wording for each in (A, C)}
    assert questions_taken_out(store, new, wordings) == 1
    assert questions_taken_out(store, new, {**wordings, "moved": B.question.wording}) == 0


def test_a_reference_that_is_another_one_now(store: Connection) -> None:
    asked(store, "cup-1", [A, B, C], 1.0)
    mended = [case("a", "What is a?", "y"), case("b", "What is b?", "y"), C]
    now = asked(store, "cup-2", mended, 2.0)
    assert references_changed(store, now) == set(), "nothing was played"
    played(store, "s", A, C)
    assert references_changed(store, now) == {A.question.digest}
    assert references_changed(store, asked(store, "other-1", mended, 3.0)) == set()


def test_a_reference_that_changed_while_the_question_moved(store: Connection) -> None:
    asked(store, "cup-1", [A, B, C], 1.0)
    played(store, "s", A, B)
    moved = [case("1", "What is a?", "y"), case("2", "What is b?"), case("3", "What is c?", "y")]
    now = asked(store, "cup-2", moved, 2.0)
    assert references_changed(store, now) == {moved[0].question.digest}, "c was not played"


def test_what_was_played_under_a_name_or_by_the_same_cells(store: Connection) -> None:
    fill(store, schema.cells, {"id": "s"}, {"id": "t", "label": "other"})
    asked(store, "cup-1", [A, B], 1.0)
    asked(store, "far-1", [C, D], 1.0, cells="t")
    played(store, "s", A, C)
    played(store, "t", D)
    everything = {each.question.digest for each in (A, B, C, D)}
    assert questions_played(store, "cup", [], everything) == {A.question.digest}
    assert questions_played(store, "cup", ["s"], everything) == {A.question.digest, C.question.digest}
    assert questions_played(store, "nobody", ["t"], everything) == {D.question.digest}
    assert questions_played(store, "nobody", ["t"], set()) == set()


def test_a_persons_word_goes_with_a_question_that_moved(store: Connection) -> None:
    moved, mended = case("7", "What is a?"), case("8", "What is a?", "y")

    def words(of: Case) -> list[tuple[Any, ...]]:
        table = schema.settlements
        found = store.execute(select(table.c.answer, table.c.right).where(table.c.case == of.digest).order_by("answer"))
        return [*map(tuple, found)]

    carry_settlements(store, "cup-2", [moved])
    assert words(moved) == []
    asked(store, "cup-1", [A], 1.0)
    asked(store, "far-1", [B], 1.0)
    said = {"settled_at": 5.0, "right": 1}
    fill(store, schema.settlements, {"case": B.digest, "answer": "yes", **said})
    asked(store, "cup-2", [moved, mended], 2.0)
    carry_settlements(store, "cup-2", [moved, case("9", "What is b?")])
    assert words(moved) == []
    assert words(case("9", "What is b?")) == [], "said in another experiment"
    fill(store, schema.settlements, {"case": A.digest, "answer": "yes", **said})
    fill(store, schema.settlements, {"case": A.digest, "answer": "no", **said, "right": 0})
    carry_settlements(store, "cup-2", [moved, mended])
    assert words(moved) == [("no", 0), ("yes", 1)]
    assert words(mended) == [], "an answer to another reference"
    assert words(A) == [("no", 0), ("yes", 1)]
