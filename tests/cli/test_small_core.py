"""The core without the libraries that are extras: commands in a process that cannot import them."""

from __future__ import annotations

import csv
import json
import os
import random
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

EXTRAS = ("scipy", "sklearn", "polars", "pandas", "pyarrow", "crowdkit")
WITHOUT = f"""
import contextlib
import io
import json
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
from moot.cli.app import app
from moot.cli.exit import run_app

done = []
for arguments in json.loads(sys.argv[1]):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = run_app(app, arguments)
    done.append((status, out.getvalue(), err.getvalue()))
print(json.dumps(done))
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


@dataclass(frozen=True)
class Done:
    status: int
    out: str
    err: str


def moot(folder: Path, *commands: Sequence[str]) -> list[Done]:
    """One after the other in one process, which is slow to start."""
    environment = {**os.environ, "COLUMNS": "100", "MOOT_HOME": str(folder / "home")}
    called = subprocess.run(
        [sys.executable, "-c", WITHOUT, json.dumps(commands)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert called.returncode == 0, called.stderr
    return [Done(*done) for done in json.loads(called.stdout)]


COMMANDS: dict[str, tuple[list[str], str]] = {
    "run": (["run", "small.yaml"], "solo"),
    "report": (["report", "small.yaml"], "solo"),
    "report as JSON": (["report", "small.yaml", "--json"], '"accuracy"'),
    "report as a page": (["report", "small.yaml", "-o", "page.html"], ""),
    "compare": (["compare", "small.yaml", "--a", "vote", "--b", "solo@ann"], "vote"),
    "plan": (["plan", "--accuracy", "0.6", "--gain", "0.1"], "questions"),
    "ask": (["ask", "What is the capital of France?", "--team", "small.yaml"], ""),
}
CSV = ["report", "small.yaml", "--format", "csv", "-o", "tables"]
PARQUET = ["report", "small.yaml", "--format", "parquet", "-o", "typed"]
LABELS = ["select", "labels.parquet", "--k", "1"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    import polars

    folder = tmp_path_factory.mktemp("core")
    (folder / "small.yaml").write_text(FILE, encoding="utf-8")
    labels = {"question_id": ["1"], "model": ["x"], "pred": ["A"], "answer": ["A"]}
    polars.DataFrame(labels).write_parquet(folder / "labels.parquet")
    return folder


@pytest.fixture(scope="module")
def played(folder: Path) -> dict[str, Done]:
    """How each command ended."""
    every = {name: arguments for name, (arguments, _) in COMMANDS.items()}
    every |= {"csv": CSV, "parquet": PARQUET, "labels": LABELS}
    return dict(zip(every, moot(folder, *every.values()), strict=True))


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_of_the_core(played: dict[str, Done], name: str) -> None:
    done = played[name]
    assert done.status == 0, done.out + done.err
    assert COMMANDS[name][1] in done.out


def test_every_module_can_be_imported(tmp_path: Path) -> None:
    """Also what a server starts with; but those that are there for another library."""
    code = WITHOUT.rpartition("from moot.cli.app")[0] + (
        "import pkgutil, moot\n"
        "for each in pkgutil.walk_packages(moot.__path__, 'moot.'):\n"
        "    if not set(each.name.split('.')) & {'inspect', 'litellm_provider', 'llm_plugin', 'mcp_tool', 'ray', '__main__'}:\n"
        "        __import__(each.name)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_tables_as_csv_and_what_parquet_needs(played: dict[str, Done], folder: Path) -> None:
    assert played["csv"].status == 0, played["csv"].err
    with (folder / "tables" / "episodes.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 12 * 4
    assert {row["value"] for row in rows} <= {"0.0", "1.0"}
    assert played["parquet"].status != 0
    assert "--format parquet needs Polars: pip install 'moot[polars]'" in " ".join(played["parquet"].err.split())


def test_selection_without_a_tree(tmp_path: Path) -> None:
    chance = random.Random(1)
    with (tmp_path / "labels.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["question_id", "model", "pred", "answer"])
        for question in range(60):
            right = chance.choice("ABCD")
            for model in ("x", "y", "z"):
                table.writerow([question, model, right if chance.random() < 0.6 else chance.choice("ABCD"), right])
    (done,) = moot(tmp_path, ["select", "labels.csv", "--method", "all", "--k", "2", "--json"])
    assert done.status == 0, done.err
    methods = {row["method"] for row in json.loads(done.out)}
    assert {"truth-prediction", "majority"} <= methods
    assert "decision-tree" not in methods
    said = " ".join(done.err.split())
    assert "decision-tree is left out, which needs scikit-learn: pip install 'moot[scikit-learn]'" in said
    assert "dawid-skene needs crowd-kit: pip install 'moot[crowd-kit]'" in said


def test_parquet_and_frames_say_what_to_install(played: dict[str, Done], folder: Path) -> None:
    assert played["labels"].status != 0
    assert "pip install 'moot[polars]'" in " ".join(played["labels"].err.split())
    code = WITHOUT.rpartition("from moot.cli.app")[0] + "import moot; moot.open_store('small.db').frame('calls')"
    framed = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, timeout=60)
    assert "a frame needs Polars: pip install 'moot[polars]'" in framed.stderr
