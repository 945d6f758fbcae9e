"""What the words of a grader are kept under: its name, its version where it has one, and options that are not the usual ones.

Two graders with other options are two graders. Of what is no plain value nobody can say in another process whether it is the
same, so a grader that is made of such must say itself who it is, by its `version`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from moot.grade.match import Grader
from moot.strategies.option_values import usual
from moot.types import canonical_json, digest

VERSION = "@"
"""Between the name of a grader and what else tells it from others; no part of any name."""
OPTIONS = "~"
"""Before the digest of its options; no part of any version."""
_TOLD = ("name", "version")


def identity(by: Grader) -> str:
    """``strict``, ``strict@2``, or ``strict@2~8c0f41d2`` with options that are not the usual."""
    version, options = (
        getattr(by, "version", None),
        {name: value for name, value in _options(by).items() if _is_plain(value)},
    )
    told = ("" if version is None else str(version)) + (f"{OPTIONS}{digest(options)[:12]}" if options else "")
    return f"{by.name}{VERSION}{told}" if told else by.name


def unplain_option(by: Grader) -> str | None:
    """The first of its options that cannot be written down; None: all of them can."""
    return next((name for name, value in _options(by).items() if not _is_plain(value)), None)


def _options(by: Grader) -> dict[str, Any]:
    """The fields of a dataclass that differ from their defaults. What any other object has of its own may be anything.

    A field that the class compares nothing by (`compare=False`), or that nobody gives (`init=False`), is no option.
    """
    if not is_dataclass(by):
        return {}
    own = [option for option in fields(by) if option.init and option.compare and option.name not in _TOLD]
    default = {option.name: usual(option) for option in own}
    return {name: getattr(by, name) for name, value in default.items() if getattr(by, name) != value}


def _is_plain(value: object) -> bool:
    if isinstance(value, Mapping):
        return all(isinstance(key, str) and _is_plain(item) for key, item in value.items())
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    if value is not None and type(value) not in (bool, int, float, str):
        return False
    try:
        canonical_json(value)
    except TypeError:
        return False
    return True
