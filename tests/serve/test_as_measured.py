"""A question that is served is put to the players as in a run: byte for byte, in every call that a strategy makes."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from served import serving

import moot
from moot.experiment.build import build
from moot.experiment.spec import read_experiment

SAID = {"ann": 0, "bob": 1, "cat": 2}
OPEN = ("the Nile", "the Amazon", "the Yangtze")
MIXTURE = {"mixture": {"repeats": 1, "accuracies": "hidden"}}
TEXTS = ["talkative", "council", MIXTURE, "peer-review", "solo"]
STRATEGIES = ["vote", "silent", "talkative", "peer-review", MIXTURE, "debate", "solo"]


def filled(schema: dict[str, Any], player: int) -> Any:
    """Something that fits a form: of several values the player's own."""
    if "$ref" in schema or "anyOf" in schema:
        return filled(schema["anyOf"][0], player)
    if "enum" in schema:
        return schema["enum"][player % len(schema["enum"])]
    if schema.get("type") == "object":
        return {name: filled(part, player) for name, part in schema.get("properties", {}).items()}
    if schema.get("type") == "array":
        return [filled(schema["items"], player)] * schema.get("minItems", 0)
    if schema.get("type") in ("integer", "number"):
        return schema.get("minimum", 1)
    return False if schema.get("type") == "boolean" else OPEN[player]


@asynccontextmanager
async def recording(free: Sequence[str] = OPEN) -> AsyncIterator[tuple[str, set[bytes]]]:
    """A server of three models that keeps what it is sent. All who are asked together are there before the first hears.

    `free`: what each answers where no form is asked for.
    """
    bodies: set[bytes] = set()

    async def chat(request: web.Request) -> web.Response:
        raw = await request.read()
        bodies.add(raw)
        await asyncio.sleep(0.02)
        body = json.loads(raw)
        form = body.get("response_format", {}).get("json_schema", {}).get("schema")
        said = json.dumps(filled(form, SAID[body["model"]])) if form else f"Final answer: {free[SAID[body['model']]]}"
        choice = {"index": 0, "message": {"role": "assistant", "content": said}, "finish_reason": "stop"}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        return web.json_response({"id": "x", "model": body["model"], "choices": [choice], "usage": usage})

    app = web.Application()
    app.router.add_post("/v1/chat/completions", chat)
    async with TestServer(app) as server:
        yield f"http://127.0.0.1:{server.port}/v1", bodies


def cup(url: str, language: str, kind: str | None = None) -> dict[str, Any]:
    models = {
        name: {"provider": "endpoint", "base_url": url, "model": name, "params": {"temperature": 0.3, "max_tokens": 70}}
        for name in SAID
    }
    players = {name: {"model": name} for name in SAID}
    return {
        "name": "cup",
        "seed": 7,
        "language": language,
        "questions": {"file": "questions.jsonl"},
        "models": models,
        "players": {**players, "bob": {"model": "bob", "instruction": "Think of the opposite.", "persona": "a critic"}},
        "teams": {"three": {"players": list(SAID), "captain": "ann"}},
        "strategies": TEXTS if kind == "text" else STRATEGIES,
    }


CASES = {
    "open, en": ("en", {"text": "Which river is the longest?", "answer": "the Nile"}),
    "open with a context, ru": ("ru", {"text": "Какая река?", "context": "Нил длиннее.", "answer": "Нил"}),
    "choice, en": ("en", {"text": "Which river?", "choices": list(OPEN), "answer": "A"}),
    "choice, ru": ("ru", {"text": "Какая река?", "choices": ["Нил", "Амазонка", "Янцзы"], "answer": "A"}),
    "yes-no, ru": ("ru", {"text": "Нил длиннее Волги?", "kind": "yes-no", "answer": "yes"}),
    "text, en": ("en", {"text": "Write a plan.", "kind": "text"}),
    "text, ru": ("ru", {"text": "Напиши план.", "kind": "text", "context": "Для сада."}),
    "yes-no, en": ("en", {"text": "Is the Nile longer?\n", "kind": "yes-no", "answer": "yes"}),
}


