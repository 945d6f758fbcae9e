"""Commas, semicolons and tabs are told apart, whatever stands in the cells."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moot.data import load
from moot.data.rows import csv_cells, csv_names
from moot.errors import FileError

CELLS = st.text(st.sampled_from(list('ab,;\t"\n |é')), min_size=1, max_size=8).map(lambda text: f"x{text}y")
NAMES = ("question", "answer", "topic", "note")


def written(path: Path, rows: Sequence[Sequence[str]], delimiter: str) -> Path:
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter).writerows(rows)
    path.write_text(text.getvalue(), encoding="utf-8", newline="")
    return path


@given(
    st.integers(2, 4).flatmap(lambda width: st.lists(st.lists(CELLS, min_size=width, max_size=width), max_size=6)),
    st.sampled_from(",;\t"),
)
@settings(max_examples=60, deadline=None)
def test_what_was_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[str]], delimiter: str
) -> None:
    names = NAMES[: len(rows[0]) if rows else 2]
    path = written(tmp_path_factory.getbasetemp() / "any.csv", [names, *rows], delimiter)
    assert csv_names(path) == tuple(names)
    assert [list(cells.values()) for _, cells in csv_cells(path)] == rows


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("question;answer, if any\na;b\nc;d\n", ("question", "answer, if any")),
        ("question,answer; if any\na,b\nc,d\n", ("question", "answer; if any")),
        ('"question;x",answer\n1;2;3,b\n', ("question;x", "answer")),
        ("question;answer,x\na;b,c\n", ("question", "answer,x")),  # both fit every row: one of the names is known
        # rows at commas and at tabs, which are as good: the names decide between these, and semicolons are none of them
        ("question,a\tb;answer;topic\nx,y\tz\nv,w\tu\n", ("question", "a\tb;answer;topic")),
        ("question\tanswer\na;b,c\td\n", ("question", "answer")),
        ("question\n", ("question",)),
        ("\ufeffquestion;answer\r\na;b\r\n", ("question", "answer")),
    ],
)
def test_a_header_that_can_be_cut_twice_is_decided_by_rows_and_names(
    tmp_path: Path, text: str, names: tuple[str, ...]
) -> None:
    path = tmp_path / "cup.csv"
    path.write_text(text, encoding="utf-8", newline="")
    assert csv_names(path) == names


def test_two_ways_to_cut_that_are_as_good_as_each_other_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "cup.csv"
    path.write_text("a;b,c\n1;2,3\n")
    with pytest.raises(FileError, match=r"cup\.csv:1: it can be cut at .*commas.*semicolons|semicolons.*commas"):
        csv_names(path)


@pytest.mark.parametrize(
    ("text", "encoding", "likely"),
    [
        ("вопрос;ответ\nКто написал «Одиссею»?;Гомер\n", "cp1251", "cp1251"),
        ("question;answer\nOù est la Sorbonne, à côté?;café\n", "cp1252", r"cp1252 \(Latin-1\)"),
        (f"id,text,answer\n{'éÿ' * 100},b,c\n", "latin-1", r"cp1252 \(Latin-1\)"),
        ("spurning;svar\nHvað þýðir orðið þú?;þín þörf\n", "cp1252", r"cp1252 \(Latin-1\)"),  # ð and í are р and н
        ("question;answer\na;b\n", "utf-16", "UTF-16"),
    ],
)
def test_what_is_no_utf8_is_said_to_be_what_it_is_likely_to_be(
    tmp_path: Path, text: str, encoding: str, likely: str
) -> None:
    path = tmp_path / "cup.csv"
    path.write_bytes(text.encode(encoding))
    with pytest.raises(FileError, match=rf"expected UTF-8 text \(.*\); it looks like {likely}: save it as UTF-8"):
        list(csv_cells(path))


BAD = "Köln".encode("latin-1")


@pytest.mark.parametrize(
    ("before", "line"),
    [
        (b"", 1),
        (b"question,answer\nWhich?,a\n", 3),
        (b"\xef\xbb\xbfquestion,answer\r\nWhich?,a\r\nWho?,", 3),
        (b"question,answer\n" + b"Which?,a\n" * 20_000, 20_002),
        (b"question,answer\r\n" + b"Which?,ab\r\n" * 20_000, 20_002),
        (b"question,answer\n" + "Wie heißt sie?,größer\n".encode() * 9_000, 9_002),
        (b'question,answer\n"one\ntwo\nthree ', 4),
    ],
)
@pytest.mark.parametrize("ending", [".csv", ".json"])
def test_the_line_that_holds_the_byte_is_blamed(before: bytes, line: int, ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"latin1{ending}"
    path.write_bytes(before + BAD + b",x\nWhere?,b\n" * 3)
    with pytest.raises(FileError, match="expected UTF-8 text") as error:
        load(path)
    assert error.value.line == line


def test_a_letter_that_is_cut_off_at_the_end_is_on_the_last_line(tmp_path: Path) -> None:
    path = tmp_path / "cut.csv"
    path.write_bytes(b"question,answer\nWhich?,a\nWho?,\xc3")
    with pytest.raises(FileError, match="expected UTF-8 text") as error:
        load(path)
    assert error.value.line == 3
