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

OF_RIGHT_AND_WRONG = frozenset({"safety", "safety_missing", "safety_models", "gain_by_strength", "calibration"})
"""Figures that count what turned from wrong to right: points that judges give rise and fall by a little in every text."""


@dataclass(frozen=True, slots=True)
class Safety:
    name: ClassVar[str] = "safety"
    needs: ClassVar[Needs] = Needs(graded_drafts=True)
    keys: ClassVar[tuple[str, ...]] = (
        "safety",
        "safety_missing",
        "safety_models",
        "gain_by_strength",
        "coverage",
        "gap_closure",
        "gap_closure_models",
        "cohort_averages",
        "cohort_models",
        "debate_lift",
        "macro_average",
        "formatting_tax",
        "formatting_tax_models",
        "calibration",
        "authority_bias",
        "consensus",
    )
    section_ids: ClassVar[tuple[str, ...]] = (
        "safety",
        "safety-missing",
        "safety-models",
        "native-and-after",
        "coverage",
        "gap-closure",
        "gap-closure-models",
        "cohort-models",
        "debate-lift",
        "macro-average",
        "formatting-tax",
        "calibration",
        "authority-bias",
        "consensus",
    )

    def figures(self, run: Source) -> dict[str, Any]:
        figures = safety_figures(run, run.cells)
        return {key: rows for key, rows in figures.items() if key not in OF_RIGHT_AND_WRONG or not run.in_points}

    def sections(self, figures: Figures) -> Iterator[Section]:
        yield from safety_sections(figures)
