"""What was asked before, by hand or of a served team: found again by its words, and gone on from.

What `moot ask` is asked is kept where the team's file says; of teams without a store in a log of the user's own, which nobody
else can read, unless the user wants none.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, func, select

from moot.errors import UsageError
from moot.experiment.side_names import seat_of_row, several_teams
from moot.store import schema
from moot.store.rows import captain_of, case_of, config_of
from moot.store.sqlite import SqliteStore
from moot.store.statements import Row
from moot.types import Case, Question, digest

PLACE = "MOOT_LOG"
"""The variable that names the log; `off`: there is none."""
SHORT = 8
"""Characters of an id as it is shown."""
AT_ONCE = 200

Utterance = tuple[str, str]
"""Who said it (`user` or `assistant`), and what."""


def log_file() -> Path | None:
    """$MOOT_LOG, else moot/log.db under $XDG_DATA_HOME, else under ~/.local/share; None: nothing is to be logged."""
    if (named := os.environ.get(PLACE)) is not None:
        if named.casefold() in ("", "off", "no", "0"):
            return None
        try:
            return Path(named).expanduser()
        except RuntimeError as error:
            raise UsageError(f"{PLACE}: {named}: {error}") from None
    shared = os.environ.get("XDG_DATA_HOME")
    return (Path(shared) if shared else Path.home() / ".local" / "share") / "moot" / "log.db"


def log_store(file: Path) -> SqliteStore:
    """For its owner alone. What was asked is nobody else's business."""
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        opened = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            if os.fstat(opened).st_mode & 0o077:  # one that was there already, or was made by another umask
                os.fchmod(opened, 0o600)
        finally:
            os.close(opened)
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}; {PLACE} names another place, or off") from None
    return SqliteStore(file)


@dataclass(frozen=True, slots=True)
class LoggedQuestion:
    """One play of one question, with what else played it at once."""

    id: str
    experiment: str
    """The id of what it was asked in."""
    name: str
    cell: Row
    case: Case
    repeat: int
    asked_at: float
    outcome: str
    answer: str | None
    asked_with: dict[str, Any] | None
    """How it was put by hand; None: of a served team, or of a run."""
    several_teams: bool = False
    """Its file has several, so that it is named with its own."""
    others: tuple[LoggedQuestion, ...] = ()
    """What else played it when it was put to several at once, by `moot ask --all`."""

    @property
    def text(self) -> str:
        """What was asked, without what had been said before."""
        return str(self.case.meta.get("asked", self.case.question.text))

    @property
    def before(self) -> list[Utterance]:
        """What had been said before it."""
        return [(str(role), str(words)) for role, words in self.case.meta.get("before", ())]

    @property
    def talk(self) -> list[Utterance]:
        """The same with this question and its answer: what had been said before one that follows."""
        options = "".join(
            f"\n{letter}: {text}" for letter, text in zip(self.case.question.letters, self.choices, strict=False)
        )
        return [*self.before, ("user", self.text + options), ("assistant", self.answer_words or f"({self.outcome})")]

    @property
    def choices(self) -> tuple[str, ...]:
        return self.case.question.choices

    @property
    def title(self) -> str:
        return str(seat_of_row(self.cell, team=self.several_teams))

    @property
    def answer_words(self) -> str | None:
        """A letter with the choice that it stands for."""
        letters = tuple(self.case.question.letters)
        if self.answer is not None and self.choices and self.answer in letters:
            return f"{self.answer}: {self.choices[letters.index(self.answer)]}"
        return self.answer

    def json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "asked_at": self.asked_at,
            "name": self.name,
            "strategy": self.title,
            "team": self.cell["team"],
            "question": self.text,
            "choices": list(self.choices),
            "before": [list(message) for message in self.before],
            "outcome": self.outcome,
            "answer": self.answer_words,
            **({"others": [other.json() for other in self.others]} if self.others else {}),
        }


def last_by_hand(connection: Connection) -> LoggedQuestion | None:
    """The last that was put by hand: what others ask of a served team is no talk of ours."""
    return next((entry for entry in _every(connection, runs=False) if entry.asked_with is not None), None)


def logged(connection: Connection, words: Sequence[str] = (), *, most: int, runs: bool = False) -> list[LoggedQuestion]:
    """The newest first, of those in whose question or answer all the words stand: an entry a question, however many played
    it at once. `runs`: those of experiments as well."""
    wanted = [word.casefold() for word in words]
    found: list[LoggedQuestion] = []
    for _, together in groupby(_every(connection, runs=runs), key=_asked_at_once):
        if len(found) == most:
            break
        plays = list(together)
        if matching := [play for play in plays if _says(play, wanted)]:
            # A team's word before a player's.
            first = next((play for play in matching if play.cell["player"] is None), matching[0])
            found.append(replace(first, others=tuple(play for play in plays if play is not first)))
    return found


