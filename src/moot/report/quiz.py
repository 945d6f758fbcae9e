"""What a team's play amounts to, from its store: the quiz part of the figures.

Episodes are read cell by cell into plays without words; what a draft was worth, who agreed with whom and whose draft
the captain chose is looked up on the way. Each team of an experiment is measured by itself, since its drafts, its
skyline and its diversity are its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from sqlalchemy import Connection, select

from moot.grade.group import GROUPING
from moot.grade.judge import Judgement, settled
from moot.grade.match import match
from moot.grade.normalise import normalise
from moot.measure.agreement import agreement
from moot.measure.diversity import diversity_and_people, diversity_by_difficulty, diversity_curve
from moot.measure.paired import compare
from moot.measure.quiz import (
    Groups,
    Played,
    Row,
    accuracy_of,
    by_category,
    estimate_row,
    gains,
    human_comparison,
    solos,
    split,
    teams,
    with_holm,
)
from moot.measure.self_preference import self_preference
from moot.measure.skyline import best_single, gap_rows, skyline
from moot.measure.threshold import learn_threshold
from moot.run.matching import Matches
from moot.store import queries, schema
from moot.store.rows import case_of, verdict_of
from moot.types import Answer, Case

Stored = Mapping[str, Any]
Key = tuple[str, int]
"""One play of one question: (question, repeat)."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One team episode, with no more words than are needed to tell whose draft it ended on."""

    cell: Stored
    key: Key
    right: float | None
    outcome: str
    word: str | None
    """What a captain said in words of its own; None where none did."""
    calls: tuple[str, ...]


@dataclass(slots=True)
class Table:
    """What a team's episodes hold: the drafts and their groups once a question, and an entry for each episode."""

    seen: list[Seen] = field(default_factory=list)
    drafts: dict[Key, tuple[Answer, ...]] = field(default_factory=dict)
    groups: dict[Key, Groups] = field(default_factory=dict)
    grouping: dict[Key, tuple[str, ...]] = field(default_factory=dict)
    """The calls that grouping took, which a strategy without it would not have paid."""


class Source:
    """The store, as one experiment's report reads it: its cases, matches and judgements are read once."""

    def __init__(self, connection: Connection, experiment: Stored, grader: str) -> None:
        self.connection = connection
        self.ident: str = experiment["id"]
        self.grader = grader
        self.config: dict[str, Any] = json.loads(experiment["config"])
        self.seed = int(self.config.get("seed", 0))
        self.cases = {row["question"]: case_of(row["content"]) for row in queries.cases_of(connection, self.ident)}
        self.matches = Matches(queries.matches_on(connection, list(self.cases)), self.config)
        self.judges: list[str] = list(self.config.get("judge", {}).get("models", ()))
        digests = [case.digest for case in self.cases.values()]
        self.persons = queries.settlements_on(connection, digests)
        self.judgements: dict[str, list[Judgement]] = {}
        rows = queries.judgements_on(connection, digests) if self.judges else []
        names = self._identities(rows)
        for row in rows:
            if row["judge"] in names:
                right = None if row["right"] is None else bool(row["right"])
                word = Judgement(row["answer"], names[row["judge"]], right, row["detail"])
                self.judgements.setdefault(row["case"], []).append(word)

    def _identities(self, rows: Sequence[Stored]) -> dict[str, str]:
        """The judges by what their words are kept under: see `judge_identity`.

        A judge whose model or prompt has changed is another one under the same name; whoever was asked last counts.
        """
        calls = {row["judge"]: (row["detail"] or "").removeprefix("call ") for row in rows}
        table = schema.calls
        query = select(table.c.key, table.c.created_at).where(table.c.key.in_(calls.values()))
        asked_at = {row.key: row.created_at for row in self.connection.execute(query)}
        found: dict[str, str] = {}
        for name in self.judges:
            own = [identity for identity in calls if identity.rpartition("#")[0] == name]
            if own:
                found[max(own, key=lambda identity: asked_at.get(calls[identity], 0.0))] = name
        return found

    def results(self, cell: Stored) -> Iterable[Stored]:
        return queries.results(self.connection, self.ident, cell["id"], self.grader)

    def grade(self, case: Case, text: str | None) -> float | None:
        """A draft that nobody played alone, by match and by what judges have said of it anyway."""
        person = self.persons.get((case.digest, normalise(text))) if text is not None else None
        if not self.judges and person is None:
            return match(case, text).value
        return settled(case, text, self.judgements.get(case.digest, ()), person, len(self.judges)).value

    def costs_usd(self, keys: Iterable[str]) -> dict[str, float | None]:
        table = schema.calls
        found: dict[str, float | None] = {}
        for part in queries.chunks(sorted(set(keys))):
            query = select(table.c.key, table.c.cost_usd).where(table.c.key.in_(part))
            found.update((key, cost) for key, cost in self.connection.execute(query))
        return found


