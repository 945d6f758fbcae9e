"""Columns of which two could be one thing by their names: which they are, and what to write."""

from __future__ import annotations

from moot.data.tables.advised_columns import SAY_WHICH, example_of, written
from moot.data.tables.doubts import Doubt
from moot.data.tables.known_names import ColumnNames, Guess
from moot.data.tables.listed_names import MOST_LISTED, cut, listed
from moot.data.tables.questions_and_passages import asked_and_shown
from moot.data.tables.stated import NEEDED, Stated
from moot.data.tables.table import QuestionTable


def two_could_be(table: QuestionTable, stated: Stated, guess: Guess) -> tuple[Doubt, ...]:
    doubts = []
    with_context = "context" in {**stated.columns, **guess.columns, **guess.doubts}
    for key, candidates in guess.doubts.items():
        listed_too = [cut(each) if isinstance(each, str) else f"[{listed(each)}]" for each in candidates[:MOST_LISTED]]
        named = " and ".join(listed_too) + (" and more" if len(candidates) > MOST_LISTED else "")
        brief = f"{len(candidates)} columns could be {key}: {named}"
        write, too, likely = {key: example_of(key, candidates)}, dict[str, ColumnNames](), None
        if key == "text" and (found := asked_and_shown(table, candidates)) is not None:
            write = {key: found.question}
            likely = candidates.index(found.question) if found.passage is not None else None
            too = {"context": found.passage} if found.passage is not None and not with_context else {}
        write |= too
        problem = f"{brief}; {SAY_WHICH} {written(write)}"
        ways = tuple(Stated({key: each}) for each in candidates)
        if key not in NEEDED:
            problem += f", or {key}: null for none"
            ways += (Stated({key: None}),)
        doubts.append(Doubt(problem, table.header, None, ways, "several", brief, likely, too, brief, write))
    return tuple(doubts)
