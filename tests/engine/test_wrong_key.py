"""A wrong key ends a run within a handful of calls; what was played is kept, and the right key goes on from there."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

import moot
from moot.errors import KeyRefused, ModelUnknown, PathRefused
from moot.models import key_gate
from moot.models.key_gate import FIRST_CALLS
from moot.simulate.server import running
from moot.types import dense_json

SERVED: dict[str, Any] = {"models": {"ann": {"accuracy": 0.5}, "bob": {"accuracy": 0.5}}, "api_key_env": "RIGHT_KEY"}

Answer = Callable[[dict[str, Any], str], Awaitable[int]]
"""From a body and the key shown to the status: 200 is a reply, 403 a filter's, and all else an error."""


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RIGHT_KEY", "the-right-key")
    monkeypatch.setenv("WRONG_KEY", "the-wrong-key")
    monkeypatch.setattr(key_gate, "PATIENCE_S", 600.0)  # a busy machine may be slower than any endpoint


@asynccontextmanager
async def scripted(answer: Answer) -> AsyncIterator[tuple[str, Counter[int]]]:
    """A server of one's own: its address, and its answers by status."""
    statuses: Counter[int] = Counter()

    async def complete(request: web.Request) -> web.Response:
        status = await answer(await request.json(), request.headers.get("Authorization", ""))
        statuses[status] += 1
        if status == 200:
            message = {"content": '{"reasoning": "known", "answer": "Paris"}'}
            return web.json_response({"choices": [{"message": message, "finish_reason": "stop"}]})
        error = {"code": "content_filter" if status == 451 else "no", "message": "not for you"}
        return web.json_response({"error": error}, status=403 if status == 451 else status)

    app = web.Application()
    app.router.add_post("/v1/chat/completions", complete)
    runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1", statuses
    finally:
        await runner.cleanup()


def endpoint(base_url: str, model: str = "ann", **more: Any) -> dict[str, Any]:
    return {"provider": "endpoint", "base_url": base_url, "model": model, **more}


def experiment(folder: Path, questions: int = 100, **keys: Any) -> dict[str, Any]:
    lines = [dense_json({"id": str(n), "text": f"Where is {n}?", "answer": "Paris"}) for n in range(questions)]
    (folder / "cup.jsonl").write_text("\n".join(lines))
    return {"name": "cup", "questions": {"file": str(folder / "cup.jsonl")}, **keys}


async def test_a_wrong_key_ends_the_run_and_the_right_one_goes_on(tmp_path: Path) -> None:
    async with running(SERVED) as server:
        models = {"qwen": endpoint(server.base_url, api_key_env="WRONG_KEY")}
        store = tmp_path / "cup.db"
        with pytest.raises(KeyRefused) as stopped:
            await moot.arun(experiment(tmp_path, models=models), store=store)
        assert 1 <= server.stats["requests"] <= FIRST_CALLS
        words = str(stopped.value)
        assert "model qwen" in words
        assert server.base_url in words
        assert "WRONG_KEY" in words
        assert "401" in words
        assert "\n" not in words
        assert "wrong" not in words
        models["qwen"]["api_key_env"] = "RIGHT_KEY"
        results = await moot.arun(experiment(tmp_path, models=models), store=store)
        assert results.state == "done"
        assert results.figures["accuracy"][0]["outcomes"] == {"answered": 100}
        assert results.figures["accuracy"][0]["missing"] == 0


async def test_a_file_without_a_key_is_told_so(tmp_path: Path) -> None:
    async with running(SERVED) as server:
        with pytest.raises(KeyRefused, match=r"model qwen.*sets no key.*api_key_env"):
            await moot.arun(experiment(tmp_path, models={"qwen": endpoint(server.base_url)}))
        assert server.stats["requests"] <= FIRST_CALLS


