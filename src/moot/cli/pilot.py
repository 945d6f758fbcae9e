"""`moot plan --from`: how many questions a larger run needs, by what a pilot has shown."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text
from sqlalchemy import Connection

from moot.cli.console import Console
from moot.cli.interrupts import ends_on_ctrl_c
from moot.cli.plan import (
    FilePlan,
    Planned,
    PlannedFrom,
    before_words,
    corrected_words,
    file_plan,
    planned_row,
    planned_words,
    print_plan,
)
from moot.cli.report import open_existing, tell_whose
from moot.cli.safe_text import print_json
from moot.data.clusters import dealing_names
from moot.errors import UsageError
from moot.measures.claims.pilot import Pilot, pilot_of
from moot.measures.numbers import bounds, interval, money, percent, points
from moot.measures.section import Column
from moot.measures.source import Source
from moot.report.section_terminal import cell
from moot.report.uncollected import uncollected
from moot.report.wanted_plan import FoundPlan
from moot.stats.bounded_power import PlannedUnits
from moot.stats.clusters import clustered
from moot.stats.counted_words import count
from moot.stats.paired import FEW_QUESTIONS
from moot.stats.power import most_discordance
from moot.stats.written_numbers import of_hundred
from moot.store.examined import opened_to_read

GAINS = (0.01, 0.02, 0.03, 0.05, 0.1)
"""What is shown where nobody says which gain would matter."""


@dataclass(frozen=True, slots=True)
class PilotPlan:
    """What is asked for, and where the rest is read from."""

    path: Path
    store: str | None
    gain: float | None
    power: float
    alpha: float
    units: PlannedUnits
    told: PlannedFrom


def pilot_command(asked: PilotPlan, given: Mapping[str, float | None], *, as_json: bool) -> int:
    """`given`: options of which the pilot says more."""
    if twice := [name for name, value in given.items() if value is not None]:
        raise UsageError(f"{', '.join(twice)}: --from reads it from what was played; expected one of the two")
    with Console(stderr=True).status("reading what was played ...") as shown:
        pilot = asyncio.run(_read(asked))
        shown.update("counting the questions that it takes ...")
        gains = GAINS if asked.gain is None else (asked.gain,)
        file = file_plan(asked.told)
        planned = [
            _planned(asked, pilot, file, gain) for gain in gains if asked.gain is not None or _possible(pilot, gain)
        ]
    rows = [gain.row for gain in planned]
    if not rows:
        raise UsageError(
            f"--gain: expected; {pilot.single} leaves no room for a usual one at {percent(pilot.accuracy)}"
        )
    if as_json:
        print_json({**(rows[0] if asked.gain is not None else {"gains": rows}), "pilot": pilot.row()})
        return 0
    if asked.gain is None:
        _print_table(pilot, rows, planned[0].corrected)
    else:
        print_plan(rows[0], [*_pilot_words(pilot, rows), *rows[0]["words"], *_own_words(pilot, rows[0])])
    return 0


async def _read(asked: PilotPlan) -> Pilot:
    store, wanted = open_existing(asked.path, asked.store)

    def read(connection: Connection) -> tuple[FoundPlan, Pilot]:
        found = wanted.found(connection)
        with uncollected():
            source = Source(connection, found.plan)
            with clustered(source.clusters, dealing_names(source.cases.items())):
                return found, pilot_of(source)

    async with opened_to_read(store):
        with ends_on_ctrl_c():
            found, pilot = await store.read(read)
    tell_whose(found)
    return pilot


def _possible(pilot: Pilot, gain: float) -> bool:
    return pilot.accuracy + gain <= 1


@dataclass(frozen=True, slots=True)
class _PlannedGain:
    row: dict[str, Any]
    corrected: list[str]
    """What its number is corrected for, in words."""


def _planned(asked: PilotPlan, pilot: Pilot, file: FilePlan | None, gain: float) -> _PlannedGain:
    """For the unfavourable end of how often the two differ, and beside it for what the pilot itself had."""
    planned = Planned(pilot.accuracy, gain, _share(pilot, gain, worst=True), asked.power, asked.alpha, asked.units)
    chosen, row = planned_row(planned, asked.told, file)
    own = chosen.counted(_share(pilot, gain, worst=False))
    price = pilot.usd_per_question
    told = {
        **row,
        "usd": None if price is None or row["questions"] is None else price * row["questions"],
        "at_pilot": {"discordance": _share(pilot, gain, worst=False), **own},
        "words": planned_words(row, chosen),
    }
    return _PlannedGain(told, corrected_words(row, chosen))


def _share(pilot: Pilot, gain: float, *, worst: bool) -> float:
    """No less than the gain needs, and no more than is possible beside it."""
    share = pilot.most_discordance if worst else pilot.discordance.value
    return min(max(share, abs(gain)), most_discordance(pilot.accuracy, gain))


def _pilot_words(pilot: Pilot, rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """`rows`: what is planned by it; a gain near to 100 % leaves less room to differ."""
    share = pilot.discordance
    best = f"{pilot.single}, the best alone with {percent(pilot.accuracy)}"
    beside = f"{pilot.of} beside {best}; they differed"
    if pilot.against != pilot.single:
        other = f"{pilot.against}, which may in truth be as good"
        beside = f"{pilot.of} beside {best}, and {other}; from {pilot.against} it differed"
    less = any(row["discordance"] < pilot.most_discordance - 1e-9 for row in rows)
    nearest = ", or the nearest to it that a gain allows" if less else ""
    sentences = [
        f"The pilot {pilot.experiment}, {count(share.n, 'question')}: {beside} on {percent(share.value)}"
        f" {bounds(share.low, share.high, 'points')}; planned for {percent(pilot.most_discordance)}, the unfavourable end"
        f"{nearest}.",
        f"{_found_words(pilot.found)} Plan for the least gain that would matter to you (--gain).",
    ]
    if (share.clusters or share.n) < FEW_QUESTIONS:
        sentences.append(f"A pilot of fewer than {FEW_QUESTIONS} questions knows little of what is typical of others.")
    return sentences


def _found_words(found: Mapping[str, Any]) -> str:
    if found["difference"] is None:
        return f"What it found cannot be told: {found['why']}."
    told = f"It found {points(found['difference'])} points {interval(found)}."
    return f"{told} That is no size to plan for: small runs that find much were lucky as well."


def _own_words(pilot: Pilot, row: Mapping[str, Any]) -> list[str]:
    own = row["at_pilot"]
    many = "more than 2,000,000" if own["questions"] is None else f"{own['questions']:,}"
    as_there = abs(own["discordance"] - pilot.discordance.value) < 1e-9
    why = "as in the pilot" if as_there else "the nearest to the pilot's that such a gain allows"
    sentences = [f"Were it {percent(own['discordance'])}, {why}: {many}."]
    if row["usd"]:
        per_thousand = 1_000 * (pilot.usd_per_question or 0.0)
        sentences.append(f"At the pilot's cost ({money(per_thousand)} for 1,000 questions): about {money(row['usd'])}.")
    return sentences


def _print_table(pilot: Pilot, rows: Sequence[Mapping[str, Any]], corrected: Sequence[str]) -> None:
    console = Console()
    for sentence in _pilot_words(pilot, rows):
        console.print(sentence, highlight=False)
    words = (*before_words(rows[0], counted=False), *corrected)
    anew = any("played_before" in row for row in rows)
    priced = any(row["usd"] for row in rows)
    columns = (
        Column("gain", "gain", "points"),
        Column("questions", "questions"),
        *((Column("clusters", "clusters"),) if "clusters" in rows[0] else ()),
        Column("own", "as in the pilot"),
        *((Column("anew", "on new questions"),) if anew else ()),
        *((Column("usd", "about", "usd"),) if priced else ()),
    )
    table: list[dict[str, Any]] = [{**row, "own": row["at_pilot"]["questions"]} for row in rows]
    for row in table if anew else ():
        row["anew"] = row["played_before"]["anew"]["questions"]
    console.print(Text(f"Questions that show it in {of_hundred(rows[0]['power'], 0)} of 100 runs", style="italic"))
    shown = Table(box=None, pad_edge=False, padding=(0, 1))
    for column in columns:
        shown.add_column(column.title, justify="right", no_wrap=True)
    for row in table:
        shown.add_row(*(cell(row, column) for column in columns))
    console.print(shown)
    for sentence in words:
        console.print(sentence, highlight=False)
