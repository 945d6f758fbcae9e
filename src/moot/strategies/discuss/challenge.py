"""The challenge round: after the decision every agent is asked whether it agrees, and if not, for a new answer.

Five settings. `solution`: the answer alone; `discussion`: with all that was said; `facts`: with what a retriever finds;
`irrelevant` and `wrong`: another model's irrelevant or wrong answer is shown in place of the team's. The decision itself
stands, whatever comes of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

from moot.strategies.discuss.personas import Agent
from moot.strategies.discuss.remark import agreement
from moot.strategies.discuss.table import DiscussionTable
from moot.strategies.natives import shown_question
from moot.team.forms import AnswerForm, object_schema
from moot.team.retrieval import retrieve
from moot.team.together import together
from moot.traces import Challenge, Objection, Trace
from moot.types import Question

Setting = Literal["none", "solution", "discussion", "facts", "irrelevant", "wrong"]
PLANTED = ("irrelevant", "wrong")
PLANT = "plant"
"""The office of the model that makes up planted answers, and its name in a transcript."""


@dataclass(frozen=True, slots=True)
class AgreementForm:
    """``{"reasoning", "agree"}``."""

    letters: ClassVar[str] = ""

    @property
    def schema(self) -> Mapping[str, Any]:
        return object_schema({"reasoning": {"type": "string"}, "agree": {"type": "boolean"}})

    def read(self, data: Mapping[str, Any]) -> bool:
        return agreement(data.get("agree"))


async def challenge(table: DiscussionTable, setting: str, answer: str, turn: int) -> tuple[Trace, ...]:
    """What an episode keeps of the round: what was shown, and for each agent its agreement and its new answer.

    `agree` is None for an agent that did not say; `answer` is None for one that agreed or gave no other.
    """
    put = Challenge(setting, answer)
    if setting in PLANTED:
        planted, cause = await _planted(table, setting, turn)
        if planted is None:
            return (Challenge(setting, cause=f"no answer was planted: {cause}"),)
        put = Challenge(setting, planted, planted)
    if setting == "facts":
        assert table.team.retriever is not None, "checked before the first call"
        try:
            put = replace(put, facts=await retrieve(table.team.retriever, table.question))
        except Exception as error:  # noqa: BLE001  somebody else's code; the decision stands without it
            return (replace(put, cause=f"the retriever failed: {type(error).__name__}: {error}"),)
    return (put, *await together(_asked(table, agent, put, turn) for agent in table.agents))


async def _asked(table: DiscussionTable, agent: Agent, put: Challenge, turn: int) -> Objection:
    team, question = table.team, table.question
    remarks = table.spoken if put.setting == "discussion" else []
    inputs = {**shown_question(question), "answer": put.shown, "facts": put.facts, **table.shown(remarks)}
    prompt = team.prompts.beside(__file__).render("challenge", **inputs, disagreed=False)
    heard = await team.ask(agent.player, question, prompt, AgreementForm(), stage="challenge", turn=turn)
    if heard.value is None:
        return Objection(agent.name, None, cause=heard.cause)
    if heard.value:
        return Objection(agent.name, True)
    prompt = team.prompts.beside(__file__).render("challenge", **inputs, disagreed=True)
    new = await team.ask(agent.player, question, prompt, AnswerForm(question), stage="new-answer", turn=turn)
    return Objection(agent.name, False, new.value.answer if new.value else None, None if new.value else new.cause)


async def _planted(table: DiscussionTable, setting: str, turn: int) -> tuple[str | None, str | None]:
    """Another model's answer, and why there is none. An irrelevant one need not be among the choices."""
    team, question = table.team, table.question
    form = AnswerForm(question if setting == "wrong" else _open(question))
    prompt = team.prompts.beside(__file__).render("plant", **shown_question(question), plant=setting)
    heard = await team.ask(team.officers[PLANT], question, prompt, form, stage="plant", turn=turn)
    return (heard.value.answer if heard.value else None), heard.cause


def _open(question: Question) -> Question:
    return replace(question, choices=(), kind="open")
