"""The names under which the teams and strategies of a file answer when they are served."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from moot.decide.rule_file import is_rule
from moot.experiment.long_answers import groups_by_meaning, long_answer_problem
from moot.experiment.plan import Cell, Plan
from moot.experiment.side_names import ClaimError, NamedRow, SideName, cells_named, parse_side, spaced
from moot.store.rows import options_of


def served_names(experiment: Plan, learners: Sequence[Cell] = ()) -> dict[str, Cell]:
    """Cells by the names they are served under, as `side_names` reads them.

    `learners`: what else is in the file and cannot be served, since it learns in a run. It has its names all the same, and
    nothing else has them: whoever reads one in a report must not be given something else by it.

    ``six/talkative`` is the team with its captain; where everybody is captain in turn it is the first, and each has a
    name of its own beside it: ``six/talkative@ann``. A player alone is ``solo@ann``. What the file declares its primary
    comes first. What decides by a rule that was learnt is ``six/learnt``: which rule it is changes with every `moot fit`, and
    whoever asks must not have to follow. Where several rules are served at one table each has its mark.
    """
    whole = replace(experiment, cells=(*experiment.cells, *learners)) if learners else experiment
    named = _names_in_order(whole)
    first = declared_name(whole)
    named = named if first is None else {first: named[first], **named}
    left_out = {cell.id for cell in learners}
    return {name: cell for name, cell in named.items() if cell.id not in left_out}


def learners_named(whole: Plan) -> dict[str, Cell]:
    """What cannot be asked, since it learns in a run: by the names that it has in the file and its reports."""
    return {name: cell for name, cell in served_names(whole).items() if cell.traits.learns}


def other_names(cells: Mapping[str, Cell]) -> dict[str, Cell]:
    """What served cells answer to beside the names that are told, as a report may call them: with all their options, and
    without any where one alone can be meant; with the captain that a team always has; without the team where no other plays it.
    As `as_spelled` spells them."""
    meant = _meant_by(cells)
    return {name: next(iter(of.values())) for name, of in meant.items() if len(of) == 1 and name not in cells}


def several_meant(name: str, cells: Mapping[str, Cell]) -> list[str]:
    """The names of those that could all be called so; nothing where it is nobody's, or that of one."""
    could_be = _meant_by(cells).get(as_spelled(name), {})
    own: dict[str, str] = {}
    for told, cell in cells.items():
        own.setdefault(cell.id, told)
    return [own[ident] for ident in could_be] if len(could_be) > 1 else []


def _meant_by(cells: Mapping[str, Cell]) -> dict[str, dict[str, Cell]]:
    """By every name that somebody may have for one of these: all that it could be, by id."""
    exact: dict[str, dict[str, Cell]] = {}
    short: dict[str, dict[str, Cell]] = {}
    for name, cell in cells.items():
        side = parse_side(name)
        for label in (side.strategy, spaced(cell.label), cell.strategy.name):
            # Played plain too, a name without options is that one's, whoever else could be called so.
            meant = exact if label in (side.strategy, spaced(cell.label)) else short
            for who in (side.who, side.who or cell.captain):
                for team in (side.team, None):
                    for cohort in (None, cell.team.cohort):
                        meant.setdefault(str(SideName(label, who, cohort, team)), {})[cell.id] = cell
    return {**short, **exact}


def as_spelled(name: str) -> str:
    """A name as somebody typed it, with spaces and lists as in labels."""
    try:
        return str(parse_side(name))
    except ClaimError:
        return name


def declared_name(experiment: Plan) -> str | None:
    """Under which name the file's primary is served; of several captains it could be, the first."""
    primary = experiment.spec.primary
    return None if primary is None else name_of_side(experiment, primary)


def name_of_side(experiment: Plan, side: str) -> str | None:
    """Under which name that is served which a file or a report speaks of; None: nothing of the file is meant."""
    try:
        meant = {row["id"] for row in cells_named(side, [cell.row() for cell in experiment.cells])}
    except ClaimError:
        return None
    names = [name for name, cell in _names_in_order(experiment).items() if cell.id in meant]
    # Of two names of one line-up the one that says its captain, if the declaration does.
    wanted = parse_side(side).who
    return next(
        (name for name in names if wanted is not None and parse_side(name).who == wanted), next(iter(names), None)
    )


