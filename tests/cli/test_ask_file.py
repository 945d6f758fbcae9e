"""`moot ask --file`: a question about documents."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from moot.cli.app import app
from moot.cli.exit import run_app

Captured = pytest.CaptureFixture[str]


def moot(*arguments: object) -> int:
    return run_app(app, [str(each) for each in arguments])


@pytest.fixture(name="team")
def _team(tmp_path: Path) -> Path:
    path = tmp_path / "team.yaml"
    models = {name: {"provider": "simulated", "accuracy": 0.9} for name in ("ann", "bob")}
    teams = {"two": {"players": ["ann", "bob"], "captain": "ann"}}
    spec = {"name": "team", "models": models, "teams": teams, "strategies": ["vote"]}
    path.write_text(json.dumps(spec), encoding="utf-8")
    return path


def test_a_short_file_is_shown_whole_and_a_long_one_in_part_and_that_is_said(
    team: Path, tmp_path: Path, capfd: Captured
) -> None:
    (tmp_path / "notes.md").write_text("The mill was built by Anna.", encoding="utf-8")
    parts = "\n\n".join(f"Of the {word}: " + "and so on. " * 60 for word in ("don", "oka", "volga", "neva") * 5)
    (tmp_path / "long.txt").write_text(parts, encoding="utf-8")
    assert moot("ask", "Who built it?", "--team", team, "--file", tmp_path / "notes.md") == 0
    assert "shown of notes.md: whole" in capfd.readouterr().err
    files = ("--file", tmp_path / "long.txt", "--file", tmp_path / "notes.md")
    assert moot("ask", "What of the Oka?", "--team", team, *files) == 0
    said = capfd.readouterr().err
    assert "shown of notes.md: whole; long.txt: 6 (1, 2, 6, 10, 14, 18) of 20 passages" in said
    assert moot("ask", "Quando?", "--team", team, "--file", tmp_path / "long.txt") == 0
    assert "no passage shares a word with the question; the beginning is shown" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("none.md", None, "no such document"),
        ("a.docx", b"PK", "unknown kind of document '.docx'; expected .txt, .md"),
        ("a.txt", b"\xff\xfe", "is not UTF-8"),
        ("a.md", b"", "is empty"),
        ("b.md", b"\x00\x01", "bytes that no text has"),
    ],
)
def test_what_is_no_document_is_told_before_anybody_is_asked(
    team: Path, tmp_path: Path, capfd: Captured, name: str, content: bytes | None, words: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    assert moot("ask", "Who?", "--team", team, "--file", tmp_path / name) == 2
    said = capfd.readouterr().err
    assert words in said
    assert len(said.strip().splitlines()) == 1


def test_one_document_once(team: Path, tmp_path: Path, capfd: Captured) -> None:
    (tmp_path / "notes.md").write_text("Words.", encoding="utf-8")
    notes = tmp_path / "notes.md"
    assert moot("ask", "Who?", "--team", team, "--file", notes, "--file", notes) == 2
    assert "given twice" in capfd.readouterr().err
