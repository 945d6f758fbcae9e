"""Parquet files that say one thing to whoever checks them and another to whoever reads them: each is refused before it is read.

They are written here by hand, since no library writes such a file.
"""

from __future__ import annotations

import base64
import struct
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from moot.data import load
from moot.errors import FileError
from moot.foreign_parquet import compact, directory
from moot.select.files import read_labels


class Long(int):
    """One of 64 bits."""


class Raw(bytes):
    """A field that is written as it stands here, with its head."""


def varint(number: int) -> bytes:
    written = bytearray()
    while number > 127:
        written.append(number & 127 | 128)
        number >>= 7
    return bytes([*written, number])


def zigzag(number: int) -> bytes:
    return varint(number << 1 if number >= 0 else ~(number << 1))


def encoded(value: Any) -> tuple[int, bytes]:
    """In Thrift's compact protocol: the kind, and the bytes."""
    match value:
        case Long():
            return 6, zigzag(value)
        case int():
            return 5, zigzag(value)
        case bytes():
            return 8, varint(len(value)) + value
        case list():
            parts = [encoded(item) for item in value]
            kind = parts[0][0] if parts else 12
            return 9, bytes([0xF0 | kind]) + varint(len(parts)) + b"".join(body for _, body in parts)
    return 12, structure(value)


def structure(fields: Mapping[int, Any]) -> bytes:
    written = b""
    for number, value in fields.items():
        kind, body = encoded(value)
        written += value if isinstance(value, Raw) else bytes([kind]) + zigzag(number) + body
    return written + b"\0"


def cells(*texts: str) -> bytes:
    return b"".join(len(text).to_bytes(4, "little") + text.encode() for text in texts)


def page(body: bytes, values: int, changed: Mapping[int, Any] | None = None, encoding: int = 0) -> bytes:
    head = {1: 0, 2: len(body), 3: len(body), 5: {1: values, 2: encoding, 3: 3, 4: 3}}
    return structure(head | (changed or {})) + body


def dictionary(body: bytes, values: int = 1) -> bytes:
    return structure({1: 2, 2: len(body), 3: len(body), 7: {1: values, 2: 0}}) + body


Changes = Mapping[int, Any]
NOTHING: Changes = {}


def written(
    path: Path,
    pages: bytes | None = None,
    *,
    rows: int = 1,
    element: Changes = NOTHING,
    about: Changes = NOTHING,
    chunk: Changes = NOTHING,
    group: Changes = NOTHING,
    file: Changes = NOTHING,
) -> Path:
    """Questions, whose texts stand in these pages, and with these changes in what the file says of them."""
    content = b"PAR1"
    elements: list[Any] = [{4: b"schema", 5: 3}]
    chunks: list[Any] = []
    for name in ("id", "text", "answer"):
        changed = name == "text"
        own = pages if changed and pages is not None else page(cells(*map(str, range(rows))), rows)
        size = Long(len(own))
        says = {1: 6, 2: [0], 3: [name.encode()], 4: 0, 5: Long(rows), 6: size, 7: size, 9: Long(len(content))}
        elements.append({1: 6, 3: 0, 4: name.encode(), 6: 0} | (element if changed else {}))
        chunks.append({2: Long(0), 3: says | (about if changed else {})} | (chunk if changed else {}))
        content += own
    groups = [{1: chunks, 2: Long(len(content)), 3: Long(rows)} | group]
    foot = structure({1: 1, 2: elements, 3: Long(rows), 4: groups} | file)
    path.write_bytes(content + foot + len(foot).to_bytes(4, "little") + b"PAR1")
    return path


def with_directory(path: Path, foot: bytes) -> Path:
    path.write_bytes(b"PAR1" + foot + len(foot).to_bytes(4, "little") + b"PAR1")
    return path


def test_a_file_that_says_what_is_so_is_read(tmp_path: Path) -> None:
    path = tmp_path / "q.parquet"
    assert [case.question.text for case in load(written(path, rows=3))] == ["0", "1", "2"]
    two = page(cells("a"), 1) + page(cells("b"), 1)
    assert [case.question.text for case in load(written(path, two, rows=2))] == ["a", "b"]
    shared = dictionary(cells("said once")) + page(bytes([1, *varint(2 << 1), 0]), 2, encoding=8)
    begins = len(b"PAR1" + page(cells("0", "1"), 2))
    offsets = {9: Long(begins + len(dictionary(cells("said once")))), 11: Long(begins)}
    spread = written(path, shared, rows=2, about=offsets)
    assert [case.question.text for case in load(spread)] == ["said once"] * 2


