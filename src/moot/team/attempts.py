"""Attempts: a player is asked until its reply is usable, and every attempt is on the record, whatever came of it.

A model that breaks the form is told what was wrong and asked again; one that refuses, or whose server fails, is not.
How a failed request is sent again is no matter of this: that is the transport's (`models.retry`).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from moot.errors import CallError, GenerationFailed
from moot.models.answerable import charged
from moot.models.cut_out import CUT_FROM_REPLY, was_cut
from moot.models.overheard import Listener, overhearing
from moot.team.forms import Read, Unusable
from moot.team.player import Heard, Player
from moot.types import Call, Message, Reply, Request

T = TypeVar("T")

ATTEMPTS = 5
"""Replies a player may give before it counts as unanswered. Transport retries are apart."""
TOLD = {"cut": "cut off by max_tokens, which may be the server's own"}
"""What is wrong with a reply for whoever reads it, where the word that a prompt knows says too little."""


def unwatched(attempt: int) -> None:
    """Nobody hears it."""


@dataclass(slots=True)
class Asking(Generic[T]):
    """What is asked of one player, and what becomes of its replies. For one call, and so not frozen: that takes longer."""

    stage: str
    turn: int
    messages: tuple[Message, ...]
    request: Callable[[tuple[Message, ...], int], Request]
    """From the messages and the number of the attempt to what is sent."""
    usable: Callable[[Reply], Read[T]]
    """What a reply says, or `Unusable`."""
    again: Callable[[str, str], tuple[Message, ...]]
    """What is sent after a reply that was not usable, from its words and what was wrong with it."""
    instead: Callable[[Reply, str], Awaitable[Heard[T]]] | None = None
    """Settles a reply that was not usable without another attempt."""
    begins: Callable[[int], Listener | None] = unwatched
    """Told the number of each attempt when it begins: who hears the reply as it is written."""


def unreached_in(calls: Sequence[Call]) -> tuple[str, ...]:
    """Who could not be reached in a play, each once: with them it might have gone otherwise."""
    for call in calls:
        if call.unreached:  # hardly ever
            return tuple(sorted({call.player for call in calls if call.unreached}))
    return ()


async def until_usable(player: Player, asking: Asking[T], journal: list[Call]) -> Heard[T]:
    """Ask until a reply is usable, or `ATTEMPTS` have been made."""
    name, model = player.name, player.model
    place = (name, asking.stage, asking.turn)
    messages, problem, cut = asking.messages, "there is none", False
    for attempt in range(ATTEMPTS):
        request = asking.request(messages, attempt)
        try:
            # A team that is played by itself, or as a model, has no chain around its models.
            with overhearing(asking.begins(attempt)):
                reply = charged(await model.generate(request), model.price)
        except GenerationFailed as error:
            problem = str(error)
            journal.append(Call(*place, request, error=problem, model=model.name))
            continue
        except CallError as error:
            journal.append(Call(*place, request, error=str(error), model=model.name, unreached=True))
            return Heard(name, None, "failed", f"{type(error).__name__}: {error}")
        if reply.refused:
            journal.append(Call(*place, request, reply, model=model.name))
            return Heard(name, None, "refused", reply.text[:300] or reply.finish)
        if reply.unrecorded:
            journal.append(Call(*place, request, reply, model=model.name))
            return Heard(name, None, "unanswered", f"no usable recorded reply ({problem})")
        try:
            read = asking.usable(reply)
        except Unusable as unusable:
            problem, cut = unusable.problem, was_cut(reply.text)
            journal.append(Call(*place, request, reply, None, problem, model.name))
            if asking.instead is not None and reply.text.strip():
                return await asking.instead(reply, problem)
            messages = asking.again(reply.text, problem)
            continue
        journal.append(Call(*place, request, reply, None, "repaired" if read.repaired else None, model.name))
        return Heard(name, read.value, "answered")
    if cut:  # what is missing may have been a right answer
        return Heard(name, None, "failed", CUT_FROM_REPLY)
    told = TOLD.get(problem or "", problem)
    return Heard(name, None, "unanswered", f"no usable reply in {ATTEMPTS} attempts; the last one: {told}")
