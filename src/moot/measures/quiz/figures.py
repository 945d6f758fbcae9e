"""What a team's play amounts to, from its store: the quiz part of the figures.

Each team of an experiment is measured by itself, since its drafts, its skyline and its diversity are its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

import orjson

from moot.engine.match_record import texts_of
from moot.measures.cells import Stored as Stored
from moot.measures.cells import named_whole
from moot.measures.draft_calls import DraftTable
from moot.measures.episodes import right_of as right_of
from moot.measures.question_costs import question_costs
from moot.measures.quiz.answer_counts import answer_counts
from moot.measures.quiz.diversity import (
    diversity_and_people,
    diversity_by_captain,
    diversity_by_difficulty,
    diversity_curve,
    talk_by_diversity,
)
from moot.measures.quiz.played import (
    DraftsKey,
    Played,
    accuracy_figures,
    by_category,
    gains,
    human_comparison,
    pairs_by_captain,
    pairs_of_all,
    repeated,
    solos,
    split,
    teams,
)
from moot.measures.quiz.plays import plays_of as plays_of
from moot.measures.quiz.self_preference import self_preference
from moot.measures.quiz.skyline import best_single, gap_rows, skyline
from moot.measures.quiz.threshold import GroupingPaid, learn_threshold
from moot.measures.source import Source as Source
from moot.measures.team_drafts import TeamDrafts as TeamDrafts
from moot.stats.estimates import Row, with_holm
from moot.stats.graded_pairs import Pairs, apart_row
from moot.strategies.natives import NATIVE_STAGES
from moot.strategies.traits import Traits
from moot.types import Case

DRAFTS = "drafts"
"""Where a player's own answers come from, if not from having played alone."""


def quiz_figures(source: Source, cells: Sequence[Stored]) -> Row:
    """The quiz keys of the figures; only those that there is something to say under."""
    tables = source.draft_tables()
    by_team = [_team_figures(source, table) for table in tables]
    compared = _comparisons(source, tables)
    if len(tables) == 1:
        figures = by_team[0] | {"comparisons": [row for rows in compared.values() for row in rows]}
    else:
        figures = _several(tables, by_team)
        figures["comparisons"] = [{"team": team, **row} for team, rows in compared.items() for row in rows]
    for family in ("gains", "comparisons", "talk_by_diversity"):
        if family in figures:
            figures[family] = with_holm(figures[family], beside=source.unlisted_rows[family])
    if "human" in figures:
        people = source.unlisted_rows["human"]
        figures["human"] = with_holm(figures["human"], prefix="difference_", beside=people)
    _adjust(source, figures, "diversity_and_people")
    _adjust(source, figures, "talk_threshold", "over_vote", "over_talk")
    figures["measurement"] = _measurement(source.whole, cells)
    figures["grouped_by_words"] = sum(len(source.drafts(table).by_words) for table in tables)
    for key in _BY_LABEL & figures.keys():
        figures[key] = named_whole(figures[key], source.cells)
    return {key: value for key, value in figures.items() if value}


_BY_LABEL = frozenset(
    {
        *("gap", "gains", "self_preference", "human", "categories"),
        *("diversity", "diversity_captains", "diversity_by_difficulty"),
    }
)
"""Rows of one strategy each."""


def _adjust(source: Source, figures: Row, key: str, *within: str) -> None:
    """One figure a table: those of all tables are one family, or what stands `within` them. What is on top is one of them."""
    holding = [team for team in figures.get("teams", [figures]) if key in team]
    tested = [team[key][name] for team in holding for name in within] if within else [team[key] for team in holding]
    adjusted = with_holm(tested, beside=source.unlisted_rows[key])
    for place, team in enumerate(holding):
        several = len(within) or 1
        rows = adjusted[place * several : (place + 1) * several]
        own = {**team[key], **dict(zip(within, rows, strict=True))} if within else rows[0]
        if "teams" in figures and figures.get(key, {}).get("team") == team["team"]:
            figures[key] = {"team": team["team"], **own}
        team[key] = own


def _several(tables: Sequence[DraftTable], by_team: Sequence[Row]) -> Row:
    """Rows of several tables, each with its table's name. What is one figure a table stands under `teams`.

    That of the first team's usual drafts stands on top too; nothing does where none of its drafts are usual.
    """
    merged: Row = {"teams": []}
    on_top = next((table for table in tables if table.team == tables[0].team and table.usual), None)
    for table, figures in zip(tables, by_team, strict=True):
        name = table.name
        rows = {key: value for key, value in figures.items() if isinstance(value, list)}
        single = {key: value for key, value in figures.items() if key not in rows}
        for key, value in rows.items():
            merged.setdefault(key, []).extend({"team": name, **row} for row in value)
        for key, value in single.items():
            if table is on_top:
                merged[key] = {"team": name, **value} if isinstance(value, dict) else value
        merged["teams"].append({"team": name, **single})
    return merged


