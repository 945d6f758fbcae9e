"""Accuracy and cost, option by option; and the smallest differences that a run could have shown."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from second_way.claims_tables import clusters, ends_of, table_of
from second_way.cohort_gap import FOLDS, _folds
from second_way.compare import ANY_TEXT, Holds, Near
from second_way.hanging import together
from second_way.intervals import ALPHA, holm, mean, waiting_interval
from second_way.luck import SIDE, Floats, paid_low, standing
from second_way.options import Option, gone
from second_way.quiz import quiz
from second_way.quiz_pairs import FEW_DISCORDANT, FEW_QUESTIONS
from second_way.ranked import Ranked
from second_way.raw import Episode, Raw
from second_way.shares import Value, completed, mean_row, value_of
from second_way.tails import t_isf

Row = dict[str, Any]


def frontier(raw: Raw, every: Mapping[str, Option]) -> list[Row]:
    ranked = Ranked({title: side.values for title, side in every.items()})
    out = of_unknown_cost(raw, every)
    if len(ranked.names) - len(out) < 2 or len(ranked.questions) < 2:
        return []
    sides = [side.on(ranked.questions) for title, side in every.items() if title in ranked.names and title not in out]
    unpriced = [every[title].on(ranked.questions) for title in out]
    asked = [question for question in raw.questions if question in ranked.questions]
    usd = [side.cost_usd for side in sides]
    money = all(cost is not None for cost in usd) and any(sum((cost or {}).values()) > 0 for cost in usd)
    known = _whole_in_common(sides)
    paid_for = [(cost if money else side.calls) or {} for cost, side in zip(usd, sides, strict=True)]
    costs = [{question: cost[question] for question in asked if question in known} for cost in paid_for]
    dearer = [[_dearer(one, other) for other in costs] for one in costs]
    # Not dearer for sure, were the chance of error shared by all others: these could have been the best within a cost.
    shared = ALPHA / (len(sides) - 1)
    perhaps = [[other for other in range(len(sides)) if not _told(costs[other], cost, shared)] for cost in costs]
    folds = _folds(raw, ranked.questions)
    parts = min(FOLDS, len(folds))
    learnt = [[_least(side, [q for q in folds if folds[q] != fold]) for side in sides] for fold in range(parts)]
    reached = [_least(side, ranked.questions) for side in sides]
    table = table_of(sides, asked)
    means = not all(side.once for side in sides)
    groups = clusters(raw, asked)
    affordable = [[place for place in range(len(sides)) if not dearer[place][own]] for own in range(len(sides))]
    paid = [mean([*cost.values()]) if cost else 0.0 for cost in costs]
    thrift = _thrift(sides, paid, known)
    others_gone = len(gone(raw, [cell for cell in raw.cells if cell.player is None] or raw.cells)) + len(unpriced)
    beaten = _beaten(raw, sides, table, asked, affordable, thrift, groups, means=means, others_gone=others_gone)
    rows = []
    for own in sorted(
        range(len(sides)), key=lambda place: (round(paid[place], 12), -round(reached[place], 12), sides[place].title)
    ):
        side = sides[own]
        row: Row = {"of": side.title, "cost": paid[own], "beaten_by": beaten[own]}
        row |= {"cost_n": len(known)} if len(known) < len(asked) else {}
        row |= mean_row([*table[own][~np.isnan(table[own])]], "accuracy", side.values)
        row |= {"on_frontier": _undominated(reached, dearer, own), "of_folds": parts}
        row["folds"] = sum(_undominated(fold, dearer, own) for fold in learnt)
        payers = sorted({*affordable[own], *perhaps[own]})
        row |= _within(sides, table, affordable[own], payers, lambda place: (round(reached[place], 12), *thrift[place]))
        row |= {"within_low": None, "within_high": None} if unpriced else {}  # who may be within it, nobody knows
        row |= _within_bounds(raw, sides, affordable[own], unpriced, row["within_of"])
        row |= {} if ranked.alike else {"ranked_on": len(ranked.questions)}
        row |= {"strategy": side.cells[0].strategy, "label": side.cells[0].label}
        row |= {"alone": side.alone, "unit": "usd" if money else "calls"}
        played = [value for question, value in side.values.items()]
        if any(value.open for value in played):
            row |= {"ungraded": sum(v.most - v.least for v in played), "bounds": ends_of(played)}
            row |= {} if row["n"] else {"why": ANY_TEXT}
        rows.append(row)
    return rows


def _least(side: Option, questions: Sequence[str]) -> float:
    values = [side.value(question) for question in questions]
    if all(value.known is None for value in values):
        return -math.inf
    return mean([value.least for value in values])


def _dearer(one: Mapping[str, float], other: Mapping[str, float]) -> bool:
    """Beyond Student's interval of what they differ by on the questions that both were asked, or by more than a tenth of the
    other's cost there, unless it is one question that makes all the difference."""
    both = [question for question in one if question in other]
    if not both:
        return False
    differences = [one[question] - other[question] for question in both]
    tenth = math.fsum(other[question] for question in both) / len(both) / 10
    several = sum(value != 0 for value in differences) > 1
    return _told(one, other, ALPHA) or (several and mean(differences) > max(1e-12, tenth + 1e-9))


