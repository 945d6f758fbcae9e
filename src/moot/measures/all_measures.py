"""All measures, asked one by one. One of another package that breaks is named with its error, and all other figures stand.

Our own are not spared: a mistake of theirs is a bug, and is told as one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from pkgutil import resolve_name
from typing import Any, ParamSpec, TypeVar, cast

from moot.errors import UsageError
from moot.grade.identity import VERSION
from moot.measures import BUILT_IN, MEASURES
from moot.measures.checked_sections import checked_sections
from moot.measures.claims.plays_without import all_reached
from moot.measures.claims.standing import claims_anything, standing
from moot.measures.claims.without_members import WithoutMembers
from moot.measures.measure import Measure
from moot.measures.played_again import played_again
from moot.measures.points_words import in_points, told_in_points
from moot.measures.read_only import read_only
from moot.measures.reserved import FAILED_ID, NOT_TAKEN_ID, refused_id, refused_key
from moot.measures.reserved import NOT_TAKEN as NOT_TAKEN
from moot.measures.reserved import PLUGIN_FAILURES as KEY
from moot.measures.section import Column, Section
from moot.measures.source import Source
from moot.measures.unlisted_rows import unlisted_rows
from moot.needs import Needs, summed
from moot.plugins import NotAsExpected, PluginRefused, in_one_line

P = ParamSpec("P")
T = TypeVar("T")

MEASURE = "measure"
NOT_BY_GRADES = frozenset({"claims", "position", "preferences"})
"""The first holds its own against plays that may come to anything; the others go by no grades (`claims.rate_bases`)."""


class AllMeasures:
    """All registered measures and those given as objects, asked one by one; who breaks is kept in `failures`.

    One that is given as an object takes the place of the installed one of its name: it may have other options.
    """

    def __init__(self, given: Iterable[Measure] = ()) -> None:
        self.failures: dict[str, str] = {}
        """By name, the first thing that went wrong."""
        self._graders: list[dict[str, Any]] = []
        """A row of the grader, where it failed."""
        self._measures: list[tuple[str, Measure]] = []
        objects = {measure.name: measure for measure in given}
        for name in MEASURES.places():
            if name in BUILT_IN and (refusal := MEASURES.refusal(name)) is not None:
                self.failures[name] = refusal.reason  # ours is taken all the same: whose figures these are is known
            measure = objects.pop(name) if name in objects else self._tried(name, _made, name)
            if measure is not None:
                self._measures.append((name, measure))
        self._measures += objects.items()

    def needs(self) -> Needs:
        """What a run must provide for those that can say so."""
        needs = [self._tried(name, checked_needs, measure) for name, measure in self._measures]
        return summed(need for need in needs if need is not None)

    def figures(
        self, source: Source, stopped: Callable[[], bool] = lambda: False, without: Collection[str] = ()
    ) -> dict[str, Any]:
        """The figures of all, each after those before it; failures under `KEY`, where there are any.

        `stopped`: asked before each; the names of those that it came before stand under `NOT_TAKEN`. `without`: measures of
        which nothing will be shown.
        """
        so_far: dict[str, Any] = {}
        ours: dict[str, Collection[str]] = {}
        source.unlisted_rows = unlisted_rows(source)
        wanted = [(name, measure) for name, measure in self._measures if name not in without]
        for place, (name, measure) in enumerate(wanted):
            if stopped():
                so_far[NOT_TAKEN] = [left for left, _ in wanted[place:]]
                break
            source.so_far = so_far if name in BUILT_IN else read_only(so_far)
            taken = self._tried(name, _new_figures, name, measure, source) or {}
            ours |= {name: taken.keys()} if name in BUILT_IN else {}
            so_far |= taken
        if not all_reached(source, source.cells):
            kept = {key: so_far[key] for keys in ours.values() for key in keys}
            so_far |= self._standing(source, WithoutMembers.of(source).figures(kept), ours)
        self.sections(so_far)
        self.needs()
        self._graders = _grader_rows(source)
        if self.failures or self._graders:
            so_far[KEY] = self._rows()
        return so_far

    def _standing(self, source: Source, figures: dict[str, Any], ours: Mapping[str, Collection[str]]) -> dict[str, Any]:
        """What is left of them where a model could not be reached. Only measures that claim anything are taken again."""
        if (again := played_again(source)) is None:
            return figures
        for name, measure in self._measures:
            claimed = [key for key in ours.get(name, ()) if claims_anything(figures[key])]
            if claimed and name not in NOT_BY_GRADES:
                others = measure.figures(again)
                figures |= {key: standing(figures[key], others.get(key)) for key in claimed}
        return figures

    def sections(self, figures: Mapping[str, Any]) -> list[Section]:
        """The sections of all; and one that says who broke, here or when the figures were taken."""
        earlier = {row["name"]: row["error"] for row in figures.get(KEY, ()) if row["kind"] == MEASURE}
        self._graders = [dict(row) for row in figures.get(KEY, ()) if row["kind"] != MEASURE]
        sections: list[Section] = []
        owners: dict[str, str] = {}
        for name, measure in self._measures:
            if name in figures.get(NOT_TAKEN, ()) or (name not in BUILT_IN and name in {*self.failures, *earlier}):
                continue  # what it would show of figures that broke are those of others
            own = _ours(measure, figures) if name in BUILT_IN else self._theirs(name, measure, figures, owners)
            if name not in BUILT_IN:  # without rows a section is not shown, and takes no id from anybody
                owners |= {section.id: f"the measure {name!r}" for section in own if section.rows}
            sections += own
        self.failures = {**self.failures, **earlier}
        sections += [self._section()] if self.failures or self._graders else []
        return [*sections, *_not_taken(figures)]

    def _theirs(
        self, name: str, measure: Measure, figures: Mapping[str, Any], owners: Mapping[str, str]
    ) -> list[Section]:
        """`owners`: whose the ids are that others have taken. A measure of which one is refused shows nothing."""

        def checked() -> list[Section]:
            sections, taken = checked_sections(measure.sections(read_only(figures))), dict(owners)
            for section in sections:
                if (refusal := refused_id(section.id)) is not None:
                    raise _Unusable(refusal)
                if (owner := taken.get(section.id)) is not None:
                    raise _Unusable(f"sections: id: {section.id!r} is given by {owner} already; expected another id")
                taken[section.id] = f"the measure {name!r}"
            return sections

        return self._tried(name, checked) or []

    def _tried(self, name: str, asked: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | None:
        if name in BUILT_IN:
            return asked(*args, **kwargs)
        try:
            return asked(*args, **kwargs)
        except PluginRefused as error:
            self.failures.setdefault(name, error.reason)
        except (_Unusable, NotAsExpected) as error:
            self.failures.setdefault(name, str(error))
        except Exception as error:  # noqa: BLE001  somebody else's code
            self.failures.setdefault(name, in_one_line(error))
        return None

    def _rows(self) -> list[dict[str, Any]]:
        measures = [{"kind": MEASURE, "name": name, "error": self.failures[name]} for name in sorted(self.failures)]
        return [*measures, *self._graders]

    def _section(self) -> Section:
        columns = [Column("kind", "plug-in"), Column("name", "name"), Column("error", "error")]
        words = []
        if self.failures:
            words.append("These plug-ins failed, so their figures are missing or incomplete. All others stand.")
        if self._graders:
            columns.append(Column("times", "times"))
            words.append("What a grader failed on has no grade from it: it is ungraded, and never taken for wrong.")
        return Section(FAILED_ID, "Plug-ins that failed", tuple(words), tuple(columns), self._rows(), place=FIRST)


def _ours(measure: Measure, figures: Mapping[str, Any]) -> list[Section]:
    sections = list(measure.sections(figures))
    return [told_in_points(section) for section in sections] if in_points(figures) else sections


def _grader_rows(source: Source) -> list[dict[str, Any]]:
    """The grader's row: how many answers it left without a grade by failing, and what went wrong most often."""
    if not (broke := source.grades.grader_broke):
        return []
    name = source.config["grader"].partition(VERSION)[0]
    error = min(broke, key=lambda problem: (-broke[problem], problem))
    return [{"kind": "grader", "name": name, "error": error, "times": sum(broke.values())}]


