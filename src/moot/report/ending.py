"""How a run and a report end: the verdict, the rows that matter, what went wrong and what to type next, on one screen.

Everything else is a word away: `--section NAME`, `--all`, or the page. Nothing that changes how the verdict is to be read
is left out for want of room; what has a section of its own is, and then rows of the table, the best of each strategy last, and
sentences of the verdict that say in other words what the rest of it says. What is not shown is named.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from moot.measures.claims.words import spare_sentences
from moot.measures.columns import at_table, count, names_teams, titled, whole_plays_words
from moot.measures.measure import Measure
from moot.measures.numbers import BOUNDS, MARK, NOTHING, mark, per_thousand_alike, right, rounded
from moot.measures.points_words import in_points, words_of_points, worth_title
from moot.report.ending_remarks import NO_ANSWER, asides_of, remarks_of
from moot.report.figures import Figures
from moot.report.layout import table
from moot.report.names import shortened
from moot.report.next_commands import NextCommands, command_lines
from moot.report.nothing_played import instead_of_figures, next_words
from moot.report.preferred_rows import PREFERRED, with_preferred
from moot.report.remarks import front_words
from moot.report.sections import all_sections
from moot.report.top_row import none_came, top_row
from moot.report.whose_figures import whose_words
from moot.stats.counted_words import of_them

LINES = 25
"""So many a screen has."""
FEWEST_LINES = 14
"""So many are taken of the smallest screen: less would leave out what the verdict needs."""
FEW_ROWS = 6
"""So many rows are shown as they are, and none is picked."""
LEAST_ROWS = 3
"""So many rows of the table are shown, however long the verdict is."""
NAMED = 100
"""So many characters name strategies that are not shown."""

Row = dict[str, Any]


def screen_lines(console: Console, above: int = 0, below: int = 0) -> int:
    """How many lines are seen at once, beside so many that stand above or come below, and that of the prompt; a pipe has
    `LINES`, with those below."""
    seen = min(LINES, console.height - 1 - above) if console.is_terminal else LINES
    return max(FEWEST_LINES, seen - below)


def print_ending(
    figures: Figures,
    console: Console,
    following: NextCommands,
    given: Iterable[Measure] = (),
    *,
    above: int = 0,
    below: int = 0,
) -> None:
    """At most `LINES` lines of 80 columns with those that come `below`, and no more than a screen has beside the lines `above`;
    of the table as many rows as there is room for."""
    if sentences := instead_of_figures(figures, following.source):
        for sentence in sentences:
            console.print(Text(sentence))
        return
    figures = with_preferred(shortened(figures))
    sections = [section.id for section in all_sections(figures, given)]
    commands = command_lines(following, sections, console.width)
    lines = screen_lines(console, above, below)
    again = [] if below else _asked_again(figures, following)
    beside = (figures, console, commands, following.graded, lines, again)
    arranged = _arranged(*beside, every_strategy=True, told_below=bool(below))
    if not arranged.shown.enough:  # then nothing need be left out for it either
        arranged = _arranged(*beside, every_strategy=False, told_below=bool(below))
    for part in arranged.parts:
        console.print(part)
    for line in arranged.commands:
        console.print(line, soft_wrap=True)  # what is longer than the screen can still be pasted


@dataclass(frozen=True, slots=True)
class _Shown:
    """What there is room for of the table, and what is said below it."""

    parts: Sequence[Text | Table] = ()
    fits: bool = True
    """The room is kept to."""
    enough: bool = True
    """And each strategy has a row."""


@dataclass(frozen=True, slots=True)
class _Arranged:
    """What is printed, and the table among it."""

    parts: Sequence[Text | Table]
    commands: Sequence[Text]
    shown: _Shown


def _arranged(
    figures: Figures,
    console: Console,
    commands: Sequence[Text],
    graded: str,
    lines: int,
    again: Sequence[str],
    *,
    every_strategy: bool,
    told_below: bool,
) -> _Arranged:
    """What gives way does so one by one, until the rest has room; `every_strategy`: and each strategy has a row. The first
    command, the page, stays, and so does how to ask for what failed (`again`). `told_below`: what failed is told there."""
    verdict, remarks = _verdict(figures), [Text(line) for line in (*remarks_of(figures, graded), *again)]
    asides = [Text(line) for line in asides_of(figures)]
    unsaid = 0
    apart = {"failures": _failed_calls(figures), "frontier": _frontier(figures, console)}
    giving = {section: Text(words) for section, words in apart.items() if words is not None}
    blank, *typed = commands
    spare = [Text(line) for line in spare_sentences(figures.get("headline") or {}, told_below=told_below)]
    away: list[str] = []
    spaced = True
    while True:
        following = [*([blank] if spaced else []), *typed]
        beside = (*verdict, *remarks, *asides, *giving.values(), *following)
        room = lines - sum(height(part, console) for part in beside)
        shown = _table_within(figures, room, console, away=away, unsaid=unsaid)
        short = not shown.enough if every_strategy else not shown.fits
        if shown.enough:
            break
        if giving:
            away.append(giving.popitem()[0])
        elif spaced:
            spaced = False
        elif short and len(typed) > 1:
            del typed[1]
        elif short and asides:
            asides.pop()
            unsaid += 1
        elif not shown.fits and spare:
            if (sentence := spare.pop(0)) in verdict:
                verdict.remove(sentence)
                unsaid += 1
        elif not shown.fits and told_below and (failed := _without_an_answer(remarks)) is not None:
            remarks.remove(failed)
            unsaid += 1
        else:
            break
    return _Arranged((*verdict, *shown.parts, *remarks, *asides, *giving.values()), following, shown)


def _without_an_answer(remarks: Sequence[Text]) -> Text | None:
    """How many episodes failed, which is told below too."""
    return next((remark for remark in remarks if remark.plain.startswith(NO_ANSWER)), None)


def _asked_again(figures: Figures, following: NextCommands) -> list[str]:
    """What to type where every play of somebody failed: that is an outage, and can be mended."""
    return [next_words(following.source)] if following.runs and any(map(none_came, figures["accuracy"])) else []


def verdict_parts(
    figures: Figures, console: Console, *, lines: int, rest: str, in_words: bool = False, named: bool = True
) -> list[Text | Table]:
    """The verdict, the rows and the remarks of one of several runs, about so many lines: no commands, and no frontier.

    `rest`: where the rows are that are not shown. `in_words`: the verdict alone will do where rows do not fit.
    `named`: with the run's name and size below the verdict.
    """
    figures = with_preferred(shortened(figures))
    failed = _failed_calls(figures)
    remarks = (*remarks_of(figures, bounds=rest), *asides_of(figures), *([failed] if failed is not None else ()))
    above, below = _verdict(figures)[: None if named else -1], [Text(line) for line in remarks]
    room = lines - sum(height(part, console) for part in (*above, *below))
    rows = _table_within(figures, room, console, rest).parts
    said = bool((figures.get("headline") or {}).get("words"))
    if in_words and said and sum(height(part, console) for part in rows) > room:
        rows = ()
    return [*above, *rows, *below]


def _verdict(figures: Figures) -> list[Text]:
    sentences = [
        Text(sentence) for sentence in (*whose_words(figures), *(figures.get("headline") or {}).get("words", ()))
    ]
    return [*sentences, Text(f"{figures['experiment']}: {count(figures['questions'], 'question')}", style="italic")]


def _table_within(
    figures: Figures,
    room: int,
    console: Console,
    rest: str = "--section accuracy",
    away: Sequence[str] = (),
    unsaid: int = 0,
) -> _Shown:
    """As many rows as so many lines hold, the most telling ones, and at least three. `away`: sections that had a line here;
    `unsaid`: how many remarks had one."""
    rows = _rows(figures)
    telling, teams = _telling(figures, rows), names_teams(figures)
    most = min(
        len(rows), max(room - 2, LEAST_ROWS)
    )  # a row takes a line at the least, and so do the head and the words
    fewest = min(most, LEAST_ROWS)

    def of(many: int) -> _Shown:
        shown = [rows[place] for place in sorted(telling[:many])]
        here = _strategies(shown, teams=teams)
        missing = [name for name in _strategies(rows, teams=teams) if name not in here]
        words = Text(" ".join(_beside(figures, shown, rest, missing, away, unsaid)), style="dim")
        parts = (_table(shown, console.width, worth_title(figures, "right (95 % interval)"), teams=teams), words)
        fits = sum(height(part, console) for part in parts) <= room
        return _Shown(parts, fits, fits and not missing)

    if not most or (found := of(most)).fits:
        return found if most else _Shown()
    found = of(fewest)
    # To draw a table only to see how high it is takes long: the number of rows is found by halves.
    while most - fewest > 1:
        middle = (most + fewest) // 2
        if (tried := of(middle)).fits:
            fewest, found = middle, tried
        else:
            most = middle
    return found


def _strategies(rows: Iterable[Row], *, teams: bool) -> list[str]:
    """By name, in their order; where there are several teams each of a team is one."""
    named = (f"{row['team']}/{row['label']}" if teams and row.get("team") else row["label"] for row in rows)
    return list(dict.fromkeys(named))


def _telling(figures: Figures, rows: Sequence[Row]) -> list[int]:
    """Places of rows, those first that are kept: what the verdict is about, the best who answers alone, the best of each
    strategy, then of each of its variants and teams, then by how right."""
    about = _meant(figures, rows)

    def value(place: int) -> float:
        return rows[place]["value"] or 0.0

    alone = max((place for place, row in enumerate(rows) if row.get("player")), key=value, default=None)

    def bests(*keys: str) -> set[int]:
        best: dict[tuple[Any, ...], int] = {}
        for place in sorted(range(len(rows)), key=lambda place: (place not in about, place != alone, -value(place))):
            best.setdefault(tuple(rows[place].get(key) for key in keys), place)
        return set(best.values())

    of_strategies, of_variants = bests("strategy"), bests("label", "team")
    return sorted(
        range(len(rows)),
        key=lambda place: (
            *(place not in about, place != alone, place not in of_strategies, place not in of_variants),
            -value(place),
        ),
    )


def _meant(figures: Figures, rows: Sequence[Row]) -> list[int]:
    """Places of the one row that the verdict is about; of none where it is about several, such as all captains of a team."""
    of = (figures.get("headline") or {}).get("of")
    places = [place for place, row in enumerate(rows) if of in (titled(row), titled(row, team=True))]
    return places if len(places) == 1 else []


def height(part: Text | Table, console: Console) -> int:
    return len(console.render_lines(part, pad=False))


def _rows(figures: Figures) -> list[Row]:
    """The declared primary, and of each strategy of a team the row that is the highest; strategies in the order of the file.

    Where there are few, all of them. Where rows do not stand on the same questions, or wait for grades, none is called the
    highest: all of them are rows.
    """
    meant = _meant(figures, figures["accuracy"]) if _declared(figures) else []
    declared = [figures["accuracy"][place] for place in meant]
    by_label: dict[tuple[str, str | None], list[Row]] = {}
    for row in figures["accuracy"]:
        by_label.setdefault((row["label"], row.get("team")), []).append(row)
    rows: list[Row] = []
    few = len(figures["accuracy"]) <= FEW_ROWS
    for (label, _), several in by_label.items():
        named = [row for row in several if row in declared]
        others = [row for row in several if row not in named]
        rows += [{**row, "title": f"{label}, declared"} for row in named]
        if few or (top := top_row(several, _named(figures))) is None:
            rows += [{**row, "title": label} for row in others]
        elif top not in named:
            rows.append({**top, "title": label, "of": sum(not none_came(row) for row in several)})
    return rows


def _named(figures: Figures) -> set[str]:
    """Players and captains whom the verdict names."""
    headline = figures.get("headline") or {}
    single = (headline.get("over_best_single") or {}).get("single")
    return {name for name in (single, headline.get("player"), headline.get("captain")) if name is not None}


def _declared(figures: Figures) -> bool:
    return (figures.get("headline") or {}).get("chosen") == "declared"


def _table(rows: Sequence[Row], width: int, worth: str, *, teams: bool) -> Table:
    """`worth`: the head of how good each is. `teams`: there are several, and each row says whose it is."""
    priced = any(row["cost_usd"] for row in rows)
    head = PREFERRED if any("preferred" in row for row in rows) else worth
    heads = ["strategy", "who", head, "n", "calls", *(["$/1,000"] if priced else [])]
    heads = ["team", *heads] if teams else heads
    cells = []
    for row, cost in zip(rows, per_thousand_alike(row["usd_per_question"] for row in rows), strict=True):
        who = at_table(row, team=teams) + (f", top of {row['of']}" if row.get("of", 1) > 1 else "")
        line = [
            *([row.get("team") or ""] if teams else []),
            row["title"],
            who,
            row.get("preferred") or right(row),
            f"{row['n']:,}",
        ]
        line.append(NOTHING if row["calls_per_question"] is None else rounded(row["calls_per_question"], 1))
        cells.append([*line, *([cost] if priced else [])])
    made = table(heads, cells, words=3 if teams else 2, width=width)
    made.show_edge = False
    return made


def _beside(
    figures: Figures, shown: Sequence[Row], where: str, missing: Sequence[str], away: Sequence[str], unsaid: int
) -> Iterator[str]:
    """What the table's words mean, and what there is beside these rows, and where. `missing`: strategies, `away`: sections,
    `unsaid`: remarks."""
    priced, unknown = (any(of(row["cost_usd"]) for row in shown) for of in (bool, lambda usd: usd is None))
    dash = f"; {NOTHING}: not known of every call" if unknown else ""
    yield f"Calls: per question; $: per 1,000{dash}." if priced else "Calls: per question."
    teams = names_teams(figures)
    yield from whole_plays_words(shown, "Calls", lambda row: titled(row, team=teams), calls_alone=not priced)
    if any(row.get("of", 1) > 1 for row in shown):
        yield "Top of several: picked afterwards."
    if any(mark(row) and row["value"] is not None for row in shown):
        yield f"{MARK} Graded answers only; some are not graded yet."
    if any(mark(row) and row["value"] is None for row in shown):
        yield words_of_points(BOUNDS) if in_points(figures) else BOUNDS
    if rest := len(figures["accuracy"]) - len(shown):
        yield f"{count(rest, 'more row')}: {where}."
    if missing or away or unsaid:
        unshown = [_few_names(missing)] if missing else []
        unshown += [f"{', '.join(away)} (--section)"] if away else []
        unshown += [f"{count(unsaid, 'remark')} (--all)"] if unsaid else []
        yield f"Not shown: {'; '.join(unshown)}."


def _few_names(names: Sequence[str]) -> str:
    """As many as a line holds, at least one, and how many others there are."""
    many = next((many for many in range(len(names), 1, -1) if len(", ".join(names[:many])) <= NAMED), 1)
    return ", ".join(names[:many]) + (f" and {count(len(names) - many, 'other')}" if many < len(names) else "")


def _failed_calls(figures: Figures) -> str | None:
    """That there are some; all of them are a section, and what came of them is told as outcomes."""
    if not (failures := figures["failures"]):
        return None
    worst = max(failures, key=lambda failure: failure["times"])
    calls = sum(failure["times"] for failure in failures)
    whose = f"{of_them(worst['times'], calls)} to {worst['model']} ({worst['kind']})".lstrip()
    return f"{count(calls, 'call')} failed, {whose} (--section failures)."


def _frontier(figures: Figures, console: Console) -> str | None:
    """Who is on it, as many as two lines hold; all of them are a section."""
    for most in (4, 3, 2):
        words = front_words(figures, most=most)
        if words is None or height(Text(words), console) <= 2:
            return words
    return front_words(figures, most=1)
