"""The report in a terminal: tables that fit 80 columns, and a plain word about what they can and cannot say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from moot.errors import UsageError
from moot.measures.claims.words import claims_nothing_words
from moot.measures.columns import (
    count,
    failed_words,
    grouped_by_words,
    names_teams,
    not_all_words,
    over_captains,
    ungraded_words,
    unknown_words,
    who,
)
from moot.measures.learnt_in_run import learnt_names, words_beneath
from moot.measures.measure import Measure
from moot.measures.numbers import (
    MARKED,
    brief,
    interval,
    mark,
    percent,
    plain,
    points,
    shown,
)
from moot.measures.points_words import in_points, worth_title
from moot.measures.quiz.diversity_sections import left_out_words
from moot.measures.quiz.sections import best_names, gap_not_known, ranked_words
from moot.measures.reserved import key_owners, section_owners
from moot.measures.section import Section
from moot.models.closest import closest
from moot.report.accuracy_terminal import accuracy_table, of_team
from moot.report.figures import Figures
from moot.report.layout import GUTTER, grid, longest_piece, table, wrapped
from moot.report.names import shortened
from moot.report.nothing_played import instead_of_figures
from moot.report.position_terminal import position_table
from moot.report.remarks import remarks
from moot.report.section_terminal import cell, section_parts
from moot.report.sections import all_sections
from moot.report.whose_figures import whose_words

NAME = 14
"""Longer names of captains are wrapped, so that more strategies stand beside each other."""

LONG = 100
"""A table of more rows is one that nobody reads in a terminal."""

Row = dict[str, Any]


def print_report(figures: Figures, console: Console, given: Iterable[Measure] = (), *, source: str = "FILE") -> None:
    """Every section, in the order of the page. `given`: measures beside the registered ones; `source`: what a command is given
    for the same run."""
    if sentences := instead_of_figures(figures, source):
        for sentence in sentences:
            console.print(Text(sentence))
        return
    figures, width = shortened(figures), console.width
    sections = all_sections(figures, given)
    for sentence in (*whose_words(figures), *(figures.get("headline") or {}).get("words", ())):
        console.print(Text(sentence))
    for section in sections:
        for part in _long(section) if len(section.rows) > LONG else _drawn(section, figures, width):
            _print_part(part, console)
    for line in remarks(figures):
        whole = max(map(len, line.split())) <= width  # else a list of players would break within a name
        console.print(Text(line if whole else wrapped(line, width), style="dim"))


def _drawn(section: Section, figures: Figures, width: int) -> Iterable[Table | Text]:
    """What nobody draws here in a way of its own is drawn as a table."""
    if section.terminal != "own":
        return section_parts(section, width)
    if section.id == "hypotheses":
        return _hypotheses([section], width)
    return _own_way(section, figures, width) if section.id in OWN_WAYS else position_table([section], width)


def _long(section: Section) -> Iterable[Text]:
    yield Text(f"{section.title}: {len(section.rows):,} rows (--section {section.id}, or the page).")


def _own_way(section: Section, figures: Figures, width: int) -> Iterable[Table | Text]:
    """Drawn from the figures; of the section's sentences the one on what was learnt in the run, which every table has."""
    parts = list(OWN_WAYS[section.id](figures, width))
    yield from parts
    if parts:
        yield from map(Text, words_beneath(section, learnt_names(figures)))


def _print_part(part: Table | Text, console: Console) -> None:
    if isinstance(part, Table) and part.title:
        console.print(Text(str(part.title), style="italic"))  # a title of its own is not bound to the width
        part.title = None
    console.print(part)


def print_sections(figures: Figures, console: Console, names: Sequence[str], given: Iterable[Measure] = ()) -> None:
    """Only these: each by its own name, or by that of its family, which its name begins with."""
    figures, width = shortened(figures), console.width
    sections = all_sections(figures, given)
    for sentence in whose_words(figures):
        console.print(Text(sentence))
    for sentence in claims_nothing_words(figures.get("headline") or {}):
        console.print(Text(sentence))
    for section in wanted_sections(sections, names):
        for part in list(_drawn(section, figures, width)) or [Text(f"{section.title}: nothing to tell.")]:
            _print_part(part, console)


