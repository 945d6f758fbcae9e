"""No measure and no view goes by a strategy's name: what it must know stands in traits and traces."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import moot
from moot.strategies import registered

ROOT = Path(moot.__file__).parent
MODULES = sorted(path for folder in ("measures", "report") for path in (ROOT / folder).rglob("*.py"))


def names_in(text: str) -> list[str]:
    """Strings that equal a strategy's name, with their lines. What only says something to a reader is no string of code."""
    tree = ast.parse(text)
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    return [
        f"line {node.lineno}: {node.value!r}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and node.value in registered() and id(node) not in docstrings
    ]


def test_a_name_is_found_and_a_docstring_is_none() -> None:
    assert names_in('def f(cell):\n    "vote"\n    return cell["strategy"] == "vote"') == ["line 3: 'vote'"]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_strategy_is_named(path: Path) -> None:
    assert names_in(path.read_text(encoding="utf-8")) == []