def _asked_at_once(entry: LoggedQuestion) -> tuple[Any, ...]:
    """What plays of one question have in common that somebody put to all strategies of a file."""
    if entry.asked_with is None:
        return (entry.id,)
    return entry.experiment, entry.case.question.digest, entry.repeat


def _says(entry: LoggedQuestion, wanted: Sequence[str]) -> bool:
    said = "\n".join((entry.text, *entry.choices, entry.answer_words or "")).casefold()
    return all(word in said for word in wanted)


def logged_as(connection: Connection, ident: str, *, runs: bool = True) -> LoggedQuestion | None:
    """The one whose id begins so; None: there is none. UsageError where there are several."""
    episodes, members, places = schema.episodes, schema.experiment_cells, schema.experiment_questions
    plays = (
        select(members.c.experiment, episodes.c.cell, episodes.c.question, episodes.c.repeat)
        .join(members, members.c.cell == episodes.c.cell)
        .join(places, (places.c.question == episodes.c.question) & (places.c.experiment == members.c.experiment))
    )
    shown = _shown(connection, runs=runs)
    begin_so = (
        tuple(play) for plan, *play in connection.execute(plays) if plan in shown and _id(*play).startswith(ident)
    )
    several = list(dict.fromkeys(begin_so))
    entries = [entry for play in several[:2] for entry in _every(connection, runs=runs, play=play)]
    if len(entries) > 1:
        raise UsageError(f"{ident!r} is the beginning of several: {', '.join(entry.id for entry in entries)}, ...")
    return entries[0] if entries else None


def times_asked(connection: Connection, question: Question, cells: Sequence[str]) -> int:
    """The first repeat that nobody has played yet: a question that is asked again is another play."""
    episodes = schema.episodes
    this = episodes.c.question == question.digest, episodes.c.cell.in_(list(cells))
    last = connection.execute(select(func.max(episodes.c.repeat)).where(*this)).scalar()
    return 0 if last is None else int(last) + 1


def _every(connection: Connection, *, runs: bool, play: tuple[Any, ...] | None = None) -> Iterator[LoggedQuestion]:
    """Newest first. A cell may be of several plans: each play is told once, of the first that has it."""
    table, members, places = schema.experiments, schema.experiment_cells, schema.experiment_questions
    shown = _shown(connection, runs=runs)
    episodes, cases, cells = schema.episodes, schema.cases, schema.cells
    query = (
        select(
            *(episodes.c.cell, episodes.c.question, episodes.c.repeat, episodes.c.created_at),
            *(episodes.c.outcome, episodes.c.answer, cases.c.content, table.c.id, table.c.name),
            *(cells.c.label, cells.c.player, cells.c.captain, cells.c.strategy, cells.c.cohort, cells.c.team),
            cells.c.traits,
        )
        .join(members, members.c.cell == episodes.c.cell)
        .join(places, (places.c.question == episodes.c.question) & (places.c.experiment == members.c.experiment))
        .join(table, table.c.id == members.c.experiment)
        .join(cases, cases.c.id == places.c.case)
        .join(cells, cells.c.id == episodes.c.cell)
        .order_by(episodes.c.created_at.desc(), episodes.c.cell, episodes.c.repeat, table.c.created_at.desc())
    )
    if play is not None:
        cell, question, repeat = play
        query = query.where(episodes.c.cell == cell, episodes.c.question == question, episodes.c.repeat == repeat)
    told: set[str] = set()
    result = connection.execute(query).mappings()
    while rows := result.fetchmany(AT_ONCE):
        for row in rows:
            ident = _id(row["cell"], row["question"], row["repeat"])
            if row["id"] in shown and ident not in told:
                told.add(ident)
                yield _entry(ident, dict(row), shown[row["id"]])


def _shown(connection: Connection, *, runs: bool) -> dict[str, dict[str, Any]]:
    """By id the configurations of the plans whose plays are told."""
    table = schema.experiments
    kept = connection.execute(select(table.c.id, table.c.config)).mappings()
    configs = {row["id"]: config_of(dict(row)) for row in kept}
    return {ident: config for ident, config in configs.items() if runs or config.get("served")}


def _entry(ident: str, row: Row, config: dict[str, Any]) -> LoggedQuestion:
    return LoggedQuestion(
        ident,
        row["id"],
        row["name"],
        {
            **{key: row[key] for key in ("label", "player", "strategy", "cohort", "team")},
            "captain": captain_of(row),
            "id": row["cell"],
        },
        case_of(row["content"]),
        row["repeat"],
        row["created_at"],
        row["outcome"],
        row["answer"],
        config.get("asked"),
        several_teams((), config.get("teams", ())),
    )


def _id(cell: str, question: str, repeat: int) -> str:
    return digest([cell, question, repeat])[:SHORT]
