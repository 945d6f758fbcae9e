"""A library that warns of what a model said repeats it: that may hold a key, and reaches no stream of a command."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import subprocess
import sys
import warnings
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hostile_server import completion, hostile, http

from moot.models.wordless_warnings import tell_warnings_without_words

KEY = "sk-Quagga77Okapi"
SOURCE = Path(__file__).parents[2] / "src"
NEEDS_LITELLM = pytest.mark.skipif(find_spec("litellm") is None, reason='needs the extra: pip install "moot[litellm]"')


def odd(asked: Any, number: int) -> bytes:
    """What LiteLLM's own classes warn of, whole and as a stream: the key in fields of every kind."""
    body = completion(created=KEY, system_fingerprint={"a": KEY}, service_tier=[KEY])
    body["usage"] = {**body["usage"], "completion_tokens_details": {"reasoning_tokens": KEY}}
    body["choices"][0]["message"]["function_call"] = {"name": KEY, "arguments": [KEY]}
    if not asked.get("stream"):
        return http(body)
    body["object"] = "chat.completion.chunk"
    body["choices"][0]["delta"] = body["choices"][0].pop("message")
    return http(b"data: " + json.dumps(body).encode() + b"\n\ndata: [DONE]\n\n", Content_Type="text/event-stream")


@NEEDS_LITELLM
@pytest.mark.parametrize(
    "command",
    [
        ["-m", "moot", "run", "t.yaml"],
        ["-m", "moot", "ask", "Which zanzibar river?", "--team", "t.yaml", "--strategy", "solo@ann", "--no-log"],
        ["-m", "moot", "doctor", "t.yaml"],
    ],
    ids=["run", "ask", "doctor"],
)
async def test_no_warning_of_a_library_shows_a_key(command: list[str], tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_text('{"id": "1", "text": "Which zanzibar river?", "reference": "A"}\n')
    async with hostile(odd) as server:
        ann = {"provider": "litellm", "model": "openai/ann", "base_url": server.base_url, "api_key_env": "UPSTREAM_KEY"}
        models = {name: {**ann, "retries": {"attempts": 1}} for name in ("ann", "bob")}
        file = {"name": "cup", "questions": {"file": "q.jsonl"}, "models": models, "strategies": ["solo"]}
        (tmp_path / "t.yaml").write_text(json.dumps(file))
        given = {**os.environ, "PYTHONPATH": str(SOURCE), "UPSTREAM_KEY": KEY, "PYTHONWARNINGS": "always"}
        process = await asyncio.create_subprocess_exec(
            sys.executable, *command, cwd=tmp_path, env=given, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        told = (await process.communicate())[0].decode()
        assert server.seen, told
    assert KEY not in told
    assert "UserWarning" in told, "it is told that there was one"
    assert "its words are not told" in told


class Ours:
    async def forgets(self) -> None: ...


@NEEDS_LITELLM
async def test_a_call_that_is_given_up_before_litellm_has_sent_it_is_no_warning() -> None:
    from litellm.llms.openai.openai import OpenAIChatCompletion

    told: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        tell_warnings_without_words(told.append)
        given_up: Any = OpenAIChatCompletion().acompletion
        made = [given_up(*[None] * 12)]
        made.clear()
        gc.collect()
        assert told == []
        made.append(Ours().forgets())
        made.clear()
        gc.collect()
    assert len(told) == 1, "a mistake of our own is one"
    assert told[0].startswith("RuntimeWarning at ")
