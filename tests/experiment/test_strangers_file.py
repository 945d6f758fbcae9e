"""Experiment files that are bombs: each ends in one message, at once, whatever it would have stood for."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from moot.errors import FileError
from moot.experiment.spec import read_experiment

GOOD = "name: x\nmodels:\n  a: {provider: simulated, accuracy: 0.5}\nstrategies: [solo]\n"
LAUGHS = "x0: &x0 [a, a, a, a, a, a, a, a, a, a]\n" + "".join(
    f"x{n}: &x{n} [{', '.join([f'*x{n - 1}'] * 10)}]\n" for n in range(1, 12)
)
MERGED = "m0: &m0 {a: 1}\n" + "".join(f"m{n}: &m{n} {{<<: [{', '.join([f'*m{n - 1}'] * 10)}]}}\n" for n in range(1, 10))
LONG_TEXT = (
    "name: x\nmodels:\n  a: {provider: endpoint, base_url: 'http://127.0.0.1:9/v1', model: m, params: {x: &b '"
    + "a" * 100_000
    + "', stop: ["
    + ", ".join(["*b"] * 5_000)
    + "]}}\nstrategies: [solo]\n"
)
BOMBS = {
    "aliases of aliases": GOOD + LAUGHS,
    "merged": GOOD + MERGED,
    "one long text many times": LONG_TEXT,
    "within itself": GOOD + "z: &z [*z]\n",
    "deep": GOOD + "z: " + "[" * 5_000 + "]" * 5_000 + "\n",
    "whole numbers in base sixty": GOOD + "seed: 1" + ":59" * 20_000 + "\n",
    "fractions in base sixty": GOOD + "budget_usd: 1" + ":59" * 20_000 + ".5\n",
    "digits": GOOD + "seed: 0x" + "f" * 400_000 + "\n",
    "line ends": GOOD + "z: '" + "\n" * 1_000_000 + "'\n",
    "length": GOOD + "z: " + "a " * 3_000_000 + "\n",
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_one_message(tmp_path: Path, name: str) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(BOMBS[name], encoding="utf-8")
    started = time.process_time()
    with pytest.raises(FileError, match=r"x\.yaml"):
        read_experiment(path, with_questions=False)
    assert time.process_time() - started < 20


def test_a_file_without_an_end_is_not_read_to_it(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    with path.open("wb") as file:
        file.truncate(2**36)  # nothing but holes: it takes no space
    with pytest.raises(FileError, match="is longer than"):
        read_experiment(path, with_questions=False)


def test_aliases_that_save_some_lines_are_fine(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(
        "name: x\nmodels:\n  a: &a {provider: simulated, accuracy: 0.5}\n  b: *a\nstrategies: [solo]\n",
        encoding="utf-8",
    )
    assert set(read_experiment(path, with_questions=False).spec.models) == {"a", "b"}
