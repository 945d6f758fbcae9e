"""A run as it may turn out once nobody is missing: what went on without somebody may come to anything.

Whoever runs the file again asks them again, and a recording that lacks a reply may be completed. So each such play is open here,
like an answer that waits for its grade: every measure then takes it at its worst for what it claims, and at its best. What is
claimed in spite of that no such play can contradict. `measures.claims.standing` holds a report against it.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import orjson

from moot.grade.ways import PLAYED_AGAIN
from moot.measures.cells import Row, Stored
from moot.measures.episodes import EpisodeOutline, Key, unrecorded_in
from moot.measures.outlines import names_of_json
from moot.measures.source import Source
from moot.stats.graded import WayOfGrading
from moot.types import Answer


def played_again(source: Source) -> Source | None:
    """None where everybody was reached, and where nobody plays again, since it was asked of a served team."""
    if source.served or isinstance(source, PlayedAgain):
        return None
    kept = vars(source)  # as long as what it is made of
    if _KEPT not in kept:
        lacks = any(each.unreached for cell in source.cells for each in source.seen(cell))
        kept[_KEPT] = PlayedAgain(source) if lacks else None
    found: PlayedAgain | None = kept[_KEPT]
    return found


_KEPT = "_played_again"


def graded_draft(source: Source, key: Key, draft: Answer) -> tuple[float | None, WayOfGrading]:
    """What somebody said alone is worth, and how it came by that."""
    found = source.graded(source.cases[key[0]], draft.text)
    return (None, "again") if isinstance(source, PlayedAgain) and source.opens_draft(key, draft, found[0]) else found


def asked_again(source: Source, key: Key) -> frozenset[str]:
    """Who may say anything yet to what these drafts answer."""
    return source.missing.get(key, frozenset()) if isinstance(source, PlayedAgain) else frozenset()


_OF_WHAT_WAS_ASKED = frozenset(
    {"in_points", "nothing_played", "progress", "cut_short", "clusters", "_askings", "_at_once", "_spending"}
)
"""What a source works out once, by what was asked, how far and for how much: it is the same whatever plays come to. All else that
it works out may hang on who was reached and on what is right, and is worked out anew."""


def _is_shared(name: str) -> bool:
    return name in _OF_WHAT_WAS_ASKED or not isinstance(getattr(Source, name, None), cached_property)


class PlayedAgain(Source):
    """The same source, which is not read a second time."""

    def __init__(self, given: Source) -> None:
        given.draft_tables()
        self.__dict__ |= {name: value for name, value in vars(given).items() if _is_shared(name)}
        self.so_far = {}
        self._given = given
        self._opened: dict[str, list[EpisodeOutline]] = {}
        self.missing: dict[Key, frozenset[str]] = {}
        for seen in (each for cell in given.cells for each in given.seen(cell) if each.unreached):
            self.missing[seen.key] = self.missing.get(seen.key, frozenset()).union(seen.unreached)

    @cached_property
    def whole(self) -> Source:
        return self._given.whole

    def seen(self, cell: Stored) -> list[EpisodeOutline]:
        if cell["id"] not in self._opened:
            self._opened[cell["id"]] = [self._open(each) if each.unreached else each for each in self._given.seen(cell)]
        return self._opened[cell["id"]]

    def graded_as(self, row: Row) -> tuple[float | None, WayOfGrading]:
        found = super().graded_as(row)
        return (None, "again") if self._lacks(row) and self._opens(row["question"], found[0]) else found

    def _lacks(self, row: Row) -> bool:
        if names_of_json(row["unreached"]):
            return True
        return bool(self.never_made) and bool(unrecorded_in(orjson.loads(row["transcript"]), self.never_made))

    def opens_draft(self, key: Key, draft: Answer, right: float | None) -> bool:
        return draft.text is None and draft.player in self.missing.get(key, ()) and self._opens(key[0], right)

    def _open(self, seen: EpisodeOutline) -> EpisodeOutline:
        # What it will take nobody knows: what it took lacks the calls that will be made.
        whole = seen._replace(unreached=(), unrecorded=(), never_came=None, lacks_calls=True)
        if not self._opens(seen.key[0], seen.right):
            return whole
        return whole._replace(right=None, stage=PLAYED_AGAIN, open_words=None)

    def _opens(self, question: str, right: Any) -> bool:
        """What nobody can grade is open already."""
        return right is not None or self.grades.wait(self.cases[question])
