"""`import moot` is fully typed: a user's script passes mypy --strict, and every wrong use of it is an error."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import moot

SCRIPT = Path(__file__).parent / "user_script.py"
ROOT = Path(__file__).parents[2]
SOURCE = Path(moot.__file__).parents[1]

NAMES = """
Answer Case Episode Estimate Experiment Message Model MootError Player Question Reply Request Results Score ScriptedModel
Strategy Team TeamModel Traits Verdict arun load_team open_store report run
"""

WRONG = {
    "moot.Question(5)": 'Missing positional argument "text"',
    "moot.Question(5, 'Who?')": 'Argument 1 to "Question" has incompatible type "int"; expected "str"',
    "moot.Experiment(models={})": 'Missing named argument "name"',
    "moot.Experiment(name='x', models={}, repeats='3')": 'has incompatible type "str"; expected "int"',
    "moot.Experiment(name='x', models={}, repeat=3)": 'Unexpected keyword argument "repeat"',
    "moot.run('cup.yaml', limits=3)": 'Unexpected keyword argument "limits"',
    "moot.run('cup.yaml', limit='3')": 'has incompatible type "str"; expected "int | None"',
    "moot.run(5)": 'Argument 1 to "run" has incompatible type "int"',
    "moot.run('cup.yaml').figure": '"Results" has no attribute "figure"',
    "moot.run('cup.yaml', strategies=['vote'])": 'List item 0 has incompatible type "str"; expected "Strategy"',
    "moot.Verdict(1, 'answered')": 'has incompatible type "int"; expected "str | None"',
    "moot.Verdict('a', 'answerd')": "incompatible type \"Literal['answerd']\"",
    "moot.Traits(word='nobody')": "incompatible type \"Literal['nobody']\"",
    "moot.open_store(5)": 'Argument 1 to "open_store" has incompatible type "int"; expected "str"',
    "moot.report('cup.yaml').headlin": '"Report" has no attribute "headlin"',
    "moot.Questions": 'Module has no attribute "Questions"',
}


def checked(path: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    cache = ROOT / ".mypy_cache" / "user-scripts"
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", f"--cache-dir={cache}", str(path)]
    environment = {**os.environ, "MYPYPATH": str(SOURCE)}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


def test_the_names_are_pinned() -> None:
    assert sorted(moot.__all__) == sorted(NAMES.split())
    assert len(moot.__all__) <= 25
    for name in moot.__all__:
        assert getattr(moot, name) is not None
    assert {*moot.__all__} <= {*dir(moot)}
    with pytest.raises(AttributeError, match="module 'moot' has no attribute 'Questions'"):
        moot.Questions  # type: ignore[attr-defined]  # noqa: B018


def test_a_type_checker_is_told() -> None:
    assert (SOURCE / "moot" / "py.typed").is_file()


def test_a_users_script_and_every_wrong_use_of_it(tmp_path: Path) -> None:
    """In one go: mypy is slow to start."""
    lines = SCRIPT.read_text().splitlines()
    wrong = {len(lines) + number: says for number, says in enumerate(WRONG.values(), start=1)}
    path = tmp_path / "script.py"
    path.write_text("\n".join([*lines, *WRONG]) + "\n")
    found = checked(path, tmp_path)
    errors: dict[int, list[str]] = {}
    for line in found.stdout.splitlines():
        parts = line.split(":", 3)
        if len(parts) == 4 and parts[2].strip() == "error":
            errors.setdefault(int(parts[1]), []).append(parts[3])
    assert [line for number, line in errors.items() if number <= len(lines)] == [], found.stdout
    unsaid = {
        says: errors.get(number) for number, says in wrong.items() if says not in " ".join(errors.get(number, ()))
    }
    assert unsaid == {}, found.stdout


def test_the_script_runs(tmp_path: Path) -> None:
    ran = subprocess.run([sys.executable, str(SCRIPT)], cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines() == ["done [1.0, 1.0]", "nowhere.yaml: no such file"]


def test_importing_moot_loads_next_to_nothing() -> None:
    code = "import sys, moot; print([name for name in ('pydantic', 'numpy', 'sqlalchemy', 'jinja2') if name in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.stdout.strip() == "[]"
