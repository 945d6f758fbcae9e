"""What is to be known of a file before it is played is said by whatever plays it first, and once."""

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


READ = "q.csv: by their names, columns: {text: Question, answer: Correct}"


def told(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    capsys.readouterr()
    assert run_app(app, list(words)) == 0
    return " ".join(capsys.readouterr().err.split())


def test_how_a_table_was_read_is_said_until_a_run_has_said_it(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(file.parent)
    monkeypatch.setenv("COLUMNS", "200")
    cup = FILE.replace("{builtin: general-en, sample: 2}", "{file: q.csv}")
    file.write_text(cup)
    Path("q.csv").write_text("Question,Correct\nWhich?,one\nWho?,two\nWhere?,three\n")
    for command in ("doctor", "run --estimate", "doctor", "run --quiet --limit 1"):
        assert told(capsys, *command.split(), "cup.yaml").count(READ) == 1, command
    for command in ("run --estimate", "run --quiet", "run", "run"):
        said = told(capsys, *command.split(), "cup.yaml")
        assert READ not in said, command
        assert said.count(SAID) == (1 if "--" in command else 0), "said of these three questions by their first run"
    assert READ in told(capsys, "doctor", "cup.yaml"), "whoever looks for what is wrong is told"
    file.write_text(cup.replace("majority-consensus}", "unanimity-consensus}"))
    assert READ not in told(capsys, "run", "--quiet", "cup.yaml"), "the same questions, in another plan"
    Path("q.csv").write_text("Question,Correct\nWhich?,one\nWho?,two\n")
    assert READ in told(capsys, "run", "--quiet", "cup.yaml")
    assert READ in told(capsys, "run", "--quiet", "cup.yaml", "--store", "sqlite:///other.db")
