"""Watching: what those who watch a table are told of a call when it begins, and what is being done in it.

A call that is over stands in the journal. For somebody who waits that is late: a captain may read and write for a minute, and
the table looks as if nothing happened.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from moot.models.overheard import Listener

Doing = Literal[
    "answering",
    "drafting",
    "explaining",
    "reading",
    "reviewing",
    "ranking",
    "arguing",
    "voting",
    "judging",
    "grouping",
    "extracting",
    "preparing",
    "tempting",
    "dressing",
]
"""What somebody is asked for. `reading`: to read what the others wrote and to give the team's word. `dressing`: to write that
down in the form of whoever asked."""

STAGES: Mapping[str, Doing] = {
    "draft": "drafting",
    "verdict": "drafting",
    "rationale": "explaining",
    "silent": "reading",
    "talkative": "reading",
    "summarise": "reading",
    "chair": "reading",
    "review": "reviewing",
    "rank": "ranking",
    "debate": "arguing",
    "resolution": "arguing",
    "discuss": "arguing",
    "challenge": "arguing",
    "new-answer": "arguing",
    "solution": "arguing",
    "ballot": "voting",
    "judge": "judging",
    "grouping": "grouping",
    "extract": "extracting",
    "persona": "preparing",
    "plant": "tempting",
    "dress": "dressing",
}
"""By the stage under which a call stands in the transcript. A stage of somebody else's strategy is one of answering."""

CAPTAIN, PLAYER = "captain", "player"


def doing_at(stage: str) -> Doing:
    return STAGES.get(stage, "answering")


@dataclass(frozen=True, slots=True)
class BegunCall:
    """Somebody has just been asked something."""

    player: str
    office: str
    """The captain, a player, or the name of who does not play: a judge, say."""
    model: str
    stage: str
    turn: int
    attempt: int = 0
    """From 1 on it is asked once more, since what it said could not be used."""
    whole: bool = False
    """The reply is the answer as it is: nothing is read out of it."""

    @property
    def doing(self) -> Doing:
        return doing_at(self.stage)


class Watcher(Protocol):
    """Who is told when a call begins."""

    def begins(self, call: BegunCall) -> Listener | None:
        """Who hears its reply as it is written; None: nobody."""
