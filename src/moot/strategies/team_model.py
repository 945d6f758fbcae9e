"""A team as a model: teams nest, and whatever takes a model takes a team."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from moot.bills import total_usage
from moot.errors import GenerationFailed
from moot.models.model import messages_json, plays_back
from moot.models.unpriced_calls import UnpricedCalls
from moot.strategies import Strategy, label, prompts_for, traits_of
from moot.team import Team, retrieved_from
from moot.types import Price, Question, Reply, Request, Verdict, digest


@dataclass(frozen=True)
class TeamModel:
    """One line-up of a team with its strategy, behind the face of a single model.

    >>> panel = TeamModel(Vote(), team)
    >>> await Team("two", (Player("panel", panel), Player("tom", tom))).drafts(question)
    """

    strategy: Strategy
    team: Team

    @property
    def name(self) -> str:
        return f"{self.team.name}/{label(self.strategy)}"

    @property
    def price(self) -> Price | None:
        """None: a question may take any number of calls, each at its own price."""
        return None

    @property
    def plays_back(self) -> bool:
        """Where one of them is asked anew the whole counts as paid: a call is on one account, and on this it breaks no cap."""
        asked = (*self.team.players, *self.team.officers.values(), *self.team.extractors)
        return all(plays_back(each.model) for each in asked)

    def shape(self, request: Request) -> Mapping[str, Any]:
        """Everything that shapes the team's word: how it decides, and what each player is."""
        return {
            "provider": "team",
            "strategy": label(self.strategy),
            "captain": self.team.captain,
            "seed": self.team.seed,
            "players": [
                [
                    *(player.name, player.model.shape(Request(())), player.instruction, player.persona, player.copy),
                    *([messages_json(Request(player.examples))] if player.examples else ()),
                ]
                for player in self.team.players
            ],
            "officers": {name: officer.model.shape(Request(())) for name, officer in self.team.officers.items()},
            "facts": retrieved_from(self.team),
            **self._extraction(),
            "prompts": prompts_for(self.strategy, self.team.prompts).hashes(
                ("player", "again", *traits_of(self.strategy).prompts)
            ),
            "messages": messages_json(request),
            "params": dict(request.params),
            "schema": request.schema,
        }

    def _extraction(self) -> Mapping[str, Any]:
        """Who reads what does not fit; nothing where nobody does, so that older keys stay what they are."""
        if not self.team.extractors:
            return {}
        readers = [extractor.model.shape(Request(())) for extractor in self.team.extractors]
        return {"extract": [readers, self.team.prompts.hashes(("extract",))]}

    async def generate(self, request: Request) -> Reply:
        started = time.perf_counter()
        seated = self.team.seated(request.sample, traits_of(self.strategy).drafts_repeat(request.sample))
        with UnpricedCalls() as unpriced:
            verdict = await self.strategy.play(_question(request), seated)
        replies = [call.reply for call in seated.journal if call.reply is not None]
        costs = [reply.cost_usd for reply in replies]
        if verdict.answer is None and verdict.outcome != "refused":
            raise GenerationFailed(f"the team {self.team.name!r} has no answer: {verdict.cause or verdict.outcome}")
        return Reply(
            _said(verdict, request),
            "refusal" if verdict.outcome == "refused" else "stop",
            total_usage(reply.usage for reply in replies),
            latency_s=time.perf_counter() - started,
            version=self.name,
            cost_usd=None if unpriced or None in costs else sum(cost for cost in costs if cost is not None),
        )

    async def close(self) -> None:
        for player in self.team.players:
            await player.model.close()


def _question(request: Request) -> Question:
    """The whole of what the model was sent is what the team is asked: it knows the form that is wanted."""
    text = "\n\n".join(message.content for message in request.messages)
    return Question(request.question_id or f"asked-{digest(text)[:12]}", text)


def _said(verdict: Verdict, request: Request) -> str:
    """In the usual form where that is asked for; else the answer alone."""
    if verdict.answer is None:
        return verdict.cause or ""
    wanted = (request.schema or {}).get("properties", {})
    if "answer" not in wanted:
        return verdict.answer
    reply = {"reasoning": verdict.reasoning, "answer": verdict.answer}
    return json.dumps({key: value for key, value in reply.items() if key in wanted}, ensure_ascii=False)
