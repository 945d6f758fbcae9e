"""A served team asked from inside a program: the same words to players, the same record and the same reply, without a server.

What other tools plug in goes through here, so a team answers an agent as it answers a client of its API.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from moot.errors import UsageError
from moot.experiment.embedded_team import embedded_team
from moot.experiment.spec import read_experiment
from moot.live.team import LiveTeam, unheard
from moot.openai_form.completions import Completion, Head
from moot.openai_form.refusal import Refused
from moot.serve.asked_for import AskedOfTeam
from moot.serve.chat import completion_of, conversation, refuse_unplayable
from moot.serve.paid_off import offer_by_name
from moot.serve.playing import no_such_model
from moot.serve.tools import UNSUPPORTED
from moot.store import from_here
from moot.types import Call

LONGEST = 1_000_000
"""Characters of all that is said in a question: as much as a server takes."""

_log = logging.getLogger(__name__)


@asynccontextmanager
async def served_team(
    path: Path | None, *, store: str | None = None, only: Sequence[str] = (), every: bool = False
) -> AsyncIterator[LiveTeam]:
    """The team of a file, or the embedded one, open: what paid off is in front, as `moot serve` has it, and all else goes by
    its name, but for `only`. `every`: also where what paid off cannot be asked."""
    file = read_experiment(path, with_questions=False) if path is not None else embedded_team()
    url = from_here(store) if store else None
    live = LiveTeam(file, store_url=url, serving=True, warn=_log.warning)
    live.offer = await offer_by_name(live, only=only, every=every)
    async with live:
        yield live


async def answered(
    live: LiveTeam, wish: AskedOfTeam, *, model: str | None = None, heard: Callable[[Call], None] = unheard
) -> Completion:
    """The team's reply; `Refused` where it has none or cannot be asked that. `heard`: told of each call when it is over."""
    if wish.wanted is not None:
        words = "response_format: a form is put on an answer by `moot serve`; expected none here, or its address"
        raise Refused(400, words, code=UNSUPPORTED, param="response_format")
    about = (wish.options.context or "", *(wish.options.choices or ()))
    if sum(len(message.text) for message in wish.messages) + sum(map(len, about)) > LONGEST:
        words = f"messages: expected at most {LONGEST:,} characters in all, with context and choices"
        raise Refused(413, words, code="body_too_large", param="messages")
    name = model or live.usual
    try:
        cell = live.cell(name)
    except UsageError as error:
        raise no_such_model(error) from None
    talk = conversation(wish, cell.team.prompts, live.experiment.spec.language, kind=live.kind, measured=live.measured)
    refuse_unplayable(name, live.cells, cell, talk)
    asked = await live.play(talk.question, name, system=talk.instruction, heard=heard)
    return completion_of(Head(f"chatcmpl-{uuid.uuid4().hex}", name), asked, wish)
