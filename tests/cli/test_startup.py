"""What a command loads before it is needed: `moot --help` and `import moot` must stay quick."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main
from typer.testing import CliRunner

from moot.cli.app import app

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


def test_an_estimate_loads_neither_what_plays_nor_what_reports(tmp_path: Path) -> None:
    endpoint = "provider: endpoint, base_url: http://127.0.0.1:9/v1, model: m, params: {max_tokens: 100}"
    (tmp_path / "cup.yaml").write_text(
        f"name: cup\nquestions: {{builtin: quiz-en}}\nmodels:\n  ann: {{{endpoint}}}\n  bob: {{{endpoint}}}\n"
        "strategies: [solo, vote]\n",
        encoding="utf-8",
    )
    done = run(COMMAND.format(arguments=["run", "--estimate", "--limit", "2", str(tmp_path / "cup.yaml")]))
    code, modules = json.loads(done.stderr.splitlines()[-1])
    assert (code or 0) == 0, done.stderr[:400]
    assert not {"aiohttp", "numpy", "moot.cli.run", "moot.engine.runner", "moot.measures.all_measures"} & set(modules)


@pytest.mark.parametrize("name", ["moot", "moot.types", "moot.errors"])
def test_importing_moot_loads_nothing_heavy(name: str) -> None:
    done = run(f"import {name}, json, sys; print(json.dumps(sorted(sys.modules)))")
    assert HEAVY & {each.partition(".")[0] for each in json.loads(done.stdout)} == set()


def test_every_command_of_the_help_has_help_of_its_own() -> None:
    listed = run(COMMAND.format(arguments=["--help"])).stdout
    commands = [line.split()[0] for line in listed.partition("Get started:")[2].splitlines() if line.startswith("  ")]
    assert {"run", "report", "ask", "show", "doctor", "schema", "simulate", "models"} <= set(commands)


def test_nothing_at_all_is_a_question_for_help() -> None:
    done = run(COMMAND.format(arguments=[]))
    assert "Usage: moot" in done.stdout + done.stderr


@pytest.mark.long
def test_every_command_takes_the_short_option_for_help() -> None:
    listed = [(), *_paths(typer.main.get_command(app))]
    assert len(listed) > 15
    for path in listed:
        short, long = (CliRunner().invoke(app, [*path, option], prog_name="moot") for option in ("-h", "--help"))
        assert (short.exit_code, short.output) == (0, long.output), path


def _paths(command: Any, above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, each in getattr(command, "commands", {}).items():
        yield (*above, name)
        yield from _paths(each, (*above, name))


def test_completion_of_the_shell() -> None:
    """The script for the shell that it is asked from, and what that script asks for."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash")
    asked = f"{shlex.quote(sys.executable)} -m moot --show-completion; true"
    script = subprocess.run([bash, "-c", asked], capture_output=True, text=True, timeout=60)
    assert "complete -o default -F _moot_completion moot" in script.stdout
    typed = {"_MOOT_COMPLETE": "complete_bash", "COMP_WORDS": "moot sh", "COMP_CWORD": "1"}
    offered = subprocess.run(
        [sys.executable, "-m", "moot"], env={**os.environ, **typed}, capture_output=True, text=True, timeout=60
    )
    assert offered.stdout.split() == ["show"]


def test_a_full_disk_behind_the_output_is_told_in_words() -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-m", "moot", "--help"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (done.returncode, done.stderr) == (1, "moot: No space left on device\n")
