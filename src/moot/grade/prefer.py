"""Which of two long answers is better: a judge sees both, in both orders, and says first, second or neither.

No reference says of a long answer whether it is right, but two of them can be compared. A judge sees the question and two texts
without names, and its word is kept by the digests of the texts in their order: it is asked once, whichever strategies
came to these texts. Equal texts are a tie, and a text beats none; nobody is asked about these. A judge that fails leaves a
comparison without a word, never lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from moot.errors import UsageError
from moot.strategies.blind import masked
from moot.team import Player, Team
from moot.team.forms import Unusable, object_schema
from moot.types import Question, Request, digest

PREFER = "prefer"
PERSON = "person:"
"""What the name of a judge begins with that is a person."""
MOST_REASON = 2_000
"""Characters of a reason that are kept."""

Preferred = Literal["first", "second", "tie"]
PREFERRED: tuple[Preferred, ...] = ("first", "second", "tie")


@dataclass(frozen=True, slots=True)
class Preference:
    """One judge's word on two texts in one order, by their digests. `preferred` is None where there is no usable word."""

    first: str
    second: str
    judge: str
    preferred: Preferred | None
    reason: str | None = None
    """Why; or why there is no word."""
    call: str | None = None
    """The key of the stored call that holds the judge's reply."""
    tries: int = 0
    """How often a judge without a usable word was asked; 0: not for the record."""

    @property
    def texts(self) -> tuple[str, str]:
        return self.first, self.second


@dataclass(frozen=True, slots=True)
class Comparing:
    """Who compares long answers, and with what."""

    team: Team
    """Only for its prompts and the names that are hidden; nobody in it is asked anything."""
    judges: tuple[Player, ...]
    baseline: str | None = None
    """The side that all others are compared with; None: every player of a side's team, alone."""


def text_digest(text: str) -> str:
    """What a text goes by; white space around it is none of it."""
    return digest(text.strip())


def prefer_identity(judging: Player, team: Team) -> str:
    """What a judge's words are kept under: another model under the same name, or another prompt, is another judge."""
    shaped = [judging.model.shape(Request(())), team.prompts.hashes((PREFER, "again"))]
    return f"{judging.name}#{digest([*shaped, PREFER])[:12]}"


def person_identity(name: str) -> str:
    """What a person's words are kept under."""
    if not name.strip():
        raise UsageError("a person's preference needs the person's name")
    return f"{PERSON}{name.strip()}"


async def prefer(judging: Player, question: Question, first: str, second: str, team: Team) -> Preference:
    """A judge's word on two texts that stand in this order."""
    prompt = team.prompts.render(
        PREFER,
        question=question.text,
        context=question.context,
        answers=[masked(text, team) for text in (first, second)],
    )
    team = team.seated(team.repeat)  # a record of its own: others are asked at the same time
    heard = await team.ask(judging, question, prompt, PreferenceForm(), stage=PREFER)
    texts = (text_digest(first), text_digest(second))
    if heard.value is None:
        return Preference(*texts, judging.name, None, heard.cause)
    reply = team.journal[-1].reply
    call = reply.key if reply is not None and reply.key else None
    return Preference(*texts, judging.name, heard.value.preferred, heard.value.reason or None, call)


@dataclass(frozen=True, slots=True)
class SaidPreference:
    preferred: Preferred
    reason: str


@dataclass(frozen=True, slots=True)
class PreferenceForm:
    """``{"reason": "...", "preferred": "first"}``: the reason first, so that it is thought of first."""

    letters: ClassVar[str] = ""

    @property
    def schema(self) -> Mapping[str, Any]:
        return object_schema({"reason": {"type": "string"}, "preferred": {"type": "string", "enum": list(PREFERRED)}})

    def read(self, data: Mapping[str, Any]) -> SaidPreference:
        said, reason = data.get("preferred"), data.get("reason")
        if not isinstance(said, str):
            raise Unusable("no-field")
        word = next((word for word in PREFERRED if word == said.strip().casefold()), None)
        if word is None:
            raise Unusable("no-field")
        return SaidPreference(word, reason.strip()[:MOST_REASON] if isinstance(reason, str) else "")
