"""A question that is served is put to the players as in a run: byte for byte, in every call that a strategy makes.

But for the order of answers that are shown to others: it is drawn for each question and each time that it is asked.
"""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
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
    "yes-no, ru among en": ("en", {"text": "Нил длиннее?", "kind": "yes-no", "language": "ru", "answer": "yes"}),
    "open, de": ("en", {"text": "Welcher Fluss ist der längste?", "language": "de", "answer": "der Nil"}),
}


CHAT, RESPONSES = "/v1/chat/completions", "/v1/responses"


EACH_WAY = pytest.mark.parametrize(
    ("language", "case", "path"),
    [*((*case, CHAT) for case in CASES.values()), (*CASES["choice, en"], RESPONSES)],
    ids=[*CASES, "choice, in a response"],
)
BLOCK = re.compile(r'<(?:answer n="\d+"|message)(.*?)</(?:answer|message)>', re.DOTALL)
"""An answer, of those that are shown together, or what was said in a debate."""


def in_any_order(raw: bytes) -> str:
    """What is sent, whichever order the answers in it are shown in, and the reasons of those who gave the same one."""
    body = json.loads(raw)
    for message in body["messages"]:
        shown = sorted("\n".join(sorted(block.splitlines())) for block in BLOCK.findall(message["content"]))
        message["content"] = [BLOCK.sub("<an answer>", message["content"]), *shown]
    return json.dumps(body, sort_keys=True, ensure_ascii=False)


@dataclass(frozen=True)
class MeasuredCase:
    """A question in a file, and the same as a client sends it, which has the words and no id."""

    folder: Path
    language: str
    case: dict[str, Any]
    path: str

    @property
    def free(self) -> Sequence[str]:
        return "ABC" if "choices" in self.case else ("yes", "no", "yes") if "kind" in self.case else OPEN

    def config(self, url: str) -> dict[str, Any]:
        return cup(url, self.language, self.case.get("kind"))

    def write(self, ident: str) -> None:
        (self.folder / "questions.jsonl").write_text(json.dumps({"id": ident, **self.case}))

    async def asked(self, served: Any, name: str) -> dict[str, Any]:
        sent = {key: self.case[key] for key in ("choices", "context", "language") if key in self.case}
        text = self.case["text"]
        said = {"input": text} if self.path == RESPONSES else {"messages": [{"role": "user", "content": text}]}
        options = {"moot": sent} if sent else {}
        status, body = await served.post(self.path, {"model": name, **said, **options, "temperature": 1.9, "seed": 3})
        assert status == 200, body
        assert body["moot"]["kind"] == self.case.get("kind", "choice" if sent.get("choices") else "open")
        assert body["moot"]["not_applied"] == ["seed", "temperature"]
        return dict(body)

    async def run(self, ident: str) -> set[bytes]:
        """What a run sends that has the question under this id."""
        self.write(ident)
        async with recording(self.free) as (url, bodies):
            config = {**self.config(url), "questions": {"file": str(self.folder / "questions.jsonl")}}
            results = await asyncio.to_thread(moot.run, config)
            assert results.state == "done", results.failures
        assert len(bodies) >= 3 * len(SAID)
        return bodies


@EACH_WAY
async def test_who_sends_the_words_alone_is_sent_what_the_run_sends(
    tmp_path: Path, language: str, case: dict[str, Any], path: str
) -> None:
    measured = MeasuredCase(tmp_path, language, case, path)
    measured.write("q")
    async with recording(measured.free) as (url, served), serving(tmp_path, measured.config(url)) as server:
        for name in server.live.models:
            await measured.asked(server, name)
    run = await measured.run("q")
    assert sorted(set(map(in_any_order, served)) ^ set(map(in_any_order, run))) == []
    alone = {raw for raw in run if not BLOCK.search(raw.decode().replace('\\"', '"'))}
    assert len(alone) >= len(SAID)
    assert sorted(alone - served) == []


@EACH_WAY
async def test_with_the_same_lots_no_byte_differs(
    tmp_path: Path, language: str, case: dict[str, Any], path: str
) -> None:
    """A lot hangs on the question's id and on the repeat. Here the run has those of the server, which no client can say."""
    measured = MeasuredCase(tmp_path, language, case, path)
    measured.write("q")
    async with recording(measured.free) as (url, served), serving(tmp_path, measured.config(url), reuse=True) as server:
        for name in server.live.models:
            body = await measured.asked(server, name)
        _, whole = await server.get(f"/v1/moot/episodes/{body['moot']['episode']}")
    assert sorted(served ^ await measured.run(whole["question_id"])) == []


async def test_the_order_is_drawn_each_time_that_it_is_asked(tmp_path: Path) -> None:
    """So no draft has a place of its own, also where people ask the same again and again."""
    language, case = CASES["text, en"]
    measured = MeasuredCase(tmp_path, language, case, CHAT)
    measured.write("q")
    async with recording(measured.free) as (url, served), serving(tmp_path, measured.config(url)) as server:
        for _ in range(8):
            await measured.asked(server, "three/talkative")
    read = [raw for raw in served if b"<answer n=" in raw]
    assert len(set(map(in_any_order, read))) == 1
    assert len(read) > 1, "eight equal draws of six orders come once in 280,000 times"


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
    ({"language": " "}, "moot.language"),
    ({"language": "d\x00e"}, "moot.language"),
    ({"language": 1}, "moot.language"),
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
