"""`moot demo`: what it tells is what `moot report` tells of the recorded store, from wherever the package lies."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

import moot as package
from moot.cli.app import app
from moot.cli.demo import HELPS, HURTS, RECORDED, RECORDINGS, unpack
from moot.cli.exit import run_app

Captured = pytest.CaptureFixture[str]
KEPT = Path(package.__file__).parent / "cli/recorded"


def moot(*arguments: object) -> int:
    return run_app(app, [str(each) for each in arguments])


def test_it_says_that_it_is_a_recording_and_ends_on_what_to_type(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    assert moot("demo") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].rstrip() == RECORDED
    assert max(len(line.rstrip()) for line in lines) <= 80
    assert len(lines) <= 23, "a screen of 24, with the line to type on"
    assert [line.split()[1] for line in lines[-3:]] == ["demo", "demo", "init"]
    assert not list(tmp_path.iterdir()), "nothing is left behind"


def test_its_figures_are_those_of_a_report_of_the_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.chdir(tmp_path)
    assert moot("demo", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert moot("demo", "--unpack", "recorded") == 0
    said = " ".join(capsys.readouterr().out.split())
    for recording, figures in zip(RECORDINGS, told, strict=True):
        assert not figures["simulated"]
        assert {row["missing"] for row in figures["accuracy"]} == {0}, "played to the end"
        assert moot("report", Path("recorded") / recording.file, "--json") == 0
        assert figures == json.loads(capsys.readouterr().out)
        assert " ".join(figures["headline"]["words"]) in said
        assert recording.told in said
    assert moot("demo", "--unpack", "recorded") == 2, "never over what is there"
    assert "empty" in capsys.readouterr().err


def test_in_one_the_team_helps_and_in_the_other_it_hurts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.chdir(tmp_path)
    assert moot("demo", "--json") == 0
    helps, hurts = (figures["headline"]["over_best_single"] for figures in json.loads(capsys.readouterr().out))
    assert helps["low"] > 0
    assert hurts["high"] < 0


def test_every_experiment_of_the_stores_has_its_file(tmp_path: Path, capsys: Captured) -> None:
    """Nothing that was played is kept back."""
    unpack(tmp_path)
    names = {"recorded.db": {"six-small", "one-large", "small-captain"}, "lissow.db": {"three-who-read"}}
    for store, expected in names.items():
        assert moot("runs", "--store", f"sqlite:///{tmp_path / store}", "--json") == 0
        (found,) = json.loads(capsys.readouterr().out)
        assert {run["experiment"] for run in found["runs"]} == expected
        assert {run["missing"] for run in found["runs"]} == {0}, "each to its end"
        assert all((tmp_path / f"{name}.yaml").exists() for name in expected)


def test_the_page_is_written(tmp_path: Path, capsys: Captured) -> None:
    page = tmp_path / "demo.html"
    assert moot("demo", "-o", page) == 0
    text = page.read_text(encoding="utf-8")
    assert all(Path(recording.file).stem in text for recording in (HELPS, HURTS))
    helps, hurts = (text.index(f">{recording.told}<") for recording in RECORDINGS)
    assert helps < hurts, "which is which is read before the verdict of each"
    assert text.index(Path(HELPS.file).stem) < helps
    assert len(text) > 50_000
    assert f"open {page}" in capsys.readouterr().out.replace("\n", "")
    assert moot("demo", "-o", tmp_path / "demo.txt") == 2


def test_when_it_was_recorded_is_what_the_stores_say(tmp_path: Path) -> None:
    import sqlite3

    unpack(tmp_path)
    days, last = set(), []
    for name in ("recorded.db", "lissow.db"):
        store = sqlite3.connect(tmp_path / name)
        days |= {
            datetime.fromtimestamp(started, UTC).date() for (started,) in store.execute("SELECT started_at FROM runs")
        }
        last += store.execute("SELECT state, max(started_at) FROM runs GROUP BY experiment").fetchall()
        store.close()
    *earlier, latest = sorted(days)
    assert f"{' and '.join([*(str(day.day) for day in earlier), latest.strftime('%-d %B %Y')])};" in RECORDED
    assert {state for state, _ in last} == {"done"}, "each was played to its end"


def test_it_is_small() -> None:
    assert sum(path.stat().st_size for path in KEPT.iterdir()) < 1_000_000


def test_from_an_installed_package_where_nobody_may_write(tmp_path: Path) -> None:
    """As a wheel lays it out: the package alone, without a checkout around it."""
    installed = tmp_path / "site-packages"
    shutil.copytree(Path(package.__file__).parent, installed / "moot")
    for path in (installed / "moot/cli/recorded").iterdir():
        path.chmod(0o444)
    (installed / "moot/cli/recorded").chmod(0o555)
    where = tmp_path / "elsewhere"
    where.mkdir()
    environment = {**os.environ, "PYTHONPATH": str(installed), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "moot", "demo"], cwd=where, env=environment, capture_output=True, text=True, check=False
    )
    (installed / "moot/cli/recorded").chmod(0o755)
    assert (done.returncode, done.stderr) == (0, ""), "a store of an older moot is to be packed anew"
    assert done.stdout.startswith(RECORDED)
