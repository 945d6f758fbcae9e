"""Files of a stranger, wherever an experiment names one: pipes that never begin, lines without an end, bombs in gzip."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

from moot import foreign_files
from moot.data.replies import convert_replies
from moot.errors import FileError
from moot.experiment.build import build
from moot.experiment.spec import read_experiment

PLAYERS: dict[str, Any] = {name: {"provider": "simulated", "accuracy": 0.5} for name in ("ann", "bob")}
ENDPOINT = {"provider": "endpoint", "base_url": "http://127.0.0.1:9/v1", "model": "m"}


def question(number: int) -> str:
    return json.dumps({"id": str(number), "text": f"Who is number {number}?", "answer": "x"})


def files_named(file: str) -> dict[str, dict[str, Any]]:
    """Every key under which an experiment names a file that is read, with the ending that belongs there."""
    return {
        "questions.jsonl": {"questions": {"file": f"{file}.jsonl"}},
        "questions.csv": {"questions": {"file": f"{file}.csv"}},
        "questions.4s": {"questions": {"file": f"{file}.4s"}},
        "published.json": {"questions": {"file": f"{file}.json", "format": "mmlu"}},
        "published.jsonl": {"questions": {"file": f"{file}.jsonl", "format": "mmlu"}},
        "published.csv": {"questions": {"file": f"{file}.csv", "format": "mmlu"}},
        "published.jsonl.gz": {"questions": {"file": f"{file}.jsonl.gz", "format": "mmlu"}},
        "published.json.gz": {"questions": {"file": f"{file}.json.gz", "format": "mmlu"}},
        "published.csv.gz": {"questions": {"file": f"{file}.csv.gz", "format": "mmlu"}},
        "recorded.jsonl": {
            "models": {**PLAYERS, "ann": {"provider": "recorded", "file": f"{file}.jsonl", "model": "m"}}
        },
        "key.txt": {"models": {**PLAYERS, "ann": {**ENDPOINT, "api_key_file": f"{file}.txt"}}},
        "certificate.pem": {"models": {**PLAYERS, "ann": {**ENDPOINT, "ca_file": f"{file}.pem"}}},
        "selection.json": {"strategies": [{"mixture": {"shown_accuracies": f"{file}.json"}}]},
        "facts.txt": {"strategies": [{"discuss": {"challenge": "facts", "facts": "facts"}}]},
        "prompts.j2": {"prompts": "prompts"},
    }


def built(folder: Path, **more: Any) -> None:
    (folder / "q.jsonl").write_text("\n".join(map(question, range(4))), encoding="utf-8")
    file: dict[str, Any] = {
        "name": "gift",
        "models": PLAYERS,
        "teams": {"two": {"players": ["ann", "bob"]}},
        "strategies": ["vote"],
        "questions": {"file": "q.jsonl"},
    }
    (folder / "gift.yaml").write_text(json.dumps(file | more), encoding="utf-8")
    build(read_experiment(folder / "gift.yaml"))


def place(folder: Path, name: str) -> Path:
    """Where the file is that is read for this key."""
    for of in ("facts", "prompts"):
        (folder / of).mkdir()
    (folder / "facts" / "good.txt").write_text("A fact.", encoding="utf-8")
    kind, _, ending = name.partition(".")
    return folder / {"facts": "facts/bad.txt", "prompts": "prompts/draft.j2"}.get(kind, f"bad.{ending}")


@pytest.mark.parametrize("name", files_named("bad"))
def test_a_pipe_is_not_waited_for(tmp_path: Path, name: str) -> None:
    os.mkfifo(place(tmp_path, name))
    if name == "facts.txt":
        built(tmp_path, **files_named("bad")[name])  # beside others in a folder it is none of the files
        return
    with pytest.raises(FileError, match=r"no such file|expected a file, found a pipe|found none"):
        built(tmp_path, **files_named("bad")[name])


@pytest.mark.parametrize("name", [name for name in files_named("") if name not in ("certificate.pem", "prompts.j2")])
def test_a_line_without_an_end_is_not_read_to_it(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foreign_files, "MOST_LINE", 2**20)
    monkeypatch.setattr(foreign_files, "MOST_DOCUMENT", 2**21)
    bad = place(tmp_path, name)
    if name.endswith(".gz"):
        bad.write_bytes(gzip.compress(b" " * 2**24))
    else:
        with bad.open("wb") as file:
            file.truncate(2**24)  # nothing but holes
    bad.chmod(0o600)
    too_long, no_text = (
        r"is longer than [\d,]+ characters",
        "holds a line break or a control character|bytes that no text has",
    )
    with pytest.raises(FileError, match=f"{too_long}|{no_text}"):
        built(tmp_path, **files_named("bad")[name])


@pytest.mark.parametrize("ending", [".jsonl", ".jsonl.gz"])
def test_published_replies_are_bounded_too(tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foreign_files, "MOST_LINE", 2**20)
    bad = tmp_path / f"bad{ending}"
    bad.write_bytes(gzip.compress(b" " * 2**24) if ending.endswith(".gz") else b" " * 2**24)
    with pytest.raises(FileError, match="is longer than"):
        convert_replies(bad, tmp_path / "replies.jsonl", tmp_path / "questions.jsonl")


def test_a_row_of_many_lines_and_cells_has_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each cell is short, and each line."""
    monkeypatch.setattr(foreign_files, "MOST_LINE", 2**16)
    (tmp_path / "bad.csv").write_text("id,text,answer\n" + '"a\n",' * 2**14, encoding="utf-8")
    with pytest.raises(FileError, match="the row is longer than"):
        built(tmp_path, questions={"file": "bad.csv"})


def test_cases_of_a_small_file_that_unpacks_to_a_large_one_are_not_held(tmp_path: Path) -> None:
    from moot.data import KEPT_BYTES, load_published
    from moot.data.formats import dataset_format

    words = "word " * 20_000
    rows = [{"question": f"{number} {words}", "choices": ["a", "b"], "answer": 0} for number in range(60)]
    (tmp_path / "set.jsonl.gz").write_bytes(gzip.compress("\n".join(map(json.dumps, rows)).encode()))
    assert (tmp_path / "set.jsonl.gz").stat().st_size < KEPT_BYTES / 10
    dataset = load_published(tmp_path / "set.jsonl.gz", dataset_format("mmlu"))
    assert (len(dataset), dataset.kept) == (60, ())
    assert len(list(dataset)) == 60
