"""Summarisers, and what stood in front of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from moot.measures.columns import Figures
from moot.measures.section import Section
from moot.measures.source import Source
from moot.measures.summaries.figures import summary_figures, summary_sections
from moot.needs import Needs


@dataclass(frozen=True, slots=True)
class Summaries:
    name: ClassVar[str] = "summaries"
    needs: ClassVar[Needs] = Needs(graded_drafts=True)
    keys: ClassVar[tuple[str, ...]] = ("mixtures", "partners")
    section_ids: ClassVar[tuple[str, ...]] = ("summaries", "summaries-right-labels", "summaries-partners")

    def figures(self, run: Source) -> dict[str, Any]:
        return summary_figures(run, run.cells)

    def sections(self, figures: Figures) -> Iterator[Section]:
        yield from summary_sections(figures)
