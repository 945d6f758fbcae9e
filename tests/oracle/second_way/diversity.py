"""How many different answers the players gave, and how strategies do by it; whether captains favour their own draft."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from scipy import optimize, stats

from second_way.claims_tables import clusters
from second_way.compare import ANY_TEXT
from second_way.intervals import Limits, Rho, farther_out, mean, share_interval, waiting_interval
from second_way.meanings import Groups
from second_way.quiz_pairs import TESTED
from second_way.raw import Raw
from second_way.shares import filled, graded, untold
from second_way.skyline import heard_row
from second_way.tables import Key, Play, Table, everybody_there, parts
from second_way.tails import t_sf

Row = dict[str, Any]
THIRDS = ("easy", "medium", "hard")


def fullest_groups(plays: Sequence[Play]) -> dict[Key, Groups]:
    """Of each set of drafts the groups that hold most players; of equals the first by name, the order of players apart."""
    found: dict[Key, list[Groups]] = {}
    for play in plays:
        if play.groups:
            found.setdefault(play.key, []).append(tuple(sorted(tuple(sorted(group)) for group in play.groups)))
    return {key: min(several, key=lambda groups: (-sum(map(len, groups)), groups)) for key, several in found.items()}


Counts = Mapping[Key, tuple[int, int]]
"""Of each set of drafts the least and the most different answers that there may have been."""


def possible_numbers(table: Table) -> dict[Key, tuple[int, int]]:
    """Where everybody was heard somewhere there is one number, unless an answer stands in no group. Where a play went on
    without somebody who was never heard, each of those may have said what others did, or something new."""
    numbers = {}
    fullest = fullest_groups(table.plays)
    for key in {play.key for play in table.plays}:
        groups = max(fullest.get(key, ()), table.known.get(key, ()), key=lambda found: sum(map(len, found)))
        grouped = {player for group in groups for player in group}
        alone = [play for play in table.alone if play.key == key]
        missing = {p.player for p in alone if not p.heard or (p.answered and p.player not in grouped)}
        coming = table.coming.get(key, set()) - grouped
        missing |= coming
        if missing and (coming or key in table.known):
            numbers[key] = max(1, len(groups)), len(groups) + len(missing)
        elif groups and not missing:
            numbers[key] = len(groups), len(groups)
    return numbers


def number_of_answers(table: Table) -> dict[Key, int]:
    """Of each set of drafts of which it is known."""
    stopped = _open(table)
    return {key: low for key, (low, _) in possible_numbers(table).items() if key not in stopped}


def _open(table: Table) -> set[Key]:
    """Sets of drafts in which somebody is missing: the number may happen to be one only, and is not known all the same."""
    fullest = fullest_groups(table.plays)
    found = set()
    for key in table.known:
        grouped = {p for groups in (fullest.get(key, ()), table.known[key]) for group in groups for p in group}
        alone = [play for play in table.alone if play.key == key]
        if any(not play.heard or (play.answered and play.player not in grouped) for play in alone):
            found.add(key)
    return found | set(open_again(table))


def open_again(table: Table) -> dict[Key, tuple[int, int]]:
    """Sets of drafts in which there may be an answer more once all are reached: how many there may be."""
    every, fullest = possible_numbers(table), fullest_groups(table.plays)
    heard = {
        key: {p for groups in (fullest.get(key, ()), table.known.get(key, ())) for group in groups for p in group}
        for key in table.coming
    }
    return {key: every[key] for key, names in table.coming.items() if key in every and names - heard[key]}


def diversity(raw: Raw, table: Table) -> Row:
    """The curve; the same by difficulty; and Spearman of d with how many people solved a question."""
    distinct, every = number_of_answers(table), possible_numbers(table)
    unknown = {key: every[key] for key in every.keys() - distinct.keys()}
    rates = {question: row["human"][0] / row["human"][1] for question, row in raw.questions.items() if row.get("human")}
    rates = {question: rate for question, rate in rates.items() if any(p.question == question for p in table.plays)}
    led = parts([play for play in table.together if play.captain is not None], lambda play: play.captain)
    by_captain = [
        {**row, "captain": captain} for captain, plays in led.items() for row in _curve(plays, distinct, unknown)
    ]
    by_strategy = parts(table.plays, lambda play: play.strategy).values()
    level = [play for plays in by_strategy for play in everybody_there(plays)]
    curve = _curve(level, distinct, unknown)
    left_out = {play.question for play in table.plays if play.key not in distinct}
    rows: Row = {
        "diversity": curve,
        "diversity_captains": sorted(by_captain, key=lambda row: (row["d"], row["strategy"], row["captain"])),
        "diversity_left_out": len(left_out) if curve and table.cells else 0,
    }
    if rates:
        rows["diversity_by_difficulty"] = _by_difficulty(level, distinct, unknown, rates)
        rows["diversity_and_people"] = _with_people(raw, distinct, rates)
        if any(question in rates for question, _ in unknown):
            rows["diversity_and_people"] = {**dict.fromkeys(("rho", "low", "high", "p")), "n": 0, "why": ANY_TEXT}
    return rows


def _curve(plays: Sequence[Play], distinct: Mapping[Key, int], unknown: Counts) -> list[Row]:
    rows = []
    for d in sorted({distinct[play.key] for play in plays if play.key in distinct}):
        for strategy, of_strategy in parts(plays, lambda play: play.strategy).items():
            surely = [play for play in of_strategy if distinct.get(play.key) == d]
            perhaps = [p for p in of_strategy if p.key in unknown and unknown[p.key][0] <= d <= unknown[p.key][1]]
            if surely and perhaps:
                ends = _least(surely, perhaps, 0.0), 1 - _least(surely, perhaps, 1.0)
                row: Row = {"accuracy": None, "low": None, "high": None, "n": 0, "why": ANY_TEXT}
                row |= {"bounds": dict(zip(("low", "high"), ends, strict=True))}
                rows.append({"d": d, "strategy": strategy, **row, "unplaced": len({play.question for play in perhaps})})
            elif surely:
                rows.append({"d": d, "strategy": strategy, **heard_row(surely, "accuracy")})
    return rows


def _least(surely: Sequence[Play], perhaps: Sequence[Play], open_as: float) -> float:
    """The least that the mean can be, whichever of the others are here; of what is wrong (`open_as` 1) instead of right.

    Every choice among the repeats of a question is tried. Then it is the mean that no question which may be left out can
    lower: the sum of what lies below it, and of all that must be here, is nothing.
    """
    here, elsewhere = [], []
    for question in {play.question for play in (*surely, *perhaps)}:
        own = _worth([play for play in surely if play.question == question], open_as)
        sets = [
            _worth(plays, open_as)
            for plays in parts([play for play in perhaps if play.question == question], lambda p: p.key).values()
        ]
        tried = [
            [*own, *(value for several in some for value in several)]
            for size in range(len(sets) + 1)
            for some in combinations(sets, size)
        ]
        (here if own else elsewhere).append(min(mean(values) for values in tried if values))

    def over(level: float) -> float:
        return math.fsum([value - level for value in here]) + math.fsum(min(0.0, v - level) for v in elsewhere)

    lowest, highest = min([*here, *elsewhere]), mean(here)
    if over(highest) >= 0 or lowest == highest:
        return highest
    return float(optimize.brentq(over, lowest, highest, xtol=1e-15))


def _worth(plays: Sequence[Play], open_as: float) -> list[float]:
    values = filled([play.right for play in plays], open_as)
    return [1 - value for value in values] if open_as else values


def thirds(rates: Mapping[str, float]) -> dict[str, str]:
    """By rank, equal rates by their mean rank: the easiest are what most people solved."""
    questions = sorted(rates)
    ranks = stats.rankdata([-rates[question] for question in questions], method="average")
    return {q: THIRDS[min(2, int((rank - 0.5) * 3 / len(ranks)))] for q, rank in zip(questions, ranks, strict=True)}


def _by_difficulty(
    plays: Sequence[Play], distinct: Mapping[Key, int], unknown: Counts, rates: Mapping[str, float]
) -> list[Row]:
    third, rows = thirds(rates), []
    for name in THIRDS:
        here = [play for play in plays if third.get(play.question) == name]
        for row in _curve(here, distinct, unknown):
            own = [play for play in here if play.strategy == row["strategy"]]
            of_d = {play.question for play in own if distinct.get(play.key) == row["d"]}
            may_be = any(p.key in unknown and unknown[p.key][0] <= row["d"] <= unknown[p.key][1] for p in own)
            human = None if may_be else mean([rates[question] for question in sorted(of_d)])
            rows.append({"difficulty": name, **row, "human": human})
    return rows


def _with_people(raw: Raw, distinct: Mapping[Key, int], rates: Mapping[str, float]) -> Row | None:
    """Fisher's z with the variance of Bonett and Wright; p by Student's t. A pair is as likely to be of the same cluster as
    another as it would be with so many clusters of equal size: these are the pairs that count."""
    by_question: dict[str, list[int]] = {}
    for (question, _), d in distinct.items():
        by_question.setdefault(question, []).append(d)
    both = [question for question in by_question if question in rates]
    pairs = [(mean(by_question[question]), rates[question]) for question in both]
    if len(pairs) < 2 or any(len({round(pair[side], 12) for pair in pairs}) < 2 for side in (0, 1)):
        return None
    one, other = (stats.rankdata([round(pair[side], 12) for pair in pairs]) for side in (0, 1))
    rho = float(stats.pearsonr(one, other).statistic)
    row: Row = {"rho": rho, "low": None, "high": None, "n": len(pairs), "p": None}
    names = clusters(raw, both) or both
    n = math.floor(1 / mean([names.count(name) / len(names) for name in names]) + 1e-9)
    perfect = abs(rho) > 1 - 1e-12
    if n > 2 and not perfect:
        row["p"] = float(2 * t_sf(abs(rho) * math.sqrt((n - 2) / (1 - rho**2)), n - 2))
        row[TESTED] = Rho(rho, n, row["p"])
    if n < 5 or perfect:
        return {**row, "why": ANY_TEXT}
    return {**row, **dict(zip(("low", "high"), row[TESTED].limits(), strict=True))}


def self_preference(table: Table) -> list[Row]:
    rows: list[Row] = []
    led = [play for play in table.together if play.captain is not None]
    for strategy, plays in parts(led, lambda play: play.strategy).items():
        if all(play.own is None for play in plays):
            continue
        groups = fullest_groups(plays)
        by_captain: dict[Any, list[Play]] = parts(plays, lambda play: play.captain)
        by_captain |= {None: plays} if len(by_captain) > 1 else {}
        for captain, several in by_captain.items():
            rows.append({"strategy": strategy, "captain": captain, **_favours(several, groups)})
    return rows


def _favours(plays: Sequence[Play], groups: Mapping[Key, Groups]) -> Row:
    known = [play for play in plays if play.own is not None]
    own, other = ([play for play in known if play.own is wanted] for wanted in (True, False))
    asked = [play for play in plays if play.asked]
    row: Row = {"n": len(known), "unknown": len(asked) - len(known), "not_asked": len(plays) - len(asked)}
    if ungraded := sum(not graded(play.right) for play in known):
        row["ungraded"] = ungraded
    observed: dict[str, list[tuple[str, float]]] = {
        "self_choice": [(play.question, float(bool(play.own))) for play in known],
        "accuracy_self": _graded(own),
        "accuracy_not_self": _graded(other),
        "self_and_majority": [(p.question, _in_largest(p, groups[p.key])) for p in own if p.key in groups],
        "novel": [(play.question, float(play.novel)) for play in plays if play.novel is not None],
    }
    most = max(Counter(play.question for play in plays).values())
    for name, seen in observed.items():
        # How many plays of a question ended on the captain's own draft, or did not, is an outcome.
        row |= _rate(name, seen, 1 if name in ("self_choice", "novel") else most)
    if any(side and row[key] is None for side, key in ((own, "accuracy_self"), (other, "accuracy_not_self"))):
        row["why"] = ANY_TEXT
    for name, side in (("accuracy_self", own), ("accuracy_not_self", other)):
        if not all(graded(play.right) for play in side):
            ends = (mean(filled([play.right for play in side], open_as)) for open_as in (0.0, 1.0))
            row[f"{name}_bounds"] = dict(zip(("low", "high"), ends, strict=True))
        if row[name] is not None and any(play.right is None for play in side):
            row[f"{name}_low"], row[f"{name}_high"] = _waiting(row[name], side, most)
    return row


def _waiting(value: float, plays: Sequence[Play], most: int) -> Limits:
    """Whatever those that wait turn out to be; plays that nobody will grade are no part of it."""
    there = [play for play in plays if graded(play.right) or play.right is None]
    by_question = [[play.right for play in part] for part in parts(there, lambda play: play.question).values()]
    worst, best = ([mean(filled(part, end)) for part in by_question] for end in (0.0, 1.0))
    sizes = [float(len(part)) for part in by_question]
    usual = waiting_interval(value, worst, best, sizes=sizes)
    low, high = (
        farther_out(usual, [(share * size, size) for share, size in zip(end, sizes, strict=True)], most)[side]
        for side, end in enumerate((worst, best))
    )
    return low, high


def _graded(plays: Sequence[Play]) -> list[tuple[str, float]]:
    if untold([[play.right] for play in plays]):
        return []
    return [(play.question, right) for play in plays if graded(right := play.right)]


def _in_largest(play: Play, groups: Groups) -> float:
    largest = max(map(len, groups))
    return float(any(play.captain in group and len(group) == largest for group in groups))


def _rate(name: str, seen: Sequence[tuple[str, float]], most: int) -> Row:
    """Over plays; those of one question, of which there are no more than `most`, are one piece of evidence."""
    counts: dict[str, tuple[float, float]] = {}
    for question, value in seen:
        top, bottom = counts.get(question, (0.0, 0.0))
        counts[question] = top + value, bottom + 1
    pieces = list(counts.values())
    low, high = farther_out(share_interval(pieces), pieces, most)
    total = math.fsum(value for _, value in seen)
    values = (total / len(seen) if seen else None, low, high, total, len(seen))
    return dict(zip((name, *(f"{name}_{part}" for part in ("low", "high", "count", "n"))), values, strict=True))
