"""Imports point up the list of design: a module may use what stands above it, never what stands below."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import pytest

import moot

ROOT = Path(moot.__file__).parent
ORDER = [
    "errors",
    "foreign_files",
    "foreign_json",
    "foreign_parquet",
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


def rooms_exported() -> dict[str, str]:
    """By name of what ``from moot import NAME`` gives, the room that it comes from; rooms are themselves."""
    exported = {name: getattr(moot, name).__module__.split(".")[1] for name in moot.__all__ if name != "__version__"}
    return exported | {room: room for room in ORDER}


def imported(source: str) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module == "moot":
            names.update(rooms_exported()[each.name] for each in node.names if each.name != "__version__")
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
    below = {name for name in imported(path.read_text(encoding="utf-8")) if ORDER.index(name) > mine}
    assert not below, f"{path.name} imports {below}, which stands below it"


@pytest.mark.parametrize(
    ("source", "room"),
    [
        ("from moot.store import rows", "store"),
        ("import moot.store.rows", "store"),
        ("from moot import store", "store"),
        ("from moot import run", "results"),
        ("def later():\n    from moot import Experiment as Named", "experiment"),
    ],
)
def test_every_way_to_import_is_seen(source: str, room: str) -> None:
    assert imported(source) == {room}


@pytest.mark.parametrize("name", ["migrating", "before_traces", "old_strategies"])
def test_migrations_hang_on_nothing_that_may_change(name: str) -> None:
    """An old store must always become the same, whatever strategies and records are today."""
    source = (ROOT / "store" / f"{name}.py").read_text(encoding="utf-8")
    assert imported(source) <= {"errors", "types", "store"}


def test_a_class_has_a_name_of_its_own() -> None:
    """Who searches for a name finds one thing. What a module keeps to itself may be called as elsewhere."""
    places: dict[str, list[str]] = defaultdict(list)
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(str(path.relative_to(ROOT)))
    assert {name: several for name, several in places.items() if len(several) > 1} == {}


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
    named = [
        f"{node.module}.{each.name}".split(".")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module
        for each in node.names
    ]
    return {part[2] for part in named if part[:2] == ["moot", "measures"] and part[2] in families}


@pytest.mark.parametrize("name", ["source", "team_drafts", "episodes", "cells", "outlines"])
def test_what_families_read_knows_no_family(name: str) -> None:
    """A family reads the source, so the source must not import a family."""
    assert families_imported(ROOT / "measures" / f"{name}.py") == set()
