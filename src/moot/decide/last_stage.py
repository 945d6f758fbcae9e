"""The last stage of a cascade: another strategy, played only where it was not sure enough with everybody asked.

It decides from the drafts that are there, so it must be one that drafts as a cascade does, and that learns nothing itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from functools import lru_cache
from typing import Any

from moot.errors import UsageError
from moot.plugins import problem_with_object
from moot.strategies import STRATEGIES, Strategy, strategy_class, traits_of, value_told
from moot.strategies.captaincy import Captained
from moot.strategies.natives import SINGLE_CALL
from moot.strategies.option_values import OptionError, built, checked_object, option_json
from moot.strategies.traits import Traits

DRAFTS = "drafts"


class GivenStage(dict[str, Any]):
    """A strategy with its options, as a file has it, also in a label: {debate: {max_rounds: 2}}.

    One that was given as an object is written so too, and its class goes along: no name finds it.
    """

    kind: type[Any] | None = None

    @classmethod
    def of(cls, given: object) -> str | GivenStage:
        """A stage as a file has it, or the object itself. What is registered is the same either way."""
        if isinstance(given, cls):
            return given
        if isinstance(given, Mapping):
            return cls(given)
        problem = problem_with_object(given, "strategy", methods=("lineups", "play"))
        if problem is None and not is_dataclass(given):
            problem = f"{type(given).__name__} is no dataclass; expected one, whose fields are the strategy's options"
        if problem is not None:
            raise UsageError(f"then: {problem}")
        assert isinstance(given, Strategy), "it was looked at"
        try:
            options = option_json(checked_object(given))["given"]
        except OptionError as error:
            raise UsageError(f"then: {given.name}: {error}") from None
        if STRATEGIES.is_registered(given):
            return cls({given.name: options}) if options else given.name
        return cls._of_kind({given.name: options}, type(given))

    @classmethod
    def _of_kind(cls, written: Mapping[str, Any], kind: type[Any] | None) -> GivenStage:
        stage = cls(written)
        stage.kind = kind
        return stage

    def __str__(self) -> str:
        if self.kind is not None and not any(self.values()):
            return next(iter(self))  # as a file has it that names it alone
        return _written(self)

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(str(self))

    def __eq__(self, other: object) -> bool:
        return dict.__eq__(self, other) is True and getattr(other, "kind", self.kind) is self.kind

    def __ne__(self, other: object) -> bool:
        return not self == other


def _written(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name}: {_written(each)}" for name, each in sorted(value.items())) + "}"
    return value_told(value)


@lru_cache(maxsize=64)
def stage_of(then: str | Mapping[str, Any], captain: str | None) -> Strategy:
    """The strategy that is meant, or why it cannot be the last stage."""
    name, options = (then, None) if isinstance(then, str) else _entry(then)
    if not isinstance(options, Mapping | None):
        raise UsageError(f"then: {name}: expected options, found {options!r:.40}")
    given = dict(options or {})
    if "captain" in given:
        raise UsageError("then: captain stands beside then, and holds for it too")
    try:
        kind = getattr(then, "kind", None) or strategy_class(name)
        if DRAFTS in (option.name for option in fields(kind)):
            given.setdefault(DRAFTS, SINGLE_CALL)
        if captain is not None and issubclass(kind, Captained):
            given["captain"] = captain
        played: Strategy = built(kind, given, named=f"strategy {name!r}")
    except UsageError as error:
        raise UsageError(f"then: {error}") from None
    if (problem := _problem(traits_of(played))) is not None:
        raise UsageError(f"then: {name} {problem}")
    return played


def _entry(then: Mapping[str, Any]) -> tuple[str, Any]:
    if len(then) != 1:
        raise UsageError(f"then: expected one strategy, found {', '.join(map(str, then)) or 'none'}")
    return next(iter(then.items()))


def _problem(traits: Traits) -> str | None:
    if traits.learns:
        return "learns itself; expected a strategy that decides what the probability leaves open, such as talkative"
    if traits.alone:
        return "is a player alone; expected a strategy of a team, such as talkative"
    if traits.drafts != SINGLE_CALL:
        return (
            "does not decide from the drafts of a cascade, given in one call; expected one that does, such as talkative"
        )
    if traits.repeats > 1:
        return "decides several times from the same drafts; expected once"
    return None


def traits_ending_with(traits: Traits, last: Strategy, then: str | Mapping[str, Any]) -> Traits:
    """Of a cascade that ends with this stage: all that the stage may do, it may. But its first stages compare short answers,
    whatever the last can be played on."""
    end = traits_of(last)
    return replace(
        end,
        prompts=tuple(dict.fromkeys((*traits.prompts, *end.prompts))),
        captain=end.captain or traits.captain,
        word=traits.word if end.word == traits.word else "captain" if end.word == "captain" else "unknown",
        groups=True,
        long_answers=(),
        served={"then": _served(then, end)} if end.served else {},
        learns=traits.learns,
        weighs=traits.weighs,
        fewest_lessons=traits.fewest_lessons,
        plays=(last,),
    )


def _served(then: str | Mapping[str, Any], end: Traits) -> GivenStage:
    name, options = (then, None) if isinstance(then, str) else _entry(then)
    return GivenStage._of_kind({name: {**(options or {}), **end.served}}, getattr(then, "kind", None))
