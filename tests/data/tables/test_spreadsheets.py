"""Spreadsheets: as people mean them, and no further than a file of questions can need."""

from __future__ import annotations

import importlib.util
import zipfile
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from workbooks import PERCENT, PERCENT_WITH_A_SPACE, QUOTED_PERCENT, Shown, workbook

from moot.data import load
from moot.data.tables import spreadsheets
from moot.data.tables.proposal import Stated
from moot.errors import FileError
from moot.grade.match import match

HEADER = ["id", "question", "answer"]


def test_numbers_are_read_as_they_are_stored_and_that_is_said(tmp_path: Path) -> None:
    rows = [[1.0, "one and a half?", 1.5], [2, "a sum?", 0.1 + 0.2], ["03", "true?", True], [4, "below?", -3.0]]
    cases = list(dataset := load(workbook(tmp_path / "cup.xlsx", {"Cup": [HEADER, *rows]})))
    assert "answer: numbers are read as they are stored, not as their cells are formatted" in dataset.notes[0]
    texts = [[1, "one?", "001"], [2, "two?", "3.14"]]
    written = load(workbook(tmp_path / "texts.xlsx", {"Cup": [HEADER, *texts]}))
    assert [case.answer for case in written] == ["001", "3.14"]
    assert not any("stored" in note for note in written.notes), "an id may look as it likes"
    assert [case.question.id for case in cases] == ["1", "2", "03", "4"]
    assert [case.answer for case in cases] == ["1.5", "0.3", "TRUE", "-3"]


def test_the_first_sheet_or_the_one_that_is_named(tmp_path: Path) -> None:
    path = workbook(
        tmp_path / "cup.xlsx", {"Spring": [HEADER, [1, "a", "b"]], "Autumn": [[], HEADER, [], [2, "c", "d"]]}
    )
    (case,) = dataset = load(path)
    assert case.question.id == "1"
    assert "the sheet 'Spring' is read, one of Spring, Autumn" in dataset.notes[0]
    (placed,) = load(path, stated=Stated(sheet="Autumn")).placed()
    assert (placed.case.question.id, placed.line) == ("2", 4)
    with pytest.raises(FileError, match=r"no sheet 'Autum'; expected one of Spring, Autumn; did you mean 'Autumn'"):
        load(path, stated=Stated(sheet="Autum"))


def test_where_the_first_sheet_is_none_of_questions_the_others_are_named(tmp_path: Path) -> None:
    cover, questions = [["Quiz 2026"], ["by us"]], [HEADER, [1, "a", "b"]]
    with pytest.raises(FileError) as caught:
        load(workbook(tmp_path / "cup.xlsx", {"Cover": cover, "Autumn": questions}))
    said = str(caught.value)
    assert "this is the sheet 'Cover', beside Autumn; sheet: Autumn reads the one whose columns are known" in said
    with pytest.raises(FileError, match=r"this is the sheet 'Cover', beside A, B; sheet: NAME reads another"):
        load(workbook(tmp_path / "two.xlsx", {"Cover": cover, "A": questions, "B": questions}))
    with pytest.raises(FileError) as caught:
        load(workbook(tmp_path / "one.xlsx", {"Cover": cover}))
    assert "sheet:" not in str(caught.value), "there is no other"


def test_a_title_above_the_header_is_no_header(tmp_path: Path) -> None:
    with pytest.raises(FileError) as caught:
        load(workbook(tmp_path / "cup.xlsx", {"Cup": [["My quiz", None, None], HEADER, [1, "a?", "b"]]}))
    said = str(caught.value)
    assert "row 1 names 1 of 3 columns: is it a title? The first row has to be the one that names them" in said
    assert "columns: {" not in said, "what is written there would make a question of the header"


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        (date(2024, 2, 1), "answer: found a date or a time (2024-02-01)"),
        (1e17, "answer: found a number of more digits"),
        (float("nan"), "answer: found nan, which is no number"),
        (float("inf"), "answer: found inf, which is no number"),
    ],
)
def test_what_a_spreadsheet_has_mangled_is_refused_where_it_is_used(tmp_path: Path, cell: Any, message: str) -> None:
    path = workbook(tmp_path / "cup.xlsx", {"Cup": [[*HEADER, "entered"], [1, "half?", cell, cell]]})
    with pytest.raises(FileError) as caught:
        load(path)
    assert f"cup.xlsx:2: {message}" in str(caught.value)
    workbook(path, {"Cup": [[*HEADER, "entered"], [1, "half?", "1/2", cell]]})
    assert [case.answer for case in load(path)] == ["1/2"]