def _comparisons(source: Source, tables: Sequence[DraftTable]) -> dict[str, list[Row]]:
    """By team: its strategies against each other, whatever drafts each of them rests on."""
    compared: dict[str, list[Row]] = {}
    for team in dict.fromkeys(table.team for table in tables):
        beside = [table for table in tables if table.team == team]
        cells = [cell for cell in source.cells for table in beside if cell in table.cells]
        plays = [play for table in beside for play in plays_of(source, table)]
        compared[team] = comparisons(plays, list(dict.fromkeys(cell["label"] for cell in cells)))
    return compared


def _team_figures(source: Source, table: DraftTable) -> Row:
    plays, team_cells = plays_of(source, table), table.cells
    seed = source.seed
    choices = {question: _offered(case) for question, case in source.cases.items() if case.question.is_closed}
    curve = diversity_curve(plays)
    people = diversity_and_people(plays)
    single = best_single(plays, seed=seed)
    figures: Row = {
        "players": [
            {
                "player": name,
                **accuracy_figures(of_player),
                "from": _source_of(source, table.alone.get(name), of_player),
            }
            for name, of_player in split(solos(plays), lambda play: play.player).items()
        ],
        "skyline": solos(plays) and skyline(plays, choices=choices).row(),
        "best_single": solos(plays) and single.row(),
        "gap": solos(plays) and gap_rows(plays, seed=seed),
        "diversity": curve.rows,
        "diversity_left_out": curve.left_out if team_cells and curve.rows else 0,
        "diversity_captains": diversity_by_captain(plays),
        "talk_by_diversity": talk_by_diversity(plays, labels_that(talks, team_cells), labels_that(votes, team_cells)),
        "self_preference": self_preference(plays),
        "gains": gains(plays),
        "categories": by_category(plays),
        "talk_threshold": _talk_threshold(source, plays, team_cells, source.drafts(table)),
    }
    if any(play.human is not None for play in plays):
        figures["human"] = human_comparison(plays)
        figures["diversity_by_difficulty"] = diversity_by_difficulty(plays).rows
        figures["diversity_and_people"] = people
    return {key: value for key, value in figures.items() if value}


def _source_of(source: Source, alone: Stored | None, plays: Sequence[Played]) -> str:
    """Where a player's answers are from, by what it has played: a plan to play alone is no play."""
    by_itself = {episode.key for episode in source.seen(alone)} if alone is not None else set()
    from_drafts = [play.drafts not in by_itself for play in plays]
    if alone is None or all(from_drafts):
        return DRAFTS
    return f"{alone['strategy']} and {DRAFTS}" if any(from_drafts) else alone["strategy"]


def _offered(case: Case) -> int:
    return len(case.question.choices) or 2


def comparisons(plays: Sequence[Played], labels: Sequence[str]) -> list[Row]:
    """Each strategy against each that stands before it in the file: captain by captain and over all of them.

    Two that nobody leads are compared as they are; one that nobody leads is a row beside all captains of the other.
    """
    by_label = {
        label: split(of_label, lambda play: play.captain)
        for label, of_label in split(teams(plays), lambda play: play.strategy).items()
    }
    rows: list[Row] = []
    for second, first in combinations([label for label in labels if label in by_label], 2):
        both = by_label[first], by_label[second]
        shared = [captain for captain in both[0] if captain in both[1]]
        rows += [_compared(first, second, captain, *({captain: side[captain]} for side in both)) for captain in shared]
        if len(led := [captain for captain in shared if captain is not None]) > 1:
            every = [[play for captain in led for play in side[captain]] for side in both]
            named = {"a": first, "b": second, "captain": None}
            rows.append({**named, **_beside(pairs_by_captain(*every), pooled=True)})
        if not shared and any(None in side for side in both):
            rows.append(_compared(first, second, None, *both))
    return rows


Led = Mapping[str | None, Sequence[Played]]
"""Plays by captain."""


def _compared(first: str, second: str, captain: str | None, one: Led, other: Led) -> Row:
    """Everybody on one side with everybody on the other, on the questions that all of them have played: a mean over captains
    of whom some have not played would be of others on every question."""
    pooled = any(len(side) > 1 or repeated(plays) for side in (one, other) for plays in side.values())
    named = {"a": _led_by(first, one), "b": _led_by(second, other), "captain": captain}
    return {**named, **_beside(pairs_of_all(list(one.values()), list(other.values())), pooled=pooled)}


def _beside(pairs: Pairs, *, pooled: bool) -> Row:
    return apart_row(pairs, pooled=pooled)


def _led_by(label: str, side: Led) -> str:
    """With its captain, where it has one and no more."""
    captain = next(iter(side)) if len(side) == 1 else None
    return label if captain is None else f"{label}@{captain}"


def votes(traits: Traits) -> bool:
    """Everybody drafts alone, equal answers are grouped, and the largest group's word stands: what a team does that talks only
    where it is divided, as long as it is not. Rules over the drafts, which weigh voices, are others."""
    grouped = traits.word == "group" and traits.drafts is not None and traits.groups and traits.hears == "nothing"
    return grouped and not traits.weighs


