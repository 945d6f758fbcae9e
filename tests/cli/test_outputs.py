"""What a command writes with -o destroys nothing that it was made from, and nothing that is no file."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.cli.outputs import checked_output
from moot.report import tables

Captured = pytest.CaptureFixture[str]
ROWS = [{"id": f"q{n}", "text": f"Who is {n}?", "answer": f"P {n}"} for n in range(44)]
MODELS = {name: {"provider": "simulated", "accuracy": a} for name, a in (("x", 0.8), ("y", 0.4), ("z", 0.4))}


def moot(*arguments: object) -> int:
    return run_app(app, [str(each) for each in arguments])


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cup")
    (folder / "calls.csv").write_text(
        "id,text,answer\n" + "".join(f"{r['id']},{r['text']},{r['answer']}\n" for r in ROWS)
    )
    spec: dict[str, Any] = {"name": "cup", "seed": 7, "questions": {"file": "calls.csv"}, "models": MODELS}
    (folder / "cup.yaml").write_text(json.dumps({**spec, "strategies": ["solo", "vote"]}))
    (folder / "other.yaml").write_text("name: other\n")
    (folder / "cup.html").write_text("a page\n")
    assert moot("run", folder / "cup.yaml", "--quiet") == 0
    (folder / "link.html").symlink_to(folder / "cup.yaml")
    os.link(folder / "cup.yaml", folder / "hard.html")
    (folder / "nowhere.html").symlink_to(folder / "no" / "such")
    os.link(folder / "cup.yaml", folder / "hard.yaml")
    (folder / "nowhere.yaml").symlink_to(folder / "no" / "such")
    os.mkfifo(folder / "pipe.html")
    os.mkfifo(folder / "pipe.yaml")
    (folder / "device.html").symlink_to("/dev/null")
    return folder


def stand(folder: Path) -> dict[str, Any]:
    """What is in the folder, by name: content of files, and where links lead."""
    kept: dict[str, Any] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_symlink():
            kept[path.name] = os.readlink(path)
        elif path.is_file() and not path.name.endswith(("-wal", "-shm")):
            kept[path.name] = path.read_bytes()
        elif not path.is_dir():
            kept[path.name] = path.stat().st_mode
    return kept


COMMANDS = {
    "fit": ("fit", "cup.yaml"),
    "export": ("export", "cup.yaml"),
    "questions": ("export", "cup.yaml", "--questions"),
    "report": ("report", "cup.yaml"),
    "demo": ("demo",),
    "advise": ("advise", "cup.yaml"),
}
SPARED = ["cup.yaml", "./cup.yaml", "cup.db", "cup.db-wal", "calls.csv", "other.yaml", "."]
SPARED += ["link.html", "hard.html", "nowhere.html", "pipe.html", "device.html"]


@pytest.mark.parametrize("output", SPARED)
@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_is_written_over(
    played: Path, command: str, output: str, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.chdir(played)
    if command == "demo" and output == "hard.html":
        pytest.skip("it is made from no file: what a page is to be written to is the user's")
    before = stand(played)
    assert moot(*COMMANDS[command], "-o", output) == 2
    assert "-o" in capsys.readouterr().err
    assert stand(played) == before


@pytest.mark.parametrize("output", ["other.yaml", "cup.yaml", "hard.yaml", "pipe.yaml", "nowhere.yaml"])
def test_advice_is_written_over_no_other_experiment(
    played: Path, output: str, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.chdir(played)
    before = stand(played)
    assert moot("advise", "cup.yaml", "-o", output) == 2
    assert "-o" in capsys.readouterr().err
    assert stand(played) == before


@pytest.mark.parametrize("command", ["fit", "export"])
def test_a_store_that_was_named_is_spared_too(
    played: Path, command: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(played)
    (tmp_path / "moved.db").write_bytes((played / "cup.db").read_bytes())
    before = (tmp_path / "moved.db").read_bytes()
    url = f"sqlite:///{tmp_path / 'moved.db'}"
    assert moot(command, "cup.yaml", "--store", url, "-o", tmp_path / "moved.db") == 2
    assert moot(command, "cup.yaml", "--store", url, "-o", tmp_path / "moved.db-wal") == 2
    assert (tmp_path / "moved.db").read_bytes() == before
    assert moot("report", "--store", url, "-o", tmp_path / "moved.db") == 2


def test_tables_do_not_stand_in_the_place_of_the_questions(
    played: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    """`calls` is a table of the store's; here the questions are called so."""
    monkeypatch.chdir(played)
    before = stand(played)
    assert moot("report", "cup.yaml", "--format", "csv", "-o", ".") == 2
    assert "calls.csv is a file that cup.yaml names" in " ".join(capsys.readouterr().err.split())
    assert stand(played) == before
    assert moot("report", "cup.yaml", "--format", "csv", "-o", "tables") == 0
    assert (played / "tables" / "calls.csv").exists()


