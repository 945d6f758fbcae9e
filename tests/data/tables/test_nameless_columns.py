"""A CSV file may leave a name blank: an index that pandas wrote, a comma at the end of a line. No file can name that column."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from moot.cli.asked_columns import find_questions
from moot.data import load
from moot.errors import FileError

ROWS = [(f"{n}", f"What is thing {n}?", f"word{n}") for n in range(12)]
HEADERS = {
    "of its own": ("question", "answer"),
    "not known": ("question", "target_word"),
    "ours": ("id,text", "answer"),
}


def file(folder: Path, text: str, answer: str, *, first: bool) -> Path:
    """With the numbers of its rows under no name, or with nothing under one more."""
    ours = "," in text
    lines = [f"{text},{answer}", *(f"{f'q{n},' if ours else ''}{asked},{said}" for n, asked, said in ROWS)]
    index = ["", *(n for n, _, _ in ROWS)]
    path = folder / "cup.csv"
    path.write_text("".join(f"{n},{line}\n" if first else f"{line},\n" for n, line in zip(index, lines, strict=True)))
    return path


@pytest.mark.parametrize("first", [True, False], ids=["an index", "a comma at the end"])
@pytest.mark.parametrize("header", HEADERS)
def test_init_writes_what_can_be_read(
    header: str, first: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = file(tmp_path, *HEADERS[header], first=first)
    found = find_questions(path, tmp_path / "moot.yaml", yes=True, small=False)
    assert found.unsettled is None
    assert '""' not in json.dumps(found.written.keys)
    said = capsys.readouterr().out
    assert said.count("not used:") == said.count("not used: a column without a name") == 1


@pytest.mark.parametrize("first", [True, False], ids=["an index", "a comma at the end"])
@pytest.mark.parametrize("header", ["of its own", "ours"])
def test_and_a_run_reads_it_as_without_that_column(header: str, first: bool, tmp_path: Path) -> None:
    dataset = load(file(tmp_path, *HEADERS[header], first=first))
    assert [case.question.text for case in dataset] == [asked for _, asked, _ in ROWS]
    assert "not used: a column without a name" in " ".join(dataset.notes)


@pytest.mark.parametrize("header", ["id,text,answer", "question,answer"])
def test_several_that_hold_nothing_are_nothing(header: str, tmp_path: Path) -> None:
    """As a spreadsheet writes it of which columns were emptied."""
    path, ours = tmp_path / "cup.csv", header.startswith("id")
    rows = [f"{f'q{n},' if ours else ''}{asked},{said},,," for n, asked, said in ROWS]
    path.write_text("\n".join([f"{header},,,", *rows]))
    assert [case.question.text for case in load(path)] == [asked for _, asked, _ in ROWS]
    assert find_questions(path, tmp_path / "moot.yaml", yes=True, small=False).unsettled is None
    path.write_text("\n".join([f"{header},,,", *rows[:-1], rows[-1] + "more"]))
    with pytest.raises(FileError, match=r"two columns have no name; those with one are .*'answer'"):
        load(path)


def test_a_column_too_many_of_our_form_is_named_without_it(tmp_path: Path) -> None:
    path = tmp_path / "cup.csv"
    path.write_text(",id,text,answer,round\n0,1,What?,x,3\n")
    with pytest.raises(FileError, match=r"round.*columns: \{meta: \[round\]\}"):
        load(path)


def test_a_menu_does_not_offer_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "cup.csv"
    path.write_text(",Statement,Verdict\n0,The sun is a star,hot\n1,The moon is a star,cold\n")
    monkeypatch.setattr("sys.stdin", io.StringIO("\n" * 9))
    find_questions(path, tmp_path / "moot.yaml", yes=False, small=False)
    menus = [line for line in capsys.readouterr().out.splitlines() if line[:6].strip().isdigit()]
    assert menus
    assert not [line for line in menus if line.split()[0] == "1"]
