"""No container can be built in a test; whether its build has all that it needs can be told without one."""

from __future__ import annotations

import tomllib

import pytest
from container_context import HERE, copied, files_let_through, ignored


@pytest.mark.parametrize("path", copied())
def test_what_is_copied_is_there_and_let_through(path: str) -> None:
    assert (HERE / path).exists()
    assert not ignored(path), "COPY ends with “not found” where .dockerignore leaves the path out"


def test_what_the_wheel_is_built_from_is_copied() -> None:
    hatch = tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]
    needed = [hatch["metadata"]["hooks"]["custom"]["path"], hatch["version"]["path"], "README.md", "LICENSE"]
    names = {file.relative_to(HERE).as_posix() for file in files_let_through()}
    assert not set(needed) - names
    code = {file.relative_to(HERE).as_posix() for file in (HERE / "src/moot").rglob("*.py")}
    assert not code - names


def test_nothing_else_is_let_through() -> None:
    for private in (".git/config", ".venv/bin/python", "tests/conftest.py", "cup.yaml", "moot.db", ".env"):
        assert ignored(private)
    assert ignored("src/moot/__pycache__/types.cpython-311.pyc")
