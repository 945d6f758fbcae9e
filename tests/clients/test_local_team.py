"""The same programs against a served team of a real local model: that it works, never what it answers."""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "serve")]
from local_team import TWO, needs_weights  # noqa: E402
from served import serving  # noqa: E402

pytestmark = needs_weights


class City(BaseModel):
    city: str


async def test_the_openai_sdk_and_litellm(tmp_path: Path) -> None:
    openai, litellm = pytest.importorskip("openai"), pytest.importorskip("litellm")
    asked: dict[str, Any] = {"messages": [{"role": "user", "content": "Which city is the capital of France?"}]}
    async with serving(tmp_path, TWO) as served:

        def plainly() -> None:
            client = openai.OpenAI(base_url=f"{served.url}/v1", api_key="none", max_retries=0)
            whole = client.chat.completions.create(model="two/vote", **asked)
            assert whole.choices[0].message.content
            assert whole.moot["calls"] >= 2
            pieces = client.chat.completions.create(model="solo@ann", stream=True, **asked)
            assert "".join(piece.choices[0].delta.content or "" for piece in pieces if piece.choices)
            parsed = client.chat.completions.parse(model="solo@ann", response_format=City, **asked)
            assert parsed.choices[0].message.parsed.city is not None

        await asyncio.to_thread(plainly)
        reply = await litellm.acompletion(model="openai/solo@bob", api_base=f"{served.url}/v1", api_key="none", **asked)
        assert reply.choices[0].message.content


@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
async def test_curl(tmp_path: Path) -> None:
    async with serving(tmp_path, TWO) as served:
        body = {"model": "two/vote", "messages": [{"role": "user", "content": "Which city is the capital of France?"}]}
        command = ["curl", "-sN", f"{served.url}/v1/chat/completions", "-H", "Content-Type: application/json"]
        asked = await asyncio.create_subprocess_exec(*command, "-d", json.dumps(body), stdout=asyncio.subprocess.PIPE)
        whole = json.loads((await asked.communicate())[0])
        assert whole["choices"][0]["message"]["content"]
        assert whole["moot"]["calls"] >= 2
