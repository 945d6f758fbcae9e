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

WORLDS = (*range(24), 107)

BELOW_A_PLAYER = "best_single chosen fold by fold lies below what some player reached on all questions"
KNOWN_DIFFERENCES: Mapping[int, Mapping[str, str]] = {
    **{world: {"best_single.value": BELOW_A_PLAYER} for world in (2, 5, 7, 9, 12, 14, 16, 22)},
    107: {
        "gains[4].regressions": "a mean of 0.7499999999999999 before 0.75 is counted as a regression: there are 3, not 4",
    },
}
"""By world: how the place ends at which the report is wrong, and in what. What is right again is to be taken out of here."""


@pytest.mark.parametrize("number", WORLDS)
def test_every_figure_comes_out_the_same(number: int, tmp_path: Path) -> None:
    keys = experiment(number, tmp_path)
    played.run(tmp_path, keys)
    figures, raw = played.figures(tmp_path), played.raw(tmp_path, keys)
    expected = {key: value for way in SECOND_WAYS for key, value in way(raw).items()}
    shown = {key: figures[key] for key in figures if key in expected}
    known = KNOWN_DIFFERENCES.get(number, {})
    apart = [*differences(shown, expected)]
    seen = {end for text in apart for end in known if text.split(": ")[0].endswith(end)}
    assert seen == known.keys(), f"no longer wrong: {known.keys() - seen}"
    unknown = [text for text in apart if not text.split(": ")[0].endswith(tuple(known))]
    assert not unknown, "\n".join(unknown[:30])


def test_the_second_way_is_another_one() -> None:
    """It uses nothing of what it checks; only the command itself is called, by `played`."""
    for path in (Path(__file__).parent / "second_way").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            ours = [name for name in names if name.split(".")[0] == "moot" and not name.startswith("moot.cli")]
            assert not ours, path
