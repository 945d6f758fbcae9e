"""A store on a disk that is mounted to be read only: what reads works as ever, what writes says so in one line."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

MOOT = [sys.executable, "-c", "from moot.cli import main; main()"]
MOUNTED = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"'


def moot(*arguments: object, frozen: Path | None = None) -> subprocess.CompletedProcess[str]:
    """`frozen`: a folder that this command, and nobody else, finds on a disk that cannot be written."""
    before = [] if frozen is None else ["unshare", "--mount", "sh", "-c", MOUNTED, str(frozen)]
    return subprocess.run([*before, *MOOT, *map(str, arguments)], capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An experiment with its store. Root may write wherever a mode forbids it, so a mount has to."""
    folder = tmp_path_factory.mktemp("played")
    mountable = shutil.which("unshare") and shutil.which("mount")
    if not mountable or moot("--version", frozen=folder).returncode:
        pytest.skip("nothing can be mounted here")
    questions = [{"id": f"q{n}", "text": f"Who is {n}?", "answer": f"P {n}"} for n in range(12)]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, questions)))
    models = {name: {"provider": "simulated", "accuracy": 0.6} for name in ("ann", "bob", "cat")}
    described = {"name": "cup", "questions": {"file": "questions.jsonl"}, "models": models}
    (folder / "cup.yaml").write_text(json.dumps(described | {"strategies": ["solo", "vote"]}))
    assert moot("run", folder / "cup.yaml", "--quiet").returncode == 0
    return folder


READING = {
    "report": ("report", "cup.yaml", "--json"),
    "show": ("show", "cup.yaml", "q1", "--json"),
    "runs": ("runs", "cup.yaml", "--json"),
    "compare": ("compare", "cup.yaml", "--a", "vote", "--b", "solo@ann", "--json"),
    "select": ("select", "cup.yaml", "--k", "2", "--json"),
    "estimate": ("run", "cup.yaml", "--estimate"),
}


@pytest.mark.parametrize("command", READING)
def test_what_reads_works_as_ever(played: Path, command: str) -> None:
    words = [played / word if word == "cup.yaml" else word for word in READING[command]]
    frozen = moot(*words, frozen=played)
    usual = moot(*words)
    assert (frozen.returncode, frozen.stdout, frozen.stderr) == (0, usual.stdout, usual.stderr), frozen


def test_what_is_exported_stands_elsewhere(played: Path, tmp_path: Path) -> None:
    frozen = moot("export", played / "cup.yaml", "-o", tmp_path / "replies.jsonl", frozen=played)
    assert frozen.returncode == 0, frozen
    assert len((tmp_path / "replies.jsonl").read_text().splitlines()) == 36


@pytest.mark.parametrize("left", ["a log", "tables of yesterday"])
def test_what_has_to_be_worked_on_first_is_copied(played: Path, tmp_path: Path, left: str) -> None:
    """A log that its writer did not get to fold in, or tables that are not up to date."""
    folder = tmp_path / "old"
    shutil.copytree(played, folder)
    if left == "a log":
        with closing(sqlite3.connect(folder / "cup.db")) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("DELETE FROM episodes WHERE question IN (SELECT question FROM episodes LIMIT 1)")
            connection.commit()
            for suffix in ("", "-wal"):  # as after a kill: the log is there, its index is not
                shutil.copyfile(folder / f"cup.db{suffix}", folder / f"killed.db{suffix}")
        for suffix in ("", "-wal"):
            (folder / f"killed.db{suffix}").rename(folder / f"cup.db{suffix}")
    else:
        with closing(sqlite3.connect(folder / "cup.db")) as connection:
            connection.execute("DELETE FROM migrations WHERE name = (SELECT max(name) FROM migrations)")
            connection.commit()
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    frozen = moot("report", folder / "cup.yaml", "--json", frozen=folder)
    said = "" if left == "a log" else "an older moot's store: a copy is brought up to date"
    assert frozen.returncode == 0, frozen
    assert frozen.stderr.startswith(said), frozen
    assert len(frozen.stderr.splitlines()) == bool(said)
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before
    assert (
        json.loads(frozen.stdout)["accuracy"]
        == json.loads(moot("report", folder / "cup.yaml", "--json").stdout)["accuracy"]
    )


@pytest.mark.parametrize(
    "command", [("run", "cup.yaml", "--quiet"), ("grade", "cup.yaml"), ("serve", "cup.yaml", "--port", "0")]
)
def test_what_writes_says_so_in_one_line(played: Path, command: tuple[str, ...]) -> None:
    frozen = moot(*(played / word if word == "cup.yaml" else word for word in command), frozen=played)
    assert frozen.returncode in (1, 2), frozen
    (line,) = frozen.stderr.splitlines()
    assert line.startswith(f"moot: {played / 'cup.db'}: ")
    assert line.endswith("cannot be written here; copy it to where it can, and name it with --store")
