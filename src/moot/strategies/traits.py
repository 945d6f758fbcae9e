"""Traits: what a strategy says of itself, so that whoever staffs, plays, prices, serves or measures it need not guess.

Everything outside of a strategy goes by these, never by its name. A strategy without traits is played with the most
cautious ones, which claim nothing, and that is said before the run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field, fields
from typing import Any, Literal, get_args

from moot.errors import MootError, UsageError
from moot.plugins import in_one_line
from moot.strategies.natives import Drafts
from moot.strategies.protocol import Strategy

Captain = Literal["leads", "breaks-ties"]
Word = Literal["player", "captain", "office", "group", "unknown"]
Hears = Literal["nothing", "answers", "reasons", "rounds", "talk", "unknown"]
Asked = Literal["nobody", "captain", "everybody"]
DecidesBy = Literal["voting", "consensus", "judge"]

PLAYER = "player"
"""The office of whoever is asked as a member of the team, and as nothing more."""
GROUPING = "group"
"""The template in which a team is asked which answers mean the same."""
DEEPEST = 20
"""Strategies that are played within each other."""
_DEPTH: ContextVar[int] = ContextVar("depth", default=0)


@dataclass(frozen=True, slots=True)
class CallBound:
    """The most usable replies that one question takes. Attempts, grouping and extraction are counted apart."""

    per_player: int = 0
    fixed: int = 0

    def __post_init__(self) -> None:
        for name in ("per_player", "fixed"):
            if type(value := getattr(self, name)) is not int or value < 0:
                raise ValueError(f"calls: {name}: expected 0 or more, found {value!r}")

    def at_most(self, players: int) -> int:
        return self.per_player * players + self.fixed


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """What a strategy with its options is. Each default claims nothing."""

    prompts: tuple[str, ...] = ()
    """The templates it uses: their hashes are part of what an episode is. That of `groups` is added by itself."""
    drafts: Drafts | None = None
    """Every player first answers alone, and in this way: `single-call`, `double-call`. The verdict's `answers` are these
    drafts. None: they are no answers given alone, or nobody promises that they are."""
    alone: bool = False
    """One player and no team: the baseline that teams are measured against."""
    captain: Captain | None = None
    """What a line-up's captain does, if it has one: gives the team's word, or only breaks ties."""
    word: Word = "unknown"
    """Whose words the answer is in: the one player's, the captain's, an officer's, or a group's."""
    hears: Hears = "unknown"
    """What those who decide have read of the others before they do."""
    names: Literal["hidden", "shown"] | None = None
    """How players are quoted to each other: without their names, which are then masked, or with them."""
    groups: bool = False
    """Asks the team which answers mean the same."""
    asks: Asked = "everybody"
    """Who is asked anything beyond a draft: what cannot be asked of a recording."""
    offices: Mapping[str, str] = field(default_factory=dict)
    """Models that are asked but do not play: by the name of the office, the model that the file names for it."""
    facts: str | None = None
    """A folder of texts, or a retriever, that the team is given."""
    decides_by: DecidesBy | None = None
    """The family of its decision, where there are several: voting, consensus, judge."""
    weighs: bool = False
    """A rule over the drafts says which group's word stands, or whether any does: it is no plain vote, nor a plain talk."""
    repeats: int = 1
    """How often it decides from the same drafts, each time in an episode of its own."""
    served: Mapping[str, Any] = field(default_factory=dict)
    """Options that it takes when a team is served, where somebody waits for the answer."""
    calls: CallBound | None = None
    """None: nobody knows."""
    long_answers: tuple[str, ...] = ()
    """The templates with which it is played on questions that want a long answer, which no other need equal; none: it cannot
    be. One that `groups` is played on them only where the file says who can tell which long answers mean the same."""
    learns: bool = False
    """Decides from graded drafts of other questions (`Team.lessons`): the run asks for these first, whatever else is in
    the file, and a question is decided again when they have changed. Needs `drafts`."""
    fewest_lessons: int = 1
    """With graded drafts of fewer other questions it learns nothing: questions that are too few are refused beforehand."""
    plays: tuple[Strategy, ...] = ()
    """Strategies that it plays inside, such as in the end. Their prompts, offices, facts, groups, lessons and warnings are added
    to its own by themselves; all else it claims for the whole play, its bound of calls too."""
    warnings: tuple[str, ...] = ()
    """What is worth knowing before the first call, although nothing is wrong."""

    def __post_init__(self) -> None:
        for name in _NAMES:
            if (expected := _expected(name, getattr(self, name))) is not None:
                raise ValueError(f"traits: {name}: expected {expected}, found {getattr(self, name)!r:.80}")
        if self.plays:
            self._take_in_all()
        if self.groups and GROUPING not in self.prompts:
            object.__setattr__(self, "prompts", (*self.prompts, GROUPING))

    def _take_in_all(self) -> None:
        """Each of them declares its own, which may play others again."""
        depth = _DEPTH.get()
        if depth >= DEEPEST:
            endless = "does it play itself, or others that play it, without end?"
            raise ValueError(f"traits: plays: more than {DEEPEST} strategies deep: {endless}")
        reset = _DEPTH.set(depth + 1)
        try:
            for inside in self.plays:
                self._take_in(inside.name, traits_of(inside))
        finally:
            _DEPTH.reset(reset)

    def _take_in(self, name: str, inside: Traits) -> None:
        """Whoever staffs, teaches and identifies a play must know all that is asked within it."""
        for office, model in inside.offices.items():
            if self.offices.get(office, model) != model:
                problem = (
                    f"{self.offices[office]!r} is {office}, and in {name}, which it plays, {model!r}; expected one"
                )
                raise ValueError(f"traits: offices: {problem}")
        if None not in (self.facts, inside.facts) and self.facts != inside.facts:
            raise ValueError(
                f"traits: facts: {self.facts!r}, and in {name}, which it plays, {inside.facts!r}; expected one"
            )
        added = {
            "prompts": tuple(dict.fromkeys((*self.prompts, *inside.prompts))),
            "offices": {**self.offices, **inside.offices},
            "facts": inside.facts if self.facts is None else self.facts,
            "groups": self.groups or inside.groups,
            "learns": self.learns or inside.learns,
            "fewest_lessons": max(self.fewest_lessons, inside.fewest_lessons),
            "warnings": tuple(dict.fromkeys((*self.warnings, *inside.warnings))),
        }
        for trait, value in added.items():
            object.__setattr__(self, trait, value)

    def drafts_repeat(self, repeat: int) -> int:
        """The repeat whose drafts an episode rests on, where each set of drafts is decided from several times."""
        return repeat // self.repeats

    def json(self) -> dict[str, Any]:
        """What a cell keeps of them: all that a report goes by, and that differs from the default."""
        return {name: value for name in _KEPT if (value := getattr(self, name)) != getattr(CAUTIOUS, name)}

    @classmethod
    def of_json(cls, kept: Mapping[str, Any]) -> Traits:
        """Read back, also from a newer or older version: what is not known is left out."""
        return cls(**{name: value for name, value in kept.items() if name in _NAMES and _expected(name, value) is None})


