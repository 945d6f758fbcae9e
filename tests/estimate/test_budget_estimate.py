"""The estimate beside the bill: after a few questions the rest is foretold within a fifth, whatever is played."""

from __future__ import annotations

import itertools
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from moot.data import load
from moot.engine.runner import Runner
from moot.estimate.estimate import RunEstimate, estimate
from moot.estimate.likely_replies import contrary as contrarily
from moot.experiment.build import build
from moot.experiment.spec import read_experiment
from moot.simulate.server import running
from moot.types import Message, Request

WITHIN = 0.2
QUESTIONS = 90
PILOT = 25
MODELS = {"ann": 0.6, "bob": 0.5, "cat": 0.45, "dan": 0.35, "clerk": 0.5}
PRICE = {"prompt": 2.0, "completion": 8.0}
TEAM = {"six": {"players": ["ann", "bob", "cat", "dan"], "captain": "ann"}}

PLAYED: dict[str, tuple[list[Any], dict[str, Any]]] = {
    "solo": (["solo"], {}),
    "vote": (["vote"], {"grouping": {"model": "clerk"}}),
    "silent and talkative": (["silent", "talkative"], {"grouping": {"model": "clerk"}}),
    "adaptive": ([{"adaptive": {"talk_from": 3}}], {"grouping": {"model": "clerk"}}),
    "peer-review": (["peer-review"], {"grouping": {"model": "clerk"}}),
    "debate": (["debate"], {"grouping": {"model": "clerk"}}),
    "discuss": ([{"discuss": {"decision": "ranked-voting", "agents": 3, "max_turns": 3}}], {}),
    "judged": (["vote"], {"judge": {"models": ["clerk"]}}),
    "repeated": (["vote"], {"repeats": 2, "grouping": {"model": "clerk"}}),
}


def written(folder: Path, count: int = QUESTIONS) -> Path:
    path = folder / "questions.jsonl"
    lines = [
        {
            "id": f"q{n}",
            "text": f"Which word is number {n:03}? {'It is a word among words. ' * (n % 7)}",
            "answer": f"W{n}",
        }
        for n in range(count)
    ]
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return path


def experiment(folder: Path, base_url: str, strategies: list[Any], more: dict[str, Any]) -> Path:
    models = {
        name: {
            "provider": "endpoint",
            "base_url": base_url,
            "model": name,
            "price": PRICE,
            "params": {"max_tokens": 600},
        }
        for name in MODELS
    }
    players = {name: {"model": name} for name in TEAM["six"]["players"]}
    path = folder / "cup.yaml"
    described = {
        "name": "cup",
        "questions": {"file": "questions.jsonl"},
        "models": models,
        "players": players,
        "teams": TEAM,
        "strategies": strategies,
        **more,
    }
    path.write_text(json.dumps(described))
    return path


async def play(path: Path, limit: int | None = None) -> None:
    built = build(read_experiment(path), limit=limit)
    store = await built.store().open()
    assert await Runner(built, store).run() == "done"
    await store.close()


async def estimated(path: Path) -> RunEstimate:
    built = build(read_experiment(path))
    store = await built.store().open()
    try:
        return await estimate(built, store)
    finally:
        await store.close()


def bill(folder: Path) -> tuple[int, float]:
    connection = sqlite3.connect(folder / "cup.db")
    (calls, paid), (lost,) = (
        connection.execute("SELECT count(*), sum(cost_usd) FROM calls").fetchone(),
        connection.execute("SELECT sum(usd) FROM losses").fetchone(),
    )
    connection.close()
    return int(calls), float(paid or 0) + float(lost or 0)


