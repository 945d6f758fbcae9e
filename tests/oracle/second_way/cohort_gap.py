"""How far a cohort comes up to a stronger one: the best of each is who got most right of all questions."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import Any

from second_way.closure import Whoever
from second_way.compare import ANY_TEXT
from second_way.hanging import CLUSTERS, counted, together, unit_of
from second_way.intervals import mean
from second_way.pairs import Pair, Side, stages
from second_way.ranked import DEALT_AS, Ranked
from second_way.raw import Raw
from second_way.shares import Ungraded, never_came, unfair

Row = dict[str, Any]
FOLDS = 5


class Value:
    """One player on one question: the mean over the plays that are graded, and what it can be over all of them."""

    def __init__(self, plays: Sequence[Side]) -> None:
        graded = [play.least for play in plays if play.right is not None]
        self.grades = [play.grade for play in plays]
        self.known = mean(graded) if graded else None
        self.least, self.most = (mean([getattr(play, end) for play in plays]) for end in ("least", "most"))


UNPLAYED = Value([Side("answered", None, Ungraded.NOBODY)])
Players = Mapping[str, Mapping[str, Value]]


def gap_closure(raw: Raw) -> Row:
    rows = []
    for stage in stages(raw):
        cohorts = {name: pairs for name, pairs in stage.by_cohort() if name is not None}
        for weaker, stronger in permutations(cohorts, 2):
            sides = [_players(cohorts[weaker], "after"), _players(cohorts[weaker], "native")]
            row = _closed(raw, [*sides, _players(cohorts[stronger], "native")])
            if row is not None:
                rows.append({**stage.named, "cohort": weaker, "towards": stronger, **row})
    return {"gap_closure": rows} if rows else {}


def _players(pairs: Sequence[Pair], side: str) -> Players:
    plays: dict[str, dict[str, list[Side]]] = {}
    for pair in pairs:
        plays.setdefault(pair.player, {}).setdefault(pair.question, []).append(getattr(pair, side))
    return {name: {question: Value(several) for question, several in own.items()} for name, own in plays.items()}


def _closed(raw: Raw, sides: Sequence[Players]) -> Row | None:
    """(best after - best alone) / (the other cohort's best alone - best alone). None: it is known that there is no gap."""
    shared = [Ranked(side) for side in sides]
    sides = [{name: side[name] for name in ranked.names} for side, ranked in zip(sides, shared, strict=True)]
    asked = [question for question in raw.questions if all(question in ranked.questions for ranked in shared)]
    if len(together(asked)) < 2 or any(ranked.lonely for ranked in shared):
        return None
    best = [_best(side, asked) for side in sides]
    triples = {
        question: [_value(side, name, question) for side, name in zip(sides, best, strict=True)] for question in asked
    }
    graded = {
        question: [value.known for value in triple if value.known is not None]
        for question, triple in triples.items()
        if all(value.known is not None for value in triple)
    }
    means = [mean([triple[place] for triple in graded.values()]) if graded else None for place in range(3)]
    row: Row = {"value": None, "low": None, "high": None, "n": 0, "note": None}
    row |= dict(zip(("after", "alone", "stronger"), means, strict=True))
    row["best"] = dict(zip(("after", "alone", "stronger"), best, strict=True))
    if len(graded) < len(asked):
        row["ungraded"] = len(asked) - len(graded)
    if surely_no_gap(sides, asked):
        return None
    unsettled, bounds = whoever_is_best(sides, asked)
    grades = [[grade for value in triple for grade in value.grades] for triple in triples.values()]
    if never_came(grades) or unfair(grades):
        row |= {"after": None, "alone": None, "stronger": None, **({"bounds": bounds} if bounds else {})}
        return {**row, "why": ANY_TEXT}
    if not graded or (unsettled and bounds is None):
        return {**row, "why": ANY_TEXT}
    if bounds is not None:
        row["bounds"] = bounds
    rises, gaps = ([triple[place] - triple[1] for triple in graded.values()] for place in (0, 2))
    if math.fsum(gaps) <= 1e-12:
        return {**row, "why": ANY_TEXT}
    value = math.fsum(rises) / math.fsum(gaps)
    known = [{name: _graded_only(own) for name, own in side.items()} for side in sides]
    low, high = Whoever(known, best, [*graded], value).limits()
    row |= {"value": value, "low": low, "high": high, "n": len(graded), **counted(graded)}
    if somebody_waits(sides, asked):
        row |= {"low": None, "high": None, "why": ANY_TEXT}
    row["note"] = ANY_TEXT if any(ranked.out for ranked in shared) else None
    return row


def _folds(raw: Raw, questions: Sequence[str]) -> dict[str, int]:
    """Dealt in the order of a hash of the seed and of what is asked, or of the cluster's name; each cluster to the fold that
    has the fewest questions."""

    def drawn(question: str) -> str:
        named = unit_of(question) if question in CLUSTERS else DEALT_AS[question]
        text = json.dumps([raw.seed, "fold", named], separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    units = together(questions)
    filled = [0] * min(FOLDS, len(units))
    folds = {}
    for unit in sorted(units, key=lambda unit: drawn(unit[0])):
        fold = filled.index(min(filled))
        filled[fold] += len(unit)
        folds |= dict.fromkeys(unit, fold)
    return folds


def _value(side: Players, player: str, question: str) -> Value:
    return side[player].get(question, UNPLAYED)


def _best(side: Players, questions: Sequence[str]) -> str:
    """By the least that each can be; one of whom nothing is graded is behind all others; of equals the first."""

    def least(player: str) -> float:
        values = [_value(side, player, question) for question in questions]
        if all(value.known is None for value in values):
            return -math.inf
        return round(math.fsum(value.least for value in values), 9)

    return max(side, key=least)


def whoever_is_best(sides: Sequence[Players], asked: Sequence[str]) -> tuple[set[str], Row | None]:
    """The questions of which somebody's answer is not graded, and how far the share can lie once all are: each of the three
    is then as good as the best of its side, who may be another. None where all is graded or the gap may be nothing."""
    unsettled = {
        question
        for question in asked
        for side in sides
        for own in side.values()
        if own[question].known is None or own[question].least < own[question].most
    }
    if not unsettled:
        return set(), None
    (after_low, after_high), (alone_low, alone_high), (top_low, top_high) = (
        [max(mean([getattr(own[q], end) for q in asked]) for own in side.values()) for end in ("least", "most")]
        for side in sides
    )
    if (top_low - alone_high) * len(asked) <= 1e-9:
        return unsettled, None
    # A rise is the more of a gap the smaller that is, a fall the less.
    rise, climb = after_low - alone_high, after_high - alone_low
    small, large = top_low - alone_high, top_high - alone_low
    low, high = rise / (large if rise > 0 else small), climb / (small if climb > 0 else large)
    return unsettled, {"low": low, "high": high}


def surely_no_gap(sides: Sequence[Players], asked: Sequence[str]) -> bool:
    """Somebody of the cohort is as good alone, at the least, as anybody of the other can be."""
    starts = [math.fsum(own[q].least for q in asked) for own in sides[1].values()]
    tops = [math.fsum(own[q].most for q in asked) for own in sides[2].values()]
    return any(all(top <= start + 1e-9 for top in tops) for start in starts)


def somebody_waits(sides: Sequence[Players], asked: Sequence[str]) -> bool:
    """Whether anybody's answer has yet to be graded."""
    return any(grade is None for side in sides for own in side.values() for q in asked for grade in own[q].grades)


def _graded_only(values: Mapping[str, Value]) -> dict[str, float]:
    return {question: value.known for question, value in values.items() if value.known is not None}
