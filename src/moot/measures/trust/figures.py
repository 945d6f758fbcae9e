"""The probability of every verdict, cross-fitted, beside what came of it.

Learnt from the graded drafts of the same table (`moot.decide.verdict_chance`): who agrees with whom, and what the strategy
makes of that. No probability is learnt on its own question, nor on one that belongs together with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import orjson

from moot.decide.candidates import SILENT, Candidates, Floats, Places, candidates_by_name
from moot.decide.learning import FEWEST
from moot.decide.reliability import reliability
from moot.decide.talk_chance import end_of, talk_chances
from moot.decide.verdict_chance import RestingVerdicts, TableChances, surest_first, table_chances, verdict_chances
from moot.grade.ways import way_of
from moot.measures.cells import Stored
from moot.measures.draft_calls import DraftTable
from moot.measures.episodes import Key, Recorded, drafts_of
from moot.measures.source import Source, grouped_drafts
from moot.stats.clusters import dealt_as, unit_of, value_rows
from moot.stats.completions import IntervalLimits
from moot.stats.counted_words import count
from moot.stats.graded import Value, graded_value, why_unfair_together, why_unknown
from moot.stats.guarded_share import guarded
from moot.stats.proportion import mean_over_questions, share
from moot.traces import Cascaded, of_kind
from moot.types import WITH_ANSWER

Row = dict[str, Any]
SMALL = 100
"""With fewer questions a probability is rough, and that is said."""


@dataclass(frozen=True, slots=True)
class _HeardFor:
    """What a verdict could know of its table's drafts."""

    players: frozenset[str]
    pooled: bool
    """One who asks in an order goes by all categories as one."""


@dataclass(frozen=True, slots=True, eq=False)
class _TableDrafts:
    """The drafts of a table, a row for each time that a question was asked."""

    candidates: Candidates
    place: Mapping[Key, int]
    units: Sequence[str]
    values: Sequence[Sequence[Value]]
    """Of each, what its drafts are worth, and how they came by that."""
    heard: Sequence[frozenset[str]]
    """Of each, who was heard by anybody."""
    learnt: dict[_HeardFor, TableChances] = field(default_factory=dict)

    def chances(self, known: _HeardFor) -> TableChances:
        """What these drafts tell whoever has heard no others."""
        if known not in self.learnt:
            seats = [seat for seat, name in enumerate(self.candidates.players) if name in known.players]
            some = self.candidates.only(seats)
            some = replace(some, categories=()) if known.pooled else some
            there = np.array([known.players <= heard for heard in self.heard], dtype=np.bool_)
            self.learnt[known] = table_chances(some, self.units, there)
        return self.learnt[known]


def trust_figures(source: Source) -> dict[str, Any]:
    rows = [row for table in source.draft_tables() if len(table.players) > 1 for row in _of_table(source, table)]
    return {"probability": rows} if rows else {}


def _of_table(source: Source, table: DraftTable) -> Iterator[Row]:
    drafting = [cell for cell in table.cells if cell["traits"].drafts is not None]
    drafts = _drafts(source, table) if drafting else None
    why = None if drafts is None else _why_none(drafts)
    for cell in table.cells:
        if drafts is None or cell not in drafting:
            found = _of_ends(source, cell)
        else:
            found = _unknown(why, _without_answer(source, cell)) if why else _of_cell(source, cell, drafts)
        yield {**_named(cell), **found}


def _why_none(drafts: _TableDrafts) -> str | None:
    """Why no probability is learnt from these."""
    known = len({drafts.units[place] for place in np.flatnonzero(drafts.candidates.settled)})
    if known < FEWEST:
        return _too_few(known, drafts.units)
    return why_unfair_together(drafts.values)


def _too_few(known: int, units: Sequence[str]) -> str:
    apart = " that do not hang together" if len(set(units)) < len(units) else ""
    return f"{count(known, 'graded question')}{apart}; {FEWEST} or more teach a probability"


def _named(cell: Stored) -> Row:
    named = {key: cell.get(key) for key in ("strategy", "label", "team", "captain")}
    return {**named, **({"cohort": cell["cohort"]} if cell.get("cohort") else {})}


