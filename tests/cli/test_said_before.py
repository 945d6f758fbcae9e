"""What a strategy wants to be known before it is played is said by every command that plays it, and once."""

from __future__ import annotations

from pathlib import Path

import pytest

from moot import load_team
from moot.cli.app import app
from moot.cli.exit import run_app

SAID = "with three agents majority-consensus and supermajority-consensus are the same"

FILE = """
name: cup
questions: {builtin: general-en, sample: 2}
models:
  ann: {provider: simulated, accuracy: 0.7}
  bob: {provider: simulated, accuracy: 0.7}
  cat: {provider: simulated, accuracy: 0.7}
teams:
  three: {players: [ann, bob, cat], captain: each}
strategies:
  - discuss: {decision: majority-consensus}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "cup.yaml"
    path.write_text(FILE)
    return path


@pytest.mark.parametrize("command", ["run FILE --quiet", "ask --team FILE Why?"])
def test_commands_say_it_once(command: str, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(app, [str(file) if word == "FILE" else word for word in command.split()]) == 0
    assert " ".join(capsys.readouterr().err.split()).count(SAID) == 1


async def test_a_team_that_is_served_says_it(file: Path) -> None:
    with pytest.warns(UserWarning, match=SAID):
        async with load_team(file) as team:
            assert (await team.ask("Why?")).answer is not None
