"""What `moot serve` says first: the team that is asked where none is named, why it is this one, and how many others there are."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from served import THREE


@pytest.mark.parametrize(
    ("more", "options", "said"),
    [
        ({"primary": "talkative@cat"}, [], "three: three/talkative@cat, declared as primary (--all: 11 more)"),
        ({}, ["--all"], "three: three/vote, the first of the file: nothing was measured yet; and 11 others"),
        ({}, ["--only", "solo@ann", "--only", "vote"], "solo@ann: the first of --only; and 1 other (--all: 10 more)"),
    ],
)
def test_it_says_who_is_asked_and_why(more: dict[str, Any], options: list[str], said: str, tmp_path: Path) -> None:
    teams = {"three": {"players": ["ann", "bob", "cat"], "captain": "each"}}
    strategies = ["vote", "talkative", "solo", {"solo": {"drafts": "double-call"}}]
    path = tmp_path / "three.yaml"
    path.write_text(yaml.safe_dump({**THREE, "teams": teams, "strategies": strategies, **more}))
    served = subprocess.Popen(
        [sys.executable, "-m", "moot", "serve", str(path), "--port", "0", *options],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert served.stdout is not None
        last = "no key: it listens on this machine only (--key-env VAR to serve others)\n"
        lines = list(iter(served.stdout.readline, last))
        told = next(place for place, line in enumerate(lines) if line.startswith("the table: "))
        assert " ".join(line.strip() for line in lines[:told]) == f"serving {said}"
        assert [line for line in lines if len(line) > 81 and not line.startswith("kept in: ")] == []
    finally:
        served.terminate()
        served.communicate(timeout=60)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder that nobody can write to")
def test_where_nothing_can_be_kept_it_does_not_say_that_it_serves(tmp_path: Path) -> None:
    path = tmp_path / "three.yaml"
    path.write_text(yaml.safe_dump(THREE))
    ended = subprocess.run(
        [sys.executable, "-m", "moot", "serve", str(path), "--port", "0", "--store", "sqlite:////proc/three.db"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode in (1, 2)
    assert ended.stdout == ""
    assert ended.stderr.startswith("moot: ")
    assert "Traceback" not in ended.stderr
