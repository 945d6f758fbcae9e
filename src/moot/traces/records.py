"""The records that our own strategies leave, and those of the engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from moot.traces.kinds import Trace, of_kind, trace

BallotForm = Literal["choice", "ranking", "points", "approved"]


@trace("grouped")
@dataclass(frozen=True, slots=True)
class Grouped:
    """Who said the same, and the last stage that it took to bring each group together: see `types.Grouping`."""

    groups: tuple[tuple[str, ...], ...]
    stages: tuple[str, ...] = ()
    fell_back: str | None = None
    turn: int = 1


@trace("ballot", unwritten={"turn": 1, "redrawn": False})
@dataclass(frozen=True, slots=True)
class Ballot:
    """One voter's ballot over numbered options. `choice` None: spoilt, and `cause` says why.

    One with an order is a look, like a `Shown`; beside a `Shown` of this voter in this role and turn it is the same look.
    """

    voter: str
    choice: Mapping[int, float] | None
    form: BallotForm = "choice"
    """What it says of the options: one of them, places, points, or which are approved."""
    order: tuple[int, ...] = ()
    """The options in the order, drawn by lot, in which this voter was shown them; empty where nothing was shown so."""
    turn: int = field(kw_only=True)
    """In which it was asked."""
    role: str = "voter"
    cause: str | None = None
    redrawn: bool = True
    """The order was drawn for this ballot. Else it is the one that this voter had before: one draw made both."""


@trace("counted")
@dataclass(frozen=True, slots=True)
class Counted:
    """One count of votes: the options in words, what each got, and which won; several: a tie."""

    options: tuple[str, ...]
    points: tuple[float, ...]
    winners: tuple[int, ...]
    turn: int = 1
    solutions: Mapping[str, str | None] = field(default_factory=dict)
    """What each voter stated before the vote, where voters did."""


@trace("shown", unwritten={"turn": 2})
@dataclass(frozen=True, slots=True)
class Shown:
    """What somebody who then decides was shown, from the first to the last, and what it said.

    Each thing shown is those who stand behind it: one player for a draft, several for a position. Drafts that say the same
    share the choice.
    """

    to: str
    role: str
    """As what it was asked: captain, reviewer, summariser, debater, ..."""
    order: tuple[tuple[str, ...], ...]
    turn: int
    """In which it was asked."""
    drawn: bool = True
    """The order was drawn by lot. Else a place may say who stands there."""
    answer: str | None = None
    """What it then said in words of its own; None: nothing usable."""
    places: tuple[int, ...] | None = None
    """The places, from 0 on, of what it then said; none: it is new. None: the words alone must tell."""
    redrawn: bool = True
    """The order was drawn for this look. Else it is the one that was shown before: one draw made both."""
    distinct: bool | None = None
    """No two of what was shown say the same, whatever the drafts of those behind them say. None: in a turn that has a `Round`
    or a `Resolution`, whose positions were put together."""


@trace("round")
@dataclass(frozen=True, slots=True)
class Round:
    """One round of argument: where everybody stands after it, who moved, who was not heard."""

    turn: int
    positions: Mapping[str, str | None]
    changed: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    late: tuple[str, ...] = ()


@trace("resolution")
@dataclass(frozen=True, slots=True)
class Resolution:
    """What everybody answered alone after rounds without agreement."""

    turn: int
    answers: Mapping[str, str | None]


@trace("ending")
@dataclass(frozen=True, slots=True)
class Ending:
    """How rounds of argument ended, and whether all agreed in the end, be it only in the resolution."""

    how: str
    agreed: bool
    unknown: bool = False
    """Whether nobody knows if they had agreed, in the end or before, since a part was cut out of what some of them said."""
    how_unknown: bool = False
    """Whether nobody knows for that reason if they were stuck when the rounds ran out, though it is known if they had agreed."""


@trace("agreement")
@dataclass(frozen=True, slots=True)
class Agreement:
    """Enough of all agents stood behind one solution."""

    turn: int
    messages: int
    solution: str | None
    supporters: tuple[str, ...]


@trace("review")
@dataclass(frozen=True, slots=True)
class Review:
    """What somebody said of the answers it read, by the parts of its form."""

    by: str
    parts: Mapping[str, str]
    turn: int = 2


@trace("remark")
@dataclass(frozen=True, slots=True)
class Remark:
    """One message of a discussion: what was said, what its speaker stands behind, what it had seen, who heard it."""

    number: int
    speaker: str
    turn: int
    part: int = 0
    """Which round within the turn, where there are several."""
    text: str | None = None
    solution: str | None = None
    agree: bool | None = None
    position: int | None = None
    """The number of the message that first proposed what the speaker stands behind."""
    backs: str | None = None
    saw: tuple[int, ...] = ()
    heard_by: tuple[str, ...] = ()
    outcome: str | None = None
    cause: str | None = None


@trace("persona")
@dataclass(frozen=True, slots=True)
class Persona:
    """As whom an agent spoke."""

    player: str
    title: str
    persona: str
    origin: str


@trace("challenge")
@dataclass(frozen=True, slots=True)
class Challenge:
    """An answer put to the agents after the decision. `cause`: why there was nothing to put to them."""

    setting: str
    shown: str | None = None
    planted: str | None = None
    facts: str | None = None
    cause: str | None = None

    @property
    def claims(self) -> tuple[str, ...]:
        return (self.planted,) if self.planted is not None else ()


@trace("objection")
@dataclass(frozen=True, slots=True)
class Objection:
    """One agent's word on a challenge: whether it agrees, and its own answer if not."""

    player: str
    agree: bool | None
    answer: str | None = None
    cause: str | None = None

    @property
    def claims(self) -> tuple[str, ...]:
        return (self.answer,) if self.answer is not None else ()


