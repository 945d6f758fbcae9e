"""Scripted agents for discussions: every message has a mark of its own, so a prompt shows who was heard."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from moot.models.scripted import Script, ScriptedModel
from moot.strategies.discuss.discuss import Discuss
from moot.team import Grouper, Player, SameWords, Team
from moot.types import Question, Request, Verdict

MARK = re.compile(r"word-(\d+)-(\d+)")
QUESTION = Question("q", "Which river did the {poet} name?")

Say = Callable[["Company", int, int], Mapping[str, Any]]
"""From (company, agent from 1 on, its n-th message) to what differs from the usual in its message."""


def kind(request: Request) -> str:
    """What is asked for, by the fields of the form."""
    fields = set((request.schema or {}).get("properties", {}))
    if "role" in fields:
        return "persona"
    if "message" in fields:
        return "discuss"
    if fields == {"reasoning", "answer"}:
        return "answer"
    if fields == {"reasoning", "agree"}:
        return "challenge"
    if fields == {"reasoning", "choice"}:
        return "judge"
    return "ballot"


def vote(request: Request, best: int) -> Script:
    """A ballot that fits, with this number on the paper first."""
    (field,) = (request.schema or {})["properties"]
    size = len(options(text(request)))
    rest = [number for number in range(1, size + 1) if number != best]
    return {
        "choice": {"choice": best},
        "ranking": {"ranking": [best, *rest][:5]},
        "points": {"points": [20 if number == best else 0 for number in range(1, size + 1)]},
        "approved": {"approved": [best]},
    }[field]


def text(request: Request) -> str:
    return request.messages[-1].content


def whole(request: Request) -> str:
    return "\n".join(message.content for message in request.messages)


def marks(prompt: str) -> list[tuple[int, int]]:
    return [(int(agent), int(number)) for agent, number in MARK.findall(prompt)]


def options(prompt: str) -> list[str]:
    """The solutions on a paper, as shown."""
    return re.findall(r'<solution n="\d+">\n(.*?)\n</solution>', prompt, re.DOTALL)


def choosing(wanted: Sequence[str]) -> Callable[[int, Request], Script]:
    """Agent n votes for the n-th of these solutions."""

    def cast(agent: int, request: Request) -> Script:
        shown = options(text(request))
        return vote(request, shown.index(wanted[agent - 1]) + 1)

    return cast


class Company:
    """A team of scripted agents, the judge and the planter, and all that each was sent."""

    kind = staticmethod(kind)
    vote = staticmethod(vote)
    text = staticmethod(text)
    whole = staticmethod(whole)
    options = staticmethod(options)
    choosing = staticmethod(choosing)

    @staticmethod
    def question_named(name: str) -> Question:
        return Question(name, QUESTION.text)

    def __init__(
        self,
        agents: int,
        *,
        say: Say | None = None,
        final: Callable[[int], Script] | None = None,
        ballot: Callable[[int, Request], Script] | None = None,
        other: Mapping[str, Callable[[int, Request], Script]] | None = None,
        grouper: Grouper | None = None,
        question: Question = QUESTION,
        seed: int = 7,
    ) -> None:
        self.say, self.final, self.ballot, self.other = say, final, ballot, other or {}
        self.question = question
        self.messages: dict[int, int] = {}
        models = [ScriptedModel(f"hidden-model-{n}", self._script(n)) for n in range(1, agents + 1)]
        self.judge = ScriptedModel("hidden-model-judge", self._script(0))
        self.models = models
        players = tuple(Player(f"hidden-player-{n}", model) for n, model in enumerate(models, start=1))
        officers = {office: Player(office, self.judge) for office in ("judge", "plant")}
        grouper = grouper or SameWords()
        self.team = Team("test", players, seed=seed, grouper=grouper, officers=officers, retriever=lambda q: "a fact")

    async def play(self, discuss: Discuss) -> Verdict:
        (lineup,) = discuss.lineups(self.team)
        return await discuss.play(self.question, lineup.seated())

    def sent(self, agent: int, wanted: str | None = None) -> list[Request]:
        """The first attempts that an agent was sent (0: the judge and the planter), of one kind or all."""
        model = self.judge if agent == 0 else self.models[agent - 1]
        return [each for each in model.requests if not each.attempt and wanted in (None, kind(each))]

    def prompts(self, wanted: str | None = None) -> list[str]:
        agents = range(len(self.models) + 1)
        return [text(each) for agent in agents for each in self.sent(agent, wanted)]

    def heard(self, agent: int) -> list[list[tuple[int, int]]]:
        """For each of its messages: the marks of what it was shown, in order."""
        return [marks(text(each)) for each in self.sent(agent, "discuss")]

    def _script(self, agent: int) -> Callable[[Request], Script]:
        def reply(request: Request) -> Script:
            asked = kind(request)
            if asked in self.other:
                return self.other[asked](agent, request)
            if asked == "persona":
                return {"role": f"Role {agent}", "description": f"knows part {agent}"}
            if asked == "discuss":
                return self._message(agent, request)
            if asked == "answer":
                return self.final(agent) if self.final else {"reasoning": "so", "answer": f"River {agent}"}
            if asked == "challenge":
                return {"reasoning": "hm", "agree": agent != 1}
            if asked == "judge":
                return {"reasoning": "so", "choice": 1}
            return self.ballot(agent, request) if self.ballot else vote(request, 1)

        return reply

    def _message(self, agent: int, request: Request) -> Script:
        if not request.attempt:
            self.messages[agent] = self.messages.get(agent, 0) + 1
        usual = {"message": f"word-{agent}-{self.messages[agent]}", "solution": f"River {agent}", "agree": False}
        said = {**usual, **(self.say(self, agent, self.messages[agent]) if self.say else {})}
        fields = (request.schema or {})["properties"]
        return {key: value for key, value in said.items() if key in fields}


@pytest.fixture(name="company")
def _company() -> type[Company]:
    return Company
