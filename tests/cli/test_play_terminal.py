"""`moot play` at a real terminal: a pseudo-terminal with a person's keystrokes, in place of pipes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("termios", reason="no terminals of this kind here")
from keyboard import Terminal
from terminal import left_on_screen


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    rows = [{"id": f"q{n}", "text": f"Who is {n}?", "answer": f"Person {n}"} for n in range(4)]
    package = tmp_path / "package.jsonl"
    package.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    team = tmp_path / "team.yaml"
    models = {name: {"provider": "simulated", "accuracy": 1.0} for name in ("ann", "bob")}
    team.write_text(json.dumps({"name": "t", "models": models}), encoding="utf-8")
    opened = Terminal("play", str(package), "--team", str(team), "--captain", "me")
    yield opened
    opened.close()


def test_a_person_in_the_captains_chair(terminal: Terminal) -> None:
    opening = terminal.until("question 1 of 4")
    assert "ann, bob, me; captain: me; you decide by their answers; 4 questions, 6 points to win" in opening

    terminal.until("( 3 s): ")
    terminal.type("Person 0\n")
    assert "right" in terminal.until("team 1 : 0 audience")

    # The clock runs down in its place while somebody types, and takes what was begun with it.
    terminal.until("question 2 of 4")
    terminal.until("( 3 s): ")
    terminal.type("Pers")
    ticking = terminal.until("time is up")
    assert re.search(r"\x1b7\r.*1 s.*\x1b8", ticking)
    assert "seconds left" not in ticking
    assert "no answer" in terminal.until("team 1 : 1 audience")

    terminal.until("question 3 of 4")
    terminal.until("( 3 s): ")
    terminal.type("Person 2\n")
    assert "the team says: Person 2 – right" in terminal.until("team 2 : 1 audience")

    terminal.until("question 4 of 4")
    terminal.until("( 3 s): ")
    terminal.type("\x03")
    assert terminal.end() == 130
    last = terminal.seen[terminal.place :]
    assert "\nstopped" in last, "the end stands on a line of its own"
    assert "team 2 : 1 audience" in last
    assert "Traceback" not in terminal.seen


def test_the_end_of_the_input_is_silence_to_the_end(terminal: Terminal) -> None:
    terminal.until("( 3 s): ")
    terminal.type("\x04")
    assert terminal.end() == 0
    left = left_on_screen(terminal.sent)
    first = next(place for place, line in enumerate(left) if line.endswith("s):"))
    assert left[first + 1] == "  ann    Person 0    right", "what follows has a line of its own"
    assert "team 0 : 4 audience" in terminal.seen
