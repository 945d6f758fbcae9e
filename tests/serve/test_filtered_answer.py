"""A team that refuses, in the words of OpenAI's API: a model's own refusal ends with `stop`, a filter's with `content_filter`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hostile_server import hostile, http
from served import THREE, serving

USAGE = {"prompt_tokens": 40, "completion_tokens": 2}
FILTERED = {"message": {"role": "assistant", "content": None}, "finish_reason": "content_filter"}
REFUSED = {"message": {"role": "assistant", "content": None, "refusal": "I will not."}, "finish_reason": "stop"}


def config(base_url: str) -> dict[str, Any]:
    models = {name: {"provider": "endpoint", "base_url": base_url, "model": name} for name in THREE["models"]}
    return {**THREE, "models": models}


@pytest.mark.parametrize(
    ("choices", "finish"),
    [
        ({"ann": FILTERED, "bob": FILTERED, "cat": FILTERED}, "content_filter"),
        ({"ann": REFUSED, "bob": REFUSED, "cat": REFUSED}, "stop"),
        ({"ann": REFUSED, "bob": FILTERED, "cat": FILTERED}, "stop"),
    ],
    ids=["filters", "models", "both"],
)
async def test_a_refusal_ends_as_it_does_with_openai(tmp_path: Path, choices: dict[str, Any], finish: str) -> None:
    def answer(body: Any, _: int) -> bytes:
        return http({"choices": [choices[body["model"]]], "usage": USAGE})

    async with hostile(answer) as server, serving(tmp_path, config(server.base_url)) as served:
        status, body = await served.chat("Which river?")
        _, responded = await served.post("/v1/responses", {"model": "three/vote", "input": "Which river?"})
    assert status == 200
    (choice,) = body["choices"]
    assert choice["finish_reason"] == finish
    assert choice["message"]["content"] is None
    assert choice["message"]["refusal"]
    assert (body["usage"]["prompt_tokens"], body["usage"]["completion_tokens"]) == (120, 6), "what is known was counted"
    filtered = finish == "content_filter"
    assert responded["status"] == ("incomplete" if filtered else "completed")
    assert responded["incomplete_details"] == ({"reason": "content_filter"} if filtered else None)