CHAT, RESPONSES = "/v1/chat/completions", "/v1/responses"


@pytest.mark.parametrize(
    ("language", "case", "path"),
    [*((*case, CHAT) for case in CASES.values()), (*CASES["choice, en"], RESPONSES)],
    ids=[*CASES, "choice, in a response"],
)
async def test_what_is_sent_is_what_the_run_sends(
    tmp_path: Path, language: str, case: dict[str, Any], path: str
) -> None:
    written = tmp_path / "questions.jsonl"
    written.write_text(json.dumps({"id": "q", **case}))
    sent = {key: case[key] for key in ("choices", "context") if key in case}
    free = "ABC" if "choices" in case else ("yes", "no", "yes") if "kind" in case else OPEN
    asked_of = partial(cup, language=language, kind=case.get("kind"))
    async with recording(free) as (url, served_bodies), serving(tmp_path, asked_of(url), reuse=True) as served:
        for name in served.live.models:
            asked: dict[str, Any] = {"model": name, "moot": sent} if sent else {"model": name}
            said = {"input": case["text"]} if path == "/v1/responses" else {}
            messages = {"messages": [{"role": "user", "content": case["text"]}]}
            status, body = await served.post(path, {**asked, **(said or messages), "temperature": 1.9, "seed": 3})
            assert status == 200, body
            assert body["moot"]["kind"] == case.get("kind", "choice" if sent.get("choices") else "open")
            assert body["moot"]["not_applied"] == ["seed", "temperature"]
        _, whole = await served.get(f"/v1/moot/episodes/{body['moot']['episode']}")
    # What is drawn by lot in a prompt hangs on the question's id and repeat: the same ones are asked.
    written.write_text(json.dumps({"id": whole["question_id"], **case}))
    async with recording(free) as (other_url, run_bodies):
        config = asked_of(other_url)
        config["questions"] = {"file": str(written)}
        results = await asyncio.to_thread(moot.run, config)
        assert results.state == "done", results.failures
    assert len(run_bodies) >= 3 * len(SAID)
    assert sorted(served_bodies - run_bodies) == []
    assert sorted(run_bodies - served_bodies) == []


async def test_a_letter_is_told_with_its_text(tmp_path: Path) -> None:
    choices = ["the Nile", "the Amazon"]
    async with serving(tmp_path) as served:
        status, body = await served.chat("Which river?", moot={"choices": choices, "kind": "choice"})
    assert status == 200
    letter = body["choices"][0]["message"]["content"]
    assert body["moot"]["choice"] == choices["AB".index(letter)]


async def test_a_file_of_choices_takes_a_question_without_any_as_open(tmp_path: Path) -> None:
    (tmp_path / "questions.jsonl").write_text(json.dumps({"id": "q", **CASES["choice, en"][1]}))
    async with recording() as (url, _), serving(tmp_path, cup(url, "en")) as served:
        _, body = await served.chat("Which river?")
        assert body["moot"]["kind"] == "open"
        assert "choice" not in body["moot"]


async def test_a_system_prompt_is_told_to_all_and_words_for_who_asks_with_it(tmp_path: Path) -> None:
    (tmp_path / "questions.jsonl").write_text(json.dumps({"id": "q", **CASES["open, en"][1]}))
    async with recording() as (url, bodies), serving(tmp_path, cup(url, "en")) as served:
        system = {"role": "system", "content": "Speak like a pirate."}
        messages = [system, {"role": "user", "content": "Which river?"}]
        assert (await served.post("/v1/chat/completions", {"model": "three/vote", "messages": messages}))[0] == 200
    assert len(bodies) == 3
    for body in bodies:
        told = json.loads(body)["messages"][0]["content"]
        assert "Speak like a pirate." in told
        assert 'reads your "answer" alone' in told


