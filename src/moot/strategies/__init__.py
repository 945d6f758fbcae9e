"""Strategies: how a team gets from a question to a verdict, a page each.

A strategy is a frozen dataclass whose fields are its options in the experiment file. It says what it is (`Traits`), and
leaves typed records of what happened (`moot.traces`). A new one is one file, or a folder where it has prompts of its
own, and one entry point in the group ``moot.strategies``; or an object given from Python. Nothing else changes.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

from moot.errors import UsageError
from moot.models.closest import closest
from moot.plugins import PluginKind, name_problem
from moot.prompts import Own, Prompts
from moot.strategies.captaincy import Captained
from moot.strategies.option_values import built, option_name, reserved_problem, usual
from moot.strategies.protocol import Strategy as Strategy
from moot.strategies.traits import CallBound as CallBound
from moot.strategies.traits import Traits as Traits
from moot.strategies.traits import traits_of as traits_of

BUILT_IN = {
    "solo": "moot.strategies.solo:Solo",
    "vote": "moot.strategies.vote:Vote",
    "silent": "moot.strategies.silent:Silent",
    "talkative": "moot.strategies.talkative:Talkative",
    "adaptive": "moot.strategies.adaptive:Adaptive",
    "discuss": "moot.strategies.discuss.discuss:Discuss",
    "peer-review": "moot.strategies.peer_review.peer_review:PeerReview",
    "debate": "moot.strategies.debate.debate:Debate",
    "mixture": "moot.strategies.mixture.mixture:Mixture",
    "council": "moot.strategies.council.council:Council",
    "weighted": "moot.decide.weighted:WeightedVote",
    "learnt": "moot.decide.learnt:LearntVote",
    "leader": "moot.decide.leader:LedVote",
    "cascade": "moot.decide.cascade:Cascade",
}
STRATEGIES = PluginKind("strategy", "moot.strategies", BUILT_IN)


def registered() -> Mapping[str, str]:
    """Names of all strategies, ours and those that other packages bring, with their places."""
    return STRATEGIES.places()


def strategy(name: str, options: Mapping[str, Any] | None = None) -> Strategy:
    """The strategy of this name with these options, checked."""
    return cast(Strategy, built(strategy_class(name), options or {}, named=f"strategy {name!r}"))


def strategy_class(name: str) -> type[Any]:
    if STRATEGIES.place(name) is None:
        expected = f"expected one of {', '.join(sorted(registered()))}{closest(name, registered())}"
        raise UsageError(f"strategy {name!r} is unknown; {expected}")
    kind = STRATEGIES.load(name)
    if name not in BUILT_IN and (problem := _brought_problem(name, kind)) is not None:
        raise UsageError(f"{STRATEGIES.named(name)}: {problem}")
    return cast(type[Any], kind)


def _brought_problem(name: str, kind: object) -> str | None:
    """Of what an entry point names. Results are kept under the name of the class, so both have to be one name."""
    if not isinstance(kind, type) or not is_dataclass(kind):
        return f"expected a dataclass, found {kind!r:.80}"
    own = getattr(kind, "name", None)
    problem = name_problem(name) or name_problem(own)
    if problem is None and own != name:
        return f"name: its class calls itself {own!r}, and results are kept under that; expected one name in both"
    return problem or reserved_problem(kind)


def with_options(played: Strategy, options: Mapping[str, Any]) -> Strategy:
    """The same strategy with other options, where it has options of these names."""
    values = {option.name: getattr(played, option.name) for option in fields(played) if option.init}  # type: ignore[arg-type]
    changed = {name: options[option_name(name)] for name in values if option_name(name) in options}
    return type(played)(**{**values, **changed})


def served(played: Strategy) -> Strategy:
    """What a strategy becomes when somebody waits for its answer."""
    return with_options(played, traits_of(played).served)


def label(played: Strategy) -> str:
    """The strategy with the options that differ from their defaults: ``adaptive(talk_from=3)``. For people to read.

    What differs has another label, and a report reads options where they are stored and never from here.
    """
    options = []
    for option in fields(played):  # type: ignore[arg-type]
        if option.name == "captain" and isinstance(played, Captained):
            continue  # stands after the @
        value = getattr(played, option.name)
        if value != usual(option):
            options.append(f"{option_name(option.name)}={value_told(value)}")
    return f"{played.name}({', '.join(options)})" if options else played.name


_SIGNS = frozenset(",=()[]{}'\"\\\n\r")
_OTHER_VALUES = frozenset(("", "True", "False", "None"))
LARGEST_WHOLE = 1e15
"""Up to here a number without a fraction is told without a point, as a file has it."""


def value_told(value: Any) -> str:
    """A text that could be mistaken for another option, or for a value that is none, is quoted."""
    if isinstance(value, str):
        mistaken = value in _OTHER_VALUES or value != value.strip() or _is_number(value) or _SIGNS & set(value)
        return json.dumps(value, ensure_ascii=False) if mistaken else value
    if isinstance(value, float) and value.is_integer() and abs(value) < LARGEST_WHOLE:
        return str(int(value))
    return str(dict(sorted(value.items()))) if type(value) is dict else str(value)


def list_told(values: Iterable[Any]) -> str:
    """``ann+bob``: as people write it, and as whoever names a strategy may."""
    return "+".join(
        json.dumps(value, ensure_ascii=False) if isinstance(value, str) and "+" in value else value_told(value)
        for value in values
    )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def with_inside(played: Strategy) -> Iterator[Strategy]:
    """A strategy, and all that it declares to play inside (`Traits.plays`)."""
    yield played
    for inside in traits_of(played).plays:
        yield from with_inside(inside)


def prompts_brought(played: object) -> Own:
    """A strategy's own templates: its attribute ``prompts``, or else the folder of that name beside its module."""
    brought = getattr(type(played), "prompts", None)
    if isinstance(brought, Mapping):
        return _checked_templates(brought)
    if isinstance(brought, Path):
        return brought
    if isinstance(brought, str | list | tuple | set) and "prompts" not in _option_names(played):
        raise UsageError(f"the strategy's own prompts: expected {_TEMPLATES}, or a Path, found {brought!r:.40}")
    file = getattr(sys.modules.get(type(played).__module__), "__file__", None)
    return Path(file).parent / "prompts" if file else {}


