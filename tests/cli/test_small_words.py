"""Small things that a newcomer stumbles over, through the commands: names, places and numbers of what is told."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import get_args

import pytest
from beside import in_a_thread

from moot.cli import app as commands
from moot.cli import offers
from moot.cli.app import app
from moot.cli.exit import run_app
from moot.cli.offers import MENU_LINES, Offer
from moot.data import load
from moot.errors import UsageError
from moot.report.next_commands import NextCommands
from moot.simulate.server import running
from moot.types import QuestionKind

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")


def moot(*arguments: str) -> int:
    return run_app(app, [*arguments])


def test_files_of_one_name_in_two_folders_have_two_pages() -> None:
    pages = [NextCommands.of(path, None).page for path in (Path("cup.yaml"), Path("sub/cup.yaml"))]
    assert pages == ["cup.html", "sub/cup.html"]
    assert NextCommands.of(Path("sub/cup.v2.yaml"), None, served=True).page == "sub/cup.v2-served.html"
    assert NextCommands.of(None, "sqlite:///cup.db").page == "report.html"


def test_a_shell_that_is_named_gets_its_own_completion(capsys: Captured) -> None:
    assert moot("--show-completion", "zsh") == 0
    assert capsys.readouterr().out.startswith("#compdef moot")
    assert moot("--show-completion", "tcsh") == 2
    assert "expected bash, zsh, fish" in capsys.readouterr().err


def test_the_command_knows_the_kinds_of_questions_without_loading_them() -> None:
    assert get_args(commands.AskedKind) == get_args(QuestionKind)


def test_the_list_of_models_is_one_screen_and_none_is_lost(capsys: Captured) -> None:
    several = [Offer(f"model-{place}-{number}", f"server {place}") for place in range(4) for number in range(13)]
    offers.show(several, [0, 1])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= MENU_LINES
    assert max(map(len, lines)) <= 80
    assert lines[0].startswith(" *  1  model-0-0")
    assert any("more: model-3-" in line for line in lines)
    assert " -52  " in lines[-1] or "-52 " in lines[-1]
    offers.show(several, [0, 1], None)
    assert len(capsys.readouterr().out.splitlines()) == len(several)
    offers.show(several[:MENU_LINES], [0])
    assert len(capsys.readouterr().out.splitlines()) == MENU_LINES, "which need not be cut"


def test_the_list_of_models_is_counted_by_the_rows_of_the_screen(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where most entries are longer than a line."""
    long = ", simulated: not real, and told at length so that it goes on"
    several = [
        Offer(f"model-{number}", f"a server like Ollama at 127.0.0.1:1885{number % 10}{long}") for number in range(14)
    ]
    several += [Offer(f"other-{number}", f"one place, the same for all{long}{long}") for number in range(5)]
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    offers.show(several[:6], [0])
    assert len(capsys.readouterr().out.splitlines()) == 12, "which need not be cut"
    offers.show(several, [0])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= MENU_LINES
    assert max(map(len, lines)) <= 80
    assert lines[0].startswith(" *  1  model-0")
    assert "16-19  4 more: other-1, other-2" in lines[-1]
    offers.show(several, [0], None)
    assert len(capsys.readouterr().out.splitlines()) > 2 * len(several) - 1


def test_columns_without_a_name_are_told_as_such() -> None:
    Path("quiz.csv").write_text("| question | answer |\n| --- | --- |\n| Who is it? | Ann |\n")
    with pytest.raises(UsageError, match="two columns have no name; those with one are 'question', 'answer'"):
        list(load(Path("quiz.csv")))


LEARNING = """
name: cup
models: {ann: {provider: simulated, accuracy: 0.8}, bob: {provider: simulated, accuracy: 0.6}}
teams: {two: {players: [ann, bob]}}
strategies: [learnt, solo]
"""


def test_every_strategy_is_asked_but_the_one_that_learns_in_a_run(capsys: Captured) -> None:
    Path("cup.yaml").write_text(LEARNING)
    assert moot("ask", "Who?", "--team", "cup.yaml", "--all", "--no-log") == 0
    told = capsys.readouterr()
    assert "left out: two/learnt, which learns in a run" in " ".join(told.err.split())
    assert "solo@ann: " in told.out
    Path("cup.yaml").write_text(LEARNING.replace("learnt, solo", "learnt"))
    assert moot("ask", "Who?", "--team", "cup.yaml", "--all", "--no-log") == 2, "where nothing else is there"


def test_a_bar_separates_cells() -> None:
    path = Path("quiz.csv")
    path.write_text("question|answer\nWhat is the capital of France, by now?|Paris\nAnd of Spain; say it?|Madrid\n")
    assert [case.answer for case in load(path)] == ["Paris", "Madrid"]


def test_the_example_of_an_answer_is_no_column_that_would_be_played_as_it_stands(capsys: Captured) -> None:
    Path("quiz.tsv").write_text(
        "Frage\tKategorie\tGemeint\nWie heißt die Hauptstadt von Frankreich?\tgeo\tParis\n"
        "Und die von Italien?\tgeo\tRom\nUnd Norwegen?\tgeo\tOslo\n"
    )
    assert moot("init", "--yes", "--port", "9", "quiz.tsv") == 2
    said = capsys.readouterr().err
    assert "answer: WHICH_COLUMN}" in said
    assert "Kategorie (geo), Gemeint (Paris)" in said, "each with a value, so that one sees which it is"
    assert "answer: WHICH_COLUMN}" in Path("quiz.yaml").read_text()


def test_the_file_says_the_same_example_as_the_message(capsys: Captured) -> None:
    """Where neither the question nor the answer is known by its name; a number is nobody's question."""
    Path("quiz.csv").write_text(
        "Nr;Stichwort;Antwort A;Antwort B;Lösung\n1;größter Planet;Mars;Jupiter;B\n2;Hauptstadt von Italien;Rom;Oslo;A\n"
    )
    assert moot("init", "--yes", "--port", "9", "quiz.csv") == 2
    example = "choices: [Antwort A, Antwort B], answer: Lösung}"
    assert example in capsys.readouterr().err
    assert example in Path("quiz.yaml").read_text()


CUP = """
name: cup
questions: {builtin: facts-en, sample: 6}
models: {ann: {provider: simulated, accuracy: 0.8}}
"""


def test_the_stores_of_a_folder_and_what_was_tried_before(capsys: Captured) -> None:
    Path("sub").mkdir()
    Path("sub/cup.yaml").write_text(CUP)
    assert moot("run", "sub/cup.yaml", "--limit", "2", "--quiet") == 0
    assert moot("run", "sub/cup.yaml", "--quiet") == 0
    capsys.readouterr()
    assert moot("runs", "sub") == 0
    assert "also run on 2 questions" in " ".join(capsys.readouterr().out.split())
    assert moot("report") == 2
    assert "moot runs lists" in capsys.readouterr().err
    shutil.rmtree("sub")
    Path("sub").mkdir()
    assert moot("runs", "sub") == 2
    assert "no store in the folder sub" in capsys.readouterr().err


def test_a_server_that_does_not_repeat_the_name_is_told_with_the_line_too(capsys: Captured) -> None:
    with in_a_thread(running({"like": "ollama", "models": {"gemma-3-27b": {"accuracy": 0.5}}})) as server:
        endpoint = f"{{provider: endpoint, base_url: '{server.base_url}', model: gema-3-27b}}"
        Path("cup.yaml").write_text(CUP.replace("{provider: simulated, accuracy: 0.8}", endpoint))
        assert moot("run", "cup.yaml") == 1
    assert "(cup.yaml:4: models.ann)" in " ".join(capsys.readouterr().err.split())
