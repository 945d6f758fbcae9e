"""What `moot init` makes of a file of questions where nobody is asked, and which language it takes them for."""

from __future__ import annotations

from pathlib import Path

import pytest

from moot.cli.asked_columns import find_questions
from moot.errors import FileError


def test_what_no_word_can_settle_is_written_down_where_nobody_is_asked(tmp_path: Path) -> None:
    """Who is there hears it at once; who is not finds it in the file."""
    path = tmp_path / "bad.csv"
    path.write_text("question,options,answer\nWhich?,red or blue,red\nWhich?,a|b,a\n", encoding="utf-8")
    found = find_questions(path, tmp_path / "moot.yaml", yes=True, small=False)
    assert found.unsettled is not None
    assert any("TO SETTLE: expected choices with | between them" in note for note in found.written.notes)
    with pytest.raises(FileError, match="expected choices with"):
        find_questions(path, tmp_path / "moot.yaml", yes=False, small=False)


@pytest.mark.parametrize(
    ("text", "language"), [("ab cd", "en"), ("аб вг", "ru"), ("ab аб", "en"), ("ab абв", "ru"), ("12 + 3", "en")]
)
def test_questions_are_russian_where_most_letters_are(tmp_path: Path, text: str, language: str) -> None:
    path = tmp_path / "questions.csv"
    path.write_text(f"text,answer\n{text},x\n", encoding="utf-8")
    assert find_questions(path, tmp_path / "moot.yaml", yes=True, small=False).written.language == language