ONE = page(cells("x"), 1)
ITS_SIZE = Long(len(ONE))
BY_PREFIX = page(b"\0" * 20, 1, encoding=7)
BY_PREFIX_V2 = page(b"\0" * 20, 1, {1: 3, 8: {1: 1, 2: 0, 3: 1, 4: 7, 5: 0, 6: 0}})
SIZE_AGAIN = Raw(bytes([0x05]) + zigzag(2) + zigzag(10**9))
LATER_FIELD = Raw(bytes([0x05]) + zigzag(2**16 + 2) + zigzag(10**9))
ONLY_A_FLAG = Raw(bytes([0x01]) + zigzag(2))
TOO_LONG = Raw(bytes([0x05]) + zigzag(2) + zigzag(2**32 + 5))
LIES: list[tuple[str, Callable[[Path], Path]]] = [
    (r"text: its cells .*\(DELTA_BYTE_ARRAY\)", lambda path: written(path, BY_PREFIX)),
    (r"text: its cells .*\(DELTA_BYTE_ARRAY\)", lambda path: written(path, BY_PREFIX_V2)),
    ("a dictionary behind", lambda path: written(path, ONE * 2, about={7: ITS_SIZE, 11: Long(len(ONE) * 2 + 4)})),
    ("pages outside of the file", lambda path: written(path, about={11: Long(0)})),
    ("pages outside of the file", lambda path: written(path, about={7: Long(len(ONE) - 1)})),
    ("pages outside of the file", lambda path: written(path, about={7: Long(10**6)})),
    ("pages outside of the file", lambda path: written(path, page(cells("x"), -1) + ONE * 2)),
    ("it is cut off", lambda path: written(path, about={7: Long(5)})),
    ("columns share pages", lambda path: written(path, about={9: Long(4)})),
    ("columns stand in another file", lambda path: written(path, chunk={1: b"other.parquet"})),
    ("it is encrypted", lambda path: written(path, file={8: {}})),
    ("it is encrypted", lambda path: written(path, chunk={9: b"x"})),
    ("other numbers of values", lambda path: written(path, about={5: Long(2)})),
    ("other numbers of values", lambda path: written(path, ONE * 2)),
    ("other numbers of values", lambda path: written(path, group={3: Long(10**12)}, file={3: Long(10**12)})),
    ("other numbers of rows", lambda path: written(path, file={3: Long(10**12)})),
    ("two things of the type of a column", lambda path: written(path, element={1: 7, 2: 1_000_000_000})),
    ("columns do not belong together", lambda path: written(path, element={2: -1})),
    ("columns do not belong together", lambda path: written(path, element={5: -1})),
    ("pages of a kind that there is not", lambda path: written(path, ONE + dictionary(cells("x")))),
    ("pages of a kind that there is not", lambda path: written(path, dictionary(b"", 2**30) + ONE)),
    ("pages of a kind that there is not", lambda path: written(path, page(cells("x"), 1, {1: 1}))),
    ("an encoding that there is not", lambda path: written(path, page(cells("x"), 1, encoding=99))),
    ("fields with numbers that there are not", lambda path: written(path, page(cells("x"), 1, {9: SIZE_AGAIN}))),
    ("too long for their kind", lambda path: written(path, page(cells("x"), 1, {9: LATER_FIELD}))),
    ("too long for their kind", lambda path: written(path, page(cells("x"), 1, {2: TOO_LONG}))),
    ("fields of another kind", lambda path: written(path, page(cells("x"), 1, {2: ONLY_A_FLAG}))),
    ("text: one row group unpacks to 2,147,", lambda path: written(path, page(cells("x"), 1, {2: 2**31 - 1}))),
]


@pytest.mark.parametrize(("words", "lie"), LIES)
def test_a_file_that_says_two_things_is_refused(words: str, lie: Callable[[Path], Path], tmp_path: Path) -> None:
    with pytest.raises(FileError, match=words):
        load(lie(tmp_path / "q.parquet"))


