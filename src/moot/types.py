"""The nouns. Every arrow of the flow makes one of these; none of them is ever changed.

    dataset -> Case -> Question -> Strategy -> Verdict -> Episode -> Grader -> Score -> metric -> Estimate -> report

Code that plays receives a `Question`, which has no reference answer to leak; only graders receive a `Case`.
"""

from __future__ import annotations

import hashlib
import json
import random
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import orjson

from moot.bills import FREE as FREE
from moot.bills import UNCOUNTED
from moot.bills import BillInPart as BillInPart
from moot.bills import Price as Price
from moot.bills import Usage as Usage
from moot.rubric import Rubric
from moot.traces import Ballot, Grouped, Trace, note_in, of_kind

Outcome = Literal["answered", "undecided", "abstained", "unanswered", "refused", "failed"]
"""How an episode ended. `undecided`: the protocol did not decide and its fall-back stands as the answer. `abstained`: there
is an answer, and it is not given, since it is not sure enough."""

ABSTAINED: Outcome = "abstained"
FAILED: Outcome = "failed"
OUTCOMES: tuple[Outcome, ...] = ("answered", "undecided", "abstained", "unanswered", "refused", "failed")
WITH_ANSWER: frozenset[str] = frozenset(("answered", "undecided"))
"""Outcomes of an episode that has an answer, be it one that is only fallen back on: it is graded like any other."""

QuestionKind = Literal["open", "choice", "yes-no", "text"]
"""`open`: a short answer in any words. `text`: a long one, written as for whoever asked."""
TEXT: QuestionKind = "text"
QUESTION_KINDS: tuple[QuestionKind, ...] = get_args(QuestionKind)

REFUSALS = ("refusal", "content_filter")
"""Words for how a reply ended that say that there is none: by the model itself, or by a filter."""

UNKNOWN = "[UNKNOWN]"
"""The answer of a player who says that the question cannot be answered."""
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
MOST_CHOICES = len(LETTERS)
"""Each choice is named by a letter."""

UNRECORDED = "unrecorded"
"""How a call finished that never took place: a recording has no reply to it. It is kept, since an absent answer is data."""

NOTHING: Mapping[str, Any] = {}


def canonical_json(value: object) -> bytes:
    """One text for one value, whatever the order of keys: what every hash in moot is made from."""
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS)
    except TypeError:  # a number of more than 64 bits, or what is no JSON at all, which the slow way refuses too
        return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def dense_json(value: object) -> str:
    """A value as it is stored: as short as it can be, its keys in their own order."""
    try:
        return orjson.dumps(value).decode()
    except TypeError:  # half a surrogate pair, or a number of more than 64 bits: the slow way writes both
        return json.dumps(value, separators=(",", ":"))


def digest_of_bytes(content: bytes) -> str:
    """A short, stable name for a content: 128 bits are enough for calls counted in billions."""
    return hashlib.sha256(content).hexdigest()[:32]


def digest(value: object) -> str:
    return digest_of_bytes(canonical_json(value))


def seeded(seed: int, *role: object) -> random.Random:
    """The generator for one decision, such as ``seeded(7, question.id, "shuffle", captain)``.

    Every shuffle, tie-break and sample has a generator of its own, so the order in which replies arrive changes nothing.
    """
    return random.Random(digest([seed, *map(str, role)]))


