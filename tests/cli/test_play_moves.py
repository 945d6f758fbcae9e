"""The table of `moot play` moves while models think: at a terminal of 80 columns and 24 rows, and nowhere else."""

from __future__ import annotations

import asyncio
import io
import json
import re
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("termios", reason="no terminals of this kind here")
sys.path[:0] = [str(Path(__file__).parents[1] / "serve")]
from keyboard import Terminal  # noqa: E402
from streaming_endpoint import WAIT, Endpoint, streaming, team_of  # noqa: E402
from terminal import left_on_screen  # noqa: E402

from moot.cli.console import Console  # noqa: E402
from moot.cli.moving_table import MovingTable, last_words  # noqa: E402
from moot.team.watching import BegunCall  # noqa: E402
from moot.types import Call, Message, Reply, Request  # noqa: E402

AWAY = '{"reasoning": "It flows past \\u001b[2J the Louvre", '
ANSWER = '"answer": "Seine"}'
LATER = r"drafting, [1-9]\d* s"
"""Whichever second that is: not every one is drawn where the machine has much to do."""
DRAWINGS = 200
"""So often the table is drawn anew before something is taken to be missing, however long that takes."""
Until = Callable[[str], Awaitable[str]]


def script(body: dict[str, Any], before: int) -> list[Any]:
    if body["model"] == "bob":
        return [AWAY, ANSWER]
    return [AWAY, WAIT, ANSWER]


@asynccontextmanager
async def playing(
    folder: Path, endpoint: Endpoint, *options: str, **size: int
) -> AsyncIterator[tuple[Terminal, Until]]:
    (folder / "q.jsonl").write_text(json.dumps({"id": "1", "text": "Which river?", "answer": "Seine"}), "utf-8")
    (folder / "team.yaml").write_text(json.dumps(team_of(endpoint, "silent", stream=True)), encoding="utf-8")
    package = (str(folder / "q.jsonl"), "--team", str(folder / "team.yaml"))
    terminal = Terminal("play", *package, *options, **{"rows": 24, "columns": 80, **size})

    async def until(words: str) -> str:
        return await asyncio.to_thread(terminal.until, words, 60)

    try:
        yield terminal, until
    finally:
        endpoint.go.set()
        await asyncio.to_thread(terminal.close)


async def drawn(until: Until, pattern: str) -> str:
    """What is drawn until this stands there: not always in the drawing of the second that was waited for, nor read with it."""
    seen = await until("drafting, ")
    for _ in range(DRAWINGS):
        if re.search(pattern, seen) and re.search(LATER, seen):
            return seen
        seen += await until("drafting, ")
    raise AssertionError((pattern, seen[-1_000:]))


async def test_the_table_moves_and_leaves_the_game_behind(tmp_path: Path) -> None:
    async with streaming(script) as endpoint, playing(tmp_path, endpoint) as (terminal, until):
        await until("Which river?")
        await until("has an answer")
        # The words are seen as they come, and none of them is obeyed.
        assert "ann (captain)" in await drawn(until, re.escape("past ␛[2J the Louvre"))
        endpoint.go.set()
        endpoint.go.clear()  # who waited goes on; whoever is asked from now on waits
        await until("reading what the others wrote, ")
        endpoint.go.set()
        await until("the team says: Seine – right")
        assert await asyncio.to_thread(terminal.end) == 0
        assert terminal.sent.count("\x1b[?25l") == terminal.sent.count("\x1b[?25h") > 0, "the cursor is there again"
        left = left_on_screen(terminal.sent)
        assert all(len(line) <= 80 for line in left)
        assert not [line for line in left if "drafting" in line or "has decided" in line]
        told = left[left.index("Which river?") :]
        assert [line.strip() for line in told[1:3]] == ["ann    Seine    right", "bob    Seine    right"]
        assert "who had it: everybody" in told


