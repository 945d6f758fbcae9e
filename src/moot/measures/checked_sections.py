"""Sections looked at where they come in: a view that draws them can rely on their parts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, get_args, get_type_hints

from moot.measures.section import Chart, Column, Section, Unit
from moot.plugins import NAME, NotAsExpected

_CHARTS = get_args(get_type_hints(Chart)["kind"])


def checked_sections(given: object) -> list[Section]:
    """The sections of a measure, or a complaint."""
    if not isinstance(given, Iterable):
        raise NotAsExpected("Section objects", type(given), part="sections")
    sections = []
    for section in given:
        if not isinstance(section, Section):
            raise NotAsExpected("Section objects", found=f"a {type(section).__name__} among them", part="sections")
        _check_section(section)
        sections.append(section)
    return sections


def _check_section(section: Section) -> None:
    place = f"sections: {section.id}"

    def check(part: str, expected: str, fits: Callable[[Any], bool]) -> None:
        if not fits(value := getattr(section, part)):
            raise NotAsExpected(expected, value, part=f"{place}: {part}")

    check("id", "letters, digits, . _ -", lambda ident: isinstance(ident, str) and NAME.fullmatch(ident) is not None)
    check("title", "words", _is_words)
    check("words", "a tuple of sentences", lambda words: _all(words, str))
    check("columns", "a tuple of Column", lambda columns: _all(columns, Column))
    check("rows", "mappings", lambda rows: isinstance(rows, Sequence) and not isinstance(rows, str))
    check("chart", "a Chart or None", lambda chart: chart is None or isinstance(chart, Chart))
    check("place", "a whole number", lambda number: type(number) is int)
    check("terminal", "'table'", lambda shown: shown == "table")  # a way of its own has to be known there
    if section.chart is not None and section.chart.kind not in _CHARTS:
        raise NotAsExpected(f"one of {', '.join(_CHARTS)}", section.chart.kind, part=f"{place}: chart: kind")
    for column in section.columns:
        _check_column(column, f"{place}: columns: {column.key}")
    for row in section.rows:
        _check_row(row, section.columns, f"{place}: rows")
    _check_keys(section, place)


def _check_column(column: Column, place: str) -> None:
    if not _is_words(column.key):
        raise NotAsExpected("words", column.key, part=f"{place}: key")
    if not isinstance(column.title, str):
        raise NotAsExpected("words", column.title, part=f"{place}: title")
    if column.unit not in get_args(Unit):
        units = ", ".join(repr(unit) for unit in get_args(Unit))
        raise NotAsExpected(f"one of {units}", column.unit, part=place)


def _check_keys(section: Section, place: str) -> None:
    """A key that no row has is a misspelt one: its column would be empty, and its drawing too, and nobody would know why.

    The ends of an interval are asked for where there is a value that could have one.
    """
    keys = {key for row in section.rows for key in row}
    if not keys:
        return
    for column in section.columns:
        ends = (("low", column.low), ("high", column.high)) if _has_values(section, column) else ()
        for part, key in (("key", column.key), *ends):
            if key is not None and key not in keys:
                raise NotAsExpected(_one_of(keys), key, part=f"{place}: columns: {column.key}: {part}")
    chart = section.chart
    for part in ("x", "y", "label", "series", "panel", "weight") if chart is not None else ():
        if (key := getattr(chart, part)) is not None and key not in keys:
            raise NotAsExpected(_one_of(keys), key, part=f"{place}: chart: {part}")


def _has_values(section: Section, column: Column) -> bool:
    return any(row.get(column.key) is not None for row in section.rows)


def _one_of(keys: Iterable[str]) -> str:
    return f"a key that some row has, one of {', '.join(sorted(map(str, keys)))}"


def _check_row(row: object, columns: Sequence[Column], place: str) -> None:
    if not isinstance(row, Mapping):
        raise NotAsExpected("mappings", row, part=place)
    for column in columns:
        if not _can_be_shown(row.get(column.key)):
            raise NotAsExpected("a number, words or None", row[column.key], part=f"{place}: {column.key}")
        if column.unit == "share" and not _is_share(row.get(column.key)):
            raise NotAsExpected("a share from 0 to 1", row[column.key], part=f"{place}: {column.key}")
        _check_ends(row, column, place)


def _check_ends(row: Mapping[str, Any], column: Column, place: str) -> None:
    for key in filter(None, (column.low, column.high)):
        if not (row.get(key) is None or _is_number(row[key])):
            raise NotAsExpected("a number or None", row[key], part=f"{place}: {key}")
        if column.unit == "share" and not _is_share(row.get(key)):
            raise NotAsExpected("a share from 0 to 1", row[key], part=f"{place}: {key}")
    if column.low is None or column.high is None:
        return
    low, high = row.get(column.low), row.get(column.high)
    if low is not None and high is not None and low > high + _ROUNDING:
        raise NotAsExpected(f"no more than {high!r}, its {column.high}", low, part=f"{place}: {column.low}")


def _all(values: object, kind: type) -> bool:
    return isinstance(values, tuple | list) and all(isinstance(value, kind) for value in values)


def _is_words(value: object) -> bool:
    return isinstance(value, str) and bool(value)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def _is_share(value: object) -> bool:
    """37 would be shown as 3,700 %. Words and what is not known are nobody's share."""
    return not _is_number(value) or -_ROUNDING <= value <= 1 + _ROUNDING  # type: ignore[operator]


_ROUNDING = 1e-9


def _can_be_shown(value: object) -> bool:
    if isinstance(value, list | tuple):
        return all(map(_can_be_shown, value))
    return value is None or isinstance(value, str) or _is_number(value)
