"""Discussions as sections: tables, charts and sentences, the same for every view."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from moot.measures.columns import (
    Figures,
    abstained_words,
    count,
    figure,
    graded_words,
    paired_columns,
    paired_words,
    share_bounds,
    ungraded_columns,
    unknown_words,
    whole_plays_words,
    with_bounds,
    with_team,
)
from moot.measures.discussion.baseline_sections import baseline_sections, mean_turns
from moot.measures.numbers import plain, signed
from moot.measures.section import Chart, Column, Section
from moot.stats.paired import FEW_QUESTIONS

Rows = Sequence[Mapping[str, Any]]
SMALL = f"Small: fewer than {FEW_QUESTIONS} questions or clusters."
DRAWN = 60
"""Dots in one chart that can still be told apart."""


def discussion_sections(figures: Figures) -> Iterator[Section]:
    for make in (_scores, baseline_sections, _turns, _costs, _scaling, _differences, _similarity, _challenges):
        yield from make(figures)


def _named(figures: Figures, rows: Rows, *columns: Column) -> tuple[Column, ...]:
    """Protocol, and what else tells rows apart: columns only where there is something in them."""
    names = [Column("protocol", "protocol")]
    names += [Column(key, key) for key in ("with", "cohort") if any(row.get(key) for row in rows)]
    return with_team(figures, rows, *names, *columns)


def _small(rows: Rows, words: Sequence[str]) -> tuple[str, ...]:
    return (*words, SMALL) if any(row["small"] for row in rows) else tuple(words)


def _scores(figures: Figures) -> Iterator[Section]:
    rows = [{**row, "name": _title(row)} for row in figures.get("protocols", ())]
    over = "clusters of questions" if any("clusters" in row for row in rows) else "questions"
    words = [
        f"The interval is over {over}. The deviation is how far the score of one repeat lies from another's: it is no"
        " standard error, and says nothing about other questions."
        if any(row["deviation"] is not None for row in rows)
        else f"The interval is over {over}. There is one repeat, and so no deviation."
    ]
    if ungraded := sum(row["ungraded"] for row in rows if row["whole"]):
        words.append(
            f"{count(ungraded, 'answer is', 'answers are')} ungraded and in no score: it lies between the bounds."
        )
        words += [_bounds(row) for row in rows if row["whole"] and "bounds" in row]
    words += unknown_words(rows)
    figures_shown = (
        figure("value", "score"),
        Column("deviation", "deviation", "share"),
        Column("repeats", "repeats"),
        Column("n", "questions"),
    )
    whole = [row for row in rows if row["whole"]]
    chart = Chart("dots", "value", "name", label="name")
    yield Section(
        "protocols", "Score by protocol", _small(whole, words), _named(figures, whole, *figures_shown), whole, chart
    )
    sets = [row for row in rows if not row["whole"]]
    columns = (Column("dataset", "set"), *_named(figures, sets, *figures_shown))
    by_set = Chart("dots", "value", "name", label="name", series="dataset") if len(sets) <= DRAWN else None
    title = "Score by protocol and set of questions"
    yield Section("protocols-by-set", title, _small(sets, words[:1]), columns, sets, by_set)


def _bounds(row: Mapping[str, Any]) -> str:
    low, high = row["bounds"]["low"], row["bounds"]["high"]
    return f"{_title(row)}: over all questions between {plain(low)} % and {plain(high)} %."


def _title(row: Mapping[str, Any], more: str | None = None) -> str:
    parts = [row["protocol"], row.get("with"), row.get("cohort"), more]
    return ", ".join(str(part) for part in parts if part)


def _turns(figures: Figures) -> Iterator[Section]:
    rows = figures.get("protocol_turns", ())
    turns = sorted({turn_share["turn"] for row in rows for turn_share in row["turns"]})
    turn_rows = [
        {
            **row,
            **{f"turn_{turn}": 0.0 for turn in turns},
            **{f"turn_{turn_share['turn']}": turn_share["share"] for turn_share in row["turns"]},
        }
        for row in rows
    ]
    columns = _named(
        figures,
        turn_rows,
        *(Column(f"turn_{turn}", f"turn {turn}", "share") for turn in turns),
        Column("undecided", "undecided", "share"),
        *([Column("no_answer", "no answer", "share")] if any(row["no_answer"] for row in turn_rows) else []),
        figure("rounds", "mean turns", "number"),
        Column("episodes", "episodes"),
    )
    words = [
        "Shares of all discussions, those included that never decided. Turns held, decided or not, are in the mean."
    ]
    words += [mean_turns(row) for row in figures.get("protocol_rounds", ()) if row["rounds"] is not None]
    yield Section("protocol-turns", "Turns to a decision", _small(turn_rows, words), columns, turn_rows)


def _costs(figures: Figures) -> Iterator[Section]:
    tokens = ("prompt_tokens", "completion_tokens")
    rows = [
        {
            **row,
            **{key: None if row[key] is None else round(row[key]) for key in tokens},
            "players": ", ".join(row["alone"]) or None,
        }
        for row in figures.get("protocol_cost", ())
    ]
    columns = _named(
        figures,
        rows,
        Column("calls", "calls", "calls"),
        Column("calls_ratio", "× alone", "ratio"),
        Column("prompt_tokens", "prompt tokens", "tokens"),
        Column("completion_tokens", "completion tokens", "tokens"),
        Column("tokens_ratio", "tokens × alone", "ratio"),
        *([Column("players", "alone")] if any(row["players"] for row in rows) else []),
    )
    words = ["For one question, played once."]
    talks = [row for row in rows if row["team"] is not None]
    if any(row["alone"] for row in talks):
        words.append(
            "Alone: the mean over the seats of the table, each its own player answering by itself as it was told; step by step"
            " where only so all of them have."
        )
    if cut := [row for row in talks if "ratio_n" in row]:
        words.append(f"× alone is over the questions on which no call is missing, in {count(len(cut), 'row')} not all.")
    words += whole_plays_words(rows, "Calls and tokens", _title)
    words += [f"No × alone of {_title(row)}: {row['why']}." for row in talks if "why" in row]
    words += [f"{_title(row)}: {_uncounted_words(row['tokens_known'])}." for row in rows if "tokens_known" in row]
    if len(talks) == len(rows):
        words.append("There is no model alone to compare with: add - solo to the strategies.")
    elif not all(row["alone"] for row in talks):
        words.append("There is no × alone where not everybody at a table has played alone in one way.")
    yield Section("protocol-cost", "Calls and tokens beside a single model", tuple(words), columns, rows)


def _uncounted_words(known: Mapping[str, int]) -> str:
    calls, uncounted = known["calls"], known["calls"] - known["known"]
    return f"servers did not count the tokens of {uncounted:,} of {count(calls, 'call')}, so their sum is not known"


def _scaling(figures: Figures) -> Iterator[Section]:
    rows = figures.get("scaling", ())
    for along, title in (("agents", "Score by the number of agents"), ("rounds", "Score by the number of rounds")):
        axis_rows = [row for row in rows if row["along"] == along]
        keys = dict.fromkeys(row["key"] for row in axis_rows)
        points = [point for row in axis_rows for point in _drawn(row, by=len(keys) > 1)]
        columns = _named(
            figures,
            points,
            *([Column("by", "by")] if len(keys) > 1 else []),
            Column("x", along),
            figure("value", "score"),
            Column("deviation", "deviation", "share"),
            Column("n", "questions"),
        )
        words = [_slope(row) for row in axis_rows]
        chart = Chart("lines", x="x", y="value", series="name")
        yield Section(f"scaling-{along}", title, _small(axis_rows, words), columns, points, chart)


def _drawn(row: Mapping[str, Any], *, by: bool) -> Iterator[dict[str, Any]]:
    """The points, and the two ends of the line through them."""
    names = {key: row[key] for key in ("team", "with", "cohort")} | {"by": row["key"].replace("_", " ")}
    for point in row["points"]:
        named = {**names, "protocol": row["protocol"]}
        yield {**named, **point, "name": _title(named, names["by"] if by else None)}
    for point in (row["points"][0], row["points"][-1]) if row["slope"] is not None else ():
        named = {**names, "protocol": f"{row['protocol']}, line"}
        ends = {"x": point["x"], "value": point["line"], **dict.fromkeys(("low", "high", "deviation"))}
        yield {**named, **ends, "n": row["n"], "name": _title(named, names["by"] if by else None)}


def _slope(row: Mapping[str, Any]) -> str:
    """The line in words: what one more is worth, on the questions that all points share."""
    if row["slope"] is None:
        return f"{_title(row)}: what one more is worth is not known: {row['why']}."
    one = row["step"]
    interval = "" if row["low"] is None else f" ({signed(row['low'])} to {signed(row['high'])})"
    also = f"; {' and '.join(row['also_varied'])} varied with it" if row["also_varied"] else ""
    worth = f"{signed(row['slope'])}{interval} points for one more {one}"
    left_out = f", {row['ungraded']} with an ungraded answer left out" if row.get("ungraded") else ""
    return f"{_title(row)}: {worth}, by least squares on {row['n']} questions{left_out}{also}."


def _differences(figures: Figures) -> Iterator[Section]:
    rows = [with_bounds(row) for row in figures.get("protocol_differences", ())]
    parts = [row for row in rows if not row.get("protocol_part")]
    part_rows = [{**row, "of": row.get("does") or f"{row['part']} {row['of']}"} for row in parts]
    usual = dict.fromkeys(f"{row['part']} {row['against']}" for row in parts if "does" not in row)
    words = (f"Against the default ({', '.join(usual)}), where nothing else differs.",) if usual else ()
    columns = (Column("of", "this"), *_named(figures, part_rows, *paired_columns(), *ungraded_columns(part_rows)))
    told = (*words, *paired_words(parts), *abstained_words(part_rows, "of", "against"))
    yield Section("protocol-parts", "Drafting, style and personas", told, columns, part_rows)
    counted = [row for row in rows if row.get("protocol_part")]
    standard = " or ".join(dict.fromkeys(row["against"] for row in counted))
    words = (f"Each protocol against {standard}, where nothing else differs.",)
    columns = _named(figures, counted, *paired_columns(), *ungraded_columns(counted))
    told = (*words, *paired_words(counted), *abstained_words(counted, "of", "against"))
    yield Section("protocol-counting", "Beside counting solutions", told, columns, counted)


def _similarity(figures: Figures) -> Iterator[Section]:
    rows = [{**with_bounds(row), "name": _title(row)} for row in figures.get("similarity", ())]
    columns = _named(
        figures,
        rows,
        figure("similarity", "likeness", "number"),
        Column("accuracy", "score", "share"),
        *share_bounds(rows),
        Column("n", "questions"),
    )
    words = [
        f"Mean over all pairs of agents' final answers: {method}, 1 for the same words. A letter stands for its option."
        for method in dict.fromkeys(row["method"] for row in rows)
    ]
    if any(row["sampled"] for row in rows):
        words.append(
            "On a sample of the questions, since to embed every answer would take long; the score is over all."
        )
    words += graded_words(rows)
    chart = Chart("scatter", "similarity", "accuracy", label="name", series="protocol")
    yield Section("similarity", "How alike the final answers are", _small(rows, words), columns, rows, chart)


def _challenges(figures: Figures) -> Iterator[Section]:
    rows = figures.get("challenges", ())
    columns = _named(
        figures,
        rows,
        Column("setting", "challenge"),
        *([Column("part", "answer")] if any(row["part"] != "shown" for row in rows) else []),
        figure("rate", "agents who challenge", "share", "rate_low", "rate_high"),
        figure("net", "net improved", "points", "net_low", "net_high"),
        *(Column(key, key) for key in ("improved", "worsened", "challenged", "agents")),
        *(Column(key, title) for key, title in _EXTRA.items() if any(row[key] for row in rows)),
        Column("n", "questions"),
    )
    words = [
        "The rate is over all agents asked. Net improved: of the answers challenged, those that got better less those"
        " that got worse. The decision itself stands."
    ]
    if any(row["part"] == "planted, but right" for row in rows):
        words.append("Planted answers that turned out to be right are set apart: to challenge them is no discernment.")
    if any(row["part"] == "planted, right in part" for row in rows):
        words.append("Planted answers that are right in part are set apart as well: they are neither wrong nor right.")
    words += unknown_words(rows, "net")
    if uncounted := [row["counts_why"] for row in rows if row.get("counts_why")]:
        words.append(f"No counts in {count(len(uncounted), 'row')}: {uncounted[0]}.")
    yield Section("challenges", "The challenge round", _small(rows, words), columns, rows)


_EXTRA = {
    "did_not_say": "did not say",
    "no_new_answer": "no new answer",
    "ungraded": "ungraded",
    "not_held": "rounds not held",
}
