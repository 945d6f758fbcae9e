"""Disagreement as sections: how each strategy does by the number of different answers, whoever leads, however hard it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from moot.measures.columns import (
    Figures,
    Row,
    abstained_words,
    count,
    figure,
    graded_words,
    grouped_by_words,
    paired_columns,
    paired_words,
    share_bounds,
    ungraded_columns,
    with_bounds,
    with_team,
)
from moot.measures.numbers import rounded, shown
from moot.measures.section import Chart, Column, Section

PEOPLE = "people"


def diversity_sections(figures: Figures) -> Iterator[Section]:
    for make in (_diversity, _by_captain, _talk_less_vote, _by_difficulty):
        yield from make(figures)


def _diversity(figures: Figures) -> Iterator[Section]:
    rows = [with_bounds(row) for row in figures.get("diversity", ())]
    right = (figure("accuracy", "right"), *share_bounds(rows), Column("n", "questions"))
    columns = with_team(figures, rows, Column("d", "answers"), Column("label", "strategy"), *right)
    chart = Chart("lines", "d", "accuracy", series="label")
    words = (*graded_words(rows), *left_out_words(figures), *grouped_by_words(figures))
    yield Section("diversity", "By the number of different answers", words, columns, rows, chart, terminal="own")


def left_out_words(figures: Figures) -> list[str]:
    """Of how many questions nobody knows how many different answers there were."""
    if not (left_out := sum(part.get("diversity_left_out", 0) for part in figures.get("teams") or [figures])):
        return []
    return [
        f"{count(left_out, 'question')} left out, in some play at least: nobody answered, a player was not heard, or an answer"
        " stands in no group or has lost a part that equals a key."
    ]


def _by_captain(figures: Figures) -> Iterator[Section]:
    rows = [with_bounds(row) for row in figures.get("diversity_captains", ())]
    right = (figure("accuracy", "right"), *share_bounds(rows), Column("n", "questions"))
    named = (Column("captain", "captain"), Column("label", "strategy"), Column("d", "answers"))
    rows.sort(key=lambda row: (str(row.get("team") or ""), row["captain"], row["label"], row["d"]))
    chart = Chart("lines", "d", "accuracy", series="label", panel="captain")
    words = (*graded_words(rows), *grouped_by_words(figures))
    title = "By the number of different answers, each captain apart"
    yield Section("diversity-captains", title, words, with_team(figures, rows, *named, *right), rows, chart)


def _talk_less_vote(figures: Figures) -> Iterator[Section]:
    every = figures.get("talk_by_diversity", ())
    several = len({(row["a"], row["b"]) for row in every}) > 1
    rows = [
        {**with_bounds(row), "captain": row["captain"] or "all", "name": _versus(row, several=several)} for row in every
    ]
    named = (Column("captain", "captain"), Column("d", "answers"), Column("a", "this"), Column("b", "against"))
    rows.sort(key=lambda row: (str(row.get("team") or ""), row["a"], row["b"], row["captain"], row["d"]))
    columns = with_team(figures, rows, *paired_columns(*named), *ungraded_columns(rows))
    words = (
        "Whoever hears the reasons less who counts the answers, where the players gave so many different ones.",
        *paired_words(every),
        *abstained_words(every),
        *grouped_by_words(figures),
    )
    chart = Chart("lines", "d", "difference", series="name")
    title = "Talking less voting, by the number of different answers"
    yield Section("talk-by-diversity", title, words, columns, rows, chart)


def _versus(row: Mapping[str, Any], *, several: bool) -> str:
    captain = row["captain"] or "all captains"
    return f"{captain}: {row['a']} less {row['b']}" if several else captain


def _by_difficulty(figures: Figures) -> Iterator[Section]:
    """People stand among the strategies: they are what the others are measured by there."""
    every = figures.get("diversity_by_difficulty", ())
    rows = [with_bounds(row) for row in _with_people(every)]
    columns = with_team(
        figures,
        rows,
        Column("difficulty", "difficulty"),
        Column("d", "answers"),
        Column("label", "strategy"),
        *(figure("accuracy", "right"), *share_bounds(rows), Column("n", "questions")),
    )
    words = (*graded_words(rows), *grouped_by_words(figures))
    if (people := figures.get("diversity_and_people")) and people["rho"] is not None:
        ends = people["low_holm"], people["high_holm"]
        bounds = "" if None in ends else f" ({rounded(ends[0], 2)} to {rounded(ends[1], 2)})"
        p = "" if people["p_holm"] is None else f", p {shown(people['p_holm'], 'p').replace('<', '< ')}"
        words += (
            f"Spearman's correlation of the number of answers with the rate of people: {rounded(people['rho'], 2)}{bounds}{p}.",
        )
    chart = Chart("lines", "d", "accuracy", series="label", panel="difficulty")
    title = "The same by how hard people found it"
    yield Section("diversity-by-difficulty", title, words, columns, rows, chart)


def _with_people(rows: Sequence[Mapping[str, Any]]) -> list[Row]:
    """Behind the rows of each difficulty and d, one with the mean rate of people on those questions."""
    places: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for row in rows:
        places.setdefault((row.get("team"), row["difficulty"], row["d"]), []).append(row)
    with_people: list[Row] = []
    for (team, difficulty, d), several in places.items():
        human = {"label": PEOPLE, "accuracy": several[0]["human"], "low": None, "high": None}
        if several[0]["human"] is None:
            human["why"] = several[0]["why"]
        asked = max(row["n"] for row in several)
        with_people += [dict(row) for row in several]
        with_people.append({"team": team, "difficulty": difficulty, "d": d, **human, "n": asked})
    return with_people
