"""What of a plan is still to be played, and whether that is what takes longest.

What is under way is what takes longest, and that is more often wrong. Where it was dropped what is left is too good, by far
more than any interval allows for, and whoever is slower when wrong looks better than others. So a run that was killed, that
dropped something or is still going on claims nothing until all of that is played, be it by another plan that took its
episodes over. One that was interrupted and has played to its end what it had begun is not among them: its questions are the
first ones of the file. It is an interim look all the same, and who looks often is lucky at some time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from moot.measures.cells import Stored
from moot.measures.episodes import EpisodeOutline, Key
from moot.store.unfinished import cells_shared, left_by, plan_of

if TYPE_CHECKING:
    from moot.measures.source import Source


class PlanProgress(NamedTuple):
    """How many plays a plan has come to, of how many."""

    played: int
    planned: int

    @property
    def missing(self) -> int:
        return self.planned - self.played


def repeats_of(config: Mapping[str, Any]) -> int:
    """How often each question is played by a file; a strategy with repeats of its own plays each time several."""
    return int(config.get("repeats", 1))


def progress_of(source: Source, cell: Stored) -> PlanProgress:
    """Of one cell. Nobody planned which cell of a served team plays which question: what it has played is all."""
    repeats, but = repeats_of(source.config), source.chosen_on(cell)
    played = sum(repeat < repeats and question not in but for question, repeat in map(_KEY, _seen(source, cell)))
    planned = (source.size - source.left_out(cell)) * repeats * cell["traits"].repeats
    return PlanProgress(played, played if source.served else planned)


def slowest_missing(source: Source) -> bool:
    """Whether some run has left plays behind that are missing here: one of this plan, or of another that has the same cell and
    asks the same question."""
    if source.served or not (left := left_by(source.connection)) or not source.progress.missing:
        return False
    if source.ident in left:
        return True
    missing = {cell["id"]: keys for cell in source.cells if (keys := _missing(source, cell))}
    shared = cells_shared(source.connection, left, missing)
    for plan in sorted(shared):
        begun = plan_of(source.connection, plan)
        repeats = repeats_of(begun.config)
        keys = set[Key]().union(*(missing[cell] for cell in shared[plan]))
        if any(repeat < repeats and question in begun.questions for question, repeat in keys):
            return True
    return False


def _missing(source: Source, cell: Stored) -> set[Key]:
    """By question and repeat of the file: where not all of them is there."""
    but, each = source.chosen_on(cell), cell["traits"].repeats
    played = Counter(episode.key for episode in _seen(source, cell))
    asked = [(question, times) for question, times in source.asked.items() if question not in but]
    repeats = range(repeats_of(source.config))
    return {
        (question, repeat) for question, times in asked for repeat in repeats if played[question, repeat] < times * each
    }


_KEY = attrgetter("key")


def _seen(source: Source, cell: Stored) -> Sequence[EpisodeOutline]:
    return (source.whole if source.nothing_played else source).seen(cell)
