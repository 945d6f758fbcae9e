"""Columns that a question cannot be without and that no name tells: which they could be, and what to write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from moot.data.tables import likely_columns as likely_by
from moot.data.tables.advised_columns import SAY_WHICH, WHICH_COLUMN, in_order, short_of, written
from moot.data.tables.answer_headers import calls_it_an_answer, named_right, says_otherwise
from moot.data.tables.doubts import Doubt
from moot.data.tables.flag_columns import flag_columns, flags_told
from moot.data.tables.known_names import NAMES, WRONG, ColumnNames, Guess, numbered, plain, several
from moot.data.tables.likely_columns import MOST_COLUMNS, likely_text, names_an_id, question_in_place_of_a_name
from moot.data.tables.listed_names import MOST_LISTED, cut, listed
from moot.data.tables.object_cells import opened
from moot.data.tables.odd_sheets import title_told
from moot.data.tables.pointing_answers import (
    FEWEST_ALIKE,
    PointingAnswers,
    letters_without_choices,
    likely_families,
    pointing_answers,
)
from moot.data.tables.positions_without_choices import pointed_at
from moot.data.tables.stated import NEEDED, Stated
from moot.data.tables.table import QuestionTable
from moot.data.tables.worked_solutions import short_beside
from moot.models.closest import closest_name

_SLIP = 0.85
"""How much alike two names are of which one is the other with a letter amiss."""
LONGEST_VALUE = 20
LONGEST_LIST = 80
"""Letters of all columns with their values, so that what to write is seen below them."""
_FEWEST_SHOWN = 2


def missing_columns(
    table: QuestionTable, stated: Stated, columns: Mapping[str, ColumnNames], guess: Guess, unused: Sequence[str]
) -> tuple[Doubt, ...]:
    missing = [key for key in stated.needed if key not in columns and key not in guess.doubts]
    doubts: list[Doubt] = []
    doubted = {name for candidates in guess.doubts.values() for each in candidates for name in several(each)}
    free = [name for name in unused if name not in doubted and name not in table.nameless][:MOST_LISTED]
    if "text" in missing and (row := question_in_place_of_a_name(table.names)) is not None:
        needed = f"line 1 has to name the columns, such as question,answer; it seems to be a row already: {cut(row)!r}"
        return (Doubt(needed, table.header, about="missing", brief=needed),)
    said: dict[str, ColumnNames] = {key: each for key, each in stated.columns.items() if each is not None}
    alone = True
    for key in missing:
        flags = flag_columns(table, free) if key == "answer" else ()
        free = [name for name in free if name not in flags]
        pointing = _pointing(table, stated, columns, free) if key == "answer" else None
        held = likely_text(table, free) if key == "text" else _held(columns, free, pointing, alone=alone)
        near = held if held is not None or pointing is not None else _misspelt(key, free)
        if key == "answer" and near is not None and (pointer := _points_at_list(table, near, free)) is not None:
            near, held = pointer, None  # what looks like the answer has all of the choices
        if key == "answer" and near is not None and (short := short_beside(table, near, free)) is not None:
            near = held = short.clear or (short.names[0] if len(short.names) == 1 else None)
        told = _likeliest_first(table, free, pointing) if key == "answer" else free
        advised = [near] if near is not None else [name for name in told if not names_an_id(name)]
        names = f"; the columns are {with_values(table) or 'none: line 1 has to name them'}" if not doubts else ""
        could_be = f"{cut(near)!r} could be it" if near is not None else _could_be(pointing)
        hint = f" ({could_be})" if could_be else ""
        unknown = f"no column is known to be {key}"
        # Without a reason for one of several, an example with it would be played as it stands.
        said[key] = short_of(advised) if near is not None or (key == "text" and len(advised) < 2) else WHICH_COLUMN
        too = _choices_too(table, stated, columns, near, pointing, free) if key == "answer" else {}
        said |= too
        example = f"; {SAY_WHICH} {written(in_order(said))}" if key == missing[-1] else ""
        say = f"{names}{f'; {flags_told(flags)}' if flags and not could_be else example}"
        if (title := title_told(table)) is not None:
            say = f"; {title}" if not doubts else ""
        if key == "answer" and "text" in columns and not unused:
            has = f"it has {listed(table.names)}"
            say = f", and none is left that could be it: what is right has to be in the file ({has})"
            example = ""
        problem = f"{unknown}{hint}{say}"
        others = [name for name in unused if name not in advised and name not in flags]
        listed_first = [*advised, *others] if key == "answer" else [*unused]
        ways = tuple(Stated({key: name}) for name in listed_first[:MOST_LISTED])
        likely = listed_first.index(held) if held is not None else None
        brief = f"{unknown}, {NEEDED[key]}{_why(pointing)}"
        plain_example = title is None and bool(example or unused) and not (flags and not could_be)
        write = {**said} if plain_example else {}
        doubts.append(
            Doubt(problem, table.header, None, ways, "missing", brief, likely, too, f"{unknown}{hint}{names}", write)
        )
        free = [name for name in free if name not in advised[:1]]
        alone = held is not None  # then the only one that is left is the other
    return tuple(doubts)


def _choices_too(
    table: QuestionTable,
    stated: Stated,
    columns: Mapping[str, ColumnNames],
    near: str | None,
    pointing: PointingAnswers | None,
    free: Sequence[str],
) -> dict[str, ColumnNames]:
    """What has to be named with the answer: a line without it would be pasted, and open questions graded against a position."""
    if "choices" in columns:
        return {}
    if pointing is not None:
        return {"choices": pointing.choices}
    if near is None or {"choices", WRONG} & {*columns, *stated.columns}:
        return {}
    beside = [name for name in free if name != near]
    if (found := pointed_at(table, near, beside)) is not None:
        return {"choices": found.likely or WHICH_COLUMN}
    return {"choices": WHICH_COLUMN} if letters_without_choices(table, near, beside) else {}


def _points_at_list(table: QuestionTable, near: str, free: Sequence[str]) -> str | None:
    """The column whose numbers point at the lists of this one."""
    first: Mapping[str, object] = next((values for _, values in table.rows((near,)) if values.get(near)), {})
    if not isinstance(opened(first.get(near)), list):
        return None
    return next((name for name in free if name != near and pointed_at(table, name, [near]) is not None), None)


def _misspelt(key: str, names: Sequence[str]) -> str | None:
    """A slip of the pen, for a message to whoever may have made it; as a proposal it would be too little. One of several that
    are called alike is none: "Answer 1" is a choice, whatever it is near to."""
    alike = {name for family in numbered(names) for name in family}
    slips = (name for name in names if name not in alike and closest_name(plain(name), NAMES[key], _SLIP))
    return next((name for name in slips if key != "answer" or not says_otherwise(name)), None)


def _held(
    columns: Mapping[str, ColumnNames], free: Sequence[str], pointing: PointingAnswers | None, *, alone: bool
) -> str | None:
    """The answer, by its header or by the choices that it points at. A header is not enough where there are choices and it
    points at none: what stands there is not known. `alone`: that nothing else is in doubt."""
    if pointing is not None:
        return pointing.clear
    apart = "choices" in columns and not isinstance(columns["choices"], str)
    if apart or any(len(family) >= FEWEST_ALIKE for family in likely_families(free)):
        return None
    named = named_right(free[:MOST_COLUMNS])
    if len(named) == 1:
        return named[0]
    only = free[0] if alone and len(free) == 1 and not named else None
    if only is None or "choices" in columns:
        return None
    return only if calls_it_an_answer(only) or not says_otherwise(only) else None


def _pointing(
    table: QuestionTable, stated: Stated, columns: Mapping[str, ColumnNames], free: Sequence[str]
) -> PointingAnswers | None:
    if WRONG in columns or isinstance(known := columns.get("choices"), str):
        return None
    families = [known] if known is not None else likely_families(free) if "choices" not in stated.columns else []
    return pointing_answers(table, families, free)


def _could_be(pointing: PointingAnswers | None) -> str:
    if pointing is None:
        return ""
    names = (*pointing.answers, *(each.name for each in pointing.nearly))
    odd = "; ".join(f"{each.name if len(names) > 1 else ''} not in {each}".strip() for each in pointing.nearly)
    return f"{' or '.join(repr(cut(name)) for name in names)} could be it{f', though {odd}' if odd else ''}"


def _why(pointing: PointingAnswers | None) -> str:
    if pointing is None:
        return ""
    told = []
    if pointing.answers:
        told.append(f"{listed(pointing.answers)} could say which of {listed(pointing.choices)} it is")
    told += [f"{cut(each.name)} could, though not in {each}" for each in pointing.nearly]
    return f" ({'; '.join(told)})"


def _likeliest_first(table: QuestionTable, free: Sequence[str], pointing: PointingAnswers | None) -> list[str]:
    """What points at choices, and last what looks like one of several choices."""
    first = (*pointing.answers, *(each.name for each in pointing.nearly)) if pointing is not None else ()
    alike = {name for family in numbered(free) for name in family}
    told = likely_by.answers_first(table, free)
    return sorted(told, key=lambda name: (name not in first, name in alike))


def with_values(table: QuestionTable) -> str:
    """The columns, each with the first row's value: a name alone may say nothing to whoever has not made the table."""
    _, values = next(iter(table.rows(table.names[:MOST_LISTED])), (0, {}))
    shown: list[str] = []
    for name in table.names[:MOST_LISTED]:
        each = f"{' '.join(cut(name).split())}{_in_brackets(values.get(name))}"
        if len(shown) >= _FEWEST_SHOWN and sum(map(len, [*shown, each])) > LONGEST_LIST:
            break
        shown.append(each)
    more = f" and {len(table.names) - len(shown)} more" if len(table.names) > len(shown) else ""
    return ", ".join(shown) + more


def _in_brackets(value: object) -> str:
    try:
        text = " ".join(str(value).split()) if value is not None else ""
    except RecursionError:  # lists in lists, deeper than Python writes them
        text = "…"
    return f" ({text[:LONGEST_VALUE].rstrip()}{'…' if len(text) > LONGEST_VALUE else ''})" if text else ""
