"""What an option of a strategy is for, said where it is declared: whoever measures it, or fills it in, needs no name.

    agents: Annotated[int, Ge(1), Meaning(unit="agent", along="agents", step="agent")] = 3

Those of our own strategies are read from their classes, so they hold for what is stored already. Those of somebody else's are
kept with what was played: whoever makes a report need not have the package, and an object has no name to find it by. Where
neither tells anything the options are values like any others.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from moot.errors import UsageError
from moot.plugins import OURS
from moot.strategies.option_values import option_name

Role = Literal[
    "protocol", "order", "accuracies", "accuracy-values", "proposers", "summariser", "challenge", "step-by-step"
]


@dataclass(frozen=True, slots=True)
class Meaning:
    """All of it may be left out: an option that means nothing to others is compared and told by its value."""

    role: Role | None = None
    """What others look for: how it is decided, in which order proposals are shown, with which accuracies, ..."""
    selection: Literal["team", "accuracies"] | None = None
    """The part of what `moot select --json` wrote that it may be filled from: by a file's name, or with another that is."""
    rule: bool = False
    """It is what `moot fit` wrote, and may be filled from there by a file's name."""
    compared: bool = False
    """Strategies that differ in it alone are put beside each other."""
    against: Any = None
    """The value that all others are compared with; None: the default."""
    comes_with: tuple[str, ...] = ()
    """Options that come and go with it."""
    along: Literal["agents", "rounds"] | None = None
    """A number along which scores are drawn."""
    leads: bool = False
    """Of several that go up together on one axis, the one that is drawn; the others are limits."""
    step: str | None = None
    """What one more of it is called."""
    unit: str | None = None
    """``5 agents``: what a number counts."""
    words: str | None = None
    """How a value is told, with ``{}`` for it; None: by the option's name."""
    detail: bool = False
    """It comes with another option and says nothing by itself."""
    unset: Any = None
    """What it stands for where it is left to the strategy."""

    def __post_init__(self) -> None:
        """What does not fit would be kept, and left out by whoever reads it."""
        for name, fits in _FITS.items():
            default = type(self).__dataclass_fields__[name].default
            if (value := getattr(self, name)) != default and not fits(value):
                raise ValueError(f"Meaning: {name}: expected {_EXPECTED.get(name, 'a text')}, found {value!r:.40}")

    def told(self, name: str, value: Any) -> str:
        """``5 agents``, ``relay``, ``budget 9``: the value alone where it says what it is."""
        if self.unit is not None:
            return f"{value} {self.unit}{'s' * (value != 1)}"
        if self.words is not None:
            return self.words.replace("{}", str(value))  # it may stand in somebody else's store
        return f"{name.replace('_', ' ')} {in_words(value)}"

    def json(self) -> dict[str, Any]:
        """What differs from an option that means nothing to others."""
        return {name: value for name in _FITS if (value := getattr(self, name)) != getattr(NOTHING, name)}

    @classmethod
    def of_json(cls, kept: Mapping[str, Any]) -> Meaning:
        """Read back, also from a newer or older version: what is not known is left out."""
        known = {name: value for name, value in kept.items() if name in _FITS and _FITS[name](value)}
        return cls(**{**known, **({"comes_with": tuple(known["comes_with"])} if "comes_with" in known else {})})


def _one_of(*words: Any) -> Callable[[Any], bool]:
    return lambda value: any(value == word and type(value) is type(word) for word in words)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_plain(value: Any) -> bool:
    """Whether it can be kept, and read back as it was."""
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return False
    return True


_FITS: Mapping[str, Callable[[Any], bool]] = {
    "role": _one_of(*get_args(Role)),
    "selection": _one_of("team", "accuracies"),
    "rule": _one_of(True, False),
    "compared": _one_of(True, False),
    "against": _is_plain,
    "comes_with": lambda value: isinstance(value, list | tuple) and all(map(_is_text, value)),
    "along": _one_of("agents", "rounds"),
    "leads": _one_of(True, False),
    "step": _is_text,
    "unit": _is_text,
    "words": _is_text,
    "detail": _one_of(True, False),
    "unset": _is_plain,
}
"""By field: what may stand in it."""
_EXPECTED: Mapping[str, str] = {
    "role": f"one of {', '.join(get_args(Role))}",
    "selection": "'team' or 'accuracies'",
    "along": "'agents' or 'rounds'",
    "comes_with": "names of options",
    **dict.fromkeys(("rule", "compared", "leads", "detail"), "True or False"),
    **dict.fromkeys(("against", "unset"), "a value as JSON has it"),
}
NOTHING = Meaning()


def in_words(value: Any) -> str:
    """A value as people read it."""
    return str(tuple(value)) if isinstance(value, list) else str(value)


@cache
def meanings_of(kind: Any) -> Mapping[str, Meaning]:
    """By option, in the order in which the strategy lists them."""
    if not is_dataclass(kind):
        return {}
    try:
        hints = get_type_hints(kind, include_extras=True)
    except NameError:  # a type that only checkers know
        return dict.fromkeys((option_name(option.name) for option in fields(kind)), NOTHING)
    return {option_name(option.name): _meaning(hints[option.name]) for option in fields(kind)}


def _meaning(hint: Any) -> Meaning:
    if get_origin(hint) is not Annotated:
        return next((found for part in get_args(hint) if (found := _meaning(part)) is not NOTHING), NOTHING)
    return next((note for note in get_args(hint)[1:] if isinstance(note, Meaning)), NOTHING)


def meanings_json(kind: Any) -> dict[str, Any]:
    """What a cell keeps of them, in their order, where any says something. Ours are wherever moot is."""
    meanings = meanings_of(kind)
    if kind.__module__.partition(".")[0] == OURS or all(meaning == NOTHING for meaning in meanings.values()):
        return {}
    return {name: meaning.json() for name, meaning in meanings.items()}


def meanings_kept(stored: object) -> dict[str, Meaning]:
    """As a cell keeps them. What is not as moot writes it is left out, as of all traits."""
    if not isinstance(stored, Mapping):
        return {}
    return {name: Meaning.of_json(kept) for name, kept in stored.items() if isinstance(kept, Mapping)}


def meanings_named(strategy: str) -> Mapping[str, Meaning]:
    """Of the strategy of this name; of one that is not installed nothing is known."""
    from moot.strategies import strategy_class

    try:
        kind: Any = strategy_class(strategy)
    except UsageError:
        return {}
    return meanings_of(kind)
