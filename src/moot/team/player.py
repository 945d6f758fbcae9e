"""Player: who is asked, and what came of it.

Apart from the team, so that whatever asks a player (`attempts`) need not know at which table it sits.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar
from urllib.parse import urlsplit

from moot.models.model import Model
from moot.types import Message, Outcome, Request

T = TypeVar("T")

COPY_STRIDE = 1_000_000
"""Keeps the samples of two like players apart from the repeats of one."""

OCCASION_STRIDE = 1_000_000_000
"""Keeps what is asked anew in a later turn, in the same words, apart from the first time: it is another sample."""


@dataclass(frozen=True, slots=True)
class Player:
    """A named model with an instruction and, perhaps, a persona. Also called proposer or agent.

    Players alike in everything but the name would share one stored reply; `copy` numbers them, so each has its own.
    `examples` are turns of user and assistant that go before a question which it answers alone.
    """

    name: str
    model: Model
    instruction: str = ""
    persona: str = ""
    copy: int = 0
    examples: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class Heard(Generic[T]):
    """What came of asking one player: a value, or the outcome that stands in its place."""

    player: str
    value: T | None
    outcome: Outcome
    cause: str | None = None
    late: bool = False
    """It had not replied when the round went on without it."""


def names_of(player: Player) -> tuple[str, ...]:
    """What a player may be known by: its own name, its model's, and what the provider calls the model."""
    called = _called(player.model.shape(Request(())))
    return (player.name, player.model.name, *((called,) if called is not None else ()))


def _called(shape: Mapping[str, Any]) -> str | None:
    """What the provider calls a model: it is sent beside the messages, or within the body of an endpoint."""
    body = shape.get("body")
    called = shape.get("model") or (body.get("model") if isinstance(body, Mapping) else None)
    return called if isinstance(called, str) else None


def vendors_of(player: Player) -> tuple[str, ...]:
    """Who made or serves a player's model, as far as its address and its name tell: openai of openai/gpt-4o.

    Only what is configured. A list of all vendors would take Google and Claude out of answers that are about them.
    """
    shape = player.model.shape(Request(()))
    return vendors_named(_called(shape), str(shape.get("base_url", "")))


def vendors_named(called: str | None, base_url: str) -> tuple[str, ...]:
    """The same of a model that is called so, at this address."""
    vendors: list[str] = []
    if called is not None and not called.startswith((".", "/", "~")) and not called.endswith(".gguf"):
        vendors += called.split("/")[:-1]
    host = urlsplit(base_url).hostname or ""
    labels = host.split(".")
    if len(labels) > 1 and not labels[-1].isdigit():
        vendors.append(labels[-2])
    return tuple(name for name in vendors if len(name) > SHORTEST_VENDOR and name.casefold() not in _NO_VENDORS)


SHORTEST_VENDOR = 2
_NO_VENDORS = frozenset(("models", "model", "local", "localhost", "example", "internal", "com", "net", "org", "lan"))


def aliases_of(player: Player) -> tuple[str, ...]:
    """All that must be masked where nobody is to know who speaks: its names, and its vendor's."""
    return (*names_of(player), *vendors_of(player))


def likeness(player: Player) -> tuple[str, str, str]:
    """What makes two players alike: all that a model is told of them, but for worked examples.

    A recording has one voice, and a simulated model one mind, whatever they are shown first.
    """
    return player.model.name, player.instruction, player.persona


def numbered(players: Mapping[str, Player]) -> dict[str, Player]:
    """Give like players their copy numbers, in the order of the file."""
    seen: dict[tuple[str, str, str], int] = {}
    result = {}
    for name, player in players.items():
        alike = likeness(player)
        result[name] = replace(player, copy=seen.get(alike, 0))
        seen[alike] = seen.get(alike, 0) + 1
    return result


def coming_again(name: str, number: int) -> str:
    """What a player is called at another seat of one table."""
    return f"{name}:{number}"


def comes_again_as(name: str, seated: Collection[str]) -> str:
    """Whose seat this is: of a player that comes again, the one under its own name."""
    original, _, number = name.rpartition(":")
    return original if number.isdecimal() and original in seated else name
