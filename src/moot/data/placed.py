"""Cases as they come from a file or a hub: with where they stand, and in whatever order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from moot.types import Case


@dataclass(frozen=True, slots=True)
class Placed:
    """A case and where it stands, for complaints."""

    case: Case
    file: str
    line: int


class CaseSource(Protocol):
    """Where cases come from. It can be walked through any number of times."""

    def cases(self, language: str) -> Iterator[Placed]: ...
