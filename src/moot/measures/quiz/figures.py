"""What a team's play amounts to, from its store: the quiz part of the figures.

Each team of an experiment is measured by itself, since its drafts, its skyline and its diversity are its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from moot.measures.quiz.diversity import diversity_and_people, diversity_by_difficulty, diversity_curve
from moot.measures.quiz.played import (
    Played,
    accuracy_of,
    by_category,
    gains,
    human_comparison,
    repeated,
    solos,
    split,
    teams,
)
from moot.measures.quiz.self_preference import self_preference
from moot.measures.quiz.skyline import best_single, gap_rows, skyline
from moot.measures.quiz.threshold import learn_threshold
from moot.measures.source import Source as Source
from moot.measures.source import Stored as Stored
from moot.measures.source import Table as Table
from moot.measures.source import plays_of as plays_of
from moot.measures.source import right_of as right_of
from moot.measures.source import table_of
from moot.stats.estimates import Row, estimate_row, with_holm
from moot.stats.paired import compare
from moot.types import Case


def quiz_figures(source: Source, cells: Sequence[Stored]) -> Row:
    """The quiz keys of the figures; only those that there is something to say under."""
    names = list(dict.fromkeys(table_of(cell) for cell in cells if cell["player"] is None))
    found = [_team_figures(source, name, cells) for name in names]
    shown = found[0] if len(found) == 1 else _several(names, found)
    for family in ("gains", "comparisons"):
        if family in shown:
            shown[family] = with_holm(shown[family])
    shown["measurement"] = _measurement(source)
    return {key: value for key, value in shown.items() if value}


def _several(names: Sequence[str], found: Sequence[Row]) -> Row:
    """Rows of several teams, each with its team's name. What is one figure a team stands under `teams`, the first on top."""
    shown: Row = {"teams": []}
    for name, figures in zip(names, found, strict=True):
        rows = {key: value for key, value in figures.items() if isinstance(value, list)}
        single = {key: value for key, value in figures.items() if key not in rows}
        for key, value in rows.items():
            shown.setdefault(key, []).extend({"team": name, **row} for row in value)
        for key, value in single.items():
            shown.setdefault(key, {"team": name, **value} if isinstance(value, dict) else value)
        shown["teams"].append({"team": name, **single})
    return shown


def _team_figures(source: Source, team: str, cells: Sequence[Stored]) -> Row:
    plays, table = plays_of(source, team, cells)
    seed = source.seed
    solo_cells = {cell["player"] for cell in cells}
    choices = {question: _offered(case) for question, case in source.cases.items() if case.question.kind != "open"}
    curve = diversity_curve(plays, seed=seed)
    people = diversity_and_people(plays)
    single = best_single(plays, seed=seed)
    labels = list(dict.fromkeys(cell["label"] for cell in cells if cell["player"] is None and table_of(cell) == team))
    shown: Row = {
        "players": [
            {"player": name, **estimate_row(accuracy_of(each, seed=seed)), "from": _origin(name in solo_cells)}
            for name, each in split(solos(plays), lambda play: play.player).items()
        ],
        "skyline": solos(plays) and skyline(plays, choices=choices, seed=seed).row(),
        "best_single": solos(plays) and single.row(),
        "gap": solos(plays) and gap_rows(plays, seed=seed),
        "diversity": curve.rows,
        "diversity_left_out": curve.left_out,
        "self_preference": self_preference(plays, seed=seed),
        "gains": gains(plays, seed=seed),
        "comparisons": comparisons(plays, labels, seed=seed),
        "categories": by_category(plays, seed=seed),
        "adaptive": _adaptive(source, plays, cells, table),
    }
    if any(play.human is not None for play in plays):
        shown["human"] = human_comparison(plays, seed=seed)
        shown["diversity_by_difficulty"] = diversity_by_difficulty(plays, seed=seed).rows
        shown["diversity_and_people"] = people and {**estimate_row(people.estimate, "rho"), "p": people.p}
    return {key: value for key, value in shown.items() if value}


def _origin(played_alone: bool) -> str:
    return "solo" if played_alone else "drafts"


def _offered(case: Case) -> int:
    return len(case.question.choices) or 2


def comparisons(plays: Sequence[Played], labels: Sequence[str], *, seed: int = 0) -> list[Row]:
    """Each strategy against each that stands before it in the file, captain by captain and over all of them."""
    by_label = split(teams(plays), lambda play: play.strategy)
    rows: list[Row] = []
    for second, first in combinations([label for label in labels if label in by_label], 2):
        both = [split(by_label[label], lambda play: play.captain) for label in (first, second)]
        shared = [captain for captain in both[0] if captain is not None and captain in both[1]]
        for captain in shared:
            pairs = _pairs(both[0][captain], both[1][captain])
            named = {"a": f"{first}@{captain}", "b": f"{second}@{captain}", "captain": captain}
            pooled = any(repeated(each[captain]) for each in both)
            rows.append({**named, **compare(pairs, pooled=pooled, seed=seed).row()})
        if len(shared) > 1:
            every = [[play for captain in shared for play in each[captain]] for each in both]
            named = {"a": first, "b": second, "captain": None}
            rows.append({**named, **compare(_pairs(every[0], every[1]), pooled=True, seed=seed).row()})
    return rows


def _pairs(first: Sequence[Played], second: Sequence[Played]) -> list[tuple[float, float]]:
    """One pair a question: the mean over the captains whom both have played it under."""
    sides = [split(each, lambda play: (play.question, play.captain)) for each in (first, second)]
    pairs: dict[str, list[tuple[float, float]]] = {}
    for key in sides[0]:
        if key in sides[1]:
            one, other = (sum(play.value for play in side[key]) / len(side[key]) for side in sides)
            pairs.setdefault(key[0], []).append((one, other))
    return [
        (sum(pair[0] for pair in each) / len(each), sum(pair[1] for pair in each) / len(each))
        for each in pairs.values()
    ]


def _adaptive(source: Source, plays: Sequence[Played], cells: Sequence[Stored], table: Table) -> Row | None:
    """From how many answers on talking pays, where votes and talks are both on record."""
    labels = {cell["strategy"]: cell["label"] for cell in cells}
    vote = [play for play in plays if play.strategy == labels.get("vote") and play.player is None]
    talkative = [play for play in plays if play.strategy == labels.get("talkative") and play.player is None]
    if not vote or not talkative:
        return None
    costs = source.costs_usd(key for keys in table.grouping.values() for key in keys)
    grouping_usd = {
        question: sum(costs.get(key) or 0.0 for key in keys) for (question, _), keys in table.grouping.items()
    }
    players = max(len(drafts) for drafts in table.drafts.values()) if table.drafts else None
    learnt = learn_threshold(vote, talkative, players=players, grouping_usd=grouping_usd, seed=source.seed)
    return learnt.row() if learnt else None


def _measurement(source: Source) -> Row | None:
    """What it took to tell whose draft the captains chose: in no strategy's cost."""
    costs = source.costs_usd(source.matches.calls)
    if not costs:
        return None
    known = [cost for cost in costs.values() if cost is not None]
    return {"calls": len(costs), "cost_usd": sum(known) if len(known) == len(costs) else None}
