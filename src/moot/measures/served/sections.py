"""A served team as sections: by day, by who answered, who was absent, and what it is against what was measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from moot.measures.askings import ABSENT
from moot.measures.section import Chart, Column, Section
from moot.measures.served.drift import first_alert
from moot.measures.served.words import MEANT, NAMES, between_words, equal_words, place_words, took_words, trouble_words

Row = Mapping[str, Any]
FIRST_PLACE = -10
"""In front of what is told of any run."""
_MEASURED = "the experiment"


def served_sections(served: Row) -> list[Section]:
    """Only those that have something to show."""
    if not served["asked"]:
        return [section for section in (_by_visitors(served),) if section.rows]
    every = [
        *_drift(served),
        _preferences(served),
        _by_day(served),
        _by_team(served),
        _by_visitors(served),
        *_absent(served),
    ]
    return [section for section in every if section.rows]


def flat(row: Row) -> dict[str, Any]:
    """One row of a table, out of figures within figures."""
    accuracy, agreement = row["accuracy"], row["agreement"]
    return {
        "asked": row["asked"],
        "graded": row["graded"]["n"],
        "right": accuracy["value"],
        "right_low": accuracy["low"],
        "right_high": accuracy["high"],
        "agreed": agreement["value"],
        "agreed_low": agreement["low"],
        "agreed_high": agreement["high"],
        "agreed_least": (agreement.get("bounds") or {}).get("low"),
        "agreed_most": (agreement.get("bounds") or {}).get("high"),
        "sure": row["probability"]["value"],
        "failed": row["outcomes"].get("failed", 0),
        "median_s": row["latency"]["median_s"],
        "p95_s": row["latency"]["p95_s"],
        "usd": None if row["cost"]["usd_per_1000"] is None else row["cost"]["usd_per_1000"] / 1_000,
    }


def _columns(rows: Sequence[Row]) -> tuple[Column, ...]:
    """Without those in which nobody has anything."""
    every = (
        Column("asked", "asked"),
        Column("graded", "graded"),
        Column("right", "right", "share", "right_low", "right_high"),
        Column("agreed", "agreement", "share", "agreed_low", "agreed_high"),
        Column("agreed_least", "agreement at least", "share"),
        Column("agreed_most", "at most", "share"),
        Column("sure", "sure", "share"),
        Column("failed", "failed"),
        Column("median_s", "median", "seconds"),
        Column("p95_s", "95 % within", "seconds"),
        Column("usd", "$/1,000", "usd-per-question"),
    )
    return tuple(column for column in every if any(_has(row[column.key], column) for row in rows))


def _has(value: float | None, column: Column) -> bool:
    """A count of 0 is nothing, and so is what costs nothing; a share of 0 is the worst there is."""
    return value is not None if column.unit in ("share", "seconds") else bool(value)


def _by_day(served: Row) -> Section:
    rows = [{"name": row["name"], **flat(row)} for row in served["by_day"]]
    days = "day" if served["days_each"] == 1 else "week"
    words = (f"By the {days} of UTC on which it was asked.", took_words(served), *trouble_words(served))
    return Section(
        "served-days", f"By {days}", words, (Column("name", days), *_columns(rows)), rows, place=FIRST_PLACE + 2
    )


def _by_team(served: Row) -> Section:
    rows = [{"name": row["name"], **flat(row)} for row in served["by_team"]]
    words = (
        "Right: of the answers that somebody called right or wrong. Time and money are those of one question, and of 1,000.",
    )
    columns = (Column("name", "who answered"), *_columns(rows))
    return Section("served-teams", "By who answered", words, columns, rows, place=FIRST_PLACE + 3)


def _by_visitors(served: Row) -> Section:
    rows = [{"name": row["name"], **flat(row)} for row in served["visitors_teams"]]
    words = (
        "Put together by who asked, of the file's models: no part of any other figure but of what people prefer side by side.",
    )
    columns = (Column("name", "who answered"), *_columns(rows))
    return Section("served-visitors", "Teams of visitors", words, columns, rows, place=FIRST_PLACE + 4)


def _preferences(served: Row) -> Section:
    rows = served["preferences"]["pairs"]
    columns = (
        Column("of", "of"),
        Column("against", "against"),
        Column("value", "preferred", "share", "low", "high"),
        Column("corrected", "corrected", "share", "corrected_low", "corrected_high"),
        Column("wins", "won"),
        Column("ties", "tied"),
        Column("losses", "lost"),
        Column("stood_first", "stood first"),
        Column("persons", "persons"),
        Column("n", "questions"),
    )
    words = (
        "What people said of two answers side by side: won, tied and lost are votes, a tie is half a preference, each"
        " question counts once, and the interval is over questions. It is of these persons and of what they chose to vote"
        " on. The page tells whose answer is whose after the vote only; who votes in another way may know.",
        *place_words(served),
        *equal_words(served),
        "Corrected: without a place, and of long answers at equal length.",
        *(f"Not corrected: {why}." for why in dict.fromkeys(row["why"] for row in rows if row.get("why"))),
    )
    chart = Chart("dots", "value", "of", label="of", series="against")
    return Section("served-preferences", "Which of two is better", words, columns, rows, chart, place=FIRST_PLACE + 1)


def _absent(served: Row) -> Iterator[Section]:
    rows = served["absences"]
    columns = (
        Column("player", "who"),
        Column("office", "as"),
        Column("asked", "plays"),
        Column("late", "late"),
        *(Column(why, why) for why in ABSENT),
        Column("not_needed", "not waited for"),
    )
    words = (
        "Late: a round went on without it. Not waited for: nothing that it could say would have changed the answer.",
    )
    yield Section("served-absences", "Who was absent", words, columns, rows, place=FIRST_PLACE + 5)
    failures = served["failures"]
    heads = (Column("model", "model"), Column("kind", "what"), Column("times", "times"), Column("message", "message"))
    yield Section("served-failures", "Calls that failed", (), heads, failures, place=FIRST_PLACE + 6)


def _drift(served: Row) -> Iterator[Section]:
    """The experiment's figure in front, its interval drawn as a band, then each day; a drawing for each who answered."""
    alert = first_alert(served["drift"])
    for figure, title in NAMES.items():
        rows: list[dict[str, Any]] = []
        for row in served["drift"]:
            if row["figure"] != figure or row["why"] is not None:
                continue
            ends = {"measured_low": row["measured"]["low"], "measured_high": row["measured"]["high"]}
            who = row["name"]
            rows.append({"who": who, "day": _MEASURED, **_drawn(row["measured"]), **ends, "alert": None})
            rows += [
                {"who": who, "day": part["name"], **_drawn(part), **ends, "alert": part["alert"]}
                for part in row["by_day"]
            ]
        columns: tuple[Column, ...] = (
            Column("who", "who answered"),
            Column("day", "day" if served["days_each"] == 1 else "week"),
            Column("value", figure, "share", "low", "high"),
            Column("least", "at least", "share"),
            Column("most", "at most", "share"),
            Column("n", "answers"),
            Column("alert", "alert"),
        )
        if not any(row["least"] is not None for row in rows):
            columns = tuple(column for column in columns if column.key not in ("least", "most"))
        panel = "who" if len({row["who"] for row in rows}) > 1 else None
        band = ("measured_low", "measured_high")
        chart = Chart("dots", "value", "day", label="day", panel=panel, band=band)
        each = "Each day" if served["days_each"] == 1 else "Each week"
        words = (
            *([served["alert"]] if alert is not None and alert["figure"] == figure else []),
            f"{MEANT[figure]} {each}, and in the band what the experiment measured.",
            *between_words(served, figure),
        )
        yield Section(f"served-{figure}", title, words, columns, rows, chart, place=FIRST_PLACE)


def _drawn(row: Row) -> dict[str, Any]:
    ends = row.get("bounds") or {}
    kept = {key: row[key] for key in ("value", "low", "high", "n")}
    return {**kept, "least": ends.get("low"), "most": ends.get("high")}
