"""Strategies that can decide from drafts that are there already, so that whoever chooses proposers can ask them.

Such a strategy says it by its options: one names the model that summarises, others take what `moot select` writes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, runtime_checkable

from moot.strategies import BUILT_IN, Strategy
from moot.strategies.option_meanings import Role, meanings_named
from moot.team import Team
from moot.types import Answer, Question, Verdict

_ROLES: tuple[Role, ...] = ("summariser", "proposers", "accuracy-values")


@runtime_checkable
class Summarises(Strategy, Protocol):
    async def summarise(self, question: Question, team: Team, drafts: Sequence[Answer]) -> Verdict:
        """What its office says of these drafts, whoever gave them."""


def option_for(strategy: str, role: Role) -> str | None:
    """The name of the option that a strategy declares to be for this."""
    return next((name for name, meaning in meanings_named(strategy).items() if meaning.role == role), None)


def summarising(names: Iterable[str]) -> str | None:
    """The first of these strategies that can be asked; None: none can."""
    return next((name for name in names if all(option_for(name, role) for role in _ROLES)), None)


def usual_summarising() -> str:
    """The one of ours."""
    name = summarising(BUILT_IN)
    assert name is not None, "one of ours has a summariser"
    return name