async def test_each_key_of_an_endpoint_is_found_out_by_itself(tmp_path: Path) -> None:
    """The good one has answered already, and what it gave is kept."""
    async with running(SERVED) as server:
        good = endpoint(server.base_url, api_key_env="RIGHT_KEY")
        bad = endpoint(server.base_url, "bob", api_key_env="WRONG_KEY")
        store = tmp_path / "cup.db"
        await moot.arun(experiment(tmp_path, models={"ann": good}), store=store)
        asked = server.stats["requests"]
        with pytest.raises(KeyRefused, match="model bad"):
            await moot.arun(experiment(tmp_path, models={"ann": good, "bad": bad}), store=store)
        assert server.stats["requests"] - asked <= FIRST_CALLS
        mended = endpoint(server.base_url, "bob", api_key_env="RIGHT_KEY")
        results = await moot.arun(experiment(tmp_path, models={"ann": good, "bad": mended}), store=store)
    assert [row["outcomes"] for row in results.figures["accuracy"]] == [{"answered": 100}] * 2


async def test_a_filter_that_refuses_with_403_is_no_wrong_key(tmp_path: Path) -> None:
    async def filtered(body: dict[str, Any], key: str) -> int:
        return 451

    async with scripted(filtered) as (base_url, statuses):
        results = await moot.arun(experiment(tmp_path, 20, models={"ann": endpoint(base_url)}))
    assert results.figures["accuracy"][0]["outcomes"] == {"refused": 20}
    assert statuses == {451: 20}


async def test_a_key_that_is_revoked_later_fails_as_anything_else(tmp_path: Path) -> None:
    asked = Counter[str]()

    async def revoked(body: dict[str, Any], key: str) -> int:
        asked[key] += 1
        return 200 if asked[key] <= 10 else 401

    async with scripted(revoked) as (base_url, _):
        results = await moot.arun(experiment(tmp_path, 40, models={"ann": endpoint(base_url)}))
    assert results.state == "failed"
    assert results.figures["accuracy"][0]["outcomes"] == {"answered": 10, "failed": 30}


@pytest.mark.parametrize("status", [401, 403])
async def test_a_model_that_the_key_is_not_for_costs_no_others(tmp_path: Path, status: int) -> None:
    """Whoever answers first: the good model only after all refusals that can come are there."""
    refused = asyncio.Event()

    async def by_model(body: dict[str, Any], key: str) -> int:
        if body["model"] == "bob":
            refused.set()
            return status
        await refused.wait()
        return 200

    models = {"ann": {"limits": {"concurrent": 64}}, "bob": {}}
    async with scripted(by_model) as (base_url, _):
        made = {name: endpoint(base_url, name, **more) for name, more in models.items()}
        results = await moot.arun(experiment(tmp_path, 40, models=made))
    by_player = {row["player"]: row["outcomes"] for row in results.figures["accuracy"]}
    assert by_player == {"ann": {"answered": 40}, "bob": {"failed": 40}}


async def test_a_key_that_is_for_one_model_of_five_is_good(tmp_path: Path) -> None:
    """The good one answers only when all the others have been refused."""
    refused, all_refused = set[str](), asyncio.Event()

    async def by_model(body: dict[str, Any], key: str) -> int:
        if body["model"] == "good":
            await all_refused.wait()
            return 200
        refused.add(body["model"])
        if len(refused) == 4:
            all_refused.set()
        return 401

    async with scripted(by_model) as (base_url, _):
        models = {name: endpoint(base_url, name) for name in ("a", "b", "c", "d", "good")}
        results = await moot.arun(experiment(tmp_path, 10, models=models))
    by_player = {row["player"]: row["outcomes"] for row in results.figures["accuracy"]}
    assert by_player == {"good": {"answered": 10}, **{name: {"failed": 10} for name in "abcd"}}


@pytest.mark.parametrize("trouble", [429, 500, 0])
async def test_trouble_of_another_kind_says_nothing_about_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trouble: int
) -> None:
    """One model is refused, and another one's first calls meet trouble, or time out (0), and are tried again."""
    monkeypatch.setattr(key_gate, "PATIENCE_S", 0.5)
    troubled = Counter[str]()

    async def by_model(body: dict[str, Any], key: str) -> int:
        if body["model"] == "bob":
            return 401
        troubled["ann"] += 1
        if troubled["ann"] > FIRST_CALLS:
            return 200
        if not trouble:
            await asyncio.sleep(600)
        return trouble

    async with scripted(by_model) as (base_url, _):
        models = {"ann": endpoint(base_url, timeout_s=1), "bob": endpoint(base_url, "bob")}
        results = await moot.arun(experiment(tmp_path, 10, models=models))
    by_player = {row["player"]: row["outcomes"] for row in results.figures["accuracy"]}
    assert by_player == {"ann": {"answered": 10}, "bob": {"failed": 10}}