_ALLOWED: Mapping[str, tuple[Any, ...]] = {
    "captain": (None, *get_args(Captain)),
    "word": get_args(Word),
    "hears": get_args(Hears),
    "names": (None, "hidden", "shown"),
    "asks": get_args(Asked),
    "drafts": (None, *get_args(Drafts)),
    "decides_by": (None, *get_args(DecidesBy)),
    "alone": (True, False),
    "groups": (True, False),
    "learns": (True, False),
    "weighs": (True, False),
}


def _texts(value: object) -> bool:
    return isinstance(value, tuple) and all(isinstance(text, str) for text in value)


def _texts_by_name(value: object) -> bool:
    return isinstance(value, Mapping) and all(isinstance(text, str) for item in value.items() for text in item)


def _strategies(value: object) -> bool:
    return isinstance(value, tuple) and all(isinstance(each, Strategy) and not isinstance(each, type) for each in value)


# By hand, and not by the validator of options: traits are made wherever a strategy is imported, long before anything
# is read from a file.
_FORMS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "prompts": (_texts, "a tuple of names, such as ('draft',)"),
    "long_answers": (_texts, "a tuple of names, such as ('draft-text',)"),
    "warnings": (_texts, "a tuple of sentences"),
    "plays": (_strategies, "a tuple of strategies, such as (Vote(),)"),
    "offices": (_texts_by_name, "a mapping from the names of offices to those of models"),
    "served": (lambda value: isinstance(value, Mapping) and all(isinstance(key, str) for key in value), "a mapping"),
    "facts": (lambda value: value is None or isinstance(value, str), "a text or None"),
    "fewest_lessons": (lambda value: type(value) is int and value >= 1, "1 or more"),
    "repeats": (lambda value: type(value) is int and value >= 1, "1 or more"),
    "calls": (lambda value: value is None or isinstance(value, CallBound), "a CallBound or None"),
}


def _expected(name: str, value: object) -> str | None:
    """What a trait should be, where it is not; None where it is as it should."""
    if name in _FORMS:
        fits, expected = _FORMS[name]
        return None if fits(value) else expected
    allowed = _ALLOWED[name]
    # 1 is equal to True and is no truth value.
    fitting = any(value == word and type(value) is type(word) for word in allowed)
    return None if fitting else f"one of {', '.join(map(str, allowed))}"


_NAMES = tuple(trait.name for trait in fields(Traits))

_KEPT = (
    *("drafts", "alone", "captain", "word", "hears", "names", "groups", "asks", "offices"),
    *("decides_by", "weighs", "repeats", "learns"),
)

CAUTIOUS = Traits(
    prompts=("draft", GROUPING),  # what a team asks by itself for whoever wants drafts or groups
    warnings=("it declares no traits, so its answers are measured, and its drafts, captain and orders are not",),
)
"""Of a strategy that says nothing of itself."""


def traits_of(strategy: object) -> Traits:
    """What it declares; where it declares nothing, the cautious ones. What is declared in another form is a mistake."""
    declared = _declared(strategy)
    if declared is None:
        return CAUTIOUS
    if not isinstance(declared, Traits):
        hint = "; is a @property missing?" if callable(declared) else ""
        raise UsageError(f"{type(strategy).__name__}.traits: expected Traits(...), found {declared!r:.60}{hint}")
    return declared


def _declared(strategy: object) -> object:
    """A property that fails is a mistake, and not a strategy that says nothing of itself."""
    try:
        return strategy.traits  # type: ignore[attr-defined]
    except MootError:
        raise
    except Exception as error:
        if isinstance(error, AttributeError) and not hasattr(type(strategy), "traits"):
            return None
        words = str(error) if str(error).startswith("traits: ") else f"traits: {in_one_line(error)}"
        raise UsageError(f"strategy {getattr(strategy, 'name', strategy)!r}: {words}") from error
