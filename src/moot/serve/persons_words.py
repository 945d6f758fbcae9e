"""What people say on the page beside asking: what a conversation is called, and which of two answers is better."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

from pydantic import Field, field_validator
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from moot.config.mistakes import Meant
from moot.errors import UsageError
from moot.live.beside_episodes import EqualAnswers, NoAnswer, NotAPair, PersonsVote, Preferred, keep_title, keep_vote
from moot.live.team import LiveTeam
from moot.models.border import text_problem
from moot.openai_form.refusal import Refused, json_response
from moot.openai_form.requests import KnownKeys, read_body
from moot.serve.admission import Admission
from moot.serve.openapi import DescribedRoute
from moot.store.examined import examined

EpisodeId = Annotated[
    str, Field(pattern=r"^ep_[0-9a-f]{40}$"), Meant("the id of an episode: ep_ and 40 digits or letters from a to f")
]
LONGEST_TITLE = 200


class ConversationTitle(KnownKeys):
    """What a conversation is called; empty: as its question."""

    title: Annotated[str, Field(max_length=LONGEST_TITLE)]

    @field_validator("title")
    @classmethod
    def _can_be_kept(cls, title: str) -> str:
        """Nothing is no name but the question's own words; what only looks like nothing is refused, as in every person's text."""
        if title.strip() and (problem := text_problem(title)):
            raise ValueError(problem)
        return " ".join(title.split())


class PreferredAnswer(KnownKeys):
    """Which of two answers to one question is better, in the order in which they were shown."""

    first: EpisodeId
    second: EpisodeId
    preferred: Preferred


@dataclass(frozen=True, slots=True)
class PersonsWords:
    """Each method answers one address."""

    gate: Admission
    live: LiveTeam

    async def title(self, request: Request) -> Response:
        """Call a conversation something; each key has names of its own."""
        holder = self.gate.holder(request)
        body = read_body(ConversationTitle, await request.body())
        keep = partial(
            keep_title,
            name=self.live.record.name,
            episode=request.path_params["episode"],
            title=body.title,
            person=holder.name,
            asker=holder.sees,
        )
        return json_response(await self._kept(keep))

    async def prefer(self, request: Request) -> Response:
        """Say which of two answers to one question is better. It is kept as evidence."""
        holder = self.gate.holder(request)
        body = read_body(PreferredAnswer, await request.body())
        vote = PersonsVote(body.first, body.second, body.preferred, holder.name)
        kept = await self._kept(partial(keep_vote, name=self.live.record.name, vote=vote, asker=holder.sees))
        return json_response({**body.model_dump(), "judge": kept.judge})

    async def _kept(self, keep: partial[Any]) -> Any:
        await self.live.record.all_written()
        try:
            async with examined(self.live.store):
                return await self.live.store.run(keep)
        except NotAPair as error:
            raise Refused(409, f"{error}.", code="not_a_pair", param="second") from None
        except EqualAnswers as error:
            raise Refused(409, f"{error}.", code="equal_answers", param="second") from None
        except NoAnswer as error:
            raise Refused(409, f"{error}.", code="no_answer", param=error.place) from None
        except UsageError as error:
            raise Refused(404, str(error), code="no_such_episode", param="episode") from None


def routes_of_persons(gate: Admission, live: LiveTeam) -> list[BaseRoute]:
    words = PersonsWords(gate, live)
    return [
        DescribedRoute("/v1/moot/episodes/{episode}/title", words.title, method="POST", body=ConversationTitle),
        DescribedRoute("/v1/moot/preferences", words.prefer, method="POST", body=PreferredAnswer),
    ]
