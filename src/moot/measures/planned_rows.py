"""The rows with a p that a report has of some cells once they are played, each told apart from all others.

They are made by the functions that make a report's rows, from plays that nobody has made yet: one question for each number
of different answers in each set, nobody right. So what a report compares and what is planned for cannot drift apart. A row is
known by what it compares, as `identity_of` knows that, and not by the names in it: so the rows of several versions of a file can
be laid beside each other, and one that stands in two of them is one.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from moot.measures.cells import Stored, identity_of, playing_alone, table_of
from moot.measures.discussion.baselines import Held, families_compared, held_against_alone
from moot.measures.discussion.by_themselves import drafted_at_once
from moot.measures.discussion.figures import ON_ALL_QUESTIONS, DiscussedCell, ways_compared
from moot.measures.discussion.naming import is_discussion, options_of
from moot.measures.discussion.talks import Talk
from moot.measures.quiz.diversity import talk_by_diversity
from moot.measures.quiz.figures import comparisons, labels_that, talks, votes
from moot.measures.quiz.played import Played, gains, human_comparison
from moot.measures.quiz.plays import DRAFTED
from moot.measures.safety.by_model import model_rows
from moot.measures.safety.figures import asked_both_ways, names_compared
from moot.measures.safety.pairs import Native, Pair, per_model
from moot.measures.safety.stages import drafting, led_cells
from moot.stats.graded import graded_value
from moot.store.same_options import without_surroundings
from moot.strategies import baseline
from moot.strategies.natives import SINGLE_CALL, draft_prompts
from moot.types import Case, canonical_json


def planned_rows(cells: Sequence[Stored], cases: Iterable[Case]) -> dict[str, list[Hashable]]:
    """By the key of a table: what tells its rows apart, so many as there will be at the most."""
    asked = list(cases)
    sets = list(dict.fromkeys(case.question_set for case in asked)) or [None]
    unplayed = _Unplayed(cells, sets, any(case.human is not None for case in asked))
    return {
        **_quiz(unplayed),
        **_safety(unplayed),
        **_discussions(unplayed),
        "position_bias": list(_places(unplayed)),
    }


@dataclass(frozen=True)
class _Unplayed:
    """What is known of some cells before they are played."""

    cells: Sequence[Stored]
    sets: Sequence[str | None]
    people: bool
    """Whether people have answered some of the questions."""

    @property
    def together(self) -> list[Stored]:
        return [cell for cell in self.cells if cell["player"] is None]

    def tables(self) -> list[list[Stored]]:
        tables: dict[str, list[Stored]] = {}
        for cell in self.together:
            tables.setdefault(table_of(cell), []).append(cell)
        return list(tables.values())

    def alone(self, cell: Stored) -> dict[str, str]:
        """By player: where its native answers will be from; nobody where nobody is asked alone."""
        names = {other["player"] or "": other["strategy"] for other in playing_alone(self.cells, cell)}
        drafts = cell["traits"].drafts is not None
        return {name: names.get(name, DRAFTED) for name in players_of(cell) if drafts or name in names}

    def native(self, cell: Stored, name: str) -> Hashable:
        """Whose answers alone those of a player at this table are: its drafts, be it that it was asked for these by itself."""
        alone = next((other for other in reversed(playing_alone(self.cells, cell)) if other["player"] == name), None)
        if alone is not None and (alone["strategy"] != baseline() or set(alone["given"]) - {"drafts"}):
            return self.identities[alone["id"]]
        return _drafted(alone or cell, name)

    @cached_property
    def identities(self) -> dict[str, str | bytes]:
        """By cell."""
        return {cell["id"]: identity_of(cell) for cell in self.cells}

    def made_of(self, cells: Iterable[Stored]) -> frozenset[Hashable]:
        return frozenset(self.identities[cell["id"]] for cell in cells)

    def compared_alone(self, cells: Sequence[Stored]) -> frozenset[Hashable]:
        """Beside what these cells are made of: their captains alone, where these are no drafts of theirs."""
        asked = [cell for cell in cells if cell["traits"].drafts is None]
        return self.made_of(cells) | {self.native(cell, cell["captain"] or "") for cell in asked}


def players_of(cell: Stored) -> list[str]:
    return [player["name"] for player in json.loads(cell["spec"])["players"]]


def _drafted(cell: Stored, name: str) -> Hashable:
    """A player as it is asked for a draft: in whichever strategy, it is the same call."""
    spec = json.loads(without_surroundings(cell["spec"]))
    player = next(player for player in spec["players"] if player["name"] == name)
    prompts = {
        prompt: spec.get("prompts", {}).get(prompt) for prompt in draft_prompts(cell["traits"].drafts or SINGLE_CALL)
    }
    return canonical_json([drafting(cell), spec.get("seed"), spec.get("language"), player, prompts])


def _tested(rows: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    return (row for row in rows if row["difference"] is not None)


@dataclass(frozen=True, slots=True)
class _Table:
    """The cells of one, found by what rows call them."""

    unplayed: _Unplayed
    cells: Sequence[Stored]

    def led(self, label: str, captain: str | None, among: Iterable[str | None] | None = None) -> list[Stored]:
        """By this captain; None: by every one, or by those `among` whom it is."""
        captains = None if among is None else set(among)
        of_label = [cell for cell in self.cells if cell["label"] == label]
        if captain is not None:
            return [cell for cell in of_label if cell["captain"] == captain]
        return [cell for cell in of_label if captains is None or cell["captain"] in captains]

    def captains(self, label: str) -> set[str | None]:
        return {cell["captain"] for cell in self.led(label, None)}

    def pair(self, one: str, other: str, captain: str | None) -> Hashable:
        """Two strategies against each other, whichever of them stands first in the file."""
        shared = (self.captains(one) & self.captains(other)) - {None} or None
        sides = (self.led(label, captain, shared) for label in (one, other))
        return frozenset(map(self.unplayed.made_of, sides))

    def alone(self) -> dict[str, str]:
        return {name: way for cell in self.cells for name, way in self.unplayed.alone(cell).items()}

    def natives(self, names: Iterable[str]) -> frozenset[Hashable]:
        seats = {name: cell for cell in reversed(self.cells) for name in players_of(cell)}
        return frozenset(self.unplayed.native(seats[name], name) for name in names)

    def members(self) -> list[str]:
        return list(dict.fromkeys(name for cell in self.cells for name in players_of(cell)))


def _quiz(unplayed: _Unplayed) -> dict[str, list[Hashable]]:
    names = ("gains", "comparisons", "talk_by_diversity", "human", "diversity_and_people", "talk_threshold")
    rows: dict[str, list[Hashable]] = {name: [] for name in names}
    for cells in unplayed.tables():
        table, plays = _Table(unplayed, cells), list(_plays(unplayed, cells))
        talking, voting = labels_that(talks, cells), labels_that(votes, cells)
        labels = list(dict.fromkeys(cell["label"] for cell in cells))
        alone = table.alone()
        rows["gains"] += [
            unplayed.compared_alone(table.led(row["label"], row["captain"], alone)) for row in _tested(gains(plays))
        ]
        rows["comparisons"] += [
            table.pair(_label(row["a"], labels), _label(row["b"], labels), row["captain"])
            for row in _tested(comparisons(plays, labels))
        ]
        rows["talk_by_diversity"] += [
            (row["d"], table.pair(row["a"], row["b"], row["captain"]))
            for row in _tested(talk_by_diversity(plays, talking, voting))
        ]
        rows["human"] += [_beside_people(table, alone, row) for row in _tested(human_comparison(plays))]
        if unplayed.people:
            rows["diversity_and_people"].append(table.natives(table.members()))
        if talking and voting:
            both = tuple(unplayed.made_of(table.led(label, None)) for label in (voting[-1], talking[-1]))
            rows["talk_threshold"] += [("over_vote", both), ("over_talk", both)]
    return rows


def _label(named: str, labels: Sequence[str]) -> str:
    """Without the captain that a row may have behind it."""
    return max((label for label in labels if named == label or named.startswith(f"{label}@")), key=len)


def _beside_people(table: _Table, alone: Mapping[str, str], row: Mapping[str, Any]) -> Hashable:
    if row["player"] is not None:
        return table.natives([row["player"]])
    if cells := table.led(row["label"], row["captain"]):
        return table.unplayed.made_of(cells)
    return table.natives(name for name, way in alone.items() if way == row["label"])


def _plays(unplayed: _Unplayed, cells: Sequence[Stored]) -> Iterator[Played]:
    table = _Table(unplayed, cells)
    human = 0.5 if unplayed.people else None
    members = table.members()
    for d in range(1, len(members) + 1):
        question = str(d)
        groups = (tuple(members[d - 1 :]), *((name,) for name in members[: d - 1]))
        for cell in cells:
            yield Played(question, cell["label"], captain=cell["captain"], right=0.0, groups=groups, human=human)
        for name, strategy in table.alone().items():
            yield Played(question, strategy, player=name, right=0.0, human=human)


def _safety(unplayed: _Unplayed) -> dict[str, list[Hashable]]:
    led = led_cells(unplayed.together)
    rows: dict[str, list[Hashable]] = {name: [] for name in ("safety_models", "cohort_models", "gain_by_strength")}
    for cells in _stages(led):
        heard = [cell for cell in cells if cell["captain"] in unplayed.alone(cell)]
        pairs = [
            Pair(str(number), cell["captain"] or "", 0.0, 0.0, cohort=cell.get("cohort"))
            for cell in heard
            for number in range(2)
        ]
        leading = {pair.model for pair in pairs}
        others = dict.fromkeys(
            Native(str(number), name, graded_value(0.0), cell.get("cohort"))
            for cell in cells
            for name in players_of(cell)
            for number in range(2)
            if name not in leading
        )
        rows["safety_models"] += [
            unplayed.compared_alone([cell for cell in heard if cell["captain"] == row["model"]])
            for row in _tested(per_model(pairs))
        ]
        rows["cohort_models"] += [
            (row["model"], row["when"], unplayed.made_of(cell for cell in cells if cell.get("cohort") == row["cohort"]))
            for row in _tested(model_rows(pairs, list(others)))
        ]
        if len(leading) > 2:
            rows["gain_by_strength"].append(unplayed.compared_alone(heard))
    both = [
        (unplayed.made_of([ways.single]), unplayed.made_of([ways.double])) for ways in asked_both_ways(unplayed.cells)
    ]
    return {
        **rows,
        "authority_bias": [
            (unplayed.made_of(hidden), unplayed.made_of(shown)) for _, hidden, shown in names_compared(led)
        ],
        "formatting_tax": [frozenset(both)] if both else [],
        "formatting_tax_models": [*both],
    }


def _stages(led: Sequence[Stored]) -> list[list[Stored]]:
    stages: dict[tuple[str | None, str], list[Stored]] = {}
    for cell in led:
        stages.setdefault((cell["team"], cell["label"]), []).append(cell)
    return list(stages.values())


def _discussions(unplayed: _Unplayed) -> dict[str, list[Hashable]]:
    """Of families that have a table for all questions and one for single sets, the larger; and the former by itself."""
    plays = [Talk(f"{name} {number}", 0.0, dataset=name) for name in unplayed.sets for number in range(2)]
    talking = [cell for cell in unplayed.cells if is_discussion(cell)]
    held = [Held(cell, plays) for cell in talking]
    alone = [Held(cell, plays) for cell in unplayed.cells if cell["traits"].alone and drafted_at_once(cell)]
    on_all: dict[str, list[Hashable]] = {
        "protocol_baselines": [
            (unplayed.made_of([discussion.cell]), unplayed.made_of(member.cell for member in against.members))
            for discussion, against in held_against_alone(held, alone)
        ],
        "protocol_families": [
            frozenset(unplayed.made_of(member.cell for member in side) for side in (both.one, both.other))
            for both in families_compared(held)
        ],
    }
    differences: list[Hashable] = [
        (part, unplayed.made_of([one.cell]), unplayed.made_of([other.cell]))
        for part, one, other in ways_compared([DiscussedCell(cell, options_of(cell), plays) for cell in talking])
    ]
    return {
        **{name: [(row, part) for row in rows for part in unplayed.sets] for name, rows in on_all.items()},
        **{f"{name}{ON_ALL_QUESTIONS}": rows for name, rows in on_all.items()},
        "protocol_differences": differences,
    }


def _places(unplayed: _Unplayed) -> Iterator[Hashable]:
    """The first place and the last, of all who read at a table, or in a cohort of it, in one role, and of each of several."""
    for cells in _stages(unplayed.together):
        for cohort in dict.fromkeys(cell.get("cohort") for cell in cells):
            for row in _readers(unplayed, [cell for cell in cells if cell.get("cohort") == cohort]):
                yield from ((row, end) for end in ("first", "last"))


def _readers(unplayed: _Unplayed, cells: Sequence[Stored]) -> Iterator[Hashable]:
    """As far as the traits tell who is shown what others said, in how many roles; where they do not, at most: everybody in
    two roles, and two kinds of ballots."""
    traits, members = cells[0]["traits"], _Table(unplayed, cells).members()
    if traits.hears == "nothing":
        return
    if traits.decides_by is not None:  # a discussion, in which options are read by whoever has a ballot
        yield from (unplayed.made_of([cell]) for cell in cells if traits.decides_by != "consensus")
    elif traits.asks == "captain":
        yield from _captains_reading(unplayed, cells)
    elif traits.asks == "nobody" and traits.offices:
        yield from _all_and_each(unplayed.made_of(cells), "offices", len(traits.offices))
    elif traits.asks == "everybody" and traits.hears in ("answers", "reasons", "rounds"):
        yield from _all_and_each(unplayed.made_of(cells), "everybody", len(members))
        if traits.captain == "leads" and traits.hears != "rounds":  # who has debated does not read once more to decide
            yield from _captains_reading(unplayed, cells)
    else:
        for role in ("read", "review"):
            yield from _all_and_each(unplayed.made_of(cells), role, len(members) + 1)
        yield from ((unplayed.made_of([cell]), kind) for cell in cells for kind in ("votes", "judges"))


def _captains_reading(unplayed: _Unplayed, cells: Sequence[Stored]) -> Iterator[Hashable]:
    """A single captain's row is the one over all."""
    yield from dict.fromkeys(("led", unplayed.made_of(several)) for several in (*([cell] for cell in cells), cells))


def _all_and_each(made_of: Hashable, role: str, readers: int) -> Iterator[Hashable]:
    yield from ((made_of, role, number) for number in range(readers + 1 if readers > 1 else 1))
