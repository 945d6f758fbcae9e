"""Tables wider than anybody's: one message, before anything takes a time that grows with the square of the columns."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from moot.data import load
from moot.errors import FileError

MOST_CPU_S = 8.0
"""Of this process, for what takes less than two seconds on any machine; by the square it took most of a minute."""


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (f"{','.join(f'column{number:05}' for number in range(20_000))}\n", "no column is known to be text"),
        (
            f"question,answer,{','.join(f'q{number}' for number in range(20_000))},answer\n",
            "two columns have this name",
        ),
        (f"question,options,answer\nt,{'|' * 5_000_000},A\n", "options: expected 2 to 26 choices, found 5000001"),
        (f"question,options,answer\nt,{';' * 5_000_000},A\n", "options: expected 2 to 26 choices, found 5000001"),
        (f"question,answer,aliases\nt,A,{'|' * 5_000_000}\n", "aliases"),
    ],
    ids=["columns", "doubled", "choices", "other choices", "accepted"],
)
def test_a_wide_table_is_refused_in_a_moment(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "cup.csv").write_text(content)
    begun = time.process_time()
    with pytest.raises(FileError) as caught:
        list(load(tmp_path / "cup.csv"))
    assert message in str(caught.value)
    assert len(str(caught.value)) < 5_000
    assert time.process_time() - begun < MOST_CPU_S
