"""Where the points of long answers come from, and how far they can be trusted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from moot.measures.columns import Figures
from moot.measures.rubric.figures import rubric_figures
from moot.measures.rubric.sections import rubric_sections
from moot.measures.section import Section
from moot.measures.source import Source
from moot.needs import Needs


@dataclass(frozen=True, slots=True)
class RubricPoints:
    name: ClassVar[str] = "rubric"
    needs: ClassVar[Needs] = Needs()
    keys: ClassVar[tuple[str, ...]] = ("rubric",)
    section_ids: ClassVar[tuple[str, ...]] = ("rubric", "rubric-judges", "rubric-own")

    def figures(self, run: Source) -> dict[str, Any]:
        return {"rubric": rubric_figures(run)} if run.in_points else {}

    def sections(self, figures: Figures) -> Iterator[Section]:
        yield from rubric_sections(figures)
