"""How far two judges agree on what was answered here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from moot.measures.columns import Figures
from moot.measures.judges.figures import judges_figures
from moot.measures.judges.sections import judges_section
from moot.measures.section import Section
from moot.measures.source import Source
from moot.needs import Needs


@dataclass(frozen=True, slots=True)
class Judges:
    name: ClassVar[str] = "judges"
    needs: ClassVar[Needs] = Needs()
    keys: ClassVar[tuple[str, ...]] = ("judges",)
    section_ids: ClassVar[tuple[str, ...]] = ("judges",)

    def figures(self, run: Source) -> dict[str, Any]:
        judges = judges_figures(run)
        return {"judges": judges} if judges else {}

    def sections(self, figures: Figures) -> Iterator[Section]:
        yield from judges_section(figures)
