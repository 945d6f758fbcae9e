"""Formats of published benchmarks by name. One is a small dataclass: its fields are its options.

A new one is one file and one entry point in the group ``moot.datasets``: a class with `name`, `columns` (for CSV without a
header, else empty) and `cases`, which turns a published row into rows of our own form. `seed` and `choices` are
given to those that have such fields.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Protocol, cast

from moot.data.published import Published
from moot.errors import UsageError
from moot.models.closest import closest
from moot.plugins import PluginKind

BUILT_IN = {
    "mmlu": "moot.data.mmlu:Mmlu",
    "mmlu-stem": "moot.data.mmlu:MmluStem",
    "mmlu-pro": "moot.data.mmlu_pro:MmluPro",
    "gpqa": "moot.data.gpqa:Gpqa",
    "strategyqa": "moot.data.strategyqa:StrategyQa",
    "musr": "moot.data.musr:Musr",
    "squad": "moot.data.squad:SquadFormat",
    "truthfulqa": "moot.data.truthfulqa:TruthfulQa",
    "aime": "moot.data.aime:Aime",
    "imo": "moot.data.aime:Imo",
    "cladder": "moot.data.cladder:Cladder",
}
FORMATS = PluginKind("format", "moot.datasets", BUILT_IN)


class Format(Protocol):
    name: ClassVar[str]
    columns: ClassVar[tuple[str, ...]]
    """What the columns of a CSV without a header are; () where there is a header."""

    def cases(self, row: Published) -> Iterable[Mapping[str, Any]]:
        """The questions of a published row as rows of our own form; none, where the row is not part of the set."""


def registered() -> Mapping[str, str]:
    """Names of all formats, ours and those that other packages bring, with their places."""
    return FORMATS.places()


def dataset_format(name: str, *, seed: int = 0, choices: int | None = None) -> Format:
    """The format of this name with these options."""
    if FORMATS.place(name) is None:
        names = sorted(registered())
        raise UsageError(f"format {name!r} is unknown; expected one of {', '.join(names)}{closest(name, names)}")
    kind = FORMATS.load(name)
    if not dataclasses.is_dataclass(kind):
        raise UsageError(f"{FORMATS.named(name)}: expected a dataclass, found {kind!r:.80}")
    allowed = {field.name for field in dataclasses.fields(kind)}
    if choices is not None and "choices" not in allowed:
        raise UsageError(f"format {name!r} takes no number of choices")
    options = {"seed": seed, **({} if choices is None else {"choices": choices})}
    return cast(Format, FORMATS.make(name, **{key: value for key, value in options.items() if key in allowed}))


def shuffled(right: str, wrong: Sequence[str], generator: random.Random) -> tuple[list[str], str]:
    """Choices in a drawn order, and the letter of the right one. Such sets list the right answer first."""
    order = generator.sample(range(len(wrong) + 1), len(wrong) + 1)
    choices = [(right, *wrong)[position] for position in order]
    return choices, chr(ord("A") + order.index(0))
