"""A rule of voting tried before anybody votes: a rule is pure, so what it makes of usual ballots tells whether it counts."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from numbers import Real

from moot.ballots.tally import Ballot, Rule, Tally
from moot.plugins import NotAsExpected, blaming

KIND = "rule of voting"
TRIED_WITH = (1, 2, 3)
"""Numbers of options."""


def problem_with(by: Rule, ballot: Mapping[int, float], options: int) -> str | None:
    """Why a ballot does not fit; a rule that breaks or says something else is blamed by its name."""
    with blaming(KIND, by.name, "problem"):
        words: object = by.problem(ballot, options)
        if words is not None and not isinstance(words, str):
            raise NotAsExpected("words or None", words)
        return words


def tally_of(by: Rule, ballots: Sequence[Ballot], options: int) -> Tally:
    """What a rule counts, once it has been looked at."""
    with blaming(KIND, by.name, "count"):
        tally: object = by.count(ballots, options)
        if not isinstance(tally, Tally):
            raise NotAsExpected("a Tally", type(tally))
        _check_tally(tally, options)
        return tally


def _check_tally(tally: Tally, options: int) -> None:
    if not isinstance(tally.points, tuple) or len(tally.points) != options or not all(map(_is_number, tally.points)):
        raise NotAsExpected(f"a number for each of {options} options", tally.points, part="points")
    winners: object = tally.winners
    if not isinstance(winners, tuple) or any(type(winner) is not int for winner in winners):
        raise NotAsExpected("a tuple of options", winners, part="winners")
    if not set(winners) <= set(range(options)) or len(set(winners)) < len(winners):
        raise NotAsExpected(f"options from 0 to {options - 1}, each once", winners, part="winners")
    best = max(range(options), key=tally.points.__getitem__)
    if not winners and tally.points[best] > 0:
        has_points = f"somebody, since option {best} has {tally.points[best]} points"
        raise NotAsExpected(has_points, found="nobody", part="winners")
    for part in ("spoilt", "voters"):
        if type(number := getattr(tally, part)) is not int or number < 0:
            raise NotAsExpected("0 or more", number, part=part)


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and math.isfinite(value)


def try_rule(by: Rule) -> None:
    """Raises where it breaks on usual ballots, counts something else than a tally, or finds no winner where all agree."""
    for options in TRIED_WITH:
        tally_of(by, [None, None], options)
        for ballot in usual_ballots(options):
            fits = problem_with(by, ballot, options) is None
            tally = tally_of(by, [ballot] * 3, options)
            if fits and not tally.winners:
                with blaming(KIND, by.name, "count"):
                    raise NotAsExpected("at least one option where all want the same", found="nobody", part="winners")


def usual_ballots(options: int) -> list[dict[int, float]]:
    """One vote, approvals, orders, points: a ballot fits one rule or another."""
    everyone = range(options)
    ballots: list[dict[int, float]] = [{option: 1} for option in everyone]
    for size in everyone:
        ballots += [dict.fromkeys(some, 1) for some in itertools.combinations(everyone, size + 1)]
        ballots += [
            {option: place for place, option in enumerate(order, start=1)}
            for order in itertools.permutations(everyone, size + 1)
        ]
    ballots += [{option: 20, (option + 1) % options: 5} for option in everyone]
    return ballots
