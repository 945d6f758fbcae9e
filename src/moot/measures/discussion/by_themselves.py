"""Who stands for the models at a table by themselves.

To be the mean of a table's own models, everybody's model has to be in it, each once: the mean of some is the mean of a better
or a worse table, and says nothing of what talking does. There are two ways to have played alone: told to think step by step
in the product's own words, or as each was told, be that nothing or an instruction of its own.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
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
    said = " ".join(str(_players(cell)[0]["instruction"]).casefold().split()).rstrip(".")
    return STEPS if said in STEP_BY_STEP or step_by_step(cell) else None


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

    @property
    def cells(self) -> list[Stored]:
        return [cell for cells in self.by_model.values() for cell in cells]

    @property
    def missing(self) -> list[str]:
        return [model for model, cells in self.by_model.items() if not cells]


def alone_for(table: Stored, alone: Sequence[Stored]) -> Alone:
    """Of these, who stands for each of its models: those who sit there, else others of the same model."""
    seated = set(players_at(table))
    by_model = {}
    for model in models_at(table):
        alike = [cell for cell in alone if models_at(cell) == [model]]
        by_model[model] = [cell for cell in alike if cell["player"] in seated] or alike
    return Alone(by_model)
