"""Two ways of answering on the same questions: the difference over what is graded, its bounds, and a family of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

from second_way.compare import ANY_TEXT, Near
from second_way.intervals import Difference, Waiting, holm, mcnemar, mean
from second_way.shares import KeptBack, Value, failed_part, mean_value, unfair_together

Row = dict[str, Any]
FEW_QUESTIONS, FEW_DISCORDANT = 30, 10
TESTED = "difference, until its family is complete"

Pairs = Mapping[str, Sequence[tuple[Value, Value]]]
"""By question, one pair for each captain."""


def difference(pairs: Pairs, *, means: bool, heard: bool = True) -> Row:
    """Over the pairs of which both sides are graded; nothing where these flatter, or somebody was not heard."""
    known = {
        question: [(a, b) for one, other in several if (a := one.known) is not None and (b := other.known) is not None]
        for question, several in pairs.items()
    }
    both = [(mean([a for a, _ in several]), mean([b for _, b in several])) for several in known.values() if several]
    if not heard or unfair_together([pair for several in pairs.values() for pair in several]):
        both = []
    differences = [one - other for one, other in both]
    rescues, regressions = (sum(sign * value > 1e-12 for value in differences) for sign in (1, -1))
    waiting = any(grade is None for several in pairs.values() for pair in several for v in pair for grade in v.grades)
    row: Row = {"difference": None, "low": None, "high": None, "p": None, "n": len(both), "test": "none"}
    row |= {"rescues": rescues, "regressions": regressions, "small": True}
    row |= failures(pairs)
    uncounted = {"rescues": None, "regressions": None, "counts_why": ANY_TEXT} if waiting else {}
    if not both:
        return {**row, **uncounted, "rescues": None, "regressions": None, "why": ANY_TEXT}
    exact = not means and all(value in (0, 1) for pair in both for value in pair)
    figure: Difference | Waiting = Difference(differences, mcnemar(rescues, regressions) if exact else None)
    if waiting:
        figure = Waiting(figure, *(_at_end(pairs, end, exact) for end in (worst, best)))
        seen = figure.seen.limits()
        row |= {GRADED: seen} if seen[0] is not None else {}
    low, high = figure.limits()
    row |= {"difference": figure.value, "low": low, "high": high, "p": figure.p}
    row |= {"test": "mcnemar" if exact else "score", TESTED: figure}
    row["small"] = len(both) < FEW_QUESTIONS or rescues + regressions < FEW_DISCORDANT
    return {**row, **uncounted}


def failures(pairs: Pairs) -> Row:
    """Of either side the part of its answers that failed."""
    sides = zip(*(pair for several in pairs.values() for pair in several), strict=True)
    parts = [failed_part(grade for value in side for grade in value.grades) for side in sides]
    return {"failed": dict(zip("ab", parts, strict=True))} if any(parts) else {}


def errors_apart(row: Row, pairs: Pairs) -> Row:
    """What the first abstained from and the second had right is taken out of the errors that it made."""
    back = {q for q, several in pairs.items() if any(isinstance(g, KeptBack) for one, _ in several for g in one.grades)}
    if row["regressions"] is None or not back:
        return row
    many = 0
    for question in back:
        both = [(a, b) for one, other in pairs[question] if None not in (a := one.known, b := other.known)]
        many += sum((a or 0.0) - (b or 0.0) for a, b in both) < -1e-12
    return {**row, "regressions": row["regressions"] - many, "abstained": many}


def apart_on_both_sides(row: Row, pairs: Pairs) -> Row:
    """Of two either of whom may keep an answer back: nothing said, and the other right, is told apart from better and worse."""
    silent = [{q for q, several in pairs.items() if any(_keeps(pair[side]) for pair in several)} for side in (0, 1)]
    if row["rescues"] is None or not any(silent):
        return row
    gained: dict[str, float] = {}
    for question, several in pairs.items():
        both = [(one.known, other.known) for one, other in several if None not in (one.known, other.known)]
        gained[question] = sum((a or 0.0) - (b or 0.0) for a, b in both)
    mine = sum(gained[question] < -1e-12 for question in silent[0])
    theirs = sum(gained[question] > 1e-12 for question in silent[1])
    counts = {"rescues": row["rescues"] - theirs, "regressions": row["regressions"] - mine}
    return {**row, **counts, "worse_by_abstaining": {"a": mine, "b": theirs}}


def _keeps(value: Value) -> bool:
    return any(isinstance(grade, KeptBack) for grade in value.grades)


End = Callable[[Value, Value], tuple[float | None, float | None]]
GRADED = "interval over what is graded alone"


def worst(one: Value, other: Value) -> tuple[float | None, float | None]:
    return one.worst, other.best


def best(one: Value, other: Value) -> tuple[float | None, float | None]:
    return one.best, other.worst


def _at_end(pairs: Pairs, end: End, exact: bool) -> Difference:
    """Were all that waits at its worst for the difference, or at its best; without what will never be graded."""
    by_question = [
        [(fixed(one), fixed(other)) for one, other in several if None not in end(one, other)]
        for several in pairs.values()
    ]
    means = [extremes(several)[end is best] for several in by_question if several]
    return Difference.of_pairs(means) if exact else Difference(means)


def bounds(pairs: Pairs) -> Row:
    """Lowest where what is open is wrong for the first and right for the second."""
    sides = [(mean_value([one for one, _ in p]), mean_value([other for _, other in p])) for p in pairs.values()]
    if not any(value.open for pair in sides for value in pair):
        return {}
    left_out = sum(all(None in (a.known, b.known) for a, b in several) for several in pairs.values())
    ends = [extremes(several) for several in pairs.values()]
    low, high = (mean([end[place] for end in ends]) for place in (0, 1))
    return {"ungraded": left_out, "bounds": {"low": low, "high": high}}


def fixed(value: Value) -> Value:
    """What will never be graded stays at the mean of the rest."""
    if value.waits or value.known is None:
        return value
    return Value(value.known, value.known, value.known, value.grades)


def extremes(several: Sequence[tuple[Value, Value]]) -> tuple[float, float]:
    """The least and the most that one question's difference can be: every way to grade the words that were said, and
    whatever else is open as it may be."""
    words = sorted({word for pair in several for value in pair for word, _ in value.said})
    found = []
    for marks in product((0.0, 1.0), repeat=len(words)):
        right = dict(zip(words, marks, strict=True))
        one, other = (
            [value.least + sum(right[w] * p for w, p in value.said) for value in side]
            for side in zip(*several, strict=True)
        )
        rest = [[v.most - v.least - sum(p for _, p in v.said) for v in side] for side in zip(*several, strict=True)]
        found.append((mean(one) - mean(other) - mean(rest[1]), mean(one) - mean(other) + mean(rest[0])))
    return min(low for low, _ in found), max(high for _, high in found)


def adjusted(rows: Sequence[Row]) -> list[Row]:
    """Holm over all rows that have a p; an interval that the ungraded answers could turn round says so."""
    said = [{**row, "why": ANY_TEXT} if turned(row) else row for row in rows]
    return paid(said)


def paid(rows: Sequence[Row], *, before: str = "", chosen_from: int = 0) -> list[Row]:
    """Holm alone; `before`: what `low_holm` and `high_holm` begin with; `chosen_from`: so many were there to choose from."""
    tested = [row for row in rows if TESTED in row]
    others = [1.0] * (chosen_from - len(tested)) if tested else []
    family = len(tested) + len(others)
    levels = iter(holm([*(row[TESTED].p for row in tested), *others]))
    finished = []
    for row in rows:
        kept = {key: value for key, value in row.items() if key not in (TESTED, GRADED)}
        p_holm: Any = None
        low, high = None, None
        if TESTED in row:
            p_holm, level = next(levels)
            low, high = row[TESTED].limits(level)
            if isinstance(row["p"], Near):
                p_holm = Near(p_holm, family * row["p"].within)
        finished.append(
            {**kept, "p_holm": p_holm, f"{before}low_holm": low, f"{before}high_holm": high, "family": family}
        )
    return finished


def turned(row: Row) -> bool:
    """Whether it is clear over what is graded, and not over all."""
    low, high = row.get(GRADED) or (row["low"], row["high"])
    if low is None or low <= 0 <= high or "bounds" not in row:
        return False
    if low > 0:
        return bool(row["low"] <= 0 or row["bounds"]["low"] <= 0)
    return bool(row["high"] >= 0 or row["bounds"]["high"] >= 0)
