"""What a report says of a row's figures before they are believed, for the row of a leaderboard."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from moot.measures.accuracy.sections import chosen_on_words
from moot.measures.attendance.figures import ATTENDED_AS, unreached_words
from moot.measures.claims.nobody_right import NOBODY_RIGHT, nobody_right_words
from moot.measures.claims.words import CUT_SHORT, doubts, few_questions
from moot.measures.columns import whole_plays_words
from moot.measures.learnt_in_run import KEY as LEARNT_IN_RUN
from moot.measures.learnt_in_run import learnt_words
from moot.measures.numbers import between
from moot.report.figures import Figures
from moot.report.remarks import cluster_words, unlisted_words


def learnt_in_run(figures: Figures, row: Mapping[str, Any]) -> bool:
    """Whether what was played learnt from the questions that its figure is over."""
    return row["label"] in figures.get(LEARNT_IN_RUN, ())


def caveats_of(figures: Figures, row: Mapping[str, Any], *, headline: bool) -> list[str]:
    """`row`: of the accuracy; `headline`: whether the run's verdict is about it, whose doubts are then its own."""
    return list(dict.fromkeys(_caveats(figures, row, headline=headline)))


def _caveats(figures: Figures, row: Mapping[str, Any], *, headline: bool) -> Iterator[str]:
    told = figures.get("headline") or {}
    if nobody := told.get(NOBODY_RIGHT):
        yield from nobody_right_words(nobody)[:1]
    if learnt_in_run(figures, row):
        yield learnt_words([row["label"]])
    if headline and told.get("value") is not None:
        yield from doubts(told)
    elif told.get("cut_short"):
        yield CUT_SHORT
    if not (headline and told.get("value") is not None) and row["n"] and (few := few_questions(row)) is not None:
        yield few
    if not headline and (bounds := row.get("bounds")):  # of a headline the doubts say it
        yield f"Over all that was played, graded or not, it is {between(bounds)} (bounds)."
    yield from whole_plays_words([row], "Calls a question", lambda _: None)
    yield from unreached_words([each for each in figures.get("unreached", ()) if _same(each, row)])
    yield from chosen_on_words({**figures, "accuracy": [row]})
    if clusters := figures.get("clusters"):
        yield cluster_words(figures["questions"], clusters)
    yield from unlisted_words(figures)


def _same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return all(one.get(key) == other.get(key) for key in ATTENDED_AS)
