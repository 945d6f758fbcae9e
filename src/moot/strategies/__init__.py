"""Strategies: how a team gets from a question to a verdict, a page each.

A strategy is a frozen dataclass whose fields are its options in the experiment file. A new one is one file and one
entry point in the group ``moot.strategies``; nothing else changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from functools import cache
from importlib.metadata import entry_points
from pkgutil import resolve_name
from typing import Any, ClassVar, Protocol, cast, runtime_checkable

from moot.errors import UsageError
from moot.models.closest import closest
from moot.team import Team
from moot.types import Question, Verdict

BUILT_IN = {
    "solo": "moot.strategies.solo:Solo",
    "vote": "moot.strategies.vote:Vote",
    "silent": "moot.strategies.silent:Silent",
    "talkative": "moot.strategies.talkative:Talkative",
    "adaptive": "moot.strategies.adaptive:Adaptive",
    "discuss": "moot.strategies.discuss:Discuss",
    "peer-review": "moot.strategies.peer_review:PeerReview",
    "debate": "moot.strategies.debate:Debate",
    "mixture": "moot.strategies.mixture:Mixture",
}


@runtime_checkable
class Strategy(Protocol):
    name: ClassVar[str]
    """As in the experiment file."""

    @property
    def templates(self) -> tuple[str, ...]:
        """The prompts it uses: their hashes are part of what an episode is. Most have always the same: a `ClassVar`."""

    def lineups(self, team: Team) -> tuple[Team, ...]:
        """The teams that play: the team itself, each player alone, or one for every captain."""

    async def play(self, question: Question, team: Team) -> Verdict:
        """One question, from start to verdict. No state is kept between questions."""


@cache
def registered() -> Mapping[str, str]:
    """Names of all strategies, ours and those that other packages bring."""
    theirs = {point.name: point.value for point in entry_points(group="moot.strategies")}
    return {**theirs, **BUILT_IN}


def strategy(name: str, options: Mapping[str, Any] | None = None) -> Strategy:
    """The strategy of this name with these options, checked."""
    place = registered().get(name)
    if place is None:
        expected = f"expected one of {', '.join(sorted(registered()))}{closest(name, registered())}"
        raise UsageError(f"strategy {name!r} is unknown; {expected}")
    kind = resolve_name(place)
    allowed = {each.name: each for each in fields(kind)}
    given = {key.replace("-", "_"): value for key, value in (options or {}).items()}
    for key in given:
        if key not in allowed:
            expected = ", ".join(sorted(allowed)) or "no options"
            raise UsageError(f"strategy {name!r} has no option {key!r}; expected {expected}{closest(key, allowed)}")
    for key, each in allowed.items():
        if key not in given and each.default is MISSING and each.default_factory is MISSING:
            raise UsageError(f"strategy {name!r} needs the option {key!r}")
    return cast(Strategy, kind(**given))


def label(played: Strategy) -> str:
    """The strategy with the options that differ from their defaults: ``adaptive(talk_from=3)``."""
    given = []
    for each in fields(played):  # type: ignore[arg-type]
        if each.name == "captain":
            continue  # stands after the @
        value = getattr(played, each.name)
        if value != each.default:
            given.append(f"{each.name}={value}")
    return f"{played.name}({', '.join(given)})" if given else played.name
