"""What a command loads before it is needed: `moot --help` and `import moot` must stay quick."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = {
    *("aiohttp", "asyncpg", "jinja2", "json_repair", "litellm", "numpy", "polars", "pydantic", "pymorphy3"),
    *("ray", "scipy", "sklearn", "sqlalchemy", "starlette", "uvicorn", "xllamacpp", "yaml"),
}
COMMAND = """
import json, sys
from moot.cli import main
sys.argv = ["moot", *{arguments!r}]
try:
    main()
except SystemExit as stop:
    print(json.dumps([stop.code, sorted(sys.modules)]), file=sys.stderr)
"""


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize(
    ("arguments", "allowed"),
    [
        (["--help"], set()),
        (["--version"], set()),
        (["run", "--help"], {"pydantic"}),  # typer looks at parameters with it
        (["simulate", "--help"], {"pydantic"}),
        (["models", "--help"], {"pydantic"}),
    ],
)
def test_help_loads_nothing_heavy(arguments: list[str], allowed: set[str]) -> None:
    done = run(COMMAND.format(arguments=arguments))
    code, modules = json.loads(done.stderr.splitlines()[-1])
    assert (code or 0) == 0
    assert done.stdout
    assert HEAVY & {name.partition(".")[0] for name in modules} <= allowed


@pytest.mark.parametrize("name", ["moot", "moot.types", "moot.errors"])
def test_importing_moot_loads_nothing_heavy(name: str) -> None:
    done = run(f"import {name}, json, sys; print(json.dumps(sorted(sys.modules)))")
    assert HEAVY & {each.partition(".")[0] for each in json.loads(done.stdout)} == set()


def test_every_command_of_the_help_has_help_of_its_own() -> None:
    listed = run(COMMAND.format(arguments=["--help"])).stdout
    commands = [line.split()[0] for line in listed.partition("Commands")[2].splitlines() if line.startswith("  ")]
    assert {"run", "report", "ask", "show", "doctor", "schema", "simulate", "models"} <= set(commands)


def test_nothing_at_all_is_a_question_for_help() -> None:
    done = run(COMMAND.format(arguments=[]))
    assert "Usage: moot" in done.stdout + done.stderr
