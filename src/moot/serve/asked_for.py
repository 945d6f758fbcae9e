"""What a request asks for, in whichever form it came: the words, the kind of question, the shape and length of the reply.

A team is served as it was measured. What a request asks for beyond that is either refused, where the reply would not be what
was asked for, or named in the reply as not applied.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from moot.live.asked_question import choice_twice
from moot.live.edited_team import MOST, EditedTeam
from moot.models.border import blank, text_problem
from moot.openai_form.refusal import Refused
from moot.openai_form.requests import ChatMessage, ContentPart, WantedJson
from moot.serve.final_bounds import FinalBounds
from moot.serve.tools import UNSUPPORTED, UNSUPPORTED_VALUE
from moot.types import MOST_CHOICES, QuestionKind

MOST_STOPS = 16
LONGEST_STOP = 1_000
WORDS = ("text", "input_text", "output_text", "refusal")
"""Kinds of content that a team reads."""
MOST_NAMED = 50
"""Keys that are named as not applied: a request may hold any number of them."""
LONGEST_NAME = 64


def _shown(text: str) -> str:
    if problem := text_problem(text):
        raise ValueError(problem)
    return text


def _each_once(texts: list[str]) -> list[str]:
    if (twice := choice_twice(texts)) is not None:
        raise ValueError(f"expected each choice once, found {twice!r} twice")
    return texts


ShownText = Annotated[str, AfterValidator(_shown)]  # a request is bounded as a whole
Choices = Annotated[list[ShownText], Field(min_length=2, max_length=MOST_CHOICES), AfterValidator(_each_once)]


class TeamForQuestion(BaseModel):
    """A team of the file's models that is put together for this question: see /v1/moot/teams for what there is."""

    model_config = ConfigDict(extra="forbid")

    players: Annotated[list[str], Field(min_length=1, max_length=MOST)]
    strategy: str
    captain: str | None = None

    @property
    def edited(self) -> EditedTeam:
        return EditedTeam(tuple(self.players), self.strategy, self.captain)


class MootOptions(BaseModel):
    """What kind of question it is. What is left out is as in the file that is served."""

    model_config = ConfigDict(extra="forbid")

    kind: QuestionKind | None = None
    choices: Choices | None = None
    context: ShownText | None = Field(default=None, description="What the question is about, as in a question file.")
    language: ShownText | None = Field(default=None, description="Such as 'en', 'ru' or 'de', as in a question file.")
    team: TeamForQuestion | None = Field(default=None, description="In the place of one that is served by a name.")

    def kind_among(self, usual: QuestionKind) -> QuestionKind:
        """`usual`: what the file's questions are. Without choices nobody can choose: then it is an open question."""
        if self.choices is not None:
            if self.kind not in (None, "choice"):
                words = f"moot.kind: {self.kind!r} does not go with choices; expected 'choice'"
                raise Refused(400, words, code="invalid_request", param="moot.kind")
            return "choice"
        if self.kind == "choice":
            words = f"moot.choices: a question of kind 'choice' needs them; expected 2 to {MOST_CHOICES} texts"
            raise Refused(400, words, code="invalid_request", param="moot.choices")
        return self.kind or ("open" if usual == "choice" else usual)


@dataclass(frozen=True, slots=True)
class AskedOfTeam:
    """A request as a team takes it."""

    messages: Sequence[ChatMessage]
    options: MootOptions = field(default_factory=MootOptions)
    wanted: WantedJson | None = None
    bounds: FinalBounds = field(default_factory=FinalBounds)
    not_applied: tuple[str, ...] = ()
    echoed: Mapping[str, Any] = field(default_factory=dict)
    """What stands in the reply as it came."""


def final_bounds(tokens: Iterable[int | None], stop: str | list[str] | None) -> FinalBounds:
    bounds = [most for most in tokens if most is not None]
    stops = [stop] if isinstance(stop, str) else stop or []
    if len(stops) > MOST_STOPS or not all(1 <= len(each) <= LONGEST_STOP for each in stops):
        words = f"stop: expected at most {MOST_STOPS} texts of 1 to {LONGEST_STOP:,} characters"
        raise Refused(400, words, code="invalid_request", param="stop")
    return FinalBounds(min(bounds, default=None), tuple(stops))


def refuse(given: object, param: str, words: str, *, off: Sequence[object] = (), code: str = UNSUPPORTED) -> None:
    """What cannot be done is said. Nothing is asked for by what is not given, null, or one of the values that say `off`.

    What is empty is not off: by an empty object OpenAI's clients switch a search on with all its defaults.
    """
    if given is not None and given not in off:
        raise Refused(400, f"{param}: {words}", code=code, param=param)


def refuse_all_but_words(content: str | list[ContentPart] | None, place: str) -> None:
    """Pictures, sounds and files are seen by no player: an answer that passes over them would be to another question."""
    for number, part in enumerate(content if isinstance(content, list) else ()):
        if part.type not in WORDS or part.words is None:
            param = f"{place}.{number}"
            expected = f"expected a part of type {WORDS[0]!r} with its text, found {part.type!r}"
            words = f"{param}: the team reads words alone; {expected}"
            raise Refused(400, words, code=UNSUPPORTED_VALUE, param=param)


def not_applied(extra: Mapping[str, Any] | None, *named: str) -> tuple[str, ...]:
    """The keys of a request that were read and change nothing. What is null was not sent."""
    unread = [key for key, value in (extra or {}).items() if value is not None]
    names = (name for name in (*named, *unread) if len(name) <= LONGEST_NAME and not blank(name))
    return tuple(sorted(dict.fromkeys(names)))[:MOST_NAMED]
