"""Cascades: how many were asked of those who could have been, and what was right, beside whatever asks everybody.

A cascade is known by the path that each of its plays left on record. It is put beside the strategies of the same run and the
same seats that decide from everybody's drafts, and beside the one that it plays in the end, with the same options and from
the same drafts, on the questions of both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from moot.measures.cells import Stored, identity_of
from moot.measures.claims.cut_short import unclaimed
from moot.measures.question_costs import mean_cost
from moot.measures.sides import SideResults, pairs_of, side_of, title_of
from moot.measures.source import Source
from moot.stats.estimates import with_holm
from moot.stats.graded import accuracy_row
from moot.stats.graded_pairs import apart_row
from moot.strategies.natives import SINGLE_CALL
from moot.traces import Cascaded, of_kind
from moot.types import ABSTAINED, canonical_json

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Paths:
    """Of one cell."""

    plays: int
    asked: Counter[str]
    stopped: Counter[str]
    then: Counter[str]
    order: frozenset[str]
    """Why in this order, in words."""

    @classmethod
    def of(cls, records: Sequence[Cascaded]) -> _Paths:
        asked = Counter(name for record in records for wave in record.asked for name in wave)
        then = Counter(record.then for record in records if record.then)
        order = frozenset(record.order for record in records if record.order)
        return cls(len(records), asked, Counter(record.stopped for record in records), then, order)


def cascade_figures(source: Source) -> dict[str, Any]:
    paths = {cell["id"]: found for cell in source.cells if (found := _paths(source, cell)) is not None}
    rows: list[Row] = []
    beside: list[Row] = []
    for cell in source.cells:
        if cell["id"] in paths:
            side = side_of(source, [cell], title_of(cell))
            rows.append(_row(cell, side, paths[cell["id"]]))
            beside += _beside(source, cell, side, paths)
    adjusted = with_holm(beside, beside=source.unlisted_rows["cascade_beside"])
    told = [unclaimed(row) for row in adjusted] if source.cut_short else adjusted
    return {key: value for key, value in (("cascade", rows), ("cascade_beside", told)) if value}


def beside_cascades(source: Source, cells: Sequence[Stored]) -> set[tuple[str | bytes, str | bytes]]:
    """The rows that there are at the most beside the cascades among these cells, which need not be of this file: what each of
    the two is made of."""
    paths = {cell["id"] for cell in cells if _paths(source, cell) is not None}
    return {
        (identity_of(cell), identity_of(other))
        for cell in cells
        if cell["id"] in paths
        for other in cells
        if _stands_beside(other, cell, paths)
    }


def _paths(source: Source, cell: Stored) -> _Paths | None:
    """None: nobody was asked one after another."""
    traits = cell["traits"]
    if traits.alone or traits.drafts != SINGLE_CALL or not traits.groups:
        return None
    paths: list[Cascaded] = []
    for episode in source.episodes(cell):
        records = of_kind(episode.verdict.traces, Cascaded)
        if not records and episode.answer is not None:
            return None  # a cascade leaves the path of every answer
        paths += records
    return _Paths.of(paths) if paths else None


def _row(cell: Stored, side: SideResults, paths: _Paths) -> Row:
    players = [player["name"] for player in _players(cell)]
    return {
        **_named(cell),
        "calls_per_question": mean_cost(side.whole_calls),
        "usd_per_question": mean_cost(side.whole_usd),
        **({"cost_n": len(side.whole_calls)} if side.cut else {}),
        "of": len(players),
        **accuracy_row(side.values(side.calls), "accuracy"),
        "stopped": {how: paths.stopped[how] for how in ("decided", "sure", "everybody")},
        "asked": {name: paths.asked[name] / paths.plays for name in players},
        "order": sorted(paths.order),
        **({"then": dict(sorted(paths.then.items()))} if paths.then else {}),
    }


def _players(cell: Stored) -> Sequence[Row]:
    found: Sequence[Row] = orjson.loads(cell["spec"])["players"]
    return found


def _named(cell: Stored) -> Row:
    named = {key: cell.get(key) for key in ("strategy", "label", "team", "captain")}
    return {**named, **({"cohort": cell["cohort"]} if cell.get("cohort") else {})}


def _beside(source: Source, cell: Stored, side: SideResults, paths: dict[str, _Paths]) -> Iterator[Row]:
    for other in source.cells:
        if not _stands_beside(other, cell, paths):
            continue
        if _abstains(source, other):
            continue  # what it keeps to itself is saved by no cascade, and a family that holds it makes the others wider
        against = side_of(source, [other], title_of(other))
        pairs = pairs_of(side, against)
        if not pairs:
            continue
        # What a failed call has cut short takes little: beside it the other would look dear. Where nobody knows what one of them
        # takes, what the cheap plays took is no cost of it here either.
        whole = pairs.keys() - side.cut - against.cut
        yield {
            **_named(cell),
            "against": against.title,
            "calls_per_question": mean_cost(side.calls, whole),
            "usd_per_question": mean_cost(side.cost_usd, whole),
            "calls_against": mean_cost(against.calls, whole),
            "usd_against": mean_cost(against.cost_usd, whole),
            **({"cost_n": len(whole)} if len(whole) < len(pairs) else {}),
            **apart_row(pairs, pooled=not (side.once and against.once)),
        }


def _stands_beside(other: Stored, cell: Stored, cascades: Collection[str]) -> bool:
    """`cascades`: their ids, which stand beside no other."""
    return other["id"] not in cascades and _same_table(cell, other) and (_decides(other) or _is_stage(other, cell))


def _is_stage(other: Stored, cell: Stored) -> bool:
    """Whether it is what a cascade plays in the end, whether or not it came to it: by name, options, drafts and captain."""
    inside = [(each["strategy"], _told_apart(each["options"])) for each in cell["plays"]]
    return (
        (other["strategy"], _told_apart(other["options"])) in inside
        and other["traits"].drafts == SINGLE_CALL
        and other["captain"] == cell["captain"]
    )


def _told_apart(options: Mapping[str, Any]) -> bytes:
    """Who leads is told by the seats, and not by the option that chose among them."""
    return canonical_json({name: value for name, value in options.items() if name != "captain"})


def _same_table(cell: Stored, other: Stored) -> bool:
    """The same players, under the same captain where both have one."""
    if other["player"] or (cell["team"], cell.get("cohort")) != (other["team"], other.get("cohort")):
        return False
    return cell["captain"] == other["captain"] or None in (cell["captain"], other["captain"])


def _abstains(source: Source, cell: Stored) -> bool:
    return "abstain" in cell["given"] or any(seen.outcome == ABSTAINED for seen in source.seen(cell))


def _decides(cell: Stored) -> bool:
    """Whether a group of everybody's drafts is its answer, and nobody hears anybody."""
    traits = cell["traits"]
    return bool(traits.drafts == SINGLE_CALL and traits.word == "group" and traits.hears == "nothing")