def _unknown(why: str | None, without: int) -> Row:
    nothing = dict.fromkeys(("brier", "ece", "ece_low", "ece_high"))
    return {**nothing, "n": 0, "why": why, "without_answer": without, "bins": [], "coverage": []}


def _without_answer(source: Source, cell: Stored) -> int:
    return sum(episode.verdict.outcome not in WITH_ANSWER for episode in source.episodes(cell))


def _drafts(source: Source, table: DraftTable) -> _TableDrafts:
    kept = source.drafts(table)
    keys = sorted(kept.drafts)
    groups = [grouped_drafts(source, key, (), kept) for key in keys]
    graded = [
        {draft.player: source.graded(source.cases[key[0]], draft.text) for draft in kept.drafts[key]} for key in keys
    ]
    rights = [{player: right for player, (right, _) in each.items()} for each in graded]
    categories = [source.cases[key[0]].category or "" for key in keys]
    return _TableDrafts(
        candidates_by_name(table.players, groups, rights, categories if any(categories) else ()),
        {key: place for place, key in enumerate(keys)},
        [unit_of(key[0]) for key in keys],
        [[graded_value(*grade) for grade in each.values()] for each in graded],
        [frozenset(draft.player for draft in kept.drafts[key]) for key in keys],
    )


@dataclass(frozen=True, slots=True)
class _Given:
    """A play that has an answer, and rests on drafts whose groups are known."""

    question: str
    repeat: int
    drafts: int
    """The row of the table that it rests on, or its own where nobody drafts."""
    chosen: int
    value: Value
    heard: _HeardFor
    asked_on: bool
    """Somebody decided after the drafts, where elsewhere these were enough."""


@dataclass(frozen=True, slots=True)
class _Verdicts:
    given: Sequence[_Given]
    left_out: int
    """Of which nobody knows whose draft they are."""
    without: int
    """Plays without an answer: nothing was said, so nothing can be trusted."""


def _of_ends(source: Source, cell: Stored) -> Row:
    """Of a strategy whose players draft nothing alone: by how each play ended."""
    played = list(source.episodes(cell))
    ended = [episode for episode in played if episode.verdict.outcome in WITH_ANSWER]
    given = [_given(source, episode, place, SILENT) for place, episode in enumerate(ended)]
    verdicts = _Verdicts(given, 0, len(played) - len(ended))

    def told(graded: Sequence[_Given], right: Floats, units: Sequence[str]) -> tuple[Floats, Places]:
        return talk_chances(np.array([end_of(ended[each.drafts].verdict) for each in graded]), right, units)

    return _told(source, verdicts, [unit_of(episode.question) for episode in ended], told)


def _of_cell(source: Source, cell: Stored, drafts: _TableDrafts) -> Row:
    def told(graded: Sequence[_Given], right: Floats, units: Sequence[str]) -> tuple[Floats, Places]:
        rows, chosen = (
            np.array([getattr(each, name) for each in graded], dtype=np.intp) for name in ("drafts", "chosen")
        )
        known = list(dict.fromkeys(each.heard for each in graded))
        tables = [drafts.chances(each) for each in known]
        heard = np.array([known.index(each.heard) for each in graded], dtype=np.intp)
        asked_on = np.array([each.asked_on for each in graded], dtype=np.bool_)
        resting = RestingVerdicts(rows, chosen, right, heard, asked_on)
        return verdict_chances(tables, resting), tables[0].fold_of[rows]

    return _told(source, _verdicts(source, cell, drafts), drafts.units, told)


ToldChances = Callable[[Sequence[_Given], Floats, Sequence[str]], tuple[Floats, Places]]
"""From graded verdicts, what each was worth and what it is a part of: what is said of each, and its fold."""


