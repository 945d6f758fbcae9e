"""A long answer that a model's length has cut off is not served as a whole one."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from browsing import asked, browsing, needs_browser, text, until
from served import THREE, serving

from moot.models.model import Wrapper
from moot.types import Reply, Request

HALF = "First pack the books by"


class CutShort(Wrapper):
    """Whose drafts, or whose last texts too, end in the middle."""

    at_the_end = True

    async def generate(self, request: Request) -> Reply:
        if request.schema is not None:  # a ranking of the others
            return await self.inner.generate(request)
        last = "<answer n=" in request.messages[-1].content
        whole = last and not self.at_the_end
        return Reply("Whole." if whole else HALF, finish="stop" if whole else "length", cost_usd=0.0)


def cut_short(at_the_end: bool) -> Any:
    def wrap(name: str, model: Any) -> Any:
        made = CutShort(model)
        made.at_the_end = at_the_end
        return made

    return wrap


def config(strategy: Any) -> dict[str, Any]:
    return {**THREE, "strategies": [strategy]}


@pytest.mark.parametrize("strategy", ["talkative", {"council": {"final": "winner"}}, "council"], ids=json.dumps)
async def test_it_ends_with_length_and_says_who_was_cut_off(tmp_path: Path, strategy: Any) -> None:
    async with serving(tmp_path, config(strategy), wrap=cut_short(at_the_end=True)) as served:
        status, body = await served.chat("Write a plan.", "three", moot={"kind": "text"})
        assert (status, body["choices"][0]["message"]["content"]) == (200, HALF)
        assert (body["choices"][0]["finish_reason"], body["moot"]["cut_by"]) == ("length", "model")
        assert "was cut off in the middle of it" in body["moot"]["note"]
        _, whole = await served.get(f"/v1/moot/episodes/{body['moot']['episode']}")
        assert whole["verdict"]["note"] == body["moot"]["note"], "the page shows it, now and later"
        assert {"cut-off"} & {record["kind"] for record in whole["verdict"]["traces"] if record.get("given")}
        status, body = await served.post(
            "/v1/responses", {"model": "three", "input": "Write one more.", "moot": {"kind": "text"}}
        )
        assert (status, body["status"]) == (200, "incomplete")
        assert body["incomplete_details"] == {"reason": "max_output_tokens"}


async def test_drafts_that_were_cut_off_make_no_half_answer_of_a_whole_one(tmp_path: Path) -> None:
    async with serving(tmp_path, config("talkative"), wrap=cut_short(at_the_end=False)) as served:
        _, body = await served.chat("Write a plan.", "three", moot={"kind": "text"})
        assert body["choices"][0]["message"]["content"] == "Whole."
        assert body["choices"][0]["finish_reason"] == "stop"
        assert "cut_by" not in body["moot"]
        assert "note" not in body["moot"]


@needs_browser
async def test_the_page_says_it_beside_the_answer_now_and_later(tmp_path: Path) -> None:
    text_file = {**config("talkative"), "questions": {"kind": "text"}}
    async with serving(tmp_path, text_file, wrap=cut_short(at_the_end=True)) as served:

        def watch() -> None:
            with browsing() as browser:
                asked(browser, served.url, "Write a plan.")
                assert "was cut off in the middle of it" in text(browser, "because")
                browser.refresh()
                until(browser, lambda page: "was cut off in the middle of it" in text(page, "because"))

        await asyncio.to_thread(watch)
