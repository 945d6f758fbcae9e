"""The team's answer in the form that the client asked for: one more call, to whoever stands behind the answer.

The team argues about what is right, in its own form; only then is the answer written down as the client wants it, and
checked against the client's schema. A reply that does not follow it is asked for again, like every other.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from moot.live.team import Asked, LiveTeam, total_cost, total_usage
from moot.openai_form.refusal import Refused
from moot.openai_form.requests import Wanted
from moot.serve.client_schema import fits, problem_of
from moot.team.forms import FromOutside, Unusable
from moot.types import Call

STAGE = "dress"


@dataclass(frozen=True, slots=True)
class ClientForm(FromOutside):
    """Whatever JSON Schema a client sends; without one, any object."""

    schema: Mapping[str, Any]

    @property
    def letters(self) -> str:
        return ""

    def read(self, data: Mapping[str, Any]) -> Mapping[str, Any]:
        try:
            fitting = fits(self.schema, data)
        except RecursionError:  # a schema that leads back to itself, without an end
            fitting = False
        if not fitting:
            raise Unusable("no-field")
        return data


def check_schema(wanted: Wanted) -> None:
    """Before any call is made: a schema that is none is the client's mistake."""
    if wanted.schema is not None and (problem := problem_of(wanted.schema)) is not None:
        words = f"'response_format' is no JSON Schema: {problem}"
        raise Refused(400, words, code="invalid_schema", param="response_format")


async def dressed(live: LiveTeam, asked: Asked, wanted: Wanted) -> tuple[Asked, str]:
    """The answer as JSON text, and the episode's cost with the call that wrote it."""
    verdict, team = asked.verdict, asked.cell.team
    names = {player.name for player in team.players}
    scribe = next((name for name in verdict.who if name in names), team.players[0].name)
    form = ClientForm(wanted.schema if wanted.schema is not None else {"type": "object"})
    journal: list[Call] = []
    seated = replace(team.seated(asked.episode.repeat), journal=journal)
    prompt = team.prompts.render(
        "dress",
        question=asked.episode.question.text,
        answer=verdict.answer,
        reasoning=verdict.reasoning,
        schema=json.dumps(wanted.schema, ensure_ascii=False, indent=1) if wanted.schema is not None else None,
    )
    heard = await seated.ask(seated[scribe], asked.episode.question, prompt, form, stage=STAGE, turn=verdict.turns + 1)
    calls = (*asked.episode.calls, *journal)
    whole = replace(
        asked,
        episode=replace(asked.episode, calls=calls),
        usage=total_usage(calls),
        cost_usd=total_cost(calls),
    )
    if heard.value is None:
        words = f"The team's answer is {verdict.answer!r}, but nobody could write it down in your schema: {heard.cause}"
        raise Refused(502, words, code="schema_not_followed", kind="server_error")
    return whole, json.dumps(heard.value, ensure_ascii=False)