def _not_taken(figures: Mapping[str, Any]) -> list[Section]:
    if not (names := figures.get(NOT_TAKEN)):
        return []
    words = ("Taking these figures was interrupted: those of the measures below are missing, all others stand.",)
    rows = [{"name": name} for name in names]
    return [Section(NOT_TAKEN_ID, "Figures that are missing", words, (Column("name", "measure"),), rows, place=FIRST)]


FIRST = 1
"""What is missing is said before anything is read."""


class _Unusable(UsageError):
    """Figures that cannot stand in a report, in words."""


def _made(name: str) -> Measure:
    if name in BUILT_IN:
        return cast(Measure, resolve_name(BUILT_IN[name])())
    made = MEASURES.make(name)
    if (own := getattr(made, "name", None)) != name:
        raise NotAsExpected(f"{name!r} as its name, which it is brought under", own)
    return cast(Measure, made)


def checked_needs(measure: Measure) -> Needs:
    """What it needs, or a complaint."""
    needs: object = measure.needs
    if not isinstance(needs, Needs):
        raise NotAsExpected("Needs(...) as its needs", needs)
    return needs


def _new_figures(name: str, measure: Measure, source: Source) -> dict[str, Any]:
    given: object = measure.figures(source)
    if not isinstance(given, Mapping):
        raise NotAsExpected("a mapping", type(given), part="figures")
    taken = dict(given)
    for key in taken:
        if not isinstance(key, str):
            raise NotAsExpected("words as keys", key, part="figures")
        if name not in BUILT_IN and (refusal := refused_key(key)) is not None:
            raise _Unusable(refusal)
    if clash := sorted(source.so_far.keys() & taken.keys()):
        raise _Unusable(f"gives {clash[0]!r}, which another measure has given already; expected a key of its own")
    if name not in BUILT_IN:
        try:
            return cast(dict[str, Any], json.loads(json.dumps(taken, allow_nan=False)))
        except (TypeError, ValueError) as error:
            raise _Unusable(f"figures are no JSON: {in_one_line(error)}") from None
    return taken
