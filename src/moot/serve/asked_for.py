"""What a request asks for, in whichever form it came: the words, the kind of question, the shape and length of the reply.

A team is served as it was measured. What a request asks for beyond that is either refused, where the reply would not be what
was asked for, or named in the reply as not applied.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from moot.config.type_words import told
from moot.live.asked_question import choice_twice
from moot.live.edited_team import MOST, EditedTeam
from moot.models.border import blank, text_problem
from moot.openai_form.refusal import Refused
from moot.openai_form.requests import BoundedList, ChatMessage, ContentPart, Flag, KnownKeys, WantedJson
from moot.serve.final_bounds import FinalBounds
from moot.serve.tools import FREE, UNSUPPORTED, UNSUPPORTED_VALUE, Choice, ToolFunction
from moot.types import MOST_CHOICES, QuestionKind

MOST_STOPS = 16
LONGEST_STOP = 1_000
WORDS = ("text", "input_text", "output_text", "refusal")
"""Kinds of content that a team reads."""
MOST_NAMED = 50
"""Keys that are named as not applied: a request may hold any number of them."""
LONGEST_NAME = 64
LONGEST_S = 3600

DeadlineSeconds = Annotated[float, Field(gt=0, le=LONGEST_S, strict=True)]
TokenBound = Annotated[int, Field(ge=1, strict=True)]


def _shown(text: str) -> str:
    if problem := text_problem(text):
        raise ValueError(problem)
    return text


def _each_once(texts: list[str]) -> list[str]:
    if (twice := choice_twice(texts)) is not None:
        raise ValueError(f"expected each choice once, found {told(twice)} twice")
    return texts


ShownText = Annotated[str, AfterValidator(_shown)]  # a request is bounded as a whole
Choices = Annotated[BoundedList[ShownText], Field(min_length=2, max_length=MOST_CHOICES), AfterValidator(_each_once)]


class TeamForQuestion(KnownKeys):
    """A team of the file's models that is put together for this question: see /v1/moot/teams for what there is."""

    players: Annotated[BoundedList[str], Field(min_length=1, max_length=MOST)]
    strategy: str
    captain: str | None = None

    @property
    def edited(self) -> EditedTeam:
        return EditedTeam(tuple(self.players), self.strategy, self.captain)


class MootOptions(KnownKeys):
    """What kind of question it is. What is left out is as in the file that is served."""

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


@dataclass(frozen=True, slots=True)
class CannotBeDone:
    """A key by which something is asked for that no team does: why, with what is expected, and by which values it is off.

    What is not given, or null, asks for nothing. What is empty is not off: by an empty object OpenAI's clients switch a search
    on with all its defaults.
    """

    words: str
    off: Sequence[object] = ()
    code: str = UNSUPPORTED
    vacuous: frozenset[str] = frozenset()
    """In a list: parts of what no reply of a team has. Clients ask for them by habit, and nothing is missing without them."""

    def asked_by(self, value: object) -> bool:
        if isinstance(value, list) and value:
            value = [part for part in value if not (isinstance(part, str) and part in self.vacuous)]
        return value is not None and not any(_same(value, off) for off in self.off)


def _same(value: object, other: object) -> bool:
    """As JSON means it, where true is no 1."""
    return value == other and isinstance(value, bool) == isinstance(other, bool)


def _inside(sent: object, key: str) -> object:
    """What stands under a key, or under a key of what stands under one; None: nothing."""
    for name in key.split("."):
        sent = sent.get(name) if isinstance(sent, Mapping) else None
    return sent


_ONLY_WORDS = "the team answers in words; expected"
_WHOLE = "nothing of an earlier reply can be looked up; expected all that was said in this request"
_NO_LOGPROBS = "a team's answer has none; expected"

PARTS_OF_WHAT_IS_NOT_THERE = frozenset(
    {
        "reasoning.encrypted_content",
        "web_search_call.results",
        "web_search_call.action.sources",
        "file_search_call.results",
        "code_interpreter_call.outputs",
        "computer_call_output.output.image_url",
    }
)
"""What OpenAI's `include` may name of thoughts and of tools that a provider runs: a team's reply holds a message alone."""

CANNOT_BE_DONE: Mapping[str, CannotBeDone] = MappingProxyType(
    {
        "n": CannotBeDone("the team gives one answer; expected 1", (1,), UNSUPPORTED_VALUE),
        "logprobs": CannotBeDone(f"{_NO_LOGPROBS} false", (False,)),
        "top_logprobs": CannotBeDone(f"{_NO_LOGPROBS} 0", (0,)),
        "include": CannotBeDone(
            "a team's answer has nothing of that; expected []", ([],), UNSUPPORTED_VALUE, PARTS_OF_WHAT_IS_NOT_THERE
        ),
        "audio": CannotBeDone(f"{_ONLY_WORDS} it left out"),
        "modalities": CannotBeDone(f"{_ONLY_WORDS} ['text']", (["text"],), UNSUPPORTED_VALUE),
        "web_search_options": CannotBeDone("the team does not search; expected it left out"),
        "function_call": CannotBeDone(
            "a function is forced by tool_choice, as one of tools; expected 'auto', 'none' or it left out", FREE
        ),
        "previous_response_id": CannotBeDone(_WHOLE),
        "conversation": CannotBeDone(_WHOLE),
        "prompt": CannotBeDone("no prompts are kept here; expected all that is asked in this request"),
        "background": CannotBeDone("a reply comes with its request, or as a stream; expected false", (False,)),
    }
)
"""At every door, also at those whose form has no such key: who sends it there means something by it."""

