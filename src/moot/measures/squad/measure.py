"""Reading comprehension."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from moot.measures.columns import Figures
from moot.measures.section import Section
from moot.measures.source import Source
from moot.measures.squad.figures import squad_figures, squad_sections
from moot.needs import Needs


@dataclass(frozen=True, slots=True)
class Squad:
    name: ClassVar[str] = "squad"
    needs: ClassVar[Needs] = Needs()
    keys: ClassVar[tuple[str, ...]] = ("squad",)
    section_ids: ClassVar[tuple[str, ...]] = ("squad",)

    def figures(self, run: Source) -> dict[str, Any]:
        return squad_figures(run, run.cells)

    def sections(self, figures: Figures) -> Iterator[Section]:
        yield from squad_sections(figures)
