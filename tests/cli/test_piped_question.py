"""A question by a pipe: whoever says nothing into it is told that they are waited for, and nobody fills the memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

TEAM = "name: quiz\nmodels: {ann: {provider: simulated, accuracy: 1}}\nstrategies: [solo]\n"
COMMAND = (sys.executable, "-m", "moot", "ask", "--team", "team.yaml", "--no-log")
WAITS = "reading the question from the pipe"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("team.yaml").write_text(TEAM)


def test_a_pipe_that_says_nothing_is_named_once() -> None:
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as asked:
        assert asked.stdin is not None
        assert asked.stderr is not None
        try:
            assert WAITS in asked.stderr.readline().decode()
            out, err = asked.communicate(b"Which planet is the largest?\n", timeout=60)
        finally:
            asked.kill()
    assert asked.returncode == 0, err
    assert WAITS not in err.decode()
    assert out.strip(), "it is answered"


@pytest.mark.parametrize("more", [(), ("-",)])
def test_a_question_that_is_there_is_read_without_a_word(more: tuple[str, ...]) -> None:
    done = subprocess.run([*COMMAND, *more], input=b"Which?\n", capture_output=True, timeout=60, check=False)
    assert (done.returncode, WAITS in done.stderr.decode()) == (0, False)


def test_a_question_given_is_not_waited_for() -> None:
    with subprocess.Popen([*COMMAND, "Which?"], stdin=subprocess.PIPE, stderr=subprocess.PIPE) as asked:
        try:
            assert asked.stderr is not None
            assert asked.wait(timeout=60) == 0
            assert WAITS not in asked.stderr.read().decode()
        finally:
            asked.kill()


def test_what_never_ends_is_refused() -> None:
    with Path("/dev/zero").open("rb") as endless:
        done = subprocess.run(COMMAND, stdin=endless, capture_output=True, timeout=60, check=False)
    assert done.returncode == 2
    assert "longer than 1,000,000 characters; a document that it is about goes behind --file" in done.stderr.decode()


@pytest.mark.parametrize(("locale", "encoding"), [("C", "latin-1"), ("C.UTF-8", "utf-8")])
@pytest.mark.parametrize(
    ("said", "told"),
    [
        (b"Which?\nWhich \xff one?", "line 2: expected UTF-8 text (invalid start byte)"),
        (b"Which?\nWhich \0 one?", "line 2: expected text, found a NUL byte"),
    ],
)
def test_what_is_no_text_is_refused_in_every_locale(locale: str, encoding: str, said: bytes, told: str) -> None:
    env = {**os.environ, "LC_ALL": locale, "PYTHONIOENCODING": encoding, "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run([*COMMAND, "-"], input=said, env=env, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode(encoding) == f"moot: the question on stdin, {told}\n"


def test_it_is_utf_8_in_every_locale() -> None:
    env = {**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"}
    asked = [*COMMAND, "--json"]
    done = subprocess.run(
        asked, input="Größte Stadt?\r\n".encode(), env=env, capture_output=True, timeout=60, check=False
    )
    assert json.loads(done.stdout.decode("latin-1"))["question"] == "Größte Stadt?"