_TEMPLATES = "a mapping from names to texts"


def _checked_templates(brought: Mapping[str, str]) -> Mapping[str, str]:
    """What is no text would be written as one, and asked with."""
    for name, text in brought.items():
        if not (isinstance(name, str) and isinstance(text, str)):
            found = f"{text!r:.40} as {name!r:.40}"
            raise UsageError(f"the strategy's own prompts: expected {_TEMPLATES}, found {found}")
    return brought


def _option_names(played: object) -> set[str]:
    return {option.name for option in fields(played)} if is_dataclass(played) else set()


def prompts_for(played: Strategy, prompts: Prompts) -> Prompts:
    """The prompts as this strategy sees them: with its own beside ours, and those of what it plays inside."""
    for each in with_inside(played):
        prompts = prompts.bringing(prompts_brought(each))
    return prompts


def prompt_folders() -> list[Path]:
    """Where the templates of all registered strategies are, without loading any of them."""
    modules = dict.fromkeys(place.partition(":")[0] for place in registered().values())
    folders = []
    for module in modules:
        try:
            spec = find_spec(module)
        except ImportError:
            continue  # said when it is named in a file
        if spec is not None and spec.origin is not None:
            folders.append(Path(spec.origin).parent / "prompts")
    return [folder for folder in dict.fromkeys(folders) if folder.is_dir()]


@cache
def baseline() -> str:
    """What to put into a file so that every player answers alone: the first of ours that says so of itself."""
    return next(name for name in BUILT_IN if traits_of(strategy(name)).alone)
