"""Small worlds whose truth is known by construction, played through `moot.run` with scripted models."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import moot
from moot import Case, Question, Request, ScriptedModel
from moot.errors import ReplyBroken
from moot.models.scripted import Script
from moot.simulate.prompt_reading import read_shown

PLAYERS = ("ann", "bob", "cat")
Says = Callable[[str, int, int], str]
"""What a player says alone, by its name, the number of the question and the repeat."""


def number_of(request: Request) -> int:
    return int(re.sub(r"\D", "", request.question_id or "0"))


def in_form(request: Request, answer: str) -> Script:
    """The answer in the form that was asked for; in free words a last line says it."""
    fields = (request.schema or {}).get("properties")
    if not fields:
        return f"I know.\n\nFinal answer: {answer}"
    return {name: answer if name == "answer" else "So." for name in fields}


def shown_texts(request: Request) -> list[str]:
    return [piece.text for piece in read_shown(request.messages)]


def everything_right(request: Request) -> Script:
    """A judge who accepts whatever it is shown."""
    most = (request.schema or {})["properties"]["grades"]["items"]["properties"]["id"]["maximum"]
    return {"grades": [{"id": number, "is_correct": True} for number in range(1, most + 1)]}


def silent_on_the_odd(request: Request) -> Script:
    """A judge who has no word for an answer that calls itself odd; all others it is asked about are wrong."""
    if "odd" in request.messages[-1].content:
        raise ReplyBroken("silent")
    most = (request.schema or {})["properties"]["grades"]["items"]["properties"]["id"]["maximum"]
    return {"grades": [{"id": number, "is_correct": False} for number in range(1, most + 1)]}


def grouped_by(key: Callable[[str], Any]) -> Callable[[Request], Script]:
    """A grouping model: answers with the same key mean the same."""

    def reply(request: Request) -> Script:
        groups: dict[Any, list[int]] = {}
        for place, text in enumerate(shown_texts(request), 1):
            groups.setdefault(key(text), []).append(place)
        return {"groups": list(groups.values())}

    return reply


def questions(count: int, **more: Any) -> list[Case]:
    return [Case(Question(f"q{n}", f"Which city is number {n}?", **more), "Paris") for n in range(count)]


class World:
    """`says`: what each says alone; `after`: what each says who was shown what others said, from the texts shown."""

    def __init__(
        self,
        says: Says,
        after: Callable[[str, int, Sequence[str]], str] | None = None,
        *,
        count: int = 4,
        players: Sequence[str] = PLAYERS,
        offices: Mapping[str, Callable[[Request], Script]] | None = None,
        asked: Sequence[Case] | None = None,
    ) -> None:
        self.says, self.after, self.players = says, after, tuple(players)
        self.asked = list(asked) if asked is not None else questions(count)
        self.offices = dict(offices or {})
        self.models: dict[str, ScriptedModel] = {}

    def reply(self, name: str, request: Request) -> Script:
        number, texts = number_of(request), shown_texts(request)
        if texts and self.after is not None:
            return in_form(request, self.after(name, number, texts))
        return in_form(request, self.says(name, number, request.sample))

    def keys(self, strategies: Sequence[Any], **more: Any) -> dict[str, Any]:
        self.models = {
            name: ScriptedModel(name, lambda request, name=name: self.reply(name, request))  # type: ignore[misc]
            for name in self.players
        }
        self.models |= {name: ScriptedModel(name, reply) for name, reply in self.offices.items()}
        return {
            "name": "cup",
            "questions": self.asked,
            "models": self.models,
            "players": {name: {"model": name} for name in self.players},
            "teams": {"team": {"players": list(self.players), "captain": "each"}},
            "strategies": list(strategies),
            **more,
        }

    def play(self, strategies: Sequence[Any], **more: Any) -> moot.Results:
        return moot.run(self.keys(strategies, **more))

    def asked_of(self, *names: str) -> int:
        """Calls that these models were really asked."""
        return sum(len(self.models[name].requests) for name in names or self.models)


def row(rows: Sequence[Mapping[str, Any]], **wanted: Any) -> Mapping[str, Any]:
    (only,) = [row for row in rows if all(row.get(key) == value for key, value in wanted.items())]
    return only