def quiz_figures(connection: Connection, experiment: Stored, cells: Sequence[Stored], grader: str) -> Row:
    """The quiz keys of the figures; only those that there is something to say under."""
    source = Source(connection, experiment, grader)
    names = list(dict.fromkeys(cell["team"] for cell in cells if cell["player"] is None))
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


def plays_of(source: Source, team: str, cells: Sequence[Stored]) -> tuple[list[Played], Table]:
    """Every play of a team and of its players alone, from one pass over their episodes."""
    own = [cell for cell in cells if cell["player"] is None and cell["team"] == team]
    table = Table()
    for cell in own:
        _read(source, cell, table)
    members = [player["name"] for player in json.loads(own[0]["spec"])["players"]]
    costs = source.costs_usd(key for each in table.seen for key in each.calls)
    plays = [_played(source, each, table, costs) for each in table.seen]
    alone = {cell["player"]: cell for cell in cells if cell["player"] in members}
    for name in members:
        plays += _alone(source, alone[name]) if name in alone else _drafted(source, name, table)
    return plays, table


def _read(source: Source, cell: Stored, table: Table) -> None:
    for row in source.results(cell):
        key = (row["question"], row["repeat"])
        verdict = verdict_of(row["verdict"])
        steps = json.loads(row["transcript"])
        if verdict.answers:
            table.drafts.setdefault(key, verdict.answers)
        if "groups" in verdict.notes:
            table.groups.setdefault(key, tuple(tuple(group) for group in verdict.notes["groups"]))
            table.grouping.setdefault(key, tuple(step[3] for step in steps if step[1] == GROUPING and step[3]))
        word = verdict.answer if "order" in verdict.notes else None
        calls = tuple(dict.fromkeys(step[3] for step in steps if step[3]))
        table.seen.append(Seen(cell, key, right_of(row), row["outcome"], word, calls))


def right_of(row: Stored) -> float | None:
    """None: ungraded. Without an answer there is nothing to grade, and nothing right."""
    return row["value"] if row["value"] is not None or row["answer"] is not None else 0.0


def _played(source: Source, seen: Seen, table: Table, costs: Mapping[str, float | None]) -> Played:
    question, repeat = seen.key
    case, drafts = source.cases[question], table.drafts.get(seen.key, ())
    if seen.key not in table.groups:
        table.groups[seen.key] = source.matches.groups(case.question, repeat, drafts)
    groups = table.groups[seen.key]
    captain = seen.cell["captain"]
    own = novel = None
    if seen.word is not None:
        proposers = source.matches.proposers(case.question, repeat, drafts, seen.word)
        if proposers is not None:
            # Its own draft in other words is its own draft: whoever grouped the drafts has said so.
            alike = {player for group in groups if set(group) & set(proposers) for player in group}
            own, novel = captain in alike or captain in proposers, not proposers
    paid = [costs.get(key) for key in seen.calls]
    known = [cost for cost in paid if cost is not None]
    return Played(
        question,
        seen.cell["label"],
        captain=captain,
        right=seen.right,
        outcome=seen.outcome,
        groups=groups,
        own_choice=own,
        novel=novel,
        human=case.human.rate if case.human else None,
        category=case.category or case.package,
        calls=len(seen.calls),
        cost_usd=sum(known) if len(known) == len(paid) else None,
    )


