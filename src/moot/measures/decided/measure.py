"""How few players a cascade asked and what that cost in accuracy, and whose voice counts in rules over drafts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from moot.measures.columns import Figures
from moot.measures.decided.cascades import cascade_figures
from moot.measures.decided.sections import decided_sections
from moot.measures.decided.voices import voice_figures
from moot.measures.section import Section
from moot.measures.source import Source
from moot.needs import Needs


@dataclass(frozen=True, slots=True)
class HowDecided:
    name: ClassVar[str] = "decided"
    needs: ClassVar[Needs] = Needs()
    keys: ClassVar[tuple[str, ...]] = ("cascade", "cascade_beside", "voices")
    section_ids: ClassVar[tuple[str, ...]] = ("cascade", "cascade-beside", "voices")

    def figures(self, run: Source) -> dict[str, Any]:
        return {**cascade_figures(run), **voice_figures(run)}

    def sections(self, figures: Figures) -> Iterator[Section]:
        yield from decided_sections(figures)