@pytest.mark.parametrize("output", ["wording/draft.j2", "./wording/de/draft.j2", "link.j2", "asked/one.csv"])
def test_what_lies_in_a_folder_that_the_file_names_is_spared(
    played: Path, tmp_path: Path, output: str, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("wording/draft.j2", "wording/de/draft.j2", "asked/one.csv", "wording/page.html", "cup/report.html"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("mine\n")
    (tmp_path / "link.j2").symlink_to(tmp_path / "wording" / "draft.j2")
    spec = json.loads((played / "cup.yaml").read_text())
    spec |= {"prompts": "wording", "questions": {"file": "asked", "format": "mmlu"}}
    (tmp_path / "cup.yaml").write_text(json.dumps(spec))
    store = ("--store", f"sqlite:///{played / 'cup.db'}")
    before = stand(tmp_path)
    assert moot("export", "cup.yaml", *store, "-o", output) == 2
    assert "which cup.yaml names, and would be lost" in " ".join(capsys.readouterr().err.split())
    assert stand(tmp_path) == before
    # What is read by nobody, and a folder that bears the name by chance, are as free as any other place.
    for free in ("wording/new.jsonl", "wording/new.jsonl", "cup/report.html"):
        checked_output(Path(free), [Path("cup.yaml")])


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_full_disk_is_told_as_such(
    played: Path, tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    @contextmanager
    def full(paths: Sequence[Path]) -> Iterator[list[Path]]:
        yield [Path("/dev/full")] * len(paths)

    monkeypatch.setattr(tables, "written_together", full)
    assert moot("report", played / "cup.yaml", "--format", kind, "-o", tmp_path / "tables") == 2
    said = capsys.readouterr().err
    assert "No space left on device" in said
    assert "bug" not in said


def test_a_rule_stands_in_the_place_of_a_rule_alone(
    played: Path, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(played)
    mine = tmp_path / "notes.json"
    for content in ('{"a": 1}', "[1]", "my notes", ""):
        mine.write_text(content)
        assert moot("fit", "cup.yaml", "-o", mine) == 2
        assert "is there already and is no rule" in " ".join(capsys.readouterr().err.split())
        assert mine.read_text() == content
    assert moot("fit", "cup.yaml", "-o", "-") == 2
    assert not (played / "-").exists()
    rule = tmp_path / "rule.json"
    assert moot("fit", "cup.yaml", "-o", rule) == 0
    first = json.dumps(
        json.loads(rule.read_text())
    )  # in the same second it would be the same to the letter, and not be kept
    rule.write_text(first)
    capsys.readouterr()
    assert moot("fit", "cup.yaml", "-o", rule) == 0
    assert (tmp_path / "rule.json.before").read_text() == first, "the one before is kept"
    assert "rule.json.before" in capsys.readouterr().out


def test_what_stands_where_the_rule_until_now_is_kept_is_spared(
    played: Path, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stranger's folder: his link leads to something of the user's."""
    monkeypatch.chdir(played)
    rule, mine = tmp_path / "rule.json", tmp_path / "mine"
    rule.write_text('{"form": 1, "x": "$(touch here)"}')
    mine.write_text("mine")
    kept = tmp_path / "rule.json.before"
    kept.symlink_to(mine)
    assert moot("fit", "cup.yaml", "-o", rule) == 2
    assert "where the rule until now would be kept" in " ".join(capsys.readouterr().err.split())
    assert mine.read_text() == "mine"
    kept.unlink()
    kept.write_text("notes")
    assert moot("fit", "cup.yaml", "-o", rule) == 2
    assert kept.read_text() == "notes"


def test_a_link_is_followed(played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(played)
    (tmp_path / "real").mkdir()
    for command, name in (("fit", "rule.json"), ("export", "replies.jsonl"), ("report", "page.html")):
        real, link = tmp_path / "real" / name, tmp_path / name
        real.write_text('{"form": 0}' if command == "fit" else "old")
        link.symlink_to(real)
        before = real.read_bytes()
        assert moot(command, "cup.yaml", "-o", link) == 0
        assert link.is_symlink()
        assert real.read_bytes() != before


def test_init_asks_of_files_alone(tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")
    monkeypatch.setattr("moot.cli.first_file.agreed", lambda words: True)
    assert moot("init", "-o", tmp_path / "pipe.yaml") == 2
    assert "is not a regular file" in " ".join(capsys.readouterr().err.split())


def test_at_a_name_that_could_be_foreseen_nothing_is_written(
    played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a folder that somebody else has prepared: what his links lead to stays, and so do they."""
    monkeypatch.chdir(played)
    victim = tmp_path / "victim"
    victim.write_text("mine")
    made = {"fit": "rule.json", "export": "replies.jsonl", "report": "page.html"}
    laid = [tmp_path / form.format(name) for name in made.values() for form in ("{}.part", ".{}.partial", "{}.tmp")]
    for link in laid:
        link.symlink_to(victim)
    for command, name in made.items():
        assert moot(command, "cup.yaml", "-o", tmp_path / name) == 0
        assert not (tmp_path / name).is_symlink()
    assert victim.read_text() == "mine"
    assert all(link.is_symlink() for link in laid)
    assert not [*tmp_path.glob(".moot-*")], "what was written beside is moved"


def test_advice_stands_in_the_place_of_advice_alone(
    played: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.chdir(played)
    assert moot("advise", "cup.yaml", "-o", "team.yaml") == 0
    assert moot("advise", "cup.yaml", "-o", "team.yaml") == 0
    (played / "theirs.yaml").write_text("name: theirs\n")
    assert moot("advise", "cup.yaml", "-o", "theirs.yaml") == 2
    assert (played / "theirs.yaml").read_text() == "name: theirs\n"