@trace("extraction")
@dataclass(frozen=True, slots=True)
class Extraction:
    """An answer that models read out of a reply in free words, or could not."""

    player: str
    turn: int
    readings: Mapping[str, str | None]
    """By extraction model: what it found."""
    answer: str | None
    cause: str | None = None


@trace("not-needed")
@dataclass(frozen=True, slots=True)
class NotNeeded:
    """Players whose calls were dropped because nothing they could say would have changed the result."""

    players: tuple[str, ...]


@trace("strategy-broke")
@dataclass(frozen=True, slots=True)
class StrategyBroke:
    """The play ended in a mistake of the strategy's own, and of nobody's whom it asked."""

    strategy: str
    error: str


@trace("decided-from")
@dataclass(frozen=True, slots=True)
class DecidedFrom:
    """What a strategy that learns had learnt from when it decided: the graded drafts of so many other questions."""

    questions: int
    fingerprint: str
    """Of these drafts, their grades and their groups. Where they have changed, the question is decided again."""
    missed: int = 0
    """On how many other questions a draft, or a verdict that is learnt from, is not whole: a model could not be reached."""
    unreached: tuple[str, ...] = ()
    """Who."""


@trace("decided-by-rule")
@dataclass(frozen=True, slots=True)
class DecidedByRule:
    """By which rule one of the drafts' answers was taken, where it is not the vote's own."""

    kept: str
    """`learnt`, `weighted`, `leader`; or what stands in its place: `plurality`, `best single`."""
    rule: str
    """What it goes by, in words."""
    why: str
    """Why this rule is the one."""
    probability: float | None = None
    """That the answer taken is right, by what was learnt on other questions; None: nothing was."""
    weights: Mapping[str, float] = field(default_factory=dict)
    """What each player's voice counts, where the rule goes by that."""


@trace("cascaded")
@dataclass(frozen=True, slots=True)
class Cascaded:
    """Who was asked one after another, or in waves, how sure the answer was after each, and why nobody else was."""

    asked: tuple[tuple[str, ...], ...]
    stopped: Literal["decided", "sure", "everybody"]
    """The rest could not change it, it was as sure as was asked for, or everybody had been asked."""
    probabilities: tuple[float, ...] = ()
    """After each wave, of the answer that would have been taken then; empty where nothing tells one."""
    until: float | None = None
    """How sure it should be; None: until it is decided."""
    then: str | None = None
    """The strategy that decided in the end, where it was not sure enough with everybody asked."""
    order: str = ""
    """Why in this order, in words."""


@trace("told-probability")
@dataclass(frozen=True, slots=True)
class ToldProbability:
    """That the answer is right, as it was told with it: by what graded questions other than this one teach of the drafts."""

    probability: float | None
    why: str
    """What it was learnt from; where there is none, why not."""


@trace("abstained")
@dataclass(frozen=True, slots=True)
class Abstained:
    """The answer that was not given, since it was not sure enough, and what would have been. It is nobody's to grade."""

    answer: str
    why: str
    probability: float | None = None
    """That it is right; None: it could not be told."""
    below: float | None = None
    """From this probability on it would have been given; None: no threshold keeps what was asked for."""
    target: float | None = None
    """How many of the answers given were to be right, where that was asked for."""
    reasoning: str = ""
    who: tuple[str, ...] = ()
    """Whose answer it is."""


@trace("cut")
@dataclass(frozen=True, slots=True)
class Cut:
    """Whose words were shortened to so many characters, so that a prompt fits."""

    characters: int
    players: tuple[str, ...]


@trace("cut-off")
@dataclass(frozen=True, slots=True)
class CutOff:
    """A long answer that ended where the model's length did, and was taken as far as it goes."""

    player: str
    stage: str
    turn: int
    given: bool = False
    """Whether this is the text that was given as the team's answer."""

    @property
    def words(self) -> str:
        return f"{self.player} was cut off in the middle of it; max_tokens sets how long a reply may be"


@trace("no-two-agreed", unwritten={"texts": False})
@dataclass(frozen=True, slots=True)
class NoTwoAgreed:
    """A vote in which everybody said something else, so that the votes decided nothing."""

    taken: str
    """Whose answer stands."""
    by: Literal["captain", "lot"]
    """As that of whom the team has for captain, or drawn by lot."""
    texts: bool = False
    """Long answers, of which somebody has told which mean the same."""

    @property
    def words(self) -> str:
        stands = {"captain": "the captain's stands", "lot": "drawn by lot"}[self.by]
        return f"{'no two texts mean the same' if self.texts else 'no two agreed'}; {stands}"


@trace("hangs-on-cut")
@dataclass(frozen=True, slots=True)
class HangsOnCut:
    """A count that might have come out otherwise, had no part been cut out of the answers of these players: nobody knows
    whose answers they equal. So nobody can grade it."""

    players: tuple[str, ...]

    @property
    def words(self) -> str:
        whose = " and of ".join(self.players)
        return f"the count hangs on the answer of {whose}, of which a part equals a key and was cut out"


@trace("deadline")
@dataclass(frozen=True, slots=True)
class Deadline:
    """The time was up after so many seconds; what had been heard by then was decided on."""

    seconds: float


@trace("unpriced")
@dataclass(frozen=True, slots=True)
class Unpriced:
    """So many calls left and brought no reply at models without a price: what this play cost is not known."""

    calls: int


@trace("remarked")
@dataclass(frozen=True, slots=True)
class Remarked:
    """What is worth knowing of this play, although nothing went wrong."""

    text: str


def not_waited_for(traces: Iterable[Trace]) -> set[str]:
    """Players whose answers could change nothing any more: what they would have been is unknown."""
    return {player for record in of_kind(traces, NotNeeded) for player in record.players}