def _plain_words(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


@dataclass(frozen=True, slots=True)
class Question:
    """What a player may see."""

    id: str
    text: str
    choices: tuple[str, ...] = ()
    context: str | None = None
    language: str = "en"
    kind: QuestionKind = "open"
    _digest: str = field(default="", init=False, compare=False, repr=False)

    @property
    def digest(self) -> str:
        """The question under its id: what all that is played and paid is kept by."""
        if not self._digest:
            content = [self.id, self.text, self.choices, self.context, self.language, self.kind]
            object.__setattr__(self, "_digest", digest(content))
        return self._digest

    @property
    def wording(self) -> str:
        """What is asked, whatever its id: two questions of one wording are the same question under two names.

        How a text is spaced or its letters are composed, the order of choices, and what it is taken for (its language and
        kind, which nobody who asks a served team says) make no other question of it.
        """
        choices = sorted(map(_plain_words, self.choices))
        return digest([_plain_words(self.text), choices, _plain_words(self.context or "")])

    @property
    def letters(self) -> str:
        """The letters that name the choices: "ABCD" for four of them, "" for an open question."""
        return LETTERS[: len(self.choices)]

    @property
    def is_closed(self) -> bool:
        """Whether one of a few given answers is right, and all others are wrong with it."""
        return self.kind in ("choice", "yes-no")

    @property
    def is_long(self) -> bool:
        """Whether a long answer is wanted: a text of its own, that no other answer need equal."""
        return self.kind == TEXT


@dataclass(frozen=True, slots=True)
class HumanRate:
    """How people did on a question: 301 of 390 teams."""

    solved: int
    asked: int

    @property
    def rate(self) -> float:
        return self.solved / self.asked


@dataclass(frozen=True, slots=True)
class Case:
    """A question and what is known about its answer. Only graders and reports see one."""

    question: Question
    answer: str | None
    accepted: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()
    comment: str | None = None
    source: str | None = None
    author: str | None = None
    human: HumanRate | None = None
    category: str | None = None
    package: str | None = None
    year: int | None = None
    difficulty: str | None = None
    lemmatize: bool = False
    free_order: bool = False
    meta: Mapping[str, Any] = field(default_factory=dict)
    known: bool = True
    """False: nobody has said yet what is right, as with questions that a served team is asked. So it is with every question
    that wants a long answer, unless there is a rubric: its reference is one good text, and no other is wrong for differing."""
    rubric: Rubric = ()
    """What a long answer gets its points for."""
    question_set: str | None = None
    """The set of questions that it is of, where a file has several. Like the cluster it is no part of what a case is."""
    cluster: str | None = None
    """What it belongs together with, such as other questions on one passage; None: with no other."""
    _digest: str = field(default="", init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.question.is_long and not self.rubric:
            object.__setattr__(self, "known", False)

    @property
    def cluster_key(self) -> str | None:
        """Its cluster among those of all sets: names of clusters are a set's own."""
        return None if self.cluster is None else f"{self.question_set or ''}/{self.cluster}"

    @property
    def digest(self) -> str:
        """The question together with all that shapes its grade."""
        if not self._digest:
            flags = [self.lemmatize, self.free_order]
            content: list[Any] = [self.question.digest, self.answer, self.accepted, self.rejected, flags]
            if not self.known:
                content.append("unknown")
            if "score" in self.meta:
                content.append(["score", self.meta["score"]])
            if self.rubric:
                content.append(["rubric", [[each.name, each.points, each.says] for each in self.rubric]])
            object.__setattr__(self, "_digest", digest(content))
        return self._digest


@dataclass(frozen=True, slots=True)
class Message:
    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Request:
    """One call to a model. `params` go over the model's own; `schema` is the JSON Schema the reply should follow."""

    messages: tuple[Message, ...]
    params: Mapping[str, Any] = field(default_factory=dict)
    schema: Mapping[str, Any] | None = None
    sample: int = 0
    attempt: int = 0
    question_id: str | None = None
    """What the call is about. Never sent to an endpoint; recorded and simulated models find their reply by it."""
    form_is_ours: bool = True
    """False: the schema was brought by somebody who asks. How a server takes it says nothing about other calls."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model said. `finish` is the provider's word: stop, length, refusal, content_filter, ..."""

    text: str
    finish: str = "stop"
    usage: Usage = UNCOUNTED
    latency_s: float = 0.0
    version: str | None = None
    """The model version that the provider reported, which may be more exact than the name asked for."""
    cost_usd: float | None = None
    thoughts: str | None = None
    logprobs: Any = None
    key: str = ""
    """The key of the stored call; set by the cache."""
    in_part: BillInPart | None = None
    """What is stated of the cost where that is not known. Whoever pays believes it; it is kept with no call."""
    timed: bool = True
    """False: a recording does not say how long it took, and `latency_s` is 0."""

    @property
    def known_latency_s(self) -> float | None:
        return self.latency_s if self.timed else None

    @property
    def refused(self) -> bool:
        return self.finish in REFUSALS

    @property
    def unrecorded(self) -> bool:
        """There is none, and no call took place: see `UNRECORDED`."""
        return self.finish == UNRECORDED

    def keyed(self, key: str) -> Reply:
        """The same reply, stored under this key."""
        spent = (self.usage, self.latency_s, self.version, self.cost_usd)
        return Reply(self.text, self.finish, *spent, self.thoughts, self.logprobs, key, self.in_part, self.timed)


@dataclass(frozen=True, slots=True)
class Answer:
    """One player's structured reply: what it settled on, or why there is nothing."""

    player: str
    text: str | None
    reasoning: str = ""
    outcome: Outcome = "answered"
    cause: str | None = None


@dataclass(frozen=True, slots=True)
class Grouping:
    """Who said the same: groups of players, and for each the last stage that it took to bring them together.

    Stages: "alone" (nobody to join), "normalised", "lemmas", "model", "embedding".
    """

    groups: tuple[tuple[str, ...], ...]
    stages: tuple[str, ...]
    fell_back: str | None = None
    """Why the grouping model's word could not be used, if it could not; the stages before it stand."""

    @property
    def players(self) -> tuple[str, ...]:
        return tuple(player for group in self.groups for player in group)

    def group_of(self, player: str | None) -> int | None:
        """The number of the group that a player is in; None for one who did not answer."""
        return next((number for number, group in enumerate(self.groups) if player in group), None)

    def trace(self, turn: int = 1) -> Grouped:
        """What an episode keeps of it."""
        return Grouped(self.groups, self.stages, self.fell_back, turn)


@dataclass(frozen=True, slots=True)
class Call:
    """One line of an episode's transcript: who was asked what, at which stage and turn, and what came back."""

    player: str
    stage: str
    turn: int
    request: Request
    reply: Reply | None = None
    error: str | None = None
    problem: str | None = None
    """Why the reply could not be used and was asked for again, if it could not."""
    model: str | None = None
    """Who was asked: `player` may be an office, or somebody who only reads. None where it is read from a store."""
    unreached: bool = False  # no reply, since the call failed on the way or at the server: asked again there may be one

    @property
    def usable(self) -> bool:
        """Whether there is a reply that was taken, as it came or repaired."""
        return self.reply is not None and self.problem in (None, "repaired")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the team says in the end, and how it got there."""

    answer: str | None
    outcome: Outcome
    reasoning: str = ""
    who: tuple[str, ...] = ()
    """Whose answer it is: the players who stand behind it."""
    answers: tuple[Answer, ...] = ()
    """What each player said: alone, where the strategy's traits say that drafts are given alone; else where it ended."""
    turns: int = 1
    absent: tuple[str, ...] = ()
    """Players who should have spoken and did not."""
    cause: str | None = None
    """Why there is no answer, in words."""
    traces: tuple[Trace, ...] = ()
    """What happened on the way, as typed records: see `moot.traces`."""

    @property
    def ballots(self) -> list[Ballot]:
        return of_kind(self.traces, Ballot)

    @property
    def note(self) -> str | None:
        """What is worth knowing of an answer that looks like any other, in words: no two agreed on it, or it is cut off."""
        return note_in(self.traces)


@dataclass(frozen=True, slots=True)
class Episode:
    """One play of one question: the verdict and every call behind it."""

    cell: str
    question: Question
    repeat: int
    verdict: Verdict
    calls: tuple[Call, ...]
    seconds: float

    @property
    def calls_made(self) -> int:
        """Without those that a recording has no reply to: nobody ever made them."""
        return sum(call.reply is None or not call.reply.unrecorded for call in self.calls)


@dataclass(frozen=True, slots=True)
class Score:
    """A grader's word on an answer. `value` is None where no grader could settle it: ungraded, not wrong."""

    value: float | None
    stage: str
    detail: str | None = None
    failure: str | None = None  # what moot says of a grader that is not ours and broke, whoever graded instead


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure that may be trusted: with its interval and the number of questions behind it."""

    value: float
    low: float | None
    high: float | None
    n: int
    clusters: int | None = None
    """How many independent clusters the questions make up, where some of them hang together."""
