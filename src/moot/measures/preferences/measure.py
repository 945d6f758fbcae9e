"""Whose long answers are preferred."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from moot.measures.columns import Figures
from moot.measures.preferences.figures import preference_figures
from moot.measures.preferences.sections import preference_sections
from moot.measures.section import Section
from moot.measures.source import Source
from moot.needs import Needs


@dataclass(frozen=True, slots=True)
class LongAnswers:
    name: ClassVar[str] = "preferences"
    needs: ClassVar[Needs] = Needs()
    keys: ClassVar[tuple[str, ...]] = ("preferences",)
    section_ids: ClassVar[tuple[str, ...]] = (
        "preferences",
        "preference-options",
        "preference-ratings",
        "preference-habits",
        "preference-agreement",
    )

    def figures(self, run: Source) -> dict[str, Any]:
        return preference_figures(run)

    def sections(self, figures: Figures) -> Iterator[Section]:
        yield from preference_sections(figures)
