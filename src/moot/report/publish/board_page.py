"""The leaderboard as a page: every row stands in it as HTML, so it is read without a script too; one only sorts."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from moot.report.page.document import as_part, bundled, filled_in, policy, static
from moot.stats.counted_words import count
from moot.stats.written_numbers import of_hundred, rounded

SCRIPTS = ("dom", "theme")
"""Of a report's page, which ours needs too."""
WIDTH, HEIGHT, EDGE = 132, 16, 4
UNKNOWN = '<span class="unknown">–</span>'
NOT_KNOWN = '<span class="why">not known</span>'
Rows = Sequence[Mapping[str, Any]]


def board_html(rows: Rows) -> str:
    """The same rows give the same page, to the letter."""
    script = f"{bundled(SCRIPTS)}\n{as_part(_own('board.js'))}"
    style = static("page.css") + _own("board.css")
    sets = _sets(rows)
    simulated = sum(bool(row.get("simulated")) for row in rows)
    learnt = sum(bool(row.get("learnt_in_run")) for row in rows)
    told = {
        "policy": policy(script, style),
        "style": style,
        "script": script,
        "title": "Leaderboard",
        "heading": "Teams and single models, by set of questions",
        "lead": f"{count(len(rows), 'row')} of {count(len(_runs(rows)), 'run')} on {count(len(sets), 'set')} of questions",
        "warnings": _warnings(simulated, learnt, len(rows)),
        "nav": "".join(f'<a href="#set-{place}">{_name(each)}</a>' for place, each in enumerate(sets)),
        "boards": "\n".join(_board(place, each) for place, each in enumerate(sets)) or "<p>No rows yet.</p>",
    }
    return filled_in(_own("board.html"), told)


@cache
def _own(name: str) -> str:
    return (files("moot.report.publish") / "static" / name).read_text(encoding="utf-8")


def _runs(rows: Rows) -> set[Any]:
    return {row["report"] or row["id"] for row in rows}


def _warnings(simulated: int, learnt: int, rows: int) -> str:
    said = []
    if simulated:
        which = "All rows are" if simulated == rows else f"{count(simulated, 'row is', 'rows are')}"
        said.append(f"{which} of simulated models, marked so: they say nothing of any real model.")
    if learnt:
        which = "All rows are" if learnt == rows else f"{count(learnt, 'row is', 'rows are')}"
        said.append(
            f"{which} of what was learnt in the run that it is measured in, marked so: other questions would teach other rules,"
            " of which the intervals know nothing. They are too narrow."
        )
    listed = "".join(f"<li>{each}</li>" for each in said)
    return f'<ul class="warnings" role="note" aria-label="Before you believe it">{listed}</ul>' if said else ""


def _sets(rows: Rows) -> list[Rows]:
    """Those that may stand in one table: the same questions and references, graded by the same."""
    found: dict[tuple[str, tuple[str, ...]], list[Mapping[str, Any]]] = {}
    for row in rows:
        found.setdefault((row["set"]["digest"], tuple(row.get("graded_by") or ())), []).append(row)
    return [sorted(each, key=_order) for each in sorted(found.values(), key=lambda each: (_name(each), each[0]["id"]))]


def _order(row: Mapping[str, Any]) -> tuple[float, str]:
    value = row["accuracy"]["value"]
    return (2.0 if value is None else -value, str(row["id"]))


def _name(rows: Rows) -> str:
    names = sorted({row["set"]["name"] for row in rows if row["set"]["name"]})
    return html.escape(", ".join(names[:3]) or "a set of questions")


COLUMNS = (
    ("What was played", "text", "ascending"),
    ("Accuracy, %", "number", "descending"),
    ("", "", ""),
    ("Gain over the best single, points", "number", "descending"),
    ("$ per 1,000", "number", "ascending"),
    ("Calls a question", "number", "ascending"),
    ("n", "number", "descending"),
    ("Date", "text", "descending"),
    ("Played again", "text", "ascending"),
    ("moot", "text", "descending"),
)
NUMBERS = (1, 3, 4, 5, 6)


def _board(place: int, rows: Rows) -> str:
    first = rows[0]
    heads = "".join(_head(number, *column) for number, column in enumerate(COLUMNS))
    graded = ", ".join(map(html.escape, first.get("graded_by") or ())) or "not said"
    about = (
        f"{count(max(row['set']['questions'] for row in rows), 'question')}, graded by {graded}."
        f" Digest <code>{html.escape(first['set']['digest'][:16])}</code>."
    )
    body = "\n".join(_row(row) for row in rows)
    title = f"{_name(rows)}: what was played, accuracy, gain, cost"
    return (
        f'<section class="board" id="set-{place}" aria-labelledby="title-{place}"><h2 id="title-{place}">{_name(rows)}</h2>'
        f'<p class="about">{about}</p><div class="scroll-box"><div class="scroll" tabindex="0" role="region"'
        f' aria-labelledby="title-{place}"><table class="sortable"><caption>{title}</caption>'
        f"<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div></div></section>"
    )


def _head(number: int, title: str, kind: str, first: str) -> str:
    if not title:
        return '<th scope="col"><span class="unknown" aria-hidden="true"></span></th>'
    shown = ' class="figure-cell"' if number in NUMBERS else ""
    sorted_so = ' aria-sort="descending"' if number == 1 else ""
    button = f'<button type="button" class="sort">{html.escape(title)}</button>'
    return f'<th scope="col"{shown} data-kind="{kind}" data-first="{first}"{sorted_so}>{button}</th>'


def _cost_not_known(row: Mapping[str, Any]) -> str:
    if not (known := row.get("costs_known")):
        return NOT_KNOWN
    return NOT_KNOWN + html.escape(f" (of {known['known']:,} of {known['calls']:,} calls)")


