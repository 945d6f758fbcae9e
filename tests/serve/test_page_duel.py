"""Two teams side by side: before somebody says which answer is better the page tells the answers alone, after a reload too."""

from __future__ import annotations

import asyncio
import json
import re
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import By, Keys, browsing, console, needs_browser, opened, text, until
from served import THREE, serving
from test_page_teams import choose, text_of

from moot.live.beside_episodes import votes_of
from moot.models.model import Model, Wrapper
from moot.types import Reply, Request

pytestmark = needs_browser
DUEL = {**THREE, "strategies": ["vote", "solo"]}
TELLING = ("ann", "bob", "cat", "vote", "solo", "three", "drafting", "drafted", "spoken", "call", "$", "Rivers")
"""Words that tell who it is that answers, or what it took."""


class Held(Wrapper):
    """One of those who play is waited for."""

    def __init__(self, name: str, model: Model, go: asyncio.Event) -> None:
        super().__init__(model)
        self.name, self._go = name, go

    async def generate(self, request: Request) -> Reply:
        if self.name == "cat":
            await self._go.wait()
        river = "Nile" if self.name == "bob" else "Volga"
        return Reply(json.dumps({"reasoning": "Rivers are long.", "answer": f"The {river}."}), cost_usd=0.01)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with browsing() as driver:
        yield driver


def side(browser: Any, each: str) -> str:
    """All that is there of one, seen or not, without what it is called by."""
    script = "return document.getElementById(arguments[0]).outerHTML"
    whole = str(browser.execute_script(script, f"side-{each}"))
    return whole.replace(each, "SIDE").replace("nswer A", "nswer X").replace("nswer B", "nswer X")


def said(browser: Any) -> str:
    """All that can be seen, read out or found in the page, but for the form and its lists of who can be asked."""
    script = """
        const whole = document.body.cloneNode(true);
        for (const each of whole.querySelectorAll('#ask, #file, #simulated')) each.remove();
        const read = ({ name }) => ['title', 'aria-label', 'alt', 'value'].includes(name) || name.startsWith('data-');
        const told = [...whole.querySelectorAll('*')].flatMap(
            (each) => [...each.attributes].filter(read).map(({ value }) => value));
        const walker = document.createTreeWalker(whole, NodeFilter.SHOW_TEXT);
        while (walker.nextNode()) told.push(walker.currentNode.data);
        return [...told, JSON.stringify(history.state?.duel ?? null)].join(' ');
    """
    return str(browser.execute_script(script))


def answers(browser: Any) -> list[str]:
    return [text_of(browser, f"#side-{each} .whole").strip() for each in ("first", "second")]


def posted(browser: Any) -> list[dict[str, Any]]:
    """What the page has sent to be answered."""
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    sent = [each["params"]["request"] for each in messages if each["method"] == "Network.requestWillBeSent"]
    return [json.loads(each["postData"]) for each in sent if each["url"].endswith("/v1/chat/completions")]


