"""Conditions that keep a part of what there is: ``same_version`` (true), ``category=law``, ``model!=gpt-4o``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from moot.errors import FileError
from moot.models.closest import closest

_FORM = re.compile(r"([^=!]++)(?:(!?=)(.*))?")


@dataclass(frozen=True, slots=True)
class Condition:
    """A column, and the value that it must have, or must not have. Case is no difference."""

    text: str
    column: str
    value: str
    differs: bool

    def holds(self, row: Mapping[str, str | None]) -> bool:
        """Of a row that has the column. A value that is missing equals nothing."""
        held = row[self.column]
        same = held is not None and held.strip().lower() == self.value
        return same != self.differs


def condition(text: str) -> Condition:
    """As it is typed; a text that is no condition is the name of a column, which will not be there."""
    parts = _FORM.fullmatch(text.strip())
    if parts is None:
        return Condition(text, text, "true", differs=False)
    column, sign, value = parts.group(1).rstrip(), parts.group(2), parts.group(3)
    return Condition(text, column, "true" if sign is None else value.strip().lower(), differs=sign == "!=")


def there_is(wanted: Condition, columns: Sequence[str], file: Path) -> None:
    """Refuses a condition on a column that a file does not have."""
    if wanted.column not in columns:
        expected = f"expected one of {', '.join(columns)}{closest(wanted.column, columns)}"
        raise FileError(f"--where {wanted.text}: there is no column {wanted.column!r}; {expected}", file=file)
