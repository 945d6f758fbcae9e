"""The OpenAI chat form in the terms of a team: a conversation becomes a question, a verdict becomes a completion."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

from pydantic import Field

from moot.live.answered_question import AnsweredQuestion
from moot.models.border import HOLDS_NUL, blank
from moot.openai_form.completions import Completion, Head
from moot.openai_form.refusal import Refused
from moot.openai_form.requests import ChatForm, ChatMessage, StreamOptions, WantedJson
from moot.prompts import Prompts
from moot.serve.discretion import public_words
from moot.traces import Deadline, NotNeeded, of_kind
from moot.types import Question, digest

_log = logging.getLogger(__name__)

PIECE = 24
"""Characters in one event of a stream: the answer is whole when the stream begins, so this is for the eye only."""

NO_ANSWER_STATUS = 502
TOO_LATE_STATUS = 408
"""The time limit is the client's own: nothing here has failed."""


class TeamStreamOptions(StreamOptions):
    include_team: bool | None = Field(default=None, description="Also send what happens at the table, as it happens.")


LONGEST_S = 3600
DeadlineSeconds = Annotated[float, Field(gt=0, le=LONGEST_S)]


class ChatRequest(ChatForm):
    """What shapes the reply is read; sampling parameters are the players' own, and those of the client are left out."""

    model: Annotated[str, Field(min_length=1, description="A team and how it decides: see /v1/models.")]
    stream_options: TeamStreamOptions | None = None
    time_limit_s: DeadlineSeconds | None = Field(
        default=None, description="After this many seconds the team answers with what it has."
    )


@dataclass(frozen=True, slots=True)
class Conversation:
    """A chat as a team takes it."""

    question: Question
    system: str
    wanted: WantedJson | None


def conversation(
    messages: list[ChatMessage], wanted: WantedJson | None, prompts: Prompts, language: str, asker: str | None = None
) -> Conversation:
    """The last message is the question; system messages go to every player; what was said before is its context.

    The same words of two askers are two questions: what one of them says of an answer is not said of the other's.
    """
    system = "\n\n".join(
        message.text for message in messages if message.role in ("system", "developer") and message.text.strip()
    )
    spoken = [message for message in messages if message.role not in ("system", "developer")]
    if any("\x00" in message.text for message in messages):
        raise Refused(400, f"messages: {HOLDS_NUL}.", code="invalid_messages", param="messages")
    if not spoken or spoken[-1].role != "user" or blank(spoken[-1].text):
        words = "The last message must be the user's, with a text: it is what the team is asked."
        raise Refused(400, words, code="invalid_messages", param="messages")
    *before, last = spoken
    earlier = [(message.role, message.text) for message in before if message.text.strip()]
    text = prompts.render("chat", messages=earlier, question=last.text) if earlier else last.text
    ident = f"asked-{digest([system, text] if asker is None else [system, text, asker])[:12]}"
    instruction = prompts.render("served", instruction=system)
    return Conversation(Question(ident, text, language=language), instruction, wanted)


def moot_field(asked: AnsweredQuestion) -> dict[str, Any]:
    """What an ordinary model has not: how far the team agreed, who was missing, what it cost."""
    verdict = asked.verdict
    report: dict[str, Any] = {
        "episode": asked.id,
        "strategy": asked.cell.label,
        "captain": asked.cell.captain,
        "outcome": verdict.outcome,
        "who": list(verdict.who),
        **asked.chance.json(),
        "agreement": asked.agreement,
        "diversity": asked.diversity,
        "absent": list(verdict.absent),
        "turns": verdict.turns,
        "calls": len(asked.episode.calls),
        "cost_usd": asked.cost_usd,
        "seconds": round(asked.episode.seconds, 3),
    }
    if verdict.cause:
        report["cause"] = public_words(verdict.cause)
    if verdict.note:
        report["note"] = verdict.note
    for deadline in of_kind(verdict.traces, Deadline):
        report["deadline_s"] = deadline.seconds
    for spared in of_kind(verdict.traces, NotNeeded):
        report["not_needed"] = list(spared.players)
    return report


def completion_of(
    head: Head, asked: AnsweredQuestion, dressed: str | None = None, wanted: WantedJson | None = None
) -> Completion:
    """The verdict as a completion; `Refused` where the team has no answer, and neither refuses nor abstains.

    That it abstains is said in words; where a form was asked for, which such words do not have, as a refusal.
    """
    verdict = asked.verdict
    abstained = verdict.outcome == "abstained"
    refused = verdict.outcome == "refused" or (abstained and wanted is not None)
    text = dressed if dressed is not None else _abstention(asked) if abstained else verdict.answer
    if text is None and not refused:
        status = TOO_LATE_STATUS if of_kind(verdict.traces, Deadline) else NO_ANSWER_STATUS
        cause = verdict.cause or verdict.outcome
        _log.warning("%s has no answer: %s", asked.model, cause)
        words = f"The team has no answer: {public_words(cause)}"
        raise Refused(status, words, code=f"team_{verdict.outcome}", kind="server_error")
    words = text if text is not None else verdict.cause or "The team refused to answer."
    usage = replace(asked.usage, cached=asked.usage.cached or 0, reasoning=asked.usage.reasoning or 0)
    return Completion(replace(head, model=asked.model), words, usage, refused=refused, more={"moot": moot_field(asked)})


def _abstention(asked: AnsweredQuestion) -> str:
    """That the team does not answer, and how sure it would have been."""
    return f"The team does not answer this: {public_words(asked.verdict.cause or asked.verdict.outcome)}."


def table_event(head: Head, event: Mapping[str, Any]) -> bytes:
    """Something that happened at the table: a chunk without a choice, which clients that do not know it pass over."""
    return head.event([], moot={"event": dict(event)})
