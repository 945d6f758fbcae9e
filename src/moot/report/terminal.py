"""The report in a terminal: tables that fit 80 columns, and a plain word about what they can and cannot say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from moot.report import section_terminal
from moot.report.figures import Figures
from moot.report.section_terminal import section_parts
from moot.report.sections import all_sections

WHISKER = 20
"""Characters of the drawn interval, where there is room."""

SMALL = 30
"""Fewer questions than this prove next to nothing, and the report says so."""

COLUMNS = 80
"""What tables of strategies side by side are laid out for; what does not fit beside goes into another table."""

NAME = 14
LABEL = 21
"""Longer names and labels are cut, so that the figures beside them are not."""

GUTTER = 2
"""What the box and the padding add to each column."""

LONG = 100
"""A table of more rows is one that nobody reads in a terminal."""

TOLD = {
    *("accuracy", "outcomes", "by-captain", "skyline", "gap", "gains", "self-preference", "diversity", "human"),
    *("hypotheses", "adaptive", "judges", "failures", "comparisons", "categories", "diversity-by-difficulty"),
    *("frontier", "power", "runs", "safety-models"),
}
"""Sections that a terminal shows in a way of its own, or leaves to the page and the tables."""

Row = dict[str, Any]


def print_report(figures: Figures, console: Console) -> None:
    for sentence in (figures.get("headline") or {}).get("words", ()):
        console.print(Text(sentence))
    console.print(_accuracy_table(figures, console.width))
    troubled = [row for row in figures["accuracy"] if _without_answer(row)]
    if troubled:
        console.print(_outcomes(troubled))
    for section in SECTIONS:
        for shown in section(figures):
            if isinstance(shown, Table) and shown.title:
                console.print(Text(str(shown.title), style="italic"))  # a title of its own is not bound to the width
                shown.title = None
            console.print(shown)
    for line in remarks(figures):
        console.print(Text(line, style="dim"))


def _table(title: str, *columns: str, left: int = 1) -> Table:
    """The first columns hold words, the others figures."""
    table = Table(title=title, title_justify="left", box=SIMPLE, pad_edge=False, padding=(0, 1, 0, 0))
    for place, column in enumerate(columns):
        table.add_column(column, no_wrap=place >= left, justify="left" if place < left else "right", overflow="fold")
    return table


def _accuracy_table(figures: Figures, width: int) -> Table:
    rows = figures["accuracy"]
    table = _table(f"{figures['experiment']}: {figures['questions']} questions", "strategy", "who", left=2)
    cells = [
        (
            short(row["label"], LABEL),
            short(_who(row), NAME),
            f"{percent(row['value']):>7} {interval(row)}",
            str(row["n"]),
            f"{row['calls']:,}",
            money(row["cost_usd"]),
        )
        for row in rows
    ]
    heads = ("strategy", "who", "right (95 % interval)", "n", "calls", "cost")
    taken = sum(max(map(len, column)) + GUTTER for column in zip(heads, *cells, strict=True))
    room = min(WHISKER, width - taken - GUTTER)
    drawn = room >= WHISKER // 2
    table.add_column("right (95 % interval)", no_wrap=True)
    if drawn:
        table.add_column(f"0 %{'':{room - 8}}100 %", no_wrap=True, style="cyan")
    for name in ("n", "calls", "cost"):
        table.add_column(name, justify="right", no_wrap=True)
    for row, (label, who, right, *rest) in zip(rows, cells, strict=True):
        table.add_row(label, who, right, *([whisker(row, room)] if drawn else []), *rest)
    return table


def _outcomes(rows: Iterable[Row]) -> Table:
    table = _table("Not answered", "strategy", "who", "how it ended", left=3)
    for row in rows:
        table.add_row(short(row["label"], LABEL), short(_who(row), NAME), _without_answer(row))
    return table


def _by_captain(figures: Figures) -> Iterable[Table]:
    """Captains down, strategies across: alone, and at the head of a team."""
    led = [row for row in figures["accuracy"] if row.get("captain")]
    alone = {row["player"]: _figure(row) for row in figures.get("players", ())}
    for team in dict.fromkeys(row["team"] for row in led):
        of_team = [row for row in led if row["team"] == team]
        captains = {row["captain"]: short(row["captain"], NAME) for row in of_team}
        found = {(row["captain"], row["label"]): _figure(row) for row in of_team}
        width = max(map(len, [*found.values(), *alone.values(), "talkative"]))
        words = max(map(len, [*captains.values(), "captain"])) + width + GUTTER
        for part in _side_by_side([row["label"] for row in of_team], words, width):
            table = _table(f"Team {team}, by captain: right, in % (95 % interval)", "captain", "single", *part)
            _fold(table.columns[2:], width)
            for captain, name in captains.items():
                cells = (found.get((captain, label), "–") for label in part)
                table.add_row(name, alone.get(captain, "–"), *cells)
            yield table


def _side_by_side(labels: Iterable[str], words: int, width: int) -> Iterable[list[str]]:
    """Strategies in parts that fit beside columns of so many characters, each strategy taking `width`."""
    each = list(dict.fromkeys(labels))
    beside = max(1, (COLUMNS - words - GUTTER) // (width + GUTTER))
    return [each[start : start + beside] for start in range(0, len(each), beside)]


def _fold(columns: Iterable[Column], width: int) -> None:
    """A strategy's options may make its name longer than its figures."""
    for column in columns:
        column.no_wrap, column.max_width = False, width


