"""What a client is told while the team plays: who begins what, what came of it, and the verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from moot.models.overheard import Listener
from moot.openai_form.completions import Head
from moot.serve.chat import table_event
from moot.serve.discretion import public_record
from moot.serve.events import begins_event, call_event
from moot.serve.happenings import Happenings
from moot.team.watching import BegunCall
from moot.types import Call


@dataclass(frozen=True, slots=True)
class Telling:
    """One client, as those who play see it."""

    head: Head
    happenings: Happenings
    watched: bool
    """The client asked for what happens at the table."""
    whole: set[tuple[str, str, int]] = field(default_factory=set)
    """By player, stage and turn: calls of which the reply is the answer as it is."""

    def tell(self, event: Mapping[str, Any]) -> None:
        if self.watched:
            self.happenings.tell(table_event(self.head, public_record(event)))

    def begins(self, call: BegunCall) -> Listener | None:
        self.tell(begins_event(call))
        if call.whole:
            self.whole.add((call.player, call.stage, call.turn))
        return None

    def heard(self, call: Call) -> None:
        self.tell(call_event(call, whole=(call.player, call.stage, call.turn) in self.whole))
