"""Personas: who the agents are. Experts proposed for the task by the agents' own models, neutral agents, or a fixed list.

Experts are proposed one at a time, and whoever proposes the next is shown those already chosen, so that they differ. A
model that proposes nothing usable within its attempts plays as a neutral agent, and that is written down.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

from moot.errors import UsageError
from moot.strategies.natives import shown_question
from moot.team import Player, Team
from moot.team.forms import Unusable, object_schema
from moot.types import Question

Personas = Literal["expert", "none"] | Mapping[str, int] | tuple[str, ...]
"""``expert``, ``none``, ``{neutral: 1}`` (the first one neutral, the rest experts), or a list with one for each agent."""

LONGEST = 600
_TITLE = str.maketrans('"<>', "'‹›")
"""A role becomes part of a title, which stands in a tag."""


@dataclass(frozen=True, slots=True)
class Agent:
    """A player at the table. The others know it by its title, never by the name of the player or its model."""

    player: Player
    title: str
    origin: str
    """Where the persona comes from: "expert", "neutral", "list", "player" (its own), or why there is none."""

    @property
    def name(self) -> str:
        return self.player.name


@dataclass(frozen=True, slots=True)
class ExpertRole:
    """The content of ``{"role", "description"}``."""

    role: str
    description: str

    def __str__(self) -> str:
        return f"{self.role} ({self.description})" if self.description else self.role


@dataclass(frozen=True, slots=True)
class RoleForm:
    """``{"role", "description"}``; a role that is taken does not fit."""

    letters: ClassVar[str] = ""
    taken: tuple[str, ...] = ()

    @property
    def schema(self) -> Mapping[str, Any]:
        text = {"type": "string"}
        return object_schema({"role": text, "description": text})

    def read(self, data: Mapping[str, Any]) -> ExpertRole:
        role, description = data.get("role"), data.get("description")
        if not isinstance(role, str) or not role.strip():
            raise Unusable("no-field")
        name = " ".join(role.translate(_TITLE).split())[:LONGEST]
        if name.casefold() in (title.casefold() for title in self.taken):
            raise Unusable("same-role")
        return ExpertRole(name, " ".join(description.split())[:LONGEST] if isinstance(description, str) else "")


def checked(personas: object, agents: int) -> None:
    """Raise `UsageError` for anything that is no way to give so many agents personas."""
    expected = "expected expert, none, {neutral: 1} or a list of texts"
    if isinstance(personas, str):
        if personas not in ("expert", "none"):
            raise UsageError(f"personas: {expected}, found {personas!r}")
    elif isinstance(personas, Mapping):
        neutral = personas.get("neutral")
        if set(personas) != {"neutral"} or isinstance(neutral, bool) or not isinstance(neutral, int):
            raise UsageError(f"personas: {expected}, found {dict(personas)!r}")
        if not 0 <= neutral <= agents:
            raise UsageError(f"personas: expected 0 to {agents} neutral agents, found {neutral}")
    elif not isinstance(personas, Sequence) or not all(
        isinstance(persona, str) and persona.strip() for persona in personas
    ):
        raise UsageError(f"personas: {expected}, found {personas!r}")
    elif len(personas) != agents:
        raise UsageError(f"personas: expected one for each of {agents} agents, found {len(personas)}")


async def seat(question: Question, team: Team, personas: Personas) -> tuple[Agent, ...]:
    """The players of the team as agents, each with its persona. A persona that the player has already stays."""
    agents: list[Agent] = []
    taken: list[ExpertRole] = []
    for place, player in enumerate(team.players):
        title = team.prompts.beside(__file__).render("agent", place=place + 1, role="")
        wanted = _wanted(personas, place)
        if player.persona:
            agents.append(Agent(player, title, "player"))
        elif wanted is None:
            agents.append(Agent(player, title, "neutral"))
        elif wanted:
            agents.append(Agent(replace(player, persona=wanted), title, "list"))
        else:
            agents.append(await _expert(question, team, player, place, taken))
    return tuple(agents)


def _wanted(personas: Personas, place: int) -> str | None:
    """A persona in words; "" for one to be proposed; None for a neutral agent."""
    if personas == "none":
        return None
    if isinstance(personas, str):
        return ""
    if isinstance(personas, Mapping):
        return None if place < personas["neutral"] else ""
    return personas[place]


async def _expert(question: Question, team: Team, player: Player, place: int, taken: list[ExpertRole]) -> Agent:
    prompt = team.prompts.beside(__file__).render(
        "persona", **shown_question(question), taken=[str(role) for role in taken]
    )
    form = RoleForm(tuple(role.role for role in taken))
    heard = await team.ask(player, question, prompt, form, stage="persona", turn=0)
    if heard.value is None:
        title = team.prompts.beside(__file__).render("agent", place=place + 1, role="")
        return Agent(player, title, f"neutral: no persona was proposed ({heard.cause})")
    taken.append(heard.value)
    title = team.prompts.beside(__file__).render("agent", place=place + 1, role=heard.value.role)
    return Agent(replace(player, persona=str(heard.value)), title, "expert")
