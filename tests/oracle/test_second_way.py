"""Random experiments are played and reported through the command, and every figure is computed a second time."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from second_way import played
from second_way.accuracy import accuracy
from second_way.compare import differences
from second_way.quiz import quiz
from second_way.raw import Raw
from second_way.sets import sets
from second_way.worlds import experiment

SECOND_WAYS: tuple[Callable[[Raw], Mapping[str, Any]], ...] = (accuracy, quiz, sets)
"""Each gives some keys of the report."""

WORLDS = range(24)


@pytest.mark.parametrize("number", WORLDS)
def test_every_figure_comes_out_the_same(number: int, tmp_path: Path) -> None:
    keys = experiment(number, tmp_path)
    played.run(tmp_path, keys)
    figures, raw = played.figures(tmp_path), played.raw(tmp_path, keys)
    expected = {key: value for way in SECOND_WAYS for key, value in way(raw).items()}
    shown = {key: figures[key] for key in figures if key in expected}
    apart = [*differences(shown, expected)]
    assert not apart, "\n".join(apart[:30])


def test_the_second_way_is_another_one() -> None:
    """It uses nothing of what it checks; only the command itself is called, by `played`."""
    for path in (Path(__file__).parent / "second_way").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            ours = [name for name in names if name.split(".")[0] == "moot" and not name.startswith("moot.cli")]
            assert not ours, path
