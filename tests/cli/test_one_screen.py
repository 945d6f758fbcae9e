"""Every command in a terminal of 80 columns and 24 rows, as a person sees it: no line is longer, endings fit the screen."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from beside import in_a_thread
from terminal import COLUMNS, ROWS, left_on_screen, seen_in_terminal, sent_to_terminal

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.simulate.server import running

MOST_LINES = 25

CUP = """
name: cup
seed: 7
questions: {builtin: general-en, sample: 40}
models:
  ann: {provider: simulated, accuracy: 0.8, price: {prompt: 1, completion: 2}, max_tokens: 300}
  bob: {provider: simulated, accuracy: 0.6, price: {prompt: 1, completion: 2}, max_tokens: 300}
  cat: {provider: simulated, accuracy: 0.5, price: {prompt: 1, completion: 2}, max_tokens: 300}
teams:
  three: {players: [ann, bob, cat], captain: each}
strategies: [solo, vote, silent, talkative, peer-review, debate]
primary: talkative@ann
hypotheses: ["accuracy(vote) > accuracy(solo@ann)"]
"""

SUPPORT = """\
Ticket;Question;First or second 1;First or second 2;Answer;What somebody else thought of it
T-1;What is the capital of France?;Santiago;Paris;Paris;other
T-2;What is the capital of Spain?;Madrid;Tallinn;Madrid;geo
"""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("screen")
    (folder / "cup.yaml").write_text(CUP)
    other = CUP.replace("name: cup", "name: other").replace("seed: 7", "seed: 8").replace("silent, ", "")
    (folder / "other.yaml").write_text(other)
    (folder / "support.csv").write_text(SUPPORT)
    (folder / "small").mkdir()
    few = re.sub("(?m)^(primary|hypotheses): .*\n", "", CUP).replace("sample: 40", "sample: 12")
    for name, ability in {"few": "0.9", "fewer": "0.7"}.items():  # with every doubt that a small run has
        (folder / f"small/{name}.yaml").write_text(few.replace("name: cup", f"name: {name}").replace("0.8", ability))
    for name in ("cup.yaml", "other.yaml", "small/few.yaml", "small/fewer.yaml"):
        assert run_app(app, ["run", str(folder / name), "--quiet"]) == 0
    return folder


QUIET = {"PAGER": "cat"}


@pytest.mark.parametrize(
    ("arguments", "most"),
    [
        (("--help",), 60),
        (("run", "cup.yaml", "--estimate"), ROWS),
        (("run", "cup.yaml"), 3),
        (("run", "cup.yaml", "--store", "sqlite:///again.db"), MOST_LINES),
        (("report", "cup.yaml"), MOST_LINES),
        (("report", "cup.yaml", "--section", "safety"), None),
        (("report", "cup.yaml", "--all"), None),
        (("report", "cup.yaml", "other.yaml"), MOST_LINES),
        (("report", "small/few.yaml", "small/fewer.yaml"), MOST_LINES),
        (("report", "cup.yaml", "-o", "cup.html"), 3),
        (("compare", "cup.yaml", "--a", "talkative@ann", "--b", "vote"), MOST_LINES),
        (("show", "cup.yaml", "general-en-01", "--strategy", "solo@ann", "--no-pager"), None),
        (("show", "cup.yaml", "--no-pager"), 43),
        (("doctor", "cup.yaml"), ROWS),
        (("plan", "--accuracy", "0.7", "--gain", "0.05"), MOST_LINES),
        (("plan", "--from", "cup.yaml"), ROWS - 4),
        (("plan", "--from", "cup.yaml", "--gain", "0.05"), None),
        (("runs",), MOST_LINES),
        (("watch", "cup.yaml", "--once"), None),
        (("log", "--store", "sqlite:///cup.db", "--runs", "--limit", "5"), MOST_LINES),
        (("select", "cup.yaml", "--m", "20"), MOST_LINES - 1),
        (("select", "cup.yaml", "--k", "1,2,3", "--m", "20"), MOST_LINES),
        (("select", "cup.yaml", "--k", "2", "--method", "top-accuracy", "--m", "20", "--all"), 60),
        (("ask", "Which planet is nearest to the sun?", "--team", "cup.yaml"), MOST_LINES),
        (("models", "list"), MOST_LINES),
        (("init", "--yes", "--port", "9", "--questions", "support.csv", "-o", "init.yaml"), MOST_LINES),
        (("demo",), ROWS - 1),
    ],
    ids=lambda part: "-".join(part[:2]) if isinstance(part, tuple) else "",
)
def test_no_line_is_wider_than_the_screen(arguments: tuple[str, ...], most: int | None, played: Path) -> None:
    lines = seen_in_terminal(played, *arguments, **QUIET)
    wide = [line for line in lines if len(line) > COLUMNS]
    assert not wide, wide[:3]
    assert most is None or len(lines) <= most, "\n".join(lines)


def test_what_takes_long_shows_that_it_works(played: Path) -> None:
    sent = sent_to_terminal(played, "plan", "--from", "cup.yaml")
    assert "reading what was played ..." in sent
    assert "reading what was played ..." not in "\n".join(left_on_screen(sent))


def test_mistakes_are_short_too(played: Path) -> None:
    (played / "wrong.yaml").write_text(CUP.replace("peer-review", "peer-reveiw"))
    lines = seen_in_terminal(played, "run", "wrong.yaml", codes=(2,))
    assert len(lines) <= 4
    assert "did you mean" in " ".join(lines)


def test_what_failed_is_on_the_last_screen_of_the_doctor(played: Path) -> None:
    endpoint = "{provider: endpoint, base_url: 'http://127.0.0.1:9/v1', model: mistral-small-2503-instruct-and-more}"
    (played / "sick.yaml").write_text(re.sub(r"(?m)^  cat: .*$", f"  cat: {endpoint}", CUP))
    lines = seen_in_terminal(played, "doctor", "sick.yaml", codes=(1,))
    assert any(line.startswith("✗ cat: ") for line in lines[-ROWS:])
    assert lines[-1].endswith("moot doctor sick.yaml")
    assert not [line for line in lines if len(line) > COLUMNS]


def test_error_lines_are_broken_between_words(played: Path) -> None:
    (played / "wrong.yaml").write_text(CUP.replace("peer-review", "peer-reveiw"))
    lines = seen_in_terminal(played, "run", "wrong.yaml", codes=(2,))
    piped = subprocess.run(
        [sys.executable, "-m", "moot", "run", "wrong.yaml"],
        cwd=played,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    ).stderr
    assert len(piped.splitlines()) == 1, "for whoever reads by the line"
    assert len(lines) > 1
    assert " ".join(" ".join(lines).split()) == " ".join(piped.split())
    assert all(len(line) <= COLUMNS for line in lines)


class TestPager:
    def test_what_is_longer_than_the_screen_is_shown_by_the_page(self, played: Path, tmp_path: Path) -> None:
        pager = tmp_path / "pager"
        pager.write_text(f"#!/bin/sh\necho by the page $LESS\ncat > {tmp_path}/shown\n")
        pager.chmod(0o755)
        lines = seen_in_terminal(played, "show", "cup.yaml", "general-en-01", PAGER=str(pager))
        assert lines == ["by the page FRX"]
        assert "verdict" in (tmp_path / "shown").read_text()


PAPERS = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("paper", sorted(path.name for path in PAPERS.glob("paper-*.yaml")))
def test_the_estimate_of_a_paper_is_one_screen(paper: str, tmp_path: Path) -> None:
    """The dearest are told one by one; --all tells all."""
    arguments = ("run", str(PAPERS / paper), "--store", f"sqlite:///{tmp_path}/none.db", "--estimate")
    lines = seen_in_terminal(tmp_path, *arguments, **QUIET)
    assert len(lines) <= ROWS, "\n".join(lines)
    cut = [line for line in lines if "more (--all)" in line]
    every = seen_in_terminal(tmp_path, *arguments, "--all", **QUIET)
    assert not any("more (--all)" in line for line in every)
    assert len(every) > len(lines) if cut else len(every) == len(lines)


MANY = "".join(f"  m{number}: {{provider: simulated, accuracy: 0.5, max_tokens: 300}}\n" for number in range(14))


def test_many_models_are_one_screen_for_the_doctor(tmp_path: Path) -> None:
    cup = re.sub(r"(?ms)^models:\n.*?(?=^teams)", f"models:\n{MANY}", CUP).replace("ann, bob, cat", "m1, m2, m3")
    (tmp_path / "many.yaml").write_text(cup.replace("talkative@ann", "talkative@m1").replace("solo@ann", "solo@m1"))
    lines = seen_in_terminal(tmp_path, "doctor", "many.yaml", **QUIET)
    assert len(lines) <= ROWS, "\n".join(lines)
    assert any("5 more answer: --all" in line for line in lines)
    assert lines[-1] == "14 models answer. Next: moot run many.yaml"
    every = seen_in_terminal(tmp_path, "doctor", "many.yaml", "--all", **QUIET)
    assert sum(line.startswith("✓") for line in every) == 14


def test_all_is_of_the_estimate(played: Path) -> None:
    lines = seen_in_terminal(played, "run", "cup.yaml", "--all", codes=(2,))
    assert "moot report FILE --all" in " ".join(lines)


def test_progress_keeps_bar_count_and_time_and_cuts_the_rest(tmp_path: Path) -> None:
    """Whatever the experiment and its endpoints are called, it is one line, written over itself."""
    slow = {"models": {"ann": {"accuracy": 0.5}}, "latency": 0.2}
    with in_a_thread(running(slow)) as server:
        models = "".join(
            f"  a-player-{number}: {{provider: endpoint, base_url: '{server.base_url}', model: ann,"
            " params: {max_tokens: 99}, limits: {concurrent: 2}}\n"
            for number in range(2)
        )
        (tmp_path / "cup.yaml").write_text(
            "name: an-experiment-with-quite-a-long-name-of-its-own\nquestions: {builtin: general-en, sample: 12}\n"
            f"models:\n{models}strategies: [solo]\n"
        )
        sent = sent_to_terminal(tmp_path, "run", "cup.yaml")
    shown = [re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", part) for part in re.split(r"[\r\n]+", sent)]
    bars = [line for line in shown if re.search(r" *\d+/24 ", line)]
    assert len(bars) > 3, "it moves"
    assert all(len(line) <= COLUMNS for line in bars), bars[-1]
    assert all(re.search(r"[━╸╺]+ +\d+/24 +(\d+:\d\d|-+:--)", line) for line in bars), bars[-1]
    assert any(line.rstrip().endswith("…") for line in bars), "the tail is cut"
    assert not [line for line in left_on_screen(sent) if "/24" in line], "and gone in the end"
