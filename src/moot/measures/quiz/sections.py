"""The sections of a quiz team: its captains, its skyline, its disagreements, and people beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from moot.measures.columns import (
    Figures,
    Row,
    abstained_words,
    adjusted_words,
    count,
    figure,
    graded_words,
    grouped_by_words,
    names_teams,
    not_all_words,
    paired_columns,
    paired_words,
    share_bounds,
    titled,
    ungraded_columns,
    unknown_words,
    who,
    whole_plays_words,
    with_bounds,
    with_team,
)
from moot.measures.quiz.diversity_sections import diversity_sections
from moot.measures.section import Chart, Column, Section


def quiz_sections(figures: Figures) -> Iterator[Section]:
    """In the order in which they are read."""
    for make in (
        _by_captain,
        _gains,
        _skyline,
        _self_preference,
        diversity_sections,
        _human,
        _categories,
        _talk_threshold,
    ):
        yield from make(figures)


def _by_captain(figures: Figures) -> Iterator[Section]:
    led = [row for row in figures.get("accuracy", ()) if row.get("captain")]
    alone = {(row.get("team"), row["player"]): row for row in figures.get("players", ())}
    several = any(team is not None for team, _ in alone)
    rows: list[Row] = []
    for row in led:
        before = alone.get((row.get("table", row.get("team")) if several else None, row["captain"]), {})
        single = {"single": before.get("value"), "single_low": before.get("low"), "single_high": before.get("high")}
        if ends := before.get("bounds"):
            single |= {"single_least": ends["low"], "single_most": ends["high"]}
        named = {key: row.get(key) for key in ("team", "captain", "label", "value", "low", "high", "n", "bounds")}
        rows.append(with_bounds(named) | single)
    columns = with_team(
        figures,
        rows,
        Column("captain", "captain"),
        Column("label", "strategy"),
        figure("value", "right"),
        *share_bounds(rows),
        figure("single", "captain alone", "share", "single_low", "single_high"),
        *(_SINGLE_BOUNDS if any("single_least" in row for row in rows) else ()),
        Column("n", "questions"),
    )
    words = graded_words([*rows, *({"bounds": row.get("single_least") is not None} for row in rows)])
    chart = Chart("bars", "captain", "value", label="captain", series="label")
    yield Section("by-captain", "By captain", tuple(words), columns, rows, chart, terminal="own")


NAMED = 4
"""Rows that are named in a sentence; of more only how many."""
_SINGLE_BOUNDS = (
    Column("single_least", "alone, at least", "share"),
    Column("single_most", "alone, at most", "share"),
)
_ALL_GRADED = (
    "The skyline is over the questions of which every player's answer is graded; at least and at most are over all"
    " questions, whatever the ungraded answers turn out to be."
)


MOST_EQUALS = 3
"""Players who are named as equally good."""
_PAID = "The best single player is picked afterwards; the lower end of its interval allows for that."


def _skyline(figures: Figures) -> Iterator[Section]:
    rows: list[Row] = []
    words: list[str] = []
    for team_figures in _of_teams(figures):
        if "skyline" not in team_figures:
            continue
        top, single, team = team_figures["skyline"], team_figures["best_single"], team_figures.get("team")
        rows.append({"team": team, "what": f"skyline: at least one player right, of {top['players']}", **_value(top)})
        if top.get("bounds") and _ALL_GRADED not in words:
            words.append(_ALL_GRADED)
        if top.get("why"):
            words.append(f"{f'{team}: ' if team else ''}the skyline is not known: {top['why']}.")
        if top.get("not_heard"):
            whose = f"{team}: " if team else ""
            words.append(
                f"{whose}{top['not_heard']} answers of players were not heard, since nobody waited for them: they are "
                "unknown, not wrong."
            )
        words += not_all_words([top], team)
        if top.get("guessing") is not None:
            rows.append({"team": team, "what": "as many independent guessers", "value": top["guessing"], "n": top["n"]})
        if single["value"] is not None:
            what = f"best single player, {' and '.join(best_names(single))}, the best of {ranked_words(single)}"
            rows.append({"team": team, "what": what, **_value(single)})
            words += [f"{what}: {single['why']}."] if single.get("why") else []
            if single["players"] > 1 and _PAID not in words:
                words.append(_PAID)
        elif "ranked" in single:
            words.append(f"{f'{team}: ' if team else ''}the best single player is not known: {single['why']}.")
    rows = [with_bounds(row) for row in rows]
    columns = with_team(
        figures, rows, Column("what", "what"), figure("value", "right"), *share_bounds(rows), Column("n", "questions")
    )
    chart = Chart("dots", "value", "what", label="what")
    yield Section("skyline", "How far the players could get", tuple(words), columns, rows, chart, terminal="own")
    gap = [{**row, "captain": row["captain"] or "all"} for row in figures.get("gap", ()) if row["value"] is not None]
    gap = [with_bounds(row) for row in gap]
    how: tuple[str, ...] = (
        "How much of the gap between the best single player and the skyline each strategy closes; below 0 it widened it.",
    )
    open_ends: tuple[Column, ...] = ()
    if any(row.get("bounds") for row in gap):
        how += ("Closed is over the graded questions; at least and at most are over all, whatever the rest is.",)
        open_ends = (Column("least", "at least", "share"), Column("most", "at most", "share"))
    how += tuple(gap_not_known(figures))
    named = (Column("label", "strategy"), Column("captain", "captain"), figure("value", "closed"))
    yield Section(
        "gap",
        "Share of the gap to the skyline closed",
        how,
        with_team(figures, gap, *named, *open_ends),
        gap,
        terminal="own",
    )


def gap_not_known(figures: Figures) -> list[str]:
    """Whose share of the gap is in no row, and why: in a run of several teams one may have none."""
    several = names_teams(figures)
    without: dict[str, list[str]] = {}
    for row in figures.get("gap", ()):
        if row["value"] is None and row.get("why"):
            without.setdefault(row["why"], []).append(titled(row, team=several))
    sentences = []
    for why, names in without.items():
        more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
        sentences.append(f"No share of {', '.join(names[:NAMED])}{more}: {why}.")
    return sentences


def best_names(single: Row) -> list[str]:
    """All who got most right; of more than a few the first and how many others."""
    names = [single["player"], *single.get("equals", ())]
    return names if len(names) <= MOST_EQUALS else [names[0], f"{len(names) - 1} equally good ones"]


def ranked_words(single: Row) -> str:
    """Among how many the best single player was chosen."""
    return f"{single['ranked']} ranked" if "ranked" in single else f"{single['players']}"


def _value(row: Mapping[str, Any]) -> Row:
    return {key: row[key] for key in ("value", "low", "high", "n", "bounds") if key in row}


def _gains(figures: Figures) -> Iterator[Section]:
    several = names_teams(figures)
    rows = [
        {**with_bounds(row), "name": titled(row, team=several), "captain": row["captain"] or "all"}
        for row in figures.get("gains", ())
    ]
    named = (Column("label", "strategy"), Column("captain", "captain"))
    abstained = (Column("abstained", "abstained"),) if any("abstained" in row for row in rows) else ()
    columns = with_team(figures, rows, *paired_columns(*named), *abstained, *ungraded_columns(rows))
    chart = Chart("dots", "difference", "name", label="name")
    yield Section(
        "gains",
        "Gain over the captain alone",
        paired_words(figures.get("gains", ())),
        columns,
        rows,
        chart,
        terminal="own",
    )


def _self_preference(figures: Figures) -> Iterator[Section]:
    rows = [{**_right_ends(row), "captain": row["captain"] or "all"} for row in figures.get("self_preference", ())]
    titles = {
        "self_choice": "own draft",
        "accuracy_self": "right then",
        "accuracy_not_self": "right else",
        "self_and_majority": "own and top",
        "novel": "new",
    }
    columns = [figure(key, title, "share", f"{key}_low", f"{key}_high") for key, title in titles.items()]
    ends = [
        Column(f"{key}_{end}", f"{titles[key]}, at {end}", "share")
        for key in _RIGHTS
        if any(row.get(f"{key}_bounds") for row in rows)
        for end in ("least", "most")
    ]
    named = with_team(
        figures, rows, Column("label", "strategy"), Column("captain", "captain"), *columns, *ends, Column("n", "plays")
    )
    words = (
        "How often a captain ended on its own draft, how often it was right then and else, and how often it was new.",
        *_self_preference_words(figures.get("self_preference", ())),
        *grouped_by_words(figures),
    )
    chart = Chart("bars", "captain", "self_choice", label="captain", series="label")
    yield Section("self-preference", "Captains and their own drafts", words, named, rows, chart, terminal="own")


_RIGHTS = ("accuracy_self", "accuracy_not_self")


def _right_ends(row: Mapping[str, Any]) -> Row:
    """What each of the two accuracies is at least and at most, as figures of their own."""
    sides = {key: bounds for key in _RIGHTS if (bounds := row.get(f"{key}_bounds"))}
    ends = (("least", "low"), ("most", "high"))
    return {**row, **{f"{key}_{name}": bounds[end] for key, bounds in sides.items() for name, end in ends}}


def _self_preference_words(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """What a share leaves out: words that nobody could match, answers that nobody graded."""
    single = [row for row in rows if row["captain"] is not None]
    words = []
    if unknown := sum(row["unknown"] for row in single):
        words.append(f"Whose draft it was is not known of {count(unknown, 'play')}, which are left out.")
    if not_asked := sum(row["not_asked"] for row in single):
        words.append(f"In {count(not_asked, 'play')} no captain chose: a vote stood, or nobody had answered.")
    if ungraded := sum(row.get("ungraded", 0) for row in single):
        words.append(f"{count(ungraded, 'play')} ungraded: right then and right else are over the others.")
    return [*words, *unknown_words(single, *_RIGHTS)]


def _human(figures: Figures) -> Iterator[Section]:
    rows = [{**with_bounds(row), "who": who(row) or "all"} for row in figures.get("human", ())]
    columns = with_team(
        figures,
        rows,
        Column("label", "strategy"),
        Column("who", "who"),
        figure("accuracy", "right"),
        *share_bounds(rows),
        figure("human", "people", "share", "human_low", "human_high"),
        figure("difference", "difference", "points", "difference_low_holm", "difference_high_holm"),
        Column("p_holm", "p", "p"),
        Column("n", "questions"),
    )
    words = ("On the questions that people played too.", *_of_difference(rows), *graded_words(rows), *_untold(rows))
    yield Section("human", "Beside people", words, columns, rows, terminal="own")


def _untold(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Of those whose accuracy is there, and who are held against nobody all the same."""
    return unknown_words([row for row in rows if row["accuracy"] is not None], "difference")


