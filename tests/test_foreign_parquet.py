"""Parquet files of strangers: read by their own name, up to a size, and told in one message where they cannot be."""

from __future__ import annotations

import datetime
import os
import random
import tracemalloc
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from moot import foreign_parquet
from moot.data import load, load_published
from moot.data.formats import dataset_format
from moot.errors import FileError
from moot.foreign_parquet import directory, parquet_opened
from moot.select.files import read_labels

TRIES = int(os.environ.get("MOOT_FUZZ", "150"))


def questions(path: Path, **columns: Any) -> Path:
    """Two questions with more columns."""
    pl.DataFrame({"id": ["1", "2"], "text": ["t", "u"], "answer": ["a", "b"], **columns}).write_parquet(path)
    return path


def labels(path: Path, right: int) -> Path:
    """Ten questions, of which so many are answered rightly."""
    said = ["a"] * right + ["b"] * (10 - right)
    table = pl.DataFrame(
        {"question_id": [str(number) for number in range(10)], "model": "m", "pred": said, "answer": "a"}
    )
    match path.suffix:
        case ".parquet":
            table.write_parquet(path)
        case ".csv":
            table.write_csv(path)
        case _:
            table.write_ndjson(path)
    return path


@pytest.mark.parametrize("name", ["q[1].parquet", "q?.parquet", "q*.parquet"])
def test_a_question_file_is_read_by_its_own_name(name: str, tmp_path: Path) -> None:
    questions(tmp_path / "q1.parquet", comment=["theirs", "theirs"])
    questions(tmp_path / name, comment=["ours", "ours"])
    assert {case.comment for case in load(tmp_path / name)} == {"ours"}


@pytest.mark.parametrize("ending", ["parquet", "csv", "jsonl"])
@pytest.mark.parametrize("name", ["q[1]", "q?", "q*", "~"])
def test_labels_are_read_by_their_own_name(name: str, ending: str, tmp_path: Path) -> None:
    labels(tmp_path / f"q1.{ending}", 10)
    found = read_labels(labels(tmp_path / f"{name}.{ending}", 3))
    assert found.right.sum() == 3


def test_a_small_file_that_unpacks_to_much_is_refused_before_it_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(directory, "MOST_DOCUMENT", 1_000_000)
    path = questions(tmp_path / "q.parquet", comment=["x" * 1_100_000, None])
    assert path.stat().st_size < 10_000
    words = r": comment: one row group unpacks to 1,1\d\d,\d\d\d bytes; at most 1,000,000"
    with pytest.raises(FileError, match=words):
        load(path)
    said = {"question_id": ["1"], "model": "m", "pred": "x" * 1_100_000, "answer": "a"}
    pl.DataFrame(said).write_parquet(tmp_path / "l.parquet")
    with pytest.raises(FileError, match=": pred: one row group unpacks"):
        read_labels(tmp_path / "l.parquet")


def test_a_row_is_as_long_as_a_line_may_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foreign_parquet, "MOST_LINE", 1_000_000)
    long = "x" * 500_000
    table = {"id": ["1", "2"], "text": ["t", "u"], "answer": ["a", "b"], "accepted": [None, [long, long]]}
    pl.DataFrame(table).write_parquet(tmp_path / "q.parquet")
    with pytest.raises(FileError, match=r"q\.parquet:2: the row is longer"):
        load(tmp_path / "q.parquet")


def test_the_line_of_a_long_row_is_told_in_a_long_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foreign_parquet, "MOST_LINE", 10_000)
    numbers = range(1, 2_006)
    texts = ["x" * (20_000 if number == 2_003 else 1) for number in numbers]
    pl.DataFrame({"id": map(str, numbers), "text": texts, "answer": "a"}).write_parquet(tmp_path / "q.parquet")
    with pytest.raises(FileError, match=r"q\.parquet:2003: the row is longer"):
        load(tmp_path / "q.parquet")


