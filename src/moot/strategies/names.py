"""What a strategy may be called: its name stands in labels, hypotheses, files and addresses, and is read back from them."""

from __future__ import annotations

import re

LONGEST = 100
_NAME = re.compile(r"\w[\w.-]*")


def name_problem(name: object) -> str | None:
    """What is wrong with a name, in words; None where nothing is."""
    if not isinstance(name, str):
        return f"name: expected a text, found {name!r:.60}"
    if len(name) > LONGEST or _NAME.fullmatch(name) is None:
        return f"name: expected letters, digits, . _ - and at most {LONGEST} of them, found {name!r:.120}"
    return None
