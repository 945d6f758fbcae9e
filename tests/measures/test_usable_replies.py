"""Whether the last thing that somebody was asked came to a usable reply, told by how it replies; and on whose questions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from worlds import in_form, number_of, questions, row

import moot
from moot import Reply, Request, ScriptedModel
from moot.errors import ReplyBroken
from moot.models.scripted import Script

COUNT = 3


def asked_again(request: Request) -> bool:
    return request.sample > 0 or len(request.messages) > 1


def usual(request: Request) -> Script:
    return in_form(request, "Paris")


def at_the_second_attempt(request: Request) -> Script:
    return usual(request) if asked_again(request) else "???"


def failing_when_asked_again(request: Request) -> Script:
    return ReplyBroken("no reply") if asked_again(request) else "???"


def refusing_when_asked_again(request: Request) -> Script:
    return Reply("I will not.", finish="refusal") if asked_again(request) else "???"


def in_a_fence(request: Request) -> Script:
    """To be read only once what stands around it is taken off."""
    return 'Here it is:\n```json\n{"reasoning": "So.", "answer": "Paris"}\n```\nDone.'


def refusing(request: Request) -> Script:
    return Reply("I will not.", finish="refusal")


def filtered(request: Request) -> Script:
    return Reply("", finish="content_filter")


def garbled(request: Request) -> Script:
    return "???"


REPLIES: list[tuple[Callable[[Request], Script], str]] = [
    (usual, "answered"),
    (at_the_second_attempt, "answered"),
    (in_a_fence, "answered"),
    (failing_when_asked_again, "failed"),
    (refusing_when_asked_again, "refused"),
    (refusing, "refused"),
    (filtered, "refused"),
    (garbled, "unanswered"),
]
ENDINGS = ("answered", "failed", "refused", "unanswered")


@pytest.mark.parametrize("strategy", ["solo", "vote"])
def test_a_play_is_counted_by_the_last_thing_that_was_asked(strategy: str) -> None:
    """Alone and at a table alike."""
    names = [reply.__name__ for reply, _ in REPLIES]
    keys: dict[str, Any] = {
        "name": "cup",
        "questions": questions(COUNT),
        "models": {reply.__name__: ScriptedModel(reply.__name__, reply) for reply, _ in REPLIES},
        "teams": {"all": {"players": names, "captain": "usual"}},
        "strategies": [strategy],
    }
    rows = moot.run(keys).figures["attendance"]
    for name, ending in zip(names, [ending for _, ending in REPLIES], strict=True):
        found = row(rows, player=name, office="player")
        assert {word: found[word] for word in ENDINGS} == {word: COUNT * (word == ending) for word in ENDINGS}, name
        assert (found["questions"], found["asked"]) == (COUNT, COUNT)


def test_only_questions_of_this_experiment_are_counted(tmp_path: Path) -> None:
    """Two experiments in one store ask the same players alone, each on its own questions; on the others the calls failed."""

    def later_fails(request: Request) -> Script:
        return usual(request) if number_of(request) < COUNT else ReplyBroken("no reply")

    every = questions(2 * COUNT)

    def attendance(name: str, first: int, last: int) -> dict[str, Any]:
        models = {player: ScriptedModel(player, later_fails) for player in ("ann", "bob")}
        keys = {"name": name, "questions": every[first:last], "models": models, "strategies": ["solo"]}
        rows = moot.run(keys, store=tmp_path / "both.db").figures["attendance"]
        return {
            one["player"]: tuple(one[word] for word in ("questions", "asked", "answered", "failed")) for one in rows
        }

    early, late = (dict.fromkeys(("ann", "bob"), (COUNT, COUNT, *ends)) for ends in ((COUNT, 0), (0, COUNT)))
    assert attendance("early", 0, COUNT) == early
    assert attendance("late", COUNT, 2 * COUNT) == late
    assert attendance("early", 0, COUNT) == early
