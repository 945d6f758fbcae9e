"""Graders by name: who is asked first what an answer is worth, before any judge is.

The usual one is `match`. Another is one file and one entry point in the group ``moot.graders``, or an object given from
Python. Its name is part of the name of the scores, so scores of different graders are never mixed. What it says is kept and
asked for once; one whose words have changed has another `version`, which is part of that name too, as its options are.
"""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cache
from inspect import isawaitable
from numbers import Real
from typing import Any, cast

from moot.errors import UsageError
from moot.grade.identity import VERSION, identity, unplain_option
from moot.grade.match import NOT_KNOWN_YET, Grader, Match, no_answer
from moot.grade.normalise import normalise
from moot.models.closest import closest
from moot.plugins import PluginKind, in_one_line, problem_with_object
from moot.types import Case, Score, Verdict

BUILT_IN = {Match.name: "moot.grade.match:Match"}
GRADERS = PluginKind("grader", "moot.graders", BUILT_IN)
USUAL = Match.name
_GIVEN: dict[str, Grader] = {}


def registered() -> Mapping[str, str]:
    """Names of all graders, ours and those that other packages bring, with their places."""
    return GRADERS.places()


def register(candidate: Grader) -> None:
    """Make an object known by its name, in this process: what is stored is the name, so it must mean one thing."""
    checked_grader(candidate)
    if (other := GRADERS.other_of_its_name(candidate)) is not None:
        raise UsageError(f"grader {candidate.name!r} is {other} already; expected another name")
    _GIVEN[candidate.name] = candidate


def grader_or_absent(kept_as: str) -> Grader:
    """The grader that words are kept under, for a report: of one that is not known here, a stand-in that says why."""
    name = kept_as.partition(VERSION)[0]
    try:
        here = grader(name)
    except UsageError as error:
        return _Absent(name, str(error))
    if identity(here) != kept_as:
        other = f"is {kept_as} in the store and {identity(here)} here; grade again: moot grade FILE"
        return _Absent(name, f"grader {name!r} {other}")
    return here


def version_here(kept_as: str) -> str | None:
    """What the words of the grader of this name would be kept under now; None: it is not known here."""
    try:
        return identity(grader(kept_as.partition(VERSION)[0]))
    except UsageError:
        return None


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
    if GRADERS.place(name) is None:
        names = sorted({*registered(), *_GIVEN})
        raise UsageError(f"grader {name!r} is unknown; expected one of {', '.join(names)}{closest(name, names)}")
    made = checked_grader(GRADERS.make(name))
    if made.name != name:
        raise UsageError(f"{GRADERS.named(name)} calls itself {made.name!r}; expected the same name")
    return made


def checked_grader(candidate: Any) -> Grader:
    """A grader that can be asked and told apart from others, or a complaint."""
    if (problem := problem_with_object(candidate, "grader", methods=["grade"])) is not None:
        raise UsageError(problem)
    named = candidate.name
    if not re.fullmatch(r"[\w.:-]+", named):
        raise UsageError(f"{named!r} is no name of a grader; expected letters, digits and . : _ - only")
    if named == USUAL and not isinstance(candidate, Match):
        raise UsageError(f"{named!r} is the name of moot's own grader; expected another name")
    version = getattr(candidate, "version", None)
    if version is not None and type(version) is not int and not re.fullmatch(r"[\w.:-]+", _text(version)):
        expected = "a whole number, or letters, digits and . : _ - only"
        raise UsageError(f"version of grader {named!r} is {version!r:.40}; expected {expected}")
    if version is None and (option := unplain_option(candidate)) is not None:
        found = f"{option!r} of grader {named!r} is a {type(getattr(candidate, option)).__name__}"
        expected = "expected a plain value, or a `version` that tells this grader from others of its name"
        raise UsageError(f"{found}, which nobody can compare with an earlier one; {expected}")
    return cast(Grader, candidate)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


CaseAndAnswer = tuple[str, str]
"""The digest of a case and a normalised answer: what has one grade."""


