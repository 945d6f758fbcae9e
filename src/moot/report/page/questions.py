"""Every question of a run and all that was said about it, read from the store in one pass.

What the list of questions needs (texts, grades, outcomes, answers) is held by column and is small. What a transcript
needs is written in parts of some dozens of questions, so that a page opens at once and unpacks what is looked at.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import orjson
from sqlalchemy import Connection, select

from moot.experiment.side_names import ClaimError
from moot.measures.cells import Stored, stored_cells
from moot.measures.sides import cells_named, title_of
from moot.report.figures import grader_of
from moot.report.names import options_left, short_names, ways_of
from moot.report.page.pack import Once, packed
from moot.report.page.part import PagePart
from moot.report.page.words import PlayRow, PlayRows, Words, most_repeats_shown
from moot.report.uncollected import uncollected
from moot.store import queries, schema
from moot.store.rows import case_of, config_of
from moot.store.statements import Row
from moot.strategies.natives import SINGLE_CALL
from moot.types import Case

EPISODES_A_PART = 1_500
"""What one part holds: a few hundred kilobytes, unpacked while one blinks."""

MOST_EPISODES = 500_000
"""What the list of a page holds at the most: a browser that is given all of a million takes long to open it. Of a larger run it
has every second question, or every third, and so on; the figures are of all."""

NOT_PLAYED = "."
IN_PART = "h"
_WHOLE = {"1": 1.0, "0": 0.0}
OUTCOMES = {"answered": "a", "undecided": "d", "abstained": "b", "unanswered": "u", "refused": "r", "failed": "f"}

Grade = Callable[[Case, str | None], float | None]


@dataclass(frozen=True, slots=True)
class QuestionData:
    """The questions of one run, as the page wants them."""

    cells: Sequence[Mapping[str, Any]]
    columns: Mapping[str, Any]
    """By column, one entry for each question, or for each question and repeat."""
    parts: Sequence[str]
    """Transcripts, packed."""
    thinned: str | None = None
    """Said where the list does not hold all questions."""


@dataclass(slots=True)
class Columns:
    """What the list shows. A slot is one play of one question: questions × repeats."""

    repeats: int
    cells: int
    keys: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    references: list[str | None] = field(default_factory=list)
    categories: Once = field(default_factory=Once)
    category: list[int] = field(default_factory=list)
    human: list[float | None] = field(default_factory=list)
    diverse: list[int] = field(default_factory=list)
    said: list[list[str]] = field(default_factory=list)
    """The different answers to a question."""
    grades: list[list[str]] = field(default_factory=list)
    """A letter for each slot: `1` right, `0` wrong, `h` in part, `?` not graded, `!` judges differ, `.` not played."""
    scores: list[dict[int, float]] = field(default_factory=list)
    """By slot, where it is right in part: how far."""
    outcomes: list[list[str]] = field(default_factory=list)
    answers: list[list[int]] = field(default_factory=list)
    changes: list[list[str]] = field(default_factory=list)
    """`+`: right where its captain alone was wrong, or the higher score. `-`: wrong where it was right, or the lower one."""
    starts: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        for column in (self.grades, self.outcomes, self.changes):
            column.extend([] for _ in range(self.cells))
        self.answers.extend([] for _ in range(self.cells))
        self.scores.extend({} for _ in range(self.cells))

    def row(self) -> dict[str, Any]:
        joined = {name: ["".join(marks) for marks in getattr(self, name)] for name in ("grades", "outcomes", "changes")}
        plain = ("repeats", "keys", "ids", "texts", "references", "category", "human", "diverse", "said", "answers")
        kept = {name: getattr(self, name) for name in (*plain, "starts")}
        scores = [{str(slot): value for slot, value in own.items()} for own in self.scores]
        return {**kept, **joined, "scores": scores, "categories": list(self.categories)}


def read_questions(
    connection: Connection,
    experiment: Row,
    grade: Grade | None = None,
    hiding: Callable[[Any], Any] | None = None,
    about: str | None = None,
) -> QuestionData:
    """`grade` values a captain's draft where that captain was never played alone. `hiding`: what others are not to read is taken
    out of all that is told here. `about`: what the verdict is about, by its name."""
    config = config_of(experiment)
    cells = stored_cells(queries.cells_of(connection, experiment["id"]))
    every = _places(connection, experiment["id"])
    step = max(1, math.ceil(len(every) * len(cells) * most_repeats_shown(connection, cells) / MOST_EPISODES))
    places = [placed_question(*row) for row in every[::step]]
    words = Words(
        connection, experiment, cells, [place.case_id for place in places], grader_of(config), whole=step == 1
    )
    columns = Columns(words.repeats, len(cells))
    seats = [
        Seat(
            cell["id"],
            cell["player"],
            cell["captain"],
            cell["traits"].drafts,
            cell["traits"].captain == "leads",
        )
        for cell in cells
    ]
    reader = _QuestionReader(words, seats, columns, grade)
    size = max(1, EPISODES_A_PART // max(1, len(cells) * words.repeats))
    packing = []
    with closing(words), uncollected(), ThreadPoolExecutor(1) as pool:  # compression lets go of the interpreter
        for start in range(0, len(places), size):
            columns.starts.append(len(columns.ids))
            part = reader.part(places[start : start + size])
            packing.append(pool.submit(packed, part if hiding is None else hiding(part)))
    parts = [future.result() for future in packing]
    named, listed = named_cells(cells, opened_first(cells, config.get("primary"), about)), columns.row()
    if hiding is not None:
        named, listed = hiding(named), hiding(listed)
    return QuestionData(named, listed, parts, _thinned(len(places), len(every)) if step > 1 else None)


def _thinned(listed: int, asked: int) -> str:
    return f"The list below holds {listed:,} of the {asked:,} questions, evenly spread over the file; all figures are of all."


def opened_first(cells: Sequence[Stored], *names: str | None) -> Collection[str]:
    """The ids of the cells on which a transcript opens: those of the first of these names that is one of somebody here."""
    for name in names:
        try:
            if name:
                return {cell["id"] for cell in cells_named(name, cells)}
        except ClaimError:  # of another plan under this name
            continue
    return ()


def named_cells(cells: Sequence[Stored], first: Collection[str] = ()) -> list[dict[str, Any]]:
    """Cells as people call them, in the short names of the rest of the page.

    `key` is the whole title: links keep it, and by it the cells of two runs are the same. `full` is the whole label
    where the short one leaves something out; `options` are those that the short one still has. `drafts`: what each said
    was said alone, and not where a talk left it. `first`: ids of those on which a transcript opens.
    """
    ways = ways_of(cells, "given")
    short, left = short_names(ways), options_left(ways)
    titles = Counter(title_of(cell) for cell in cells)
    rows = []
    for cell in cells:
        shortly = Stored(**{**cell, "label": short[cell["label"]]})
        several = titles[title_of(cell)] > 1  # teams that play the same
        key, title = title_of(cell, team=several), title_of(shortly, team=several)
        named: dict[str, Any] = {
            "strategy": shortly["strategy"],
            "label": shortly["label"],
            "team": shortly["team"],
            "cohort": shortly["cohort"],
            "captain": shortly["captain"],
            "player": shortly["player"],
        }
        full = cell["label"] if shortly["label"] != cell["label"] else None
        drafts = cell["traits"].drafts is not None
        names = {"key": key, "title": title, "full": full, "options": left[cell["label"]]}
        rows.append({**named, "drafts": drafts, **names, "first": cell["id"] in first})
    return rows


@dataclass(frozen=True, slots=True)
class Seat:
    """Of a cell, what every question asks for."""

    id: str
    player: str | None
    captain: str | None
    drafts: str | None
    """The way in which players answer alone there, where its answers are what they said so and its groups are of these."""
    leads: bool
    """Its captain gives the team's word, so that there is somebody whom the team has helped or led astray."""

    def alone(self, player: str) -> tuple[str, str]:
        """A player in the way in which it answers alone here."""
        return player, self.drafts or SINGLE_CALL


