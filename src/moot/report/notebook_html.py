"""What a notebook shows of a run: the page's first screen and its sections, folded, as HTML that needs no script.

Everything stands within one element with a style of its own, in the colours of whatever notebook it is shown in.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from moot.measures.section import Column, Section
from moot.report.page.verdict import lead, warnings
from moot.report.section_terminal import cell, in_words

OPENED = "accuracy"
"""The section that is not folded."""
WIDTH, HEIGHT, EDGE = 120, 14, 5
STYLE = """<style>
.moot-report { max-width: 68rem; font-variant-numeric: lining-nums tabular-nums; }
.moot-report .moot-lead { opacity: 0.75; margin: 0; }
.moot-report .moot-verdict { font-size: 1.15em; margin: 0.4em 0; }
.moot-report .moot-warnings { margin: 0.5em 0; padding-left: 1.2em; }
.moot-report summary { cursor: pointer; padding: 0.2em 0; }
.moot-report .moot-scroll { overflow-x: auto; }
.moot-report table { border-collapse: collapse; margin: 0.3em 0; }
.moot-report th, .moot-report td { padding: 0.2em 0.8em 0.2em 0; text-align: left; vertical-align: top; background: none; }
.moot-report thead th { border-bottom: 1px solid currentColor; vertical-align: bottom; }
.moot-report .moot-figure { text-align: right; white-space: nowrap; }
.moot-report svg { color: inherit; vertical-align: middle; }
</style>"""


def report_html(
    figures: Mapping[str, Any], sections: Iterable[Section], *, title: str, headline: str, notes: Sequence[str] = ()
) -> str:
    """`headline`: the verdict in words. `notes`: what else is to be said before it is believed."""
    whole = "accuracy" in figures and "questions" in figures
    above = f'<p class="moot-lead">{html.escape(lead(figures))}</p>' if whole else ""
    said = list(dict.fromkeys([*notes, *(warnings(figures) if whole else ())]))
    warned = "".join(f"<li>{html.escape(note)}</li>" for note in said)
    listed = f'<ul class="moot-warnings">{warned}</ul>' if warned else ""
    tables = "".join(map(section_html, sections))
    opening = f'<h3>{html.escape(title)}</h3>{above}<p class="moot-verdict"><b>{html.escape(headline)}</b></p>{listed}'
    return f'<div class="moot-report">{STYLE}{opening}{tables}</div>'


def section_html(section: Section) -> str:
    """A section as plain HTML, folded in but for the first look."""
    drawn = _drawn(section)
    heads = "".join(
        f"<th{_kind(section, column)}>{html.escape(column.title)}</th>{'<th></th>' if column is drawn else ''}"
        for column in section.columns
    )
    rows = "".join(
        "<tr>" + "".join(_cells(section, row, column, column is drawn) for column in section.columns) + "</tr>"
        for row in section.rows
    )
    words = "".join(f"<p>{html.escape(sentence)}</p>" for sentence in section.words)
    opened = " open" if section.id == OPENED else ""
    table = f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
    scrolled = f'<div class="moot-scroll">{table}</div>'
    return f"<details{opened}><summary>{html.escape(section.title)}</summary>{scrolled}{words}</details>"


def _drawn(section: Section) -> Column | None:
    """The first share with an interval: it has a picture behind it."""
    return next((column for column in section.columns if column.unit == "share" and column.low and column.high), None)


def _kind(section: Section, column: Column) -> str:
    return "" if in_words(section.rows, column) else ' class="moot-figure"'


def _cells(section: Section, row: Mapping[str, Any], column: Column, is_drawn: bool) -> str:
    picture = f"<td>{_whiskers(row, column)}</td>" if is_drawn else ""
    return f"<td{_kind(section, column)}>{html.escape(cell(row, column))}</td>{picture}"


def _whiskers(row: Mapping[str, Any], column: Column) -> str:
    """From 0 to 1, the same for every row."""
    value, low, high = (row.get(key or "") for key in (column.key, column.low, column.high))
    if not isinstance(value, int | float) or not 0 <= value <= 1:
        return ""
    line = ""
    if isinstance(low, int | float) and isinstance(high, int | float):
        ends = f'x1="{_x(low):.1f}" x2="{_x(high):.1f}" y1="{HEIGHT // 2}" y2="{HEIGHT // 2}"'
        line = f'<line {ends} stroke="currentColor" stroke-width="1.5"/>'
    axis = f'<line x1="{_x(0)}" x2="{_x(1)}" y1="{HEIGHT - 1}" y2="{HEIGHT - 1}" stroke="currentColor" stroke-opacity="0.25"/>'
    dot = f'<circle cx="{_x(value):.1f}" cy="{HEIGHT // 2}" r="3.5" fill="currentColor"/>'
    return f'<svg width="{WIDTH}" height="{HEIGHT}" aria-hidden="true">{axis}{line}{dot}</svg>'


def _x(share: float) -> float:
    return EDGE + share * (WIDTH - 2 * EDGE)
