"""What to write of columns, word for word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from moot.config.flow import flow
from moot.data.tables.known_names import COLUMN_KEYS, ColumnNames, several
from moot.data.tables.listed_names import MOST_SHOWN, cut
from moot.data.tables.questions_and_passages import may_be_either

WHICH_COLUMN = "WHICH_COLUMN"
"""In place of an answer that nobody can tell: an example with a column that is there would be played as it stands."""
SAY_WHICH = "say which under questions, such as"


def written(columns: Mapping[str, ColumnNames]) -> str:
    keys = {key: cut(each) if isinstance(each, str) else list(map(cut, each)) for key, each in columns.items()}
    return f"columns: {flow(keys)}"


def such_as(key: str, candidates: Sequence[ColumnNames]) -> str:
    """What somebody could write, word for word."""
    return written({key: example_of(key, candidates)})


def example_of(key: str, candidates: Sequence[ColumnNames]) -> ColumnNames:
    """Of two that could be asked the one whose name can be nothing else: `text` may be a passage."""
    if key == "text":
        candidates = sorted(candidates, key=lambda each: isinstance(each, str) and may_be_either(each))
    return short_of(candidates) if key != "answer" else WHICH_COLUMN


def in_order(columns: Mapping[str, ColumnNames]) -> dict[str, ColumnNames]:
    return {key: columns[key] for key in COLUMN_KEYS if key in columns}


def short_of(candidates: Sequence[ColumnNames]) -> ColumnNames:
    """A name that is too long to be shown is no advice."""
    short = (each for each in candidates if all(len(name) <= MOST_SHOWN for name in several(each)))
    return next(short, "NAME")
