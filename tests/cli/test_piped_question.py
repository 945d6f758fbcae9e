"""A question by a pipe: whoever says nothing into it is told that they are waited for, and nobody fills the memory."""

from __future__ import annotations

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
