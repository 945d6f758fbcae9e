"""Who stands for the models at a table by themselves.

To be the mean of a table's own models, everybody's model has to be in it, each by its part of the seats: the mean of some is
the mean of a better or a worse table, and so is one in which two seats of one model count as one; neither says what talking
does. There are two ways to have played alone: told to think step by step in the product's own words, or as each was told, be
that nothing or an instruction of its own. Whoever sits at the table was told what it was told there, whatever its words are.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import gcd
from typing import Any, Literal, NamedTuple

from moot.measures.cells import Stored
from moot.measures.discussion.naming import step_by_step
from moot.strategies.natives import SINGLE_CALL

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
    seats = Counter(_model(player) for player in _players(cell))
    return frozenset((model, Fraction(times, seats.total())) for model, times in seats.items())


def players_at(cell: Stored) -> list[str]:
    """Who sits at a table, by name."""
    return [player["name"] for player in _players(cell)]


def players_of(cell: Stored, models: Iterable[str]) -> list[str]:
    """Those at a table who have one of these models."""
    wanted = set(models)
    return [player["name"] for player in _players(cell) if _model(player) in wanted]


def _players(cell: Stored) -> list[dict[str, Any]]:
    return list(json.loads(cell["spec"])["players"])


def _model(player: dict[str, Any]) -> str:
    return json.dumps(player["model"], sort_keys=True)


class Alone(NamedTuple):
    """Cells of somebody alone by the model of a table that they have; nobody, where nobody has played it so."""

    by_model: dict[str, list[Stored]]
    seats: tuple[int, ...]
    """The part of each of these models, in the smallest whole numbers."""

    @property
    def cells(self) -> list[Stored]:
        return [cell for cells in self.by_model.values() for cell in cells]

    @property
    def missing(self) -> list[str]:
        return [model for model, cells in self.by_model.items() if not cells]


def as_told(table: Stored, alone: Sequence[Stored]) -> Alone:
    """Of these, who stands for each of its models: those who sit there, however they are told to think, else others of the
    same model who are told to think in the way of those who sit there."""
    told: dict[str, set[WayAlone]] = {}
    for player in _players(table):
        told.setdefault(_model(player), set()).add(STEPS if _asks_for_steps(player) else None)
    return _standing(table, alone, told)


def by_steps(table: Stored, alone: Sequence[Stored]) -> Alone:
    """Of these, who stands for each of its models among those told to think step by step: who sits there before others."""
    stepping = [cell for cell in alone if way_alone(cell) == STEPS]
    return _standing(table, stepping, {model: {STEPS} for model in models_at(table)})


def _standing(table: Stored, alone: Sequence[Stored], told: Mapping[str, Collection[WayAlone]]) -> Alone:
    seated = set(players_at(table))
    seats = Counter(_model(player) for player in _players(table))
    by_model = {}
    for model in models_at(table):
        alike = [cell for cell in alone if models_at(cell) == [model]]
        others = [cell for cell in alike if way_alone(cell) in told[model]]
        by_model[model] = [cell for cell in alike if cell["player"] in seated] or others
    each = gcd(*seats.values())
    return Alone(by_model, tuple(seats[model] // each for model in by_model))


def one_alone(table: Stored, agent: Stored) -> Alone:
    """One agent of a table, for the model that it has."""
    return _standing(table, [agent], {model: {way_alone(agent)} for model in models_at(table)})


def ways_alone(table: Stored, alone: Sequence[Stored]) -> Iterator[tuple[WayAlone, Alone]]:
    """The ways in which any of a table's models is alone: as each was told; and step by step, where that is somebody else.
    Where those who are as they were told are those who think step by step, there is one way, and it has that name."""
    told, stepping = as_told(table, alone), by_steps(table, alone)
    if told.cells and told != stepping:
        yield None, told
    if told == stepping or not (stepping.missing and _ids(stepping) <= _ids(told)):
        yield STEPS, stepping


def _ids(alone: Alone) -> set[str]:
    return {cell["id"] for cell in alone.cells}
