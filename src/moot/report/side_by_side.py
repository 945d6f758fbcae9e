"""Two runs beside each other: what both played, on the questions that both have, pair by pair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from moot.measures.columns import paired_columns, paired_words, titled
from moot.measures.section import Column, Section
from moot.stats.estimates import Row, with_holm
from moot.stats.paired import compare


@dataclass(frozen=True, slots=True)
class Run:
    """A run's figures, and what each of its options got right, by question."""

    figures: Mapping[str, Any]
    right: Mapping[str, Mapping[str, float]]


def side_by_side(first: Run, second: Run, *, seed: int = 0) -> Row:
    """``{"runs": [...], "common_questions": n, "comparisons": [...]}``: the second run against the first."""
    common = _questions(first) & _questions(second)
    rows = []
    for title in [title for title in first.right if title in second.right]:
        before, after = first.right[title], second.right[title]
        pairs = [(after[question], before[question]) for question in sorted(before.keys() & after.keys())]
        if pairs:
            pooled = any(title in _repeated(run) for run in (first, second))
            found = compare(pairs, pooled=pooled, seed=seed).row()
            rows.append({"of": title, "a": _name(second, 1), "b": _name(first, 0), **found})
    return {
        "runs": [dict(first.figures), dict(second.figures)],
        "common_questions": len(common),
        "comparisons": with_holm(rows),
    }


def _repeated(run: Run) -> set[str]:
    """What played some question more than once, by its title with and without the team's name."""
    rows = [row for row in run.figures["accuracy"] if sum(row["outcomes"].values()) > row["n"]]
    return {title for row in rows for title in (titled(row, "label"), f"{titled(row, 'label')} ({row.get('team')})")}


def _questions(run: Run) -> set[str]:
    return {question for right in run.right.values() for question in right}


def _name(run: Run, place: int) -> str:
    return f"{run.figures['experiment']} ({('first', 'second')[place]})"


def side_by_side_sections(shown: Mapping[str, Any]) -> list[Section]:
    rows = shown["comparisons"]
    first, second = (run["experiment"] for run in shown["runs"])
    said = f"{second} (second) less {first} (first), on the {shown['common_questions']} questions that both have."
    if not rows:
        said = f"{first} and {second} have no strategy with questions in common: there is nothing to compare."
    words = (said, *(paired_words(rows) if rows else ()))
    return [Section("side-by-side", "Second run against the first", words, paired_columns(Column("of", "who")), rows)]
