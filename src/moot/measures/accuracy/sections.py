"""Accuracy and outcomes as sections: the same for every view."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from moot.experiment.selected import BY_IDS_ALONE
from moot.measures.columns import (
    Figures,
    cohort_column,
    figure,
    names_teams,
    titled,
    unknown_words,
    who,
    whole_plays_words,
    with_team,
)
from moot.measures.section import Chart, Column, Section
from moot.stats.counted_words import count
from moot.stats.written_numbers import of_hundred
from moot.types import OUTCOMES, WITH_ANSWER


def accuracy_section(figures: Figures) -> Iterator[Section]:
    several = names_teams(figures)
    rows = [
        {
            **{key: row.get(key) for key in ("label", "team", "cohort", "captain", "player")},
            **{key: row.get(key) for key in ("value", "low", "high", "n")},
            **{key: row.get(key) for key in ("calls", "cost_usd", "prompt_tokens", "completion_tokens", "seconds")},
            **{key: row.get(key) for key in ("calls_per_question", "usd_per_question")},
            "name": titled(row, team=several),
            "who": who(row),
        }
        for row in figures.get("accuracy", ())
    ]
    for row, figures_row in zip(rows, figures.get("accuracy", ()), strict=True):
        if bounds := figures_row.get("bounds"):
            row |= {"ungraded": figures_row["ungraded"], "least": bounds["low"], "most": bounds["high"]}
            row["why"] = figures_row.get("why")
    priced = any(row["usd_per_question"] for row in rows)
    open_grades = any("least" in row for row in rows)
    columns = with_team(
        figures,
        rows,
        Column("label", "strategy"),
        *cohort_column(rows),
        Column("who", "who"),
        figure("value", "right"),
        Column("n", "questions"),
        *((Column("least", "at least", "share"), Column("most", "at most", "share")) if open_grades else ()),
        Column("calls", "all calls", "calls"),
        Column("cost_usd", "cost", "usd"),
        Column("calls_per_question", "calls a question", "number"),
        *([Column("usd_per_question", "$ per 1,000", "usd-per-question")] if priced else []),
    )
    played = "Share right of all questions played; no answer counts as not right. Intervals are 95 %."
    graded = (
        "Share right of the graded questions; no answer counts as not right. Intervals are 95 %.",
        "At least and at most: over all questions, with every ungraded answer counted as wrong, and as right.",
    )
    words = (
        *(graded if open_grades else (played,)),
        *unknown_words(rows),
        *whole_plays_words(figures.get("accuracy", ()), "Calls a question", lambda row: titled(row, team=several)),
        *chosen_on_words(figures),
        *figures.get("left_out", ()),
    )
    yield Section(
        "accuracy",
        "Accuracy",
        words,
        columns,
        rows,
        Chart("dots", "value", "name", label="name"),
        place=0,
        terminal="own",
    )


def chosen_on_words(figures: Figures) -> Iterator[str]:
    """Of what was chosen on some of the questions: on how many, and how many are left; once for all captains alike."""
    size, rows = figures.get("questions", 0), figures.get("accuracy", ())
    alike: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        title = titled(row, team=names_teams(figures))
        of = title.rpartition("@")[0] if row.get("captain") else title
        said = []
        if by_id := row.get("chosen_on_ids"):
            said.append(f"{BY_IDS_ALONE.format(by_id)}.")
        if left_out := row.get("chosen_on", 0):
            words = f"{left_out:,} of {size:,} questions are those that it was chosen on"
            left = f"{words}; its figures are over the other {size - left_out:,}."
            said.append(f"{row['why']}." if left_out == size else left)
        for words in said:
            alike.setdefault((of, words), []).append(title)
    for (of, words), titles in alike.items():
        who = titles[0] if len(titles) == 1 else f"{of}, under each of {count(len(titles), 'captain')}"
        yield f"{who}: {words}"


def outcomes_section(figures: Figures) -> Iterator[Section]:
    names = OUTCOMES
    rows = [
        {
            "team": row.get("team"),
            "cohort": row.get("cohort"),
            "label": row["label"],
            "who": who(row),
            **{name: row["outcomes"].get(name, 0) for name in names},
            "missing": row["missing"],
            "chosen_on": row.get("chosen_on", 0),
            "ungraded": row["ungraded"],
            "disputed": row["disputed"],
        }
        for row in figures.get("accuracy", ())
    ]
    counted = (*names, "missing", "chosen_on", "ungraded", "disputed")
    used_names = [name for name in counted if any(row[name] for row in rows)]
    heads = {"missing": "not played", "chosen_on": "questions it was chosen on"}
    columns = (
        Column("label", "strategy"),
        *cohort_column(rows),
        Column("who", "who"),
        *(Column(name, heads.get(name, name)) for name in used_names),
    )
    words = ("How every episode ended; none is left out.",)
    yield Section("outcomes", "Outcomes", words, with_team(figures, rows, *columns), rows, place=930, terminal="own")


def abstention_section(figures: Figures) -> Iterator[Section]:
    """Only where something abstains: how much is answered, and how right that is."""
    rows = [
        {
            **{key: row.get(key) for key in ("label", "team", "cohort", "captain")},
            "who": who(row),
            "abstained": row["outcomes"].get("abstained", 0),
            **{key: row["coverage"][of] for key, of in _COVERAGE.items()},
            **{key: row["answered"][of] for key, of in _GIVEN.items()},
            "given": _answers_given(row),
            "n": row["coverage"]["n"],
        }
        for row in figures.get("accuracy", ())
        if "coverage" in row
    ]
    if not rows:
        return
    columns = (
        Column("label", "strategy"),
        *cohort_column(rows),
        Column("who", "who"),
        figure("coverage", "answered", "share", "coverage_low", "coverage_high"),
        figure("right", "right of these", "share", "right_low", "right_high"),
        Column("given", "answers"),
        Column("abstained", "abstained"),
        Column("n", "questions"),
    )
    words = (
        "Where an answer is not sure enough the team abstains: over all questions that is not right, and it is neither a "
        "rescue nor a regression.",
        *abstention_words(figures),
    )
    yield Section(
        "abstention", "Answered, and share right of those", words, with_team(figures, rows, *columns), rows, place=5
    )


_COVERAGE = {"coverage": "value", "coverage_low": "low", "coverage_high": "high"}
_GIVEN = {"right": "value", "right_low": "low", "right_high": "high"}


def _answers_given(row: Mapping[str, Any]) -> int:
    """As what was not given is counted: plays, of which a question has several where it is repeated."""
    return sum(row["outcomes"].get(outcome, 0) for outcome in WITH_ANSWER)


def abstention_words(figures: Figures) -> Iterator[str]:
    """A sentence for each that abstains: `learnt gave an answer to 71 % of the questions; of these 95.6 % were right (…)`."""
    several = names_teams(figures)
    for row in figures.get("accuracy", ()):
        if (covered := row.get("coverage")) is None or covered["value"] is None:
            continue
        title = titled(row, team=several)
        if not covered["value"]:
            yield f"{title} gave an answer to none of the {covered['n']:,} questions (coverage 0): nothing is known of them."
            continue
        given = row["answered"]
        share = f"{title} gave an answer to {of_hundred(covered['value'], 0)} % of the questions"
        if given["value"] is None:
            yield f"{share}; how right that is is not known: {given['why']}."
            continue
        ends = "" if given["low"] is None else f" ({of_hundred(given['low'])}–{of_hundred(given['high'])} %)"
        # With repeats each question that has an answer counts alike, however many of its plays gave one.
        repeated = _answers_given(row) > given["n"] + row.get("ungraded", 0)
        of = "on the mean of those with an answer" if repeated else "of these"
        yield f"{share}; {of} {of_hundred(given['value'])} % were right{ends}."


def failures_section(figures: Figures) -> Iterator[Section]:
    columns = (
        Column("model", "model"),
        Column("kind", "failure"),
        Column("times", "times"),
        Column("message", "message"),
    )
    yield Section("failures", "Calls that failed", (), columns, figures.get("failures", []), place=940)
