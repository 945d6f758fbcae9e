"""What is printed to be typed: a path in a command can be pasted, whatever signs it has."""

from __future__ import annotations

import shlex

FILE = "FILE"
"""What stands for a file that is not known by its name."""


def pasted(path: object | None) -> str:
    """One word of a command, in quotes where a shell would read it as several."""
    return FILE if path is None else shlex.quote(str(path))
