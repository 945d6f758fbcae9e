"""What tells discussions apart: their options, and the words by which a row of figures is called.

Options are values, as the cells keep them; they become words only where somebody reads them. A discussion that another
package brings may have other options than ours, or none: what it lacks is simply not compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

from moot.errors import UsageError
from moot.measures.cells import Stored
from moot.strategies import strategy_class
from moot.strategies.option_values import meant_by_none
from moot.types import canonical_json

Row = dict[str, Any]
Options = Mapping[str, Any]

PROTOCOL = "decision"
"""The option that has a column of its own."""
_UNTOLD = ("planted_by", "facts")
"""What comes with another option, and says nothing by itself."""


def is_discussion(cell: Stored) -> bool:
    """Those who decide have heard a talk."""
    return cell["traits"].hears == "talk"


def options_of(cell: Stored) -> dict[str, Any]:
    """All options by name. One that is left to the strategy is a choice too, and may have a name."""
    options = dict(cell["options"])
    return options | {name: meant for name, meant in _meant(cell["strategy"]).items() if options.get(name) is None}


def is_usual(cell: Stored, option: str) -> bool:
    """Whether an option has its default, be it written out."""
    given = cell["given"]
    return option not in given or (given[option] is not None and given[option] == _meant(cell["strategy"]).get(option))


@cache
def _meant(strategy_name: str) -> Mapping[str, Any]:
    try:
        return meant_by_none(strategy_class(strategy_name))
    except (UsageError, ImportError):
        return {}


def protocol_of(cell: Stored) -> str:
    """How it is decided; of a strategy that offers no choice, what it says of itself."""
    return str(cell["options"].get(PROTOCOL) or cell["traits"].decides_by or cell["strategy"])


def family_of(cell: Stored) -> str:
    return cell["traits"].decides_by or "other"


def varied(cells: Sequence[Stored]) -> list[str]:
    """The options that are not the same everywhere, but for the protocol."""
    values: dict[str, set[bytes]] = {name: set() for name in _in_order(cells)}
    for cell in cells:
        options = options_of(cell)
        for name, distinct in values.items():
            distinct.add(canonical_json(options.get(name)))
    return [name for name, distinct in values.items() if name != PROTOCOL and len(distinct) > 1]


def _in_order(cells: Sequence[Stored]) -> list[str]:
    """The names of all options, as their strategy lists them where it is installed."""
    names: dict[str, None] = {}
    for cell in {cell["strategy"]: cell for cell in cells}.values():
        try:
            kind = strategy_class(cell["strategy"])
        except (UsageError, ImportError):
            continue
        names |= dict.fromkeys(field.name for field in fields(kind)) if is_dataclass(kind) else {}
    for cell in cells:
        names |= dict.fromkeys(cell["options"])
    return list(names)


def apart_from(cell: Stored, *names: str) -> tuple[str, bytes]:
    """What two discussions must share to differ in nothing but these options."""
    kept = {name: value for name, value in options_of(cell).items() if name not in names}
    return cell["strategy"], canonical_json(kept)


def names_of(cells: Sequence[Stored], *told_apart: str) -> dict[str, Row]:
    """By cell, what its row is called: its protocol, and those other options that are not the same everywhere, nor
    `told_apart`."""
    varying = [name for name in varied(cells) if name not in (*_UNTOLD, *told_apart)]
    return {
        cell["id"]: {
            "protocol": protocol_of(cell),
            "with": _alone(options_of(cell)) or ", ".join(_words(cell, varying)) or None,
            "label": cell["label"],
            "team": cell["team"],
            "cohort": cell.get("cohort"),
        }
        for cell in cells
    }


def _alone(options: Options) -> str | None:
    """One agent and one turn are no discussion, but a baseline."""
    if (options.get("agents"), options.get("max_turns")) != (1, 1):
        return None
    return "alone, step by step" if options.get("step_by_step") else "alone"


def _words(cell: Stored, names: Iterable[str]) -> Iterator[str]:
    options = options_of(cell)
    return (_said(name, options[name]) for name in names if name in options and not is_usual(cell, name))


def _said(name: str, value: Any) -> str:
    """``5 agents``, ``relay``, ``critical``: the value alone where it says what it is."""
    match name:
        case "agents":
            return f"{value} agent{'s' * (value != 1)}"
        case "step_by_step":
            return "step by step"
        case "drafting" | "style" | "paradigm":
            return str(value)
        case "vote_from":
            return f"vote from {value}"
        case "max_turns":
            return f"{value} turn{'s' * (value != 1)}"
        case _:
            return f"{name.replace('_', ' ')} {in_words(value)}"


def in_words(value: Any) -> str:
    """A value as people read it."""
    return str(tuple(value)) if isinstance(value, list) else str(value)
