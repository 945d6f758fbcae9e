"""Whether a served team is still what was measured: how much it agrees, how sure it says it is, and how right what is graded
was, each against the same team and strategy in the experiment.

An alert wants two things: what is seen now lies outside of the interval that the experiment measured, and luck alone would
seldom take it there. For the second a week is looked at whole and day by day, over all teams and figures, and together they
may err in 5 % of the weeks in which nothing has changed: see `stats.departure`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from moot.live.answered_question import LONG
from moot.measures.cells import Stored, identity_of
from moot.measures.numbers import between, bounds, percent
from moot.measures.served.periods import Period, period_of
from moot.measures.served.plays import CellName, LivePlay, MeasuredPlay, measured_plays, name_of
from moot.measures.served.ranged import ranged_row
from moot.measures.source import Source
from moot.stats.clusters import clustered, unit_of
from moot.stats.counted_words import count
from moot.stats.departure import PaidLevels, Ranged, departure_p, paid_levels
from moot.types import digest

Row = dict[str, Any]
Drifting = Literal["agreement", "probability", "accuracy"]

GRADED_ENOUGH = 30
"""Fewer graded answers are not held against the experiment."""
NOT_PLAYED = "the experiment did not play it"
OTHERWISE = "the experiment was of other models, instructions or prompts"
_CHANGED = {
    "agreement": "the questions or the models have changed",
    "probability": "the questions or the models have changed",
    "accuracy": "unless people tell of wrong answers more often than of right ones, it has changed",
}


@dataclass(frozen=True, slots=True)
class ServedPlays:
    """What one cell was asked."""

    cell: Stored
    plays: Sequence[LivePlay]


@dataclass(frozen=True, slots=True)
class _Pair:
    """One figure of one cell, live and measured, answer for answer."""

    cell: Stored
    figure: Drifting
    live: Sequence[tuple[str, Ranged]]
    """With the wording of what was asked."""
    by_period: Mapping[Period, Sequence[tuple[str, Ranged]]]
    measured: Sequence[tuple[str, Ranged]]
    """With the question."""


def drift_rows(
    source: Source, compared: Sequence[ServedPlays], days: int, seed: int, titles: Mapping[CellName, str]
) -> list[Row]:
    """A row for each figure of each cell that was asked; one that is not compared says why. Within `clustered`. `titles`: how
    cells are called."""
    found: list[_Pair | Row] = []
    names: list[str] = []
    for one in compared:
        measured = _measured(source, one.cell)
        if isinstance(measured, str):
            long_answers = all(play.why_not == LONG for play in one.plays)  # of which there is nothing to compare
            found.append(_not_compared(one.cell, "agreement", LONG if long_answers else measured))
        else:
            found += [_pair(one, measured, figure, days) for figure in ("agreement", "probability", "accuracy")]
        names += [titles[name_of(one.cell)]] * (len(found) - len(names))
    pairs = [each for each in found if isinstance(each, _Pair)]
    rows = (_row(each, len(pairs), seed) if isinstance(each, _Pair) else each for each in found)
    return [{**row, "name": name} for row, name in zip(rows, names, strict=True)]


def _measured(source: Source, cell: Stored) -> list[MeasuredPlay] | str:
    alike = [own for own in source.cells if name_of(own) == name_of(cell)]
    if not alike:
        return NOT_PLAYED
    own = next((own for own in alike if identity_of(own) == identity_of(cell)), None)
    return OTHERWISE if own is None else measured_plays(source, own)


def _not_compared(cell: Stored, figure: Drifting, why: str) -> Row:
    named = {key: cell[key] for key in ("strategy", "label", "team", "captain", "player")}
    nothing = {"live": None, "measured": None, "p": None, "level": None}
    return {"figure": figure, **named, **nothing, "alert": False, "why": why, "by_day": []}


_READ: dict[Drifting, Callable[[Any], Ranged | None]] = {
    "agreement": lambda play: play.agreed,
    "probability": lambda play: _known(play.sure),
    "accuracy": lambda play: _known(play.right),
}


def _known(value: float | None) -> Ranged | None:
    return None if value is None else Ranged(value, value)


def _pair(one: ServedPlays, measured: Sequence[MeasuredPlay], figure: Drifting, days: int) -> _Pair | Row:
    read = _READ[figure]
    before = [(play.question, value) for play in measured if (value := read(play)) is not None]
    newer = [(play, value) for play in one.plays if (value := read(play)) is not None]
    if not newer:
        return _not_compared(one.cell, figure, _why_none(one, figure))
    if len({unit_of(question) for question, _ in before}) < 2:
        return _not_compared(one.cell, figure, "the experiment has no such figure of it, or of one question alone")
    if figure == "accuracy" and len(newer) < GRADED_ENOUGH:
        why = f"{count(len(newer), 'graded answer')}; {GRADED_ENOUGH} or more are held against the experiment"
        return _not_compared(one.cell, figure, why)
    periods: dict[Period, list[tuple[str, Ranged]]] = {}
    for play, value in newer:
        periods.setdefault(period_of(play.at, days), []).append((play.wording, value))
    return _Pair(
        one.cell,
        figure,
        [(play.wording, value) for play, value in newer],
        dict(sorted(periods.items())),
        before,
    )


def _why_none(one: ServedPlays, figure: Drifting) -> str:
    if figure == "accuracy":
        return "nobody has said what was right"
    if figure == "probability":
        return "no answer was given with a probability"
    return next((play.why_not for play in one.plays if play.why_not), "nobody gave an answer")


def _row(pair: _Pair, family: int, seed: int) -> Row:
    measured = ranged_row(pair.measured)
    levels: PaidLevels = paid_levels(family, len(pair.by_period))
    units = _single_plays(pair.measured)
    with clustered({}):  # what was asked live hangs together with nothing
        live = _held(pair.live, measured, units, levels.whole, seed)
        parts = [
            {
                "from": f"{period.start}",
                "name": period.title,
                **_held(values, measured, units, levels.part, seed),
                "level": levels.part,
            }
            for period, values in pair.by_period.items()
        ]
    p = live.pop("p")
    named = {key: pair.cell[key] for key in ("strategy", "label", "team", "captain", "player")}
    return {
        "figure": pair.figure,
        **named,
        "live": live,
        "measured": measured,
        "p": p,
        "level": levels.whole,
        "alert": live["alert"] or any(part["alert"] for part in parts),
        "why": None,
        "by_day": parts,
    }


def _single_plays(values: Sequence[tuple[str, Ranged]]) -> list[Ranged]:
    """One play of one question of each that hang together, whichever comes first by a lot. Only single plays can be dealt anew
    among each other: a mean of several is less spread, and would make whatever is not look far out."""
    first: dict[str, Ranged] = {}
    for question, value in values:
        first.setdefault(question, value)
    drawn: dict[str, Ranged] = {}
    for question in sorted(first, key=digest):
        drawn.setdefault(unit_of(question), first[question])
    return list(drawn.values())


def _held(values: Sequence[tuple[str, Ranged]], measured: Row, units: Sequence[Ranged], level: float, seed: int) -> Row:
    """A live figure, and whether it has left what was measured."""
    row = ranged_row(values)
    newer = _single_plays(values)
    p = departure_p(units, newer, level, seed=seed)
    ends = row.get("bounds") or {"low": row["value"], "high": row["value"]}
    # The p counts what is asked often once: it speaks for the figure only where it has gone the same way.
    below = ends["high"] < measured["low"] and _lower(newer, units)
    above = ends["low"] > measured["high"] and _lower(units, newer)
    return {**row, "p": p, "alert": bool((below or above) and p is not None and p <= level)}


def _lower(some: Sequence[Ranged], others: Sequence[Ranged]) -> bool:
    """Whether the mean of some is below that of others, whatever is not known of either."""
    return sum(each.most for each in some) / len(some) < sum(each.least for each in others) / len(others)


def first_alert(rows: Sequence[Row]) -> Row | None:
    """What is least like luck."""
    alerts = [row for row in rows if row["alert"]]
    return min(alerts, key=lambda row: min(map(_luck, _findings(row))), default=None)


def alert_words(rows: Sequence[Row], days: int) -> str | None:
    """One line, of the first; how many others there are."""
    if (first := first_alert(rows)) is None:
        return None
    others = sum(row["alert"] for row in rows) - 1
    worst = min(_findings(first), key=_luck)
    when = "" if worst is first else f" on {worst['from']}" if days == 1 else f" in the week of {worst['from']}"
    live = figure_words(worst if worst is not first else first["live"])
    words = f"Alert: {first['figure']} of {first['name']} was {live}{when}; the experiment measured "
    words += f"{figure_words(first['measured'])}: {_CHANGED[first['figure']]}."
    return f"{words} {count(others, 'more alert')}: --json, drift." if others else words


def _findings(row: Row) -> list[Row]:
    """The whole, or parts of it, or both."""
    return [*([row] if row["live"]["alert"] else []), *(part for part in row["by_day"] if part["alert"])]


def _luck(tested: Row) -> float:
    return float(tested["p"] / tested["level"])


def figure_words(row: Row) -> str:
    """With its interval; between what it lies where no more is known."""
    value = percent(row["value"]) if row["value"] is not None else between(row["bounds"])
    return f"{value} {bounds(row['low'], row['high'], 'points')}".rstrip()
