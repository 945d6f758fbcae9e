"""Files of questions: the same cases from every format, samples that stay the same, and nothing held in memory."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars
import pytest

from moot import foreign_files
from moot.data import Dataset, by_cluster, load
from moot.data.clusters import clusters_of
from moot.errors import FileError
from moot.types import Case, HumanRate

ROWS: list[dict[str, Any]] = [
    {
        "id": "1",
        "text": "Who, then?",
        "answer": "Ann",
        "accepted": ["Anna", "A|nn"],
        "human": {"solved": 1, "asked": 2},
    },
    {"id": "2", "text": 'Two\nlines and "quotes"', "choices": ["x", "y"], "answer": "B", "year": 1999},
    {"id": "3", "text": "Ёлка?", "answer": None, "context": "…", "lemmatize": True, "meta": {"tour": "2"}},
]


def as_jsonl(path: Path) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS), encoding="utf-8")
    return path


def as_json(path: Path) -> Path:
    path.write_text(json.dumps(ROWS, indent=2), encoding="utf-8-sig")
    return path


def as_csv(path: Path) -> Path:
    lines = [
        "id,text,answer,accepted,human,choices,year,context,lemmatize,meta.tour",
        '1,"Who, then?",Ann,"[""Anna"", ""A|nn""]","{""solved"": 1, ""asked"": 2}",,,,,',
        '2,"Two\nlines and ""quotes""",B,,,x | y,1999,,false,',
        "3,Ёлка?,[UNKNOWN],,,,,…,TRUE,2",
    ]
    path.write_text("\ufeff" + "\r\n".join(lines) + "\r\n", encoding="utf-8", newline="")
    return path


def as_parquet(path: Path) -> Path:
    polars.DataFrame(ROWS, infer_schema_length=None).write_parquet(path)
    return path


WRITERS: dict[str, Callable[[Path], Path]] = {
    "cup.jsonl": as_jsonl,
    "cup.json": as_json,
    "cup.CSV": as_csv,
    "cup.parquet": as_parquet,
}


@pytest.mark.parametrize(("name", "write"), WRITERS.items(), ids=WRITERS)
def test_every_format_says_the_same(name: str, write: Callable[[Path], Path], tmp_path: Path) -> None:
    dataset = load(write(tmp_path / name))
    first, second, third = dataset
    assert len(dataset) == 3
    assert (first.accepted, first.human) == (("Anna", "A|nn"), HumanRate(1, 2))
    assert second.question.text == 'Two\nlines and "quotes"'
    assert (second.question.choices, second.answer, second.year) == (("x", "y"), "B", 1999)
    assert (third.answer, third.lemmatize, third.meta, third.question.context) == (None, True, {"tour": "2"}, "…")
    again = load(as_jsonl(tmp_path / "again.jsonl"))
    assert [case.digest for case in dataset] == [case.digest for case in again]


def test_a_byte_order_mark_and_blank_lines_are_no_questions(tmp_path: Path) -> None:
    path = as_jsonl(tmp_path / "cup.jsonl")
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n\r\n"))
    assert [case.question.id for case in load(path)] == ["1", "2", "3"]


def test_the_line_of_a_csv_row_is_where_it_begins(tmp_path: Path) -> None:
    path = tmp_path / "cup.csv"
    path.write_text('id,text,answer\n1,"a\nb\nc",x\n1,d,y\n')
    with pytest.raises(FileError) as caught:
        load(path)
    assert (caught.value.line, caught.value.problem) == (5, "'1' is the question of line 2 already")


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_nor_do_empty_lines_before_it_move_it(tmp_path: Path, ends: str) -> None:
    path = tmp_path / "cup.csv"
    rows = ["question,answer", "", "Capital of France?,Paris", "", "", "Capital of Spain?,", ""]
    path.write_bytes(ends.join(rows).encode())
    with pytest.raises(FileError, match=r"cup\.csv:6: answer"):
        list(load(path))
    path.write_bytes(ends.join([*rows[:-2], '"Capital', "", 'of Spain?",Madrid,2']).encode())
    with pytest.raises(FileError, match=r"cup\.csv:6: more cells"):
        list(load(path))


