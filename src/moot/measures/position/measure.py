"""Whether it matters where a draft or an option stands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from moot.measures.columns import Figures
from moot.measures.position.figures import position_figures
from moot.measures.position.sections import position_sections
from moot.measures.section import Section
from moot.measures.source import Source
from moot.needs import Needs


@dataclass(frozen=True, slots=True)
class Position:
    name: ClassVar[str] = "position"
    needs: ClassVar[Needs] = Needs(grouped_drafts=True, matched_words=True)
    keys: ClassVar[tuple[str, ...]] = ("position_bias",)
    section_ids: ClassVar[tuple[str, ...]] = ("position-bias", "position-deciders", "position-places")

    def figures(self, run: Source) -> dict[str, Any]:
        return position_figures(run, run.cells)

    def sections(self, figures: Figures) -> Iterator[Section]:
        yield from position_sections(figures)
