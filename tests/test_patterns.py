"""Every regular expression of the package on texts that somebody wrote to keep it busy: its time is that of the text."""

from __future__ import annotations

import ast
import importlib
import re
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from source_trees import ROOT, trees_with

METHODS = ("match", "fullmatch", "search", "finditer", "findall", "sub", "subn", "split")

UNITS = (
    *(
        " ",
        "\n",
        "\u2028",
        "a",
        "б",
        "1",
        "_",
        "<",
        "{",
        "[",
        "(",
        '"',
        "\\",
        "*",
        "`",
        "$",
        "-",
        "/",
        ".",
        ":",
        "\u0301",
    ),
    *("\n-", "\n ", "1,", "1.", "a ", "a.", "<a", "<think>", '{"a":', "$$", "\\("),
)
TAILS = ("", "!x")
SHORT, LONG = 400, 6_000
"""Characters. What is slow without measure is found by the short ones, which end."""

EXPONENTIAL_S = 0.02
"""For the short ones: a thousand times what one step a character takes."""
QUADRATIC = re.compile(r"\s*x")
"""From each of its characters a text of spaces is looked through to its end."""
OF_QUADRATIC = 0.4
"""For the long ones: of the time that this takes, on the same machine in the same moment."""

BOUNDED: dict[str, str] = {
    "moot.team.final_line.free_words._TAG_BEHIND": "the last 24 characters",
}
"""Patterns that are slow on long texts and never meet one: what bounds the text."""


def patterns_in(value: object, depth: int = 0) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern):
        if isinstance(value.pattern, str):
            yield value
    elif isinstance(value, dict) and depth < 3:
        for each in value.values():
            yield from patterns_in(each, depth + 1)
    elif isinstance(value, list | tuple) and depth < 3:
        for each in value:
            yield from patterns_in(each, depth + 1)


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def in_use() -> dict[str, tuple[re.Pattern[str], set[str]]]:
    """By a name, each pattern and the ways in which it is used; where that is not seen, the way that looks everywhere.

    Modules are read and imported for it, so not where tests are only collected: that is done by every process of a run. One that
    neither makes a pattern nor uses one is left alone: to import them all takes seconds, most of it for what others wrote.
    """
    trees = dict(trees_with(rf"\bre\.compile\(|\.({'|'.join(METHODS)})\("))
    ways: dict[tuple[str, str], set[str]] = {}
    written: dict[str, tuple[re.Pattern[str], set[str]]] = {}
    for path, tree in trees.items():
        for node in ast.walk(tree):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in METHODS):
                continue
            held, way = node.func.value, node.func.attr
            if isinstance(held, ast.Name) and held.id == "re" and node.args and isinstance(node.args[0], ast.Constant):
                if isinstance(node.args[0].value, str):
                    written[f"{module_name(path)}:{node.lineno}"] = re.compile(node.args[0].value), {way}
            elif isinstance(held, ast.Name | ast.Attribute):
                place = (module_name(path), held.id) if isinstance(held, ast.Name) else ("", held.attr)
                ways.setdefault(place, set()).add(way)
    held_in: dict[re.Pattern[str], dict[str, set[str]]] = {}
    for path in trees:
        if path.name == "__main__.py" or "ray" in path.parts:
            continue
        try:
            module = importlib.import_module(module_name(path))
        except ImportError:  # an extra that is not installed
            continue
        for name, value in vars(module).items():
            for pattern in patterns_in(value):
                seen = ways.get((module.__name__, name), set()) | ways.get(("", name), set())
                held_in.setdefault(pattern, {})[f"{module.__name__}.{name}"] = seen
    for pattern, places in held_in.items():
        written[min(places)] = pattern, set().union(*places.values()) or {"search", "match"}
    return written


def used(pattern: re.Pattern[str], way: str) -> Callable[[str], Any]:
    if way in ("sub", "subn"):
        return lambda text: pattern.sub("", text)
    if way == "finditer":
        return lambda text: sum(1 for _ in pattern.finditer(text))
    return getattr(pattern, way)


def slow_on(pattern: re.Pattern[str], way: str) -> str | None:
    use = used(pattern, way)
    for size in (SHORT, LONG):
        for unit in UNITS:
            for tail in TAILS:
                text = unit * (size // len(unit)) + tail
                took = _took_s(use, text)
                if took > _bound_s(size) and min(took, _took_s(use, text)) > _bound_s(size, again=True):
                    return f"{way}: {unit!r} * {size // len(unit)} + {tail!r}: {took:.3f} s"
    return None


_BOUND_S = {SHORT: EXPONENTIAL_S}


def _bound_s(size: int, *, again: bool = False) -> float:
    if size == LONG and (again or LONG not in _BOUND_S):
        _BOUND_S[LONG] = OF_QUADRATIC * max(_took_s(QUADRATIC.search, " " * LONG) for _ in range(2))
    return _BOUND_S[size]


def _took_s(use: Callable[[str], Any], text: str) -> float:
    began = time.thread_time()
    use(text)
    return time.thread_time() - began


def test_there_are_patterns_to_look_at() -> None:
    patterns = in_use()
    assert len(patterns) > 100
    assert any(":" in place for place in patterns), "those written where they are used, too"
    assert set(BOUNDED) <= set(patterns)


@pytest.mark.parametrize("part", range(4))
def test_its_time_is_that_of_the_text(part: int) -> None:
    patterns = in_use()
    places = sorted(set(patterns) - set(BOUNDED))[part::4]
    slow = {
        place: slow_on(pattern, way) for place in places for pattern, ways in [patterns[place]] for way in sorted(ways)
    }
    assert {place: words for place, words in slow.items() if words} == {}


def test_one_that_is_slow_is_found() -> None:
    assert slow_on(re.compile(r"\s*x"), "search")
    assert slow_on(re.compile(r"[0-9]+[.]?[0-9]*"), "fullmatch")
    assert slow_on(re.compile(r"^\s*-", re.MULTILINE), "finditer")