def test_cells_too_far_apart_are_refused(tmp_path: Path) -> None:
    """A kilobyte whose cells span seventeen thousand million."""
    far = '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
    with pytest.raises(FileError, match=r"cup\.xlsx: takes more memory or time to unpack"):
        load(workbook(tmp_path / "cup.xlsx", {"Cup": far}))


def test_what_says_that_it_unpacks_to_more_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = workbook(tmp_path / "cup.xlsx", {"Cup": [HEADER, [1, "a", "b"]]})
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("xl/more.xml", bytes(200_000))
    monkeypatch.setattr(spreadsheets, "MOST_DOCUMENT", 100_000)
    with pytest.raises(FileError, match=r"cup\.xlsx: is longer than 100,000 bytes"):
        load(path)


OPEN = "urn:oasis:names:tc:opendocument:xmlns:"
CONTENT = f"""<office:document-content xmlns:office="{OPEN}office:1.0" xmlns:table="{OPEN}table:1.0" xmlns:text="{OPEN}text:1.0">
<office:body><office:spreadsheet><table:table table:name="Cup">
<table:table-row><table:table-cell office:value-type="string"><text:p>question</text:p></table:table-cell>
<table:table-cell office:value-type="string"><text:p>answer</text:p></table:table-cell></table:table-row>
<table:table-row><table:table-cell office:value-type="string"><text:p>How many?</text:p></table:table-cell>
<table:table-cell office:value-type="float" office:value="7"><text:p>7,00</text:p></table:table-cell></table:table-row>
<table:table-row table:number-rows-repeated="1048574"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>
</table:table></office:spreadsheet></office:body></office:document-content>"""
MANIFEST = f'<manifest:manifest xmlns:manifest="{OPEN}manifest:1.0"></manifest:manifest>'


def test_an_open_document_with_a_million_empty_rows(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "cup.ods", "w") as packed:
        packed.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        packed.writestr("META-INF/manifest.xml", MANIFEST)
        packed.writestr("content.xml", CONTENT.replace("\n", ""))
    (case,) = load(tmp_path / "cup.ods")
    assert (case.question.text, case.answer) == ("How many?", "7")


def test_a_row_that_comes_a_million_times_is_refused(tmp_path: Path) -> None:
    """By a few bytes of the file; the header may be such a row too."""
    repeated = '<table:table-row table:number-rows-repeated="4000000000">'
    with zipfile.ZipFile(tmp_path / "cup.ods", "w") as packed:
        packed.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        packed.writestr("META-INF/manifest.xml", MANIFEST)
        packed.writestr("content.xml", CONTENT.replace("\n", "").replace("<table:table-row>", repeated, 1))
    with pytest.raises(FileError, match=r"cup\.ods:101: the same row comes more than 100 times"):
        load(tmp_path / "cup.ods")


