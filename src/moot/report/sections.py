"""All sections of a report, in the order in which they are read: the same for the page, the terminal and the tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from moot.report.discussion_sections import discussion_sections
from moot.report.facts import facts_sections
from moot.report.mixture import mixture_sections
from moot.report.position_sections import position_sections
from moot.report.quiz_sections import quiz_sections
from moot.report.safety_sections import safety_sections
from moot.report.section import Chart, Column, Section, Unit
from moot.report.section_parts import (
    Figures,
    cohort_column,
    count,
    figure,
    paired_columns,
    paired_words,
    titled,
    who,
    with_team,
)
from moot.report.squad import squad_sections


def all_sections(figures: Figures) -> list[Section]:
    """Only those that the run has data for."""
    return [section for make in MAKERS for section in make(figures) if section.rows]


def _accuracy(figures: Figures) -> Iterator[Section]:
    rows = [
        {
            **{key: row.get(key) for key in ("label", "team", "cohort", "captain", "player")},
            **{key: row.get(key) for key in ("value", "low", "high", "n")},
            **{key: row.get(key) for key in ("calls", "cost_usd", "prompt_tokens", "completion_tokens", "seconds")},
            "name": titled(row, "label"),
            "who": who(row),
        }
        for row in figures["accuracy"]
    ]
    columns = with_team(
        rows,
        Column("label", "strategy"),
        *cohort_column(rows),
        Column("who", "who"),
        figure("value", "right"),
        Column("n", "questions"),
        Column("calls", "calls", "calls"),
        Column("cost_usd", "cost", "usd"),
    )
    words = (
        "Right over all questions played; who gave no answer was not right. Intervals are 95 %.",
        *figures.get("left_out", ()),
    )
    yield Section("accuracy", "Accuracy", words, columns, rows, Chart("dots", "value", "name", label="name"))


def _outcomes(figures: Figures) -> Iterator[Section]:
    names = ("answered", "undecided", "unanswered", "refused", "failed")
    rows = [
        {
            "team": row.get("team"),
            "cohort": row.get("cohort"),
            "label": row["label"],
            "who": who(row),
            **{name: row["outcomes"].get(name, 0) for name in names},
            "missing": row["missing"],
            "ungraded": row["ungraded"],
            "disputed": row["disputed"],
        }
        for row in figures["accuracy"]
    ]
    shown = [name for name in (*names, "missing", "ungraded", "disputed") if any(row[name] for row in rows)]
    heads = {"missing": "not played"}
    columns = (
        Column("label", "strategy"),
        *cohort_column(rows),
        Column("who", "who"),
        *(Column(name, heads.get(name, name)) for name in shown),
    )
    words = ("How every episode ended: nothing leaves the count.",)
    yield Section("outcomes", "Outcomes", words, with_team(rows, *columns), rows)


def _hypotheses(figures: Figures) -> Iterator[Section]:
    rows = [
        {**row, "declared": "beforehand" if row["frozen"] else "exploratory"} for row in figures.get("hypotheses", ())
    ]
    columns = (
        Column("hypothesis", "hypothesis"),
        Column("declared", "declared"),
        Column("verdict", "verdict"),
        figure("value", "value", "number"),
        Column("p_holm", "p", "p"),
        Column("n", "questions"),
        Column("note", "note"),
    )
    family = max((row["family"] for row in rows), default=0)
    words = (
        "Confirmed or refuted: the whole 95 % interval lies on one side of what the hypothesis says.",
        f"p is adjusted (Holm) for the {count(family, 'hypothesis', 'hypotheses')} declared before the first call;"
        " exploratory ones have none.",
    )
    noted = columns if any(row["note"] for row in rows) else columns[:-1]
    yield Section("hypotheses", "Hypotheses", words, noted, rows)


def _frontier(figures: Figures) -> Iterator[Section]:
    rows = [{**row, "frontier": row["on_frontier"]} for row in figures.get("frontier", ())]
    if not rows:
        return
    unit: Unit = rows[0]["unit"]
    said = "money" if unit == "usd" else "calls"
    words = (
        f"Cost is in {said} a question. On the frontier: no other is both cheaper and better, which is picked after the"
        " fact; beside it, in how many parts of the questions it is on the frontier of the others.",
        "Within this cost: what the best choice that costs no more reached on questions it was not chosen by.",
    )
    columns = (
        Column("of", "who"),
        Column("cost", "cost a question" if unit == "usd" else "calls a question", unit),
        figure("accuracy", "right"),
        Column("on_frontier", "on the frontier"),
        Column("folds", "in parts"),
        figure("within", "within this cost", "share", "within_low", "within_high"),
    )
    chart = Chart("scatter", "cost", "accuracy", label="of", series="strategy")
    yield Section("frontier", "Accuracy and cost", words, columns, rows, chart)


def _comparisons(figures: Figures) -> Iterator[Section]:
    rows = figures.get("comparisons", [])
    columns = with_team(rows, *paired_columns(Column("a", "this"), Column("b", "against")))
    yield Section("comparisons", "Strategies against each other", paired_words(rows), columns, rows)


def _power(figures: Figures) -> Iterator[Section]:
    rows = figures.get("power", [])
    words = (
        "The smallest difference that so many questions with so many discordant pairs would show in 80 of 100 runs, from"
        " these two numbers alone. None: not even if all of them went one way.",
    )
    columns = (
        Column("a", "this"),
        Column("b", "against"),
        Column("n", "questions"),
        Column("discordance", "differ on", "share"),
        Column("detectable", "could show", "points"),
    )
    yield Section("power", "What the run could have shown", words, columns, rows)


def _judges(figures: Figures) -> Iterator[Section]:
    judges = figures.get("judges")
    if not judges:
        return
    row = {**judges, "judges": " and ".join(judges["judges"])}
    columns = (
        Column("judges", "judges"),
        Column("agreement", "agree", "share"),
        figure("kappa", "kappa", "number", "kappa_low", "kappa_high"),
        Column("disputed", "disputed"),
        Column("n", "answers"),
    )
    yield Section("judges", "How far the judges agree", (), columns, [row])


def _failures(figures: Figures) -> Iterator[Section]:
    columns = (
        Column("model", "model"),
        Column("kind", "failure"),
        Column("times", "times"),
        Column("message", "message"),
    )
    yield Section("failures", "Calls that failed", (), columns, figures.get("failures", []))


MAKERS: tuple[Callable[[Figures], Iterable[Section]], ...] = (
    _accuracy,
    squad_sections,
    _hypotheses,
    _frontier,
    quiz_sections,
    safety_sections,
    discussion_sections,
    mixture_sections,
    position_sections,
    _comparisons,
    _power,
    _judges,
    _outcomes,
    _failures,
    facts_sections,
)
