"""What hearing the others repairs, and what it spoils."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from moot.measures.columns import Figures
from moot.measures.safety.figures import safety_figures
from moot.measures.safety.sections import safety_sections
from moot.measures.section import Section
from moot.measures.source import Source
from moot.needs import Needs


@dataclass(frozen=True, slots=True)
class Safety:
    name: ClassVar[str] = "safety"
    needs: ClassVar[Needs] = Needs(graded_drafts=True)

    def figures(self, run: Source) -> dict[str, Any]:
        return safety_figures(run, run.cells)

    def sections(self, figures: Figures) -> Iterator[Section]:
        yield from safety_sections(figures)
