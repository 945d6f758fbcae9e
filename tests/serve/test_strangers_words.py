"""What a client sends may become a question of the next experiment: what no question file can hold is refused at once."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from served import THREE, serving

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.data import load

BLANK = ["   ", "\n", "\u200b", "\u2060\ufeff", "\u3164", "\ufe0f", " \u0301", "\u20dd", "\x00", "a\x00b"]
WORDS = ["€ \u202e", "a\u2028b", "…", "-", "0", "nan", "[UNKNOWN]", '"', "\\u0000", "null", "x" * 10_000, "\U0010ffff"]
HUGE = "ep_" + "f" * 40


def exported(folder: Path, capsys: pytest.CaptureFixture[str]) -> tuple[list[Any], str]:
    out = folder / "next.jsonl"
    assert run_app(app, ["export", str(folder / "team.yaml"), "--served", "--questions", "-o", str(out)]) == 0
    return list(load(out)), capsys.readouterr().err


def test_whatever_is_exported_can_be_loaded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async def play() -> int:
        taken = 0
        async with serving(tmp_path) as table:
            _, done = await table.chat("one")
            for blank in BLANK:
                status, said = await table.post("/v1/feedback", {"episode": done["moot"]["episode"], "answer": blank})
                assert (status, said["error"]["param"]) == (400, "answer"), blank
            for number, answer in enumerate(WORDS):
                _, done = await table.chat(f"{number} {answer}")
                status, said = await table.post("/v1/feedback", {"episode": done["moot"]["episode"], "answer": answer})
                assert status == 200, said
                taken += 1
        return taken

    taken = asyncio.run(play())
    cases, _ = exported(tmp_path, capsys)
    assert len(cases) == taken == len(WORDS)


def test_what_an_early_server_took_is_left_out_and_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async def play() -> None:
        async with serving(tmp_path) as table:
            for text in ("one", "two", "three"):
                _, done = await table.chat(text)
                await table.post("/v1/feedback", {"episode": done["moot"]["episode"], "answer": f"of {text}"})

    asyncio.run(play())
    (store,) = tmp_path.glob("*.db")
    with sqlite3.connect(store) as connection:
        for ident, content in connection.execute("SELECT id, content FROM cases").fetchall():
            case = json.loads(content)
            case["answer"] = {"of one": "  ", "of two": "a\x00"}.get(case["answer"], case["answer"])
            connection.execute("UPDATE cases SET content = ? WHERE id = ?", (json.dumps(case), ident))
    cases, said = exported(tmp_path, capsys)
    assert [case.answer for case in cases] == ["of three"]
    assert "2 left out" in said


@pytest.mark.parametrize("text", ["nul \x00 question", "\u200b", " \n "])
def test_a_question_that_nobody_can_see_or_keep_is_refused(text: str, tmp_path: Path) -> None:
    async def play() -> None:
        async with serving(tmp_path) as table:
            status, said = await table.chat(text)
            assert (status, said["error"]["param"]) == (400, "messages")
            status, said = await table.post("/v1/responses", {"model": "three/vote", "input": text})
            assert status == 400, said

    asyncio.run(play())


def test_numbers_in_the_head_of_a_request_are_digits(tmp_path: Path) -> None:
    async def play() -> None:
        async with serving(tmp_path) as table:
            for limit in ("١", "1_0", "+1", " 1", "1.0"):
                status, _ = await table.get("/v1/moot/episodes", params={"limit": limit})
                assert status == 400, limit
            for seconds in ("1_0", "nan", "infinity", "+1", "0x1"):
                status, _ = await table.post(
                    "/v1/chat/completions",
                    {"model": "three/vote", "messages": [{"role": "user", "content": "q"}]},
                    headers={"X-Moot-Time-Limit": seconds},
                )
                assert status == 400, seconds

    asyncio.run(play())


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_an_episode_that_no_database_could_hold_is_none(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    async def play() -> None:
        config = dict(THREE)
        if kind == "postgresql":
            config["store"] = request.getfixturevalue("postgres").database()
        async with serving(tmp_path, config) as table:
            for ident in (HUGE, "ep_80000000" + "0" * 32):
                assert (await table.get(f"/v1/moot/episodes/{ident}"))[0] == 404
                status, said = await table.post("/v1/feedback", {"episode": ident, "answer": "a"})
                assert status == 404, said
            assert (await table.get("/healthz"))[0] == 200

    asyncio.run(play())


def test_a_number_of_many_digits_in_a_schema_is_a_number(tmp_path: Path) -> None:
    async def play() -> None:
        schema = {"type": "object", "properties": {"n": {"type": "integer", "maximum": 2**70}}, "required": ["n"]}
        form = {"type": "json_schema", "json_schema": {"name": "n", "schema": schema}}
        async with serving(tmp_path) as table:
            status, said = await table.chat("How many?", response_format=form)
            assert status < 500 or said["error"]["code"] != "internal_error", said

    asyncio.run(play())