def _told(source: Source, verdicts: _Verdicts, units_of: Sequence[str], told: ToldChances) -> Row:
    if (why := why_unknown([each.value for each in verdicts.given])) is not None:
        return _unknown(why, verdicts.without)
    graded = [each for each in verdicts.given if each.value.known is not None]
    units = [units_of[each.drafts] for each in graded]
    if len(set(units)) < FEWEST:
        return _unknown(_too_few(len(set(units)), units), verdicts.without)
    right = np.array([each.value.known for each in graded], dtype=float)
    said, part_of = told(graded, right, units)
    found = reliability(said, right, units, seed=source.seed)
    coverage = _coverage(said, part_of, graded)
    row: Row = {
        "accuracy": coverage[-1]["accuracy"],
        "brier": found.brier,
        "brier_low": found.brier_low,
        "brier_high": found.brier_high,
        "ece": found.error,
        "ece_low": found.low,
        "ece_high": found.high,
        "ece_by_chance": found.by_chance,
        "n": len({each.question for each in graded}),
        "small": len(set(units)) < SMALL,
        "without_answer": verdicts.without,
        "bins": [{"said": each.said, "right": each.right, "n": each.n} for each in found.bins],
        "coverage": coverage,
    }
    ungraded = len(verdicts.given) - len(graded)
    left = {"left_out": verdicts.left_out, "ungraded": ungraded}
    return {**row, **{key: many for key, many in left.items() if many}}


def _verdicts(source: Source, cell: Stored, drafts: _TableDrafts) -> _Verdicts:
    given, left_out, without = [], 0, 0
    for episode in source.episodes(cell):
        place = drafts.place.get(episode.key)
        if episode.verdict.outcome not in WITH_ANSWER:
            without += 1
            continue
        at = None if place is None else _group_chosen(source, episode, drafts.candidates, place)
        if place is None or at is None:
            left_out += 1
            continue
        given.append(_given(source, episode, place, at))
    return _Verdicts(given, left_out, without)


def _given(source: Source, episode: Recorded, row: int, chosen: int) -> _Given:
    way = way_of(episode.right, episode.stage, waits=source.grades.wait(episode.case))
    paths = of_kind(episode.verdict.traces, Cascaded)
    heard = frozenset(draft.player for draft in drafts_of(episode.cell, episode.verdict))
    known = _HeardFor(
        heard or frozenset(player["name"] for player in orjson.loads(episode.cell["spec"])["players"]), bool(paths)
    )
    asked_on = any(path.then is not None for path in paths)
    return _Given(episode.question, episode.repeat, row, chosen, graded_value(episode.right, way), known, asked_on)


def _group_chosen(source: Source, episode: Recorded, candidates: Candidates, place: int) -> int | None:
    """The place of the group that a verdict is of; `SILENT`: nobody had drafted it; None: nobody knows."""
    word = episode.cell["traits"].word
    holders = episode.verdict.who if word in ("group", "player") else source.holders(episode, episode.verdict.answer)
    if holders is None:
        return None
    seats = [seat for seat, name in enumerate(candidates.players) if name in holders]
    there = candidates.support[place][:, seats].any(axis=1) if seats else np.zeros(1, dtype=bool)
    return int(there.argmax()) if there.any() else SILENT


def surest_limits(rights: Mapping[str, float]) -> IntervalLimits:
    """Of the surest answers, by question: no narrower than what holds whatever the share is."""
    usual = share(value_rows(rights))
    assert usual is not None, "there are answers"
    return guarded(usual, rights).limits()


def _coverage(said: Floats, part_of: Places, given: Sequence[_Given]) -> list[Row]:
    """How right the surest answers are, for each tenth: chosen by a probability that never saw their own question."""
    order = surest_first(said, part_of, [(dealt_as(each.question), each.repeat) for each in given])
    rows = []
    for tenths in range(1, 11):
        taken = order[: max(1, (tenths * len(order) + 5) // 10)]
        by_question: dict[str, list[float]] = {}
        for place in taken:
            by_question.setdefault(given[place].question, []).append(float(given[place].value.known or 0.0))
        means = {question: sum(rights) / len(rights) for question, rights in by_question.items()}
        every = mean_over_questions(means)
        # What is surest is nearly always right, where a score interval is too narrow; all of them are a share like any other.
        low, high = (every.low, every.high) if tenths == 10 else surest_limits(means)
        limits = {"accuracy": every.value, "low": low, "high": high, "n": len(means)}
        rows.append({"coverage": tenths / 10, **limits})
    return rows