WRONG: list[tuple[Any, str]] = [
    ({"kind": "riddle"}, "moot.kind"),
    ({"kind": "choice"}, "moot.choices"),
    ({"kind": "open", "choices": ["a", "b"]}, "moot.kind"),
    ({"choices": ["a"]}, "moot.choices"),
    ({"choices": ["a", "a"]}, "moot.choices"),
    ({"choices": ["a", " "]}, "moot.choices.1"),
    ({"choices": ["a"] * 27}, "moot.choices"),
    ({"choices": "ab"}, "moot.choices"),
    ({"context": "\x00"}, "moot.context"),
    ({"language": "tlh"}, "moot.language"),
    ({"choice": ["a", "b"]}, "moot.choice"),
    ("choice", "moot"),
]


async def test_what_is_wrong_with_it_is_told_with_its_key(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        nothing = dict.fromkeys(("kind", "choices", "context", "language"))
        for none in (None, {}, nothing):
            status, body = await served.chat("Which?", moot=none)
            assert (status, body["moot"]["kind"]) == (200, "open")
        for options, param in WRONG:
            for stream in (False, True):
                status, body = await served.chat("Which?", moot=options, stream=stream)
                assert (status, body["error"]["param"]) == (400, param), body
            asked = {"model": "three/vote", "input": "Which?", "moot": options}
            status, body = await served.post("/v1/responses", asked)
            assert (status, body["error"]["param"]) == (400, param), body
            assert param in body["error"]["message"]


async def test_questions_that_are_not_there_are_told_and_the_team_is_served(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="taken as open"):
        async with recording() as (url, _), serving(tmp_path, cup(url, "en")) as served:
            assert (await served.chat("Which river?"))[0] == 200


@pytest.mark.parametrize(("language", "field"), [("en", '"answer"'), ("ru", "«answer»")])
async def test_who_writes_a_long_answer_is_told_of_no_field(tmp_path: Path, language: str, field: str) -> None:
    """Its whole reply is the answer; who gives a short one writes it into a field."""
    for kind in ("text", "open"):
        async with recording() as (url, bodies):
            config = {**cup(url, language), "questions": {"kind": "text"}, "strategies": ["talkative"]}
            async with serving(tmp_path, config) as served:
                messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Which river?"}]
                options = {"messages": messages, "moot": {"kind": kind}}
                status, body = await served.post("/v1/chat/completions", options)
                assert (status, body["moot"]["kind"]) == (200, kind)
        told = [json.loads(raw)["messages"][0]["content"] for raw in bodies]
        assert told
        assert {"Be brief." in words and field in words for words in told} == {kind == "open"}


def told_by(spec: str) -> str:
    """What a cell is made of. What a simulated model is hangs on the questions that it is given: that is left out."""
    return json.dumps({**json.loads(spec), "players": [player["name"] for player in json.loads(spec)["players"]]})


@pytest.mark.parametrize("kinds", [["text"], ["text", "open"]], ids=["all text", "some text"])
async def test_a_served_long_answer_is_of_the_same_cell_as_in_the_run(tmp_path: Path, kinds: list[str]) -> None:
    """Else it is held against no experiment: what a cell is made of holds the prompts for long answers."""
    rows = [{"id": f"q{n}", "text": f"Write {n}.", "kind": kind, "answer": "x"} for n, kind in enumerate(kinds)]
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)))
    models = {name: {"provider": "simulated", "accuracy": 0.5, "words": 20} for name in SAID}
    team = {"three": {"players": list(SAID), "captain": "ann"}}
    config = {"name": "cup", "questions": {"file": "questions.jsonl"}, "models": models, "teams": team}
    async with serving(tmp_path, {**config, "strategies": TEXTS}) as served:
        for name in served.live.models:
            status, body = await served.chat("Write a plan.", name, moot={"kind": "text"})
            assert status == 200, body
    run = {told_by(cell.spec) for cell in build(read_experiment(tmp_path / "team.yaml")).cells}
    with closing(sqlite3.connect(tmp_path / "cup.db")) as store:
        live = {told_by(spec) for (spec,) in store.execute("select spec from cells")}
    assert live == run
    assert all("draft-text" in spec for spec in run)