def first_asked(cells: Mapping[str, Cell], *, long_answers: bool) -> str:
    """Who is asked where nothing was measured: a team before a player alone; where long answers are wanted, one that can give
    them, if there is any."""
    able = [name for name, cell in cells.items() if not long_answers or gives_long_answers(cell)]
    names = able or list(cells)
    return next((name for name in names if cells[name].player is None), names[0])


def gives_long_answers(cell: Cell) -> bool:
    """Whether it can be asked for a text."""
    return long_answer_problem(cell.strategy, by_meaning=groups_by_meaning(cell.team)) is None


def names_of_rows(rows: Sequence[NamedRow], config: Mapping[str, Any]) -> dict[str, NamedRow]:
    """The same of a plan that is in the store: its cells as rows, in their order, and its file. The first that each has here is
    that of lists."""
    # What a file declares stands in front of the others in its plan: captains have their turns in the order of their team.
    in_turn = sorted(rows, key=lambda row: _turn(row, config))
    seats = [
        _Seat(
            *(row["strategy"], row["label"], row["team"], row["player"], row["captain"] or row["cohort"]),
            by_rule=any(map(is_rule, {**options.get("given", {}), **options.get("default", {})}.values())),
        )
        for row, options in ((row, options_of(row["options"] or "{}")) for row in in_turn)
    ]
    return {name: in_turn[place] for name, place in _places_by_name(seats).items()}


def _turn(row: NamedRow, config: Mapping[str, Any]) -> int:
    players = (config.get("teams") or {}).get(row["team"], {}).get("players", [])
    return players.index(row["captain"]) if row["captain"] in players else 0


def _names_in_order(experiment: Plan) -> dict[str, Cell]:
    cells = experiment.cells
    seats = [
        _Seat(
            cell.strategy.name,
            cell.label,
            cell.team.name,
            cell.player,
            cell.captain or cell.team.cohort,
            _by_rule(cell),
        )
        for cell in cells
    ]
    return {name: cells[place] for name, place in _places_by_name(seats).items()}


@dataclass(frozen=True, slots=True)
class _Seat:
    """What of a cell is in its names."""

    strategy: str
    label: str
    team: str | None
    player: str | None
    who: str | None
    """Its captain, or its cohort."""
    by_rule: bool


def _places_by_name(seats: Sequence[_Seat]) -> dict[str, int]:
    """Which of them answers to each name."""
    named: dict[str, int] = {}
    labels = _told_labels(seats)
    lineups = Counter((seat.team, seat.label) for seat in seats if seat.player is None)
    for place, seat in enumerate(seats):
        if seat.player is not None:
            named[str(SideName(seat.label, seat.player))] = place
            continue
        table = SideName(labels[seat.team, seat.label], team=seat.team)
        named.setdefault(str(table), place)
        if lineups[seat.team, seat.label] > 1:
            named[str(replace(table, who=seat.who))] = place
    return named


def _told_labels(seats: Sequence[_Seat]) -> dict[tuple[str | None, str], str]:
    """By team and label: the label, without the mark of its rule where the team plays the strategy in one way only."""
    together = [seat for seat in seats if seat.player is None]
    ways = {(seat.team, seat.strategy): set[str]() for seat in together}
    for seat in together:
        ways[seat.team, seat.strategy].add(seat.label)
    return {
        (seat.team, seat.label): seat.strategy
        if seat.by_rule and len(ways[seat.team, seat.strategy]) == 1
        else seat.label
        for seat in together
    }


def _by_rule(cell: Cell) -> bool:
    names: list[str] = [option.name for option in fields(cell.strategy)] if is_dataclass(cell.strategy) else []
    return any(is_rule(getattr(cell.strategy, name)) for name in names)
