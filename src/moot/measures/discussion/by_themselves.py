"""Who stands for the models at a table by themselves.

To be the mean of a table's own models, everybody who sits there has to be in it, seat by seat: the mean of some is the mean of
a better or a worse table, and so is one in which two seats count as one, or in which a seat stands for another that has its
model and was told something else; neither says what talking does. There are two ways to have played alone: told to think step
by step in the product's own words, or as each was told, be that nothing or an instruction of its own. Whoever sits at the table
was told what it was told there, whatever its words are.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal, NamedTuple

from moot.measures.cells import Stored
from moot.measures.discussion.naming import step_by_step
from moot.strategies.natives import SINGLE_CALL
from moot.team.player import comes_again_as

STEP_BY_STEP = ("think step by step", "рассуждай шаг за шагом")
"""The sentence by which a discussion asks for steps, in each language: nothing else is known to ask for them, since "do not
think step by step" has the same words in it."""

WayAlone = Literal["step by step"] | None
"""None: as each was told."""
STEPS: WayAlone = "step by step"


def drafted_at_once(cell: Stored) -> bool:
    """Whether a player alone was asked in one call, as everywhere else."""
    return cell["traits"].drafts == SINGLE_CALL


def way_alone(cell: Stored) -> WayAlone:
    """How somebody alone was told to think."""
    return STEPS if _asks_for_steps(_players(cell)[0]) or step_by_step(cell) else None


def _asks_for_steps(player: Mapping[str, Any]) -> bool:
    said = " ".join(str(player["instruction"]).casefold().split()).rstrip(".")
    return said in STEP_BY_STEP


def was_told(cell: Stored) -> bool:
    """Whether somebody alone had an instruction or a persona of its own."""
    player = _players(cell)[0]
    return bool(player["instruction"] or player.get("persona"))


def told_alone(cell: Stored) -> str | None:
    """What a player alone was told, for its row; None: nothing."""
    return way_alone(cell) or ("instructed" if was_told(cell) else None)


def models_at(cell: Stored) -> list[str]:
    """The models at a table, each with all that shapes its replies, and each once."""
    return list(dict.fromkeys(_model(player) for player in _players(cell)))


def shares_of_models(cell: Stored) -> frozenset[tuple[str, Fraction]]:
    """What part of the seats each model has."""
    return _shares(cell, _model)


def shares_of_told(cell: Stored) -> frozenset[tuple[str, Fraction]]:
    """What part of the seats has each model that is told the same."""
    return _shares(cell, _voice)


def _shares(cell: Stored, of: Callable[[Mapping[str, Any]], str]) -> frozenset[tuple[str, Fraction]]:
    seats = Counter(map(of, _players(cell)))
    return frozenset((each, Fraction(times, seats.total())) for each, times in seats.items())


def players_at(cell: Stored) -> list[str]:
    """Who sits at a table, by name."""
    return [player["name"] for player in _players(cell)]


def _players(cell: Stored) -> list[dict[str, Any]]:
    return list(json.loads(cell["spec"])["players"])


def _model(player: Mapping[str, Any]) -> str:
    return json.dumps(player["model"], sort_keys=True)


def _voice(player: Mapping[str, Any]) -> str:
    """All that shapes what it says by itself: the model, and what that is told."""
    told = (player["instruction"], player.get("persona") or "", player.get("examples") or [])
    return json.dumps([player["model"], *told], sort_keys=True)


class SeatAlone(NamedTuple):
    """A seat of a table, and the cells of whoever is it alone; none, where nobody has played it so."""

    player: str
    model: str
    cells: tuple[Stored, ...]

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(cell["id"] for cell in self.cells)


class PartAlone(NamedTuple):
    """Cells of somebody alone who are so many seats of a table."""

    cells: tuple[Stored, ...]
    seats: int


class Alone(NamedTuple):
    """Who stands for each seat of a table."""

    seats: tuple[SeatAlone, ...]

    @property
    def cells(self) -> list[Stored]:
        return list({cell["id"]: cell for seat in self.seats for cell in seat.cells}.values())

    @property
    def missing(self) -> list[str]:
        """Who sits there for whom nobody stands."""
        return [seat.player for seat in self.seats if not seat.cells]

    @property
    def models(self) -> int:
        """Of how many of its models somebody stands for a seat."""
        return len({seat.model for seat in self.seats if seat.cells})

    @property
    def parts(self) -> list[PartAlone]:
        """By who stands there: of how many seats."""
        cells = {seat.ids: seat.cells for seat in self.seats if seat.cells}
        times = Counter(seat.ids for seat in self.seats)
        return [PartAlone(standing, times[ids]) for ids, standing in cells.items()]


def as_told(table: Stored, alone: Sequence[Stored]) -> Alone:
    """Of these, who stands for each seat: its own player, else others of the same model who are told the very same."""

    def standing(seat: Mapping[str, Any]) -> list[Stored]:
        alike = [cell for cell in alone if set(map(_voice, _players(cell))) == {_voice(seat)}]
        return _own(seat, table, alone) or alike

    return _standing(table, standing)


def by_steps(table: Stored, alone: Sequence[Stored]) -> Alone:
    """Of these, who stands for each seat among those told to think step by step: its own player, else who sits there with its
    model, else others."""
    stepping = [cell for cell in alone if way_alone(cell) == STEPS]
    seated = set(players_at(table))

    def standing(seat: Mapping[str, Any]) -> list[Stored]:
        alike = [cell for cell in stepping if models_at(cell) == [_model(seat)]]
        own = _own(seat, table, stepping)
        return own or [cell for cell in alike if cell["player"] in seated] or alike

    return _standing(table, standing)


def _own(seat: Mapping[str, Any], table: Stored, alone: Sequence[Stored]) -> list[Stored]:
    """A seat's own player alone; where the player sits there several times, it is the one of all these seats."""
    name = comes_again_as(seat["name"], players_at(table))
    for called in (seat["name"], name):
        if own := [cell for cell in alone if cell["player"] == called and _voice(_players(cell)[0]) == _voice(seat)]:
            return own
    return []


def _standing(table: Stored, standing: Callable[[Mapping[str, Any]], Sequence[Stored]]) -> Alone:
    seats = _players(table)
    return Alone(tuple(SeatAlone(seat["name"], _model(seat), tuple(standing(seat))) for seat in seats))


def one_alone(table: Stored, agent: Stored) -> Alone:
    """One agent of a table, for all seats that have its model and were told the same."""
    voice = _voice(_players(agent)[0])
    return _standing(table, lambda seat: [agent] if _voice(seat) == voice else [])


def ways_alone(table: Stored, alone: Sequence[Stored]) -> Iterator[tuple[WayAlone, Alone]]:
    """The ways in which any of a table's models is alone: as each was told; and step by step, where that is somebody else.
    Where those who are as they were told are those who think step by step, there is one way, and it has that name."""
    told, stepping = as_told(table, alone), by_steps(table, alone)
    same = [seat.ids for seat in told.seats] == [seat.ids for seat in stepping.seats]
    if told.cells and not same:
        yield None, told
    if same or not (stepping.missing and _ids(stepping) <= _ids(told)):
        yield STEPS, stepping


def _ids(alone: Alone) -> set[str]:
    return {cell["id"] for cell in alone.cells}