def _skyline(figures: Figures) -> Iterable[Table | Text]:
    """How far the players could get together, and how much of the way each strategy goes."""
    if "skyline" not in figures:
        return
    top, single = figures["skyline"], figures["best_single"]
    line = f"Skyline (at least one player right): {percent(top['value'])} {interval(top)}."
    if top["guessing"] is not None:
        line += f" As many guessers would reach {percent(top['guessing'])}."
    yield Text(line)
    if single["value"] is not None:
        after = single["after_the_fact"]
        line = f"Best single player, chosen on other questions: {percent(single['value'])} {interval(single)};"
        yield Text(f"{line} after the fact {after['player']}: {percent(after['value'])}.")
    rows = [row for row in figures.get("gap", ()) if row["value"] is not None]
    if rows:
        table = _table(
            "Share of the gap to the skyline closed", "strategy", "captain", "closed", "95 % interval", left=2
        )
        for row in in_order(figures, pooled(rows)):
            table.add_row(*_named(row), percent(row["value"]), interval(row))
        yield table


def _self_preference(figures: Figures) -> Iterable[Table]:
    rows = figures.get("self_preference")
    if not rows:
        return
    heads = ("own draft", "right then", "right else", "own & top", "new", "n")
    table = _table("Captains and their own drafts, in %", "strategy", "captain", *heads, left=2)
    names = ("self_choice", "accuracy_self", "accuracy_not_self", "self_and_majority", "novel")
    for row in in_order(figures, rows):
        table.add_row(*_named(row), *(_plain(row[name]) for name in names), str(row["n"]))
    yield table


def _diversity(figures: Figures) -> Iterable[Table]:
    """Figure 2 of the paper as a table."""
    rows = figures.get("diversity")
    if not rows:
        return
    found = {(row["d"], row["strategy"]): _figure(row, "accuracy") for row in rows}
    asked = {row["d"]: str(row["n"]) for row in rows}
    width = max(map(len, [*found.values(), "talkative"]))
    words = len("answers") + GUTTER + max(map(len, asked.values()))
    for part in _side_by_side([row["strategy"] for row in in_order(figures, rows)], words, width):
        table = _table("By the number of different answers: right, in %", "answers", "n", *part)
        _fold(table.columns[2:], width)
        for d in sorted(asked):
            table.add_row(str(d), asked[d], *(found.get((d, label), "–") for label in part))
        yield table


def _human(figures: Figures) -> Iterable[Table]:
    rows = figures.get("human")
    if not rows:
        return
    table = _table("Beside people", "strategy", "who", "right", "people", "difference (95 % interval)", "n", left=2)
    for row in in_order(figures, pooled(rows)):
        bounds = {"low": row["difference_low"], "high": row["difference_high"]}
        shown = f"{points(row['difference'])} {interval(bounds)}"
        table.add_row(*_named(row), _plain(row["accuracy"]), _plain(row["human"]), shown, str(row["n"]))
    yield table


