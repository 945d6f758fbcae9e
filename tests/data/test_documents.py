"""Questions about documents: from a row or for a whole set, what is shown of them is the question's context and is on record."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.data import load
from moot.data.documents import MOST_CHARACTERS, documents_of
from moot.errors import FileError
from moot.experiment.build import build
from moot.experiment.spec import read_experiment

Captured = pytest.CaptureFixture[str]
WORDS = (
    *("lighthouse", "harbour", "observatory", "windmill", "monastery", "railway", "aqueduct", "citadel", "orchard"),
    *("foundry", "granary", "quarry", "sluice", "vineyard", "tannery", "glassworks", "ropewalk", "brewery", "chapel"),
    "belfry",
)
PARTS = (
    f"Part {n} tells of the {word} and of nothing else. " + "It goes on and on. " * 30 for n, word in enumerate(WORDS)
)
LONG = "\n\n".join(f"## Heading\n\n{part}" for part in PARTS)


def moot(*arguments: object) -> int:
    return run_app(app, [str(each) for each in arguments])


def rows(folder: Path, *contexts: Any) -> Path:
    asked = [
        {"id": f"q{n}", "text": "What is told of the windmill?", "answer": "nothing", "context": context}
        for n, context in enumerate(contexts)
    ]
    path = folder / "q.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in asked), encoding="utf-8")
    return path


def test_a_short_document_is_shown_whole_and_a_long_one_by_its_best_passages(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("# Notes\n\nThe mill is old.", encoding="utf-8")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "long.md").write_text(LONG, encoding="utf-8")
    short, long, plain = load(rows(tmp_path, {"file": "notes.md"}, {"folder": "docs"}, "as it is"))
    assert short.question.context == "[notes.md]\n# Notes\n\nThe mill is old."
    assert documents_of(short) == ({"file": "notes.md", "whole": True},)
    assert long.question.context is not None
    assert "[long.md, passage 4 of 20]" in long.question.context
    assert "tells of the windmill" in long.question.context
    assert len(long.question.context) < MOST_CHARACTERS * 1.3
    (part,) = documents_of(long)
    assert (part["file"], part["of"]) == ("long.md", 20)
    assert 4 in part["passages"]
    assert plain.question.context == "as it is"
    assert documents_of(plain) == ()


def test_other_documents_make_another_experiment(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("The mill is old.", encoding="utf-8")
    path = rows(tmp_path, {"file": "notes.md"})
    before, (case,) = load(path).fingerprint, load(path)
    assert (load(path).fingerprint, next(iter(load(path))).digest) == (before, case.digest)
    (tmp_path / "notes.md").write_text("The mill is new.", encoding="utf-8")
    assert load(path).fingerprint != before
    assert next(iter(load(path))).question.digest != case.question.digest


@pytest.mark.parametrize(
    ("context", "words"),
    [
        ({"file": "none.md"}, "q.jsonl:1: context.file: none.md: no such document"),
        ({"file": "../secret.md"}, "outside of the folder of the questions"),
        ({"file": "/etc/hostname"}, "outside of the folder of the questions"),
        ({"file": "link.md"}, "outside of the folder of the questions"),
        ({"folder": "linked"}, "leads out of the folder of the questions"),
        ({"folder": ".."}, "outside of the folder of the questions"),
        ({"folder": "empty"}, "found none"),
        ({"file": "a.pdf"}, "unknown kind of document"),
        ({"file": ""}, "expected a name"),
        ({"file": "a.md", "folder": "b"}, "expected a text, {file: NAME.md} or {folder: NAME}"),
        ({"files": "a.md"}, "expected a text, {file: NAME.md} or {folder: NAME}"),
        ({"file": 3}, "expected a text, {file: NAME.md} or {folder: NAME}"),
    ],
)
def test_a_row_reads_nothing_but_documents_beside_it(tmp_path: Path, context: Any, words: str) -> None:
    """A row is data from anywhere: it may not have files read that its folder does not hold."""
    (tmp_path / "secret.md").write_text("a secret", encoding="utf-8")
    folder = tmp_path / "set"
    for name in ("empty", "linked"):
        (folder / name).mkdir(parents=True)
    (folder / "a.pdf").write_bytes(b"%PDF")
    (folder / "link.md").symlink_to(tmp_path / "secret.md")
    (folder / "linked" / "b.md").symlink_to(tmp_path / "secret.md")
    with pytest.raises(FileError) as caught:
        load(rows(folder, context))
    assert words in str(caught.value)
    assert "a secret" not in str(caught.value)


def experiment(folder: Path, **questions: Any) -> Path:
    path = folder / "cup.yaml"
    spec = {
        "name": "cup",
        "questions": {"file": "q.jsonl", **questions},
        "models": {"ann": {"provider": "simulated", "accuracy": 0.5}},
        "strategies": ["solo"],
    }
    path.write_text(json.dumps(spec), encoding="utf-8")
    return path


def test_a_set_is_asked_about_a_folder_and_what_was_shown_is_on_record(tmp_path: Path, capfd: Captured) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "long.md").write_text(LONG, encoding="utf-8")
    rows(tmp_path, None, "of its own")
    path = experiment(tmp_path, documents="docs")
    plan = build(read_experiment(path))
    contexts = [case.question.context or "" for case in plan.dataset or ()]
    assert "tells of the windmill" in contexts[0]
    assert contexts[1] == "of its own"
    assert moot("run", path, "--quiet") == 0
    capfd.readouterr()
    assert moot("show", path, "q0") == 0
    told = " ".join(capfd.readouterr().out.split())
    assert "documents long.md: 6 (" in told
    assert "of 20 passages" in told
    assert "[long.md, passage 4 of 20]" in told
    assert moot("show", path, "q0", "--json") == 0
    (shown,) = json.loads(capfd.readouterr().out)
    assert shown["documents"][0]["file"] == "long.md"
    (tmp_path / "docs" / "more.md").write_text("More of the windmill.", encoding="utf-8")
    assert build(read_experiment(path)).id != plan.id


def test_documents_that_are_not_there_are_said_before_any_call(tmp_path: Path, capfd: Captured) -> None:
    rows(tmp_path, None)
    assert moot("run", experiment(tmp_path, documents="nowhere.md")) == 2
    said = capfd.readouterr().err
    assert "questions.documents" in said
    assert "nowhere.md: no such document" in said


def test_nothing_that_fits_shows_the_beginning(tmp_path: Path) -> None:
    (tmp_path / "long.md").write_text("\n\n".join(f"Zz{n} " * 200 for n in range(20)), encoding="utf-8")
    (case,) = load(rows(tmp_path, {"file": "long.md"}))
    assert case.question.context is not None
    assert case.question.context.startswith("[long.md, passage 1 of 20]")


@pytest.mark.parametrize(
    ("name", "rows", "line"),
    [
        ("q.jsonl", '{"text": "Who built it?", "reference": "Anna", "id": "1", "context": {"file": "mill.md"}}\n', 1),
        ("q.jsonl", '{"question": "Who built it?", "answer": "Anna", "id": "1", "context": {"folder": "docs"}}\n', 1),
        ("q.csv", 'question,answer,context\nWho built it?,Anna,"{""file"": ""mill.md""}"\n', 2),
    ],
)
def test_a_file_whose_columns_have_other_names_names_no_documents(
    name: str, rows: str, line: int, tmp_path: Path
) -> None:
    (tmp_path / "mill.md").write_text("Anna Berg built it.")
    (tmp_path / name).write_text(rows)
    with pytest.raises(FileError) as refused:
        list(load(tmp_path / name).cases)
    theirs, ours = ("reference", "answer") if "reference" in rows else ("question", "text")
    assert str(refused.value).startswith(
        f"{tmp_path / name}:{line}: context: names a document, as only rows in moot's own"
    )
    assert f"expected a text, or our own names for its columns ({ours} for '{theirs}')" in str(refused.value)
