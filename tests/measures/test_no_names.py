"""No engine, no measure and no view goes by a strategy's name: what it must know stands in traits and traces."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from source_trees import ROOT, imports_of

from moot.strategies import BUILT_IN, registered

MODULES = sorted(
    path for folder in ("engine", "estimate", "measures", "report") for path in (ROOT / folder).rglob("*.py")
)


def strategies_imported_by(text: str) -> list[str]:
    """Modules of single strategies that a text imports: what it knows by import it knows by name."""
    own = {place.partition(":")[0] for place in BUILT_IN.values()}
    rooms = {module.rpartition(".")[0] for module in own if module.count(".") > 2}
    imported: list[str] = []
    for node in imports_of(text):
        if isinstance(node, ast.Import):
            imported += [alias.name for alias in node.names]
        elif node.module:
            imported += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    inside = tuple(f"{room}." for room in rooms)
    return [module for module in imported if module in own | rooms or module.startswith(inside)]


def test_an_import_of_a_strategy_is_found() -> None:
    for text, module in (
        ("from moot.strategies.solo import Solo", "moot.strategies.solo"),
        ("from moot.strategies import solo", "moot.strategies.solo"),
        ("import moot.strategies.vote as v", "moot.strategies.vote"),
        ("from moot.strategies.discuss.paradigm import DEFAULT", "moot.strategies.discuss.paradigm"),
    ):
        assert module in strategies_imported_by(text)
    assert (
        strategies_imported_by("from moot.strategies.traits import Traits\nfrom moot.strategies import strategy") == []
    )


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_strategy_is_imported(path: Path) -> None:
    assert strategies_imported_by(path.read_text(encoding="utf-8")) == []


KEYS_OF_FIGURES = {"measures/decided": {"cascade"}}
"""By room: what its figures are called in JSON, as a strategy is too. Which plays they are of is told by traces."""


def names_in(text: str) -> list[str]:
    """Strings that equal a strategy's name, with their lines. What only says something to a reader is no string of code."""
    known = set(registered())
    if not any(f"{quote}{name}{quote}" in text for name in known for quote in "\"'"):
        return []  # which takes a tenth of parsing it
    tree = ast.parse(text)
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    return [
        f"line {node.lineno}: {node.value!r}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and node.value in known and id(node) not in docstrings
    ]


def test_a_name_is_found_and_a_docstring_is_none() -> None:
    assert names_in('def f(cell):\n    "vote"\n    return cell["strategy"] == "vote"') == ["line 3: 'vote'"]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_strategy_is_named(path: Path) -> None:
    keys = KEYS_OF_FIGURES.get(path.parent.relative_to(ROOT).as_posix(), set())
    named = names_in(path.read_text(encoding="utf-8"))
    assert [name for name in named if not name.endswith(tuple(map(repr, keys)))] == []
