"""A run with nothing left to do: it is told without loading what plays, and only while nothing has changed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

LOADED_FOR_PLAY = {
    *("aiohttp", "jinja2", "json_repair", "jsonschema", "numpy", "pymorphy3", "sqlalchemy", "starlette", "uvicorn"),
    *("uvloop", "xllamacpp", "yaml"),
}
"""Nothing of it is needed to say that all is there. Typer loads pydantic, to look at what was typed."""
OURS = {"moot.engine", "moot.experiment", "moot.grade", "moot.measures", "moot.report", "moot.store", "moot.strategies"}
COMMAND = """
import json, sys
from moot.cli import main
sys.argv = ["moot", *{arguments!r}]
try:
    main()
except SystemExit as stop:
    print(json.dumps([stop.code or 0, sorted(sys.modules)]), file=sys.stderr)
"""
FILE = """
name: cup
questions: {file: q.csv}
models:
  ann: {provider: simulated, accuracy: 0.7}
  bob: {provider: simulated, accuracy: 0.6}
strategies: [solo, vote]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "cache").mkdir()
    work = tmp_path / "work"
    work.mkdir()
    (work / "cup.yaml").write_text(FILE, encoding="utf-8")
    rows = "".join(f"Which is number {number}?,word{number}\n" for number in range(4))
    (work / "q.csv").write_text(f"question,answer\n{rows}", encoding="utf-8")
    return work


def typed(folder: Path, *arguments: str, **variables: str) -> tuple[list[str], set[str]]:
    """The lines that it told, warnings first, and the modules that were loaded."""
    cache = {"MOOT_CACHE": str(folder.parent / "cache")}
    done = subprocess.run(
        [sys.executable, "-P", "-c", COMMAND.format(arguments=arguments)],
        cwd=folder,
        env={**os.environ, **cache, **variables},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    code, modules = json.loads(done.stderr.splitlines()[-1])
    assert code == 0, done.stderr[:400]
    warned = [line for line in done.stderr.splitlines() if line.startswith("moot: ")]
    return [*warned, *done.stdout.splitlines()], set(modules)


def at_once(modules: set[str]) -> bool:
    return "moot.cli.run" not in modules


def test_nothing_to_do_loads_nothing_that_plays(folder: Path) -> None:
    typed(folder, "run", "cup.yaml")
    lines, modules = typed(folder, "run", "cup.yaml")
    assert not LOADED_FOR_PLAY & {name.partition(".")[0] for name in modules}
    assert not OURS & modules
    assert len(modules) < 500
    looked_up, all_modules = typed(folder, "run", "cup.yaml", MOOT_CACHE=str(folder.parent / "empty"))
    assert not at_once(all_modules)
    assert lines == looked_up
    assert lines[0].startswith("moot: q.csv: by their names, columns: {text: question}")
    assert lines[1] == "nothing to do: all 12 episodes are there"


def test_another_question_is_played(folder: Path) -> None:
    typed(folder, "run", "cup.yaml")
    with (folder / "q.csv").open("a", encoding="utf-8") as file:
        file.write("Which is the last?,last\n")
    lines, modules = typed(folder, "run", "cup.yaml")
    assert not at_once(modules)
    assert "cup: 5 questions" in lines


def test_a_store_that_was_written_to_is_looked_up(folder: Path) -> None:
    typed(folder, "run", "cup.yaml")
    typed(folder, "run", "cup.yaml", "--limit", "2")
    lines, modules = typed(folder, "run", "cup.yaml")
    assert lines[1] == "nothing to do: all 12 episodes are there"
    assert not at_once(modules)
    assert at_once(typed(folder, "run", "cup.yaml")[1])


WITNESS = """
import os, sys, time
from pathlib import Path
from moot.cli import settled

for name in ("read.txt", "moved.txt", "cup.db"):
    Path(name).write_text("a")
Path("looked").mkdir()
Path("looked/one").write_text("a")
time.sleep(0.02)
settled.listen()
rerun = settled.Rerun(Path("cup.yaml"), None, None, 80)
ALL = settled.SettledWords(("all is there",), ("a column",))

def look():
    Path("read.txt").read_text()
    os.listdir("looked")
    Path("absent.txt").exists() or Path("cup.yaml").read_text()

def kept():
    rerun.keep(ALL, Path("cup.db"))
    return rerun.told_before()

def said(problem):
    assert rerun.told_before() is None, problem

look()
assert kept() == ALL
Path("cup.db-wal").write_text("more")
said("somebody writes to the store")
Path("cup.db-wal").unlink()
assert rerun.told_before() == ALL
os.environ["A_KEY"] = "x"
said("a variable is there now")
del os.environ["A_KEY"]
assert settled.Rerun(Path("cup.yaml"), None, 2, 80).told_before() is None
assert settled.Rerun(Path("cup.yaml"), None, None, 60).told_before() is None
Path("looked/two").write_text("b")
said("a folder that was looked through has another file")
Path("looked/two").unlink()
assert rerun.told_before() == ALL
Path("cup.db").write_text("ab")
said("the store is another")
assert kept() is None, "the folder was touched while it ran: it may have been read before"
"""
MEANWHILE = """
import time
from pathlib import Path
from moot.cli import settled

for name in ("read.txt", "cup.db"):
    Path(name).write_text("a")
time.sleep(0.02)
settled.listen()
rerun = settled.Rerun(Path("cup.yaml"), None, None, 80)
ALL = settled.SettledWords(("all is there",), ("a column",))
Path("read.txt").read_text()
time.sleep(0.02)
{meanwhile}
rerun.keep(ALL, Path("cup.db"))
assert (rerun.told_before() is not None) is {told}
"""


def run_code(folder: Path, code: str) -> None:
    env = {**os.environ, "MOOT_CACHE": str(folder.parent / "cache")}
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], cwd=folder, env=env, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr


def test_whatever_was_looked_at_and_is_another_now_is_noticed(folder: Path) -> None:
    run_code(folder, WITNESS)


@pytest.mark.parametrize(
    ("meanwhile", "told"),
    [
        ("pass", True),
        ("Path('cup.db').write_text('ab')", True),  # the run itself writes there
        ("Path('read.txt').write_text('b')", False),  # somebody edits the questions while they are played
        ("import subprocess; subprocess.run(['true'])", False),
        ("import socket; socket.getaddrinfo('localhost', 80)", False),
    ],
)
def test_what_may_have_been_another_while_it_ran_is_not_kept(folder: Path, meanwhile: str, told: bool) -> None:
    run_code(folder, MEANWHILE.format(meanwhile=meanwhile, told=told))


def test_a_file_that_is_not_read_by_python_is_noticed(folder: Path) -> None:
    polars = pytest.importorskip("polars")
    (folder / "cup.yaml").write_text(FILE.replace("q.csv", "q.parquet"), encoding="utf-8")
    rows = {"question": [f"Which is number {number}?" for number in range(4)], "answer": list("abcd")}
    polars.DataFrame(rows).write_parquet(folder / "q.parquet")
    typed(folder, "run", "cup.yaml")
    assert at_once(typed(folder, "run", "cup.yaml")[1])
    polars.DataFrame({**rows, "answer": list("abce")}).write_parquet(folder / "q.parquet")
    assert not at_once(typed(folder, "run", "cup.yaml")[1])
