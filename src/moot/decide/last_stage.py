"""The last stage of a cascade: another strategy, played only where it was not sure enough with everybody asked.

It decides from the drafts that are there, so it must be one that drafts as a cascade does, and that learns nothing itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from functools import lru_cache
from typing import Any

from moot.errors import UsageError
from moot.strategies import Strategy, strategy, strategy_class, traits_of, value_told
from moot.strategies.captaincy import Captained
from moot.strategies.natives import SINGLE_CALL
from moot.strategies.traits import Traits

DRAFTS = "drafts"


class GivenStage(dict[str, Any]):
    """A strategy with its options, as a file has it, also in a label: {debate: {max_rounds: 2}}."""

    def __str__(self) -> str:
        return _written(self)

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(str(self))


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
        kind = strategy_class(name)
        if DRAFTS in (option.name for option in fields(kind)):
            given.setdefault(DRAFTS, SINGLE_CALL)
        if captain is not None and issubclass(kind, Captained):
            given["captain"] = captain
        played = strategy(name, given)
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
    """Of a cascade that ends with this stage: all that the stage may do, it may."""
    end = traits_of(last)
    return replace(
        end,
        prompts=tuple(dict.fromkeys((*traits.prompts, *end.prompts))),
        captain=end.captain or traits.captain,
        word=traits.word if end.word == traits.word else "captain" if end.word == "captain" else "unknown",
        groups=True,
        served={"then": _served(then, end)} if end.served else {},
        learns=traits.learns,
        weighs=traits.weighs,
        fewest_lessons=traits.fewest_lessons,
        plays=(last,),
    )


def _served(then: str | Mapping[str, Any], end: Traits) -> GivenStage:
    name, options = (then, None) if isinstance(then, str) else _entry(then)
    return GivenStage({name: {**(options or {}), **end.served}})