def _alone(source: Source, cell: Stored) -> list[Played]:
    return [
        _single(source.cases[row["question"]], row["question"], cell["player"], right_of(row), row["outcome"])
        for row in source.results(cell)
    ]


def _drafted(source: Source, player: str, table: Table) -> list[Played]:
    """A player who was never played alone: its drafts say what it would have answered."""
    plays = []
    for (question, _repeat), drafts in table.drafts.items():
        case = source.cases[question]
        plays += [
            _single(case, question, player, source.grade(case, draft.text), draft.outcome)
            for draft in drafts
            if draft.player == player
        ]
    return plays


def _single(case: Case, question: str, player: str, right: float | None, outcome: str) -> Played:
    human, category = case.human.rate if case.human else None, case.category or case.package
    return Played(
        question, "solo", player=player, right=right, outcome=outcome, human=human, category=category, calls=1
    )


def _team_figures(source: Source, team: str, cells: Sequence[Stored]) -> Row:
    plays, table = plays_of(source, team, cells)
    seed = source.seed
    solo_cells = {cell["player"] for cell in cells}
    choices = {question: _offered(case) for question, case in source.cases.items() if case.question.kind != "open"}
    curve = diversity_curve(plays, seed=seed)
    people = diversity_and_people(plays)
    single = best_single(plays, seed=seed)
    labels = list(dict.fromkeys(cell["label"] for cell in cells if cell["player"] is None and cell["team"] == team))
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
            rows.append({**named, **compare(pairs, seed=seed).row()})
        if len(shared) > 1:
            pooled = [[play for captain in shared for play in each[captain]] for each in both]
            named = {"a": first, "b": second, "captain": None}
            rows.append({**named, **compare(_pairs(pooled[0], pooled[1]), seed=seed).row()})
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


def judges_figures(connection: Connection, experiment: Stored, grader: str) -> Row | None:
    """How often two judges said the same of what was answered here."""
    source = Source(connection, experiment, grader)
    if len(source.judges) != 2:
        return None
    first, second = source.judges
    pairs: list[tuple[bool, bool]] = []
    for case, answers in _answers(source).items():
        words: dict[str, dict[str, bool]] = {}
        for each in source.judgements.get(case, ()):
            if each.right is not None and each.answer in answers:
                words.setdefault(each.answer, {})[each.judge] = each.right
        pairs += [(said[first], said[second]) for said in words.values() if len(said) == 2]
    found = agreement(pairs)
    disputed = sum(one != other for one, other in pairs)
    row = {"judges": source.judges, "n": found.n, "agreement": found.share, "kappa": found.kappa, "disputed": disputed}
    return row if pairs else None


def _answers(source: Source) -> dict[str, set[str]]:
    """What was answered to each case, normalised: what judges were asked about here, and not in another experiment."""
    cells, places, episodes = schema.experiment_cells, schema.experiment_questions, schema.episodes
    query = (
        select(places.c.case, episodes.c.answer)
        .join(episodes, episodes.c.question == places.c.question)
        .join(cells, (cells.c.cell == episodes.c.cell) & (cells.c.experiment == source.ident))
        .where(places.c.experiment == source.ident, episodes.c.answer.is_not(None))
        .distinct()
    )
    found: dict[str, set[str]] = {}
    for case, answer in source.connection.execute(query):
        found.setdefault(case, set()).add(normalise(answer))
    return found


def _measurement(source: Source) -> Row | None:
    """What it took to tell whose draft the captains chose: in no strategy's cost."""
    costs = source.costs_usd(source.matches.calls)
    if not costs:
        return None
    known = [cost for cost in costs.values() if cost is not None]
    return {"calls": len(costs), "cost_usd": sum(known) if len(known) == len(costs) else None}