def talks(traits: Traits) -> bool:
    """A captain reads the drafts with their reasons, once and without names, and decides: no grouping, no repeats."""
    decides = traits.word == "captain" and traits.hears == "reasons" and traits.asks == "captain"
    plainly = not traits.groups and not traits.weighs
    return decides and plainly and traits.names != "shown" and traits.repeats == 1


def labels_that(does: Callable[[Traits], bool], team_cells: Sequence[Stored]) -> list[str]:
    """The labels of the strategies that do, by what they say of themselves."""
    return list(dict.fromkeys(cell["label"] for cell in team_cells if does(cell["traits"])))


def _talk_threshold(
    source: Source, plays: Sequence[Played], team_cells: Sequence[Stored], table: TeamDrafts
) -> Row | None:
    """From how many answers on talking pays, where votes and talks are both on record."""
    voting, talking = labels_that(votes, team_cells), labels_that(talks, team_cells)
    if not voting or not talking:
        return None
    vote = [play for play in teams(plays) if play.strategy == voting[-1]]
    talk = [play for play in teams(plays) if play.strategy == talking[-1]]
    if not vote or not talk:
        return None
    grouping = {drafts: _grouping_paid(source, keys) for drafts, keys in table.grouping_calls().items()}
    players = max(len(drafts) for drafts in table.drafts.values()) if table.drafts else None
    counts = answer_counts(plays)
    if any(play.asked_again and play.drafts in counts.open for play in (*vote, *talk)):
        return None  # from how many on it talks there, and so which threshold is learnt, nobody knows
    heard_out = _heard_out(source, vote, talk, team_cells, table)
    arms = [[cell for cell in team_cells if cell["label"] == label] for label in (voting[-1], talking[-1])]
    played = [[episode for cell in cells for episode in source.seen(cell)] for cells in arms]
    learnt = learn_threshold(
        vote,
        talk,
        counts.sure,
        players=players,
        grouping=grouping,
        heard_out=heard_out,
        lacking=frozenset[str]().union(*(question_costs(source, seen).cut for seen in played)),
        seed=source.seed,
    )
    return learnt.row() if learnt else None


def _heard_out(
    source: Source, vote: Sequence[Played], talk: Sequence[Played], team_cells: Sequence[Stored], table: TeamDrafts
) -> dict[DraftsKey, GroupingPaid]:
    """Of votes that did not wait for all: what hearing and grouping everybody takes, by the calls of those who talked."""
    if all(play.known_groups is None for play in vote):
        return {}
    of_vote, of_talk = ([cell for cell in team_cells if cell["label"] == plays[0].strategy] for plays in (vote, talk))
    drafted: dict[DraftsKey, dict[str, None]] = {}
    for cell in of_talk:
        for row in source.results(cell):
            key = row["question"], cell["traits"].drafts_repeat(row["repeat"])
            steps = orjson.loads(row["transcript"])
            asked = {call: None for _, stage, turn, call, *_ in steps if stage in NATIVE_STAGES and turn == 1 and call}
            asked = {call: None for call in asked if call not in source.never_made}
            drafted.setdefault(key, {}).update(asked)
    grouping = table.grouping_calls()
    heard: dict[DraftsKey, GroupingPaid] = {}
    for cell in of_vote:
        for episode in source.seen(cell):
            drafts = drafted.get(episode.key, {})
            if drafts.keys() - set(episode.calls):
                keys = dict.fromkeys((*episode.calls, *drafts, *grouping.get(episode.key, ())))
                heard[episode.key] = _grouping_paid(source, list(keys))
    return heard


def _grouping_paid(source: Source, keys: Sequence[str]) -> GroupingPaid:
    costs_usd = list(source.costs_usd(keys).values())
    paid = [cost for cost in costs_usd if cost is not None]
    return GroupingPaid(len(keys), sum(paid) if len(paid) == len(keys) else None)


def _measurement(source: Source, cells: Sequence[Stored]) -> Row | None:
    """What it took to tell whose draft the captains chose: in no strategy's cost.

    A grouping that some strategy has played is that strategy's, be it that it was first asked for to measure.
    """
    if not source.matches:
        return None
    together = [cell for cell in cells if cell["player"] is None]
    seen = [episode for cell in together for episode in source.seen(cell) if episode.drafts]
    sets = [(episode.key, episode.drafts) for episode in seen]
    for table in source.draft_tables():
        sets += [(key, source.known_drafts(table, key)) for key in source.drafts(table).not_needed]
    keys = source.matches.calls({(*key, tuple(dict.fromkeys(texts_of(drafts)))) for key, drafts in sets})
    for cell in together:
        if keys and cell["traits"].groups:
            keys = keys.difference(*(episode.calls for episode in source.seen(cell)))
    costs = source.costs_usd(keys)
    if not costs:
        return None
    paid_usd = [cost for cost in costs.values() if cost is not None]
    return {"calls": len(costs), "cost_usd": sum(paid_usd) if len(paid_usd) == len(costs) else None}