async def test_nothing_tells_whose_an_answer_is_before_the_vote_nor_after_a_reload(
    tmp_path: Path, browser: Any
) -> None:
    go = asyncio.Event()
    loop = asyncio.get_running_loop()
    async with serving(tmp_path, DUEL, wrap=lambda name, model: Held(name, model, go)) as served:

        def finished() -> int:
            with urllib.request.urlopen(f"{served.url}/v1/moot/episodes") as response:
                return len(json.loads(response.read())["episodes"])

        def tells() -> list[str]:
            words = said(browser)
            return [word for word in TELLING if re.search(rf"(?<![a-zA-Z]){re.escape(word)}(?![a-zA-Z])", words)]

        def watch() -> str:
            browser.get("about:blank")
            opened(browser, served.url)
            choose(browser, "model", "three/vote")
            choose(browser, "rival", "solo@bob")
            assert {"ann", "bob"} < set(tells()), "who sits at the table before anybody is asked"
            browser.find_element(By.ID, "question").send_keys("Which?", Keys.ENTER)
            until(browser, lambda page: finished() == 1)  # who plays alone has its answer
            until(browser, lambda page: "asked" in text_of(page, "#side-first .work"))
            assert side(browser, "first") == side(browser, "second"), "who has answered looks like who has not"
            assert tells() == []
            assert not browser.find_element(By.ID, "better").is_displayed()
            loop.call_soon_threadsafe(go.set)
            better = browser.find_element(By.ID, "better")
            until(browser, lambda page: better.is_displayed())
            there = answers(browser)
            assert sorted(there) == ["The Nile.", "The Volga."]
            assert all("stream_options" not in body for body in posted(browser)), "no events of a table are sent for"
            for _ in range(2):
                for name in ("first", "second"):
                    assert side(browser, name).count("The ") == 1
                assert tells() == []
                assert [each.text for each in better.find_elements(By.TAG_NAME, "button")] == ["A", "Equally good", "B"]
                browser.refresh()
                until(browser, lambda page: page.find_element(By.ID, "better").is_displayed())
                better = browser.find_element(By.ID, "better")
                assert answers(browser) == there, "in the places in which they stood"
                assert text(browser, "none").startswith("Nothing"), "the list would tell whose they are"
            browser.find_element(By.CSS_SELECTOR, "[data-better=second]").click()
            until(browser, lambda page: text(page, "voted").startswith("Kept: "))
            return told_afterwards(there)

        def told_afterwards(there: list[str]) -> str:
            names = {"The Nile.": "solo@bob", "The Volga.": "three/vote"}
            for number, each in enumerate(("first", "second")):
                assert text_of(browser, f"#side-{each} .team") == names[there[number]]
                calls = 1 if there[number] == "The Nile." else 3
                until(browser, lambda page, each=each: "call" in text_of(page, f"#side-{each} .cost"))
                steps = browser.find_elements(By.CSS_SELECTOR, f"#side-{each} .stages li")
                assert len(steps) == calls
                assert all("has" in step.text for step in steps)
            assert text(browser, "voted") == f"Kept: {names[there[1]]} is better."
            until(browser, lambda page: len(page.find_elements(By.CSS_SELECTOR, "#history li")) == 2)
            return names[there[1]]

        async def models() -> dict[str, str]:
            _, past = await served.get("/v1/moot/episodes")
            return {each["episode"]: each["model"] for each in past["episodes"]}

        better = await asyncio.to_thread(watch)
        (vote,) = await served.live.store.read(votes_of)
        assert (vote.preferred, (await models())[vote.second]) == ("second", better)

        def after_the_vote() -> None:
            there = answers(browser)
            browser.refresh()
            until(browser, lambda page: text(page, "voted").startswith("Kept: "))
            assert (answers(browser), told_afterwards(there)) == (there, better)
            browser.find_element(By.CSS_SELECTOR, "#side-first .open").click()
            until(browser, lambda page: "#ep_" in page.current_url and text(page, "verdict") == there[0])
            browser.back()
            until(browser, lambda page: text(page, "voted").startswith("Kept: "))
            assert (answers(browser), told_afterwards(there)) == (there, better)
            assert console(browser) == []

        await asyncio.to_thread(after_the_vote)


async def test_an_answer_alone_tells_nothing_else(tmp_path: Path) -> None:
    async with serving(tmp_path, DUEL) as served:
        _, done = await served.chat("Which?")
        episode = done["moot"]["episode"]
        path = f"/v1/moot/episodes/{episode}/answer"
        answer = done["choices"][0]["message"]["content"]
        told = {"episode": episode, "answer": answer, "outcome": "answered", "cause": None}
        assert await served.get(path) == (200, told)
        status, said = await served.get(path.replace(episode, f"ep_{'0' * 40}"))
        assert (status, said["error"]["code"]) == (404, "no_such_episode")
