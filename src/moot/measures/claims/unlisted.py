"""Options that were played on these questions and are not in the file: who takes the losers out has chosen among them.

What a claim pays for is what could have been looked at, not what is left. An option that was played on any of these questions
counts, under every name under which any team of the file stands in some plan: so what is paid does not hang on which of them
comes out highest, and neither a shorter file nor another name makes it smaller, as long as one team is in both. What a store
cannot see it cannot count: another store, or the same questions under other ids.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from moot.experiment.selected import ChosenOn
from moot.experiment.side_names import ClaimError, SideName, cells_meant
from moot.measures.cells import Stored, identity_of, stored_cell, stored_cells
from moot.measures.sides import title_of
from moot.measures.source import Source
from moot.stats.estimates import Row
from moot.stats.graded import Value, mean_value, said_value
from moot.store.queries import choices_of
from moot.store.questions_before import questions_taken_out
from moot.store.same_options import without_recordings
from moot.store.undertakings import PlanBeside, answers_on, cells_beside, plans_beside
from moot.traces import hangs_on_cut_words


@dataclass(frozen=True, slots=True)
class UnlistedOption:
    """What it got right of this plan's questions."""

    title: str
    experiment: str
    """The name under which it was planned first."""
    cell: Stored
    played: Mapping[str, Value]

    @property
    def alone(self) -> bool:
        return self.cell["player"] is not None

    def values(self, asked: Iterable[str]) -> dict[str, Value]:
        """Of those that it has played."""
        return {question: self.played[question] for question in asked if question in self.played}

    def row(self) -> Row:
        return {"of": self.title, "experiment": self.experiment, "questions": len(self.played)}


def choosable(cells: Sequence[Stored]) -> list[Stored]:
    """Teams say which plans stand beside this one; players only where there is no team: everybody who asks the same models has
    these in common."""
    return [cell for cell in cells if cell["player"] is None] or list(cells)