@pytest.mark.parametrize(("strategies", "more"), PLAYED.values(), ids=PLAYED)
async def test_after_a_few_questions_the_rest_is_foretold(
    tmp_path: Path, strategies: list[Any], more: dict[str, Any]
) -> None:
    questions = written(tmp_path)
    served = {"seed": 7, "models": {name: {"accuracy": accuracy} for name, accuracy in MODELS.items()}}
    async with running(served, cases=load(questions)) as server:
        path = experiment(tmp_path, server.base_url, strategies, more)
        await play(path, PILOT)
        calls_before, paid_before = bill(tmp_path)
        foretold = await estimated(path)
        await play(path)
    calls, paid = bill(tmp_path)
    calls, paid = calls - calls_before, paid - paid_before
    assert foretold.sure == "learned"
    assert not foretold.guessed
    assert foretold.cost_usd == pytest.approx(paid, rel=WITHIN)
    assert sum(each.calls for each in foretold.models.values()) == pytest.approx(calls, rel=WITHIN)
    assert foretold.most_usd is not None
    assert foretold.most_usd >= paid


# --- before anything is stored -----------------------------------------------------------------------------------------


NUMBERS = itertools.count()


async def contrary(request: web.Request) -> web.Response:
    """A model that says something else every time; asked to group, it finds nothing alike; asked to judge, no."""
    body = await request.json()
    form = body["response_format"]["json_schema"]["schema"]
    asked = f"{next(NUMBERS)} {body['model']} {body['messages'][-1]['content']}"
    text = contrarily(Request((Message("user", asked),), schema=form), "", None)
    usage = {"prompt_tokens": len(str(body["messages"])) // 4, "completion_tokens": len(text) // 4}
    message = {"role": "assistant", "content": text.replace("estimated ", "word ")}
    return web.json_response({"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage})


@pytest.mark.parametrize(
    ("strategies", "more", "clerks_calls"),
    [
        (["talkative"], {}, 0),
        (["vote"], {"grouping": {"model": "clerk"}}, 1),
        (["talkative"], {"grouping": {"model": "clerk"}}, 1 + 1),
        (["silent", "talkative"], {"grouping": {"model": "clerk"}}, 1 + 2),
        (["vote", "talkative"], {"grouping": {"model": "clerk"}}, 1 + 1),
        (["talkative"], {"grouping": {"model": "clerk"}, "judge": {"models": ["clerk"]}}, 1 + 1 + 5),
        (["talkative"], {"grouping": {"model": "clerk"}, "judge": {"models": ["clerk"], "batch": 20}}, 1 + 1 + 1),
        (["talkative"], {"grouping": {"model": "clerk", "reference": "shown"}, "repeats": 2}, 2 * (1 + 1)),
        ([{"peer-review": {"drafts": "single-call"}}], {"grouping": {"model": "clerk"}}, 1 + 1),
        ([{"mixture": {"summariser": "dan", "repeats": 3}}, "silent"], {"grouping": {"model": "clerk"}}, 1 + 3 + 1),
        ([{"mixture": {"repeats": 3}}], {"grouping": {"model": "clerk"}, "repeats": 2}, 2 * (1 + 3)),
    ],
    ids=[
        "words alone",
        "grouped in play",
        "grouped and matched",
        "two words",
        "grouped in play and matched",
        "each answer judged too",
        "judged together too",
        "repeated",
        "reviewers",
        "summarisers and captains",
        "its own repeats",
    ],
)
async def test_what_follows_the_play_is_in_the_estimate(
    tmp_path: Path, strategies: list[Any], more: dict[str, Any], clerks_calls: int
) -> None:
    """Where everybody says something else, as stand-ins do at the far end of a guess, that end is met exactly."""
    questions = 12
    written(tmp_path, questions)
    app = web.Application()
    app.router.add_post("/v1/chat/completions", contrary)
    server = TestServer(app)
    async with server:
        path = experiment(tmp_path, str(server.make_url("/v1")), strategies, more)
        foretold = await estimate(build(read_experiment(path)), None)
        assert foretold.sure == "guessed"
        await play(path)
    connection = sqlite3.connect(tmp_path / "cup.db")
    made = dict(connection.execute("SELECT model, count(*) FROM calls GROUP BY model"))
    connection.close()
    assert made.get("clerk", 0) == clerks_calls * questions
    assert foretold.calls_range.high == sum(made.values())
    assert foretold.calls_range.low is not None
    assert foretold.calls_range.low <= foretold.calls <= foretold.calls_range.high