def _gains(figures: Figures) -> Iterable[Table]:
    rows = figures.get("gains")
    if not rows:
        return
    family = rows[0]["family"]
    against = f"{family} comparison{'s' if family != 1 else ''}"
    title = f"Gain over the captain alone, in points (p adjusted for {against})"
    heads = ("gain (95 % interval)", "saved", "spoilt", "p", "n")
    table = _table(title, "strategy", "captain", *heads, left=2)
    for row in in_order(figures, rows):
        p = "–" if row["p_holm"] is None else "<0.001" if row["p_holm"] < 0.001 else f"{row['p_holm']:.3f}"
        gain = f"{points(row['difference'])} {interval(row)}"
        table.add_row(*_named(row), gain, str(row["rescues"]), str(row["regressions"]), p, str(row["n"]))
    yield table


def _hypotheses(figures: Figures) -> Iterable[Table | Text]:
    """Whole, since a hypothesis that is cut says nothing."""
    section = next((each for each in all_sections(figures) if each.id == "hypotheses"), None)
    if section is None:
        return
    table = _table("Hypotheses", "hypothesis", "verdict", "value (95 % interval)", "p", "declared")
    table.columns[0].max_width = 32
    for row in section.rows:
        p = section_terminal.shown(row["p_holm"], "p")
        value = f"{section_terminal.shown(row['value'])} {section_terminal.bounds(row['low'], row['high'])}"
        table.add_row(row["hypothesis"], row["verdict"], value, p, row["declared"])
    yield table
    yield from (Text(sentence) for sentence in section.words)
    yield from (Text(f"{row['hypothesis']}: {row['note']}.") for row in section.rows if row["note"])


def _rest(figures: Figures) -> Iterable[Table | Text]:
    """Every other section that there is; those that are told above, or for a page only, are left out."""
    for section in all_sections(figures):
        if section.id in TOLD:
            continue
        if len(section.rows) > LONG:
            yield Text(f"{section.title}: {len(section.rows)} rows, on the page (-o) and in the tables (--format).")
        else:
            yield from section_parts(section)


SECTIONS: tuple[Callable[[Figures], Iterable[Table | Text]], ...] = (
    _by_captain,
    _skyline,
    _gains,
    _self_preference,
    _diversity,
    _human,
    _hypotheses,
    _rest,
)


def pooled(rows: Sequence[Row]) -> list[Row]:
    """Only the rows over all captains, where a strategy has one: the single ones stand in the JSON."""
    whole = {row["strategy"] for row in rows if _whose(row) is None}
    return [row for row in rows if _whose(row) is None or row["strategy"] not in whole]


def in_order(figures: Figures, rows: Iterable[Row]) -> list[Row]:
    """Strategies as they stand in the file; players alone first."""
    labels = list(dict.fromkeys(row["label"] for row in figures["accuracy"]))
    places = {label: place for place, label in enumerate(labels)}
    return sorted(rows, key=lambda row: places.get(row["strategy"], -1))


def remarks(figures: Figures) -> list[str]:
    lines = []
    if figures.get("kind") == "calibration":
        lines.append("A calibration: kept apart from production, and no part of any figure of it.")
    if figures["simulated"]:
        lines.append(f"Simulated, not real: {', '.join(figures['simulated'])}.")
    if 0 < figures["questions"] < SMALL:
        lines.append(f"{figures['questions']} questions prove nothing: look at the width of the intervals.")
    lines += [_ungraded(row) for row in figures["accuracy"] if row["ungraded"]]
    if judges := figures.get("judges"):
        kappa = "–" if judges["kappa"] is None else f"{judges['kappa']:.2f}"
        said = f"agree on {percent(judges['agreement'])} of {judges['n']} answers (kappa {kappa})"
        lines.append(f"The judges {' and '.join(judges['judges'])} {said}.")
    if learnt := figures.get("adaptive"):
        lines.append(_threshold(learnt))
    if front := [row for row in figures.get("frontier", ()) if row["on_frontier"]]:
        lines.append(f"None is both cheaper and better than {_front(front)} (picked after the fact).")
    if taken := figures.get("measurement"):
        calls = f"{taken['calls']} calls ({money(taken['cost_usd'])})"
        lines.append(f"To match captains' words to drafts took {calls}: measurement, in no strategy's cost.")
    if others := figures.get("other_plans"):
        sizes = " and ".join(f"{each['questions']:,}" for each in others)
        lines.append(f"The store holds other plans under this name, of {sizes} questions; they are not shown here.")
    missing = sum(row["missing"] for row in figures["accuracy"])
    if missing:
        lines.append(f"{missing} episodes are not played yet: run the file again to go on.")
    lines += [
        f"{failure['model']}: {failure['times']} calls failed ({failure['kind']}: {failure['message']})"
        for failure in figures["failures"]
    ]
    return lines