async def test_a_person_at_the_table_sees_who_is_ready_and_not_what_they_write(tmp_path: Path) -> None:
    async with streaming(script) as endpoint, playing(tmp_path, endpoint, "--captain", "me") as (terminal, until):
        assert "Louvre" not in await drawn(until, "has an answer")
        endpoint.go.set()
        await until("( 3 s): ")
        await asyncio.sleep(0.4)
        place = len(terminal.seen)
        terminal.type("Seine\n")
        await until("the team says: Seine – right")
        typed = terminal.seen[place:].partition("Seine")[0]
        assert "\x1b[1A" not in typed, "nothing is drawn over the line in which somebody types"
        assert await asyncio.to_thread(terminal.end) == 0


async def test_a_person_in_a_seat_types_in_peace_and_then_sees_who_still_thinks(tmp_path: Path) -> None:
    async with streaming(script) as endpoint, playing(tmp_path, endpoint, "--seat", "me") as (terminal, until):
        await until("( 3 s): ")
        told = left_on_screen(terminal.sent)[-2]
        assert re.fullmatch(r"  ann(, bob)? drafting", told), "who thinks at the same time"
        terminal.type("Seine\n")
        await drawn(until, r"me\s+has an answer")
        endpoint.go.set()
        await until("who had it: everybody")
        assert await asyncio.to_thread(terminal.end) == 0


async def test_who_begins_is_seen_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not with the next drawing: what loads a model may hold the program up for seconds before that."""
    for name, value in {"TERM": "xterm", "FORCE_COLOR": "1", "COLUMNS": "80", "LINES": "24"}.items():
        monkeypatch.setenv(name, value)
    console, written = Console(), io.StringIO()
    console.file = written
    table = MovingTable(console)
    table.seat(["ann", "bob"], captain=None)
    table.begins(BegunCall("ann", "player", "ann", "draft", 1))
    last = written.getvalue().rpartition("ann")[2]
    table.pause()
    assert "drafting, 0 s" in last
    assert "waits" in last, "whoever was not asked yet"


@pytest.mark.parametrize(
    ("reply", "state"), [(Reply("Seine"), "has an answer"), (Reply("I would rather not.", "refusal"), "declined")]
)
def test_who_refuses_has_no_answer(reply: Reply, state: str) -> None:
    table = MovingTable(Console())
    table.seat(["ann"], captain=None)
    table.heard(Call("ann", "draft", 1, Request((Message("user", "Which river?"),)), reply))
    table.pause()
    assert table._seats["ann"].state == state


async def test_ctrl_c_while_it_moves(tmp_path: Path) -> None:
    async with streaming(script) as endpoint, playing(tmp_path, endpoint) as (terminal, until):
        await drawn(until, LATER)
        terminal.type("\x03")
        assert await asyncio.to_thread(terminal.end) == 130
        assert terminal.sent.rindex("\x1b[?25h") > terminal.sent.rindex("\x1b[?25l")
        assert "stopped" in "".join(left_on_screen(terminal.sent)[-4:])
        assert "Traceback" not in terminal.seen


async def test_in_a_narrow_terminal_it_is_said_in_lines(tmp_path: Path) -> None:
    async with streaming(script) as endpoint, playing(tmp_path, endpoint, columns=60) as (terminal, until):
        endpoint.go.set()
        lines = await until("the team says: Seine – right")
        assert "\x1b[1A" not in terminal.sent
        for said in ("  bob has an answer\n", "  ann has an answer\n", "  ann is reading what the others wrote\n"):
            assert lines.count(said) == 1, said
        assert "  ann has decided\n" in lines
        assert await asyncio.to_thread(terminal.end) == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"reasoning": "a \\"b\\" c', 'a "b" c'),
        ('{"reasoning": "long ago", "answer": "Se', "Se"),
        ('{"reasoning": "\\u0421ена\\nи', "Сена и"),
        ('{"reas', ""),
        ("plain\nwords", "plain words"),
        ("0123456789 0123456789", "…3456789 0123456789"),
    ],
)
def test_the_last_words(text: str, words: str) -> None:
    assert last_words(text, 19) == words
