"""Discussions, protocol by protocol."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from moot.measures.columns import Figures
from moot.measures.discussion.figures import discussion_figures
from moot.measures.discussion.sections import discussion_sections
from moot.measures.section import Section
from moot.measures.source import Source
from moot.needs import Needs


@dataclass(frozen=True, slots=True)
class Discussion:
    name: ClassVar[str] = "discussion"
    needs: ClassVar[Needs] = Needs(graded_claims=True)
    keys: ClassVar[tuple[str, ...]] = (
        "protocols",
        "protocol_turns",
        "protocol_rounds",
        "protocol_cost",
        "protocol_differences",
        "protocol_baselines",
        "protocol_baselines_left_out",
        "protocol_families",
        "scaling",
        "similarity",
        "challenges",
    )
    section_ids: ClassVar[tuple[str, ...]] = (
        "protocols",
        "protocols-by-set",
        "protocol-turns",
        "protocol-cost",
        "protocol-parts",
        "protocol-counting",
        "protocol-baselines",
        "protocol-baselines-by-set",
        "protocol-baselines-left-out",
        "protocol-families",
        "protocol-families-by-set",
        "scaling-agents",
        "scaling-rounds",
        "similarity",
        "challenges",
    )

    def figures(self, run: Source) -> dict[str, Any]:
        return discussion_figures(run, run.cells)

    def sections(self, figures: Figures) -> Iterator[Section]:
        yield from discussion_sections(figures)
