"""Every arrow makes a new frozen value: a dataclass of these rooms cannot be changed, and holds nothing but its fields."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest
from source_trees import ROOT, classes_in

ROOMS_OF_VALUES = ("types", "traces", "stats", "ballots", "decide", "measures", "models", "store")
GROWING = {
    "stats": {"Race"},
    "traces": {"_Count"},
    "measures": {
        "Askings",
        "Attended",
        "CellDrafts",
        "LiveTraffic",
        "Readers",
        "TeamDrafts",
        "_Alike",
        "_Heard",
        "_Summaries",
    },
    "models": {"CallsUnderLimit", "Flight", "StreamSoFar", "Work"},
    "store": {"Booked", "Group"},
}
"""What is filled bit by bit while something is read, asked or written."""


def dataclasses_of(room: str) -> Iterator[tuple[ast.ClassDef, dict[str, bool]]]:
    for path in [*(ROOT / room).rglob("*.py"), *ROOT.glob(f"{room}.py")]:
        for node in classes_in(ast.parse(path.read_text(encoding="utf-8"))):
            for said in node.decorator_list:
                if "dataclass" in ast.unparse(said).split("(")[0]:
                    given = said.keywords if isinstance(said, ast.Call) else ()
                    yield node, {each.arg or "": ast.literal_eval(each.value) for each in given}


@pytest.mark.parametrize("room", ROOMS_OF_VALUES)
def test_every_value_is_frozen_and_holds_its_fields_alone(room: str) -> None:
    """Two who hold one value hold the same for ever. What keeps something once it was computed needs room for that."""
    values = [*dataclasses_of(room)]
    given = {node.name: said for node, said in values}
    keeping = {node.name for node, _ in values if "@cached_property" in ast.unparse(node)}
    assert {name for name, said in given.items() if not said.get("frozen")} == GROWING.get(room, set())
    assert {name for name, said in given.items() if not said.get("slots")} == keeping


def test_a_seed_that_nobody_gives_is_nought_wherever_it_is_used() -> None:
    """So that what is drawn for one figure in two places is drawn alike."""
    seeds = [
        (str(path.relative_to(ROOT)), seed)
        for path in ROOT.rglob("*.py")
        for seed in re.findall(r"\bseed: int = (-?\d+)", path.read_text(encoding="utf-8"))
        if not path.is_relative_to(ROOT / "testing")
    ]
    assert len(seeds) > 30
    assert [each for each in seeds if each[1] != "0"] == []