def test_rows_are_read_by_as_many_as_make_a_line_and_never_of_two_row_groups(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each row group may be as large as is read at once."""
    monkeypatch.setattr(foreign_parquet, "MOST_LINE", 1_000_000)
    path = tmp_path / "q.parquet"
    table = pl.DataFrame({"id": map(str, range(14)), "text": "x" * 400_000})
    table.write_parquet(path, row_group_size=7)
    with parquet_opened(path) as file:
        frames = list(file.slices())
    assert [frame.height for frame in frames] == [2, 2, 2, 1] * 2
    assert pl.concat(frames).equals(table)


def test_a_null_that_stands_for_a_long_array_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foreign_parquet, "MOST_VALUES", 1_000)
    kind = pl.Array(pl.Struct({"a": pl.String, "b": pl.List(pl.Int8)}), 300)
    path = questions(tmp_path / "q.parquet", accepted=pl.Series([None, None], dtype=kind))
    assert path.stat().st_size < 10_000
    with pytest.raises(FileError, match="accepted: one row group has 1,200 values in arrays; at most 1,000 are read"):
        load(path)
    four = pl.Series([["w", "x", "y", "z"], None], dtype=pl.Array(pl.String, 4))
    assert [len(case.accepted) for case in load(questions(path, accepted=four))] == [4, 0]


def test_cells_that_share_a_long_text_are_not_written_out_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(foreign_parquet, "MOST_LINE", 1_000_000)
    path = tmp_path / "q.parquet"
    numbers = [str(number) for number in range(200)]
    pl.DataFrame({"id": numbers, "text": "x" * 100_000, "answer": "a"}).write_parquet(path)
    assert path.stat().st_size < 10_000
    tracemalloc.start()
    try:
        assert len(load(path)) == 200
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 10_000_000, "20 MB of texts were in memory at once"


def test_too_many_columns_and_levels_are_refused(tmp_path: Path) -> None:
    wide = tmp_path / "wide.parquet"
    pl.DataFrame({f"c{number}": [1] for number in range(directory.MOST_COLUMNS)}).write_parquet(wide)
    deep: Any = 1
    for _ in range(40):
        deep = {"in": deep}
    with pytest.raises(FileError, match="columns; at most 2,000 are read"):
        load(wide)
    with pytest.raises(FileError, match="levels; at most 32 are read"):
        load(questions(tmp_path / "deep.parquet", meta=[deep, deep]))


def test_a_column_that_is_no_key_is_refused_before_it_is_read(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"q\.parquet: comments: unknown key; .*did you mean 'comment'"):
        load(questions(tmp_path / "q.parquet", comments=["x", None]))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes among files on this system")
def test_a_pipe_in_a_folder_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.parquet")
    with pytest.raises(FileError, match="found a pipe or a device"):
        load_published(tmp_path, dataset_format("gpqa"))


OUT_OF_RANGE = pl.Series([2**62, None])


@pytest.mark.parametrize(
    ("key", "column", "words"),
    [
        ("comment", OUT_OF_RANGE.cast(pl.Datetime("ms")), r"comment: expected texts, .* found Datetime"),
        ("comment", OUT_OF_RANGE.cast(pl.Duration("ms")), r"comment: expected texts, .* found Duration"),
        ("comment", pl.Series([b"x", None]), r"comment: expected a text, found bytes"),
        ("comment", pl.Series([datetime.date(2020, 1, 1), None]), r"comment: expected a text, found date"),
        ("meta", pl.Series([{"when": datetime.date(2020, 1, 1)}, None]), r"meta: expected nothing but JSON .* date"),
        ("meta", pl.Series([{"in": [{"raw": b"x"}]}, None]), r"meta: expected nothing but JSON in it, found bytes"),
        ("comment", pl.Series([float("inf"), None]), r"comment: expected a text, found a number that is none"),
    ],
)
def test_an_odd_column_is_told_by_its_key(key: str, column: pl.Series, words: str, tmp_path: Path) -> None:
    with pytest.raises(FileError, match=rf"q\.parquet(:1)?: {words}"):
        load(questions(tmp_path / "q.parquet", **{key: column}))


@pytest.mark.parametrize(
    ("pred", "words"),
    [
        (pl.Series([["a"], None]), "pred: expected texts or numbers, found List"),
        (pl.Series([b"a", None]), "pred: expected texts or numbers, found Binary"),
        (pl.Series([{"a": 1}, None]), "pred: expected texts or numbers, found Struct"),
        (OUT_OF_RANGE.cast(pl.Datetime("ms")), "pred: expected texts or numbers, found Datetime"),
    ],
)
def test_odd_labels_are_told_by_their_column(pred: pl.Series, words: str, tmp_path: Path) -> None:
    path = tmp_path / "l.parquet"
    pl.DataFrame({"question_id": ["1", "2"], "model": "m", "pred": pred, "answer": "a"}).write_parquet(path)
    with pytest.raises(FileError, match=words):
        read_labels(path)


def test_numbers_as_labels_have_one_spelling(tmp_path: Path) -> None:
    """A column with one fraction in it is all floats: what is whole there is still what others call by whole numbers."""
    path = tmp_path / "l.parquet"
    pred = [1.0, 2.5, 1e20, float("inf"), float("nan"), None]
    table = {"question_id": [*"123456"], "model": "m", "pred": pred, "answer": [1, 2, 3, 4, 5, 6]}
    pl.DataFrame(table).write_parquet(path)
    found = read_labels(path, kind="choices")
    assert [None if code < 0 else found.classes[code] for code in found.codes[0]][:1] == ["1"]
    assert {"2.5", "inf"} <= set(found.classes)
    assert (found.codes[0] < 0).sum() == 2


def test_a_file_with_flipped_bytes_is_read_or_refused(tmp_path: Path) -> None:
    whole = questions(tmp_path / "q.parquet", accepted=[["x"], ["y", "z"]], year=[1999, None]).read_bytes()
    path = tmp_path / "f.parquet"
    draw = random.Random(7)
    refused = 0
    for _ in range(TRIES):
        flipped = bytearray(whole)
        for _ in range(draw.randint(1, 5)):
            flipped[draw.randrange(len(flipped))] = draw.randrange(256)
        path.write_bytes(flipped)
        try:
            load(path)
        except FileError:
            refused += 1
    assert refused > TRIES // 4