@dataclass(frozen=True, slots=True)
class PlacedQuestion:
    question: str
    case_id: str
    case: Case


def _places(connection: Connection, ident: str) -> Sequence[Sequence[str]]:
    """Question, case, and what the case is, in the order of the file."""
    places, cases = schema.experiment_questions, schema.cases
    query = select(places.c.question, places.c.case, cases.c.content).join(cases, cases.c.id == places.c.case)
    return connection.execute(query.where(places.c.experiment == ident).order_by(places.c.position)).all()


def placed_question(question: str, case: str, content: str) -> PlacedQuestion:
    return PlacedQuestion(question, case, case_of(content))


@dataclass(frozen=True, slots=True)
class _QuestionReader:
    words: Words
    seats: Sequence[Seat]
    columns: Columns
    grade: Grade | None

    def part(self, places: Sequence[PlacedQuestion]) -> dict[str, Any]:
        numbers = {seat.id: number for number, seat in enumerate(self.seats)}
        episodes = self.words.episodes([place.question for place in places])
        part = PagePart([place.case.question.text for place in places])
        for number, place in enumerate(places):
            part.add_case(place.case)
            plays = self.words.marked(episodes.get(place.question, ()), place.case_id)
            self._add_columns(place, plays)
            for cell, repeat in product(numbers, range(self.columns.repeats)):
                if play := plays.get((cell, repeat)):
                    part.add_episode(number, numbers[cell], repeat, play)
        part.add_calls(self.words.calls(part.keys()))
        return part.row()

    def _lines(self) -> Iterator[tuple[Seat, list[str], list[str], list[int], dict[int, float]]]:
        """Each cell and what the list shows of it."""
        columns = self.columns
        return zip(self.seats, columns.grades, columns.outcomes, columns.answers, columns.scores, strict=True)

    def _add_columns(self, place: PlacedQuestion, plays: PlayRows) -> None:
        columns, case = self.columns, place.case
        columns.keys.append(place.question[:12])
        columns.ids.append(case.question.id)
        columns.texts.append(case.question.text)
        columns.references.append(case.answer)
        group = case.category or case.package
        columns.category.append(-1 if group is None else columns.categories[group])
        columns.human.append(round(case.human.rate, 4) if case.human else None)
        distinct_answers: Once = Once()
        different = 0
        for repeat in range(columns.repeats):
            rights: dict[tuple[str, str], float | None] = {}
            drafts: dict[tuple[str, str], str | None] = {}
            for seat, grades, outcomes, answers, scores in self._lines():
                play = plays.get((seat.id, repeat))
                if play is None:
                    grades.append(NOT_PLAYED)
                    outcomes.append(NOT_PLAYED)
                    answers.append(-1)
                    continue
                if (mark := _mark(play)) == IN_PART:
                    scores[len(grades)] = play[5]
                grades.append(mark)
                outcomes.append(OUTCOMES.get(play[0], "?"))
                answers.append(-1 if play[1] is None else distinct_answers[play[1]])
                if seat.player:
                    rights[seat.alone(seat.player)] = 0.0 if play[1] is None else play[5]
                    drafts.setdefault(seat.alone(seat.player), play[1])
            groups = self._alone(case, plays, repeat, rights, drafts)
            different = max(different, groups)
            for (seat, grades, outcomes, _, scores), changes in zip(self._lines(), columns.changes, strict=True):
                # Who gives no answer because it is not sure enough has neither rescued nor spoilt anything.
                led = seat.captain if seat.leads and outcomes[-1] != OUTCOMES["abstained"] else None
                after = _WHOLE.get(grades[-1], scores.get(len(grades) - 1))
                changes.append(_change(after, rights.get(seat.alone(led))) if led else " ")
        columns.said.append(list(distinct_answers))
        columns.diverse.append(different)

    def _alone(
        self,
        case: Case,
        plays: PlayRows,
        repeat: int,
        rights: dict[tuple[str, str], float | None],
        drafts: dict[tuple[str, str], str | None],
    ) -> int:
        """What captains were worth alone goes to `rights`; how many different answers the players began with."""
        noted = 0
        for seat in self.seats:
            if seat.player is not None or (play := plays.get((seat.id, repeat))) is None:
                continue
            captain = None if seat.captain is None else seat.alone(seat.captain)
            missing = captain is not None and captain not in rights
            if noted and not missing:
                continue
            verdict = orjson.loads(play[2])
            noted = noted or (_groups(verdict) if seat.drafts else 0)
            for player, text, *_ in verdict.get("answers", ()):
                drafts.setdefault(seat.alone(player), text)
            if captain is not None and missing and self.grade is not None and captain in drafts:
                rights[captain] = self.grade(case, drafts[captain])
        return noted or max((_different(drafts, way) for way in {way for _, way in drafts}), default=0)


def _different(drafts: Mapping[tuple[str, str], str | None], way: str) -> int:
    """How many different answers the players gave who were asked in this way."""
    return len({text.strip().casefold() for (_, of), text in drafts.items() if of == way and text is not None})


def _groups(verdict: Mapping[str, Any]) -> int:
    """How many different answers were found among the drafts, where the strategy has grouped them."""
    return next((len(record["groups"]) for record in verdict.get("traces", ()) if record["kind"] == "grouped"), 0)


def _mark(play: PlayRow) -> str:
    """One letter for a grade; see `columns.grades`."""
    value, stage = play[5], play[6]
    if value is None:
        # Without an answer there is nothing to grade, and nothing right.
        return "0" if play[1] is None else "!" if stage == "disputed" else "?"
    return "1" if value == 1 else "0" if value == 0 else IN_PART


def _change(after: float | None, alone: float | None) -> str:
    if alone is None or after is None or math.isclose(after, alone, abs_tol=1e-9):
        return " "
    return "+" if after > alone else "-"
