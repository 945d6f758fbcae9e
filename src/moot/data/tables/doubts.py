"""What keeps a table of questions from being read as it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from moot.data.tables.known_names import ColumnNames
from moot.data.tables.stated import Stated

DoubtAbout = Literal["missing", "several", "unused", "choices", "other"]
"""A column that has to be there, two that could be one thing, columns that are nothing, choices that must be among them, or
something else."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """What keeps a file from being read as it is, and where."""

    problem: str
    line: int | None = None
    column: str | None = None
    ways: tuple[Stated, ...] = ()
    """What could be said to settle it, of which one is true; none where the file has to be changed."""
    about: DoubtAbout = "other"
    brief: str = ""
    """What is asked where the ways are listed below it; left out: the problem."""
    likely: int | None = None
    """The way that it may well be."""
    too: Mapping[str, ColumnNames] = field(default_factory=dict)
    """Columns that would have to be named with it, whichever it is."""
    unadvised: str = ""
    """The problem without the line to write, for a message that has one line for several doubts;"""
    write: Mapping[str, ColumnNames] = field(default_factory=dict)
    """and what that line has of this one."""
