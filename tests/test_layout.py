"""Imports point up the list of design: a module may use what stands above it, never what stands below."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from source_trees import ROOT, classes_in, imports_of

import moot

ORDER = [
    "bills",
    "errors",
    "later",
    "pasted",
    "foreign_files",
    "foreign_json",
    "foreign_parquet",
    "whole_files",
    "plugins",
    "traces",
    "rubric",
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
    "decide",
    "select",
    "advise",
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
    for node in imports_of(source):
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
        ("from moot import (  # (all of it)\n    store,\n)", "store"),
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


PLAIN_DATA = {"dict[str, Any]", "Mapping[str, Any]"}
"""A row, or figures, as JSON has them: a shorthand for what may be written or only read, and no type of anybody's."""
SEVERAL_MEANINGS = {"Ballot"}
"""What a rule of voting is given, which other packages import by this name, and the record of it in a trace."""


def types_defined(source: str) -> Iterator[tuple[str, str | None]]:
    """The types that a module gives to others, each with its definition: of a class None, of an alias the type it is for."""
    tree = ast.parse(source)
    for each in classes_in(tree):
        yield each.name, None
    for node in tree.body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        for target in targets:
            if isinstance(target, ast.Name) and re.fullmatch(r"[A-Z]\w*[a-z]\w*", target.id):
                definition = ast.unparse(node.value) if node.value else ""
                if not definition.startswith(("TypeVar(", "ParamSpec(")):
                    yield target.id, "plain data" if definition in PLAIN_DATA else definition


def test_a_type_has_a_name_of_its_own() -> None:
    """Who searches for a name finds one thing, class or alias. What a module keeps to itself may be called as elsewhere."""
    places: dict[str, list[str]] = defaultdict(list)
    meanings: dict[str, set[str]] = defaultdict(set)
    for path in MODULES:
        place = str(path.relative_to(ROOT))
        for name, definition in types_defined(path.read_text(encoding="utf-8")):
            if not name.startswith("_"):
                places[name].append(place)
                # Classes of one name are never one thing.
                meanings[name].add(definition or f"class {len(places[name])}")
    several = {name: places[name] for name, different in meanings.items() if len(different) > 1}
    assert several.keys() == SEVERAL_MEANINGS, several


@pytest.mark.parametrize(
    ("source", "defined"),
    [
        ("class Way: ...", [("Way", None)]),
        ('Way = Literal["at once"]', [("Way", "Literal['at once']")]),
        ("Way: TypeAlias = tuple[str, int]", [("Way", "tuple[str, int]")]),
        ("Row = dict[str, Any]", [("Row", "plain data")]),
        ("T = TypeVar('T')\nForm = TypeVar('Form', bound=Base)\nMOST = 3\nready = True", []),
    ],
)
def test_aliases_are_types(source: str, defined: list[tuple[str, str | None]]) -> None:
    assert list(types_defined(source)) == defined


MOST_LINES = 400


def test_no_file_is_too_long_to_be_read() -> None:
    """Where one is, it holds several things: each wants a name."""
    lengths = {str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    assert {name: lines for name, lines in lengths.items() if lines > MOST_LINES} == {}


def test_every_module_says_why_it_exists() -> None:
    # Its words are its first line: no module need be parsed to the end for that.
    silent = [str(path.relative_to(ROOT)) for path in MODULES if not re.match(r'r?"""\S', path.read_text("utf-8"))]
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
        for node in imports_of(path.read_text(encoding="utf-8"))
        if isinstance(node, ast.ImportFrom) and node.module
        for each in node.names
    ]
    return {part[2] for part in named if part[:2] == ["moot", "measures"] and part[2] in families}


@pytest.mark.parametrize("name", ["source", "stored_grades", "team_drafts", "episodes", "cells", "outlines", "askings"])
def test_what_families_read_knows_no_family(name: str) -> None:
    """A family reads the source, so the source must not import a family."""
    assert families_imported(ROOT / "measures" / f"{name}.py") == set()


def test_the_map_of_the_house_is_that_of_the_tree() -> None:
    """`CONTRIBUTING.md` lists every room, in the order in which imports point."""
    text = (Path(__file__).parent.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = text.partition("| place in `src/moot` |")[2].partition("\n\n")[0]
    cells = [line.split("|")[1] for line in table.splitlines()[2:]]
    listed = [name.removesuffix(".py").rstrip("/") for cell in cells for name in re.findall(r"`([^`]+)`", cell)]
    rooms = {path.relative_to(ROOT).with_suffix("").parts[0] for path in MODULES} - FREE
    assert sorted(listed) == sorted({*rooms, "testing"}), "the suites may import from any room"
    assert sorted(ORDER) == sorted(rooms)