def _of_difference(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    return [f"Of the difference, {words}" for words in adjusted_words(rows)]


def _categories(figures: Figures) -> Iterator[Section]:
    rows = [with_bounds(row) for row in figures.get("categories", ())]
    columns = with_team(
        figures,
        rows,
        Column("category", "category"),
        Column("label", "strategy"),
        figure("accuracy", "right"),
        *share_bounds(rows),
        Column("n", "n"),
    )
    chart = Chart("bars", "category", "accuracy", label="category", series="label")
    yield Section("categories", "By category", tuple(graded_words(rows)), columns, rows, chart)


def _of_teams(figures: Figures) -> Sequence[Figures]:
    """The figures of each team; where there is one only, all."""
    return figures.get("teams") or [figures]


def talk_from_words(learnt: Mapping[str, Any], team: str | None) -> str:
    """From how many different answers on talking pays, or that nobody knows. `team`: whose it is, where there are several."""
    if learnt["talk_from"] is None:
        of = f" in team {team}" if team else ""
        return f"From how many different answers on talking pays{of} is not known: {learnt['why']}"
    of = f" of team {team}" if team else ""
    return f"Learnt{of}: talk from {learnt['talk_from']} different answers on"


def threshold_cost_words(learnt: Mapping[str, Any], team: str | None) -> list[str]:
    """All three policies are priced on the same questions."""
    of = f"team {team}" if team else None
    return whole_plays_words([learnt["by_threshold"]], "Calls a question", lambda _: of)


def _left_out_of_threshold(learnt: Mapping[str, Any], team: str | None) -> str:
    of = f" of team {team}" if team else ""
    left_out = count(learnt["left_out"], "question is", "questions are")
    return (
        f"{left_out} left out{of}: not both voted and talked about, not graded, or nobody knows how many different answers"
        " there were, as where a player was not waited for."
    )


def _talk_threshold(figures: Figures) -> Iterator[Section]:
    learnt_by = {part.get("team"): part["talk_threshold"] for part in _of_teams(figures) if part.get("talk_threshold")}
    if not learnt_by:
        return
    arms = {"by_threshold": "talking from there on", "always_vote": "always voting", "always_talk": "always talking"}
    rows = [
        with_bounds({"team": team, "policy": name, **learnt[arm]})
        for team, learnt in learnt_by.items()
        for arm, name in arms.items()
    ]
    columns = with_team(
        figures,
        rows,
        Column("policy", "policy"),
        figure("accuracy", "right"),
        *share_bounds(rows),
        Column("calls", "calls a question", "calls"),
        Column("cost_usd", "$ per 1,000", "usd-per-question"),
        Column("n", "questions"),
    )
    words = [f"{talk_from_words(learnt, team)}." for team, learnt in learnt_by.items()]
    if any(learnt["talk_from"] is not None for learnt in learnt_by.values()):
        words.append("The figures are on unseen questions.")
    words += [_left_out_of_threshold(learnt, team) for team, learnt in learnt_by.items() if learnt["left_out"]]
    for team, learnt in learnt_by.items():
        words += threshold_cost_words(learnt, team)
    words += graded_words(rows)
    yield Section("talk-threshold", "When talking pays", tuple(words), columns, rows)


def comparisons_section(figures: Figures) -> Iterator[Section]:
    rows = [with_bounds(row) for row in figures.get("comparisons", ())]
    named = (Column("a", "this"), Column("b", "against"))
    columns = with_team(figures, rows, *paired_columns(*named), *ungraded_columns(rows))
    yield Section(
        "comparisons",
        "Strategies against each other",
        (*paired_words(rows), *abstained_words(rows)),
        columns,
        rows,
        place=900,
    )
