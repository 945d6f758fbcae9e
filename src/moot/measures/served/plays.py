"""Every time that a served team was asked within some time, with what hangs on it; and the plays of a run, to compare with.

What was asked under a name belongs together, whichever version of the file it was asked of. A question that is asked twice
is two plays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import orjson
from sqlalchemy import Connection

from moot.decide.abstaining import AnswerChance
from moot.grade.group import GROUPING
from moot.live.beside_episodes import episode_name
from moot.measures.askings import Askings, unusual_finishes
from moot.measures.cells import Row, Stored
from moot.measures.episodes import call_keys
from moot.measures.served.agreement import agreement, why_no_agreement
from moot.measures.served.earlier_words import EarlierWords
from moot.measures.simulated_models import simulated_models
from moot.measures.source import Source
from moot.stats.departure import Ranged
from moot.store.rows import verdict_of
from moot.store.served_plays import asked_before, plays_since
from moot.team.team import LATE
from moot.traces import Unpriced, of_kind
from moot.types import WITH_ANSWER

CellName = tuple[str | None, ...]
"""By what a cell is called: versions of a file call the same so."""


@dataclass(frozen=True, slots=True)
class LivePlay:
    """One question as it was asked and answered."""

    cell: Stored
    question: str
    at: float
    seconds: float
    outcome: str
    right: float | None
    """None: nobody has said whether it is right, or it may not be counted."""
    agreed: Ranged | None
    why_not: str | None
    """Why there can be no agreement."""
    sure: float | None
    """How sure it said it was."""
    calls: tuple[str, ...]
    """Those that were made for it."""
    waits: bool = False
    """It has no grade although there is something to go by: `moot grade` can give it one. That somebody has called another
    answer right or wrong is nothing of the kind."""
    episode: str = ""
    """What it is called by who asked."""
    answer: str | None = None
    wording: str = ""
    """What was asked, whoever asked it."""
    long: bool = False
    contradicted: bool = False
    """It was called right and wrong, and is counted by the last word."""
    unpriced: bool = False
    """A call of it went out at nobody knows what price, and brought no reply."""

    @property
    def named(self) -> CellName:
        return name_of(self.cell)


@dataclass(slots=True)
class LiveTraffic:
    """All that was asked within some time."""

    plays: list[LivePlay] = field(default_factory=list)
    plans: int = 0
    """Of how many versions of the file."""
    before: int = 0
    """Asked earlier, and left out."""
    taught: int = 0
    """Graded plays on questions that the one who answered was chosen or taught on."""
    askings: Askings = field(default_factory=Askings)
    late: Counter[str] = field(default_factory=Counter)
    """By player: in how many plays a round went on without it."""
    simulated: list[str] = field(default_factory=list)
    seed: int = 0
    cells: list[Stored] = field(default_factory=list)
    """All that could be asked, in any version of the file."""


def name_of(cell: Stored) -> CellName:
    return tuple(cell[key] for key in ("strategy", "label", "team", "captain", "player", "cohort"))


def read_traffic(connection: Connection, plans: Sequence[Row], since: float | None) -> LiveTraffic:
    """In the order in which it was asked. `since`: as seconds of the clock; None: all."""
    traffic = LiveTraffic(before=asked_before(connection, [plan["id"] for plan in plans], since))
    traffic.askings.finished, traffic.askings.never_made = unusual_finishes(connection)
    known: set[tuple[str, str, int]] = set()
    for plan in plans:
        source = Source(connection, plan)
        words = EarlierWords(source)
        found = [play for cell in source.cells for play in _plays(source, words, cell, since, traffic, known)]
        if found:
            traffic.plans += 1
            traffic.seed = source.seed
            traffic.simulated += [name for name in simulated_models(source) if name not in traffic.simulated]
        traffic.plays += found
        traffic.cells += source.cells
    traffic.plays.sort(key=lambda play: (play.at, play.question, play.cell["id"]))
    return traffic


def _plays(
    source: Source,
    words: EarlierWords,
    cell: Stored,
    since: float | None,
    traffic: LiveTraffic,
    known: set[tuple[str, str, int]],
) -> list[LivePlay]:
    """`known`: what another version of the file, with the same cell, has told already."""
    found = []
    taught_on = source.chosen_on(cell)
    grouping = (source.config.get("grouping") or {}).get("model")
    traffic.askings.officers = {GROUPING: grouping} if grouping else {}
    players = [player["name"] for player in orjson.loads(cell["spec"])["players"]]
    for row in plays_since(source.connection, source.ident, cell["id"], source.grader, since):
        place = cell["id"], row["question"], row["repeat"]
        if place in known:
            continue
        known.add(place)
        case, verdict = source.cases[row["question"]], verdict_of(row["verdict"])
        question = case.question
        steps = orjson.loads(row["transcript"])
        if cell["player"] is not None:
            traffic.askings.alone([cell["player"]], [row["question"]], [row["outcome"]], [steps])
        else:
            offices = cell["traits"].offices
            traffic.askings.together(players, row["question"], steps, verdict.traces, offices)
        traffic.late.update({step[0] for step in steps if step[4] == LATE})
        right = source.graded_as(row)[0] if row["outcome"] in WITH_ANSWER else None
        answered = verdict.answer is not None
        ungraded = answered and right is None
        if right is not None and row["question"] in taught_on:
            traffic.taught += 1
            right = None
        found.append(
            LivePlay(
                cell,
                row["question"],
                row["created_at"],
                row["seconds"],
                row["outcome"],
                right,
                agreement(question, cell, verdict),
                why_no_agreement(question, cell),
                AnswerChance.of(verdict).value if answered else None,
                call_keys(steps, traffic.askings.never_made),
                ungraded and (case.known or bool(case.rubric)),
                episode_name(row["question"], row["repeat"]),
                verdict.answer,
                question.wording,
                question.is_long,
                right is not None and words.contradict(row["question"], verdict.answer or "", right),
                bool(of_kind(verdict.traces, Unpriced)),
            )
        )
    return found


@dataclass(frozen=True, slots=True)
class MeasuredPlay:
    """One play of a run, as far as a served one can be held against it."""

    question: str
    right: float | None
    agreed: Ranged | None
    sure: float | None


def measured_plays(source: Source, cell: Stored) -> list[MeasuredPlay]:
    """Those that gave an answer: of a served team nobody can tell right or wrong where there is none."""
    return [
        MeasuredPlay(
            episode.question,
            episode.right,
            agreement(episode.case.question, cell, episode.verdict),
            AnswerChance.of(episode.verdict).value,
        )
        for episode in source.episodes(cell)
        if episode.answer is not None
    ]
