"""What was recorded, as a report exports it: plain rows, one list a table."""

from __future__ import annotations

import hashlib
import json
import math
import sqlite3
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import polars

from second_way.hanging import remember
from second_way.ranked import DEALT_AS, DIGESTS
from second_way.shares import Failed, Grade, KeptBack, NeverCame, Ungraded, grade_of, graded

Row = Mapping[str, Any]


def same_words(question: Mapping[str, Any]) -> str:
    """A question without its id: words between single spaces, letters composed, choices in no order."""
    said = [
        question["text"],
        *sorted(_words(choice) for choice in question.get("choices", ())),
        question.get("context"),
    ]
    text, *choices, context = (_words(each or "") for each in said)
    return _short_hash([text, choices, context])


def under_its_id(question: Mapping[str, Any]) -> str:
    """As files of before name it."""
    return _short_hash(
        [
            question["id"],
            question["text"],
            list(question.get("choices", ())),
            question.get("context"),
            question.get("language") or "en",
            question.get("kind") or ("choice" if question.get("choices") else "open"),
        ]
    )


def _words(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


def _short_hash(value: list[Any]) -> str:
    written = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(written.encode()).hexdigest()[:32]


def choices_apart(question: Mapping[str, Any]) -> str:
    """Under its id, its choices in the order of their letters."""
    return under_its_id({**question, "choices": sorted(question.get("choices", ()))})


@dataclass(frozen=True)
class Cell:
    """Who played what."""

    id: str
    strategy: str
    label: str
    team: str | None
    captain: str | None
    player: str | None
    cohort: str | None
    options: Mapping[str, Any]
    """All options, those left at their defaults included."""
    given: Mapping[str, Any]
    traits: Mapping[str, Any]
    spec: Mapping[str, Any]


@dataclass(frozen=True)
class Episode:
    """One play of one question."""

    cell: str
    question: str
    repeat: int
    outcome: str
    answer: str | None
    value: float | None
    """What the report's grader says; None: ungraded."""
    stage: str | None
    seconds: float
    verdict: Mapping[str, Any]
    calls: tuple[str, ...]
    traces: tuple[Mapping[str, Any], ...]
    asked: tuple[tuple[str, int, str], ...] = ()
    """Who, in which turn, by which call, as far as it was answered."""
    turns: frozenset[tuple[str, int]] = frozenset()
    """Who, in which turn, whether or not it was answered."""
    waits: bool = False
    """Whether an answer to its question that is ungraded waits for the judge."""
    never_came: bool = False
    """Whether every play of its cell failed."""
    unreached: frozenset[str] = frozenset()
    """Whose calls failed in it, or in too much of what it was learnt from; or to whom a recording has no reply."""
    unrecorded: frozenset[str] = frozenset()
    """The last of these."""
    lacks_calls: bool = False
    """Whether a recording has no reply to a call of it."""
    opened: bool = False
    """Whether it may come to anything, since it will be played again."""

    @property
    def right(self) -> Grade:
        """No answer is not right, and is in no figure where nobody knows what would be; an answer that nobody has graded is
        unknown."""
        if self.opened:
            return None
        if self.answer is None:
            ends = {"abstained": KeptBack, "failed": NeverCame if self.never_came else Failed}
            nothing = ends.get(self.outcome, float)(0.0)
            silent = Ungraded.BROKEN if self.outcome == "failed" else Ungraded.SILENT
            return nothing if self.waits else silent
        return grade_of(self.value, self.stage, waits=self.waits)


def unreached_in(steps: Sequence[Sequence[Any]]) -> frozenset[str]:
    """Whose calls have an error and no reply, but for those that nobody waited for."""
    return frozenset(step[0] for step in steps if not step[3] and step[4] and not step[4].startswith("late:"))


def taught_without(traces: Sequence[Mapping[str, Any]]) -> frozenset[str]:
    """Who was missing in more than one in twenty of the questions that taught how to decide this one."""
    lessons = [record for record in traces if record["kind"] == "decided-from"]
    many = [record for record in lessons if 20 * record.get("missed", 0) > record["questions"]]
    return frozenset(name for record in many for name in record["unreached"])


def _booked_usd(folder: Path, experiment: str) -> tuple[float | None, int]:
    """At the most, of those of which that is known; and of how many it is not."""
    total, unknown = 0.0, 0
    for store in folder.glob("*.db"):
        with closing(sqlite3.connect(store)) as books:
            for table in ("losses", "reservations"):
                rows = books.execute(f"SELECT usd FROM {table} WHERE experiment = ?", (experiment,))
                total = math.fsum([total, *(usd for (usd,) in rows)])
            lost = books.execute("SELECT calls FROM unpriced_losses WHERE experiment = ?", (experiment,))
            unknown += sum(calls for (calls,) in lost)
    return total, unknown


@dataclass(frozen=True)
class Raw:
    """All tables of one experiment."""

    tables: Mapping[str, Sequence[Row]]
    config: Mapping[str, Any]
    """The experiment file, as it was written."""
    cells: Sequence[Cell] = field(default=())
    losses: tuple[float, int] = (0.0, 0)
    """What may be on the bill without a call: it is in no table of a report, so it is read from the books."""
    beside: Sequence[Raw] = ()
    """What else is in its store, as it was reported then: the oldest first."""
    again: bool = False
    """Whether plays without somebody are open, like answers that wait for a grade."""

    @classmethod
    def read(cls, folder: Path, config: Mapping[str, Any], beside: Sequence[Raw] = ()) -> Raw:
        """From the files that ``moot report --format parquet -o FOLDER`` wrote."""
        names = (
            "episodes",
            "calls",
            "scores",
            "traces",
            "verdicts",
            "drafts",
            "cells",
            "questions",
            "judgements",
            "settlements",
            "choices",
            "preferences",
        )
        tables = {name: polars.read_parquet(folder / f"{name}.parquet").to_dicts() for name in names}
        if beside:
            tables = _of_the_file(tables, config)
        DIGESTS.update({row["question_id"]: row["question"] for row in tables["questions"]})
        DEALT_AS.update(
            {row["question_id"]: choices_apart(json.loads(row["content"])["question"]) for row in tables["questions"]}
        )
        named = [row for row in tables["questions"] if row["cluster"] is not None]
        remember(
            {row["question_id"]: f"{row['question_set'] or ''}/{row['cluster']}" for row in named},
            {row["question_id"]: same_words(json.loads(row["content"])["question"]) for row in tables["questions"]},
        )
        booked = _booked_usd(folder.parent, config["name"])
        return cls(tables, config, [_cell(row) for row in tables["cells"]], booked, beside)

    @property
    def size(self) -> int:
        return len(self.tables["questions"])

    @property
    def seed(self) -> int:
        return int(self.config.get("seed", 0))

    @property
    def repeats(self) -> int:
        return int(self.config.get("repeats", 1))

    @cached_property
    def questions(self) -> dict[str, Row]:
        """By id, in the order of the file: what is asked and what is right."""
        return {
            row["question_id"]: {**json.loads(row["content"]), "set": row["question_set"], "cluster": row["cluster"]}
            for row in self.tables["questions"]
        }

    @cached_property
    def chosen_on(self) -> dict[str, set[str]]:
        """By cell: the questions that it was chosen on, on which nothing may be said of it."""
        chosen: dict[str, set[str]] = {cell.id: set() for cell in self.cells}
        named: dict[str, list[str]] = {}
        for ident, content in self.questions.items():
            asked = content["question"]
            for name in (same_words(asked), under_its_id(asked), f"id:{ident}"):
                named.setdefault(name, []).append(ident)
        for row in self.tables["choices"]:
            chosen[row["cell"]].update(named.get(row["question"], ()))
        return chosen

    @cached_property
    def ids_beside(self) -> dict[str, int]:
        """By cell: how many questions it was chosen on that have a name alone, and none that is asked here."""
        marks = [(row["cell"], row["question"].partition(":")) for row in self.tables["choices"]]
        beside = {(cell, ident) for cell, (form, _, ident) in marks if form == "id" and ident not in self.questions}
        return Counter(cell for cell, _ in beside)

    def waits(self, question: str) -> bool:
        """Whether somebody has said what is right: in a reference, or of any answer to it."""
        return question in self._spoken_of or bool(self.questions[question].get("known", True))

    @cached_property
    def _spoken_of(self) -> set[str]:
        return {row["question_id"] for row in self.tables["settlements"]}

    @cached_property
    def calls(self) -> dict[str, Row]:
        """Also those that another experiment has paid."""
        return {row["key"]: row for plan in (*self.beside, self) for row in plan.tables["calls"]}

    @cached_property
    def never_made(self) -> set[str]:
        """A recording has no reply to them, so that nobody made them."""
        return {key for key, row in self.calls.items() if row["finish"] == "unrecorded"}

    @cached_property
    def _by_cell(self) -> dict[str, list[Episode]]:
        played = self._as_played
        return {cell: list(map(_open, several)) for cell, several in played.items()} if self.again else played

    @cached_property
    def missing(self) -> set[tuple[str, int, str]]:
        """By question and repeat: who will be asked again; nobody, where all is taken as it was played."""
        plays = [play for several in self._as_played.values() for play in several] if self.again else []
        return {(play.question, play.repeat, name) for play in plays for name in play.unreached}

    @cached_property
    def without_reply(self) -> set[tuple[str, int, str]]:
        """By question and the repeat of the drafts: to whom a recording has no reply."""
        cells = {cell.id: cell for cell in self.cells}
        found = set()
        for own in self._as_played.values():
            for play in own:
                repeat = play.repeat // int(cells[play.cell].traits.get("repeats", 1))
                found |= {(play.question, repeat, name) for name in play.unrecorded}
        return found

    def unrecorded(self, steps: list[list[Any]]) -> frozenset[str]:
        """Whose call never took place, unless it was only to ask again for what a recording's reply did not say."""
        places = [(who, stage, turn) for who, stage, turn, *_ in steps]
        return frozenset(
            step[0]
            for n, (step, place) in enumerate(zip(steps, places, strict=True))
            if step[3] in self.never_made and places.index(place) == n
        )

    @cached_property
    def _as_played(self) -> dict[str, list[Episode]]:
        values = {(row["cell"], row["question_id"], row["repeat"]): row for row in self.tables["episodes"]}
        order = {question: place for place, question in enumerate(self.questions)}
        episodes: dict[str, list[Episode]] = {cell.id: [] for cell in self.cells}
        for row in self.tables["verdicts"]:
            place = (row["cell"], row["question_id"], row["repeat"])
            if row["question_id"] in self.chosen_on[row["cell"]]:
                continue
            graded, verdict = values[place], json.loads(row["verdict"])
            steps = json.loads(row["transcript"])
            asked = [(who, turn, key) for who, _, turn, key, *_ in steps if key]
            episodes[row["cell"]].append(
                Episode(
                    *place,
                    outcome=row["outcome"],
                    answer=row["answer"],
                    value=graded["value"],
                    stage=graded["stage"],
                    seconds=row["seconds"],
                    verdict=verdict,
                    calls=tuple(dict.fromkeys(key for _, _, key in asked if key not in self.never_made)),
                    lacks_calls=bool(self.unrecorded(steps)),
                    unrecorded=self.unrecorded(steps),
                    asked=tuple(asked),
                    traces=tuple(verdict.get("traces", ())),
                    waits=self.waits(row["question_id"]),
                    turns=frozenset((who, turn) for who, _, turn, *_ in steps),
                    unreached=unreached_in(steps) | taught_without(verdict.get("traces", ())) | self.unrecorded(steps),
                )
            )
        for several in episodes.values():
            several.sort(key=lambda episode: (order[episode.question], episode.repeat))
            if {episode.outcome for episode in several} == {"failed"}:
                several[:] = [replace(episode, never_came=True) for episode in several]
        return episodes

    @cached_property
    def draft_grades(self) -> dict[tuple[str, str | None], Grade]:
        """By question and text: of what players said alone, in play."""
        return {
            (row["question_id"], row["text"]): self.nothing(row["question_id"])
            if row["text"] is None
            else grade_of(row["value"], row["stage"], waits=self.waits(row["question_id"]))
            for row in self.tables["drafts"]
        }

    def nothing(self, question: str, *, failed: bool = False) -> Grade:
        """What nothing said is worth."""
        if not self.waits(question):
            return Ungraded.BROKEN if failed else Ungraded.SILENT
        return (Failed if failed else float)(0.0)

    def episodes(self, cell: Cell) -> list[Episode]:
        """In the order of the questions, then of the repeats."""
        return self._by_cell[cell.id]


def _open(play: Episode) -> Episode:
    """What nobody can ever grade stays so."""
    if not play.unreached:
        return play
    # The calls that it will make then are missing still.
    whole = replace(play, unreached=frozenset(), unrecorded=frozenset(), never_came=False, lacks_calls=True)
    return replace(whole, opened=True, answer=None) if graded(play.right) or play.waits else whole


def _of_the_file(tables: Mapping[str, list[Row]], config: Mapping[str, Any]) -> dict[str, list[Row]]:
    """Of all that was ever played under a name, what strategies without options have played that the file still has."""
    kept = {row["cell"] for row in tables["cells"] if row["label"] in config["strategies"]}
    left = {name: [row for row in rows if row.get("cell", "") in {"", *kept}] for name, rows in tables.items()}
    return {**left, "questions": [*{row["question_id"]: row for row in left["questions"]}.values()]}


def _cell(row: Row) -> Cell:
    options = json.loads(row["options"] or "{}")
    given, default = options.get("given", {}), options.get("default", {})
    return Cell(
        row["cell"],
        *(row[key] for key in ("strategy", "label", "team", "captain", "player", "cohort")),
        options={**default, **given},
        given=given,
        traits=json.loads(row["traits"] or "{}"),
        spec=json.loads(row["spec"]),
    )