PLAIN_FORM = ({"type": "text"},)
"""By which no form is asked for."""


class TeamStreamOptions(BaseModel):
    model_config = ConfigDict(extra="allow")

    include_team: Flag | None = Field(default=None, description="Also send what happens at the table, as it happens.")


class TeamRequest(BaseModel):
    """What a request may say at whichever door it comes. What shapes the reply is read. How players are sampled is their own:
    what a client says of it is named as not applied."""

    model_config = ConfigDict(extra="allow")

    model: Annotated[str, Field(min_length=1)] | None = Field(
        default=None, description="A team: see /v1/models. Left out: the one in front."
    )
    stream: Flag | None = False
    stream_options: TeamStreamOptions | None = None
    time_limit_s: DeadlineSeconds | None = Field(
        default=None, description="After this many seconds the team answers with what it has."
    )
    moot: MootOptions | None = None
    max_tokens: TokenBound | None = Field(default=None, description="Of the final text.")
    max_completion_tokens: TokenBound | None = Field(default=None, description="Of the final text.")
    max_output_tokens: TokenBound | None = Field(default=None, description="Of the final text.")
    stop: str | BoundedList[str] | None = Field(
        default=None, description="The final text ends before the first of these, unless it is JSON that was asked for."
    )
    tool_choice: Choice | None = None
    parallel_tool_calls: Flag | None = None
    functions: BoundedList[ToolFunction] | None = Field(
        default=None, description="An older form of tools: none is called."
    )

    said_elsewhere: ClassVar[Mapping[str, CannotBeDone]] = {}
    """Keys of another door that say what is asked or in which form, by which key that is said at this one."""

    def refuse_what_cannot_be_done(self) -> None:
        for key, undone in {**CANNOT_BE_DONE, **self.said_elsewhere}.items():
            if undone.asked_by(_inside(self.model_extra, key)):
                raise Refused(400, f"{key}: {undone.words}", code=undone.code, param=key)

    @property
    def bounds(self) -> FinalBounds:
        """Of the final text, in whichever words they came."""
        given = (self.max_tokens, self.max_completion_tokens, self.max_output_tokens)
        stops = [self.stop] if isinstance(self.stop, str) else self.stop or []
        if len(stops) > MOST_STOPS or not all(1 <= len(each) <= LONGEST_STOP for each in stops):
            words = f"stop: expected at most {MOST_STOPS} texts of 1 to {LONGEST_STOP:,} characters"
            raise Refused(400, words, code="invalid_request", param="stop")
        return FinalBounds(min((most for most in given if most is not None), default=None), tuple(stops))

    def bounds_of(self, wanted: WantedJson | None) -> FinalBounds:
        """No stop ends what is to be read as JSON: what is left would be none, and the reason to finish would say it is whole."""
        return self.bounds if wanted is None else replace(self.bounds, stops=())

    def not_applied(
        self, tool: WantedJson | None, form: WantedJson | None, passed_over: Mapping[str, bool]
    ) -> tuple[str, ...]:
        """The keys that were read and change nothing. `tool`: the one that is forced; `form`: in which the answer is wanted.
        `passed_over`: those of this door alone."""
        extra = self.model_extra or {}
        free = tool is None and self.tool_choice != "none"
        options, call = self.stream_options, extra.get("function_call")
        named = {
            **passed_over,
            "tools": passed_over["tools"] and free,
            "parallel_tool_calls": bool(self.parallel_tool_calls) and free,
            "function_call": call == "auto",
            "functions": bool(self.functions) and call != "none",
            "stop": bool(self.stop) and (tool or form) is not None,
            "stream_options": options is not None and bool(options.model_extra or not self.stream),
        }
        off = {**CANNOT_BE_DONE, **self.said_elsewhere}
        unread = [key for key, value in extra.items() if value is not None and key not in off]
        names = [*(key for key, passed in named.items() if passed), *unread]
        return tuple(sorted({name for name in names if len(name) <= LONGEST_NAME and not blank(name)}))[:MOST_NAMED]


def refuse_all_but_words(content: str | list[ContentPart] | None, place: str) -> None:
    """Pictures, sounds and files are seen by no player: an answer that passes over them would be to another question."""
    for number, part in enumerate(content if isinstance(content, list) else ()):
        if part.type not in WORDS or part.words is None:
            param = f"{place}.{number}"
            expected = f"expected a part of type {WORDS[0]!r} with its text, found {told(part.type)}"
            words = f"{param}: the team reads words alone; {expected}"
            raise Refused(400, words, code=UNSUPPORTED_VALUE, param=param)