def wanted_sections(sections: Sequence[Section], names: Sequence[str]) -> list[Section]:
    """In the order of the report; a name that none has is an error which lists those that there are, or tells those of what
    `--json` calls so."""
    wanted: list[Section] = []
    for name in names:
        named = [section for section in sections if section.id == name or section.id.startswith(f"{name}-")]
        if not named:
            known = [section.id for section in sections]
            owner = key_owners().get(name)
            told = [each for each in known if owner is not None and section_owners().get(each) == owner]
            hint = f"; what --json calls so is in {' and '.join(told)}" if told else closest(name, known)
            raise UsageError(f"--section: this report has no {name!r}{hint} (it has {', '.join(known)})")
        wanted += named
    return [section for section in sections if section in wanted]


def _endings(figures: Figures, width: int) -> Iterable[Table | Text]:
    troubled = [row for row in figures["accuracy"] if _otherwise(row)]
    if troubled:
        yield _outcomes(troubled, width, teams=names_teams(figures))


def _outcomes(rows: Iterable[Row], width: int, *, teams: bool) -> Table:
    cells = [(*of_team(row, teams=teams), _otherwise(row)) for row in rows]
    heads = (*(("team",) if teams else ()), "strategy", "who", "how it ended")
    return table(heads, cells, words=len(heads), width=width, title="Undecided or not answered")


def _by_captain(figures: Figures, width: int) -> Iterable[Table | Text]:
    """Captains down, strategies across: alone, and at the head of a team.

    A table for each way of drafting alone: a captain stands beside itself as it was asked there.
    """
    led = [row for row in figures["accuracy"] if row.get("captain")]
    several = any(row.get("team") for row in figures.get("players", ()))
    for team in dict.fromkeys(_table_of(row) for row in led):
        of_team = [row for row in led if _table_of(row) == team]
        players = [row for row in figures.get("players", ()) if not several or row["team"] == team]
        alone = {row["player"]: brief(row) for row in players}
        captains = list(dict.fromkeys(row["captain"] for row in of_team))
        briefs = {(row["captain"], row["label"]): brief(row) for row in of_team}
        column_width = _column([*briefs.values(), *alone.values()], [row["label"] for row in of_team])
        words = min(NAME, max(map(len, [*captains, "captain"]))) + column_width + GUTTER
        for part in _side_by_side([row["label"] for row in of_team], words, column_width, width):
            heads = ("captain", "single", *(wrapped(label, column_width) for label in part))
            made = grid(heads, words=1, title=f"Team {team}, by captain: {worth_title(figures)}, in % (95 % interval)")
            for captain in captains:
                cells = (briefs.get((captain, label), "–") for label in part)
                made.add_row(wrapped(captain, NAME), alone.get(captain, "–"), *cells)
            yield made
        yield from _marked([*of_team, *players])


def _table_of(row: Row) -> str:
    """Whose native answers it rests on: a team's, or those of one of its tables."""
    return str(row.get("table", row["team"]))


def _marked(rows: Iterable[Row]) -> Iterable[Text]:
    """What the mark behind a figure says, where there is one."""
    if any(mark(row) for row in rows):
        yield Text(MARKED)


def _column(figures: Sequence[str], labels: Sequence[str]) -> int:
    """As wide as the figures, or as the longest word in the labels above them."""
    return max(*map(len, figures), *(min(NAME, longest_piece(label)) for label in labels))