def _told(one: Mapping[str, float], other: Mapping[str, float], alpha: float) -> bool:
    """Whether the first costs more than the second by Student's test over what hangs together: each piece gives what its
    questions differ by, less as many times the mean."""
    pieces = together([question for question in one if question in other])
    every = [one[question] - other[question] for piece in pieces for question in piece]
    if not every or mean(every) <= 1e-12:
        return False
    if len(pieces) == 1:
        return len({*every}) == 1
    off = [math.fsum(one[question] - other[question] - mean(every) for question in piece) for piece in pieces]
    error = math.sqrt(math.fsum(value**2 for value in off) * len(off) / (len(off) - 1)) / len(every)
    return mean(every) > error * float(t_isf(alpha / 2, len(off) - 1))


def _thrift(sides: Sequence[Option], paid: Sequence[float], known: Collection[str]) -> list[tuple[float, float, int]]:
    """Of equals the higher one stands: less cost, fewer calls, a name that comes earlier."""
    titles = sorted((side.title for side in sides), reverse=True)
    calls = [mean([side.calls[question] for question in known]) for side in sides]
    return [
        (-round(cost, 12), -round(asked, 12), titles.index(side.title))
        for side, cost, asked in zip(sides, paid, calls, strict=True)
    ]


def _undominated(reached: Sequence[float], dearer: Sequence[Sequence[bool]], own: int) -> bool:
    """Nobody who costs no more is better, nobody who costs less is as good."""
    return not any(
        (not dearer[other][own] and reached[other] > reached[own] + 1e-12)
        or (dearer[own][other] and reached[other] >= reached[own] - 1e-12)
        for other in range(len(reached))
    )


def _within(
    sides: Sequence[Option],
    table: Floats,
    affordable: Sequence[int],
    payers: Sequence[int],
    merit: Callable[[int], tuple[float, ...]],
) -> Row:
    best = max(affordable, key=merit)
    figure = mean_row([*table[best][~np.isnan(table[best])]], every=sides[best].values)
    low = figure["low"]
    if figure["n"]:
        low = chosen_low(table[payers], figure, sides[best].values)
    return {"within": figure["value"], "within_low": low, "within_high": figure["high"], "within_of": sides[best].title}


def _within_bounds(
    raw: Raw, sides: Sequence[Option], affordable: Sequence[int], unpriced: Sequence[Option], best: str
) -> Row:
    """Whichever of them turns out to be the highest: each end is the highest of theirs. So may be whoever costs nobody knows
    what; and a play that lacks a call may come to anything."""
    ends = [_ends_completed(raw, sides[place]) for place in affordable]
    low = max(each["low"] for each in ends)
    high = max(each["high"] for each in (*ends, *(_ends_completed(raw, side) for side in unpriced)))
    (own,) = [side for side in sides if side.title == best]
    if any(value.open for value in own.values.values()) or high > low + 1e-12:
        return {"within_bounds": {"low": low, "high": high}}
    return {}


def _ends_completed(raw: Raw, side: Option) -> Row:
    """Over all questions, be every play that lacks a call wrong, or right; of served traffic nobody asks anything again."""
    completed_ends = _completed(raw, side)
    ends = [completed_ends.get(question, (value.least, value.most)) for question, value in side.values.items()]
    return {"low": mean([low for low, _ in ends]), "high": mean([high for _, high in ends])}


