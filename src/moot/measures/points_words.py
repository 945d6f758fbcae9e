"""How figures are told where long answers have points: nobody is right there, and nothing is an error that another repairs.

Numbers are the same in both: a mean over questions of what each answer is worth, from 0 to 1. So every section is made in
one way, and what it says of right and wrong is put into words of points here, once for all views.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from moot.measures.section import Column, Section

IN_POINTS = "in_points"
"""The key of a report that says how many questions are judged by a rubric."""
OF_POINTS = "share of points"
"""What stands at the head of a column of such figures."""
NOT_OF_POINTS = (
    "Rescues, regressions and the probability of being right are figures of right and wrong: none is taken of points, where"
    " every difference between two judgings of a text would be one."
)

_TITLES = {
    "right": OF_POINTS,
    "right then": "points then",
    "right else": "points else",
    "right then, at least": "points then, at least",
    "right then, at most": "points then, at most",
    "right else, at least": "points else, at least",
    "right else, at most": "points else, at most",
    "summariser right then": "points then",
    "right with it": "points with it",
}
_SENTENCES = {
    "Share right of all questions played; no answer counts as not right. Intervals are 95 %.": (
        "Mean share of the rubric's points over all questions played; no answer counts as no points. Intervals are 95 %."
    ),
    "Share right of the graded questions; no answer counts as not right. Intervals are 95 %.": (
        "Mean share of the rubric's points over the graded questions; no answer counts as no points."
        " Intervals are 95 %."
    ),
}
_PHRASES = {
    "with every ungraded answer counted as wrong, and as right": "with every ungraded answer given no points, and all points",
    "Right over what is graded": "Mean share of points over what is graded",
    "how often it was right then and else": "what share of the points it got then and else",
    "How often at least one model is right: what a perfect choice among the answers could reach.": (
        "The best text of all models, question by question: what a perfect choice among them could reach. Where judges"
        " mishear, the best of several is partly who was misheard in its favour."
    ),
    "who got most right": "who got most points",
    "most right, chosen after the fact": "most points, chosen after the fact",
    "right then and right else": "points then and points else",
    "they are unknown, not wrong": "they are unknown, not without points",
    "what is not, is neither right nor wrong": "what is not, has neither few points nor many",
}
_WHAT = {"at least one player right, of": "the best text of each question, players:"}
_KEPT = frozenset({"rubric", "rubric-judges", "rubric-own"})
"""Sections that speak of points themselves."""


def in_points(figures: Mapping[str, Any]) -> bool:
    """Whether some of the answers have points, and are not right or wrong."""
    return bool(figures.get(IN_POINTS))


def worth_title(figures: Mapping[str, Any], title: str = "right") -> str:
    """The head of a column that says how much of it is right; of points, what share of them."""
    return title.replace("right", OF_POINTS, 1) if in_points(figures) else title


def told_in_points(section: Section) -> Section:
    """The same section, where nobody is right or wrong."""
    if section.id in _KEPT:
        return section
    return replace(
        section,
        words=tuple(map(words_of_points, section.words)),
        columns=tuple(map(_column, section.columns)),
        rows=[_row(row) for row in section.rows],
    )


def words_of_points(sentence: str) -> str:
    sentence = _SENTENCES.get(sentence, sentence)
    for phrase, other in _PHRASES.items():
        sentence = sentence.replace(phrase, other)
    return sentence


def _column(column: Column) -> Column:
    return replace(column, title=_TITLES.get(column.title, column.title))


def _row(row: Mapping[str, Any]) -> Mapping[str, Any]:
    what = row.get("what")
    if not isinstance(what, str):
        return row
    for phrase, other in _WHAT.items():
        what = what.replace(phrase, other)
    return {**row, "what": what}