def test_a_cell_may_be_longer_than_csv_readers_like(tmp_path: Path) -> None:
    path = tmp_path / "cup.csv"
    path.write_text(f"id,text,answer,context\n1,a,x,{'long ' * 50_000}\n")
    (case,) = load(path)
    assert case.question.context is not None
    assert len(case.question.context) == 249_999


def numbered(path: Path, size: int, *, context: str = "") -> Path:
    with path.open("w") as file:
        for number in range(size):
            row = {"id": str(number), "text": f"Question {number}?", "answer": str(number), "context": context or None}
            file.write(json.dumps(row) + "\n")
    return path


def ids(dataset: Dataset) -> list[int]:
    return [int(case.question.id) for case in dataset]


def test_a_sample_is_the_same_for_the_same_seed_and_keeps_the_order_of_the_file(tmp_path: Path) -> None:
    path = numbered(tmp_path / "cup.jsonl", 200)
    sample = load(path, sample=20, seed=7)
    assert len(sample) == len(ids(sample)) == 20
    assert ids(sample) == sorted(ids(sample))
    assert ids(sample) == ids(sample) == ids(load(path, sample=20, seed=7))
    assert ids(sample) != ids(load(path, sample=20, seed=8))
    assert ids(sample) != list(range(20))


def test_a_sample_of_more_than_there_are_is_all_of_them(tmp_path: Path) -> None:
    path = numbered(tmp_path / "cup.jsonl", 5)
    assert ids(load(path, sample=9)) == ids(load(path, sample=5)) == [0, 1, 2, 3, 4]


def test_the_first_so_many(tmp_path: Path) -> None:
    dataset = load(numbered(tmp_path / "cup.jsonl", 30))
    assert ids(dataset.first(3)) == [0, 1, 2]
    assert len(dataset.first(3)) == 3
    assert dataset.first(99) is dataset
    sample = load(tmp_path / "cup.jsonl", sample=10, seed=1)
    assert ids(sample.first(4)) == ids(sample)[:4]


def test_the_fingerprint_follows_the_questions(tmp_path: Path) -> None:
    one, other = as_jsonl(tmp_path / "a.jsonl"), as_jsonl(tmp_path / "b.jsonl")
    other.write_text(other.read_text(encoding="utf-8").replace("Ann", "Eve"), encoding="utf-8")
    assert load(one).fingerprint != load(other).fingerprint
    assert load(one).fingerprint != load(one, language="ru").fingerprint


def peak_bytes(work: Callable[[], object]) -> int:
    work()  # whatever is imported or cached once
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_a_small_file_is_read_once(tmp_path: Path) -> None:
    path = numbered(tmp_path / "small.jsonl", 50)
    dataset = load(path)
    path.unlink()
    assert len(list(dataset)) == 50


