"""Each player alone, the skyline of all of them, the best single one, and how much of the gap between is closed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from scipy import stats

from second_way.closure import Whoever
from second_way.compare import ANY_TEXT, Holds
from second_way.hanging import counted
from second_way.intervals import ALPHA, mean, normal_point
from second_way.ranked import Ranked
from second_way.raw import Raw
from second_way.shares import (
    Grade,
    Judged,
    Value,
    accuracy_row,
    completed,
    filled,
    graded,
    mean_row,
    mean_value,
    never_came,
    rights,
    unfair,
    unfair_together,
    untold,
    value_of,
)
from second_way.tables import Play, Table, everybody_there, grades, parts

Values = Mapping[str, Value]
"""By question."""


def heard_row(plays: Sequence[Play], name: str = "value") -> dict[str, Any]:
    """Accuracy, and how often nobody waited for the answer."""
    row = accuracy_row(grades(plays), name)
    missed = sum(not play.heard for play in plays)
    if not missed:
        return row
    return {**row, name: None, "low": None, "high": None, "n": 0, "not_heard": missed, "why": ANY_TEXT}


def values(plays: Sequence[Play]) -> dict[str, Value]:
    return {question: value_of(several) for question, several in grades(plays).items()}


def players(raw: Raw, table: Table) -> list[dict[str, Any]]:
    return [
        {"player": player, **heard_row(plays), "from": _from(raw, table, player, plays)}
        for player, plays in parts(table.alone, lambda play: play.player).items()
    ]


def _from(raw: Raw, table: Table, player: str, plays: Sequence[Play]) -> str:
    """What it has played by itself, its drafts, or both."""
    solo = table.solo.get(player)
    alone = {(episode.question, episode.repeat) for episode in raw.episodes(solo)} if solo else set()
    kinds = {play.key in alone for play in plays}
    names = [solo.strategy] if solo and True in kinds else []
    return " and ".join([*names, "drafts"] if False in kinds else names)


def tops(alone: Sequence[Play]) -> dict[str, Value]:
    """Whether anybody was right, in each repeat by itself, then the mean. Known only where every answer is graded, or
    where no ungraded answer can change any of it."""
    found: dict[str, Value] = {}
    for question, plays in parts(everybody_there(alone), lambda play: play.question).items():
        repeats = [_best([play.right for play in several]) for several in parts(plays, lambda p: p.repeat).values()]
        found[question] = mean_value(repeats)
    if all(value.most - value.least < 1e-12 for value in found.values()):
        return {
            question: Value(
                value.least, value.least, value.most, tuple(g for g in value.grades if isinstance(g, Judged))
            )
            for question, value in found.items()
        }
    return found


def _best(grades: Sequence[Grade]) -> Value:
    highest = max(rights(grades), default=0.0)
    known = highest if all(map(graded, grades)) else None
    return Value(known, highest, max(filled(grades, 1.0)), tuple(grades))


def skyline(raw: Raw, table: Table) -> dict[str, Any]:
    every = tops(table.alone)
    known = {question: value.known for question, value in every.items() if value.known is not None}
    settled = not any(value.open for value in every.values())
    plays = parts(everybody_there(table.alone), lambda play: (play.question, play.repeat)).values()
    if not settled and unfair([[play.right for play in together] for together in plays]):
        known = {}
    everybody = {play.player for play in table.alone}
    waited_for = parts([play for play in table.alone if play.heard], lambda play: play.player)
    failed = {player for player, plays in waited_for.items() if all(play.failed for play in plays)}
    several = len(everybody - failed or everybody)
    choices = {question: len(raw.questions[question]["question"].get("choices", ())) for question in known}
    guesses = [1 - (1 - 1 / offered) ** several for offered in choices.values() if offered]
    row = mean_row(list(known.values()), every=None if settled else every) | {
        "players": several,
        "guessing": sum(guesses) / len(known) if guesses else None,
        "ungraded": sum(value.open for value in every.values()),
    }
    if row["ungraded"]:
        low, high = mean([value.least for value in every.values()]), mean([value.most for value in every.values()])
        row["bounds"] = {"low": low, "high": high}
        row["questions"] = len(every)
    if missed := sum(not play.heard for play in table.alone if play.question in every):
        row["not_heard"] = missed
    if some := len({play.question for play in table.alone} - every.keys()):
        row["left_out"] = some
    return row if known else {**row, "why": ANY_TEXT}


@dataclass(frozen=True)
class Single:
    """The player who got most right of all questions."""

    player: str | None
    players: int
    values: dict[str, Value]
    bounds: dict[str, float] | None = None
    """Of the highest of all players, whoever it is."""
    rivals: bool = False
    """Whether another player could be the best."""
    heard: bool = True
    best: str | None = None
    """The same as the player, also where it has no accuracy."""
    everyone: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    ranked: int | None = None
    """How many of the players could be ranked, where not all could."""
    equals: tuple[str, ...] = ()
    """Others who got as many right."""

    @property
    def known(self) -> list[float]:
        if not self.heard or untold([[grade] for value in self.values.values() for grade in value.grades]):
            return []
        return [value.known for value in self.values.values() if value.known is not None]


def single(alone: Sequence[Play]) -> Single:
    """Among those who can be ranked, on the questions that all of these have."""
    by_player = {player: values(plays) for player, plays in parts(alone, lambda play: play.player).items()}
    ranked = Ranked(by_player)
    some = {play.player for play in alone if not never_came([[play.right]])} or set(by_player)
    if ranked.lonely:
        told = len(ranked.names) if ranked.out else None
        return Single(None, len(some), {}, None, True, ranked=told)
    there = [play for play in alone if play.player in ranked.names and play.question in ranked.questions]
    beside = {
        player: values(plays) for player, plays in parts(everybody_there(there), lambda play: play.player).items()
    }
    beside = {player: own for player, own in beside.items() if player in some} or beside
    told = len(beside) if ranked.out else None
    best = _chosen(beside)
    mine = {} if best is None else beside[best]
    heard = all(play.heard for play in there if play.player == best)
    bounds, rivals = _highest(beside, {player: by_player[player] for player in ranked.out if player in some}, best)
    everyone = {player: graded_only(own) for player, own in beside.items()}
    one = Single(best, len(some), mine, bounds, rivals, heard, best, everyone, told, _equals(beside, best))
    return one if one.known else replace(one, player=None)


def graded_only(values: Values) -> dict[str, float]:
    return {question: value.known for question, value in values.items() if value.known is not None}


def _highest(
    beside: Mapping[str, Values], out: Mapping[str, Values], best: str | None
) -> tuple[dict[str, float] | None, bool]:
    every = {player: [*own.values()] for player, own in (*beside.items(), *out.items())}
    if best is None or not any(value.open for own in every.values() for value in own):
        return None, bool(out)
    least, most = (
        {player: mean([getattr(value, end) for value in own]) for player, own in every.items()}
        for end in ("least", "most")
    )
    rivals = bool(out) or any(most[player] > least[best] + 1e-12 for player in every if player != best)
    return {"low": max(least.values()), "high": max(most.values())}, rivals


def _chosen(beside: Mapping[str, Values]) -> str | None:
    """Most right, everything ungraded taken for wrong; of equals the first by name. Who has no grade is last."""
    return max(sorted(beside), key=lambda player: _merit(beside[player])) if beside else None


def _merit(mine: Values) -> tuple[bool, float]:
    graded = any(value.known is not None for value in mine.values())
    return graded, round(sum(value.least for value in mine.values()), 9) if graded else 0.0


def _equals(beside: Mapping[str, Values], best: str | None) -> tuple[str, ...]:
    others = [player for player in sorted(beside) if player != best and best is not None]
    return tuple(player for player in others if _merit(beside[player]) == _merit(beside[best or player]))


def best_single(one: Single) -> dict[str, Any]:
    """The lower end of the interval pays for the choice among the players, at a point that is drawn: it is no higher than
    in the player's own row, and no lower than Bonferroni's would be."""
    row = {
        "player": one.player,
        **({"equals": [*one.equals]} if one.equals and one.player is not None else {}),
        **mean_row(one.known, every=one.values),
        "players": one.players,
        "note": "chosen after the fact",
        **({} if one.ranked is None else {"ranked": one.ranked}),
    }
    if one.players > 1 and row["low"] is not None:
        paying = mean(completed(one.values.values())[0]) if _waits(one.values) else row["value"]
        row["low"] = _paying(paying, row["low"], one.players, row["n"])
    if ungraded := sum(value.open for value in one.values.values()):
        row["ungraded"] = ungraded
    if one.bounds is not None:
        row["bounds"] = one.bounds
    return row if one.known and not one.rivals else {**row, "why": ANY_TEXT}


def _waits(values: Values) -> bool:
    return any(value.waits for value in values.values())


def _paying(value: float, low: float, players: int, n: int) -> Holds:
    """Stretched, or Wilson's at the wider point, which is lower near the ends, or Clopper and Pearson's there."""
    point = normal_point(ALPHA / players)
    width = point * point / n
    centre = (value + width / 2) / (1 + width)
    score = centre - math.sqrt(width * (value * (1 - value) + width / 4)) / (1 + width)
    least = min(score, value - (value - low) * point / normal_point())
    if value > 0:
        least = min(least, float(stats.beta.ppf(ALPHA / players / 2, value * n, n - value * n + 1)))
    return Holds(lambda found: found is not None and least - 1e-3 <= found <= low + 1e-9, f"between {least} and {low}")


def gap(table: Table) -> list[dict[str, Any]]:
    top, one = tops(table.alone), single(table.alone)
    rows = []
    for strategy, plays in parts(table.together, lambda play: play.strategy).items():
        by_captain: dict[Any, list[Play]] = parts(plays, lambda play: play.captain)
        by_captain |= {None: everybody_there(plays)} if len(by_captain) > 1 else {}
        for captain, led in by_captain.items():
            heard = all(play.heard for play in table.alone) or not any(value.open for value in top.values())
            rows.append({"strategy": strategy, "captain": captain, **_closed(values(led), top, one, heard=heard)})
    return rows


def _closed(reached: Values, top: Values, one: Single, *, heard: bool) -> dict[str, Any]:
    """On the questions of which all three are graded; nothing where the others could do away with the gap."""
    asked = [q for q in top if q in one.values and q in reached]
    triples = [(reached[q], one.values[q], top[q]) for q in asked]
    if never_came(reached[q].grades for q in asked):
        return {**NOTHING, "why": ANY_TEXT}
    row = _graded(asked, triples, one)
    if one.rivals:
        open_questions = sum(any(value.known is None for value in triple) for triple in triples)
        return {**NOTHING, **({"ungraded": open_questions} if open_questions else {}), "why": ANY_TEXT}
    if not any(value.open for triple in triples for value in triple):
        return row if row["value"] is not None else {**row, "why": ANY_TEXT}
    left_out = sum(any(value.known is None for value in triple) for triple in triples)
    beside = {"ungraded": left_out} if left_out else {}
    ends = closure_bounds(triples)
    if left_out < len(triples) and (unfair_together(triples) or not heard):
        return {**NOTHING, **beside, **({"bounds": ends} if ends else {}), "why": ANY_TEXT}
    if ends is None:
        return {**NOTHING, **beside, "why": ANY_TEXT}
    row |= {**beside, "bounds": ends}
    if any(value.waits for triple in triples for value in triple):
        row |= {"low": None, "high": None, "why": ANY_TEXT}
    return row if row["value"] is not None else {**row, "why": ANY_TEXT}


NOTHING: Mapping[str, Any] = {"value": None, "low": None, "high": None, "n": 0}


def closure_bounds(triples: Sequence[tuple[Value, Value, Value]]) -> dict[str, float] | None:
    """Rise by gap, each end of either taken with each end of the other."""
    rises = (sum(r.least - s.most for r, s, _ in triples), sum(r.most - s.least for r, s, _ in triples))
    gaps = (sum(t.least - s.most for _, s, t in triples), sum(t.most - s.least for _, s, t in triples))
    if gaps[0] <= 1e-12:
        return None
    ends = [rise / way for rise in rises for way in gaps]
    return {"low": min(ends), "high": max(ends)}


def _graded(asked: Sequence[str], triples: Sequence[tuple[Value, Value, Value]], one: Single) -> dict[str, Any]:
    known = dict(zip(asked, [(r.known, s.known, t.known) for r, s, t in triples], strict=True))
    pairs = {q: (r - s, t - s) for q, (r, s, t) in known.items() if r is not None and s is not None and t is not None}
    way = sum(gap for _, gap in pairs.values())
    if way <= 1e-12:
        return dict(NOTHING)
    value = sum(rise for rise, _ in pairs.values()) / way
    reached, top = ({q: v for q in pairs if (v := known[q][place]) is not None} for place in (0, 2))
    whoever = Whoever([{"": reached}, one.everyone, {"": top}], ["", one.best or "", ""], [*pairs], value)
    low, high = whoever.limits()
    return {"value": value, "low": low, "high": high, "n": len(pairs), **counted(pairs)}
