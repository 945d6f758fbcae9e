"""How many different answers the players gave, and how strategies do by it; whether captains favour their own draft."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from scipy import stats

from second_way.compare import ANY_TEXT
from second_way.intervals import Rho, mean, share_interval, waiting_interval
from second_way.meanings import Groups
from second_way.quiz_pairs import TESTED
from second_way.raw import Raw
from second_way.shares import filled, graded, unfair
from second_way.skyline import heard_row
from second_way.tables import Key, Play, Table, parts

Row = dict[str, Any]
THIRDS = ("easy", "medium", "hard")


def fullest_groups(plays: Sequence[Play]) -> dict[Key, Groups]:
    """Of each set of drafts the groups that hold most players; of equals the first by name, the order of players apart."""
    found: dict[Key, list[Groups]] = {}
    for play in plays:
        if play.groups:
            found.setdefault(play.key, []).append(tuple(sorted(tuple(sorted(group)) for group in play.groups)))
    return {key: min(several, key=lambda groups: (-sum(map(len, groups)), groups)) for key, several in found.items()}


def number_of_answers(table: Table) -> dict[Key, int]:
    """Of each set of drafts of which everybody was heard, and everybody who answered stands in a group."""
    distinct = {}
    for key, groups in fullest_groups(table.plays).items():
        alone = [play for play in table.alone if play.key == key]
        grouped = {player for group in groups for player in group}
        if all(play.heard and (play.player in grouped or not play.answered) for play in alone):
            distinct[key] = len(groups)
    return distinct


def diversity(raw: Raw, table: Table) -> Row:
    """The curve; the same by difficulty; and Spearman of d with how many people solved a question."""
    distinct = number_of_answers(table)
    rates = {question: row["human"][0] / row["human"][1] for question, row in raw.questions.items() if row.get("human")}
    rates = {question: rate for question, rate in rates.items() if any(p.question == question for p in table.plays)}
    rows: Row = {
        "diversity": _curve(table.plays, distinct),
        "diversity_captains": _by_captain(table.together, distinct),
        "diversity_left_out": len({play.question for play in table.plays if play.key not in distinct and table.cells}),
    }
    if rates:
        rows["diversity_by_difficulty"] = _by_difficulty(table.plays, distinct, rates)
        rows["diversity_and_people"] = _with_people(distinct, rates)
    return rows


def _curve(plays: Sequence[Play], distinct: Mapping[Key, int]) -> list[Row]:
    placed = [play for play in plays if play.key in distinct]
    return [
        {"d": d, "strategy": strategy, **heard_row(of_strategy, "accuracy")}
        for d in sorted(set(distinct.values()))
        for strategy, of_strategy in parts(
            [play for play in placed if distinct[play.key] == d], lambda play: play.strategy
        ).items()
    ]


def _by_captain(together: Sequence[Play], distinct: Mapping[Key, int]) -> list[Row]:
    led = [play for play in together if play.captain is not None and play.key in distinct]
    places = sorted({(distinct[play.key], play.strategy, str(play.captain)) for play in led})
    return [
        {
            "d": d,
            "strategy": strategy,
            "captain": captain,
            **heard_row(
                [p for p in led if (distinct[p.key], p.strategy, p.captain) == (d, strategy, captain)], "accuracy"
            ),
        }
        for d, strategy, captain in places
    ]


def _by_difficulty(plays: Sequence[Play], distinct: Mapping[Key, int], rates: Mapping[str, float]) -> list[Row]:
    """Thirds by rank, equal rates by their mean rank: the easiest are what most people solved."""
    questions = sorted(rates)
    ranks = stats.rankdata([-rates[question] for question in questions], method="average")
    third = {q: THIRDS[min(2, int((rank - 0.5) * 3 / len(ranks)))] for q, rank in zip(questions, ranks, strict=True)}
    rows = []
    for name in THIRDS:
        for row in _curve([play for play in plays if third.get(play.question) == name], distinct):
            here = {question for (question, _), d in distinct.items() if d == row["d"] and third.get(question) == name}
            rows.append({"difficulty": name, **row, "human": mean([rates[question] for question in sorted(here)])})
    return rows


def _with_people(distinct: Mapping[Key, int], rates: Mapping[str, float]) -> Row | None:
    """Fisher's z with the variance of Bonett and Wright; p by Student's t."""
    by_question: dict[str, list[int]] = {}
    for (question, _), d in distinct.items():
        by_question.setdefault(question, []).append(d)
    pairs = [(mean(several), rates[question]) for question, several in by_question.items() if question in rates]
    n = len(pairs)
    if n < 2 or any(len({round(pair[side], 12) for pair in pairs}) < 2 for side in (0, 1)):
        return None
    one, other = (stats.rankdata([round(pair[side], 12) for pair in pairs]) for side in (0, 1))
    rho = float(stats.pearsonr(one, other).statistic)
    row: Row = {"rho": rho, "low": None, "high": None, "n": n, "p": None}
    perfect = abs(rho) > 1 - 1e-12
    if n > 2 and not perfect:
        row["p"] = float(2 * stats.t.sf(abs(rho) * math.sqrt((n - 2) / (1 - rho**2)), n - 2))
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
    row: Row = {"n": len(known), "unknown": len(plays) - len(known)}
    if ungraded := sum(not graded(play.right) for play in known):
        row["ungraded"] = ungraded
    observed: dict[str, list[tuple[str, float]]] = {
        "self_choice": [(play.question, float(bool(play.own))) for play in known],
        "accuracy_self": _graded(own),
        "accuracy_not_self": _graded(other),
        "self_and_majority": [(p.question, _in_largest(p, groups[p.key])) for p in own if p.key in groups],
        "novel": [(play.question, float(play.novel)) for play in plays if play.novel is not None],
    }
    for name, seen in observed.items():
        row |= _rate(name, seen)
    if any(side and row[key] is None for side, key in ((own, "accuracy_self"), (other, "accuracy_not_self"))):
        row["why"] = ANY_TEXT
    for name, side in (("accuracy_self", own), ("accuracy_not_self", other)):
        if not all(graded(play.right) for play in side):
            ends = (mean(filled([play.right for play in side], open_as)) for open_as in (0.0, 1.0))
            row[f"{name}_bounds"] = dict(zip(("low", "high"), ends, strict=True))
        if row[name] is not None and any(play.right is None for play in side):
            row[f"{name}_low"], row[f"{name}_high"] = _waiting(row[name], side)
    return row


def _waiting(value: float, plays: Sequence[Play]) -> Any:
    """Whatever those that wait turn out to be; plays that nobody will grade are no part of it."""
    there = [play for play in plays if graded(play.right) or play.right is None]
    by_question = [[play.right for play in part] for part in parts(there, lambda play: play.question).values()]
    worst, best = ([mean(filled(part, end)) for part in by_question] for end in (0.0, 1.0))
    return waiting_interval(value, worst, best, sizes=[float(len(part)) for part in by_question])


def _graded(plays: Sequence[Play]) -> list[tuple[str, float]]:
    if unfair([[play.right] for play in plays]):
        return []
    return [(play.question, right) for play in plays if graded(right := play.right)]


def _in_largest(play: Play, groups: Groups) -> float:
    largest = max(map(len, groups))
    return float(any(play.captain in group and len(group) == largest for group in groups))


def _rate(name: str, seen: Sequence[tuple[str, float]]) -> Row:
    """Over plays; those of one question are one piece of evidence."""
    counts: dict[str, tuple[float, float]] = {}
    for question, value in seen:
        top, bottom = counts.get(question, (0.0, 0.0))
        counts[question] = top + value, bottom + 1
    low, high = share_interval(list(counts.values()))
    total = math.fsum(value for _, value in seen)
    values = (total / len(seen) if seen else None, low, high, total, len(seen))
    return dict(zip((name, *(f"{name}_{part}" for part in ("low", "high", "count", "n"))), values, strict=True))
