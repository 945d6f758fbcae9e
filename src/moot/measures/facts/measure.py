"""What is needed to play the run again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from moot.measures.columns import Figures
from moot.measures.facts.figures import facts_figures, facts_sections
from moot.measures.section import Section
from moot.measures.source import Source
from moot.needs import Needs


@dataclass(frozen=True, slots=True)
class Facts:
    name: ClassVar[str] = "facts"
    needs: ClassVar[Needs] = Needs()
    keys: ClassVar[tuple[str, ...]] = ("runs", "prompts", "other_plans")
    section_ids: ClassVar[tuple[str, ...]] = ("runs", "prompts")

    def figures(self, run: Source) -> dict[str, Any]:
        return facts_figures(run)

    def sections(self, figures: Figures) -> Iterator[Section]:
        yield from facts_sections(figures)