def test_walking_through_a_file_holds_one_case_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file twenty times as long takes no more memory to walk through, and holding it would take far more."""
    monkeypatch.setattr("moot.data.KEPT_BYTES", 0)
    small = load(numbered(tmp_path / "small.jsonl", 50, context="x" * 5_000))
    large = load(numbered(tmp_path / "large.jsonl", 1_000, context="x" * 5_000))

    def walk(dataset: Dataset) -> Callable[[], object]:
        return lambda: sum(1 for _ in dataset)

    assert peak_bytes(walk(large)) < 2 * peak_bytes(walk(small))
    held: list[Case] = []
    assert peak_bytes(lambda: held.extend(large)) > 5 * peak_bytes(walk(large))


def test_checking_a_file_holds_only_its_ids(tmp_path: Path) -> None:
    path = numbered(tmp_path / "large.jsonl", 1_000, context="x" * 5_000)
    assert peak_bytes(lambda: load(path)) < path.stat().st_size / 5


PASSAGE = "In the beginning, as this passage and its neighbour tell in the same words, "
TOGETHER: dict[str, list[Any]] = {
    "context": [PASSAGE + "there was light.", PASSAGE + "there was light.", PASSAGE + "there was none.", None, ""],
    "difficulty": [0, 0, 1, None, None],
    "year": [0, 0, -3, None, None],
    "meta.tour": ["0", "0", "00", "", None],
}


@pytest.mark.parametrize(("field", "values"), TOGETHER.items(), ids=TOGETHER)
def test_questions_hang_together_where_a_field_says_the_same_to_its_end(
    tmp_path: Path, field: str, values: list[Any]
) -> None:
    key, _, name = field.partition(".")
    rows = [
        {"id": str(n), "text": f"What is {n}?", "answer": "x", key: {name: value} if name else value}
        for n, value in enumerate(values)
    ]
    path = tmp_path / "cup.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    cases = list(by_cluster(load(path), field))
    together = clusters_of((case.question.id, case) for case in cases)
    assert together["0"] == together["1"] != together.get("2")
    assert cases[2].cluster not in (None, cases[0].cluster)
    assert [case.cluster for case in cases[3:]] == [None, None]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"id": "1"}\n{"id": "2"}\n', r"cup\.json: not valid JSON .*; one object a line is read from a name"),
        ('{"id": "1"}', r'cup\.json: expected a list of objects, or {"data": \[\.\.\.\]}; found an object with .id. \(a text'),
        ('{"questions": ["a"], "n": 1}', r"found an object with 'questions' \(a list of 1 item\), 'n' \(a value\)"),
        ('{"train": [{"a": 1}], "test": [{"a": 1}]}', r"there are lists of objects under 'train' and 'test': write"),
        ('[{"id": "1", "text": "Who?", "answer": "Ann"}, 7]', "cup.json:2: expected an object"),
        ('[{"id": "1", "text": "Who?", "answer": "Ann"}, {"id": "1", "text": "Who?", "answer": NaN}]', "cup.json:2: answer: "),
        ("[]", "no questions in it"),
        (f"[{'[' * 100_000}", "nested too deep|not valid JSON"),
    ],
)  # fmt: skip
def test_a_json_document_is_looked_at_like_any_other_file(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "cup.json").write_text(text, encoding="utf-8")
    with pytest.raises(FileError, match=message):
        load(tmp_path / "cup.json")


def test_a_json_document_is_read_so_far_and_no_further(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = as_json(tmp_path / "cup.json")
    monkeypatch.setattr(foreign_files, "MOST_DOCUMENT", 100)
    with pytest.raises(FileError, match="is longer than 100 characters"):
        load(path)
    path.write_bytes('["Ёлка"]'.encode("cp1251"))
    with pytest.raises(FileError, match=r"expected UTF-8 text .*iconv"):
        load(path)


BLANK = {
    "ours.csv": ("id,text,answer\n", [f"{n},Who {n}?,{{}}\n" for n in range(50)]),
    "theirs.csv": ("Question;Correct answer;Note\n", [f"Who {n}?;{{}};x\n" for n in range(50)]),
    "lettered.csv": ("question,a,b,answer\n", [f"Who {n}?,x,y,{{}}\n" for n in range(50)]),
    "wrong.csv": ("question,answer,wrong 1,wrong 2\n", [f"Who {n}?,{{}},x,y\n" for n in range(50)]),
    "lines.jsonl": ("", [f'{{{{"id": "{n}", "text": "Who?", "answer": "{{}}"}}}}\n' for n in range(50)]),
}


@pytest.mark.parametrize("name", BLANK)
@pytest.mark.parametrize("blank", [(), (7,), (3, 8), tuple(range(10, 40))])
def test_rows_without_a_reference_are_told_at_once_or_left_out(
    tmp_path: Path, name: str, blank: tuple[int, ...]
) -> None:
    header, rows = BLANK[name]
    path = tmp_path / name
    path.write_text(header + "".join(row.format("" if n in blank else "a") for n, row in enumerate(rows)))
    left_out = load(path, skip_blank=True)
    assert len(left_out) == 50 - len(blank)
    lines = [n + (2 if header else 1) for n in blank]
    if not blank:
        assert [case.question for case in load(path)] == [case.question for case in left_out]
        assert not [note for note in left_out.notes if "left out" in note]
        return
    with pytest.raises(FileError, match="the reference is missing") as told:
        load(path)
    assert told.value.line == lines[0]
    assert "skip_blank: true" in str(told.value)
    (note,) = [note for note in left_out.notes if "left out" in note]
    for words in (str(told.value), note) if len(blank) > 1 else (note,):
        assert ", ".join(map(str, lines[:20])) in words
        assert ("and 10 more" in words) == (len(blank) == 30)
