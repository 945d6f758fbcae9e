"""Which plan of a store is meant by an experiment file: the one that the file makes now, where it was run.

A name is not enough. Who copies a file, changes one thing in it and forgets its `name` has two experiments under one, and a
report of either must not show the other. A file that was changed and not run yet has no plan in the store: then the last
run under its name is told, and that it is not the file's.

To know its plan the file is built, though nobody will be asked. Where it cannot be (its questions are gone, a model is not
installed here), the words that its runs were kept with are compared with its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, partial
from typing import Any

from sqlalchemy import Connection

from moot.errors import MootError, UsageError
from moot.experiment.build import build
from moot.experiment.known_questions import known_questions
from moot.experiment.plan import Plan, written_down
from moot.experiment.spec import Experiment, ExperimentFile
from moot.live.served import served_name
from moot.measures.alike_plans import are_alike, in_play, told_of
from moot.measures.asked_cases import CasesOnce
from moot.measures.facts.figures import PLAN_SIGNS
from moot.measures.reserved import NOT_OF_FILE
from moot.pasted import pasted
from moot.report.figures import find_experiment, plan_beginning
from moot.report.uncollected import uncollected
from moot.store import queries
from moot.store.declarations import declared
from moot.store.rows import config_of, is_edited
from moot.store.statements import Row
from moot.store.undertakings import file_questions
from moot.types import digest

CONNECT_WHEN_ASKED = ("endpoint", "local", "simulated", "recorded")
"""Providers whose models can be made without connecting to anybody. LiteLLM, and what others bring, may do so when loaded."""


@dataclass(frozen=True, slots=True)
class FoundPlan:
    """A plan that is told of."""

    plan: Row
    not_of_file: str | None = None
    """Why it is not the one that the file makes now, in words without a full stop; None: it is, or there is no file."""
    others: frozenset[str] = frozenset()
    """Other plans of the name that are not of the file as it is now, where that is known."""

    def noted(self, figures: Mapping[str, Any]) -> dict[str, Any]:
        """Its figures, with what is to be known of whose they are."""
        noted = {**({NOT_OF_FILE: self.not_of_file} if self.not_of_file else {}), **figures}
        if self.others and (beside := figures.get("other_plans")):
            noted["other_plans"] = [{**plan, "of_file": plan["id"] not in self.others} for plan in beside]
        return noted


class WantedPlan:
    """By a file, or by a name alone; by nothing: whatever ran last."""

    def __init__(self, name: str | None = None, file: ExperimentFile | None = None) -> None:
        self.name = name
        self._file = file
        self._by_size: dict[int, str | None] = {}

    def found(self, connection: Connection, start: str | None = None, asked: CasesOnce | None = None) -> FoundPlan:
        """The whole of it, be it that a part was run last. `start`: of the id of the one that is to be told."""
        if self._file is None or self.name is None:
            if start is not None:
                return FoundPlan(plan_beginning(connection, start, self.name))
            return _last_asked(connection, find_experiment(connection, self.name))
        latest = self._latest(connection)
        named = queries.experiments_named(connection, self.name)
        own = self._own(connection, named, asked or CasesOnce(connection))
        if start is not None:
            return self._asked_for(connection, plan_beginning(connection, start, self.name), own)
        if own is not None:
            return FoundPlan(own, self._declared_since(connection, own), self._not_own(connection, named, own))
        kept = in_play(written_down(self._file.spec))
        of_its_words = [plan["id"] for plan in named if in_play(config_of(plan)) == kept]
        if (last := queries.latest_experiment(connection, self.name, of_its_words)) is not None:
            before = told_of(connection, last)
            return FoundPlan(before, self._changed_beside_it(connection, before))
        return FoundPlan(latest, self._not_run(connection, latest))

    def found_once(self, connection: Connection, start: str | None = None, asked: CasesOnce | None = None) -> FoundPlan:
        """The same, for who asks once: the plan, which may be as large as its questions, is let go."""
        with uncollected():
            found = self.found(connection, start, asked)
        self.__dict__.pop("_whole", None)
        return found

    def _latest(self, connection: Connection) -> Row:
        assert self.name is not None
        assert self._file is not None
        if queries.latest_experiment(connection, self.name) is None:
            path = pasted(self._file.path)
            words = f"this store holds no run of {self.name!r}; run it first: moot run {path}"
            if queries.latest_experiment(connection, served_name(self.name)) is not None:
                words += f"; what its team was asked when served: moot report {path} --served"
            raise UsageError(words)
        return find_experiment(connection, self.name)

    def last_begun(self, connection: Connection) -> FoundPlan:
        """The part of it, or the whole, that was run last: what somebody sees who looks on."""
        found = self.found(connection)
        named = queries.experiments_named(connection, found.plan["name"])
        alike = [found.plan["id"], *(plan["id"] for plan in named if are_alike(connection, plan, found.plan))]
        last = queries.latest_experiment(connection, found.plan["name"], alike)
        return FoundPlan(last or found.plan, found.not_of_file)

    @cached_property
    def _whole(self) -> Plan | str:
        """The plan of all the file's questions; or why it cannot be made here."""
        assert self._file is not None
        if (reached := _beyond_this_machine(self._file.spec)) is not None:
            return reached
        try:
            return build(self._file, asked=False)
        except (MootError, ImportError, OSError) as error:
            return str(error).partition("\n")[0]

    def _own(self, connection: Connection, named: Sequence[Row], asked: CasesOnce) -> Row | None:
        """The largest of what was run of the file as it is now: with all its questions, or the first of them."""
        if (known := self._known(connection, named, asked)) is not None:
            return known
        if isinstance(self._whole, str):
            return None
        mark, size = self._whole.file_questions, len(self._whole.dataset or ())
        for plan in sorted(named, key=lambda plan: -plan["size"]):
            if plan["size"] > size or file_questions(connection, plan["id"]) not in (mark, None):
                continue
            if plan["id"] == self._ident(plan["size"]):
                return plan
        return None

    def _known(self, connection: Connection, named: Sequence[Row], asked: CasesOnce) -> Row | None:
        """The one with all its questions, where that can be told without reading them: most files have not changed."""
        assert self._file is not None
        spec = self._file.spec
        if _beyond_this_machine(spec) is not None:
            return None
        words = written_down(spec).get("questions")
        for plan in sorted(named, key=lambda plan: -plan["size"]):
            walk = partial(asked.cases, plan["id"])
            known = (
                known_questions(self._file, plan["size"], walk) if config_of(plan).get("questions") == words else None
            )
            if known is None or file_questions(connection, plan["id"]) != digest(known.identity):
                continue
            try:
                if build(self._file, asked=False, known=known).id == plan["id"]:
                    return plan
            except (MootError, ImportError, OSError):
                return None
        return None

    def _ident(self, size: int) -> str | None:
        """Of the plan with the first so many questions."""
        assert self._file is not None
        if isinstance(self._whole, str):
            return None
        if size == len(self._whole.dataset or ()):
            return self._whole.id
        if size not in self._by_size:
            try:
                self._by_size[size] = build(self._file, limit=size, asked=False).id
            except MootError:  # so few questions are too few for what learns
                self._by_size[size] = None
        return self._by_size[size]

    def _not_own(self, connection: Connection, named: Sequence[Row], own: Row) -> frozenset[str]:
        others = (plan for plan in named if plan["id"] != own["id"])
        return frozenset(plan["id"] for plan in others if not self._is_part(connection, plan, own))

    def _is_part(self, connection: Connection, plan: Row, own: Row) -> bool:
        return plan["id"] == own["id"] or are_alike(connection, plan, own)

    def _asked_for(self, connection: Connection, plan: Row, own: Row | None) -> FoundPlan:
        if (own is not None and self._is_part(connection, plan, own)) or isinstance(self._whole, str):
            return FoundPlan(plan)
        return FoundPlan(plan, f"plan {plan['id'][:PLAN_SIGNS]} is not that of {self._title} as it is now")

    @property
    def _title(self) -> str:
        assert self._file is not None
        return self._file.path.name

    def _changed_beside_it(self, connection: Connection, before: Row) -> str | None:
        if isinstance(self._whole, str):
            return None
        this = f"this is its run of {_when(connection, before)}"
        if file_questions(connection, before["id"]) not in (self._whole.file_questions, None):
            return f"the questions of {self._title} have changed since; {this}"
        return f"{self._title} would be played otherwise now (prompts, lessons, or moot itself have changed); {this}"

    def _declared_since(self, connection: Connection, own: Row) -> str | None:
        """What a file declares changes no play, so it is one plan with the file of before; but no run has written it down yet."""
        assert self._file is not None
        spec, known = self._file.spec, {word.text for word in declared(connection, own["name"])}
        new = [text for text in (*spec.hypotheses, *([spec.primary] if spec.primary else [])) if text not in known]
        if not new:
            return None
        this = f"this is its run of {_when(connection, own)}"
        said = " and ".join(map(repr, new[:2]))
        return f"{self._title} declares {said} now, which no run has written down yet; {this}"

    def _not_run(self, connection: Connection, latest: Row) -> str:
        when = _when(connection, latest)
        if isinstance(self._whole, str):
            return f"the plan of {self._title} cannot be made here ({self._whole}); this is the last run of its name, of {when}"
        return f"{self._title} as it is now was not run; this is the run of {when}"


