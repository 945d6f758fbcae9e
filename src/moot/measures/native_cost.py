"""What a player alone takes: by its own cell, or, where it never played alone, by the calls of its drafts.

It is the baseline of every "so many times the cost": a native answer may itself take several calls.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

import orjson

from moot.grade.extract import EXTRACT
from moot.measures.cells import Row, Stored
from moot.measures.draft_calls import DraftTable
from moot.measures.question_costs import cell_costs
from moot.measures.source import Source
from moot.stats.mean import mean
from moot.store.rows import verdict_of
from moot.strategies.natives import NATIVE_STAGES
from moot.traces import Extraction, of_kind

CallKeys = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NativeCost:
    """A question's mean; None where it is not known of a single answer."""

    calls: float | None
    cost_usd: float | None
    questions: tuple[str, ...] | None = None
    """Over which; None where it is not known."""

    @property
    def dearness(self) -> tuple[float, float]:
        """By money, then by calls; what is not known is dearest."""
        return math.inf if self.cost_usd is None else self.cost_usd, math.inf if self.calls is None else self.calls


UNKNOWN = NativeCost(None, None)


def native_cost(source: Source, table: DraftTable, choice: Mapping[str, str]) -> NativeCost:
    """Of the player that `choice` names for each question, asked alone as the players of a table are. Of questions that it was
    not asked alone, or that lack a call, it is not known what it takes, nor of any where too many lack one: it is told over
    which it is."""
    alone = table.alone
    whole = {name: _played_whole(source, alone[name]) for name in {*choice.values()} & alone.keys()}
    choice = {question: name for question, name in choice.items() if name not in whole or question in whole[name]}
    if not choice:
        return NativeCost(None, None, ())
    players = set(choice.values())
    answers: dict[str, dict[str, list[CallKeys | None]]] = {}
    for name in sorted(players & alone.keys()):
        for episode in source.seen(alone[name]):
            answers.setdefault(episode.key[0], {}).setdefault(name, []).append(episode.calls)
    if drafting := players - alone.keys():
        for question, by_player in _drafted(source, table.cells, drafting).items():
            answers.setdefault(question, {}).update(by_player)
    chosen = [answers.get(question, {}).get(name, []) for question, name in choice.items()]
    if not chosen or any(not several or None in several for several in chosen):
        return UNKNOWN
    keys = [[calls or () for calls in several] for several in chosen]
    spent = source.costs_usd({key for several in keys for calls in several for key in calls})
    costs = [[[spent.get(key) for key in calls] for calls in several] for several in keys]
    unknown = any(cost is None for several in costs for calls in several for cost in calls)
    paid = [mean([sum(cost or 0.0 for cost in calls) for calls in several]) for several in costs]
    calls = mean([mean([float(len(calls)) for calls in several]) for several in keys])
    return NativeCost(calls, None if unknown else mean(paid), tuple(choice))


def _played_whole(source: Source, cell: Stored) -> Collection[str]:
    costs = cell_costs(source, cell)
    return costs.calls.keys() - costs.cut


def cheapest(costs: Iterable[NativeCost]) -> NativeCost:
    """Of several ways to ask that come to the same; by money where it is known of every one, else by calls."""
    every = list(costs)
    known = [cost for cost in every if cost.calls is not None]
    priced = all(cost.cost_usd is not None for cost in known)
    nobody = next((cost for cost in every if cost.questions == ()), UNKNOWN)
    return min(known, key=lambda cost: (cost.cost_usd if priced else 0.0, cost.calls), default=nobody)


def _drafted(
    source: Source, cells: Iterable[Stored], players: Collection[str]
) -> dict[str, dict[str, list[CallKeys | None]]]:
    """From the transcripts of a team whose players first answer alone: each set of drafts once."""
    answers: dict[str, dict[str, list[CallKeys | None]]] = {}
    told: set[tuple[str, int]] = set()
    for cell in cells:
        if cell["traits"].drafts is None:
            continue
        for row in source.results(cell):
            drafts = row["question"], cell["traits"].drafts_repeat(row["repeat"])
            if drafts not in told:
                told.add(drafts)
                for name, keys in _calls_of(row, players, source.never_made).items():
                    answers.setdefault(drafts[0], {}).setdefault(name, []).append(keys)
    return answers


def _calls_of(row: Row, players: Collection[str], never_made: Collection[str]) -> dict[str, CallKeys | None]:
    """Whose reply models had to read out is not in the record of those calls: then nobody knows what it took."""
    steps = orjson.loads(row["transcript"])
    unknown: set[str] = set()
    if any(stage == EXTRACT and turn == 1 for _, stage, turn, *_ in steps):
        read = of_kind(verdict_of(row["verdict"]).traces, Extraction)
        unknown = {record.player for record in read if record.turn == 1}
    keys: dict[str, dict[str, None]] = {}
    for name, stage, turn, key, *_ in steps:
        if name in players and turn == 1 and stage in NATIVE_STAGES and key and key not in never_made:
            keys.setdefault(name, {})[key] = None
    return {name: None if name in unknown else tuple(several) for name, several in keys.items()}
