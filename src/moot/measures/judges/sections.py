"""The agreement of judges as a section."""

from __future__ import annotations

from collections.abc import Iterator

from moot.measures.columns import Figures, figure
from moot.measures.section import Column, Section


def judges_section(figures: Figures) -> Iterator[Section]:
    judges = figures.get("judges")
    if not judges:
        return
    row = {**judges, "judges": " and ".join(judges["judges"])}
    columns = (
        Column("judges", "judges"),
        Column("agreement", "agree", "share"),
        figure("kappa", "kappa", "number", "kappa_low", "kappa_high"),
        Column("disputed", "disputed"),
        Column("n", "answers"),
    )
    yield Section("judges", "How far the judges agree", (), columns, [row], place=920)
