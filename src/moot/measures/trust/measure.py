"""How far an answer can be trusted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from moot.measures.columns import Figures
from moot.measures.section import Section
from moot.measures.source import Source
from moot.measures.trust.figures import trust_figures
from moot.measures.trust.sections import trust_sections
from moot.needs import Needs


@dataclass(frozen=True, slots=True)
class AnswerTrust:
    name: ClassVar[str] = "trust"
    needs: ClassVar[Needs] = Needs(graded_drafts=True, grouped_drafts=True, matched_words=True)
    keys: ClassVar[tuple[str, ...]] = ("probability",)
    section_ids: ClassVar[tuple[str, ...]] = ("trust", "brier", "reliability", "surest")

    def figures(self, run: Source) -> dict[str, Any]:
        return {} if run.in_points else trust_figures(run)  # a share of points is no chance of being right

    def sections(self, figures: Figures) -> Iterator[Section]:
        yield from trust_sections(figures)