def _last_asked(connection: Connection, latest: Row) -> FoundPlan:
    """Of a served team that was changed, and not asked anything since: what it was asked as it was before."""
    if latest["size"] or not config_of(latest).get("served"):
        return FoundPlan(latest)
    by_age = queries.experiments_by_age(connection)
    versions = (plan for plan in by_age if plan["name"] == latest["name"] and not is_edited(plan))
    asked = next((plan for plan in versions if plan["size"]), None)
    if asked is None:
        return FoundPlan(latest)
    before = {key: value for key, value in asked.items() if key != "used_at"}
    last = f"{datetime.fromtimestamp(asked['used_at']):%Y-%m-%d %H:%M}"
    return FoundPlan(
        before,
        f"nothing has been asked of the team as it is now; this is what it was asked until {last}, before a change",
    )


def _beyond_this_machine(spec: Experiment) -> str | None:
    """Why making its plan might reach out to others, which nobody does who only looks; None: it would not."""
    sets = spec.questions if isinstance(spec.questions, list) else [spec.questions]
    if any(source is not None and source.hub is not None for source in sets):
        return "its questions are on the hub"
    providers = [model.provider for model in spec.models.values() if model.provider not in CONNECT_WHEN_ASKED]
    return f"its models of provider {providers[0]} are made only to be asked" if providers else None


def _when(connection: Connection, plan: Row) -> str:
    runs = queries.runs_of(connection, plan["id"])
    return f"{datetime.fromtimestamp(runs[-1]['started_at'] if runs else plan['created_at']):%Y-%m-%d %H:%M}"


def refuse_one_run_twice(files: Sequence[ExperimentFile], found: Sequence[FoundPlan]) -> None:
    """Two files that end in one run: what would be compared is that run with itself."""
    both = " and ".join(file.path.name for file in files)
    reasons = {file: plan.not_of_file for file, plan in zip(files, found, strict=True) if plan.not_of_file is not None}
    if not reasons:
        same = "make one and the same plan, so there is nothing to compare"
        raise UsageError(f"{both} {same}; expected two that differ in what is played")
    told = "; ".join(dict.fromkeys(reasons.values()))
    first = ", then ".join(f"moot run {pasted(file.path)}" for file in reasons)
    raise UsageError(
        f"{both} end in one and the same run, which would be compared with itself: {told}. To compare them: {first};"
        " a name of its own (the key name) keeps a file's runs apart from those of another"
    )