def _side_by_side(labels: Iterable[str], words: int, column_width: int, width: int) -> Iterable[list[str]]:
    """Strategies in parts that fit beside columns of so many characters, each strategy taking `column_width`."""
    every = list(dict.fromkeys(labels))
    beside = max(1, (width - words - 2 * GUTTER) // (column_width + GUTTER))
    return [every[start : start + beside] for start in range(0, len(every), beside)]


def _skyline(figures: Figures, width: int) -> Iterable[Table | Text]:
    """How far the players of each table could get together."""
    for team_figures in figures.get("teams") or [figures]:
        if "skyline" in team_figures:
            ceiling = (team_figures["skyline"], team_figures["best_single"], team_figures.get("team"))
            yield from _ceiling(*ceiling, points=in_points(figures))


def _gap(figures: Figures, width: int) -> Iterable[Table | Text]:
    closed_rows = [row for row in figures.get("gap", ()) if row["value"] is not None]
    for of, rows in _by_team(figures, closed_rows):
        cells = [(*_named(row), percent(row["value"]), interval(row)) for row in in_order(figures, pooled(rows))]
        heads = ("strategy", "captain", "closed", "95 % interval")
        yield table(heads, cells, words=2, width=width, title=f"Share of the gap to the skyline closed{of}")
    if closed_rows:
        yield from map(Text, gap_not_known(figures))


def _ceiling(top: Row, single: Row, team: str | None, *, points: bool) -> Iterable[Text]:
    """Whose skyline it is: guessers are as many as they are."""
    of = f" of {team}" if team else ""
    who = f"at least one of {top['players']} players right" if top["players"] != 1 else "its one player right"
    who = f"the best of {count(top['players'], 'text')} on each question" if points else who
    line = f"Skyline{of} ({who}): {percent(top['value'])} {interval(top)}{_of_graded(top)}."
    if top["value"] is None and (ends := top.get("bounds")):
        between = f"between {percent(ends['low'])} and {percent(ends['high'])}"
        line = f"Skyline{of} ({who}): {between}; nothing closer is known: {top['why']}."
    line += "".join(f" {words}" for words in not_all_words([top]))
    if top["guessing"] is not None:
        line += f" As many guessers would reach {percent(top['guessing'])}."
    yield Text(line)
    if single["value"] is None and "ranked" in single:
        yield Text(f"Best single player{of}: not known, since {single['why']}.")
    if single["value"] is not None:
        chosen = ""
        if single["players"] > 1:
            chosen = f" (the best of {ranked_words(single)}; the lower end allows for that)"
        named, value = " and ".join(best_names(single)), f"{percent(single['value'])} {interval(single)}"
        yield Text(f"Best single player{of}: {named} with {value}{chosen}{_best_over_all(single)}.")


def _best_over_all(single: Row) -> str:
    """How far the best of all players can lie over all questions, whoever it is."""
    why = f" ({single['why']})" if single.get("why") else ""
    if not (ends := single.get("bounds")):
        return why
    return f"; over all the best lies between {percent(ends['low'])} and {percent(ends['high'])}{why}"


def _of_graded(top: Row) -> str:
    """Over which questions it is, and how far it can lie over all."""
    if not (ends := top.get("bounds")):
        return ""
    over_all = f"over all between {percent(ends['low'])} and {percent(ends['high'])}"
    if top["n"] + top["ungraded"] > top["questions"]:  # repeated, and graded in some of them
        graded = f"{top['n']:,} of {count(top['questions'], 'question')}, in the repeats whose every answer is graded"
        return f" of {graded}; {over_all}"
    return f" of the {top['n']:,} of {top['questions']:,} questions whose every answer is graded; {over_all}"


def _self_preference(figures: Figures, width: int) -> Iterable[Table | Text]:
    names = ("self_choice", "accuracy_self", "accuracy_not_self", "self_and_majority", "novel")
    then = ("points then", "points else") if in_points(figures) else ("right then", "right else")
    heads = ("strategy", "captain", "own draft", *then, "own & top", "new", "n")
    for of, rows in _by_team(figures, figures.get("self_preference", ())):
        cells = [
            (*_named(row), *(plain(row[name]) for name in names), str(row["n"])) for row in in_order(figures, rows)
        ]
        yield table(heads, cells, words=2, width=width, title=f"Captains and their own drafts{of}, in %")
        yield from map(Text, unknown_words(rows, "accuracy_self", "accuracy_not_self"))


def _diversity(figures: Figures, width: int) -> Iterable[Table | Text]:
    """Figure 2 of the paper as a table."""
    for of, rows in _by_team(figures, figures.get("diversity", ())):
        briefs = {(row["d"], row["label"]): brief(row, "accuracy") for row in rows}
        asked = {row["d"]: str(max(other["n"] for other in rows if other["d"] == row["d"])) for row in rows}
        column_width = _column(list(briefs.values()), [row["label"] for row in rows])
        words = len("answers") + GUTTER + max(map(len, asked.values()))
        for part in _side_by_side([row["label"] for row in in_order(figures, rows)], words, column_width, width):
            title = f"By the number of different answers{of}: {worth_title(figures)}, in %"
            made = grid(("answers", "n", *(wrapped(label, column_width) for label in part)), words=1, title=title)
            for d in sorted(asked):
                made.add_row(str(d), asked[d], *(briefs.get((d, label), "–") for label in part))
            yield made
        yield from _marked(rows)
    yield from map(Text, left_out_words(figures))
    yield from map(Text, grouped_by_words(figures))


def _human(figures: Figures, width: int) -> Iterable[Table | Text]:
    heads = ("strategy", "who", worth_title(figures), "people", "difference (interval)", "p", "n")
    for of, rows in _by_team(figures, figures.get("human", ())):
        cells = []
        for row in in_order(figures, pooled(rows)):
            adjusted = {"low": row["difference_low_holm"], "high": row["difference_high_holm"]}
            difference = f"{points(row['difference'])} {interval(adjusted)}"
            shares = plain(row["accuracy"]), plain(row["human"])
            cells.append((*_named(row), *shares, difference, shown(row["p_holm"], "p"), str(row["n"])))
        title = f"Beside people{of}{_paid(' (interval and p of the difference adjusted for {})', rows)}"
        yield table(heads, cells, words=2, width=width, title=title)
        yield from map(Text, unknown_words(rows, "difference"))


def _gains(figures: Figures, width: int) -> Iterable[Table | Text]:
    every = figures.get("gains", ())
    abstains = any("abstained" in row for row in every)
    turned = ("better", "worse") if in_points(figures) else ("saved", "spoilt")
    heads = ("strategy", "captain", "gain (interval)", *turned, *(["abst."] if abstains else []), "p", "n")
    for of, rows in _by_team(figures, every):
        cells = []
        for row in in_order(figures, rows):
            adjusted = {"low": row["low_holm"], "high": row["high_holm"]}
            gain = f"{points(row['difference'])} {interval(adjusted)}"
            p = shown(row["p_holm"], "p")
            changes = [shown(row["rescues"]), shown(row["regressions"])]
            changes += [str(row.get("abstained", 0))] if abstains else []
            cells.append((*_named(row), gain, *changes, p, str(row["n"])))
        unit = "percentage points" if in_points(figures) else "points"
        title = f"Gain over the captain alone{of}, in {unit}{_paid(' (interval and p adjusted for {})', rows)}"
        yield table(heads, cells, words=2, width=width, title=title)
    yield from map(Text, (*failed_words(every), *ungraded_words(every), *over_captains(every)))


def _paid(words: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """For how many comparisons, in these words; nothing where there is no p, or nothing that it pays for."""
    size = rows[0]["family"]
    return words.format(count(size, "comparison")) if size > 1 else ""


def _hypotheses(sections: Iterable[Section], width: int) -> Iterable[Table | Text]:
    section = next((section for section in sections if section.id == "hypotheses" and section.terminal == "own"), None)
    if section is None:
        return
    value = next(column for column in section.columns if column.key == "value")
    cells = [
        (
            *(row[key] for key in ("hypothesis", "verdict", "declared")),
            cell(row, value),
            shown(row["p_holm"], "p"),
        )
        for row in section.rows
    ]
    heads = ("hypothesis", "verdict", "declared", "value (interval)", "p")
    yield table(heads, cells, words=3, width=width, title="Hypotheses")
    yield from (Text(sentence) for sentence in section.words)
    yield from (Text(f"{row['hypothesis']}: {row['note']}.") for row in section.rows if row["note"])


OWN_WAYS: dict[str, Callable[[Figures, int], Iterable[Table | Text]]] = {
    "accuracy": accuracy_table,
    "outcomes": _endings,
    "by-captain": _by_captain,
    "skyline": _skyline,
    "gap": _gap,
    "gains": _gains,
    "self-preference": _self_preference,
    "diversity": _diversity,
    "human": _human,
}
"""By section: what a terminal draws from the figures themselves, captains across or strategies across."""


def pooled(rows: Sequence[Row]) -> list[Row]:
    """Only the rows over all captains, where a strategy has one: the single ones stand in the JSON."""
    whole = {(row.get("team"), row["label"]) for row in rows if who(row) is None}
    return [row for row in rows if who(row) is None or (row.get("team"), row["label"]) not in whole]


def in_order(figures: Figures, rows: Iterable[Row]) -> list[Row]:
    """Strategies as they stand in the file; players alone first."""
    labels = list(dict.fromkeys(row["label"] for row in figures["accuracy"]))
    places = {label: place for place, label in enumerate(labels)}
    return sorted(rows, key=lambda row: places.get(row["label"], -1))


def _named(row: Row) -> tuple[str, str]:
    return row["label"], who(row) or "all"


def _by_team(figures: Figures, rows: Sequence[Row]) -> Iterable[tuple[str, list[Row]]]:
    """A table for each team or cohort, and its name as it stands in a title; none where there is but one in the run."""
    named = names_teams(figures, rows)
    for team in dict.fromkeys(row.get("team") for row in rows):
        of = f" ({team})" if named and team else ""
        yield of, [row for row in rows if row.get("team") == team]


def _otherwise(row: Row) -> str:
    """Every ending but a plain answer, by name: nothing hides in a smaller n."""
    named = [f"{count} {outcome}" for outcome, count in sorted(row["outcomes"].items()) if outcome != "answered"]
    named += [f"{row['missing']} not played"] if row["missing"] else []
    return ", ".join(named)
