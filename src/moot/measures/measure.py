"""Measure: from what a run has recorded to figures, and from figures to sections of a report.

A measure says what it needs of a run; it looks at traits and traces and never at a strategy's name. The same sections
are drawn in the terminal, on the page and as tables; its figures stand in ``moot report --json``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Protocol, runtime_checkable

from moot.measures.section import Section
from moot.measures.source import Source
from moot.needs import Needs

Figures = Mapping[str, Any]


@runtime_checkable
class Measure(Protocol):
    name: ClassVar[str]

    @property
    def needs(self) -> Needs:
        """What the run must provide: most have always the same, a `ClassVar`."""

    def figures(self, run: Source) -> Figures:
        """Keys of the report's JSON; only those that there is something to say under. What is not known is None, with
        the reason under ``why`` beside it. `run.so_far` holds the figures of the measures before this one."""

    def sections(self, figures: Figures) -> Iterable[Section]:
        """How all figures of the report are shown, as far as they are this measure's."""


class OwnMeasure(Measure, Protocol):
    """One of moot's own: it says which names are its, so that no other measure takes one that a run leaves empty."""

    keys: ClassVar[tuple[str, ...]]
    """All that its figures may have."""
    section_ids: ClassVar[tuple[str, ...]]
    """All that its sections may have."""