def _completed(raw: Raw, side: Option) -> dict[str, tuple[float, float]]:
    """The least and the most that questions can come to of which a play lacks a call."""
    plays: dict[str, list[Episode]] = {}
    for episode in (each for own in side.episodes for each in own):
        plays.setdefault(episode.question, []).append(episode)
    ends = {}
    for question, several in plays.items() if not raw.config.get("served") else ():
        whole = [value_of([play.right], [play.answer]) for play in several if not (play.unreached or play.lacks_calls)]
        if missing := len(several) - len(whole):
            least, most = sum(each.least for each in whole), sum(each.most for each in whole) + missing
            ends[question] = least / len(several), most / len(several)
    return ends


def _whole_in_common(sides: Sequence[Option]) -> set[str]:
    """The questions of which no play of any of them lacks a call."""
    return set.intersection(*({*side.calls} for side in sides))


def of_unknown_cost(raw: Raw, every: Mapping[str, Option]) -> list[str]:
    """Of those that are ranked, who has too few questions in common with the others on which it lacks no call; all, where no two
    have two."""
    ranked = Ranked({title: side.values for title, side in every.items()})
    if len(ranked.names) < 2 or len(ranked.questions) < 2:
        return []
    known = Ranked({title: {**every[title].on(ranked.questions).calls} for title in ranked.names})
    if len(known.names) < 2 or len(known.questions) < 2:
        return [*ranked.names]
    return [title for title in ranked.names if title not in known.names]


def chosen_low(table: Any, row: Row, values: Mapping[str, Value]) -> Any:
    """Where answers wait, the end with all of them wrong is what pays."""
    if row["low"] is None or not any(value.waits for value in values.values()):
        return paid_low(table, row["value"], row["low"])
    worst, best = completed(values.values())
    at = mean(worst)
    low = waiting_interval(at, worst, best)[0]
    return paid_low(table, at, low) if len(table) > 1 else row["low"]


def _beaten(
    raw: Raw,
    sides: Sequence[Option],
    table: Floats,
    asked: Sequence[str],
    affordable: Sequence[Sequence[int]],
    thrift: Sequence[tuple[float, float, int]],
    groups: Sequence[str] | None,
    *,
    means: bool,
    others_gone: int,
) -> list[OneOf]:
    """Who is better than each, of those that cost no more: Holm over all rows and those of options that are gone, of which any
    may be called beaten in 5 % of experiments where none is. The points are drawn, so that near the level it may be one or the
    other."""
    rivals = [
        sorted({*several} - {own}, key=thrift.__getitem__, reverse=True) for own, several in enumerate(affordable)
    ]
    worst, best = _at_ends(raw, sides, table, asked)
    found = [standing(best[own], worst[others], groups, means=means) for own, others in enumerate(rivals)]
    adjusted = [[p for p, _ in holm([*(one.p[end] for one in found), *[1.0] * others_gone])] for end in (0, 1)]
    rows = []
    for own, one in enumerate(found):
        may_be: set[str | None] = set()
        if one.place is None or adjusted[1][own] > 2 * SIDE:
            may_be.add(None)
        if one.place is not None and adjusted[0][own] <= 2 * SIDE:
            better = rivals[own][one.place]
            least, most = _ends_completed(raw, sides[better])["low"], _ends_completed(raw, sides[own])["high"]
            may_be.add(sides[better].title if least > most + 1e-12 else None)
        rows.append(_one_of(may_be))
    return rows


def _at_ends(raw: Raw, sides: Sequence[Option], table: Floats, asked: Sequence[str]) -> tuple[Floats, Floats]:
    """With all that waits or lacks a call wrong, and right; nothing of an option whose accuracy is not known."""
    worst, best = table.copy(), table.copy()
    for place, side in enumerate(sides):
        for column, question in enumerate(asked):
            value = side.values.get(question)
            if value is not None and value.waits and not np.isnan(table[place]).all():
                worst[place, column], best[place, column] = value.least, value.most
        for question, ends in _completed(raw, side).items() if not np.isnan(table[place]).all() else ():
            worst[place, asked.index(question)], best[place, asked.index(question)] = ends
    return worst, best


@dataclass(frozen=True)
class OneOf(Holds):
    names: frozenset[str | None] = frozenset()


def _one_of(names: Iterable[str | None]) -> OneOf:
    few = frozenset(names)
    return OneOf(lambda name: name in few, f"one of {[*few]}", few)


