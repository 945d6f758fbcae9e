"""The OpenAI chat form in the terms of a team: a conversation becomes a question, a verdict becomes a completion."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from pydantic import ConfigDict

from moot.config.type_words import either, told
from moot.experiment.long_answers import groups_by_meaning, long_answer_problem
from moot.experiment.plan import Cell
from moot.live.answered_question import AnsweredQuestion
from moot.live.asked_question import choice_of
from moot.live.served_names import gives_long_answers
from moot.models.border import HOLDS_NUL, blank
from moot.models.filtered import FILTERED
from moot.openai_form.completions import Completion, Head
from moot.openai_form.refusal import Refused
from moot.openai_form.requests import BoundedList, ChatForm, ChatMessage, StreamOptions, wanted_form
from moot.prompts import Prompts
from moot.serve import log_words
from moot.serve.asked_for import (
    PLAIN_FORM,
    AskedOfTeam,
    CannotBeDone,
    MootOptions,
    TeamRequest,
    TeamStreamOptions,
    refuse_all_but_words,
)
from moot.serve.discretion import public_words
from moot.serve.tools import ChatTool, ToolFunction, forced_tool
from moot.traces import Deadline, NotNeeded, ends_too_soon, of_kind
from moot.types import Question, QuestionKind, digest

_log = logging.getLogger(__name__)

MOST_ABLE = 3
"""Names that whoever asked the wrong one is told."""

PIECE = 24
"""Characters in one event of a stream: the answer is whole when the stream begins, so this is for the eye only."""
MOST_PIECES = 256
"""Of an answer. What stands around a piece is ten times as long as a piece, and nobody reads along with a long answer."""

NO_ANSWER_STATUS = 502
TOO_LATE_STATUS = 408
"""The time limit is the client's own: nothing here has failed."""


class ChatStreamOptions(TeamStreamOptions, StreamOptions):
    """With the count of tokens, which is asked for in this form alone."""

    model_config = ConfigDict(extra="allow")


class ChatRequest(TeamRequest, ChatForm):
    """A conversation, whose last message of the user is the question."""

    model_config = ConfigDict(extra="allow")

    stream_options: ChatStreamOptions | None = None
    tools: BoundedList[ChatTool] | None = None

    said_elsewhere: ClassVar[Mapping[str, CannotBeDone]] = {
        "input": CannotBeDone("a question is read from messages here; expected it left out"),
        "instructions": CannotBeDone("expected a message of role 'system' in their place", ("",)),
        "text.format": CannotBeDone("a form is asked for by response_format here; expected it left out", PLAIN_FORM),
    }

    @property
    def asked_for(self) -> AskedOfTeam:
        """What the team is to do; `Refused` where that cannot be done."""
        self.refuse_what_cannot_be_done()
        for number, message in enumerate(self.messages):
            refuse_all_but_words(message.content, f"messages.{number}.content")
        tool = forced_tool([_function(tool, number) for number, tool in enumerate(self.tools or ())], self.tool_choice)
        form = wanted_form(self.response_format)
        passed_over = {"tools": bool(self.tools), "response_format": form is not None and tool is not None}
        return AskedOfTeam(
            self.messages,
            self.moot or MootOptions(),
            tool or form,
            self.bounds_of(tool or form),
            self.not_applied(tool, form, passed_over),
        )


def _function(tool: ChatTool, number: int) -> ToolFunction | None:
    if tool.type == "function" and tool.function is None:
        place = f"tools.{number}.function"
        raise Refused(400, f"{place}: expected the function, with its name", code="invalid_request", param=place)
    return tool.function if tool.type == "function" else None


@dataclass(frozen=True, slots=True)
class Conversation:
    """A chat as a team takes it."""

    question: Question
    instruction: str
    """What goes before every player's own instruction."""
    system: str
    """The words of the client in it."""
    kind_said: bool
    """Whether the kind is the request's own word, and not the file's."""


def conversation(
    asked: AskedOfTeam,
    prompts: Prompts,
    language: str,
    *,
    kind: QuestionKind = "open",
    measured: bool = False,
    asker: str | None = None,
) -> Conversation:
    """The last message of the user is the question; system messages go to every player; what else was said is its context.

    `language`, `kind`: those of the file, where the request does not say. `measured`: the file has questions. Then a question
    that comes alone is asked in the words of a run, and in no others. The same words of two askers are two questions: what one
    of them says of an answer is not said of the other's.
    """
    messages, options = asked.messages, asked.options
    system = "\n\n".join(
        message.text for message in messages if message.role in ("system", "developer") and message.text.strip()
    )
    spoken = [message for message in messages if message.role not in ("system", "developer")]
    if any("\x00" in message.text for message in messages):
        raise Refused(400, f"messages: {HOLDS_NUL}.", code="invalid_messages", param="messages")
    place = _question_at(spoken)
    last, others = spoken[place], [*spoken[:place], *spoken[place + 1 :]]
    earlier = [(message.role, message.text) for message in others if message.text.strip()]
    text = prompts.render("chat", messages=earlier, question=last.text) if earlier else last.text
    question = Question(
        id="",
        text=text,
        choices=tuple(options.choices or ()),
        context=options.context,
        language=options.language or language,
        kind=options.kind_among(kind),
    )
    alone = measured and not system and not earlier
    instruction = "" if alone else prompts.render("served", instruction=system, is_long=question.is_long)
    asked_question = replace(question, id=_ident(question, system, asker, language))
    return Conversation(asked_question, instruction, system, options.kind is not None)