async def test_a_slow_model_is_not_waited_for_beside_one_that_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No reply comes before all calls of both have left."""
    monkeypatch.setattr(key_gate, "PATIENCE_S", 0.1)
    there, all_there = Counter[str](), asyncio.Event()

    async def by_model(body: dict[str, Any], key: str) -> int:
        there[body["model"]] += 1
        if there == {"ann": 20, "bob": 20}:
            all_there.set()
        if body["model"] == "bob":
            return 401
        await all_there.wait()
        return 200

    async with scripted(by_model) as (base_url, _):
        models = {name: endpoint(base_url, name, limits={"concurrent": 64}) for name in ("ann", "bob")}
        results = await moot.arun(experiment(tmp_path, 20, models=models))
    by_player = {row["player"]: row["outcomes"] for row in results.figures["accuracy"]}
    assert by_player == {"ann": {"answered": 20}, "bob": {"failed": 20}}


async def test_all_models_that_show_a_wrong_key_are_named(tmp_path: Path) -> None:
    async def refused(body: dict[str, Any], key: str) -> int:
        return 401

    async with scripted(refused) as (base_url, statuses):
        models = {name: endpoint(base_url, name) for name in ("a", "b", "c", "d", "e")}
        with pytest.raises(KeyRefused, match=r"the key of models [a-e], [a-e], [a-e], [a-e], [a-e] is refused"):
            await moot.arun(experiment(tmp_path, models=models))
    assert 5 <= statuses[401] <= 5 * FIRST_CALLS


async def test_a_judge_who_is_not_asked_yet_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_gate, "PATIENCE_S", 0.2)
    async with running(SERVED) as server:
        models = {name: endpoint(server.base_url, api_key_env="WRONG_KEY") for name in ("ann", "judge")}
        keys = {"players": {"ann": {"model": "ann"}}, "judge": {"models": ["judge"]}}
        with pytest.raises(KeyRefused, match="the key of model ann is refused"):
            await moot.arun(experiment(tmp_path, models=models, **keys))


async def test_a_wrong_key_costs_nothing_of_the_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Refusals come late, when many calls have left: each of them gets its own before the run ends."""
    monkeypatch.setattr(key_gate, "PATIENCE_S", 0.0)
    there, some_there = Counter[str](), asyncio.Event()

    async def late(body: dict[str, Any], key: str) -> int:
        there[key] += 1
        place = there[key]
        if place == 12:
            some_there.set()
        await some_there.wait()
        if place > FIRST_CALLS:
            await asyncio.sleep(0.5)
        return 401

    store = tmp_path / "cup.db"
    paid = {"price": {"prompt": 10, "completion": 10}, "params": {"max_tokens": 1000}}
    async with scripted(late) as (base_url, _):
        # Under a cap the calls of a model that has sent no bill go one at a time, so it takes many models.
        models = {f"ann{n}": endpoint(base_url, f"ann{n}", limits={"concurrent": 12}, **paid) for n in range(12)}
        with pytest.raises(KeyRefused):
            await moot.arun(experiment(tmp_path, 20, models=models, budget_usd=1), store=store)
    assert there.total() <= (12 + 1) * FIRST_CALLS, "a few of each model, of 240"
    with closing(sqlite3.connect(store)) as books:
        assert books.execute("SELECT count(*) FROM reservations").fetchone() == (0,)
        assert books.execute("SELECT coalesce(sum(usd), 0) FROM losses").fetchone() == (0,)


async def test_a_wrong_key_ends_a_run_under_a_cap_at_once(tmp_path: Path) -> None:
    """Its calls go one at a time, and those that wait for their turn are not sent once the key is known to be wrong."""
    paid = {"price": {"prompt": 10, "completion": 10}, "params": {"max_tokens": 1000}}

    async def refuse(body: dict[str, Any], key: str) -> int:
        return 401

    async with scripted(refuse) as (base_url, told):
        with pytest.raises(KeyRefused):
            await moot.arun(experiment(tmp_path, 100, models={"ann": endpoint(base_url, **paid)}, budget_usd=1))
        assert told[401] <= FIRST_CALLS


