"""Every regular expression of the package on texts that somebody wrote to keep it busy: its time is that of the text."""

from __future__ import annotations

import ast
import contextlib
import importlib
import re
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hostile_texts import Hostile, hostile_to
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

SCREENED = 300
"""Characters of the texts that are made of a pattern's own pieces. There are many; the slowest of them are looked at again,"""
GROWN = 8
"""so many times as long,"""
MOST_GROWTH = 22
"""and may take so many times as long then, where the text's own measure is 8 and its square 64."""
CONSIDERED = 4

BOUNDED: dict[str, tuple[int, str]] = {
    "moot.data.listed_texts._QUOTED": (100, "the whole list was found well formed before, with an end to each text"),
    "moot.data.tables.header_notes._BEHIND_A_DASH": (200, "the name of a column, which is looked at up to so many"),
    "moot.data.tables.header_notes._IN_BRACKETS": (200, "the name of a column, which is looked at up to so many"),
    "moot.prompts.foreign_text._NAMES_A_LETTER": (100, "what Unicode calls a character"),
    "moot.report.page.document._IMPORT": (300, "scripts of the page itself, whose files are in the package"),
    "moot.team.final_line.free_words._TAG_BEHIND": (24, "the last characters of an answer"),
}
"""Patterns that are slow on long texts and never meet one: the most characters, and what bounds them."""


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
    written |= _put_together(trees)
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


def _put_together(trees: dict[Path, ast.Module]) -> dict[str, tuple[re.Pattern[str], set[str]]]:
    """Those that `re.search` and the like are given by name, or in pieces that the module names."""
    found: dict[str, tuple[re.Pattern[str], set[str]]] = {}
    for path, tree in trees.items():
        calls = (
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and ast.unparse(node.func) in {f"re.{way}" for way in METHODS}
        )
        for call in calls:
            if not call.args or isinstance(call.args[0], ast.Constant):
                continue
            assert isinstance(call.func, ast.Attribute)
            names = vars(importlib.import_module(module_name(path)))
            flags = next((each.value for each in call.keywords if each.arg == "flags"), None) or _flags_among(call.args)
            with contextlib.suppress(NameError):  # made of what only a call knows
                text = eval(ast.unparse(call.args[0]), dict(names))
                how = eval(ast.unparse(flags), {"re": re}) if flags is not None else 0
                found[f"{module_name(path)}:{call.lineno}"] = re.compile(text, how), {call.func.attr}
    return found


def _flags_among(arguments: list[ast.expr]) -> ast.expr | None:
    return next((each for each in arguments if re.fullmatch(r"re\.[A-Z]+( \| re\.[A-Z]+)*", ast.unparse(each))), None)


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


def growing_on(pattern: re.Pattern[str], way: str, most: int | None = None) -> str | None:
    """Of the texts that are made of its own pieces, one that it takes the square of its length for; `most`: up to that length."""
    use = used(pattern, way)
    size = min(SCREENED, most or SCREENED)
    screened: list[tuple[float, int, Hostile]] = []
    for place, each in enumerate(hostile_to(pattern)):
        took = _took_s(use, each.text(size))
        if took > EXPONENTIAL_S and min(took, _took_s(use, each.text(size))) > EXPONENTIAL_S:
            return f"{way}: {each}, {size} characters: {took:.3f} s"
        screened.append((took, place, each))
    if most is not None:
        return None
    for _, _, each in sorted(screened, reverse=True)[:CONSIDERED]:
        if all(_growth(use, each, times) > MOST_GROWTH for times in (2, 4)):
            return f"{way}: {each}: {GROWN} times as long a text takes {_growth(use, each, 3):.0f} times as long"
    return None


def _growth(use: Callable[[str], Any], hostile: Hostile, times: int) -> float:
    short, long = hostile.text(SCREENED), hostile.text(SCREENED * GROWN)
    least_s = min(_took_s(use, short) for _ in range(2 * times))
    return min(_took_s(use, long) for _ in range(times)) / max(least_s, 1e-6)


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


@pytest.mark.parametrize("part", range(4))
def test_what_it_looks_for_does_not_keep_it_busy(part: int) -> None:
    patterns = in_use()
    growing = {
        place: growing_on(pattern, way, BOUNDED[place][0] if place in BOUNDED else None)
        for place in sorted(patterns)[part::4]
        for pattern, ways in [patterns[place]]
        for way in sorted(ways)
    }
    assert {place: words for place, words in growing.items() if words} == {}


@pytest.mark.parametrize(
    ("pattern", "way"),
    [
        (r"(?:\A|\n|\\n)[ \t]*####([^\n]+)\Z", "search"),
        (r"('(?:[^'\\]|\\.)*')(\s+(?=['\"]))?", "sub"),
        (r"\^\{([^{}]*[-+*/][^{}]*)\}", "sub"),
        (r"\{#\s*inputs:\s*([^#]*?)\s*#\}", "search"),
        (r"correct answer is [^A-Z]*([A-J])", "search"),
        (r"<answer n=([^>\n]*)>\n(.*?)\n</answer>", "findall"),
        (r"\bmoot [a-z]+(?:(?: [^\s',;:]++)*? '[^'\n]*')+", "sub"),
        (r"json.?validat\w*.?fail", "search"),
    ],
)
def test_one_that_its_own_pieces_keep_busy_is_found(pattern: str, way: str) -> None:
    assert growing_on(re.compile(pattern, re.DOTALL if "(.*?)" in pattern else 0), way)


def test_one_that_is_slow_is_found() -> None:
    assert slow_on(re.compile(r"\s*x"), "search")
    assert slow_on(re.compile(r"[0-9]+[.]?[0-9]*"), "fullmatch")
    assert slow_on(re.compile(r"^\s*-", re.MULTILINE), "finditer")
