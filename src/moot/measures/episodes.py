"""What one play came to: an episode whole, as measures of all kinds read it, and its outline, of which there are very many."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import repeat
from operator import attrgetter
from typing import Any, NamedTuple

from moot.grade.ways import way_of
from moot.measures.cells import Row, Stored
from moot.stats.graded import Value, WayOfGrading, ended_value, said_value
from moot.traces import Trace, not_waited_for
from moot.types import ABSTAINED, FAILED, Answer, Case, Verdict

Key = tuple[str, int]
"""One set of drafts on one question: (question, the drafts' repeat)."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """One episode as it is on record, whole: what was said, what happened on the way, and what it was worth."""

    cell: Stored
    case: Case
    """The question and its reference."""
    question: str
    """The digest of the question: the key of `Source.cases`."""
    position: int
    """Where the question stands in the experiment, from 0 on."""
    repeat: int
    verdict: Verdict
    """The answer, the drafts behind it (`answers`), who stands behind it, and the typed `traces` of the play."""
    right: float | None
    """0 to 1; None: nobody has graded it. An episode without an answer is not right."""
    stage: str | None
    """Who graded it, or why nobody has: ``match``, ``judge``, ``person``, ``disputed``, ``ungraded``."""
    seconds: float
    calls: tuple[str, ...]
    """The keys of its calls: see `Source.spent`."""
    unreached: tuple[str, ...] = ()
    """Who is missing in it, as in its outline."""
    unrecorded: tuple[str, ...] = ()
    """Who of these is so since a recording has no reply."""

    @property
    def outcome(self) -> str:
        return self.verdict.outcome

    @property
    def answer(self) -> str | None:
        return self.verdict.answer

    @property
    def key(self) -> Key:
        """Which drafts it rests on: several episodes share them where a strategy has repeats of its own."""
        return self.question, self.cell["traits"].drafts_repeat(self.repeat)


class EpisodeOutline(NamedTuple):
    """One episode, with no more words than are needed to tell whose draft it ended on.

    A tuple, since there may be hundreds of thousands.
    """

    cell: Stored
    key: Key
    """Whose drafts it rests on. Several episodes of one cell share it where the strategy has repeats of its own."""
    position: int
    right: float | None
    outcome: str
    stage: str | None
    word: str | None
    """What a captain said in words of its own; None where none did."""
    seconds: float
    calls: tuple[str, ...]
    order: tuple[str, ...] = ()
    """Whose drafts the one who decided was shown, from the first to the last; empty where it was shown none."""
    drafts: tuple[Answer, ...] = ()
    """The table's, or its own where they are others: what failed once may be asked for again."""
    repeat: int = 0
    """The episode's own."""
    waits: bool = False
    """Whether its answer has no grade although somebody has said what is right."""
    said: str | None = None
    """What a player by itself answered, where no call failed on the way: see `draft_calls`."""
    open_words: str | None = None
    """What it answered, where nobody has graded that, as far as equal words have equal grades."""
    never_came: str | None = None
    """Whose it is, where every episode of its cell failed."""
    unreached: tuple[str, ...] = ()
    """Who is missing: it may come to something else once it is played again, be it that somebody could not be reached or that a
    recording has no reply, and may be completed. Not so of what was asked of a served team."""
    lacks_calls: bool = False
    """Whether one that it asked for never took place, since a recording has no reply to it: then it took less than it would."""
    unrecorded: tuple[str, ...] = ()
    """Who of the missing is so since a recording has no reply."""

    @property
    def way(self) -> WayOfGrading:
        return way_of(self.right, self.stage, waits=self.waits)

    @property
    def value(self) -> Value:
        """What it is worth, and how it came by that."""
        return ended_value(said_value(self.right, self.way, self.open_words), self.outcome, self.never_came)


def outlines(**columns: Iterable[Any]) -> Iterator[EpisodeOutline]:
    """Very many at once, from their fields column by column, as far as they are not as usual."""
    usual = EpisodeOutline._field_defaults
    fields = (columns[name] if name in columns else repeat(usual[name]) for name in EpisodeOutline._fields)
    return map(_AS_OUTLINE, zip(*fields, strict=False))


_AS_OUTLINE = partial(tuple.__new__, EpisodeOutline)
_GRADED_AS = attrgetter("right", "outcome", "stage", "waits")


def marked_at_once(seen: Sequence[EpisodeOutline]) -> dict[str, float] | None:
    """By question, where each was played once and every answer came to its grade at once; None where there is more to know."""
    different = set(map(_GRADED_AS, seen))
    if not all(_at_once(*each) for each in different):
        return None
    marks = {episode.key[0]: episode.right for episode in seen if episode.right is not None}
    return marks if len(marks) == len(seen) else None


def _at_once(right: float | None, outcome: str, stage: str | None, waits: bool) -> bool:
    return right is not None and outcome not in (ABSTAINED, FAILED) and way_of(right, stage, waits=waits) == "at once"


def named_if_none_came(episodes: list[EpisodeOutline]) -> list[EpisodeOutline]:
    """The episodes of one cell; with whose they are where every one failed: what it is worth nobody knows."""
    if not episodes or any(episode.outcome != FAILED for episode in episodes):
        return episodes
    cell = episodes[0].cell
    name = cell["player"] or (f"{cell['label']}@{cell['captain']}" if cell["captain"] else cell["label"])
    return [episode._replace(never_came=name) for episode in episodes]


def name_if_none_came(episodes: Sequence[EpisodeOutline]) -> str | None:
    """Whose episodes these of one cell are, where every one failed; None: something came."""
    return episodes[0].never_came if episodes else None


def right_of(row: Row) -> float | None:
    """None: ungraded. Without an answer there is nothing to grade, and nothing right."""
    return row["value"] if row["value"] is not None or row["answer"] is not None else 0.0


def call_keys(steps: Sequence[Sequence[Any]], never_made: Collection[str] = ()) -> tuple[str, ...]:
    """The keys of a transcript's calls, each once, but for those that never took place."""
    if len(steps) == 1:
        return (steps[0][3],) if steps[0][3] and steps[0][3] not in never_made else ()
    return tuple(dict.fromkeys(step[3] for step in steps if step[3] and step[3] not in never_made))


def unrecorded_in(steps: Sequence[Sequence[Any]], never_made: Collection[str]) -> tuple[str, ...]:
    """Of whom a play asked for a call that never took place, each once. To ask a recording again for what was of no use brings
    nothing new: what it took is all told by the reply that is there."""
    if not never_made:
        return ()
    asked: set[tuple[Any, ...]] = set()
    names: set[str] = set()
    for step in steps:
        if step[3] in never_made and tuple(step[:3]) not in asked:
            names.add(step[0])
        asked.add(tuple(step[:3]))
    return tuple(sorted(names))


def missing_in(unreached: tuple[str, ...], unrecorded: tuple[str, ...]) -> tuple[str, ...]:
    """Both, each name once."""
    return tuple(sorted({*unreached, *unrecorded})) if unrecorded else unreached


def drafts_of(cell: Stored, verdict: Verdict) -> tuple[Answer, ...]:
    """What players said alone; nothing where the answers of a verdict are what the talk made of them.

    A draft that was not waited for is none: nobody knows what it would have been.
    """
    return drafts_alone(cell, verdict.answers, verdict.traces)


def drafts_alone(cell: Stored, answers: tuple[Answer, ...], traces: Sequence[Trace]) -> tuple[Answer, ...]:
    if cell["traits"].drafts is None:
        return ()
    dropped = not_waited_for(traces)
    return tuple(draft for draft in answers if draft.player not in dropped) if dropped else answers
