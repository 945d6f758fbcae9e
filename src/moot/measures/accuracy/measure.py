"""Accuracy, outcomes, failures and the bill: what every report begins with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from moot.measures.accuracy.figures import accuracy_figures
from moot.measures.accuracy.sections import abstention_section, accuracy_section, failures_section, outcomes_section
from moot.measures.columns import Figures
from moot.measures.section import Section
from moot.measures.source import Source
from moot.needs import Needs


@dataclass(frozen=True, slots=True)
class Accuracy:
    name: ClassVar[str] = "accuracy"
    needs: ClassVar[Needs] = Needs()
    keys: ClassVar[tuple[str, ...]] = (
        "experiment",
        "kind",
        "questions",
        "accuracy",
        "failures",
        "bill_usd",
        "paid_here_usd",
        "costs_known",
        "losses_usd",
        "losses_unknown",
        "losses_known_usd",
        "simulated",
        "in_points",
        "learnt_in_run",
        "clusters",
        "ungraded",
        "disputed",
    )
    section_ids: ClassVar[tuple[str, ...]] = ("accuracy", "abstention", "outcomes", "failures")

    def figures(self, run: Source) -> dict[str, Any]:
        return accuracy_figures(run)

    def sections(self, figures: Figures) -> Iterator[Section]:
        yield from accuracy_section(figures)
        yield from abstention_section(figures)
        yield from outcomes_section(figures)
        yield from failures_section(figures)
