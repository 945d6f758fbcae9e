"""A table at which it can be seen who was shown what: of its players each says something that nobody else says.

While it is alone a player gives one answer; once it has heard of another it gives another, so that a draft is known as
one. Its reasons name it, so that a review that should be blind must mask them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from moot.models.scripted import Script, ScriptedModel
from moot.prompts import Own, Prompts
from moot.simulate.schema_instance import instance
from moot.strategies.promises import Voice
from moot.team import Lesson, Player, SameWords, Team
from moot.types import Answer, Grouping, Question, Request

NAMES = ("ann", "bob", "cat")
_CITIES = ("Babylon", "Nineveh", "Uruk", "Ebla", "Mari", "Susa")
_MARKS = ("marmalade", "nutmeg", "cardamom", "saffron", "juniper", "lavender")


class WatchedPrompts(Prompts):
    """Prompts that keep in mind which of them were used."""

    def __init__(self, language: str = "en", own: tuple[Own, ...] = (), used: set[str] | None = None) -> None:
        super().__init__(language, None, own)
        self.used: set[str] = set() if used is None else used

    def render(self, name: str, **inputs: Any) -> str:
        self.used.add(name)
        return super().render(name, **inputs)

    def bringing(self, own: Own) -> Prompts:
        brought = super().bringing(own)
        return self if brought is self else WatchedPrompts(self.language, brought.own, self.used)


class CountedGrouper(SameWords):
    """Puts the same words together, and keeps in mind how often it was asked to."""

    def __init__(self) -> None:
        self.asked = 0

    async def group(self, question: Question, answers: Sequence[Answer], team: Team) -> Grouping:
        self.asked += 1
        return await super().group(question, answers, team)


class WatchedLessons(tuple[Lesson, ...]):
    """Lessons that keep in mind whether somebody has looked at them."""

    read: bool = False

    def __iter__(self) -> Iterator[Lesson]:
        self.read = True
        return super().__iter__()

    def __len__(self) -> int:
        self.read = True
        return super().__len__()

    def __getitem__(self, place: Any) -> Any:
        self.read = True
        return super().__getitem__(place)


def lesson_of(team: Team) -> WatchedLessons:
    """Another question, on which everybody was right; and one that only the first answered, whom nobody could grade."""
    drafts = tuple(Answer(player.name, "Akkad", "It is known.") for player in team.players)
    names = tuple(draft.player for draft in drafts)
    known = Lesson(Question("another", "Which city was it, the last time?"), drafts, (1.0,) * len(drafts), (names,))
    open_one = Lesson(Question("a third", "Which city will it be?"), drafts[:1], (None,), (names[:1],))
    return WatchedLessons((known, open_one))


def voices_on(question: Question) -> list[Voice]:
    """What each of three players says of a question while it is alone."""
    answers = {"choice": question.letters, "yes-no": ("yes", "no", "yes")}.get(question.kind, _CITIES)
    voices = [
        Voice(answer, mark, (name, f"model-{name}")) for name, answer, mark in zip(NAMES, answers, _MARKS, strict=False)
    ]
    return (
        [replace(voice, answer=f"{_reasons(voice)}\n\n**{voice.answer}**") for voice in voices]
        if question.is_long
        else voices
    )


def _reasons(voice: Voice) -> str:
    name, model = voice.names
    return f"As {name} of {model} I think of {voice.mark}."


def telltale_team(question: Question) -> Team:
    voices = voices_on(question)
    players = []
    for place, voice in enumerate(voices):
        name, model = voice.names
        others = [other for other in voices if other != voice]
        script = _speaking(voice, others, voices[(place + 1) % 3].answer, is_long=question.is_long)
        players.append(Player(name, ScriptedModel(model, script)))
    return Team("test", tuple(players), seed=7, captain="each")


def _speaking(voice: Voice, others: Sequence[Voice], swayed: str, *, is_long: bool) -> Callable[[Request], Script]:
    """Says its own answer while it is alone, and another once it has heard of others: so a draft is known as one."""

    def script(request: Request) -> Script:
        prompt = "\n".join(message.content for message in request.messages if message.role != "assistant")
        heard = any(other.mark in prompt or (len(other.answer) > 3 and other.answer in prompt) for other in others)
        answer = swayed if heard else voice.answer
        reasons = _reasons(voice)
        if request.schema is None and is_long:
            return answer
        if request.schema is None:
            return f"{reasons}\nAnswer: {answer}"
        values = {"reasoning": reasons, "message": reasons, "answer": answer, "solution": answer}
        return json.dumps(instance(request.schema, values, lambda place: 0.25))

    return script


def requests_of(officer: Player) -> list[Request]:
    """What the model of somebody scripted was sent, under whatever name."""
    assert isinstance(officer.model, ScriptedModel)
    return officer.model.requests
