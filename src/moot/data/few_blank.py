"""A file of questions that a command is given by itself, where nobody can write `skip_blank` beside it."""

from __future__ import annotations

from pathlib import Path

from moot.data import load
from moot.data.blank_references import BlankReferences, listed_lines
from moot.data.case import MissingReference
from moot.errors import FileError
from moot.stats.counted_words import count


def few_blank(path: Path) -> tuple[str, ...]:
    """What is said of its rows without a reference, which are to be left out; nothing: there are none. FileError: most are such,
    so that what is left would hardly be what somebody meant."""
    try:
        load(path)
    except MissingReference as error:
        blank, column = error.lines, error.key
    else:
        return ()
    try:
        kept = len(load(path, skip_blank=True))
    except FileError:  # there is none
        kept = 0
    if len(blank) > kept:
        where = listed_lines(blank)
        told = f"the reference is missing in {len(blank)} of {count(len(blank) + kept, 'row')} (line {where})"
        raise FileError(f"{told}; fill them in, or take these rows out", file=path, line=min(blank), key=column)
    return BlankReferences(skip=True, found=set(blank)).note(path)
