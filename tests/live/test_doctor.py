"""The doctor: what is well, what is not, and why, in words that help."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from moot.experiment.build import build
from moot.experiment.spec import read_experiment
from moot.live import doctor
from moot.live.doctor import Diagnosis, examine
from moot.simulate.server import running
from moot.team.attempts import ATTEMPTS

Handler = Callable[[web.Request], Awaitable[web.Response]]

SERVED: dict[str, Any] = {"models": {"ann": {"accuracy": 0.5}, "bob": {"accuracy": 0.5}}}


def endpoint(base_url: str, model: str = "ann", **more: Any) -> dict[str, Any]:
    return {"provider": "endpoint", "base_url": base_url, "model": model, "timeout_s": 5, **more}


async def diagnosis(folder: Path, spec: dict[str, Any], **more: Any) -> Diagnosis:
    path = folder / "team.yaml"
    path.write_text(json.dumps({"name": "team", "models": {"patient": spec}, **more}))
    (found,) = await examine(build(read_experiment(path, with_questions=False)))
    assert found.model == "patient"
    return found


async def test_a_model_that_is_well(tmp_path: Path) -> None:
    async with running(SERVED) as server:
        found = await diagnosis(tmp_path, endpoint(server.base_url))
        assert server.stats["requests"] == 1
    assert found.well
    assert found.words.startswith("answers ")
    assert (found.attempts, found.json_support, found.version) == (1, "schema", "simulated/ann simulated")
    assert found.seconds is not None


@pytest.mark.parametrize(
    ("config", "support"),
    [({"json_schema": False}, "object"), ({"json_schema": False, "json_object": False}, "off")],
)
async def test_how_the_form_is_asked_for_is_told(tmp_path: Path, config: dict[str, Any], support: str) -> None:
    async with running({**SERVED, **config}) as server:
        found = await diagnosis(tmp_path, endpoint(server.base_url))
    assert (found.well, found.json_support) == (True, support)


async def test_an_endpoint_that_is_not_there(tmp_path: Path) -> None:
    found = await diagnosis(tmp_path, endpoint("http://127.0.0.1:9/v1"))
    assert not found.well
    assert "127.0.0.1:9" in found.words


async def test_a_model_that_the_endpoint_does_not_have(tmp_path: Path) -> None:
    async with running(SERVED) as server:
        found = await diagnosis(tmp_path, endpoint(server.base_url, "anne"))
        assert server.stats["requests"] == 1, "it is asked all the same"
    assert not found.well
    assert found.words.endswith("the models that the server lists, which are ann, bob; did you mean 'ann'?")


@pytest.mark.parametrize(
    ("model", "remark"),
    [
        ("ann", None),
        ("llama", "listed there as 'llama:latest'"),
        ("gemini", "listed there as 'models/gemini'"),
        ("qwen/qwen3:free", "listed there as 'qwen/qwen3'"),
        (
            "gpt-oss",
            "not among the models that the server lists, which are ann, llama:latest, models/gemini, qwen/qwen3, m0, m1,"
            " m2, m3 and 1 more",
        ),
    ],
)
async def test_a_model_that_is_not_listed_and_answers_is_well(tmp_path: Path, model: str, remark: str | None) -> None:
    names = ["ann", "llama:latest", "models/gemini", "qwen/qwen3", *(f"m{number}" for number in range(5))]
    async with serving(200, {"data": [{"id": name} for name in names]}) as base_url:
        found = await diagnosis(tmp_path, endpoint(base_url, model))
    assert (found.well, found.words, found.remark) == (True, "answers 'Paris'", remark)


async def test_a_key_that_may_ask_and_not_look_at_the_list_is_well(tmp_path: Path) -> None:
    async with serving(403, {"error": {"message": "missing scope"}}) as base_url:
        assert (await diagnosis(tmp_path, endpoint(base_url))).well


@pytest.mark.parametrize(
    ("pasted", "written"),
    [("", "/v1"), ("/v1/chat/completions", "/v1"), ("/v1/models/", "/v1"), ("/v1/completions", "/v1")],
)
async def test_a_path_that_is_not_there_says_what_to_write(tmp_path: Path, pasted: str, written: str) -> None:
    async with running(SERVED) as server:
        found = await diagnosis(tmp_path, endpoint(server.url + pasted))
        assert f"write base_url: {server.url}{written})" in found.words
        assert not found.well


async def test_the_prompts_of_the_file_are_asked_with(tmp_path: Path) -> None:
    own = tmp_path / "prompts"
    own.mkdir()
    (own / "draft.j2").write_text("OURS {{ question }}")
    bodies: list[str] = []

    async def complete(request: web.Request) -> web.Response:
        bodies.append(await request.text())
        return web.json_response({"choices": [{"message": {"content": '{"reasoning": "", "answer": "Paris"}'}}]})

    async with listening(complete) as base_url:
        found = await diagnosis(tmp_path, endpoint(base_url), prompts="prompts")
    assert found.well
    assert "OURS What is the capital of France?" in bodies[0]


async def test_a_key_that_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RIGHT_KEY", "the-right-key")
    monkeypatch.setenv("WRONG_KEY", "the-wrong-key")
    async with running({**SERVED, "api_key_env": "RIGHT_KEY"}) as server:
        found = await diagnosis(tmp_path, endpoint(server.base_url, api_key_env="WRONG_KEY"))
        well = await diagnosis(tmp_path, endpoint(server.base_url, api_key_env="RIGHT_KEY"))
        none = await diagnosis(tmp_path, endpoint(server.base_url))
    assert not found.well
    assert "401" in found.words
    assert "environment variable WRONG_KEY (api_key_env)" in found.words
    assert "The file sets no key for it" in none.words
    assert well.well


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("garbage", f"unanswered: no usable reply in {ATTEMPTS} attempts"),
        ("empty", "failed: ReplyBroken"),
        ("invalid-json", "failed: ReplyBroken"),
        ("refusal", "refused: "),
        ("500", "failed: ServerFailed"),
        ("cut", "failed: ConnectionFailed"),
        ("hang", "failed: TimedOut"),
    ],
)
async def test_models_that_are_not_well(tmp_path: Path, fault: str, words: str) -> None:
    async with running({**SERVED, "faults": [{"kind": fault}]}) as server:
        found = await diagnosis(tmp_path, endpoint(server.base_url, timeout_s=0.5))
    assert not found.well
    assert found.words.startswith(words)


async def test_a_model_that_needs_a_second_try_is_well(tmp_path: Path) -> None:
    async with running({**SERVED, "faults": [{"kind": "garbage", "times": 1}]}) as server:
        found = await diagnosis(tmp_path, endpoint(server.base_url))
    assert (found.well, found.attempts) == (True, 2)


@asynccontextmanager
async def serving(models_status: int, listed: object = None) -> AsyncIterator[str]:
    """A server with a list of its own, that answers everything with one answer."""

    async def models(request: web.Request) -> web.Response:
        return web.json_response(listed, status=models_status)

    async def complete(request: web.Request) -> web.Response:
        message = {"content": '{"reasoning": "known", "answer": "Paris"}'}
        return web.json_response({"choices": [{"message": message, "finish_reason": "stop"}]})

    async with listening(complete, models) as base_url:
        yield base_url


@asynccontextmanager
async def listening(complete: Handler, models: Handler | None = None) -> AsyncIterator[str]:
    app = web.Application()
    if models is not None:
        app.router.add_get("/v1/models", models)
    app.router.add_post("/v1/chat/completions", complete)
    runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    finally:
        await runner.cleanup()


@pytest.mark.parametrize(
    ("status", "listed"),
    [(404, {}), (405, None), (501, {}), (200, {"data": []}), (200, "?"), (200, {"object": "list"})],
)
async def test_a_server_that_lists_nothing_is_not_blamed(tmp_path: Path, status: int, listed: object) -> None:
    async with serving(status, listed) as base_url:
        found = await diagnosis(tmp_path, endpoint(base_url))
    assert (found.well, found.words) == (True, "answers 'Paris'")


async def test_a_server_that_answers_too_late(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "PATIENCE_S", 0.3)
    async with running({**SERVED, "faults": [{"kind": "hang"}]}) as server:
        found = await diagnosis(tmp_path, endpoint(server.base_url, timeout_s=60))
    assert not found.well
    assert "no answer within" in found.words


async def test_a_model_that_talks_on_and_on_is_told_from_one_that_is_silent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "PATIENCE_S", 1.0)
    asked = 0

    async def complete(request: web.Request) -> web.Response:
        nonlocal asked
        asked += 1
        if asked > 1:
            await asyncio.sleep(60)
        choice = {"message": {"content": '{"reasoning": "as a JSON, as a JSON'}, "finish_reason": "length"}
        return web.json_response({"choices": [choice]})

    async with listening(complete) as base_url:
        found = await diagnosis(tmp_path, endpoint(base_url, timeout_s=60))
    assert not found.well
    assert "that could be used; 1 reply came, 1 of them cut off by max_tokens" in found.words


async def test_every_model_is_examined_whatever_the_others_do(tmp_path: Path) -> None:
    path = tmp_path / "team.yaml"
    async with running(SERVED) as server:
        models = {
            "well": endpoint(server.base_url),
            "dead": endpoint("http://127.0.0.1:9/v1"),
            "unknown": endpoint(server.base_url, "nobody"),
            "tom": {"provider": "simulated", "accuracy": 0.5},
        }
        path.write_text(json.dumps({"name": "team", "models": models}))
        found = await examine(build(read_experiment(path, with_questions=False)))
    assert {each.model: each.well for each in found} == {"well": True, "dead": False, "unknown": False, "tom": True}


async def test_in_russian(tmp_path: Path) -> None:
    async with running(SERVED) as server:
        assert (await diagnosis(tmp_path, endpoint(server.base_url), language="ru")).well


async def test_what_cuts_replies_off_is_named(tmp_path: Path) -> None:
    async def complete(request: web.Request) -> web.Response:
        choice = {"message": {"content": '{"reasoning": "as a JSON, as a JSON'}, "finish_reason": "length"}
        return web.json_response({"choices": [choice]})

    async with listening(complete) as base_url:
        found = await diagnosis(tmp_path, endpoint(base_url))
    assert not found.well
    assert "the last one: cut off by max_tokens" in found.words


NO_SYSTEM = {"error": {"message": "System role not supported", "type": "BadRequestError", "code": 400}}


async def told_of_system(folder: Path, *said: tuple[int, Any], folded: tuple[int, Any] | None = None) -> Diagnosis:
    """What a server says to those who send a system role, one after the other, the last again and again, and to others."""
    left = list(said)
    answer = {"content": '{"reasoning": "known", "answer": "Paris"}'}
    well = (200, {"choices": [{"message": answer, "finish_reason": "stop"}]})

    async def complete(request: web.Request) -> web.Response:
        roles = [message["role"] for message in (await request.json())["messages"]]
        status, body = (folded or well) if "system" not in roles else left.pop(0) if left[1:] else left[0]
        return web.json_response(well[1] if body is None else body, status=status)

    async with listening(complete) as base_url:
        told = {"patient": {"model": "patient", "instruction": "Be careful."}}
        return await diagnosis(folder, endpoint(base_url), players=told)


async def test_a_system_role_that_is_refused_again_and_again_is_to_be_folded(tmp_path: Path) -> None:
    found = await told_of_system(tmp_path, (400, NO_SYSTEM))
    assert not found.well
    assert found.words.endswith("With system: fold it answers 'Paris'")


@pytest.mark.parametrize("status", [400, 500])
async def test_what_was_refused_once_is_no_ground_for_advice(tmp_path: Path, status: int) -> None:
    """A server that is still loading, or one of several behind one address: asked again it takes the system role."""
    found = await told_of_system(tmp_path, (status, NO_SYSTEM), (200, None))
    assert (found.well, found.words) == (True, "answers 'Paris'")
    assert found.remark == doctor.REFUSED_ONCE
    assert "fold" not in found.remark


@pytest.mark.parametrize("status", [429, 503])
async def test_what_passes_does_not_tell_whether_folding_helps(tmp_path: Path, status: int) -> None:
    busy = (status, {"error": {"message": "try again later"}})
    found = await told_of_system(tmp_path, (400, NO_SYSTEM), folded=busy)
    assert not found.well
    assert "Whether it answers with system: fold could not be told" in found.words
    assert "does not answer either" not in found.words


@pytest.mark.parametrize("status", [429, 503])
async def test_folding_is_advised_only_where_the_role_was_refused_twice(status: int, tmp_path: Path) -> None:
    """Refused once, answered with the role folded, and busy when the role was sent again: then nobody knows."""
    busy = (status, {"error": {"message": "try again later"}})
    found = await told_of_system(tmp_path, (400, NO_SYSTEM), busy)
    assert not found.well
    assert "Whether it refuses a system role again could not be told" in found.words
    assert "moot doctor" in found.words
    assert "write system: fold" not in found.words
    assert "With system: fold" not in found.words


async def test_folding_is_advised_only_where_it_was_tried(tmp_path: Path) -> None:
    for folded in ((503, {"error": {"message": "try again later"}}), (400, {"error": {"message": "no such thing"}})):
        found = await told_of_system(tmp_path, (400, NO_SYSTEM), folded=folded)
        assert "write system: fold" not in found.words
    assert "write system: fold" in (await told_of_system(tmp_path, (400, NO_SYSTEM))).words


async def test_a_busy_server_is_told_nothing_about_its_system_role(tmp_path: Path) -> None:
    """The words alone do not make it a refusal."""
    found = await told_of_system(tmp_path, (503, {"error": {"message": "System role not supported yet: loading"}}))
    assert not found.well
    assert "fold" not in found.words


async def test_a_refusal_of_both_is_told(tmp_path: Path) -> None:
    found = await told_of_system(tmp_path, (400, NO_SYSTEM), folded=(400, {"error": {"message": "no such thing"}}))
    assert "With system: fold it does not answer either" in found.words
