"""How an answer came by its grade: whether being graded hangs on being right. Reports and selections ask it alike."""

from __future__ import annotations

from moot.grade.judge import JUDGE
from moot.grade.match import NO_ANSWER
from moot.stats.graded import WayOfGrading

BY_JUDGES = frozenset({JUDGE, "person"})
"""Stages of grading that settle what no match could."""
PLAYED_AGAIN = "played again"
"""In the place of a stage: a model could not be reached, and what is held against this play is anything it may come to."""
CUT_SHORT = "cut"
"""In the place of a stage: a part of the answer equals a key and is missing, so nobody can grade it."""
BY_MATCH = frozenset({NO_ANSWER.stage, "choice", "match", "unanswerable", None})
"""Those of our own grader, which has a word for every answer to a known reference; all others are somebody else's."""


def way_of(right: float | None, stage: str | None, *, waits: bool) -> WayOfGrading:
    """`waits`: whether an answer without a grade is one of which somebody has said what is right.

    A grader that is not ours is in a judge's place where it finds an answer wrong: it has more to say than what is right.
    """
    if right is None and stage == PLAYED_AGAIN:
        return "again"
    if right is None and stage == NO_ANSWER.stage:
        return "nothing said"
    if right is None:
        return "waiting" if waits else "nobody"
    return "judge" if stage in BY_JUDGES or (right < 1.0 and stage not in BY_MATCH) else "at once"