def test_cells_of_a_fixed_length_count_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A dictionary holds one, and a few bytes say that all two hundred are it."""
    pages = dictionary(b"x" * 10_000) + page(bytes([1, *varint(200 << 1), 0]), 200, encoding=8)
    path = written(tmp_path / "q.parquet", pages, rows=200, element={1: 7, 2: 10_000}, about={1: 7})
    monkeypatch.setattr(directory, "MOST_DOCUMENT", 1_000_000)
    with pytest.raises(FileError, match=r"text: one row group unpacks to 2,01\d,\d\d\d bytes; at most 1,000,000"):
        load(path)


MAP, LIST, STRUCT = 0x0B, 0x09, 0x0C
BOMBS = {
    "a map of booleans, which take no byte": bytes([MAP]) + zigzag(20) + varint(2**40) + bytes([0x11, 0]),
    "maps in maps": bytes([MAP]) + zigzag(20) + (varint(1) + bytes([0xBB])) * 20_000 + b"\0" * 10,
    "structures in structures": (bytes([STRUCT]) + zigzag(20)) * 20_000 + b"\0" * 20_001,
    "lists in lists": bytes([LIST]) + zigzag(20) + bytes([0x19]) * 20_000 + b"\x15\0\0",
    "a list without end": bytes([LIST]) + zigzag(20) + bytes([0xFC]) + varint(2**40) + b"\0" * 10,
    "booleans without end": bytes([LIST]) + zigzag(20) + bytes([0xF1]) + varint(2**40) + b"\0" * 10,
    "a text without end": bytes([0x08]) + zigzag(20) + varint(2**40) + b"\0" * 10,
    "a number without end": bytes([0x05]) + zigzag(20) + b"\xff" * 10_000,
}


@pytest.mark.parametrize("foot", BOMBS.values(), ids=BOMBS)
def test_a_directory_without_end_is_refused(foot: bytes, tmp_path: Path) -> None:
    path = with_directory(tmp_path / "q.parquet", foot)
    for read in (load, read_labels):
        with pytest.raises(FileError, match="not a readable Parquet file: it "):
            read(path)
    with pytest.raises(FileError, match="not a readable Parquet file: it "):
        load(written(path, page(cells("x"), 1, {9: Raw(foot)})))


@pytest.mark.parametrize("item", [b"\0", b"\x02"], ids=["structures", "booleans"])
def test_things_that_take_one_byte_are_counted(item: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compact, "MOST_ENTRIES", 1_000)
    kind = 0xFC if item == b"\0" else 0xF3
    foot = bytes([LIST]) + zigzag(20) + bytes([kind]) + varint(2_000) + item * 2_000 + b"\0"
    with pytest.raises(FileError, match="it says more than 1,000 things of itself"):
        load(with_directory(tmp_path / "q.parquet", foot))


def test_pages_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(directory, "MOST_PAGES", 100)
    with pytest.raises(FileError, match="it has more than 100 pages"):
        load(written(tmp_path / "q.parquet", page(b"", 0) * 200 + ONE))


def with_arrow_schema(path: Path, schema: bytes) -> Path:
    return written(path, file={5: [{1: b"ARROW:schema", 2: schema}]})


def arrow_schema_of(kind: pl.DataType, path: Path) -> bytes:
    pl.DataFrame({"text": pl.Series([None], dtype=kind)}).write_parquet(path)
    return pl.read_parquet_metadata(path)["ARROW:schema"].encode()


def doubling(levels: int, name: bytes = b"") -> bytes:
    """A FlatBuffer in which each field has the next one for a child, twice, and all have one name."""
    parts_of_message = struct.pack("<5H", 10, 8, 0, 0, 4)
    parts_of_schema = struct.pack("<4H", 8, 8, 0, 4)
    parts_of_field = struct.pack("<9H", 18, 12, 8, 0, 0, 0, 0, 4, 0)
    before = parts_of_message + parts_of_schema + parts_of_field
    content = struct.pack("<I", 4 + len(before)) + before + struct.pack("<iI", len(before), 4)
    content += struct.pack("<iI", len(content) - 4 - len(parts_of_message), 4) + struct.pack("<II", 1, 4)
    named = len(content) + levels * 24 + 16
    for level in range(levels + 1):
        parts = len(content) - 4 - len(parts_of_message + parts_of_schema)
        children = struct.pack("<III", 2, 8, 4) if level < levels else struct.pack("<I", 0)
        content += struct.pack("<iII", parts, 8, named - len(content) - 8) + children
    return base64.b64encode(content + struct.pack("<I", len(name)) + name + b"\0")


def test_arrows_own_schema_has_an_end(tmp_path: Path) -> None:
    """Polars follows it to the end, or to that of its stack, which ends the process."""
    path = tmp_path / "q.parquet"
    deep: pl.DataType = pl.String()
    for _ in range(150):
        deep = pl.List(deep)
    assert len(load(with_arrow_schema(path, arrow_schema_of(pl.String(), tmp_path / "s.parquet")))) == 1
    with pytest.raises(FileError, match="its Arrow schema is nested too deep"):
        load(with_arrow_schema(path, arrow_schema_of(deep, tmp_path / "d.parquet")))
    with pytest.raises(FileError, match="its Arrow schema has more than 20,000 fields"):
        load(with_arrow_schema(path, doubling(60)))
    with pytest.raises(FileError, match="its Arrow schema says the same many times"):
        load(with_arrow_schema(path, doubling(12, b"x" * 1_000)))
    for broken in (b"", b"AAAA", b"no base 64", base64.b64encode(b"\xff" * 100)):
        with pytest.raises(FileError, match="its Arrow schema is broken"):
            load(with_arrow_schema(path, broken))