def _front(rows: Sequence[Row]) -> str:
    costs = [money(row["cost"]) if row["unit"] == "usd" else f"{row['cost']:.1f} calls" for row in rows]
    return ", ".join(
        f"{row['of']} ({percent(row['accuracy'])} at {cost} a question)" for row, cost in zip(rows, costs, strict=True)
    )


def _ungraded(row: Row) -> str:
    title = f"{row['label']}@{_who(row)}" if _who(row) else row["label"]
    disputed = f", {row['disputed']} of them disputed" if row["disputed"] else ""
    low, high = row["bounds"]["low"], row["bounds"]["high"]
    return f"{title}: {row['ungraded']} ungraded{disputed}; right lies between {percent(low)} and {percent(high)}."


def _threshold(learnt: Row) -> str:
    arms = ("adaptive", "always_vote", "always_talk")
    names = ("adaptive", "always voting", "always talking")
    parts = [
        f"{name} {percent(learnt[arm]['accuracy'])} at {_price(learnt[arm])}"
        for arm, name in zip(arms, names, strict=True)
    ]
    return f"Learnt: talk from {learnt['talk_from']} different answers on. On unseen questions {', '.join(parts)}."


def _price(arm: Row) -> str:
    """In money, or in calls where money says nothing."""
    if not arm["cost_usd"]:
        return f"{arm['calls']:.1f} calls a question"
    return f"{money(1_000 * arm['cost_usd'])} a thousand questions"


def short(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"


def points(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:+.1f}"


def interval(row: Row) -> str:
    if row["low"] is None:
        return ""
    to = "–" if row["low"] >= 0 else " to "  # a dash before a minus is hard to read
    return f"({100 * row['low']:.1f}{to}{100 * row['high']:.1f})"


def whisker(row: Row, width: int = WHISKER) -> str:
    """The interval drawn on a line from 0 to 100 %."""
    if row["low"] is None:
        return ""
    low, value, high = (round(row[key] * (width - 1)) for key in ("low", "value", "high"))
    line = ["·"] * width
    line[low : high + 1] = "─" * (high - low + 1)
    line[value] = "●"
    return "".join(line)


def money(usd: float | None) -> str:
    if usd is None:
        return "unknown"
    return "$0" if usd == 0 else f"${usd:.4f}" if usd < 1 else f"${usd:,.2f}"


def _plain(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}"


def _figure(row: Row | None, key: str = "value") -> str:
    """``43.4 (39–47)``: the interval in whole points, so that four stand beside each other."""
    if row is None or row[key] is None:
        return "–"
    bounds = "" if row["low"] is None else f" ({100 * row['low']:.0f}–{100 * row['high']:.0f})"
    return f"{100 * row[key]:.1f}{bounds}"


def _who(row: Row) -> str:
    return row.get("player") or row.get("captain") or row.get("cohort") or row.get("team") or ""


def _whose(row: Row) -> str | None:
    return row.get("player") or row.get("captain")


def _named(row: Row) -> tuple[str, str]:
    return short(row["strategy"], LABEL), short(_whose(row) or "all", NAME)


def _without_answer(row: Row) -> str:
    """Every ending but an answer, by name: nothing hides in a smaller n."""
    named = [f"{count} {outcome}" for outcome, count in sorted(row["outcomes"].items()) if outcome != "answered"]
    named += [f"{row['missing']} not played"] if row["missing"] else []
    return ", ".join(named)