def _row(row: Mapping[str, Any]) -> str:
    accuracy, gain = row["accuracy"], row["gain"] or {}
    usd, calls = row["usd_per_1000"], row["calls_per_question"]
    cells = [
        _played(row),
        _cell(accuracy["value"], _estimate(accuracy, signed=False)),
        f'<td aria-hidden="true">{_whiskers(accuracy)}</td>',
        _cell(gain.get("value"), _gain(row)),
        _cell(usd, _cost_not_known(row) if usd is None else rounded(usd, 2)),
        _cell(calls, UNKNOWN if calls is None else rounded(calls, 1)),
        _cell(row["n"], f"{row['n']:,}"),
        f'<td class="plain" data-key="{html.escape(row["date"])}">{html.escape(row["date"])}</td>',
        _again(row),
        f'<td data-key="{html.escape(row.get("moot") or "")}">{html.escape(row.get("moot") or "")}</td>',
    ]
    kind = ' class="single"' if row["played"].get("player") else ""
    return f"<tr{kind}>{''.join(cells)}</tr>"


def _played(row: Mapping[str, Any]) -> str:
    played = row["played"]
    title = f"<bdi>{html.escape(played['title'])}</bdi>"
    linked = f'<a href="{html.escape(row["report"])}">{title}</a>' if row["report"] else title
    marks = ""
    if row.get("headline"):
        marks += '<span class="mark-word">headline</span>'
    if row.get("chosen") == "after the fact":
        marks += '<span class="mark-word">picked afterwards</span>'
    if row.get("chosen") == "declared late":
        marks += '<span class="mark-word">declared late</span>'
    if row.get("learnt_in_run"):
        marks += '<span class="mark-word warn">learnt in the run</span>'
    if row.get("simulated"):
        marks += '<span class="mark-word warn">simulated</span>'
    if row.get("interim"):
        marks += '<span class="mark-word warn">not ended</span>'
    who = ", ".join(name if name == model else f"{name} ({model})" for name, model in played["players"])
    under = f"{row['experiment']}: {who}" if who else row["experiment"]
    marked = f'<span class="marks">{marks}</span>' if marks else ""
    return (
        f'<th scope="row" data-key="{html.escape(played["title"])}">{linked}{marked}'
        f'<span class="seats"><bdi>{html.escape(under)}</bdi></span>{_caveats(row)}</th>'
    )


def _caveats(row: Mapping[str, Any]) -> str:
    """Closed, since there may be many: the figures that they bear on are marked."""
    told = row.get("caveats") or ()
    if not told:
        return ""
    listed = "".join(f"<li>{html.escape(each)}</li>" for each in told)
    return f'<details class="caveats"><summary>Before you believe it</summary><ul>{listed}</ul></details>'


def _cell(key: float | None, shown: str) -> str:
    return f'<td class="figure-cell" data-key="{"" if key is None else f"{key:.12g}"}">{shown}</td>'


def _estimate(figure: Mapping[str, Any], *, signed: bool) -> str:
    value, low, high = figure.get("value"), figure.get("low"), figure.get("high")
    if value is None:
        return f'<span class="why">{html.escape(figure.get("why") or "not known")}</span>'
    ungraded = f", {figure['ungraded']} ungraded" if figure.get("ungraded") else ""
    if low is None or high is None:
        why = html.escape(figure.get("why") or "no interval")
        return f'{_points(value, signed)}<span class="interval">{why}{ungraded}</span>'
    between = (
        f"{_points(low, signed)} to {_points(high, signed)}"
        if signed
        else f"{_points(low, False)}–{_points(high, False)}"
    )
    return f'{_points(value, signed)}<span class="interval">{between}{ungraded}</span>'


def _points(share: float, signed: bool) -> str:
    told = of_hundred(share, sign=signed)
    return told.replace("-", "−")


def _gain(row: Mapping[str, Any]) -> str:
    if row["gain"] is None:
        return UNKNOWN
    over = row["gain"].get("over")
    beside = f'<span class="interval">over <bdi>{html.escape(over)}</bdi></span>' if over else ""
    return _estimate(row["gain"], signed=True) + (beside if row["gain"]["value"] is not None else "")


def _whiskers(figure: Mapping[str, Any]) -> str:
    """From 0 to 1, the same for every row."""
    value, low, high = figure.get("value"), figure.get("low"), figure.get("high")
    if value is None:
        return ""
    middle = HEIGHT / 2
    ends = "".join(
        f'<line class="zero" x1="{_x(end):.1f}" x2="{_x(end):.1f}" y1="2" y2="{HEIGHT - 2}"/>'
        for end in (0.0, 0.5, 1.0)
    )
    line = ""
    if low is not None and high is not None:
        line = f'<line class="whisker" x1="{_x(low):.1f}" x2="{_x(high):.1f}" y1="{middle}" y2="{middle}"/>'
    dot = f'<circle class="mark" cx="{_x(value):.1f}" cy="{middle}" r="4"/>'
    return f'<svg class="whiskers" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}">{ends}{line}{dot}</svg>'


def _x(share: float) -> float:
    return EDGE + share * (WIDTH - 2 * EDGE)


def _again(row: Mapping[str, Any]) -> str:
    """Whether the verdict of its run came out the same from what is published."""
    repeat = row.get("repeat")
    if not repeat or repeat["same"] is None:
        return f'<td data-key="">{UNKNOWN}</td>'
    word = "same verdict" if repeat["same"] else "not the same"
    linked = f'<a href="{html.escape(repeat["file"])}">{word}</a>' if repeat["file"] else word
    why = f'<span class="seats why">{html.escape(repeat["why"])}</span>' if repeat.get("why") else ""
    return f'<td class="plain" data-key="{word}">{linked}{why}</td>'
