"""Whether the questions of a run are enough to learn from, and to promise by: of each kind by itself.

How good players are at one kind of questions says nothing of another, so nobody learns from those (`moot.engine.lessons`). A run
in which no kind has enough is refused. Where one kind has and another has not, what comes of the other is said before the first
call: among the figures it would look like a rule that was learnt, or a team that knows nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import ceil
from typing import TYPE_CHECKING

from moot.data.clusters import clusters_of
from moot.decide.abstaining import too_few_for
from moot.decide.cascade import Cascade
from moot.decide.promise import largest_cluster
from moot.stats.counted_words import few_names
from moot.types import Case, QuestionKind

if TYPE_CHECKING:
    from moot.experiment.plan import Cell

SPARE = 1.5
"""So many times as many questions as have to teach one: those of its own fold do not, and folds are uneven."""

UnitsByKind = Mapping[QuestionKind, Sequence[str]]
"""Of the questions with a reference, by their kind: what each is a part of."""


def units_by_kind(cases: Iterable[Case]) -> UnitsByKind:
    """A kind of which no question has a reference has none."""
    every = list(enumerate(cases))
    clusters, found = clusters_of(every), defaultdict[QuestionKind, list[str]](list)
    for place, case in every:
        found[case.question.kind] += [clusters.get(place, str(place))] if case.known else []
    return found


def nothing_to_learn(cases: Iterable[Case], fewest: int) -> str | None:
    """Why these questions cannot teach each other; None: those of some kind can. `fewest`: so many others have to."""
    by_kind = units_by_kind(cases)
    largest = max(by_kind.values(), key=lambda units: len(set(units)), default=())
    if len(by_kind) < 2 or fewest == 1:
        return _too_few(largest, fewest)
    if _too_few(largest, fewest) is None:
        return None
    found = " and ".join(f"{_count(units)} of kind {kind}" for kind, units in sorted(by_kind.items()))
    needed = f"{_needed(fewest)} or more questions of one kind with a reference"
    return f"it takes {fewest} others of its kind; expected {needed}, found {found}"


def _too_few(units: Sequence[str], fewest: int) -> str | None:
    """Of one kind."""
    if len(units) < 2:
        return f"expected at least two questions with a reference, found {len(units)}"
    if len(set(units)) == 1:
        return f"all {len(units)} questions with a reference belong together; expected at least two that do not"
    if fewest == 1 or len(set(units)) >= _needed(fewest):
        return None
    expected = f"expected {_needed(fewest)} or more questions with a reference"
    return f"it takes {fewest} others; {expected}, found {_count(units)}"


def _needed(fewest: int) -> int:
    return ceil(SPARE * fewest)


def _count(units: Sequence[str]) -> str:
    apart = len(set(units))
    return str(apart) if apart == len(units) else f"{len(units)} ({apart} that do not belong together)"


def untaught_words(cells: Iterable[Cell], cases: Iterable[Case]) -> Iterator[str]:
    """Of kinds with too few questions beside one that has enough: a line for each, and for what comes of it. With a few more than
    have to teach one it hangs on how they are dealt into folds."""
    learners = [cell for cell in cells if cell.traits.learns and cell.traits.fewest_lessons > 1]
    by_kind = units_by_kind(cases) if learners else {}
    alike: dict[str, dict[str, None]] = {}
    for kind, units in sorted(by_kind.items()) if len(by_kind) > 1 else ():
        for cell in learners:
            fewest = cell.traits.fewest_lessons
            if len(set(units)) < _needed(fewest):
                are = "is" if len(units) == 1 else "are"
                there = f"of kind {kind} there {are} {_count(units)} with a reference"
                these = "for these" if len(set(units)) <= fewest else "it may be that for some of these"
                why = f"only questions of one kind teach each other, and {there}, where it takes {fewest} others"
                alike.setdefault(f"{why}: {these} {_comes_of_it(cell)}", {})[cell.label] = None
    yield from (f"{few_names([*labels])}: {words}" for words, labels in alike.items())


def _comes_of_it(cell: Cell) -> str:
    if cell.abstain is not None:
        return "no answer is given"
    everybody = isinstance(cell.strategy, Cascade) and cell.strategy.threshold is not None
    return "everybody is asked, and the largest group is taken" if everybody else "the largest group is taken"


def unpromised_words(cells: Iterable[Cell], cases: Iterable[Case]) -> Iterator[str]:
    """Of each that will answer nothing whatever its answers are, since the questions are too few."""
    abstaining = [cell for cell in cells if cell.abstain is not None and cell.rule is None]
    by_kind = units_by_kind(cases) if abstaining else {}
    for cell in abstaining:
        for kind, units in sorted(by_kind.items()):
            several = kind if len(by_kind) > 1 else ""
            if several and len(set(units)) < _needed(cell.traits.fewest_lessons):
                continue  # nothing is learnt of these, which is said already
            if (words := too_few_for(cell.abstain, len(units), largest_cluster(units), several)) is not None:
                yield f"{cell.label}: {words}"