class UnlistedOptions:
    """Read once, however many are chosen."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._listed = set(map(identity_of, source.cells))
        self._from_files = {without_recordings(cell["spec"]): cell["id"] for cell in source.cells}
        self._read: dict[str, UnlistedOption | None] = {}
        self._beside: dict[tuple[str, ...], list[PlanBeside]] = {}

    @cached_property
    def questions(self) -> int:
        """So many were played under this name before this plan was made, and are not in it: perhaps by how they went."""
        source = self._source
        return 0 if source.served else questions_taken_out(source.connection, source.experiment)

    def beside(self, chosen: Sequence[Stored]) -> list[UnlistedOption]:
        """Those that were played beside these cells, on at least one of the questions, and not all of them in vain."""
        source = self._source
        if source.served:
            return []
        planned: dict[str | bytes, list[Stored]] = {}
        named: dict[str | bytes, str] = {}
        for name, row in cells_beside(self._plans(chosen)):
            cell = stored_cell(row)
            if (identity := identity_of(cell)) in self._listed or self._says_the_same(cell):
                continue
            named.setdefault(identity, name)
            if identity not in planned or not cell["player"]:
                planned.setdefault(identity, []).append(cell)
        self._read_all((named[identity], cell) for identity, cells in planned.items() for cell in cells)
        found = (_most_played(self._read[cell["id"]] for cell in cells) for cells in planned.values())
        return [option for option in found if option is not None]

    def versions(self, chosen: Sequence[Stored]) -> list[list[Stored]]:
        """The plans beside these cells, each with those of its own that are in the file or were played on the questions."""
        if self._source.served:
            return []
        played = self._listed | {identity_of(option.cell) for option in self.beside(chosen)}
        plans = [list(map(self._as_listed, stored_cells(plan.cells))) for plan in self._plans(chosen)]
        return [[cell for cell in cells if identity_of(cell) in played] for cells in plans]

    def _as_listed(self, cell: Stored) -> Stored:
        """What says the same as a cell of the file is made of the same."""
        if identity_of(cell) in self._listed or not self._says_the_same(cell):
            return cell
        ident = self._from_files[without_recordings(cell["spec"])]
        return {**cell, "spec": next(listed["spec"] for listed in self._source.cells if listed["id"] == ident)}

    def _says_the_same(self, cell: Stored) -> bool:
        """Whether it is a cell of this file by a recording with other rows, and has given the answers of that one."""
        listed = self._from_files.get(without_recordings(cell["spec"]))
        if listed is None:
            return False
        then, now = self._said(cell["id"]), self._said(listed)
        shared = then.keys() & now.keys()
        return bool(shared) and all(then[question] == now[question] for question in shared)

    def _said(self, cell: str) -> dict[str, list[str]]:
        """By question, in every play of it."""
        said: dict[str, list[str]] = {}
        for row in answers_on(self._source.connection, self._source.ident, cell, self._source.grader):
            said.setdefault(row["question"], []).append(f"{row['outcome']} {row['answer']}")
        return {question: sorted(plays) for question, plays in said.items()}

    def _read_all(self, planned: Iterable[tuple[str, Stored]]) -> None:
        """Those that have not been read yet, each with the name under which it was planned first."""
        source = self._source
        fresh = {cell["id"]: (name, cell) for name, cell in planned if cell["id"] not in self._read}
        choices = {cell: ChosenOn(marks) for cell, marks in choices_of(source.connection, list(fresh)).items()}
        chosen_on = source.questions_of(choices)
        for ident, (name, cell) in fresh.items():
            self._read[ident] = _option(source, name, cell, chosen_on.get(ident, frozenset()))

    def earlier_versions(self, sides: Sequence[SideName], chosen: Sequence[Stored]) -> int:
        """In how many ways what these sides name was played before with other models, prompts or options, on any of the
        questions. `chosen`: the cells that they name now."""
        source = self._source
        if source.served:
            return 0
        return versions_of(self._plans(chosen), sides, {identity_of(option.cell) for option in self.beside(chosen)})

    def _plans(self, chosen: Sequence[Stored]) -> list[PlanBeside]:
        cells = tuple(cell["id"] for cell in chosen)
        if cells not in self._beside:
            self._beside[cells] = plans_beside(self._source.connection, self._source.ident, cells)
        return self._beside[cells]


def versions_of(plans: Iterable[PlanBeside], sides: Sequence[SideName], played: Collection[str | bytes]) -> int:
    """In how many ways these sides were meant by other plans, of those who have `played` and are not in the file."""
    versions: set[tuple[frozenset[str | bytes], ...]] = set()
    for _, rows in plans:
        cells = [stored_cell(row) for row in rows]
        meant = tuple(frozenset(map(identity_of, _meant(side, cells))).intersection(played) for side in sides)
        versions.update([meant] if any(meant) else ())
    return len(versions)


def _meant(side: SideName, cells: Sequence[Stored]) -> list[Stored]:
    """Nobody, where a plan has none of this name."""
    try:
        return [cast(Stored, cell) for cell in cells_meant(side, cells)]
    except ClaimError:
        return []


def _most_played(several: Iterable[UnlistedOption | None]) -> UnlistedOption | None:
    """Of what was played beside several sets of questions, a trial's and then the whole: the one that has answered the most."""
    return max(
        (option for option in several if option is not None), key=lambda option: len(option.played), default=None
    )


def _option(source: Source, experiment: str, cell: Stored, chosen_on: frozenset[str]) -> UnlistedOption | None:
    """None where it has played none of the questions that it may be measured on, or every play of it failed."""
    plays: dict[str, list[Value]] = {}
    came = False
    for row in answers_on(source.connection, source.ident, cell["id"], source.grader):
        if row["question"] not in chosen_on:
            plays.setdefault(row["question"], []).append(_value(source, row))
            came |= row["outcome"] != "failed"
    if not came:
        return None
    values = {question: mean_value(several) for question, several in plays.items()}
    title = title_of(cell, team=not cell["player"])
    return UnlistedOption(title, experiment, cell, values)


def _value(source: Source, row: Mapping[str, Any]) -> Value:
    """By the grader of this plan, who may never have been asked about what another plan played."""
    right, way = source.graded_as(row)
    if right is None and row["stage"] is None and not hangs_on_cut_words(row["verdict"]):
        right, way = source.graded(source.cases[row["question"]], row["answer"])
    return said_value(right, way, source.grades.open_words_of(right, row))
