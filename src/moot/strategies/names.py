"""What a strategy may be called: its name stands in labels, hypotheses, files and addresses, and is read back from them."""

from __future__ import annotations

import re
from importlib.metadata import entry_points
from typing import Any

from moot.errors import UsageError

GROUP = "moot.strategies"
LONGEST = 100
_NAME = re.compile(r"\w[\w.-]*")


def name_problem(name: object) -> str | None:
    """What is wrong with a name, in words; None where nothing is."""
    if not isinstance(name, str):
        return f"name: expected a text, found {name!r:.60}"
    if len(name) > LONGEST or _NAME.fullmatch(name) is None:
        return f"name: expected letters, digits, . _ - and at most {LONGEST} of them, found {name!r:.120}"
    return None


def check_brought(name: str, place: str, kind: type[Any]) -> None:
    """A class that an entry point names. Results are kept under the name of the class, so both have to be one name."""
    own = getattr(kind, "name", None)
    problem = name_problem(name) or name_problem(own)
    if problem is None and own != name:
        problem = f"name: its class calls itself {own!r}, and results are kept under that; expected one name in both"
    if problem is not None:
        raise UsageError(f"strategy {name!r} of the package {_package(name)} ({place}): {problem}")


def _package(name: str) -> str:
    brought = (point.dist for point in entry_points(group=GROUP) if point.name == name)
    return next((dist.name for dist in brought if dist is not None), "that brings it")
