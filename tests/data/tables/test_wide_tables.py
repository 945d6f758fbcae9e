"""Tables wider than anybody's: one message, before anything takes a time that grows with the square of the columns."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from moot.data import load
from moot.data.tables.proposal import Stated
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


@pytest.mark.parametrize("separator", ["|", ";"])
def test_as_many_choices_as_there_are_letters(tmp_path: Path, separator: str) -> None:
    """The last letter is a choice like the others; one more has none."""
    for count in (26, 27):
        choices = separator.join(f"c{number}" for number in range(count))
        (tmp_path / "cup.csv").write_text(f"question,options,answer\nt,{choices},c25\nt2,{choices},c0\n")
        if count == 26:
            first, second = load(tmp_path / "cup.csv")
            assert first.question.choices == tuple(f"c{number}" for number in range(26))
            assert (first.answer, second.answer) == ("Z", "A")
            continue
        with pytest.raises(FileError, match="expected 2 to 26 choices, found 27"):
            list(load(tmp_path / "cup.csv"))


def test_a_right_and_as_many_wrong_ones_as_letters_are_left(tmp_path: Path) -> None:
    for count in (25, 26):
        line = {"question": "t", "answer": "right", "wrong": [f"w{number}" for number in range(count)]}
        (tmp_path / "cup.jsonl").write_text(json.dumps(line))
        if count == 25:
            (case,) = load(tmp_path / "cup.jsonl", stated=Stated({"wrong": "wrong"}))
            assert len(case.question.choices) == 26
            assert case.question.choices[case.question.letters.index(case.answer)] == "right"
            continue
        with pytest.raises(FileError, match="expected 1 to 25 wrong choices, found 26"):
            list(load(tmp_path / "cup.jsonl", stated=Stated({"wrong": "wrong"})))
