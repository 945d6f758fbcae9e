"""Graders by name: who is asked first what an answer is worth, before any judge is.

The usual one is `match`. Another is one file and one entry point in the group ``moot.graders``, or an object given from
Python. Its name is part of the name of the scores, so scores of different graders are never mixed.
"""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from typing import Any, cast

from moot.errors import UsageError
from moot.grade.match import Grader, Match, match
from moot.models.closest import closest
from moot.plugins import in_one_line, loaded
from moot.types import Case, Score, Verdict

BUILT_IN = {Match.name: "moot.grade.match:Match"}
USUAL = Match.name
_GIVEN: dict[str, Grader] = {}


@cache
def registered() -> Mapping[str, str]:
    """Names of all graders, ours and those that other packages bring."""
    theirs = {point.name: point.value for point in entry_points(group="moot.graders")}
    return {**theirs, **BUILT_IN}


def register(candidate: Grader) -> None:
    """Make an object known by its name, in this process: what is stored is the name, so it must mean one thing."""
    checked_grader(candidate)
    place = f"{type(candidate).__module__}:{type(candidate).__qualname__}"
    registered_place = registered().get(candidate.name)
    if registered_place not in (None, place):
        raise UsageError(f"grader {candidate.name!r} is {registered_place} already; expected another name")
    _GIVEN[candidate.name] = candidate


def grader_or_absent(name: str) -> Grader:
    """The same for a report: of one that is not known here, a stand-in that grades nothing and says why."""
    try:
        return grader(name)
    except UsageError as error:
        return _Absent(name, str(error))


@dataclass(frozen=True, slots=True)
class _Absent:
    name: str
    why: str

    async def grade(self, case: Case, verdict: Verdict) -> Score:
        return Score(None, "ungraded", self.why)


def grader(name: str) -> Grader:
    """The grader of this name."""
    if name in _GIVEN:
        return _GIVEN[name]
    place = registered().get(name)
    if place is None:
        names = sorted({*registered(), *_GIVEN})
        raise UsageError(f"grader {name!r} is unknown; expected one of {', '.join(names)}{closest(name, names)}")
    made = loaded("grader", name, place)()
    if made.name != name:
        raise UsageError(f"grader {name!r} calls itself {made.name!r}; expected the same name")
    return checked_grader(made)


def checked_grader(candidate: Any) -> Grader:
    """A grader that can be asked and told apart from others, or a complaint."""
    named = getattr(candidate, "name", None)
    if isinstance(candidate, type) or not callable(getattr(candidate, "grade", None)) or not isinstance(named, str):
        raise UsageError(f"{candidate!r:.80} is no grader; expected an object with name and grade")
    if not re.fullmatch(r"[\w.:-]+", named):
        raise UsageError(f"{named!r} is no name of a grader; expected letters, digits and . : _ - only")
    if named == USUAL and not isinstance(candidate, Match):
        raise UsageError(f"{named!r} is the name of moot's own grader; expected another name")
    return cast(Grader, candidate)


def graded(by: Grader, case: Case, answer: str | None) -> Score:
    """What a grader says of an answer, wherever it is asked. One that breaks leaves the answer ungraded, never wrong."""
    if isinstance(by, Match):
        return match(case, answer)
    if answer is None:
        return Score(0.0, "no-answer")
    if not case.known:
        return Score(None, "ungraded", "nobody has said yet what is right")
    try:
        asking = by.grade(case, Verdict(answer, "answered"))
        score: object = asyncio.run_coroutine_threadsafe(asking, _loop()).result()
    except Exception as error:  # noqa: BLE001  somebody else's code
        return Score(None, "ungraded", f"{by.name}: {in_one_line(error)}")
    if not isinstance(score, Score):
        return Score(None, "ungraded", f"{by.name}: expected a Score, found {type(score).__name__}")
    return score


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """Grades are asked for in places that cannot wait, so graders have a loop of their own, in a thread of its own."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="moot-grade", daemon=True).start()
    return loop
