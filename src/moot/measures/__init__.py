"""Measures: recorded facts into figures, figures into sections. A folder is a family.

A measure of your own is one file and one entry point in the group ``moot.measures``, or an object given from Python; its
figures stand in the report's JSON, its sections in the terminal and on the page.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from moot.needs import Needs
from moot.plugins import PluginKind

if TYPE_CHECKING:
    from moot.measures.measure import Measure

BUILT_IN = {
    "facts": "moot.measures.facts.measure:Facts",
    "attendance": "moot.measures.attendance.measure:WhoAnswered",
    "accuracy": "moot.measures.accuracy.measure:Accuracy",
    "sets": "moot.measures.sets.measure:Sets",
    "judges": "moot.measures.judges.measure:Judges",
    "rubric": "moot.measures.rubric.measure:RubricPoints",
    "quiz": "moot.measures.quiz.measure:Quiz",
    "squad": "moot.measures.squad.measure:Squad",
    "safety": "moot.measures.safety.measure:Safety",
    "discussion": "moot.measures.discussion.measure:Discussion",
    "summaries": "moot.measures.summaries.measure:Summaries",
    "position": "moot.measures.position.measure:Position",
    "trust": "moot.measures.trust.measure:AnswerTrust",
    "decided": "moot.measures.decided.measure:HowDecided",
    "preferences": "moot.measures.preferences.measure:LongAnswers",
    "claims": "moot.measures.claims.measure:Claims",
}
"""In the order in which they are taken: a measure may use the figures of those before it."""

NOT_AT_THE_END = frozenset({"trust"})
"""Of which nothing is told where a run ends: they take long, and are taken where they are shown."""

OURS_NEED = Needs(graded_drafts=True, graded_claims=True, grouped_drafts=True, matched_words=True)
"""What ours declare, summed: so that nobody loads them all to play, or to say what a run would cost."""

MEASURES = PluginKind("measure", "moot.measures", BUILT_IN)


def registered() -> Mapping[str, str]:
    """Names of all measures, ours and those that other packages bring, with their places."""
    return MEASURES.places()


def needs(given: Iterable[Measure] = ()) -> Needs:
    """What a run must provide so that all of these can be taken."""
    objects = list(given)
    if not objects and set(MEASURES.places()) <= set(BUILT_IN):
        return OURS_NEED
    from moot.measures.all_measures import AllMeasures

    return AllMeasures(objects).needs()
