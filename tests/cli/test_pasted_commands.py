"""Every command that is printed to be typed next can be pasted, also where a path has a space."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from source_trees import ROOT, trees_with

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.pasted import lines_of, pasted

COMMAND = re.compile(r"\bmoot (?!models )[a-z]+( -{1,2}[a-z-]+)*( FILE)?( -{1,2}[a-z-]+)* $")
"""What stands before a path: the command, and options that take one."""
QUOTED = {"pasted", "join"}
"""Functions that quote, and `shlex.join`."""
QUOTED_BEFORE = {"source", "graded", "graded_by"}
"""Attributes and names that hold what was quoted before: see `NextCommands`."""


def _calls_pasted(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func).endswith("pasted")


def unquoted(path: Path, tree: ast.Module) -> Iterator[str]:
    """What stands in the place of a path in a printed command, and is not made by `pasted`."""
    made = {
        name
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and any(map(_calls_pasted, ast.walk(node.value)))
        for target in node.targets
        for name in ast.unparse(target).strip("()").split(", ")
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.JoinedStr):
            continue
        for before, value in zip(node.values, node.values[1:], strict=False):
            if not isinstance(before, ast.Constant) or not isinstance(value, ast.FormattedValue):
                continue
            if not COMMAND.search(str(before.value)):
                continue
            shown = value.value
            called = isinstance(shown, ast.Call) and ast.unparse(shown.func).rpartition(".")[2] in QUOTED
            held = ast.unparse(shown).rpartition(".")[2]
            if not called and held not in made | QUOTED_BEFORE:
                yield f"{path.relative_to(ROOT)}:{value.lineno}: {ast.unparse(shown)}"


TAKEN_QUOTED = {"report/nothing_played.py": "file"}
"""Functions that are given what is quoted already."""
NO_PATH = {"entry.id", "server.port"}


def test_every_path_in_a_printed_command_is_quoted() -> None:
    found = [
        told
        for path, tree in trees_with(r"\bmoot [a-z]")
        for told in unquoted(path, tree)
        if told.split(": ")[1] != TAKEN_QUOTED.get(str(path.relative_to(ROOT))) and told.split(": ")[1] not in NO_PATH
    ]
    assert found == []


def test_a_path_is_one_word() -> None:
    assert pasted(Path("my cup.yaml")) == "'my cup.yaml'"
    assert pasted(Path("cup.yaml")) == "cup.yaml"
    assert pasted(None) == "FILE"


def test_what_follows_a_report_without_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("my cup.yaml").write_text(
        "name: cup\nquestions: {builtin: facts-en}\nmodels: {ann: {provider: simulated, accuracy: 0.8}}\n"
    )
    assert run_app(app, ["report", "my cup.yaml"]) == 2
    assert "moot run 'my cup.yaml'" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    "name", ["a folder with many words in its name", "bob's own folder, the old one", "папка с вопросами, старая"]
)
def test_no_line_ends_within_a_quoted_word(name: str) -> None:
    command = f"moot doctor {pasted(f'/home/ann/{name}/cup of spring.yaml')}"
    words = f"Next: {command}, then moot run {pasted('b.yaml')} asks those again whom nobody could reach, it's free"
    lines = lines_of(words, 60, break_long_words=False)
    assert any(command in line for line in lines)
    assert " ".join(lines) == words
    assert max(map(len, lines)) <= max(60, len(command) + 10)


def test_other_quotes_may_be_broken() -> None:
    words = "it answered: 'the server is on fire and will not come back before the end of the day', so moot run waits"
    assert max(map(len, lines_of(words, 40))) <= 40
