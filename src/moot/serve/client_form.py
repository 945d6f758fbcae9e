"""The team's answer in the form that the client asked for: one more call, to whoever stands behind the answer.

The team argues about what is right, in its own form; only then is the answer written down as the client wants it, and
checked against the client's schema. A reply that does not follow it is asked for again, like every other.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from moot.live.answered_question import AnsweredQuestion
from moot.live.instructed import instructed
from moot.live.spent import total_cost, total_usage
from moot.models.model import Model, Wrapper
from moot.models.unpriced_calls import UnpricedCalls
from moot.openai_form.refusal import Refused
from moot.openai_form.requests import WantedJson
from moot.serve.discretion import public_words
from moot.serve.schema_checks import NotLookedAt, SchemaChecks
from moot.team.forms import FromOutside, Unusable, read_reply
from moot.types import Call, Reply, Request

_log = logging.getLogger(__name__)

STAGE = "dress"


@dataclass(frozen=True, slots=True)
class ClientForm(FromOutside):
    """Whatever JSON Schema a client sends; without one, any object. What fits was found out before it is read."""

    schema: Mapping[str, Any]
    fitting: dict[str, bool] = field(default_factory=dict)
    """By its text, whether an object follows the schema."""

    @property
    def letters(self) -> str:
        return ""

    def read(self, data: Mapping[str, Any]) -> Mapping[str, Any]:
        if not self.fitting.get(_text(data), False):
            raise Unusable("no-field")
        return data


@dataclass(frozen=True, slots=True)
class AnyObject:
    """Takes every object that a reply may be read as."""

    objects: list[Mapping[str, Any]]
    schema: Mapping[str, Any] | None = None
    letters: str = ""

    def read(self, data: Mapping[str, Any]) -> Mapping[str, Any]:
        self.objects.append(data)
        return data


class CheckedModel(Wrapper):
    """A model whose replies are held against the client's schema before anybody reads them: that can take a while."""

    def __init__(self, inner: Model, form: ClientForm, checks: SchemaChecks, asker: str) -> None:
        super().__init__(inner)
        self._form, self._checks, self._asker = form, checks, asker

    async def generate(self, request: Request) -> Reply:
        reply = await self.inner.generate(request)
        objects: list[Mapping[str, Any]] = []
        with suppress(Unusable):
            read_reply(reply, AnyObject(objects))
        for data in objects:
            text = _text(data)
            if text and text not in self._form.fitting:
                self._form.fitting[text] = await self._checks.fits(self._form.schema, data, self._asker)
        return reply


def _text(data: Mapping[str, Any]) -> str:
    """The same text for the same object; none for one that JSON cannot write."""
    try:
        return json.dumps(data, sort_keys=True, allow_nan=False)
    except (ValueError, RecursionError):
        return ""


async def check_schema(wanted: WantedJson, checks: SchemaChecks, asker: str) -> None:
    """Before any call is made: a schema that is none is the client's mistake."""
    if wanted.schema is None:
        return
    try:
        problem = await checks.problem_of(wanted.schema, asker)
    except NotLookedAt as error:
        _log.warning("a client's schema could not be looked at: %s", error)
        words = "The server has no time to check your schema now; nobody was asked. Try again."
        refusal = Refused(503, words, code="schema_not_checked", kind="server_error", retry_after_s=checks.forgotten_s)
        raise refusal from None
    if problem is not None:
        words = f"'{wanted.place}' is no JSON Schema: {problem}"
        raise Refused(400, words, code="invalid_schema", param=wanted.place)


async def dressed(
    asked: AnsweredQuestion, wanted: WantedJson, checks: SchemaChecks, asker: str, system: str = ""
) -> tuple[AnsweredQuestion, str]:
    """The answer as JSON text, and the episode's cost with the call that wrote it. `system`: what the client said to all."""
    verdict, team = asked.verdict, instructed(asked.cell.team, system)
    question, answer = asked.episode.question, verdict.answer
    options = [f"{letter}. {choice}" for letter, choice in zip(question.letters, question.choices, strict=True)]
    if answer is not None and options and answer in question.letters:
        answer = options[question.letters.index(answer)]
    names = {player.name for player in team.players}
    scribe = next((name for name in verdict.who if name in names), team.players[0].name)
    form = ClientForm(wanted.schema if wanted.schema is not None else {"type": "object"})
    journal: list[Call] = []
    seated = replace(team.seated(asked.sample), journal=journal)
    prompt = team.prompts.render(
        "dress",
        question="\n".join([question.text, *options]),
        answer=answer,
        reasoning=verdict.reasoning,
        schema=json.dumps(wanted.schema, ensure_ascii=False, indent=1) if wanted.schema is not None else None,
    )
    player = seated[scribe]
    writing = replace(player, model=CheckedModel(player.model, form, checks, asker))
    with UnpricedCalls() as unpriced:
        heard = await seated.ask(writing, question, prompt, form, stage=STAGE, turn=verdict.turns + 1)
    calls = (*asked.episode.calls, *journal)
    whole = replace(
        asked,
        episode=replace(asked.episode, calls=calls),
        usage=total_usage(calls),
        cost_usd=None if asked.cost_usd is None else total_cost(calls, unpriced),
    )
    if heard.value is None:
        cause = public_words(heard.cause or heard.outcome)
        words = f"The team's answer is {verdict.answer!r}, but nobody could write it down in your schema: {cause}"
        raise Refused(502, words, code="schema_not_followed", kind="server_error")
    return whole, json.dumps(heard.value, ensure_ascii=False)
