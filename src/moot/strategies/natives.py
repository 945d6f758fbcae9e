"""Native answers: what every player says alone, before it hears anybody, in one call or in two.

`single-call` is the draft that all strategies share: reasons and answer in one JSON object. Some models pay for having
to think and to keep to a form at once. `double-call` asks for the answer alone, in free words and with the model's own
settings, and then, in a thread of its own, for the reasons. The two modes side by side measure that tax.

A long answer is one call in either mode: no form taxes it, and its reasons stand in it.

Native and later answers take one way. In `double-call`, and wherever the team has extraction models: the form if the
reply has it, then the team's reader, else the reply is unparsed. Else a reply that does not fit is asked for again.
"""

from __future__ import annotations

from typing import Any, Literal

from moot.models.cut_out import CUT_FROM_REPLY, was_cut
from moot.team import Player, Team
from moot.team.reading import unparsed
from moot.team.together import together
from moot.types import Answer, Question

Drafts = Literal["single-call", "double-call"]
"""The option of every strategy that asks for native answers in either way. `double-call`: the answer first, its reasons
in a second call; what it gains is the tax on the form."""
SINGLE_CALL: Drafts = "single-call"
DOUBLE_CALL: Drafts = "double-call"

NATIVE_STAGES = ("draft", "verdict", "rationale")
"""The stages under which the calls of a native answer stand in a transcript."""

EXPLAINED_WITHOUT = "no rationale"


LONG_DRAFT = ("draft-text",)
"""The prompt that native answers are asked with where they are long."""


def draft_calls(drafts: Drafts) -> int:
    """How many replies a player's native answer takes; a long one takes one."""
    return 1 if drafts == "single-call" else 2


def draft_prompts(drafts: Drafts) -> tuple[str, ...]:
    """The prompts that native answers are asked with, and the stages that their calls stand under."""
    return ("draft",) if drafts == "single-call" else ("verdict", "rationale")


async def natives(question: Question, team: Team, drafts: Drafts) -> tuple[Answer, ...]:
    """Everybody alone, at the same time."""
    return tuple(await together(native(question, team, player, drafts) for player in team.players))


async def native(question: Question, team: Team, player: Player, drafts: Drafts) -> Answer:
    if drafts == "single-call":
        return await team.draft(player, question)
    if question.is_long:  # it is in free words as it is, and its reasons are in it
        return await team.draft(player, question, stage="verdict")
    inputs = shown_question(question)
    heard = await team.speak(player, question, team.prompts.render("verdict", **inputs), stage="verdict")
    if heard.value is None:
        return Answer(player.name, None, outcome=heard.outcome, cause=heard.cause)
    reading = await team.read(player, question, heard.value)
    if (answer := reading.answer) is None and was_cut(heard.value.text):
        return Answer(player.name, None, outcome="failed", cause=CUT_FROM_REPLY)
    if answer is None:
        return Answer(player.name, None, outcome="unanswered", cause=unparsed(reading.cause))
    asked = team.prompts.render("rationale", **inputs, answer=answer)
    explained = await team.speak(player, question, asked, stage="rationale")
    if explained.value is None:
        # The answer stands: it was given before anybody asked why.
        return Answer(player.name, answer, cause=f"{EXPLAINED_WITHOUT}: {explained.cause}")
    return Answer(player.name, answer, explained.value.text.strip())


def shown_question(question: Question) -> dict[str, Any]:
    """The question as every prompt takes it that asks it or repeats it: who no longer sees it drifts away from it."""
    return {
        "question": question.text,
        "choices": tuple(zip(question.letters, question.choices, strict=True)),
        "context": question.context,
        "kind": question.kind,
    }


def long_question(question: Question) -> dict[str, Any]:
    """The same for prompts that ask for a long answer: there are no options, and no kinds to tell apart."""
    return {"question": question.text, "context": question.context}
