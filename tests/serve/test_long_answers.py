"""A long answer on its way out: in no more events than a short one needs, and others have their turn in between."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
from served import THREE, Served, serving

from moot.grade.group import Cluster, merged
from moot.grade.normalise import LONGEST_COMPARED, too_long
from moot.models import turns
from moot.models.scripted import ScriptedModel
from moot.openai_form.completions import Completion, Head
from moot.serve.chat import MOST_PIECES, PIECE
from moot.serve.playing import Stream
from moot.serve.responses import ResponseEvents
from moot.types import Usage

LONG = ("word " * 2**16).strip()
FEW = 20
"""Events around the words: what begins and what ends a stream, and what the words are part of."""
FORMS: dict[str, dict[str, Any]] = {
    "chat/completions": {"messages": [{"role": "user", "content": "Tell all."}]},
    "responses": {"input": "Tell all."},
}


def saying(text: str) -> Any:
    return lambda name, model: ScriptedModel(name, [text] * 9)


async def events_of(served: Served, path: str, body: dict[str, Any]) -> list[Any]:
    body = {"model": "solo@ann", "stream": True, "moot": {"kind": "text"}, **body}
    async with served.session.post(f"{served.url}/v1/{path}", json=body) as response:
        assert response.status == 200, await response.text()
        lines = (await response.read()).split(b"\n")
    return [json.loads(line[6:]) for line in lines if line.startswith(b"data: ") and line != b"data: [DONE]"]


def words_of(event: Any) -> str:
    if event.get("type", "").endswith(".delta"):
        return str(event["delta"])
    return "".join(each["delta"].get("content") or "" for each in event.get("choices", ()))


@pytest.mark.parametrize("path", FORMS)
async def test_a_long_answer_is_told_in_few_events(tmp_path: Path, path: str) -> None:
    async with serving(tmp_path, THREE, wrap=saying(LONG)) as served:
        events = await events_of(served, path, FORMS[path])
    words = [piece for event in events if (piece := words_of(event))]
    assert "".join(words) == LONG
    assert len(events) <= MOST_PIECES + FEW


@pytest.mark.parametrize("more", [{}, {"refused": True}, {"tool": "told"}], ids=["words", "refusal", "tool"])
def test_so_is_a_refusal_or_a_call_of_a_function(more: dict[str, Any]) -> None:
    done = Completion(Head("resp_1", "two"), LONG, Usage(), **more)
    written = b"".join(ResponseEvents({}).whole(done)).split(b"\n")
    events = [json.loads(line[6:]) for line in written if line.startswith(b"data: ")]
    assert "".join(map(words_of, events)) == LONG
    assert len(events) <= MOST_PIECES + FEW


@pytest.mark.parametrize("path", FORMS)
async def test_a_short_one_reads_as_it_is_written(tmp_path: Path, path: str) -> None:
    async with serving(tmp_path, THREE, wrap=saying("word " * 99 + "word")) as served:
        words = [piece for event in await events_of(served, path, FORMS[path]) if (piece := words_of(event))]
    assert max(map(len, words)) == PIECE


async def test_a_client_that_reads_at_once_leaves_others_their_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is waited for on the way to it. Each piece takes longer than a turn here."""
    monkeypatch.setattr(turns, "TURN_S", 0.0)
    closed, turns_of_others, sent = [], 0, 0

    async def pieces() -> AsyncGenerator[bytes]:
        try:
            for _ in range(50):
                yield b"data: {}\n\n"
        finally:
            closed.append(True)

    async def other() -> None:
        nonlocal turns_of_others
        while True:
            turns_of_others += 1
            await asyncio.sleep(0)

    async def send(message: Any) -> None:
        nonlocal sent
        sent += 1

    async def receive() -> Any:
        await asyncio.Event().wait()

    beside = asyncio.create_task(other())
    await Stream("a", pieces())({"type": "http", "asgi": {"spec_version": "2.3"}}, receive, send)
    beside.cancel()
    assert sent >= 50
    assert turns_of_others >= 50
    assert closed == [True]


async def test_what_is_told_in_turns_is_closed_where_nobody_takes_it_to_its_end() -> None:
    closed = []

    async def pieces() -> AsyncGenerator[int]:
        try:
            for number in range(9):
                yield number
        finally:
            closed.append(True)

    async with aclosing(turns.each_in_turn(pieces())) as some:
        assert await anext(some) == 0
    assert closed == [True]


def test_one_answer_alone_is_compared_with_nothing() -> None:
    def key(text: str) -> str:
        raise AssertionError("it may be megabytes")

    alone = [Cluster(("ann",), LONG)]
    assert merged(alone, "normalised", key) == alone


@pytest.mark.parametrize("space", [" ", " " * 100_000])
def test_a_text_is_too_long_wherever_its_words_stand(space: str) -> None:
    assert too_long("word" + space + "a" * LONGEST_COMPARED)
    assert not too_long("word" + space + "a" * (LONGEST_COMPARED - 5))
