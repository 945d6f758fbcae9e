"""Protocols beside what they have to beat, question by question: their models alone, and another family.

Alone means as each was told or step by step, each a row of its own: to beat a model that was not told to think is no proof
that the talk did it. A way in which not all models of a table have played is no row, and is told apart. Families are compared
only where nothing but the way of deciding differs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from moot.measures.cells import Stored
from moot.measures.discussion.by_themselves import (
    Alone,
    WayAlone,
    models_at,
    one_alone,
    players_at,
    was_told,
    way_alone,
    ways_alone,
)
from moot.measures.discussion.naming import (
    apart_from,
    deciding_options,
    family_of,
    is_baseline,
    most_turns,
    names_of,
    one_agent,
    protocol_of,
)
from moot.measures.discussion.talks import Talk, mean_rounds, values_of
from moot.stats.graded import Value, whole_mean
from moot.stats.graded_pairs import Pairs, apart_row

Row = dict[str, Any]
PLAIN, AS_TOLD = "plain", "as each was told"


@dataclass(frozen=True, slots=True)
class Held:
    """A cell with its plays: a discussion, or somebody alone."""

    cell: Stored
    talks: Sequence[Talk]

    @property
    def table(self) -> tuple[str | None, str | None]:
        return self.cell["team"], self.cell.get("cohort")

    @property
    def repeated(self) -> bool:
        return len(self.talks) > len({talk.question for talk in self.talks})

    def values(self) -> dict[str, Value]:
        return values_of(self.talks)


@dataclass(frozen=True, slots=True)
class Baseline:
    """Those alone whom a discussion is held against together, by who stands for which of its seats."""

    against: str
    thinking: str
    parts: tuple[tuple[Held, ...], ...]
    seats: tuple[int, ...]
    """Of how many seats each of these is the mean."""
    models: int
    """Of how many of the table's models somebody is here."""
    missing: tuple[str, ...] = ()
    """Who sits at the table and is none of these, played so: without them it is no mean of the table's seats."""

    @property
    def members(self) -> list[Held]:
        return list({member.cell["id"]: member for part in self.parts for member in part}.values())

    @property
    def players(self) -> list[str]:
        return list(dict.fromkeys(name for member in self.members for name in players_at(member.cell)))


def baseline_rows(held: Sequence[Held], alone: Sequence[Held]) -> Iterator[Row]:
    """Every discussion against the mean of its own models alone; several talk, so one agent in one turn is alone too."""
    names = names_of([discussion.cell for discussion in held])
    for discussion, baseline in held_against_alone(held, alone):
        if pairs := _pairs_with(discussion, baseline):
            named = _baseline_named(names[discussion.cell["id"]], baseline)
            members = baseline.members
            pooled = len(members) > 1 or any(side.repeated for side in (discussion, *members))
            yield from _on_sets(named, pairs, _sets(discussion), pooled)


def baselines_left_out(held: Sequence[Held], alone: Sequence[Held]) -> Iterator[Row]:
    """What is no row of these, and why: somebody has played alone so, but not every model of the table."""
    names = names_of([discussion.cell for discussion in held])
    for discussion, baseline in _ways_alone(held, alone):
        of_models = len(models_at(discussion.cell))
        models = baseline.models
        only = f"{models} of {of_models} models only" if models < of_models else "not everybody who sits there"
        why = only if baseline.missing else "no question that all of them have"
        if baseline.missing or not _pairs_with(discussion, baseline):
            named = _baseline_named(names[discussion.cell["id"]], baseline)
            missing = list(baseline.missing)
            yield {**named, "models": models, "of_models": of_models, "missing": missing, "why": why}


def _baseline_named(discussion: Row, baseline: Baseline) -> Row:
    alone = {"against": baseline.against, "thinking": baseline.thinking, "players": baseline.players}
    return {**discussion, **alone}


def held_against_alone(held: Sequence[Held], alone: Sequence[Held]) -> Iterator[tuple[Held, Baseline]]:
    """Every discussion with each way in which all of its models are alone."""
    return ((discussion, baseline) for discussion, baseline in _ways_alone(held, alone) if not baseline.missing)


def _ways_alone(held: Sequence[Held], alone: Sequence[Held]) -> Iterator[tuple[Held, Baseline]]:
    """Every discussion with each way in which any of its models is alone."""
    names = names_of([discussion.cell for discussion in held])
    single = [discussion for discussion in held if is_baseline(discussion.cell)]
    for discussion in held:
        if not is_baseline(discussion.cell):
            yield from ((discussion, baseline) for baseline in _players_alone(discussion, alone))
            yield from ((discussion, baseline) for baseline in _agents_alone(discussion, single, names))


def _players_alone(discussion: Held, alone: Sequence[Held]) -> Iterator[Baseline]:
    """By what they were told."""
    played = [member for member in alone if member.talks]
    for strategy in dict.fromkeys(member.cell["strategy"] for member in played):
        alike = [member for member in played if member.cell["strategy"] == strategy]
        for way, standing in ways_alone(discussion.cell, [member.cell for member in alike]):
            yield from _of_models(discussion, alike, standing, way, ", ".join(filter(None, (strategy, way))))


def _agents_alone(discussion: Held, single: Sequence[Held], names: Mapping[str, Row]) -> Iterator[Baseline]:
    """One agent in one turn, of the same table: it has the model of the first who sits there."""
    for member in single:
        if member.table == discussion.table:
            named = names[member.cell["id"]]
            standing = one_alone(discussion.cell, member.cell)
            against = f"{named['protocol']}, {named['with']}"
            yield from _of_models(discussion, [member], standing, way_alone(member.cell), against)


