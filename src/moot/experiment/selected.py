"""A selection that a file refers to: the team and the accuracies that `moot select --json` wrote down.

With them come the questions that the choice was made on. A team looks better there than it is, so whoever plays it
carries them along, and no claim about it uses them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from moot.data.clusters import clusters_of
from moot.errors import FileError
from moot.experiment.spec import ExperimentFile
from moot.foreign_files import text_of
from moot.foreign_json import read_json
from moot.strategies.option_meanings import meanings_named
from moot.types import Case, Question

RACED = "raced"
"""In the config of a plan: how far each option was played hangs on how it went."""
CHOSEN_ON = "chosen_on"
"""The wordings of questions, where the choice was made on an experiment. Files of before have digests of questions."""
CHOSEN_ON_IDS = "chosen_on_ids"
"""A label matrix knows its questions by their ids alone."""
_BY_ID = "id:"


@dataclass(frozen=True, slots=True)
class ChosenOn:
    """The questions that something was chosen on, by whatever is known of each.

    A mark is a question's wording, by which it is known under any id; or its digest, as moot wrote it before; or its id
    alone, from a label matrix, which has no words.
    """

    marks: frozenset[str] = frozenset()

    def __contains__(self, question: Question) -> bool:
        return self.has(marks_of(question))

    def __bool__(self) -> bool:
        return bool(self.marks)

    def __or__(self, other: ChosenOn) -> ChosenOn:
        return ChosenOn(self.marks | other.marks)

    def has(self, marks: Iterable[str]) -> bool:
        """Whether one of them is that of a question: for whoever asks of many questions more than once."""
        return not self.marks.isdisjoint(marks)

    def among(self, cases: Iterable[Case]) -> ChosenOn:
        """The same, with those among these cases by their wording, and what hangs together with one of them."""
        every = list(cases)
        clusters = clusters_of(enumerate(every))
        seen = {place for place, case in enumerate(every) if case.question in self}
        hang = {clusters[place] for place in seen if place in clusters}
        known = [case for place, case in enumerate(every) if place in seen or clusters.get(place) in hang]
        by_id = {_mark_by_id(case.question.id) for case in known}
        return ChosenOn(self.marks - by_id | {case.question.wording for case in known})

    def ids_beside(self, questions: Iterable[Question]) -> int:
        """How many questions it knows by their ids alone that are none of these: whether they are, under other ids,
        nobody can tell."""
        ids = {mark for mark in self.marks if mark.startswith(_BY_ID)}
        return len(ids.difference(_mark_by_id(question.id) for question in questions)) if ids else 0


NOT_CHOSEN = ChosenOn()
BY_IDS_ALONE = (
    "it was chosen on a label matrix, which knows questions by their ids alone; {:,} of those ids are of no question here,"
    " and whether it is asked one of these questions under another id nobody can tell"
)


def marks_of(question: Question) -> tuple[str, str, str]:
    """All that a question can be known by."""
    return question.wording, question.digest, _mark_by_id(question.id)


def _mark_by_id(ident: str) -> str:
    return f"{_BY_ID}{ident}"


@dataclass(frozen=True, slots=True)
class Selection:
    """What `moot select --json` wrote of one team."""

    team: tuple[str, ...]
    accuracies: Mapping[str, float]
    chosen_on: ChosenOn

    def questions(self, cases: Iterable[Case]) -> ChosenOn:
        """All that it was chosen on: those among these cases by their wording, and with them what hangs together with one
        of them."""
        return self.chosen_on.among(cases)


def read_selection(path: Path) -> Selection:
    """The first team of a file that `moot select --json` wrote."""
    try:
        rows = read_json(text_of(path))
        chosen = rows[0] if isinstance(rows, list) else rows
        accuracies, team = dict(chosen["accuracies"]), tuple(chosen["team"])
        digests, ids = (frozenset(map(str, chosen.get(key) or ())) for key in (CHOSEN_ON, CHOSEN_ON_IDS))
    except OSError as error:
        raise FileError(f"cannot be read: {error.strerror or error}", file=path) from None
    except (ValueError, KeyError, IndexError, TypeError, AttributeError):
        raise FileError("expected what moot select --json writes: a list of teams with accuracies", file=path) from None
    if not digests and not ids:
        problem = f"does not say which questions it was chosen on ({CHOSEN_ON}); write it anew with moot select --json"
        raise FileError(problem, file=path)
    return Selection(team, accuracies, ChosenOn(digests | set(map(_mark_by_id, ids))))


def selection_named(file: ExperimentFile, strategy: str, options: Mapping[str, Any]) -> tuple[str, Selection] | None:
    """The option that names a selection, as it is written, and what is in that file; None where none does."""
    parts = {name: meaning.selection for name, meaning in meanings_named(strategy).items() if meaning.selection}
    for key, value in options.items():
        if parts.get(str(key).replace("-", "_")) == "accuracies" and isinstance(value, str):
            return str(key), read_selection(file.beside(value))
    return None


def with_selection(file: ExperimentFile, strategy: str, options: Mapping[str, Any]) -> Mapping[str, Any]:
    """An option that says so may name a file that `moot select --json` wrote: its accuracies are read from there, and
    the team, where the strategy has an option for it that is not given."""
    named = selection_named(file, strategy, options)
    if named is None:
        return options
    option, selection = named
    given = {str(key).replace("-", "_"): key for key in options}
    meanings = meanings_named(strategy)
    filled: dict[str, Any] = {}
    for name, meaning in meanings.items():
        if meaning.selection is not None:
            filled[given.get(name, name)] = (
                dict(selection.accuracies) if meaning.selection == "accuracies" else list(selection.team)
            )
    return {**filled, **{key: value for key, value in options.items() if key != option}}


def chosen_on(file: ExperimentFile, entry: object, cases: Iterable[Case]) -> ChosenOn:
    """The questions that what a strategy's entry plays was chosen on; none where nothing was chosen."""
    if not isinstance(entry, Mapping) or len(entry) != 1:
        return NOT_CHOSEN
    strategy, options = next(iter(entry.items()))
    named = selection_named(file, str(strategy), options) if isinstance(options, Mapping) else None
    return NOT_CHOSEN if named is None else named[1].questions(cases)


def team_chosen_on(file: ExperimentFile, name: str, cases: Iterable[Case]) -> ChosenOn:
    """The questions that a team of the file was chosen on; none where it names no selection."""
    team = file.spec.teams[name]
    if team.selection is None:
        return NOT_CHOSEN
    selection = read_selection(file.beside(team.selection))
    if set(selection.team) != set(team.players):
        chosen = f"chose {', '.join(selection.team)}"
        raise file.error(("teams", name, "selection"), f"{team.selection} {chosen}, and this team has other players")
    return selection.questions(cases)
