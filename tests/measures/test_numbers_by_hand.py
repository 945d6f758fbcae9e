"""Figures as people read them, unit by unit, and sections that a view can rely on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from moot.measures.checked_sections import checked_sections
from moot.measures.numbers import (
    between,
    bounds,
    brief,
    interval,
    money,
    money_alike,
    over_all,
    per_thousand_alike,
    percent,
    plain,
    points,
    right,
    shown,
    signed,
    signed_between,
)
from moot.measures.section import Chart, Column, Section
from moot.measures.served.figures import _latency
from moot.plugins import NotAsExpected


@pytest.mark.parametrize(
    ("value", "unit", "written"),
    [
        (None, "share", "–"),
        (True, "", "yes"),
        (False, "", "no"),
        (0.4335, "share", "43.4 %"),
        (-0.1, "points", "-10.0"),
        (0.1, "points", "+10.0"),
        (0.0012, "usd", "$0.0012"),
        (0.0012, "usd-per-question", "$1.20"),
        (0.0009, "p", "<0.001"),
        (0.001, "p", "0.001"),
        (0.0354, "p", "0.035"),
        (9.994, "ratio", "9.99"),
        (10.0, "ratio", "10.0"),
        (-12.34, "ratio", "-12.3"),
        (2, "number", "2.00"),
        (1.25, "seconds", "1.3 s"),
        (1_200, "", "1,200"),
        (1_200.0, "", "1,200"),
        (1.005, "", "1.01"),
        (["ann", 3], "", "ann, 3"),
        ([], "", "–"),
        ("words", "", "words"),
    ],
)
def test_a_value_in_its_unit(value: object, unit: Any, written: str) -> None:
    assert shown(value, unit) == written


@pytest.mark.parametrize(
    ("low", "high", "unit", "written"),
    [
        (0.1, 0.25, "share", "(10.0–25.0)"),
        (-0.1, 0.25, "points", "(-10.0 to 25.0)"),
        (0.0, 0.25, "points", "(0.0–25.0)"),
        (1.0, 2.5, "seconds", "(1.0–2.5)"),
        (0.1, None, "share", "(from 10.0)"),
        (None, 0.25, "points", "(to 25.0)"),
        (None, None, "share", ""),
    ],
)
def test_an_interval_in_the_unit_of_its_value(low: float | None, high: float | None, unit: Any, written: str) -> None:
    assert bounds(low, high, unit) == written


def test_words_of_shares_and_money() -> None:
    assert (percent(0.5), points(0.5), money(None), money(0.5)) == ("50.0 %", "+50.0", "unknown", "$0.50")
    assert (plain(None), plain(0.125), signed(0.125), signed(0.0)) == ("–", "12.5", "+12.5", "0.0")
    assert (between({"low": 0.1, "high": 0.2}), between({"low": 0.1, "high": 0.10004})) == (
        "between 10.0 and 20.0 %",
        "10.0 %",
    )
    assert signed_between({"low": -0.1, "high": 0.2}) == "between -10.0 and +20.0"
    assert signed_between({"low": 0.1, "high": 0.1}) == "+10.0"
    assert money_alike([0.5, None, 0.0125]) == ["$0.500", "unknown", "$0.013"]
    assert per_thousand_alike([0.002, None]) == ["$2.00", "–"]


def test_rows_in_brief() -> None:
    row = {"value": 0.4335, "low": 0.3851, "high": 0.4749, "n": 9}
    waits = {**row, "bounds": {"low": 0.25, "high": 0.75}}
    assert interval({"low": -0.1, "high": 0.2}) == "(-10.0 to 20.0)"
    assert (brief(row), brief(waits), brief(None)) == ("43.4 (39–47)", "43.4 (39–47)*", "–")
    assert brief({**row, "low": None}) == "43.4"
    assert (brief({**row, "value": None}), brief({**waits, "value": None})) == ("–", "–*")
    assert brief({**row, "gain": 0.5}, "gain") == "50.0 (39–47)"
    assert (right(row), right(waits)) == (" 43.4 % (38.5–47.5)", " 43.4 % (38.5–47.5)*")
    assert right({**waits, "value": None}) == "bounds 25.0–75.0 %"
    assert right({"value": None, "low": None, "high": None}) == "      –"
    assert (over_all(row), over_all(waits), over_all({"bounds": {"low": 0.5, "high": 0.5}})) == (
        "",
        "25.0–75.0",
        "50.0",
    )


COLUMNS = (Column("who", "Who"), Column("value", "Right", "share", "low", "high"))
ROW = {"who": "ann", "value": 0.5, "low": 0.25, "high": 0.75}


def section(**other: Any) -> Section:
    given: dict[str, Any] = {
        "id": "right",
        "title": "Right",
        "words": ("A sentence.",),
        "columns": COLUMNS,
        "rows": [ROW],
    }
    return Section(**{**given, **other})


@pytest.mark.parametrize(
    "fine",
    [
        section(),
        section(rows=[]),
        section(rows=[{"who": "ann", "value": None}]),
        section(rows=[{**ROW, "value": 1.0 + 1e-12, "low": -1e-12, "high": 1.0}]),
        section(rows=[{**ROW, "value": "unknown"}]),
        section(rows=[{**ROW, "who": ["ann", None, 3]}]),
        section(rows=[{**ROW, "low": None, "high": None}]),
        section(chart=Chart("dots", "value", "who")),
        section(words=[], columns=list(COLUMNS)),
    ],
)
def test_sections_that_can_be_drawn(fine: Section) -> None:
    assert checked_sections([fine]) == [fine]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (section(id="a b"), "sections: a b: id: expected letters, digits"),
        (section(title=""), "sections: right: title: expected words, found ''"),
        (section(words="one"), "words: expected a tuple of sentences"),
        (section(words=(1,)), "words: expected a tuple of sentences"),
        (section(columns=(1,)), "columns: expected a tuple of Column"),
        (section(rows="none"), "rows: expected mappings"),
        (section(rows={1}), "rows: expected mappings"),
        (section(rows=[1]), "rows: expected mappings, found 1"),
        (section(chart=1), "chart: expected a Chart or None"),
        (section(place=True), "place: expected a whole number"),
        (section(terminal="own"), "terminal: expected 'table', found 'own'"),
        (section(chart=Chart("pie", "value", "who")), "chart: kind: expected one of dots, lines, bars, scatter"),  # type: ignore[arg-type]
        (section(columns=(Column("", "Who"),)), "columns: : key: expected words"),
        (section(columns=(Column("who", 1),)), "columns: who: title: expected words"),  # type: ignore[arg-type]
        (section(columns=(Column("who", "Who", "miles"),)), "columns: who: expected one of"),  # type: ignore[arg-type]
        (
            section(columns=(*COLUMNS, Column("x", "X"))),
            "columns: x: key: expected a key that some row has, one of high, low",
        ),
        (
            section(rows=[{"who": "ann", "value": 0.5, "low": 0.1}]),
            "columns: value: high: expected a key that some row has",
        ),
        (section(chart=Chart("dots", "value", "whom")), "chart: y: expected a key that some row has"),
        (section(chart=Chart("dots", "value", "who", weight="n")), "chart: weight: expected a key that some row has"),
        (section(rows=[{**ROW, "value": math.nan}]), "rows: value: expected a number, words or None"),
        (section(rows=[{**ROW, "who": {"a": 1}}]), "rows: who: expected a number, words or None"),
        (section(rows=[{**ROW, "value": 37.0}]), "rows: value: expected a share from 0 to 1, found 37.0"),
        (section(rows=[{**ROW, "value": -0.01}]), "rows: value: expected a share from 0 to 1"),
        (section(rows=[{**ROW, "high": 1.01}]), "rows: high: expected a share from 0 to 1"),
        (section(rows=[{**ROW, "low": "few"}]), "rows: low: expected a number or None, found 'few'"),
        (section(rows=[{**ROW, "low": 0.76}]), "rows: low: expected no more than 0.75, its high, found 0.76"),
    ],
)
def test_sections_that_cannot_be_drawn(wrong: Section, said: str) -> None:
    with pytest.raises(NotAsExpected) as found:
        checked_sections([wrong])
    assert said in str(found.value)


def test_what_is_no_section() -> None:
    with pytest.raises(NotAsExpected, match="sections: expected Section objects, found int"):
        checked_sections(3)
    with pytest.raises(NotAsExpected, match="sections: expected Section objects, found a dict among them"):
        checked_sections([section(), {}])


@pytest.mark.parametrize(
    ("seconds", "median", "most"), [([4.0], 4.0, 4.0), ([3.0, 1.0, 2.0], 2.0, 3.0), (range(20), 9, 18)]
)
def test_how_long_it_took_is_told_by_nearest_rank(seconds: Sequence[float], median: float, most: float) -> None:
    """The smallest that half of them, and 95 of a hundred, do not exceed."""
    plays: Any = [SimpleNamespace(seconds=each) for each in seconds]
    assert _latency(plays) == {"median_s": median, "p95_s": most}
    assert _latency([])["median_s"] is None
