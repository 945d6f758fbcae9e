"""Other people's programs against a served team, each as its own documentation says."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import BaseModel
from served import THREE, serving

import moot
from moot.serve.app import ServeSettings

KEYED = ServeSettings(keys={"TEAM_KEY": "sesame"})


class City(BaseModel):
    city: str
    inhabitants: int


async def test_the_openai_sdk(tmp_path: Path) -> None:
    openai = pytest.importorskip("openai")
    async with serving(tmp_path, settings=KEYED) as served:

        def plainly() -> None:
            client = openai.OpenAI(base_url=f"{served.url}/v1", api_key="sesame", max_retries=0)
            assert "three/vote" in [model.id for model in client.models.list()]
            asked: dict[str, Any] = {"model": "three/vote", "messages": [{"role": "user", "content": "Which river?"}]}
            reply = client.chat.completions.create(**asked)
            assert reply.choices[0].message.content
            assert reply.usage.total_tokens > 0
            assert reply.moot["outcome"] == "answered"
            pieces = client.chat.completions.create(**asked, stream=True, stream_options={"include_usage": True})
            said, usage = "", None
            for piece in pieces:
                said += (piece.choices[0].delta.content or "") if piece.choices else ""
                usage = piece.usage or usage
            assert said == reply.choices[0].message.content
            assert usage.total_tokens == reply.usage.total_tokens
            watched = client.chat.completions.create(**asked, stream=True, extra_headers={"X-Moot-Team": "true"})
            told = [getattr(each, "moot", None) or {} for each in watched]
            assert [each["event"]["kind"] for each in told if "event" in each][-1] == "verdict"
            parsed = client.chat.completions.parse(**asked, response_format=City)
            assert isinstance(parsed.choices[0].message.parsed, City)
            response = client.responses.create(model="three/vote", input="Which river?")
            assert response.output_text == said
            streamed = client.responses.create(model="three/vote", input="Which river?", stream=True)
            deltas = [each.delta for each in streamed if each.type == "response.output_text.delta"]
            assert "".join(deltas) == said
            for wrong, error in (("nobody", openai.NotFoundError), ("", openai.BadRequestError)):
                with pytest.raises(error):
                    client.chat.completions.create(**{**asked, "model": wrong})
            with pytest.raises(openai.AuthenticationError):
                openai.OpenAI(base_url=f"{served.url}/v1", api_key="wrong", max_retries=0).models.list()

        await asyncio.to_thread(plainly)
        client = openai.AsyncOpenAI(base_url=f"{served.url}/v1", api_key="sesame")
        replies = await asyncio.gather(
            *(
                client.chat.completions.create(
                    model="three/talkative", messages=[{"role": "user", "content": f"Which river is number {number}?"}]
                )
                for number in range(10)
            )
        )
        assert all(reply.choices[0].message.content for reply in replies)
        await client.close()


async def test_litellm(tmp_path: Path) -> None:
    litellm = pytest.importorskip("litellm")
    async with serving(tmp_path, settings=KEYED) as served:
        reply = await litellm.acompletion(
            model="openai/three/vote",
            api_base=f"{served.url}/v1",
            api_key="sesame",
            messages=[{"role": "user", "content": "Which river?"}],
        )
        assert reply.choices[0].message.content
        pieces = await litellm.acompletion(
            model="openai/three/vote",
            api_base=f"{served.url}/v1",
            api_key="sesame",
            messages=[{"role": "user", "content": "Which river?"}],
            stream=True,
        )
        said = "".join([piece.choices[0].delta.content or "" async for piece in pieces])
        assert said == reply.choices[0].message.content


async def test_curl(tmp_path: Path) -> None:
    curl = shutil.which("curl")
    if curl is None:
        pytest.skip("needs curl")
    async with serving(tmp_path, settings=KEYED) as served:
        body = {"model": "three/vote", "messages": [{"role": "user", "content": "Which river?"}], "stream": True}
        command = [curl, "-sN", f"{served.url}/v1/chat/completions", "-H", "Authorization: Bearer sesame"]
        command += ["-H", "Content-Type: application/json", "-d", json.dumps(body)]
        done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, check=True)
        assert done.stdout.endswith("data: [DONE]\n\n")


def _task(**options: Any) -> Any:
    from inspect_ai import Task
    from inspect_ai.dataset import MemoryDataset, Sample

    samples = [
        Sample(input=f"Which of these is number {number}?", choices=["one", "two", "three"], target="A")
        for number in range(20)
    ]
    return Task(dataset=MemoryDataset(samples), **options)


def test_inspect_after_a_run_has_the_runs_best_and_every_strategy_by_its_name(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai")
    from inspect_ai import eval as evaluate

    from moot.serve.inspect import team_solver

    team = tmp_path / "team.yaml"
    models = {
        name: {"provider": "simulated", "accuracy": 1.0 if name == "cat" else 0.1} for name in ("ann", "bob", "cat")
    }
    teams = {"three": {"players": ["ann", "bob", "cat"], "captain": "cat"}}
    questions = {"builtin": "general-en", "sample": 20}
    file = {**THREE, "models": models, "teams": teams, "questions": questions, "store": "sqlite:///cup.db"}
    team.write_text(yaml.safe_dump({**file, "strategies": ["vote", "talkative"]}), encoding="utf-8")
    best = moot.run(team).figures["headline"]["of"].partition("@")[0]
    assert best == "talkative", "and not the first of the file"
    for name, strategy in ((None, best), ("three", best), ("three/vote", "vote"), ("three/talkative", "talkative")):
        log = evaluate(
            _task(solver=team_solver(str(team), name)),
            model="mockllm/model",
            log_dir=str(tmp_path / "logs"),
            display="none",
            limit=2,
        )[0]
        assert log.status == "success", log.error
        assert {sample.metadata["moot"]["strategy"] for sample in log.samples or []} == {strategy}


def test_inspect_with_a_strategy_as_its_solver(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai")
    from inspect_ai import eval as evaluate
    from inspect_ai.scorer import choice

    from moot.serve.inspect import team_solver

    team = tmp_path / "team.yaml"
    team.write_text(yaml.safe_dump(THREE), encoding="utf-8")
    task = _task(solver=team_solver(str(team), "three/vote"), scorer=choice())
    log = evaluate(task, model="mockllm/model", log_dir=str(tmp_path / "logs"), display="none")[0]
    assert log.status == "success", log.error
    samples = log.samples or []
    assert len(samples) == 20
    for sample in samples:
        assert sample.output.completion in "ABC"
        right = sample.scores["choice"].value == "C"  # Inspect's word for correct
        assert right == (sample.output.completion == "A")
        assert sample.metadata["moot"]["outcome"] == "answered"
