"""The probability of every verdict, cross-fitted, beside what came of it.

Learnt from the graded drafts of the same table (`moot.decide.verdict_chance`): who agrees with whom, and what the strategy
makes of that. No probability is learnt on its own question, nor on one that belongs together with it, nor on questions of another
kind: how often those are right who agree on a letter says nothing of a free answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
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
from moot.measures.team_drafts import TeamDrafts
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
    drafts = _drafts_by_kind(source, table) if drafting else {}
    why = {kind: why for kind, each in drafts.items() if (why := _why_none(each)) is not None}
    for cell in table.cells:
        if cell not in drafting:
            found = _of_ends(source, cell)
        elif len(why) == len(drafts):
            found = _unknown(_together(why), _without_answer(source, cell))
        else:
            found = _of_cell(source, cell, drafts, why)
        yield {**_named(cell), **found}


def _why_none(drafts: _TableDrafts) -> str | None:
    """Why no probability is learnt from these."""
    known = len({drafts.units[place] for place in np.flatnonzero(drafts.candidates.settled)})
    if known < FEWEST:
        return _too_few(known, drafts.units)
    return why_unfair_together(drafts.values)


def _together(why: Mapping[str, str]) -> str | None:
    """Of all kinds of questions, each by its name where there are several."""
    if len(why) < 2:
        return next(iter(why.values()), None)
    return "; ".join(f"{kind}: {words}" for kind, words in sorted(why.items()))


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


def _drafts_by_kind(source: Source, table: DraftTable) -> dict[str, _TableDrafts]:
    kept = source.drafts(table)
    keys: dict[str, list[Key]] = {}
    for key in sorted(kept.drafts):
        keys.setdefault(source.cases[key[0]].question.kind, []).append(key)
    return {kind: _drafts(source, table, kept, several) for kind, several in keys.items()} or {
        "": _drafts(source, table, kept, [])
    }


def _drafts(source: Source, table: DraftTable, kept: TeamDrafts, keys: Sequence[Key]) -> _TableDrafts:
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
    """The row of the table of its kind that it rests on, or its own where nobody drafts."""
    chosen: int
    value: Value
    heard: _HeardFor
    asked_on: bool
    """Somebody decided after the drafts, where elsewhere these were enough."""
    kind: str
    """Of the question."""
    unit: str
    """What it is one piece of evidence with."""


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

    return _told(source, verdicts, told)


def _of_cell(source: Source, cell: Stored, drafts: Mapping[str, _TableDrafts], why: Mapping[str, str]) -> Row:
    def told(graded: Sequence[_Given], right: Floats, units: Sequence[str]) -> tuple[Floats, Places]:
        here = drafts[graded[0].kind]
        rows, chosen = (
            np.array([getattr(each, name) for each in graded], dtype=np.intp) for name in ("drafts", "chosen")
        )
        known = list(dict.fromkeys(each.heard for each in graded))
        tables = [here.chances(each) for each in known]
        heard = np.array([known.index(each.heard) for each in graded], dtype=np.intp)
        asked_on = np.array([each.asked_on for each in graded], dtype=np.bool_)
        resting = RestingVerdicts(rows, chosen, right, heard, asked_on)
        return verdict_chances(tables, resting), tables[0].fold_of[rows]

    return _told(source, _verdicts(source, cell, drafts), told, why)


ToldChances = Callable[[Sequence[_Given], Floats, Sequence[str]], tuple[Floats, Places]]
"""From graded verdicts on questions of one kind, what each was worth and what it is a part of: what is said of each, and its
fold."""


def _told(
    source: Source, verdicts: _Verdicts, told: ToldChances, why_untold: Mapping[str, str] = MappingProxyType({})
) -> Row:
    """`why_untold`: by kind of questions why the drafts tell nothing of it."""
    if (why := why_unknown([each.value for each in verdicts.given])) is not None:
        return _unknown(why, verdicts.without)
    by_kind: dict[str, list[_Given]] = {}
    for each in verdicts.given:
        if each.value.known is not None:
            by_kind.setdefault(each.kind, []).append(each)
    untold = {kind: why_untold.get(kind) or _too_few_given(several) for kind, several in by_kind.items()}
    left = {kind: words for kind, words in untold.items() if words is not None}
    if len(left) == len(by_kind):
        return _unknown(_together(left) or _too_few(0, ()), verdicts.without)
    graded, said_of, parts = list[_Given](), list[Floats](), list[Places]()
    for kind, several in by_kind.items():
        if kind not in left:
            rights = np.array([each.value.known for each in several], dtype=float)
            found_of, part = told(several, rights, [each.unit for each in several])
            graded += several
            said_of.append(found_of)
            parts.append(part)
    said, part_of, units = np.concatenate(said_of), np.concatenate(parts), [each.unit for each in graded]
    right = np.array([each.value.known for each in graded], dtype=float)
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
    ungraded = len(verdicts.given) - sum(map(len, by_kind.values()))
    beside = {"left_out": verdicts.left_out, "ungraded": ungraded}
    row |= {key: many for key, many in beside.items() if many}
    if left:
        row["untold"] = [{"kind": kind, "n": len(by_kind[kind]), "why": words} for kind, words in left.items()]
    return row


def _too_few_given(given: Sequence[_Given]) -> str | None:
    """Why the verdicts of one kind teach no probability; None: they do."""
    units = [each.unit for each in given]
    return _too_few(len(set(units)), units) if len(set(units)) < FEWEST else None


def _verdicts(source: Source, cell: Stored, drafts: Mapping[str, _TableDrafts]) -> _Verdicts:
    given, left_out, without = [], 0, 0
    for episode in source.episodes(cell):
        here = drafts.get(episode.case.question.kind)
        place = None if here is None else here.place.get(episode.key)
        if episode.verdict.outcome not in WITH_ANSWER:
            without += 1
            continue
        at = None if here is None or place is None else _group_chosen(source, episode, here.candidates, place)
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
    value, kind = graded_value(episode.right, way), episode.case.question.kind
    return _Given(
        episode.question, episode.repeat, row, chosen, value, known, asked_on, kind, unit_of(episode.question)
    )


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
