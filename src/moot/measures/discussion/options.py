"""The options of a discussion, read back from the label of its cell: what was varied, and what was kept."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import fields

from moot.ballots.consensus import CONSENSUS
from moot.measures.discussion.ballot_order import Kind
from moot.strategies.discuss.discuss import Discuss
from moot.strategies.discuss.paradigm import DEFAULT
from moot.strategies.discuss.vote import JUDGE

DEFAULTS: Mapping[str, str] = {each.name: str(each.default) for each in fields(Discuss)} | {"paradigm": DEFAULT}
_NEXT = rf"(?=, (?:{'|'.join(DEFAULTS)})=|$)"
_GIVEN = re.compile(rf"({'|'.join(DEFAULTS)})=(\(.*\)|\{{.*\}}|.*?){_NEXT}")
"""Personas may be texts of any kind, in brackets; everything else ends where the next option begins."""

_KINDS: Mapping[str, Kind] = {
    "simple-voting": "choice",
    JUDGE: "choice",
    "cumulative-voting": "points",
    "approval-voting": "approved",
}


def options_of(label: str) -> dict[str, str]:
    """All options, as texts: ``discuss(agents=5)`` has five agents, and the defaults of everything else."""
    given = label.removeprefix(Discuss.name).removeprefix("(").removesuffix(")")
    return {**DEFAULTS, **dict(_GIVEN.findall(given))}


def ballot_kind(decision: str) -> Kind:
    """What a voter was asked for: an order of the options, where nothing else is said."""
    return _KINDS.get(decision, "ranking")


def family_of(decision: str) -> str:
    return "consensus" if decision in CONSENSUS else "judge" if decision == JUDGE else "voting"


def varied(options: Iterable[Mapping[str, str]]) -> list[str]:
    """The options that are not the same everywhere, but for the decision, which has a column of its own."""
    known = list(options)
    return [key for key in DEFAULTS if key != "decision" and len({each[key] for each in known}) > 1]


def apart_from(options: Mapping[str, str], *keys: str) -> tuple[tuple[str, str], ...]:
    """What two discussions must share to differ in nothing but these keys."""
    return tuple((key, value) for key, value in options.items() if key not in keys)
