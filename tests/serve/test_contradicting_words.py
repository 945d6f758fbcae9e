"""An answer called right and wrong: the last word counts for all equal answers to the question, and the report says so."""

from __future__ import annotations

import asyncio
import json
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from served import Served, serving

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.serve.app import ServeSettings

ASKED = "What is 0?"
ANN, BOB = ({"Authorization": f"Bearer {name}-key"} for name in ("ann", "bob"))
KEYS = ServeSettings(keys={"ANN": "ann-key", "BOB": "bob-key"})


async def asked(served: Served, **headers: Any) -> str:
    body = {"model": "three/vote", "messages": [{"role": "user", "content": ASKED}]}
    status, told = await served.post("/v1/chat/completions", body, headers=headers)
    assert status == 200
    return str(told["moot"]["episode"])


async def call(served: Served, episode: str, correct: bool, **headers: Any) -> None:
    said = {"episode": episode, "correct": correct}
    status, told = await served.post("/v1/feedback", said, headers=headers)
    assert (status, told["correct"]) == (200, correct)


def said_by(told: Any) -> str:
    return str(told["choices"][0]["message"]["content"])


async def word_on(served: Served, episode: str, **headers: Any) -> Any:
    return (await served.get(f"/v1/moot/episodes/{episode}", headers=headers))[1]["feedback"]


async def test_the_report_tells_of_words_that_contradict_each_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with serving(tmp_path) as served:
        first, second = await asked(served), await asked(served)
        assert first != second
        await call(served, first, True)
        await call(served, second, True)
        agreed = await asyncio.to_thread(reported, tmp_path, capsys)
        assert "called right and wrong" not in agreed["words"]
        assert agreed["served"]["contradicted"] == 0
        await call(served, second, False)
        assert (await word_on(served, first))["correct"] is False, "they are one answer to one question"
    told = await asyncio.to_thread(reported, tmp_path, capsys)
    assert told["served"]["contradicted"] == 2
    assert told["served"]["accuracy"]["value"] == 0
    assert "2 of the graded answers were called right and wrong: the last word counts." in told["words"]


@pytest.mark.parametrize("first", ["correct", "answer"])
async def test_what_is_told_as_text_contradicts_a_word_too(
    first: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The right answer makes another case of the question: what was said before was said all the same."""
    async with serving(tmp_path) as served:
        status, told = await served.chat(ASKED)
        assert status == 200
        said = {"correct": True} if first == "correct" else {"answer": said_by(told)}
        episode = told["moot"]["episode"]
        assert (await served.post("/v1/feedback", {"episode": episode, **said}))[1]["correct"] is True
        status, now = await served.post("/v1/feedback", {"episode": episode, "answer": "Oz"})
        assert (status, now["correct"]) == (200, False)
        again = await asked(served)
    figures = await asyncio.to_thread(reported, tmp_path, capsys)
    assert again != episode
    assert figures["served"]["graded"]["n"] == 2
    assert figures["served"]["contradicted"] == 2, "and whoever says the same afterwards"
    assert "2 of the graded answers were called right and wrong: the last word counts." in figures["words"]


async def test_the_same_told_as_text_contradicts_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async with serving(tmp_path) as served:
        _, told = await served.chat(ASKED)
        await call(served, told["moot"]["episode"], True)
        said = {"episode": told["moot"]["episode"], "answer": said_by(told)}
        assert (await served.post("/v1/feedback", said))[1]["correct"] is True
    assert (await asyncio.to_thread(reported, tmp_path, capsys))["served"]["contradicted"] == 0


async def test_another_choice_called_right_contradicts_the_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    choices = {"choices": ["Ohm", "Volt", "Watt", "Joule"]}
    async with serving(tmp_path) as served:
        by_answer: dict[str, str] = {}
        for name in ("ann", "bob", "cat"):
            status, told = await served.chat(ASKED, f"solo@{name}", moot=choices)
            assert status == 200
            by_answer.setdefault(said_by(told), told["moot"]["episode"])
        assert len(by_answer) > 1
        (one, other), *_ = combinations(by_answer.values(), 2)
        await call(served, one, True)
        await call(served, other, True)
        assert (await word_on(served, one))["correct"] is False, "one choice is right"
    served_figures = (await asyncio.to_thread(reported, tmp_path, capsys))["served"]
    assert served_figures["contradicted"] >= 2
    assert served_figures["accuracy"]["value"] < 1


def reported(folder: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    told = []
    for options in (["--json"], []):
        capsys.readouterr()
        assert run_app(app, ["report", str(folder / "team.yaml"), "--served", *options]) == 0
        told.append(capsys.readouterr().out)
    return {"served": json.loads(told[0])["served"], "words": " ".join(told[1].split())}


async def test_a_key_s_word_reaches_no_answer_of_another(tmp_path: Path) -> None:
    async with serving(tmp_path, settings=KEYS) as served:
        own, other = await asked(served, **ANN), await asked(served, **BOB)
        await call(served, own, True, **ANN)
        await call(served, other, False, **BOB)
        assert (await word_on(served, own, **ANN))["correct"] is True
        assert (await word_on(served, other, **BOB))["correct"] is False