@pytest.mark.parametrize("name", ["cup.xlsx", "cup.xls", "cup.ods"])
@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 and then nothing", b"id,question,answer\n1,a,b\n"])
def test_what_is_no_spreadsheet_is_said(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(FileError, match="not a readable spreadsheet"):
        load(tmp_path / name)


def test_without_the_extra_it_is_said_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(FileError, match=r"needs the extra excel: pip install 'moot\[excel\]'; or save it as CSV"):
        load(workbook(tmp_path / "cup.xlsx", {"Cup": [HEADER]}))


def test_a_percentage_is_what_is_shown(tmp_path: Path) -> None:
    """Stored is 0.02; whoever says 2% is right, and whoever says 0.02% is not."""
    shown = [Shown(0.02, PERCENT), Shown(0.07, PERCENT_WITH_A_SPACE), Shown(0.125, PERCENT), Shown(1.5, PERCENT)]
    rows = [
        [],
        *([None, None, number, f"Which share has office {number}?", cell] for number, cell in enumerate(shown, 1)),
    ]
    rows += [[None, None, 5, "And how many?", Shown(0.5, QUOTED_PERCENT)], [None, None, 6, "And in all?", 0.25]]
    cases = list(
        dataset := load(
            workbook(
                tmp_path / "q.xlsx",
                {"Other": [["x"], ["y"]], "Q": [[], [None, None, *HEADER], *rows]},
            ),
            stated=Stated(sheet="Q"),
        )
    )
    assert [case.answer for case in cases] == ["2%", "7%", "12.5%", "150%", "0.5", "0.25"]
    assert "answer: numbers are read as they are stored" in dataset.notes[0], "of those that are no percentages"
    said = {"2%": 1.0, "2 %": 1.0, "0.02": 1.0, "0.02%": 0.0, "2": 1.0, "20%": 0.0}
    assert {answer: match(cases[0], answer).value for answer in said} == said


def test_an_open_document_says_which_are_percentages(tmp_path: Path) -> None:
    cells = "".join(
        f'<table:table-row><table:table-cell office:value-type="string"><text:p>{question}</text:p></table:table-cell>{answer}'
        "</table:table-row>"
        for question, answer in (
            ("question", '<table:table-cell office:value-type="string"><text:p>answer</text:p></table:table-cell>'),
            (
                "a share?",
                '<table:table-cell office:value-type="percentage" office:value="0.02"><text:p>2%</text:p></table:table-cell>',
            ),
            (
                "a number?",
                '<table:table-cell office:value-type="float" office:value="0.5"><text:p>0.5</text:p></table:table-cell>',
            ),
        )
    )
    names = " ".join(
        f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{short}:1.0"' for short in ("office", "table", "text")
    )
    table = f'<table:table table:name="Q">{cells}</table:table>'
    body = f"<office:body><office:spreadsheet>{table}</office:spreadsheet></office:body>"
    with zipfile.ZipFile(tmp_path / "q.ods", "w") as packed:
        packed.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        packed.writestr(
            "META-INF/manifest.xml", '<manifest xmlns="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>'
        )
        packed.writestr("content.xml", f"<office:document-content {names}>{body}</office:document-content>")
    assert [case.answer for case in load(tmp_path / "q.ods")] == ["2%", "0.5"]


@pytest.mark.parametrize(
    ("question", "header", "refused"),
    [
        ("Which percentage of staff?", "answer", True),
        ("Какой процент?", "answer", True),
        ("Wie viel Prozent?", "answer", True),
        ("Which share?", "answer", False),
    ],
)
def test_where_nobody_can_tell_a_share_that_is_asked_for_in_percent_is_asked_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, question: str, header: str, refused: bool
) -> None:
    path = workbook(tmp_path / "q.xlsx", {"Q": [["id", "question", header], [1, question, 0.02], [2, "How many?", 5]]})
    whole = spreadsheets._said

    def as_of_an_old_file(path: Path, named: str | None) -> Any:
        for place, said in enumerate(whole(path, named)):
            yield {**said, "formats": False} if place == 0 else said

    monkeypatch.setattr(spreadsheets, "_said", as_of_an_old_file)
    if refused:
        with pytest.raises(
            FileError, match=r"percent is asked for, and 1 of the answers .* such as 0.02: .* save it as"
        ):
            load(path)
    else:
        assert "and 2 % is 0.02" in load(path).notes[0]
