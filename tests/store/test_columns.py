"""What each kind of column takes, one by one and many at once: the bounds, and what stands just beyond them."""

from __future__ import annotations

import itertools
import math
import os
from pathlib import Path
from typing import Any

import pytest

from moot.errors import StoreError, StoreUnreadable
from moot.store import columns
from moot.store.columns import CheckedColumn
from moot.store.opened_file import OpenedFile, refuse_no_file, refuse_second_name
from moot.types import OUTCOMES

NAN, END = math.nan, math.inf
NO_NUMBERS: list[Any] = ["1", b"1", True, NAN]
TAKES: dict[type[CheckedColumn], tuple[list[Any], list[Any], str]] = {
    columns.TextColumn: (["", "a"], [1, b"a", 0.5, True], "text"),
    columns.SaidColumn: (["v1"], [1], "text"),
    columns.LongTextColumn: (["x" * 99], [b""], "text"),
    columns.OutcomeColumn: ([*OUTCOMES], ["", "Answered", 1], f"one of {', '.join(OUTCOMES)}"),
    columns.WholeColumn: ([-1, 0, 2**62], [0.0, *NO_NUMBERS], "a whole number"),
    columns.CountColumn: ([0, 1, 2**62], [-1, 0.0, *NO_NUMBERS], "a whole number from 0 on"),
    columns.NumberColumn: ([-1.5, 0, 1.7976931348623157e308], [END, -END, *NO_NUMBERS], "a number"),
    columns.AmountColumn: ([0, 0.0, 1.7976931348623157e308], [-1e-9, END, *NO_NUMBERS], "a number from 0 on"),
    columns.CostColumn: ([0, 0.5, 1e9], [-1e-9, 1.001e9, END, *NO_NUMBERS], "dollars, from 0 to a billion"),
    columns.MoneyColumn: ([0, 1.001e9, 1e15], [-1e-9, 1.001e15, *NO_NUMBERS], "dollars, from 0 on"),
    columns.BalanceColumn: ([-1e-6, 0, 1e15], [-1.001e-6, 1.001e15, *NO_NUMBERS], "dollars, from 0 on"),
    columns.GradeColumn: ([0, 1, 0.5, 1.0], [-0.001, 1.001, *NO_NUMBERS], "a number from 0 to 1"),
}


@pytest.mark.parametrize("kind", TAKES, ids=lambda kind: kind.__name__)
def test_what_a_column_takes_and_refuses(kind: type[CheckedColumn]) -> None:
    taken, refused, expected = TAKES[kind]
    column = kind("table.column")
    read = column.result_processor(None, None)
    for value in (*taken, None):
        assert read(value) is value
    column.check([*taken, None])
    column.check([])
    column.check([None])
    for value in refused:
        beside = [] if value is NAN else taken  # which SQLite keeps as nothing, so it stands beside no other
        for refuse in (lambda value=value: read(value), lambda many=(*beside, value, None): column.check(many)):
            with pytest.raises(StoreUnreadable) as raised:
                refuse()
            assert str(raised.value).startswith(
                f"table.column: expected {expected}, found {value!r}: this is not as moot"
            )
    assert not any(column.sure_of([value]) for value in refused)


def test_a_long_value_is_shown_in_part_and_a_fault_is_named_once() -> None:
    words = str(columns.refusal("t.c", "text", b"x" * 99))
    assert f"found b'{'x' * 58}…: this" in words
    fault = columns.named(StoreUnreadable("t.c: no"), "s.db")
    assert str(fault) == "s.db: t.c: no"
    assert columns.named(fault, "s.db") is fault


# --- the file under its name ------------------------------------------------------------------------------------------


def test_a_file_is_in_place_until_another_stands_there(tmp_path: Path) -> None:
    """Whichever of the two has the lower number on its disk."""
    paths = [tmp_path / name for name in "abc"]
    for path in paths:
        path.touch()
    low, *_, high = sorted(paths, key=lambda path: path.stat().st_ino)
    for path, other in itertools.permutations((low, high)):
        file = OpenedFile.at(str(path))
        assert file.in_place
        file.check()
        path.rename(tmp_path / "kept")
        assert not file.in_place
        with pytest.raises(StoreError, match="the file was removed or moved away while it was open"):
            file.check()
        os.link(other, path)
        assert not file.in_place
        with pytest.raises(StoreError, match="the file was replaced by another while it was open"):
            file.check()
        (tmp_path / "kept").replace(path)
        assert file.in_place
    with pytest.raises(StoreError, match="gone: No such file or directory"):
        OpenedFile.at(str(tmp_path / "gone"))


def test_what_is_no_file_or_has_two_names_is_no_store(tmp_path: Path) -> None:
    refuse_no_file(tmp_path / "gone")
    refuse_second_name(tmp_path / "gone")
    with pytest.raises(StoreUnreadable, match="no regular file, so no store of moot"):
        refuse_no_file(tmp_path)
    (path := tmp_path / "a").touch()
    refuse_no_file(path)
    refuse_second_name(path)
    os.link(path, tmp_path / "b")
    with pytest.raises(StoreUnreadable, match=r"has 2 names \(hard links\)"):
        refuse_second_name(path)
