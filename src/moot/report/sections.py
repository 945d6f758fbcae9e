"""All sections of a report, in the order in which they are read: the same for the page, the terminal and the tables."""

from __future__ import annotations

from collections.abc import Iterable

from moot.measures.all_measures import AllMeasures
from moot.measures.columns import Figures
from moot.measures.learnt_in_run import learnt_names, with_learnt_words
from moot.measures.measure import Measure
from moot.measures.reserved import SERVED
from moot.measures.section import Section
from moot.measures.served.sections import served_sections


def all_sections(figures: Figures, given: Iterable[Measure] = ()) -> list[Section]:
    """Only those that the run has data for. `given`: measures beside the registered ones."""
    every = [*_of_served(figures), *AllMeasures(given).sections(figures)]
    learnt = learnt_names(figures)
    shown = (with_learnt_words(section, learnt) for section in every if section.rows)
    return sorted(shown, key=lambda section: section.place)


def _of_served(figures: Figures) -> list[Section]:
    return served_sections(figures[SERVED]) if SERVED in figures else []
