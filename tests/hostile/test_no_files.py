"""A path to what is no file, such as a pipe without a writer: every command refuses it in one line, and waits for nothing."""

from __future__ import annotations

import json
import os
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from types import FrameType

import pytest

from moot.cli.app import app
from moot.cli.exit import run_app

Captured = pytest.CaptureFixture[str]
LIMIT_S = 60
"""Of which a refusal takes the least part, on however busy a machine; who waits for a pipe waits for ever."""

COMMANDS = [
    f"{command} X.yaml"
    for command in (
        *("doctor", "run", "watch", "runs", "grade", "report", "compare", "show", "select", "advise", "serve"),
        *("plan --from", "export -o out.jsonl", "purge --older-than 3", "ask --no-log Who? --team", "play --team"),
        *("log --team", "fit -o rule.json", "simulate --port 0", *(["mcp"] if find_spec("mcp") else [])),
    )
]  # fmt: skip
COMMANDS += [
    "runs X.db",
    "runs --store sqlite:///X.db",
    "report good.yaml X.yaml --publish board",
    "report good.yaml --store sqlite:///X.db",
    "run good.yaml --store sqlite:///X.db",
    "select X.csv",
    "select X.jsonl",
    "select X.parquet",
    "advise X.csv",
    "advise X.jsonl --questions questions.jsonl",
    "advise replies.jsonl --questions X.jsonl",
    "init X.csv -o new.yaml",
    "init X.xlsx -o new.yaml",
    "play X.jsonl",
    "ask --no-log Who? --file X.md",
    "import inspect X.eval -o out.jsonl",
    "import inspect X.json -o out.jsonl",
    "import lm-eval X.jsonl -o out.jsonl",
    "import promptfoo X.json -o out.jsonl",
    "import helm X.json -o out.jsonl",
    "import openai-batch X.jsonl -o out.jsonl",
    "import csv X.csv -o out.jsonl",
    "simulate --port 0 --config X.yaml",
]  # fmt: skip


@contextmanager
def limited(command: str) -> Iterator[None]:
    def over(number: int, frame: FrameType | None) -> None:
        raise AssertionError(f"moot {command}: still waits after {LIMIT_S} s")

    before = signal.signal(signal.SIGALRM, over)
    signal.alarm(LIMIT_S)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def a_pipe(path: Path) -> None:
    os.mkfifo(path)


def a_link_to_a_pipe(path: Path) -> None:
    os.mkfifo(path.with_suffix(".pipe"))
    path.symlink_to(path.with_suffix(".pipe").name)


def a_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def a_folder(path: Path) -> None:
    path.mkdir()


def a_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path.name)  # the whole path may be longer than one of a socket can be


KINDS: list[Callable[[Path], None]] = [a_pipe, a_link_to_a_pipe, a_device, a_folder, a_socket]
TRIED = [
    pytest.param(command, make, id=f"{make.__name__}: {command}")
    for command in COMMANDS
    for make in KINDS
    if not (make is a_folder and command.startswith("import"))  # a folder of logs is what may stand there
]


@pytest.mark.parametrize(("command", "make"), TRIED)
def test_what_is_no_file_is_not_waited_for(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch, command: str, make: Callable[[Path], None]
) -> None:
    monkeypatch.chdir(tmp_path)
    question = {"id": "q1", "text": "Who?", "answer": "x"}
    Path("questions.jsonl").write_text(json.dumps(question), encoding="utf-8")
    Path("replies.jsonl").write_text(json.dumps({"model": "ann", "question_id": "q1", "text": "x"}), encoding="utf-8")
    model = {"provider": "recorded", "model": "ann", "file": "replies.jsonl"}
    good = {"name": "good", "models": {"ann": model}, "questions": {"file": "questions.jsonl"}}
    Path("good.yaml").write_text(json.dumps(good), encoding="utf-8")
    (named,) = [word for word in command.replace("sqlite:///", "").split() if word.startswith("X.")]
    make(Path(named))
    with limited(command):
        assert run_app(app, command.split()) == 2
    (said,) = capsys.readouterr().err.splitlines()
    assert named in said or Path(named).resolve().name in said, said
    assert not any(words in said for words in ("bug", "Traceback", "no such file")), said
