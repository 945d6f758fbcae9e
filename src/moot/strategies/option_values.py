"""The options of a strategy: the typed fields of its dataclass, checked once, strictly, whoever wrote it.

A file says `early_stop: "false"` and means no; so a text is no truth value here, "3" is no number, and 1 is not true.
What may stand in a field is what its type says (`bool`, `Literal["hidden", "shown"]`, `Annotated[int, Ge(1)]`); what
must hold between fields the strategy checks itself, in `__post_init__`. An option is always a plain value, one that
JSON has too: it is stored with what was played, and shows in its label. A field whose name ends in an underscore is the
option without it (`from_` is `from`): a word that Python keeps to itself may be an option all the same.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass, replace
from functools import cache
from inspect import get_annotations
from typing import Any, TypeVar, get_type_hints

from moot.config.type_words import allowed_words, expectation, inside, told
from moot.errors import UsageError
from moot.models.closest import closest

S = TypeVar("S")
ABSTAIN = "abstain"
"""The key beside the options of every strategy: from where on its answers are given. No option of its own is called so."""


class OptionError(UsageError):
    """An option that is unknown, missing or wrong: `option` is its name as the file has it, `problem` what is wrong with it.

    The message has the name before the problem, but where the problem tells it (`tells`).
    """

    def __init__(self, problem: str, option: str | None = None, *, tells: bool = False) -> None:
        super().__init__(problem if option is None or tells else f"{option}: {problem}")
        self.option, self.problem = option, problem


def option_name(field_name: str) -> str:
    """An option as files, labels and stores have it."""
    return field_name.removesuffix("_")


def built(kind: Any, options: Mapping[str, Any], *, named: str) -> Any:
    """The dataclass with these options, or an `OptionError` that says what was expected."""
    allowed = _options(kind, named)
    written: dict[str, str] = {}
    for key in options:
        name, expected = str(key).replace("-", "_"), ", ".join(sorted(allowed)) or "no options"
        if name not in allowed or not isinstance(key, str):
            problem = f"{named} has no option {key!r:.40}; expected {expected}{closest(str(key), allowed)}"
            raise OptionError(problem, str(key), tells=True)
        if name in written:
            raise OptionError(f"{written[name]!r} and {key!r} are one option; expected it once", key, tells=True)
        written[name] = key
    for name, option in allowed.items():
        if name not in written and _required(option):
            wanted = expectation(_hints(kind)[option.name])
            raise OptionError(f"{named} needs the option {name!r}; expected {wanted}", None)
    values = {
        allowed[name].name: option_value(kind, allowed[name].name, options[key], key) for name, key in written.items()
    }
    try:
        return kind(**values)
    except UsageError:
        raise
    except (TypeError, ValueError) as error:
        raise OptionError(str(error)) from None


def reserved_problem(kind: Any) -> str | None:
    """Why the options of a strategy's class cannot be called as they are; None: they can."""
    if is_dataclass(kind) and any(option_name(option.name) == ABSTAIN for option in fields(kind)):
        stands = "stands beside the options of every strategy, and says from where on its answers are given"
        return f"{ABSTAIN!r} {stands}; expected another name of its option"
    return None


def checked_object(strategy: S) -> S:
    """A strategy that was made in Python, its options checked like those of a file.

    It comes back as it was, or with its values in their form: where a tuple is expected a list is made one.
    """
    named = f"strategy {getattr(strategy, 'name', type(strategy).__name__)!r}"
    kind: Any = type(strategy)
    if (problem := reserved_problem(kind)) is not None:
        raise OptionError(f"{named}: {problem}", ABSTAIN, tells=True)
    options = {option.name: getattr(strategy, option.name) for option in _options(kind, named).values()}
    in_form = {name: option_value(kind, name, value) for name, value in options.items()}
    changed = {name: value for name, value in in_form.items() if not _alike(value, options[name])}
    try:
        return replace(strategy, **changed) if changed else strategy  # type: ignore[type-var]
    except UsageError:
        raise
    except (TypeError, ValueError) as error:
        raise OptionError(str(error)) from None


def _alike(value: Any, was: Any) -> bool:
    """Equal and of one kind. A mapping may have a class of its own that the strategy gave it."""
    return bool(value == was) and (type(value) is type(was) or isinstance(was, Mapping))


def _options(kind: Any, named: str) -> dict[str, Field[Any]]:
    if not is_dataclass(kind):
        raise OptionError(f"{named} is no dataclass; its fields should be its options")
    options: dict[str, Field[Any]] = {}
    for option in fields(kind):
        name = option_name(option.name)
        if option.init and name in options:
            raise OptionError(f"{named}: {options[name].name} and {option.name} are one option; expected it once")
        if option.init:
            options[name] = option
    return options


def _required(option: Field[Any]) -> bool:
    return option.default is MISSING and option.default_factory is MISSING


