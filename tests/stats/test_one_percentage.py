"""Shares are written as percentages and points in one way, so that a figure is the same in every word about it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest
from source_trees import ROOT, trees_with

from moot.measures.numbers import percent, plain, signed
from moot.stats.written_numbers import of_hundred

_FIXED = re.compile(r"\.\d*[fF%]|%")
_UNIT = re.compile(r" ?(%|points)")
_TEMPLATE = re.compile(r"%[-+ 0]*\d*(?:\.\d+)?[fF] ?%%")


def plainly_written(tree: ast.AST) -> Iterator[int]:
    """The lines where a number is made a percentage, or points, by the usual format of numbers."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _TEMPLATE.search(node.value):
            yield node.lineno
        if not isinstance(node, ast.JoinedStr):
            continue
        for value, after in zip(node.values, [*node.values[1:], None], strict=True):
            if isinstance(value, ast.FormattedValue) and _FIXED.search(_spec(value)):
                times_hundred = any(
                    isinstance(each, ast.Constant) and each.value == 100 for each in ast.walk(value.value)
                )
                if times_hundred or _spec(value).endswith("%") or _unit(after):
                    yield node.lineno


def _spec(value: ast.FormattedValue) -> str:
    parts = value.format_spec.values if isinstance(value.format_spec, ast.JoinedStr) else ()
    return "".join(part.value if isinstance(part, ast.Constant) else "1" for part in parts)


def _unit(after: ast.expr | None) -> bool:
    return isinstance(after, ast.Constant) and _UNIT.match(str(after.value)) is not None


def test_no_percentage_is_written_by_a_plain_format() -> None:
    found = {
        str(path.relative_to(ROOT)): lines
        for path, tree in trees_with(r"\.(?:\d+|\{\w+\})[f%]")
        if (lines := sorted(set(plainly_written(tree))))
    }
    assert not found, "use stats.written_numbers.of_hundred, or what is made of it"


@pytest.mark.parametrize(
    "written",
    [
        'f"{100 * x:.1f}"',
        'f"{x * 100:+.0f}"',
        'f"{100 * (x + y):>5.1f}"',
        'f"{x:.1%}"',
        'f"{x:.{digits}f} %"',
        'f"{x:+.1f} points"',
        '"%.1f %%" % x',
    ],
)
def test_such_a_one_would_be_found(written: str) -> None:
    assert list(plainly_written(ast.parse(written))) == [1]


@pytest.mark.parametrize("written", ['f"{x:.1f} s"', 'f"{100 * x:g} %"', 'f"{of_hundred(x)} %"', '"%s %%" % x'])
def test_others_are_not(written: str) -> None:
    assert not list(plainly_written(ast.parse(written)))


def test_a_half_goes_up_everywhere() -> None:
    right = 361 / 400
    assert f"{100 * right:.1f}" == "90.2", "so an even digit would stay"
    assert (of_hundred(right), plain(right), percent(right), signed(-right)) == ("90.3", "90.3", "90.3 %", "-90.3")
    assert (of_hundred(0.145, 0), of_hundred(0.0, sign=True)) == ("15", "0.0")
