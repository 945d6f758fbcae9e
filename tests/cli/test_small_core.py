"""The core without the libraries that are extras: commands in a process that cannot import them."""

from __future__ import annotations

import csv
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

EXTRAS = ("scipy", "sklearn", "polars", "pandas", "pyarrow", "crowdkit")
WITHOUT = f"""
import sys
from importlib.abc import MetaPathFinder


class Absent(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {EXTRAS!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
        return None


sys.meta_path.insert(0, Absent())
import importlib.util
there = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name in {EXTRAS!r} else there(name, package)
from moot.cli import main

sys.argv = ["moot", *sys.argv[1:]]
main()
"""
FILE = """
name: small
seed: 7
questions: {builtin: general-en, sample: 12}
models:
  ann: {provider: simulated, accuracy: 0.7}
  bob: {provider: simulated, accuracy: 0.5}
  cat: {provider: simulated, accuracy: 0.6}
teams: {all: {players: [ann, bob, cat], captain: ann}}
strategies: [solo, vote]
"""


def moot(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "COLUMNS": "100", "MOOT_HOME": str(folder / "home")}
    command = [sys.executable, "-c", WITHOUT, *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("core")
    (folder / "small.yaml").write_text(FILE, encoding="utf-8")
    done = moot(folder, "run", "small.yaml")
    assert done.returncode == 0, done.stderr
    assert "solo" in done.stdout
    return folder


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["report", "small.yaml"], "solo"),
        (["report", "small.yaml", "--json"], '"accuracy"'),
        (["report", "small.yaml", "-o", "page.html"], ""),
        (["compare", "small.yaml", "--a", "vote", "--b", "solo@ann"], "vote"),
        (["plan", "--accuracy", "0.6", "--gain", "0.1"], "questions"),
        (["ask", "What is the capital of France?", "--team", "small.yaml"], ""),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_commands_of_the_core(played: Path, arguments: list[str], words: str) -> None:
    done = moot(played, *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    assert words in done.stdout


def test_every_module_can_be_imported(tmp_path: Path) -> None:
    """Also what a server starts with; but those that are there for another library."""
    code = WITHOUT.rpartition("from moot.cli")[0] + (
        "import pkgutil, moot\n"
        "for each in pkgutil.walk_packages(moot.__path__, 'moot.'):\n"
        "    if not set(each.name.split('.')) & {'inspect', 'ray', '__main__'}:\n"
        "        __import__(each.name)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_tables_as_csv_and_what_parquet_needs(played: Path) -> None:
    done = moot(played, "report", "small.yaml", "--format", "csv", "-o", "tables")
    assert done.returncode == 0, done.stderr
    with (played / "tables" / "episodes.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 12 * 4
    assert {row["value"] for row in rows} <= {"0.0", "1.0"}
    done = moot(played, "report", "small.yaml", "--format", "parquet", "-o", "typed")
    assert done.returncode != 0
    assert "--format parquet needs Polars: pip install 'moot[polars]'" in " ".join(done.stderr.split())


def test_selection_without_a_tree(tmp_path: Path) -> None:
    chance = random.Random(1)
    with (tmp_path / "labels.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["question_id", "model", "pred", "answer"])
        for question in range(60):
            right = chance.choice("ABCD")
            for model in ("x", "y", "z"):
                table.writerow([question, model, right if chance.random() < 0.6 else chance.choice("ABCD"), right])
    done = moot(tmp_path, "select", "labels.csv", "--method", "all", "--k", "2", "--json")
    assert done.returncode == 0, done.stderr
    methods = {row["method"] for row in json.loads(done.stdout)}
    assert {"truth-prediction", "majority"} <= methods
    assert "decision-tree" not in methods
    said = " ".join(done.stderr.split())
    assert "decision-tree is left out, which needs scikit-learn: pip install 'moot[scikit-learn]'" in said
    assert "dawid-skene needs crowd-kit: pip install 'moot[crowd-kit]'" in said


def test_parquet_and_frames_say_what_to_install(played: Path) -> None:
    import polars

    polars.DataFrame({"question_id": ["1"], "model": ["x"], "pred": ["A"], "answer": ["A"]}).write_parquet(
        played / "labels.parquet"
    )
    done = moot(played, "select", "labels.parquet", "--k", "1")
    assert done.returncode != 0
    assert "pip install 'moot[polars]'" in " ".join(done.stderr.split())
    code = WITHOUT.rpartition("from moot.cli")[0] + "import moot; moot.open_store('sqlite:///small.db').frame('calls')"
    framed = subprocess.run([sys.executable, "-c", code], cwd=played, capture_output=True, text=True, timeout=60)
    assert "a frame needs Polars: pip install 'moot[polars]'" in framed.stderr