def beaten_again(rows: Sequence[Row], again: Sequence[Row]) -> list[Row]:
    """Whoever is not beaten by the same `again`, where plays without somebody may come to anything, is beaten by nobody."""
    names = {row["of"]: row["beaten_by"].names for row in again}
    told = [(row, row["beaten_by"].names, names.get(row["of"], {None})) for row in rows]
    return [
        {**row, "beaten_by": _one_of(one if one == other else None for one in here for other in there)}
        for row, here, there in told
    ]


# ---------------------------------------------------------------- what could have been seen


def power_rows(raw: Raw, headline: Row | None) -> Iterable[Row]:
    """Whose it is stands in front where players sit in several teams, or the comparisons say it."""
    several = len({cell.team for cell in raw.cells if cell.player is None}) > 1
    if several or any("team" in row for row in quiz(raw).get("comparisons", ())):
        yield from ({"team": team, **row} for team, row in _power_by_team(raw, headline))
    else:
        yield from (row for _, row in _power_by_team(raw, headline))


def _power_by_team(raw: Raw, headline: Row | None) -> Iterable[tuple[str | None, Row]]:
    if headline and (over := headline["over_best_single"]):
        for row in _power(headline["of"], "best single", over, over["options"]):
            if all(one["discordant"] is not None for one in over["each"]):
                yield headline["team"], {**row, **_over_each(over["each"], over["options"])}
    if headline and (over := headline["over_captain"]):
        for row in _power(headline["of"], "its captain", over, over["family"]):
            yield headline["team"], row
    for compared in quiz(raw).get("comparisons", ()):
        for row in _power(compared["a"], compared["b"], compared, compared["family"]):
            yield compared.get("team"), row


def _power(a: str, b: str, row: Mapping[str, Any], family: int) -> Iterable[Row]:
    if row["test"] != "mcnemar" or row["rescues"] is None:
        return
    pairs, n = row["rescues"] + row["regressions"] + row.get("abstained", 0), row["n"]
    yield {
        "a": a,
        "b": b,
        "n": n,
        "discordant": pairs,
        "discordance": pairs / n,
        "detectable": _detectable(n, pairs / n, family),
        "family": family,
        "power": 0.8,
        "alpha": ALPHA,
        "small": n < FEW_QUESTIONS or pairs < FEW_DISCORDANT,
    }


def _over_each(each: Sequence[Row], options: int) -> Row:
    """All singles have to be beaten: at the least whoever is hardest to tell from; at the most each in its part of runs."""
    part = 1 - 0.2 / len(each)
    at_least = [_detectable(one["n"], one["discordant"] / one["n"], options) for one in each]
    at_most = [_detectable(one["n"], one["discordant"] / one["n"], options, part) for one in each]
    rows = [
        {**one, "discordance": one["discordant"] / one["n"], "detectable": least}
        for one, least in zip(each, at_least, strict=True)
    ]
    return {"detectable": _hardest(at_most), "detectable_low": _hardest(at_least), "each": rows}


def _hardest(values: Sequence[Near | None]) -> Near | None:
    found = [value for value in values if value is not None]
    return max(found, key=lambda value: value.value or 0.0) if len(found) == len(values) else None


def _detectable(n: int, discordance: float, family: int, wanted: float = 0.8) -> Near | None:
    """The smallest difference that exact McNemar at alpha by the family finds in 80 % of runs with so many discordant pairs:
    every number of pairs, every way they can fall."""
    if n < 2 or discordance <= 0:
        return None

    def power(gain: float) -> float:
        better = (discordance + gain) / (2 * discordance)
        total = 0.0
        for pairs in range(n + 1):
            wins = np.arange(pairs + 1)
            tail = 2 * stats.binom.cdf(np.minimum(wins, pairs - wins), pairs, 0.5)
            found = (tail <= ALPHA / family) & (2 * wins != pairs)
            total += stats.binom.pmf(pairs, n, discordance) * stats.binom.pmf(wins, pairs, better)[found].sum()
        return float(total)

    if power(discordance) < wanted:
        return None
    low, high = 0.0, discordance
    for _ in range(14):
        middle = (low + high) / 2
        low, high = (low, middle) if power(middle) >= wanted else (middle, high)
    return Near(high, 2e-4 * discordance)
