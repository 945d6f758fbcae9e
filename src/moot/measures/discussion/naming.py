"""What tells discussions apart: their options, and the words by which a row of figures is called.

Options are values, as the cells keep them; they become words only where somebody reads them. A discussion that another
package brings may have other options than ours, or none: what it lacks is simply not compared.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from moot.measures.cells import Stored, meanings_in, option_of
from moot.strategies.option_meanings import NOTHING, Meaning, Role
from moot.types import canonical_json

Row = dict[str, Any]


def is_discussion(cell: Stored) -> bool:
    """Those who decide have heard a talk."""
    return cell["traits"].hears == "talk"


def options_of(cell: Stored) -> dict[str, Any]:
    """All options by name. One may be left to the strategy, which is a way too and has a name."""
    meanings = meanings_in(cell)
    return {
        name: meanings.get(name, NOTHING).unset if value is None else value for name, value in cell["options"].items()
    }


def with_role(cells: Iterable[Stored], role: Role) -> tuple[str, ...]:
    """The options of these strategies that are declared to be for this."""
    every = (item for cell in cells for item in meanings_in(cell).items())
    return tuple(dict.fromkeys(name for name, meaning in every if meaning.role == role))


def meaning_of(cell: Stored, option: str) -> Meaning:
    return meanings_in(cell).get(option, NOTHING)


def is_usual(cell: Stored, option: str) -> bool:
    """Whether an option has its default."""
    unset = meaning_of(cell, option).unset
    return option not in cell["given"] or (unset is not None and cell["given"][option] == unset)


def protocol_of(cell: Stored) -> str:
    """How it is decided; of a strategy that offers no choice, what it says of itself."""
    return str(option_of(cell, "protocol") or cell["traits"].decides_by or cell["strategy"])


def deciding_options(cell: Stored) -> tuple[str, ...]:
    """The options that say how it is decided, and those that come and go with them."""
    deciding = [(name, meaning) for name, meaning in meanings_in(cell).items() if meaning.role == "protocol"]
    return tuple(dict.fromkeys(part for name, meaning in deciding for part in (name, *meaning.comes_with)))


def step_by_step(cell: Stored) -> bool:
    """Whether those who talk are told to think step by step."""
    return option_of(cell, "step-by-step") is True


def family_of(cell: Stored) -> str:
    return cell["traits"].decides_by or "other"


def varied(cells: Sequence[Stored]) -> list[str]:
    """The options that are not the same everywhere, but for the protocol."""
    values: dict[str, set[bytes]] = {name: set() for name in _in_order(cells)}
    for cell in cells:
        options = options_of(cell)
        for name, distinct in values.items():
            distinct.add(canonical_json(options.get(name)))
    protocol = with_role(cells, "protocol")
    return [name for name, distinct in values.items() if name not in protocol and len(distinct) > 1]


def _in_order(cells: Sequence[Stored]) -> list[str]:
    """The names of all options, as their strategy lists them where it is installed."""
    names: dict[str, None] = {}
    for cell in cells:
        names |= dict.fromkeys(meanings_in(cell))
    for cell in cells:
        names |= dict.fromkeys(cell["options"])
    return list(names)


def apart_from(cell: Stored, *names: str) -> tuple[str, bytes]:
    """What two discussions must share to differ in nothing but these options."""
    kept = {name: value for name, value in options_of(cell).items() if name not in names}
    return cell["strategy"], canonical_json(kept)


def names_of(cells: Sequence[Stored], *told_apart: str) -> dict[str, Row]:
    """By cell, what its row is called: its protocol, and those other options that are not the same everywhere, nor
    `told_apart`. Details are told where nothing else tells two rows apart."""
    details = [name for cell in cells for name, meaning in meanings_in(cell).items() if meaning.detail]
    varying = [name for name in varied(cells) if name not in (*details, *told_apart)]
    words = {cell["id"]: _alone(cell) or ", ".join(_words(cell, varying)) for cell in cells}
    for alike in _called_alike(cells, words, told_apart):
        differing = [name for name in varied(alike) if name not in told_apart]
        words |= {cell["id"]: _joined(words[cell["id"]], *_words(cell, differing)) for cell in alike}
    for alike in _called_alike(cells, words, told_apart):  # of two strategies that decide in the same way
        words |= {cell["id"]: _joined(words[cell["id"]], cell["label"]) for cell in alike}
    return {
        cell["id"]: {
            "protocol": protocol_of(cell),
            "with": words[cell["id"]] or None,
            "label": cell["label"],
            "team": cell["team"],
            "cohort": cell.get("cohort"),
        }
        for cell in cells
    }


def _called_alike(
    cells: Iterable[Stored], words: Mapping[str, str], told_apart: Collection[str]
) -> list[Sequence[Stored]]:
    """Those that stand in the same place of a table under one name."""
    named: dict[Any, list[Stored]] = {}
    for cell in cells:
        options = options_of(cell)
        beside = canonical_json([options.get(name) for name in told_apart])
        place = (protocol_of(cell), words[cell["id"]], cell["team"], cell.get("cohort"), beside)
        named.setdefault(place, []).append(cell)
    return [alike for alike in named.values() if len(alike) > 1]


def _joined(*words: str) -> str:
    return ", ".join(filter(None, words))


def is_baseline(cell: Stored) -> bool:
    """One agent and one turn: nobody talks with anybody."""
    return _alone(cell) is not None


def _alone(cell: Stored) -> str | None:
    """One agent and one turn are no discussion, but a baseline of whoever that is; what else it is told to do is said."""
    if not one_agent(cell) or _limits(cell, "rounds") != [1]:
        return None
    flags = [name for name, value in cell["given"].items() if value is True]
    (agent, *_) = json.loads(cell["spec"])["players"]
    return ", ".join((f"{agent['name']} alone", *(meaning_of(cell, name).told(name, True) for name in flags)))


def one_agent(cell: Stored) -> bool:
    """It says how many talk, and it is one."""
    return _limits(cell, "agents") == [1]


def most_turns(cells: Iterable[Stored]) -> int | None:
    """How many turns any of these discussions may have; None where one does not say."""
    limits = [_limits(cell, "rounds") for cell in cells]
    said = [limit[0] for limit in limits if len(limit) == 1 and isinstance(limit[0], int)]
    return max(said) if said and len(said) == len(limits) else None


def _limits(cell: Stored, along: str) -> list[Any]:
    """How many there may be at most."""
    limits = meanings_in(cell).items()
    return [cell["options"].get(name) for name, meaning in limits if meaning.along == along and not meaning.leads]


def _words(cell: Stored, names: Iterable[str]) -> Iterator[str]:
    options = options_of(cell)
    return (
        meaning_of(cell, name).told(name, options[name])
        for name in names
        if name in options and not is_usual(cell, name)
    )