class AskedOnce:
    """A grader that is asked once about an answer, whoever gave it in whatever wording, and whose word is checked.

    One that breaks leaves the answer ungraded, never wrong. Whatever it said of an answer is said of every equal one: a
    grader that says two things of the same would make gains and losses out of nothing.
    """

    def __init__(self, by: Grader, known: Mapping[CaseAndAnswer, Score] | None = None) -> None:
        self.by = by
        self._known = dict(known or {})
        self._recalled = frozenset(self._known)
        self.broken: dict[CaseAndAnswer, str] = {}
        """What went wrong, by the answer that has no grade for it."""
        self.reused: set[CaseAndAnswer] = set()
        """What was asked for and had been said before: nobody was asked again."""
        self._under_way: dict[CaseAndAnswer, Future[Score]] = {}
        self.keep: Callable[[CaseAndAnswer, Score], None] | None = None
        """What is done with a new word; one that broke has none."""

    def recall(self, known: Mapping[CaseAndAnswer, Score]) -> None:
        """What it has said before."""
        self._recalled |= known.keys() - self._known.keys()  # what it said a moment ago is on record by now as well
        self._known |= known

    def score(self, case: Case, answer: str | None) -> Score:
        """For whoever cannot wait: the thread stands still where it has not been asked yet."""
        if (score := self._without_asking(case, answer)) is None:
            assert answer is not None, "no answer needs no asking"
            place = (case.digest, normalise(answer))
            score = self._heard(place, self._ask(place, case, answer).result())
        return score

    async def ask(self, case: Case, answers: Iterable[str | None]) -> None:
        """About all of these at the same time, while others go on: then `score` knows."""
        asked = {}
        for answer in answers:
            if answer is not None and self._without_asking(case, answer) is None:
                place = (case.digest, normalise(answer))
                asked[place] = asyncio.shield(asyncio.wrap_future(self._ask(place, case, answer)))
        for place, word in zip(asked, await asyncio.gather(*asked.values()), strict=True):
            self._heard(place, word)

    def _without_asking(self, case: Case, answer: str | None) -> Score | None:
        if answer is None:
            return no_answer(known=case.known)
        if not case.known:
            return NOT_KNOWN_YET
        place = (case.digest, normalise(answer))
        if place in self._recalled:
            self.reused.add(place)
        return self._known.get(place)

    def _ask(self, place: CaseAndAnswer, case: Case, answer: str) -> Future[Score]:
        if place not in self._under_way:
            self._under_way[place] = asyncio.run_coroutine_threadsafe(word_of(self.by, case, answer), _loop())
        return self._under_way[place]

    def _heard(self, place: CaseAndAnswer, word: Score) -> Score:
        self._under_way.pop(place, None)
        if place not in self._known:
            self._known[place] = word
            if word.failure is not None:
                self.broken[place] = word.failure
            elif self.keep is not None:
                self.keep(place, word)
        return self._known[place]


async def word_of(by: Grader, case: Case, answer: str) -> Score:
    """What a grader of somebody else's says of an answer, looked at before anybody goes by it.

    With a `failure` it broke, and may be asked again another time.
    """
    try:
        asking: object = by.grade(case, Verdict(answer, "answered"))
        if not isawaitable(asking):
            return _broken(by, f"expected async def grade, found one that gives a {type(asking).__name__} at once")
        score: object = await asking
    except Exception as error:  # noqa: BLE001  somebody else's code
        return _broken(by, in_one_line(error))
    if (problem := _unusable(score)) is not None:
        return _broken(by, problem)
    assert isinstance(score, Score), "it was looked at"
    value = None if score.value is None else float(score.value)
    return Score(value, score.stage, score.detail)


def _broken(by: Grader, problem: str) -> Score:
    return Score(None, "ungraded", failure_told(by.name, problem), problem)


def failure_told(name: str, failure: str) -> str:
    """The detail of a score whose grader broke, for whoever reads it; nobody goes by these words."""
    return f"{name}: {failure}"


STAGES_OF_OTHERS = {"judge": "the file's judges", "person": "a person's word", "disputed": "judges who differ"}
"""Figures count by these who has settled an answer, so no grader may take them for its own."""


def _unusable(score: object) -> str | None:
    """What is wrong with what a grader gave; None: nothing."""
    if not isinstance(score, Score):
        return f"expected a Score, found {type(score).__name__}"
    value: object = score.value
    if value is not None and not (isinstance(value, Real) and 0 <= float(value) <= 1):
        return f"expected a value from 0 to 1, or None, found {value!r:.40}"
    if not isinstance(score.stage, str) or not score.stage:
        return f"expected a stage in words, found {score.stage!r:.40}"
    if score.stage in STAGES_OF_OTHERS:
        return f"expected a stage of its own, found {score.stage!r}, which is that of {STAGES_OF_OTHERS[score.stage]}"
    if score.failure is not None:
        return f"expected an exception where it fails, found a Score with failure={score.failure!r:.40}"
    return None if score.detail is None or isinstance(score.detail, str) else "expected a detail in words, or None"


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """Some ask for grades where they cannot wait, so graders have a loop of their own, in a thread of its own."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="moot-grade", daemon=True).start()
    return loop