def option_value(kind: Any, name: str, value: Any, written: str | None = None) -> Any:
    """One option, checked against the type of its field `name` and brought into its form: a list becomes a tuple.

    `written` is its name as the file has it.
    """
    from pydantic import ValidationError

    key = option_name(name) if written is None else written
    hint = _hints(kind)[name]
    if (problem := _not_plain(value)) is not None:
        raise OptionError(f"expected {expectation(hint)}, found {problem}", key)
    try:
        # By way of JSON, which has one kind of list: strictly by Python's types a list would be no tuple.
        return _adapters(kind)[name].validate_json(json.dumps(value, default=_as_json), strict=True)
    except ValidationError as error:
        problems = error.errors(include_url=False)
        raise OptionError(_problem(problems, hint, value), key) from None


def _not_plain(value: Any) -> str | None:
    """What in a value JSON does not have, if anything. A key that is no text would quietly become one."""
    if isinstance(value, Mapping):
        if strange := [key for key in value if not isinstance(key, str)]:
            return f"the key {told(strange[0])}, which is no text"
        return next(filter(None, map(_not_plain, value.values())), None)
    if isinstance(value, list | tuple):
        return next(filter(None, map(_not_plain, value)), None)
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return f"{value:.3g}, which is beyond 64 bits"
    if value is None or isinstance(value, str | int | float):
        return None
    return told(value)


def _as_json(value: Any) -> Any:
    """What `json` does not know by itself: a mapping that is no dict."""
    return dict(value)


def _problem(problems: list[Any], hint: Any, written: Any) -> str:
    """What was expected, and where: in a mapping or a list only the item that is wrong is named."""
    refusal = next((problem for problem in problems if problem["type"] == "value_error"), None)
    if refusal is not None:
        return str(refusal["ctx"]["error"])
    # Where several forms are allowed each complains: the one that looked into what was written knows most.
    problem = max(problems, key=lambda each: len(_way_into(each["loc"], hint, written)))
    place, value = "", written
    for step in _way_into(problem["loc"], hint, written):
        hint, value = inside(hint, value, step) or (hint, value)
        place += f"{step!r}: " if isinstance(step, str) else f"item {step + 1}: "
    unlike = expectation(hint)
    if problem["type"] == "finite_number":
        unlike = f"{unlike}, and a finite one"
    return f"{place}expected {unlike}, found {told(value)}{closest(value, allowed_words(hint))}"


def _way_into(steps: Sequence[str | int], hint: Any, value: object) -> list[str | int]:
    """Of the steps to a problem those that lead into what was written; others name the form that complains."""
    way: list[str | int] = []
    for step in steps:
        if (item := inside(hint, value, step)) is not None:
            hint, value = item
            way.append(step)
    return way


@cache
def _hints(kind: Any) -> dict[str, Any]:
    """The types of the options. Of all other names in the class nothing is asked: they may be known to checkers only."""
    try:
        return get_type_hints(kind, include_extras=True)
    except NameError:
        return {option.name: _hint(kind, option.name) for option in fields(kind)}


def _hint(kind: Any, name: str) -> Any:
    owner = next(part for part in kind.__mro__ if name in get_annotations(part))
    annotation = get_annotations(owner)[name]
    alone = type(owner.__name__, (), {"__annotations__": {name: annotation}, "__module__": owner.__module__})
    try:
        return get_type_hints(alone, include_extras=True)[name]
    except NameError as error:
        problem = f"its type {annotation!r} cannot be read ({error}); expected one that its module knows"
        raise OptionError(problem, name) from None


@cache
def _adapters(kind: Any) -> dict[str, Any]:
    return {name: _adapter(name, hint) for name, hint in _hints(kind).items() if name in _names(kind)}


def _adapter(name: str, hint: Any) -> Any:
    from pydantic import ConfigDict, PydanticUserError, TypeAdapter
    from pydantic.errors import PydanticSchemaGenerationError

    try:
        return TypeAdapter(hint, config=ConfigDict(strict=True, allow_inf_nan=False))
    except PydanticSchemaGenerationError:
        raise OptionError(f"nothing that a file can say is a {expectation(hint)}", name) from None
    except PydanticUserError:
        return TypeAdapter(hint)  # a dataclass, which has settings of its own


def _names(kind: Any) -> set[str]:
    return {option.name for option in fields(kind)}


def usual(option: Field[Any]) -> Any:
    """The value of an option that is left out; `MISSING` where it must not be."""
    return option.default_factory() if option.default_factory is not MISSING else option.default


def option_json(strategy: Any) -> dict[str, dict[str, Any]]:
    """All options as they are stored: under `given` those that differ from their defaults, under `default` the rest."""
    changed: dict[str, Any] = {}
    default: dict[str, Any] = {}
    for option in fields(strategy):
        value = getattr(strategy, option.name)
        (default if value == usual(option) else changed)[option_name(option.name)] = _plain(value)
    return {"given": changed, "default": default}


def _plain(value: Any) -> Any:
    """As JSON has it."""
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    return value
