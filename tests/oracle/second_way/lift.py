"""What a debate adds to a review: both multiples, and the net, over the pairs that both have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from second_way.compare import ANY_TEXT
from second_way.intervals import Difference
from second_way.multiple import multiple
from second_way.pairs import Pair, Stage, of_everybody, split, stages
from second_way.raw import Raw
from second_way.safety import multiple_withheld
from second_way.shares import unfair
from second_way.tables import table_of

Row = dict[str, Any]


def debate_lift(raw: Raw) -> Row:
    traits = {(cell.team, cell.label): cell.traits for cell in raw.cells}
    every = [(stage, traits[stage.team, stage.label]) for stage in stages(raw)]
    rows = [
        row
        for review, _ in every
        for debate, argued in every
        if _reviewed(raw, review) and argued.get("hears") == "rounds"
        if review.team == debate.team and _drafts(raw, review) == _drafts(raw, debate)
        for row in _lifts(review, debate)
    ]
    return {"debate_lift": rows} if rows else {}


def _drafts(raw: Raw, stage: Stage) -> set[str]:
    """The tables whose drafts it starts from."""
    cells = [cell for cell in raw.cells if (cell.team, cell.label) == (stage.team, stage.label) and cell.captain]
    return {table_of(raw, cell).name for cell in cells}


def _reviewed(raw: Raw, stage: Stage) -> bool:
    """Whether somebody left a review."""
    cells = [cell for cell in raw.cells if (cell.team, cell.label) == (stage.team, stage.label) and cell.captain]
    return any(record["kind"] == "review" for c in cells for episode in raw.episodes(c) for record in episode.traces)


def _lifts(review: Stage, debate: Stage) -> list[Row]:
    after = dict(debate.by_cohort())
    rows = []
    for cohort, pairs in review.by_cohort():
        named = {"cohort": cohort, "before": review.label, "after": debate.label, "team": review.team}
        sides = pairs, after.get(cohort, ())
        keys = [{(pair.question, pair.player, pair.repeat, pair.cohort) for pair in side} for side in sides]
        shared = [p for p in pairs if (p.question, p.player, p.repeat, p.cohort) in keys[0] & keys[1]]
        whole, missing = of_everybody(shared)
        kept = {(pair.question, pair.player, pair.repeat, pair.cohort) for pair in whole}
        if not shared:
            continue
        both = [[p for p in side if (p.question, p.player, p.repeat, p.cohort) in kept] for side in sides]
        rows.append({**named, **_lift(*both), **({"left_out": missing} if missing else {})})
    return rows


def _lift(first: Sequence[Pair], second: Sequence[Pair]) -> Row:
    sides = [{(pair.question, pair.player, pair.repeat): pair for pair in side} for side in (first, second)]
    both = [key for key in sides[0] if key in sides[1]]
    graded = [key for key in both if all(side[key].graded for side in sides)]
    answers = [[grade for side in sides for grade in (side[key].native.grade, side[key].after.grade)] for key in both]
    beside = _bounds([[side[key] for key in both] for side in sides])
    names = ("multiple_before", "multiple_after", "lift", "net_before", "net_after")
    more_names = ("net_difference", "net_difference_low", "net_difference_high")
    left: Row = {"ungraded": len(both) - len(graded), "n_pairs": 0, "n": 0}
    nothing: Row = {**dict.fromkeys((*names, *more_names)), **left, **beside, "why": ANY_TEXT}
    if unfair(answers) or not graded:
        return nothing
    waiting = any(side[key].uncounted for side in sides for key in both)
    if any(multiple_withheld([side[key] for key in both]) for side in sides):
        return nothing
    multiples, nets = [], []
    for side in sides:
        parts = split([side[key] for key in graded], lambda pair: pair.question)
        counts = [(sum(pair.rescue for pair in part), sum(pair.regression for pair in part)) for part in parts.values()]
        multiples.append(multiple(counts)[0])
        nets.append([gained - lost for gained, lost in counts])
    before, after = multiples
    more = [other - one for one, other in zip(*nets, strict=True)]
    yet = [key for key in both if all(side[key].graded or side[key].waits for side in sides)]
    low, high = _limits(sides, graded, yet)
    return {
        "multiple_before": before,
        "multiple_after": after,
        "lift": None if before is None or after is None else after - before,
        "net_before": None if waiting else sum(nets[0]),
        "net_after": None if waiting else sum(nets[1]),
        "net_difference": sum(more),
        "net_difference_low": low,
        "net_difference_high": high,
        "ungraded": len(both) - len(graded),
        "n_pairs": len(graded),
        "n": len(more),
        **({"in_part": parts} if (parts := sum(any(side[key].parted for side in sides) for key in graded)) else {}),
        **beside,
    }


def _bounds(sides: Sequence[Sequence[Pair]]) -> Row:
    """Pair by pair, in every way in which what both stages say may be graded."""
    if all(pair.graded for side in sides for pair in side):
        return {}
    ends = [_between(one, other) for one, other in zip(*sides, strict=True)]
    return {"bounds": {"low": sum(low for low, _ in ends), "high": sum(high for _, high in ends)}}


Keys = Sequence[tuple[str, str, int]]


def _limits(sides: Sequence[Mapping[Any, Pair]], graded: Keys, yet: Keys) -> tuple[Any, Any]:
    """So many times the mean of one bounded net a question; with what waits at its worst, and at its best."""
    seen, low, high = _ended(sides, graded), _ended(sides, yet, -1), _ended(sides, yet, 1)
    if len(graded) == len(yet):
        return seen[1:]
    if seen[1] is None:
        return None, None
    return min(seen[0], low[1]), max(seen[0], high[2])


def _ended(sides: Sequence[Mapping[Any, Pair]], keys: Keys, sign: int = 1) -> tuple[Any, Any, Any]:
    """The sum and its limits, the second stage as good (1) or as bad (-1) as it can be, the first the other way."""
    of_question: dict[str, list[int]] = {}
    for key in keys:
        low, high = _between(sides[0][key], sides[1][key])
        of_question.setdefault(key[0], []).append(low if sign < 0 else high)
    widest = 2 * max(map(len, of_question.values()))
    nets = [sum(several) for several in of_question.values()]
    low, high = Difference([net / widest for net in nets]).limits()
    if low is None or high is None:
        return sum(nets), None, None
    return sum(nets), low * widest * len(nets), high * widest * len(nets)


def _between(one: Pair, other: Pair) -> tuple[int, int]:
    """The least and the most that the second is worth more: its words, and the first's, each right or wrong."""
    answers = [one.native, one.after, other.native, other.after]
    names = [answer.said or f"answer {place}" for place, answer in enumerate(answers) if answer.least < answer.most]
    found = []
    for marks in product((0.0, 1.0), repeat=len(set(names))):
        right = dict(zip(sorted(set(names)), marks, strict=True))
        rights = [
            right[answer.said or f"answer {place}"] if answer.least < answer.most else answer.least
            for place, answer in enumerate(answers)
        ]
        gains = [round(rights[i + 1] - rights[i], 9) if answers[i].given else 0.0 for i in (0, 2)]
        nets = [(gain > 0) - (gain < 0) for gain in gains]
        found.append(nets[1] - nets[0])
    return min(found), max(found)
