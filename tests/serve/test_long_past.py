"""A past of megabytes: lists show beginnings, and nobody's list takes the memory of the machine."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from served import THREE, serving

from moot.serve import long_past

LONG = 50_000


def lengthened(store: Path, characters: int) -> None:
    """As if models had answered at such length."""
    with closing(sqlite3.connect(store)) as connection:
        connection.execute("UPDATE calls SET text = text || ?", ("ж" * characters,))
        connection.execute("UPDATE episodes SET answer = ?", ("ж" * characters,))
        connection.commit()


async def test_a_list_shows_beginnings_and_the_page_the_whole(tmp_path: Path) -> None:
    question = 'Who said "\\ \U0001f600" ' + "б" * LONG
    async with serving(tmp_path) as served:
        for number in range(6):
            await served.chat(f"{question}{number}?")
        await served.chat("Who?")
        await served.live.record.flush()
        lengthened(tmp_path / "three.db", LONG)
        async with served.session.get(served.url + "/v1/moot/episodes?limit=500") as response:
            body = await response.read()
        assert len(body) < 7 * 8 * long_past.LISTED
        short, *long = json.loads(body)["episodes"]
        assert (short["question"], short["cut"]) == ("Who?", ["answer"])
        assert len(long) == 6
        for episode in long:
            assert episode["cut"] == ["question", "answer"]
            assert episode["question"] == question[: long_past.LISTED] + "…"
            assert episode["answer"] == "ж" * long_past.LISTED + "…"
        _, whole = await served.get(f"/v1/moot/episodes/{long[-1]['episode']}")
        assert whole["question"] == f"{question}0?"
        assert all(call["text"].endswith("ж" * LONG) for call in whole["calls"])


async def test_the_beginning_is_told_wherever_the_text_is_cut(tmp_path: Path) -> None:
    """In the middle of an escape, of a pair of surrogates, right behind a backslash."""
    async with serving(tmp_path) as served:
        asked = ["\n" * LONG, "\\" * LONG, '"' * LONG, "\U0001f600" * LONG, "\u0001" * LONG]
        asked += ["\\u" * LONG, "\\u0" * LONG, "\\u00" * LONG, "\\x" * LONG]  # written by hand: no escapes
        for shift, text in enumerate(asked):
            assert (await served.chat("x" * (1 + shift) + text))[0] == 200
        await served.live.record.flush()
        _, listed = await served.get("/v1/moot/episodes")
        for shift, episode in enumerate(reversed(listed["episodes"])):
            wanted = ("x" * (1 + shift) + asked[shift])[: long_past.LISTED]
            assert episode["question"].startswith(wanted[: long_past.LISTED // 2]), shift


BEFORE = {
    "short": "Yes.",
    "of lists": "See [1]\n\n[2]\n\nand [3]\n> [4]\n[5]",
    "long": "ж" * LONG,
    "long, of lists and quotes": '[1]\n\n[assistant]\n\nx\n\n "\\n\\n[y]\\n\\n" \\\n' * 2_000,
}
FURTHER = {
    "plain": "And if it rains giraffes?",
    "of lines": 'And [then]?\n\n[now]\n\nIt \\n said:\n\n> "giraffes"]\n>[x]\n\n[y]\n\nend',
    "of other signs": "\U0001f600 жираф \\ \u0001 \\u00e9",
    "long": "And " + '\\"\n' * LONG,
}


@pytest.mark.parametrize(("language", "store"), [("en", "sqlite"), ("ru", "sqlite"), ("en", "postgresql")])
async def test_a_follow_up_is_listed_by_its_own_words(
    tmp_path: Path, request: pytest.FixtureRequest, language: str, store: str
) -> None:
    """Whatever was said before it, and however much; and what only looks like a conversation is no follow-up."""
    cut, config = long_past.LISTED, {**THREE, "language": language}
    if store == "postgresql":
        config["store"] = request.getfixturevalue("postgres").database()
    async with serving(tmp_path, config) as served:
        for before in BEFORE.values():
            for asked in FURTHER.values():
                turns = [{"role": "user", "content": "First?"}, {"role": "assistant", "content": before}]
                messages = [*turns, *turns, {"role": "user", "content": asked}]
                body = {"model": "three/vote", "messages": messages, "moot": {"context": "[x]\n\ny\n\nz"}}
                assert (await served.post("/v1/chat/completions", body))[0] == 200
        alone = ("[user]\n\nsaid:\n\nthis", "[user]\n> " + "x" * LONG, "Who?", "\n[a]\n>b\n[c]\n\nd")
        for text in alone:
            assert (await served.chat(text))[0] == 200
        _, listed = await served.get("/v1/moot/episodes?limit=500")
    told = [(each["further"], "further" in each["cut"]) for each in reversed(listed["episodes"])]
    wanted = [(f"{text[:cut]}…" if len(text) > cut else text, len(text) > cut) for text in FURTHER.values()]
    assert told == [*wanted * len(BEFORE), *[(None, False)] * len(alone)]


@pytest.mark.parametrize("end", ["\\u", "\\u00", "\\", "\\x", '"', "\\n\\n"])
async def test_own_words_that_look_like_half_an_escape_are_listed(tmp_path: Path, end: str) -> None:
    async with serving(tmp_path) as served:
        said = [{"role": "user", "content": "Who?"}, {"role": "assistant", "content": "x" * 9_000}]
        asked = f"And what is {end}"
        body = {"model": "three/vote", "messages": [*said, {"role": "user", "content": asked}]}
        assert (await served.post("/v1/chat/completions", body))[0] == 200
        await served.live.record.flush()
        status, listed = await served.get("/v1/moot/episodes")
        assert status == 200
        assert listed["episodes"][0]["further"].startswith("And what is")


async def test_one_question_is_bounded_before_it_is_read(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(long_past, "MOST_SHOWN", 20_000)
    async with serving(tmp_path, {**THREE, "strategies": ["vote"]}) as served:
        _, body = await served.chat("Who?")
        await served.live.record.flush()
        lengthened(tmp_path / "three.db", 15_000)
        path = f"/v1/moot/episodes/{body['moot']['episode']}"
        status, whole = await served.get(path)
        assert status == 200
        assert len(json.dumps(whole, ensure_ascii=False)) < 60_000
        assert len(whole["calls"]) == 3
        shown = [call["text"].partition("… (15,")[0] for call in whole["calls"]]
        assert {len(text) for text in shown} == {20_000 // (2 * 3)}, "a prompt and a reply of each have equal shares"
        lengthened(tmp_path / "three.db", 30_000)
        status, refused = await served.get(path)
        assert (status, refused["error"]["code"]) == (413, "episode_too_long")
        assert "moot show" in refused["error"]["message"]
