"""A served team one of whose servers does not count tokens: no sum is told as if it were of all, and no cost as if it were 0."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hostile_server import hostile, http
from served import THREE, serving

USAGE = {"prompt_tokens": 40, "completion_tokens": 2}
TOLD = {"both": USAGE, "prompt": {"prompt_tokens": 40}, "nothing": None}
ASKED = {"messages": [{"role": "user", "content": "Which river?"}], "model": "three/vote"}


def config(base_url: str, price: float | None) -> dict[str, Any]:
    priced = {"price": {"prompt": price, "completion": price}} if price is not None else {}
    endpoint = {"provider": "endpoint", "base_url": base_url, **priced}
    return {**THREE, "models": {name: {**endpoint, "model": name} for name in THREE["models"]}}


async def asked_of(folder: Path, of_cat: str, price: float | None = 1) -> dict[str, Any]:
    """What comes back in each form, and the figures."""

    def answer(body: Any, _: int) -> bytes:
        text = json.dumps({"reasoning": "So.", "answer": "the Nile"})
        choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        usage = TOLD[of_cat] if body["model"] == "cat" else USAGE
        return http({"choices": [choice], **({"usage": usage} if usage else {})})

    async with hostile(answer) as server, serving(folder, config(server.base_url, price)) as served:
        _, whole = await served.post("/v1/chat/completions", ASKED)
        _, responded = await served.post("/v1/responses", {"model": "three/vote", "input": "Which river?"})
        body = {**ASKED, "stream": True, "stream_options": {"include_usage": True}}
        async with served.session.post(f"{served.url}/v1/chat/completions", json=body) as response:
            lines = [line.removeprefix("data: ") for line in (await response.text()).split("\n\n") if line]
        async with served.session.get(f"{served.url}/metrics") as response:
            told = dict(
                line.rsplit(" ", 1) for line in (await response.text()).splitlines() if not line.startswith("#")
            )
    assert lines[-1] == "[DONE]"
    return {
        "whole": whole,
        "responded": responded,
        "events": [json.loads(line) for line in lines[:-1]],
        "figures": {name: float(value) for name, value in told.items()},
    }


async def test_what_every_server_counts_is_told(tmp_path: Path) -> None:
    told = await asked_of(tmp_path, "both")
    sums = {"prompt_tokens": 120, "completion_tokens": 6, "total_tokens": 126}
    parts = {"prompt_tokens_details": {"cached_tokens": 0}, "completion_tokens_details": {"reasoning_tokens": 0}}
    assert told["whole"]["usage"] == {**sums, **parts}
    assert told["events"][-1]["usage"] == {**sums, **parts}
    assert told["responded"]["usage"]["total_tokens"] == 126
    figures = told["figures"]
    assert figures['moot_tokens_made_total{direction="prompt"}'] == 3 * 120
    assert figures["moot_calls_unpriced_total"] == 0
    assert not any(
        name.startswith(("moot_calls_uncounted_total", "moot_calls_made_uncounted_total")) for name in figures
    )


@pytest.mark.parametrize("of_cat", ["prompt", "nothing"])
async def test_a_call_that_is_not_counted_leaves_no_sum(tmp_path: Path, of_cat: str) -> None:
    """Neither 0 nor the sum of the others: no usage, as the standards allow."""
    told = await asked_of(tmp_path, of_cat)
    assert told["whole"]["choices"][0]["message"]["content"]
    assert "usage" not in told["whole"]
    assert told["whole"]["moot"]["cost_usd"] is None
    assert told["responded"]["status"] == "completed"
    assert told["responded"]["usage"] is None
    assert all(event.get("usage") is None and event["choices"] for event in told["events"])
    figures = told["figures"]
    for name in ("", "_made"):
        assert figures[f'moot_tokens{name}_total{{direction="completion"}}'] == 3 * 4
        assert figures[f'moot_calls{name}_uncounted_total{{direction="completion"}}'] == 3
        prompts = 3 * (120 if of_cat == "prompt" else 80)
        assert figures[f'moot_tokens{name}_total{{direction="prompt"}}'] == prompts
    uncounted = 0 if of_cat == "prompt" else 3
    assert figures.get('moot_calls_made_uncounted_total{direction="prompt"}', 0) == uncounted


async def test_beside_what_calls_cost_stands_of_how_many_nobody_knows_it(tmp_path: Path) -> None:
    figures = (await asked_of(tmp_path, "nothing"))["figures"]
    assert figures["moot_calls_unpriced_total"] == 3
    assert figures["moot_cost_usd_total"] > 3 * 2 * 42e-6, "they are held at the most they can cost"
    made = sum(value for name, value in figures.items() if name.startswith("moot_calls_made_total"))
    assert (made, figures["moot_calls_unanswered_total"]) == (9, 0), "each has a reply"


async def test_what_has_no_price_is_counted_and_adds_nothing(tmp_path: Path) -> None:
    figures = (await asked_of(tmp_path, "both", price=None))["figures"]
    assert (figures["moot_cost_usd_total"], figures["moot_calls_unpriced_total"]) == (0, 9)
    assert figures["moot_calls_unanswered_total"] == 0
