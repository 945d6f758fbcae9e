"""The probability of every verdict, cross-fitted, beside what came of it.

Learnt from the graded drafts of the same table (`moot.decide.verdict_chance`): who agrees with whom, and what the strategy
makes of that. No probability is learnt on its own question, nor on one that belongs together with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import floor
from typing import Any

import numpy as np

from moot.decide.candidates import SILENT, Candidates, Floats, Places, candidates_by_name
from moot.decide.learning import FEWEST
from moot.decide.reliability import COVERAGES, reliability
from moot.decide.verdict_chance import TableChances, table_chances, verdict_chances
from moot.measures.cells import Stored
from moot.measures.draft_calls import DraftTable
from moot.measures.episodes import Key, Recorded
from moot.measures.source import Source, grouped_drafts
from moot.stats.counted_words import count
from moot.stats.graded import FEW_WAITING
from moot.stats.proportion import mean_over_questions
from moot.types import WITH_ANSWER

Row = dict[str, Any]
SMALL = 100
"""With fewer questions a probability is rough, and that is said."""


@dataclass(frozen=True, slots=True, eq=False)
class _TableDrafts:
    """The drafts of a table, a row for each time that a question was asked."""

    candidates: Candidates
    place: Mapping[Key, int]
    groups: Sequence[Sequence[Sequence[str]]]
    units: Sequence[str]


def trust_figures(source: Source) -> dict[str, Any]:
    rows = [row for table in source.draft_tables() if len(table.players) > 1 for row in _of_table(source, table)]
    return {"probability": rows} if rows else {}


def _of_table(source: Source, table: DraftTable) -> Iterator[Row]:
    drafts = _drafts(source, table)
    known = len({drafts.units[place] for place in np.flatnonzero(drafts.candidates.settled)})
    why = None
    if known < FEWEST:
        why = f"{count(known, 'graded question')}; {FEWEST} or more teach a probability"
    elif (waiting := len(drafts.units) - int(drafts.candidates.settled.sum())) > FEW_WAITING * len(drafts.units):
        why = f"{waiting:,} of {len(drafts.units):,} questions have drafts that nobody has graded"
    chances = None if why else table_chances(drafts.candidates, drafts.units)
    for cell in table.cells:
        yield {**_named(cell), **(_unknown(why) if chances is None else _of_cell(source, cell, drafts, chances))}


def _named(cell: Stored) -> Row:
    named = {key: cell.get(key) for key in ("strategy", "label", "team", "captain")}
    return {**named, **({"cohort": cell["cohort"]} if cell.get("cohort") else {})}


def _unknown(why: str | None) -> Row:
    return {
        "brier": None,
        "ece": None,
        "ece_low": None,
        "ece_high": None,
        "n": 0,
        "why": why,
        "bins": [],
        "coverage": [],
    }


def _drafts(source: Source, table: DraftTable) -> _TableDrafts:
    kept = source.drafts(table)
    keys = sorted(kept.drafts)
    groups = [grouped_drafts(source, key, (), kept) for key in keys]
    rights = [
        {draft.player: source.grade(source.cases[key[0]], draft.text) for draft in kept.drafts[key]} for key in keys
    ]
    categories = [source.cases[key[0]].category or "" for key in keys]
    units = [source.clusters.get(key[0], key[0]) for key in keys]
    return _TableDrafts(
        candidates_by_name(table.players, groups, rights, categories if any(categories) else ()),
        {key: place for place, key in enumerate(keys)},
        groups,
        units,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Verdicts:
    """The plays of a cell that have an answer, and rest on drafts whose groups are known."""

    drafts: Places
    chosen: Places
    rights: Floats
    questions: Sequence[str]
    left_out: int
    """Of which nobody knows whose draft they are."""
    without: int
    """Plays without an answer: nothing was said, so nothing can be trusted."""


def _of_cell(source: Source, cell: Stored, drafts: _TableDrafts, table: TableChances) -> Row:
    verdicts = _verdicts(source, cell, drafts)
    graded = np.flatnonzero(~np.isnan(verdicts.rights))
    asked = len(verdicts.rights)
    if asked - len(graded) > FEW_WAITING * asked or len(graded) < FEWEST:
        return _unknown(f"{asked - len(graded):,} of {asked:,} answers are not graded")
    chances = verdict_chances(table, verdicts.drafts, verdicts.chosen, verdicts.rights)
    said, right = chances[graded], verdicts.rights[graded]
    units = [drafts.units[verdicts.drafts[place]] for place in graded]
    found = reliability(said, right, units, seed=source.seed)
    questions = [verdicts.questions[place] for place in graded]
    row: Row = {
        "accuracy": float(right.mean()),
        "brier": found.brier,
        "brier_low": found.brier_low,
        "brier_high": found.brier_high,
        "ece": found.error,
        "ece_low": found.low,
        "ece_high": found.high,
        "ece_by_chance": found.by_chance,
        "n": len(set(questions)),
        "small": len(set(units)) < SMALL,
        "without_answer": verdicts.without,
        "bins": [{"said": each.said, "right": each.right, "n": each.n} for each in found.bins],
        "coverage": _coverage(said, right, questions),
    }
    return {**row, **({"left_out": verdicts.left_out} if verdicts.left_out else {})}


def _verdicts(source: Source, cell: Stored, drafts: _TableDrafts) -> _Verdicts:
    rows, chosen, rights, questions, left_out, without = [], [], [], [], 0, 0
    for episode in source.episodes(cell):
        place = drafts.place.get(episode.key)
        if episode.verdict.outcome not in WITH_ANSWER:
            without += 1
            continue
        at = None if place is None else _group_chosen(source, episode, drafts.groups[place], drafts.candidates, place)
        if place is None or at is None:
            left_out += 1
            continue
        rows.append(place)
        chosen.append(at)
        rights.append(np.nan if episode.right is None else episode.right)
        questions.append(episode.question)
    return _Verdicts(
        np.array(rows, dtype=np.intp),
        np.array(chosen, dtype=np.intp),
        np.array(rights, dtype=float),
        questions,
        left_out,
        without,
    )


def _group_chosen(
    source: Source, episode: Recorded, groups: Sequence[Sequence[str]], candidates: Candidates, place: int
) -> int | None:
    """The place of the group that a verdict is of; `SILENT`: nobody had drafted it; None: nobody knows."""
    word = episode.cell["traits"].word
    holders = episode.verdict.who if word in ("group", "player") else source.holders(episode, episode.verdict.answer)
    if holders is None:
        return None
    seats = [seat for seat, name in enumerate(candidates.players) if name in holders]
    there = candidates.support[place][:, seats].any(axis=1) if seats else np.zeros(1, dtype=bool)
    return int(there.argmax()) if there.any() else SILENT


def _coverage(said: Floats, right: Floats, questions: Sequence[str]) -> list[Row]:
    """How right the surest answers are, for each tenth: chosen by a probability that never saw their own question."""
    order = np.argsort(-said, kind="stable")
    rows = []
    for share in COVERAGES:
        taken = order[: max(1, floor(share * len(order) + 0.5))]
        by_question: dict[str, list[float]] = {}
        for place in taken:
            by_question.setdefault(questions[place], []).append(float(right[place]))
        value = mean_over_questions(
            {question: sum(several) / len(several) for question, several in by_question.items()}
        )
        rows.append(
            {
                "coverage": share,
                "accuracy": value.value,
                "low": value.low,
                "high": value.high,
                "n": len(by_question),
                "from": float(said[taken[-1]]),
            }
        )
    return rows