async def test_a_slow_model_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All 64 places are taken before the first reply is there."""
    monkeypatch.setattr(key_gate, "PATIENCE_S", 0.01)
    there, all_there = Counter[str](), asyncio.Event()

    async def slow(body: dict[str, Any], key: str) -> int:
        there[key] += 1
        if there[key] == 64:
            all_there.set()
        await all_there.wait()
        return 200

    async with scripted(slow) as (base_url, _):
        results = await moot.arun(experiment(tmp_path, 70, models={"ann": endpoint(base_url)}))
    assert results.state == "done"


async def test_refusals_that_come_late_end_the_run_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_gate, "PATIENCE_S", 0.0)
    there, some_there = Counter[str](), asyncio.Event()

    async def late(body: dict[str, Any], key: str) -> int:
        there[key] += 1
        if there[key] == 20:
            some_there.set()
        await some_there.wait()
        return 401

    async with scripted(late) as (base_url, _):
        with pytest.raises(KeyRefused):
            await moot.arun(experiment(tmp_path, 500, models={"ann": endpoint(base_url)}))
    assert there.total() <= 64


@pytest.mark.parametrize("office", ["judge", "grouping", "extract"])
async def test_models_that_do_not_play_are_gated_too(tmp_path: Path, office: str) -> None:
    """And what was played before is there when the key has been mended."""
    async with running(SERVED) as server:
        models = {
            "ann": {"provider": "simulated", "accuracy": 0.3},
            "bob": {"provider": "simulated", "accuracy": 0.3, "garble": 1 if office == "extract" else 0},
            "office": endpoint(server.base_url, api_key_env="WRONG_KEY"),
            "second": {"provider": "simulated", "accuracy": 0.3},
        }
        offices = {
            "judge": {"judge": {"models": ["office"]}},
            "grouping": {"grouping": {"model": "office"}, "strategies": ["solo", "vote"]},
            "extract": {"extract": {"models": ["office", "second"]}},
        }
        keys = {"models": models, "players": {"ann": {"model": "ann"}, "bob": {"model": "bob"}}, **offices[office]}
        store = tmp_path / "cup.db"
        with pytest.raises(KeyRefused, match=r"model office.*WRONG_KEY"):
            await moot.arun(experiment(tmp_path, 30, **keys), store=store)
        assert 1 <= server.stats["requests"] <= FIRST_CALLS
        models["office"]["api_key_env"] = "RIGHT_KEY"
        results = await moot.arun(experiment(tmp_path, 30, **keys), store=store)
    assert all(row["missing"] == 0 and "failed" not in row["outcomes"] for row in results.figures["accuracy"])


async def test_the_last_run_says_why_it_ended(tmp_path: Path) -> None:
    async with running(SERVED) as server:
        store = tmp_path / "cup.db"
        models = {"qwen": endpoint(server.base_url, api_key_env="WRONG_KEY")}
        with pytest.raises(KeyRefused):
            await moot.arun(experiment(tmp_path, models=models), store=store)
    (run,) = moot.report(f"sqlite:///{store}").figures["runs"]
    assert run["state"] == "failed"
    assert "WRONG_KEY" in run["cause"]


async def test_a_base_url_without_its_path_ends_the_run_and_the_right_one_goes_on(tmp_path: Path) -> None:
    async def answered(body: dict[str, Any], key: str) -> int:
        return 200

    store = tmp_path / "cup.db"
    async with scripted(answered) as (base_url, statuses):
        models = {name: endpoint(base_url.removesuffix("/v1"), name) for name in ("ann", "bob")}
        with pytest.raises(PathRefused, match=rf"models (ann, bob|bob, ann) .* 404: .*write base_url: {base_url}\)"):
            await moot.arun(experiment(tmp_path, models=models), store=store)
        assert not statuses
        mended = {name: endpoint(base_url, name) for name in ("ann", "bob")}
        results = await moot.arun(experiment(tmp_path, models=mended), store=store)
    assert [row["outcomes"] for row in results.figures["accuracy"]] == [{"answered": 100}] * 2


UNKNOWN_MODELS = [
    {"error": {"message": 'model "ann" not found, try pulling it first', "type": "api_error"}},  # Ollama
    {"object": "error", "message": "The model `ann` does not exist.", "type": "NotFoundError", "code": 404},  # vLLM
    {"error": {"message": "No such thing.", "code": "model_not_found"}},  # OpenAI's code
    {"error": {"message": "The API deployment for this resource does not exist.", "code": "DeploymentNotFound"}},
]


@asynccontextmanager
async def rejecting(
    body: dict[str, Any], status: int = 404, *, answering: int = 0
) -> AsyncIterator[tuple[str, Counter[str]]]:
    """A server that has the models `anne` and `bob`, and rejects all others with this body, after so many replies."""
    asked = Counter[str]()

    async def chat(request: web.Request) -> web.Response:
        model = (await request.json())["model"]
        asked[model] += 1
        if model != "bob" and asked[model] > answering:
            return web.json_response(body, status=status)
        message = {"content": '{"reasoning": "known", "answer": "Paris"}'}
        return web.json_response({"choices": [{"message": message, "finish_reason": "stop"}]})

    async def listed(request: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": "anne"}, {"id": "bob"}]})

    app = web.Application()
    app.router.add_post("/v1/chat/completions", chat)
    app.router.add_get("/v1/models", listed)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1", asked
    finally:
        await runner.cleanup()


@pytest.mark.parametrize("body", UNKNOWN_MODELS, ids=["ollama", "vllm", "code", "azure"])
async def test_a_model_that_the_server_does_not_have_ends_the_run(tmp_path: Path, body: dict[str, Any]) -> None:
    """Whatever the others would have said: a team that lacks one is another, and they are paid for."""
    async with rejecting(body) as (base_url, asked):
        models = {"ann": endpoint(base_url, "ann"), "bob": endpoint(base_url, "bob")}
        with pytest.raises(ModelUnknown, match=r"model ann: .* 404: .*; did you mean 'anne'\?"):
            await moot.arun(experiment(tmp_path, 60, models=models))
    assert 1 <= asked["ann"] <= FIRST_CALLS


@pytest.mark.parametrize("words", ["Model Not Exist", "Invalid model: ann", "ann is not a valid model ID"])
async def test_nor_one_that_is_unknown_by_a_400(tmp_path: Path, words: str) -> None:
    async with rejecting({"error": {"message": words}}, status=400) as (base_url, asked):
        with pytest.raises(ModelUnknown, match="model ann"):
            await moot.arun(experiment(tmp_path, 20, models={"ann": endpoint(base_url, "ann")}))
    assert asked["ann"] <= FIRST_CALLS


async def test_a_model_that_has_answered_once_ends_nothing(tmp_path: Path) -> None:
    """A server that has lost it since may have it again: what failed is asked for again by the next run."""
    async with rejecting(UNKNOWN_MODELS[0], answering=1) as (base_url, asked):
        models = {"ann": endpoint(base_url, "ann", limits={"concurrent": 1})}
        results = await moot.arun(experiment(tmp_path, 8, models=models))
    assert results.state == "failed"
    assert asked == {"ann": 8}


async def test_other_rejections_end_nothing(tmp_path: Path) -> None:
    async with rejecting({"error": {"message": "This question is too long."}}, status=400) as (base_url, asked):
        results = await moot.arun(experiment(tmp_path, 12, models={"ann": endpoint(base_url, "ann")}))
    assert results.state == "failed"
    assert asked == {"ann": 12}


async def test_a_path_that_is_missing_for_one_model_costs_no_others(tmp_path: Path) -> None:
    """Whoever routes by model may say no more than "not found": as long as another answers there, the path is right."""

    async def by_model(body: dict[str, Any], key: str) -> int:
        return 404 if body["model"] == "bob" else 200

    async with scripted(by_model) as (base_url, _):
        models = {name: endpoint(base_url, name) for name in ("ann", "bob")}
        results = await moot.arun(experiment(tmp_path, 20, models=models))
    by_player = {row["player"]: row["outcomes"] for row in results.figures["accuracy"]}
    assert by_player == {"ann": {"answered": 20}, "bob": {"failed": 20}}
