"""Imports point up the list of design: a module may use what stands above it, never what stands below."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import moot

ROOT = Path(moot.__file__).parent
ORDER = [
    "errors",
    "plugins",
    "traces",
    "types",
    "stats",
    "needs",
    "models",
    "config",
    "openai_form",
    "prompts",
    "team",
    "ballots",
    "strategies",
    "select",
    "grade",
    "data",
    "simulate",
    "store",
    "experiment",
    "engine",
    "estimate",
    "live",
    "measures",
    "report",
    "serve",
    "cli",
    "results",
]
FREE = {"__init__", "__main__", "testing"}
MODULES = sorted(ROOT.rglob("*.py"))


def layer(path: Path) -> str:
    return path.relative_to(ROOT).with_suffix("").parts[0]


def imported(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("moot."):
            names.add(node.module.split(".")[1])
        if isinstance(node, ast.Import):
            names.update(each.name.split(".")[1] for each in node.names if each.name.startswith("moot."))
    return names


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_up(path: Path) -> None:
    if layer(path) in FREE:
        return
    mine = ORDER.index(layer(path))
    below = {name for name in imported(path) if ORDER.index(name) > mine}
    assert not below, f"{path.name} imports {below}, which stands below it"


def test_every_module_says_why_it_exists() -> None:
    silent = [str(path.relative_to(ROOT)) for path in MODULES if not ast.get_docstring(ast.parse(path.read_text()))]
    assert silent == []


def test_exported_names() -> None:
    assert len(moot.__all__) <= 25
    for name in moot.__all__:
        assert getattr(moot, name) is not None


def families_imported(path: Path) -> set[str]:
    """Families of measures that a module imports."""
    families = {folder.name for folder in (ROOT / "measures").iterdir() if (folder / "measure.py").exists()}
    parts = [
        node.module.split(".")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module
    ]
    return {part[2] for part in parts if part[:2] == ["moot", "measures"] and len(part) > 2 and part[2] in families}


@pytest.mark.parametrize("name", ["source", "team_drafts", "episodes", "cells", "outlines"])
def test_what_families_read_knows_no_family(name: str) -> None:
    """A family reads the source, so the source must not import a family."""
    assert families_imported(ROOT / "measures" / f"{name}.py") == set()
