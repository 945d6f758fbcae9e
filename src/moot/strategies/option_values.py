"""The options of a strategy: the typed fields of its dataclass, checked once, strictly, whoever wrote it.

A file says `early_stop: "false"` and means no; so a text is no truth value here, "3" is no number, and 1 is not true.
What may stand in a field is what its type says (`bool`, `Literal["hidden", "shown"]`, `Annotated[int, Ge(1)]`); what
must hold between fields the strategy checks itself, in `__post_init__`.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from typing import Any, get_type_hints

from moot.errors import UsageError
from moot.models.closest import closest


class OptionError(UsageError):
    """An option that is unknown, missing or wrong; `option` is its name as the file has it."""

    def __init__(self, message: str, option: str | None = None) -> None:
        super().__init__(message)
        self.option = option


def built(kind: type[Any], given: Mapping[str, Any], *, named: str) -> Any:
    """The dataclass with these options, or an `OptionError` that says what was expected."""
    if not is_dataclass(kind):
        raise OptionError(f"{named} is no dataclass; its fields should be its options")
    allowed = {each.name: each for each in fields(kind) if each.init}
    written = {key.replace("-", "_"): key for key in given}
    for name, key in written.items():
        if name not in allowed:
            expected = ", ".join(sorted(allowed)) or "no options"
            raise OptionError(f"{named} has no option {key!r}; expected {expected}{closest(key, allowed)}", key)
    for name, each in allowed.items():
        if name not in written and _required(each):
            raise OptionError(f"{named} needs the option {name!r}", None)
    values = {name: option_value(kind, name, given[key]) for name, key in written.items()}
    try:
        return kind(**values)
    except UsageError:
        raise
    except (TypeError, ValueError) as error:
        raise OptionError(str(error)) from None


def _required(each: Field[Any]) -> bool:
    return each.default is MISSING and each.default_factory is MISSING


def option_value(kind: type[Any], name: str, given: Any) -> Any:
    """One option, checked against the type of its field and brought into its form: a list becomes a tuple."""
    import orjson
    from pydantic import ValidationError

    try:
        written = orjson.dumps(given)
    except (TypeError, ValueError):
        raise OptionError(f"{name}: expected a plain value, found {given!r}", name) from None
    try:
        return _adapters(kind)[name].validate_json(written, strict=True)
    except ValidationError as error:
        from moot.config.mistakes import value_problem

        raise OptionError(f"{name}: {value_problem(error, given)}", name) from None


@cache
def _adapters(kind: Hashable) -> dict[str, Any]:
    from pydantic import TypeAdapter

    hints = get_type_hints(kind, include_extras=True)
    return {each.name: TypeAdapter(hints[each.name]) for each in fields(kind)}  # type: ignore[arg-type]


def option_json(strategy: Any) -> dict[str, dict[str, Any]]:
    """All options as they are stored: under `given` those that differ from their defaults, under `default` the rest."""
    given: dict[str, Any] = {}
    default: dict[str, Any] = {}
    for each in fields(strategy):
        value = getattr(strategy, each.name)
        usual = each.default_factory() if each.default_factory is not MISSING else each.default
        (default if value == usual else given)[each.name] = _plain(value)
    return {"given": given, "default": default}


def _plain(value: Any) -> Any:
    """As JSON has it."""
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    return value
