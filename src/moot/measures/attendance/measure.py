"""Who was asked, who answered, and who was absent and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from moot.measures.attendance.figures import attendance_figures, attendance_sections
from moot.measures.columns import Figures
from moot.measures.section import Section
from moot.measures.source import Source
from moot.needs import Needs


@dataclass(frozen=True, slots=True)
class WhoAnswered:
    name: ClassVar[str] = "attendance"
    needs: ClassVar[Needs] = Needs()
    keys: ClassVar[tuple[str, ...]] = ("attendance", "unreached")
    section_ids: ClassVar[tuple[str, ...]] = ("attendance", "unreached")

    def figures(self, run: Source) -> dict[str, Any]:
        return attendance_figures(run)

    def sections(self, figures: Figures) -> Iterator[Section]:
        yield from attendance_sections(figures)