def _of_models(
    discussion: Held, alike: Sequence[Held], standing: Alone, way: WayAlone, against: str
) -> Iterator[Baseline]:
    """Of those who have played in one way; nothing where none of them has a model of the table."""
    if cells := standing.cells:
        by_cell = {member.cell["id"]: member for member in alike}
        parts = tuple(tuple(by_cell[cell["id"]] for cell in part.cells) for part in standing.parts)
        seats = tuple(part.seats for part in standing.parts)
        thinking = way or (AS_TOLD if any(map(was_told, cells)) else PLAIN)
        yield Baseline(against, thinking, parts, seats, standing.models, tuple(standing.missing))


def _pairs_with(discussion: Held, baseline: Baseline) -> Pairs:
    """Each seat counts as whoever is it alone, on the questions that all of them have, where all are graded: else the mean
    would be over others each time. A table that hands on the word of one seat by lot is then as good as its baseline."""
    ours = discussion.values()
    theirs = [[member.values() for member in members] for members in baseline.parts]

    def alone(question: str) -> Value:
        means = [whole_mean([values[question] for values in of_one]) for of_one in theirs]
        # Repeated for the figure only: an answer that waits is one, however many seats its player has.
        once, seats = whole_mean(means), zip(means, baseline.seats, strict=True)
        by_seat = whole_mean([mean for mean, times in seats for _ in range(times)])
        return once._replace(known=by_seat.known, least=by_seat.least, most=by_seat.most, words=by_seat.words)

    return {
        question: [(value, alone(question))]
        for question, value in ours.items()
        if all(question in values for of_one in theirs for values in of_one)
    }


def family_rows(held: Sequence[Held]) -> Iterator[Row]:
    """One family against another over the protocols of each, a question counting by its mean over them."""
    for both in families_compared(held):
        pairs = _pairs_between(both.one, both.other)
        if not pairs:
            continue
        several = len(both.one) > 1 or len(both.other) > 1
        pooled = several or any(side.repeated for side in (*both.one, *both.other))
        named = {
            **_setting_named(held, both.group),
            "of": family_of(both.one[0].cell),
            "against": family_of(both.other[0].cell),
            "of_protocols": [protocol_of(side.cell) for side in both.one],
            "against_protocols": [protocol_of(side.cell) for side in both.other],
        }
        yield from _on_sets(named, pairs, _sets(*both.group), pooled)


@dataclass(frozen=True, slots=True)
class TwoFamilies:
    """Discussions of one setting that decide in two ways."""

    group: Sequence[Held]
    one: Sequence[Held]
    other: Sequence[Held]


def families_compared(held: Sequence[Held]) -> Iterator[TwoFamilies]:
    for group in settings(held):
        families = _by_family(group)
        for one, other in combinations(sorted(families, reverse=True), 2):
            yield TwoFamilies(group, families[one], families[other])


def round_rows(held: Sequence[Held], *, seed: int = 0) -> Iterator[Row]:
    """The mean turns of each family, where nothing but the way of deciding differs.

    With more agents, or a vote that is allowed earlier, it is another discussion: its turns say nothing of the protocol.
    What only one protocol was played with stands in that protocol's own row, and is not told twice.
    """
    for group in settings(held):
        if len(group) < 2:
            continue
        for family, discussions in _by_family(group).items():
            talks = [talk for discussion in discussions for talk in discussion.talks]
            protocols = list(dict.fromkeys(protocol_of(discussion.cell) for discussion in discussions))
            named = {**_setting_named(held, group), "family": family, "protocols": protocols}
            most = most_turns(discussion.cell for discussion in discussions)
            yield {**named, **mean_rounds(talks, most=most, seed=seed)}


def settings(held: Sequence[Held]) -> list[list[Held]]:
    """Discussions of one table that differ in nothing but how they decide; one agent has nobody to decide with."""
    groups: dict[Any, list[Held]] = {}
    for discussion in held:
        if not one_agent(discussion.cell):
            kept = apart_from(discussion.cell, *deciding_options(discussion.cell))
            groups.setdefault((discussion.table, kept), []).append(discussion)
    return list(groups.values())


def _setting_named(held: Sequence[Held], group: Sequence[Held]) -> Row:
    first = group[0].cell
    row = names_of([discussion.cell for discussion in held], *deciding_options(first))[first["id"]]
    return {key: row[key] for key in ("with", "team", "cohort")}


def _by_family(group: Sequence[Held]) -> dict[str, list[Held]]:
    families: dict[str, list[Held]] = {}
    for discussion in group:
        families.setdefault(family_of(discussion.cell), []).append(discussion)
    return families


def _pairs_between(one: Sequence[Held], other: Sequence[Held]) -> Pairs:
    """One pair a question that all protocols of both have played: else the mean would be over others each time."""
    sides = [[discussion.values() for discussion in side] for side in (one, other)]
    asked = set.intersection(*(set(values) for side in sides for values in side))
    means = [{q: whole_mean([values[q] for values in side]) for q in sorted(asked)} for side in sides]
    return {question: [(means[0][question], means[1][question])] for question in sorted(asked)}


def _sets(*held: Held) -> dict[str, str | None]:
    return {talk.question: talk.dataset for discussion in held for talk in discussion.talks}


def _on_sets(named: Row, pairs: Pairs, sets: Mapping[str, str | None], pooled: bool) -> Iterator[Row]:
    """All questions together (`whole`); and each set of them, where there are several."""
    parts: dict[str | None, dict[str, Any]] = {}
    for question, several in pairs.items():
        parts.setdefault(sets[question], {})[question] = several
    only = next(iter(parts)) if len(parts) == 1 else None
    yield {**named, "dataset": only, "whole": True, **apart_row(pairs, pooled=pooled)}
    if len(parts) > 1:
        for dataset, part in parts.items():
            yield {**named, "dataset": dataset, "whole": False, **apart_row(part, pooled=pooled)}