def refuse_unplayable(name: str, offered: Mapping[str, Cell], cell: Cell, talk: Conversation) -> None:
    """What a strategy cannot be asked is said before anybody is, with who of those that are `offered` can be."""
    if not talk.question.is_long:
        return
    problem = long_answer_problem(cell.strategy, by_meaning=groups_by_meaning(cell.team))
    if problem is None:
        return
    if able := [other for other, cell in offered.items() if gives_long_answers(cell)]:
        named = either(f"'{other}'" for other in able[:MOST_ABLE])
        problem = f"{problem.partition('; expected')[0]}; expected {named} as model, or choices, or another moot.kind"
    if talk.kind_said:
        raise Refused(400, f"moot.kind: {problem}.", code="invalid_request", param="moot.kind")
    raise Refused(400, f"model: {told(name)}: {problem}.", code="no_long_answers", param="model")


def _question_at(spoken: Sequence[ChatMessage]) -> int:
    """The place of the user's last message. Nothing but what tools have said may stand behind it."""
    place = next((at for at in reversed(range(len(spoken))) if spoken[at].role not in ("tool", "function")), None)
    if place is not None and place < len(spoken) - 1 and spoken[place].role == "assistant":
        place = next((at for at in reversed(range(place)) if spoken[at].role == "user"), None)
    if place is None or spoken[place].role != "user" or blank(spoken[place].text):
        words = "The last message must be the user's, with a text: it is what the team is asked."
        raise Refused(400, words, code="invalid_messages", param="messages")
    return place


def _ident(question: Question, system: str, asker: str | None, language: str) -> str:
    """One for the same question of the same asker."""
    asked: list[Any] = [system, question.text] if asker is None else [system, question.text, asker]
    if question.choices or question.context or question.kind != "open" or question.language != language:
        asked.append([question.choices, question.context, question.kind, question.language])
    return f"asked-{digest(asked)[:12]}"


def moot_field(asked: AnsweredQuestion) -> dict[str, Any]:
    """What an ordinary model has not: how far the team agreed, who was missing, what it cost."""
    verdict, question = asked.verdict, asked.episode.question
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
        "calls": asked.episode.calls_made,
        "cost_usd": asked.cost_usd,
        "seconds": round(asked.episode.seconds, 3),
        "kind": question.kind,
    }
    if asked.why_no_agreement is not None:
        report["agreement_why"] = asked.why_no_agreement
    if (choice := choice_of(question, verdict.answer)) is not None:
        report["choice"] = choice
    if verdict.cause:
        report["cause"] = public_words(verdict.cause)
    if verdict.note:
        report["note"] = verdict.note
    for deadline in of_kind(verdict.traces, Deadline):
        report["deadline_s"] = deadline.seconds
    for spared in of_kind(verdict.traces, NotNeeded):
        report["not_needed"] = list(spared.players)
    return report


def completion_of(head: Head, asked: AnsweredQuestion, wish: AskedOfTeam, dressed: str | None = None) -> Completion:
    """The verdict as a completion; `Refused` where the team has no answer, and neither refuses nor abstains.

    That it abstains is said in words; where a form was asked for, which such words do not have, as a refusal.
    """
    verdict, wanted = asked.verdict, wish.wanted
    abstained = verdict.outcome == "abstained"
    refused = verdict.outcome == "refused" or (abstained and wanted is not None)
    text = dressed if dressed is not None else _abstention(asked) if abstained else verdict.answer
    if text is None and not refused:
        status = TOO_LATE_STATUS if of_kind(verdict.traces, Deadline) else NO_ANSWER_STATUS
        cause = verdict.cause or verdict.outcome
        _log.warning("%s has no answer: %s", asked.model, log_words.no_answer(asked))
        words = f"The team has no answer: {public_words(cause)}"
        raise Refused(status, words, code=f"team_{verdict.outcome}", kind="server_error")
    words = text if text is not None else verdict.cause or "The team refused to answer."
    final = wish.bounds.cut(words)
    report = {**moot_field(asked), "not_applied": list(wish.not_applied)}
    cut_by = final.cut_by or ("model" if ends_too_soon(verdict.traces) and text == verdict.answer else None)
    if cut_by is not None:
        report["cut_by"] = cut_by
    finish = wanted.finish if wanted is not None and not refused else FILTERED if _by_filters(asked) else "stop"
    return Completion(
        replace(head, model=asked.model),
        final.text,
        asked.usage,
        finish="length" if cut_by in ("max_tokens", "model") else finish,
        refused=refused,
        tool=wanted.tool if wanted is not None and not refused else None,
        more={"moot": report},
    )


def piece_chars(chars: int) -> int:
    """Characters in one event of an answer of so many."""
    return max(PIECE, -(-chars // MOST_PIECES))


def _by_filters(asked: AnsweredQuestion) -> bool:
    """Whether it were filters that refused, and no model by itself: OpenAI tells the two apart by the reason to finish."""
    if asked.verdict.outcome != "refused":
        return False
    refusals = [call.reply.finish for call in asked.episode.calls if call.reply is not None and call.reply.refused]
    return bool(refusals) and all(finish == FILTERED for finish in refusals)


def _abstention(asked: AnsweredQuestion) -> str:
    """That the team does not answer, and how sure it would have been."""
    return f"The team does not answer this: {public_words(asked.verdict.cause or asked.verdict.outcome)}."


def table_event(head: Head, event: Mapping[str, Any]) -> bytes:
    """Something that happened at the table: a chunk without a choice, which clients that do not know it pass over."""
    return head.event([], moot={"event": dict(event)})
