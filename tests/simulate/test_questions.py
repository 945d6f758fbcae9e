"""What is said of questions that a server of simulated models cannot read."""

from __future__ import annotations

from pathlib import Path

import pytest

from moot.errors import FileError
from moot.simulate.questions import known_questions
from moot.simulate.server_config import load_config


def test_columns_are_told_where_they_can_be_written(tmp_path: Path) -> None:
    """`questions: [tickets.csv]` has no place for columns."""
    (tmp_path / "tickets.csv").write_text("foo,bar\na,b\nc,d\n")
    config = tmp_path / "sim.yaml"
    config.write_text("questions: [tickets.csv]\n")
    with pytest.raises(FileError) as told:
        known_questions(load_config(config).questions[0], 0)
    _, _, written = str(told.value).partition("say which under questions, such as ")
    assert written == "[{file: tickets.csv, columns: {text: WHICH_COLUMN, answer: WHICH_COLUMN}}]"
    config.write_text("questions: " + written.replace("text: WHICH_COLUMN", "text: foo").replace("WHICH_COLUMN", "bar"))
    cases = known_questions(load_config(config).questions[0], 0)
    assert [case.answer for case in cases] == ["b", "d"]
