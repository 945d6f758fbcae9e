"""Plays that went on without somebody, who could not be reached or of whom a recording has no reply: when these are too many for
an interval."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from operator import attrgetter
from typing import NamedTuple

from moot.measures.cells import Stored
from moot.measures.source import Source
from moot.stats.graded import FEW_WAITING
from moot.types import Case


class PlayOfQuestion(NamedTuple):
    question: str
    lacks: bool
    """Whether it went on without somebody."""
    graded_how: GradedHow
    graded: bool = True
    """Whether it has a grade itself."""


class GradedHow(NamedTuple):
    """Figures are of questions that are graded alike: of texts by judges, or by what is known to be right. Hundreds that have no
    grade, or another, make the plays of a figure no more whole."""

    is_text: bool
    known: bool
    """Whether somebody has said what is right, be it a person who settled one answer when all was played."""


def too_many_without(
    source: Source,
    cells: Iterable[Stored],
    asked: Collection[str] | None = None,
    *,
    part: float = 1.0,
    counted: int | None = None,
) -> bool:
    """Whether somebody is missing in more than a few plays of these. `asked`: only on these questions. `part`: as in
    `lacking`; `counted`: as in `too_many_of`."""
    several = list(cells)
    if all_reached(source, several):
        return False
    each = [[play for play in plays_of(source, cell) if asked is None or play.question in asked] for cell in several]
    return lacking((play for plays in each for play in plays), part) or any(
        too_many_of(plays, counted) for plays in each
    )


def all_reached(source: Source, cells: Iterable[Stored]) -> bool:
    """Whether nobody was missing in any play of these that is played again: mostly so, and then there is nothing to weigh."""
    return source.served or not any(any(map(_UNREACHED, source.seen(cell))) for cell in cells)


_UNREACHED = attrgetter("unreached")


def lacking(plays: Iterable[PlayOfQuestion], part: float = 1.0) -> bool:
    """Whether too many of those that are graded in one way went on without somebody. `part`: the share of them that a figure is
    over, all of which these may be."""
    by_grade: dict[GradedHow, list[bool]] = defaultdict(list)
    for play in plays:
        by_grade[play.graded_how].append(play.lacks)
    return any(too_many(sum(each), part * len(each)) for each in by_grade.values())


def too_many_of(plays: Iterable[PlayOfQuestion], counted: int | None) -> bool:
    """The same of a figure that is of so many questions: which these are hangs on what was said and on who has graded it, and
    all that lack somebody may be among them. A question is the mean of its plays that have a grade, so one such play of five
    is a fifth of it. None: that is not told."""
    if not counted:
        return False
    lacks, graded = Counter[str](), Counter[str]()
    for play in plays:
        lacks[play.question] += play.lacks
        graded[play.question] += play.graded
    return too_many(sum(min(1.0, each / max(1, graded[question])) for question, each in lacks.items()), counted)


def too_many(without: float, plays: float) -> bool:
    return without > FEW_WAITING * plays


def plays_of(source: Source, cell: Stored) -> Iterator[PlayOfQuestion]:
    """All of a cell's. Nobody plays again what was asked of a served team."""
    for episode in [] if source.served else source.seen(cell):
        how = _graded_how(source, source.cases[episode.key[0]])
        yield PlayOfQuestion(episode.key[0], bool(episode.unreached), how, episode.right is not None)


def _graded_how(source: Source, case: Case) -> GradedHow:
    return GradedHow(case.question.is_long, source.grades.wait(case))
