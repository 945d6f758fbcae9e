"""Several sets of questions in one experiment: each of them, groups of them, and the mean over all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from moot.measures.columns import Figures
from moot.measures.section import Section
from moot.measures.sets.figures import set_figures
from moot.measures.sets.sections import set_sections
from moot.measures.source import Source
from moot.needs import Needs


@dataclass(frozen=True, slots=True)
class Sets:
    name: ClassVar[str] = "sets"
    needs: ClassVar[Needs] = Needs()
    keys: ClassVar[tuple[str, ...]] = ("question_sets", "set_groups", "mean_over_sets")
    section_ids: ClassVar[tuple[str, ...]] = ("sets",)

    def figures(self, run: Source) -> dict[str, Any]:
        return set_figures(run)

    def sections(self, figures: Figures) -> Iterator[Section]:
        yield from set_sections(figures)
