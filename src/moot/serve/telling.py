"""What a client is told while the team plays: who begins what, the words as they are written, what came of it, the answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from moot.models.overheard import Listener, Tell
from moot.openai_form.completions import Head
from moot.serve.chat import table_event
from moot.serve.discretion import public_record
from moot.serve.early_answer import EarlyAnswer, PlainSpeakers
from moot.serve.events import begins_event, call_event
from moot.serve.happenings import Happenings, UntoldWords
from moot.team.final_line.spoken_so_far import SpokenSoFar
from moot.team.watching import BegunCall
from moot.types import Call


@dataclass(frozen=True, slots=True)
class SeatVoice:
    """Whose words they are. With each `number` its reply begins anew."""

    player: str
    stage: str
    turn: int
    number: int

    def event(self, words: str) -> dict[str, Any]:
        """The next words of somebody at the table."""
        place = {"player": self.player, "stage": self.stage, "turn": self.turn}
        return {"kind": "words", **place, "voice": self.number, "text": words}


def at_table(told: Mapping[str, Any] | UntoldWords) -> Mapping[str, Any] | None:
    """What happened at the table; None: words that belong to nobody there, which are those of the answer."""
    if not isinstance(told, UntoldWords):
        return told
    return told.voice.event(told.text) if isinstance(told.voice, SeatVoice) else None


@dataclass(frozen=True, slots=True)
class Telling:
    """One client, as those who play see it."""

    head: Head
    happenings: Happenings
    speakers: PlainSpeakers
    watched: bool = False
    """The client asked for what happens at the table."""
    early: EarlyAnswer | None = None
    """The answer, where it may be given while it is written."""
    whole: set[tuple[str, str, int]] = field(default_factory=set)
    """By player, stage and turn: calls of which the reply is the answer as it is."""
    voices: Any = field(default_factory=count)

    def tell(self, event: Mapping[str, Any]) -> None:
        if self.watched:
            self.happenings.tell(public_record(event))

    def in_bytes(self, told: Mapping[str, Any] | UntoldWords) -> bytes:
        """Something that happened, as a chunk of a chat completion."""
        event = at_table(told)
        if event is not None:
            return table_event(self.head, event)
        assert isinstance(told, UntoldWords), "all else happened at the table"
        return self.head.delta({"content": told.text})

    def begins(self, call: BegunCall) -> Listener | None:
        self.tell(begins_event(call))
        if call.whole:
            self.whole.add((call.player, call.stage, call.turn))
        early = self.early if call.whole and self.early is not None and self.early.stage == call.stage else None
        return TellingListener(self, call, early) if self.watched or early is not None else None

    def heard(self, call: Call) -> None:
        whole = (call.player, call.stage, call.turn) in self.whole
        if whole and self.early is not None and self.early.stage == call.stage:
            self.early.heard(call)
        self.tell(call_event(call, whole=whole))


@dataclass(frozen=True, slots=True)
class TellingListener:
    """Hears one call, for its seat and for the answer."""

    telling: Telling
    call: BegunCall
    early: EarlyAnswer | None

    @property
    def is_bound(self) -> bool:
        return self.early is not None

    def voice(self) -> Tell:
        plain = self.telling.speakers.know(self.call.model)
        tellers = [] if self.early is None else [self.early.voice(plain=plain)]
        if self.telling.watched:
            tellers.append(self._seat(plain=plain))

        def tell(words: str) -> None:
            for each in tellers:
                each(words)

        return tell

    def _seat(self, *, plain: bool) -> Tell:
        call = self.call
        voice = SeatVoice(call.player, call.stage, call.turn, next(self.telling.voices))
        spoken: SpokenSoFar | None = None

        def tell(words: str) -> None:
            nonlocal spoken
            if spoken is None:  # thoughts do not begin with a brace, and what is in a form does
                spoken = SpokenSoFar(plain=plain or (not call.whole and words.lstrip().startswith("{")))
            if sure := spoken.take(words):
                self.telling.happenings.say(voice, sure)

        return tell
