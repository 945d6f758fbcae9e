"""Two runs beside each other: what both played, on the questions that both have, pair by pair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from moot.measures.columns import paired_columns, paired_words, ungraded_columns, with_bounds
from moot.measures.section import Column, Section
from moot.measures.sides import SideResults
from moot.stats.clusters import clustered
from moot.stats.estimates import Row, with_holm
from moot.stats.graded import Value
from moot.stats.graded_pairs import family_row


@dataclass(frozen=True, slots=True)
class Run:
    """A run's figures, and what each of its options got right, by question."""

    figures: Mapping[str, Any]
    right: Mapping[str, Mapping[str, float]]
    """Over what is graded."""
    means: frozenset[str] = frozenset()
    """The options whose values are means over captains or repeats."""
    open: Mapping[str, Mapping[str, Value]] = field(default_factory=dict)
    """Questions of which there is more to know than a mark, such as that something is ungraded: mostly none."""
    clusters: Mapping[str, str] = field(default_factory=dict)
    """By question: what it hangs together with."""

    def values(self, title: str) -> dict[str, Value]:
        graded = {question: Value(right, right, right) for question, right in self.right[title].items()}
        # Two runs may have different judges: equal words need not have equal grades.
        return {
            **graded,
            **{question: value._replace(words=()) for question, value in self.open.get(title, {}).items()},
        }


def run_of(
    figures: Mapping[str, Any], sides: Mapping[str, SideResults], clusters: Mapping[str, str] | None = None
) -> Run:
    return Run(
        figures,
        {title: side.right for title, side in sides.items()},
        frozenset(title for title, side in sides.items() if not side.once),
        {title: side.counted for title, side in sides.items() if side.counted},
        clusters or {},
    )


def side_by_side(first: Run, second: Run) -> Row:
    """``{"runs": [...], "common_questions": n, "comparisons": [...]}``: the second run against the first."""
    with clustered({**first.clusters, **second.clusters}):
        return _side_by_side(first, second)


def _side_by_side(first: Run, second: Run) -> Row:
    common = _questions(first) & _questions(second)
    rows = []
    for title in [title for title in first.right if title in second.right]:
        before, after = first.values(title), second.values(title)
        both = sorted(before.keys() & after.keys())
        if both:
            pairs = {question: [(after[question], before[question])] for question in both}
            pooled = any(title in run.means for run in (first, second))
            row = family_row(pairs, pooled=pooled)
            rows.append({"of": title, "a": _name(second, 1), "b": _name(first, 0), **row})
    return {
        "runs": [dict(first.figures), dict(second.figures)],
        "common_questions": len(common),
        "comparisons": with_holm(rows),
    }


def _questions(run: Run) -> set[str]:
    return {question for title in run.right for question in run.values(title)}


def _name(run: Run, place: int) -> str:
    return f"{run.figures['experiment']} ({('first', 'second')[place]})"


def side_by_side_sections(comparison: Mapping[str, Any]) -> list[Section]:
    rows = [with_bounds(row) for row in comparison["comparisons"]]
    first, second = (run["experiment"] for run in comparison["runs"])
    sentence = (
        f"{second} (second) less {first} (first), on the {comparison['common_questions']} questions that both have."
    )
    if not rows:
        sentence = f"{first} and {second} have no strategy with questions in common: there is nothing to compare."
    words = (sentence, *(paired_words(rows) if rows else ()))
    columns = (*paired_columns(Column("of", "who")), *ungraded_columns(rows))
    return [Section("side-by-side", "Second run against the first", words, columns, rows)]
