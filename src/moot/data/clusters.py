"""Which questions hang together, by a field of theirs: those on one passage, of one package, by one author."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from moot.data.placed import CaseSource, Placed
from moot.errors import UsageError
from moot.types import Case, digest

FIELDS = ("cluster", "package", "category", "context", "source", "author", "difficulty", "year")
_META = "meta."
_LONGEST = 60
"""A longer text, such as a passage, goes by its digest."""


def check_field(field: str) -> None:
    if field not in FIELDS and not (field.startswith(_META) and len(field) > len(_META)):
        raise UsageError(f"expected one of {', '.join(FIELDS)}, or {_META}NAME, found {field!r}")


def cluster_of(case: Case, field: str) -> str | None:
    """What the field says; None: the question hangs together with no other."""
    value: Any
    if field.startswith(_META):
        value = case.meta.get(field.removeprefix(_META))
    else:
        value = getattr(case.question if field == "context" else case, field)
    if value is None or value == "":
        return None
    name = value if isinstance(value, str) else str(value)
    return name if len(name) <= _LONGEST else digest(name)


@dataclass(frozen=True, slots=True)
class ByField:
    """Cases of a source that know what they hang together with."""

    source: CaseSource
    field: str

    def cases(self, language: str) -> Iterator[Placed]:
        for placed in self.source.cases(language):
            yield replace(placed, case=named(placed.case, self.field))


def named(case: Case, field: str) -> Case:
    return replace(case, cluster=cluster_of(case, field))
