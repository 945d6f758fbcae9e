"""What a quiz team's play amounts to, team by team."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from moot.measures.columns import Figures
from moot.measures.quiz.figures import quiz_figures
from moot.measures.quiz.sections import comparisons_section, quiz_sections
from moot.measures.section import Section
from moot.measures.source import Source
from moot.needs import Needs


@dataclass(frozen=True, slots=True)
class Quiz:
    name: ClassVar[str] = "quiz"
    needs: ClassVar[Needs] = Needs(graded_drafts=True, grouped_drafts=True, matched_words=True)
    keys: ClassVar[tuple[str, ...]] = (
        "players",
        "skyline",
        "best_single",
        "gap",
        "gains",
        "comparisons",
        "self_preference",
        "teams",
        "diversity",
        "diversity_captains",
        "diversity_left_out",
        "diversity_by_difficulty",
        "diversity_and_people",
        "talk_by_diversity",
        "talk_threshold",
        "human",
        "categories",
        "measurement",
        "grouped_by_words",
    )
    section_ids: ClassVar[tuple[str, ...]] = (
        "by-captain",
        "skyline",
        "gap",
        "gains",
        "self-preference",
        "human",
        "categories",
        "talk-threshold",
        "comparisons",
        "diversity",
        "diversity-captains",
        "talk-by-diversity",
        "diversity-by-difficulty",
    )

    def figures(self, run: Source) -> dict[str, Any]:
        return quiz_figures(run, run.cells) if any(cell["player"] is None for cell in run.cells) else {}

    def sections(self, figures: Figures) -> Iterator[Section]:
        yield from quiz_sections(figures)
        yield from comparisons_section(figures)
