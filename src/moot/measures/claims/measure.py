"""What the run as a whole may claim."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from moot.measures.claims.figures import evidence_figures
from moot.measures.claims.sections import frontier_section, hypotheses_section, power_section
from moot.measures.columns import Figures
from moot.measures.section import Section
from moot.measures.source import Source
from moot.needs import Needs


@dataclass(frozen=True, slots=True)
class Claims:
    name: ClassVar[str] = "claims"
    needs: ClassVar[Needs] = Needs(graded_drafts=True)
    keys: ClassVar[tuple[str, ...]] = ("headline", "hypotheses", "frontier", "frontier_left_out", "power")
    section_ids: ClassVar[tuple[str, ...]] = ("hypotheses", "frontier", "power")

    def figures(self, run: Source) -> dict[str, Any]:
        return evidence_figures(run, run.cells, run.name, run.so_far, run.hypotheses)

    def sections(self, figures: Figures) -> Iterator[Section]:
        yield from hypotheses_section(figures)
        yield from frontier_section(figures)
        yield from power_section(figures)
