"""The table page while the team plays: every stage as it happens, and words as they are written."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import By, Keys, browsing, console, needs_browser, opened, text, until
from served import serving
from streaming_endpoint import WAIT, Endpoint, streaming, team_of

pytestmark = needs_browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with browsing() as driver:
        yield driver


def seat(browser: Any, number: int) -> str:
    return str(browser.find_elements(By.CSS_SELECTOR, ".seat")[number].text)


def put(browser: Any, url: str, question: str) -> None:
    opened(browser, url)
    browser.find_element(By.ID, "question").send_keys(question, Keys.ENTER)


def on(endpoint: Endpoint, loop: asyncio.AbstractEventLoop) -> None:
    """The endpoint says the rest of what it waits with; what is asked later waits again."""

    def turn() -> None:
        endpoint.go.set()
        endpoint.go = asyncio.Event()

    loop.call_soon_threadsafe(turn)


def letters(browser: Any) -> list[str]:
    return [badge.text for badge in browser.find_elements(By.CSS_SELECTOR, ".seat .badge")]


def told(browser: Any) -> dict[str, str]:
    """By voter, what its ballot says."""
    rows = browser.find_elements(By.CSS_SELECTOR, "#ballots :is(tbody, tfoot) tr")
    return {row.text.split()[0]: row.text for row in rows}


async def test_a_council_is_watched_stage_by_stage(tmp_path: Path, browser: Any) -> None:
    """Drafts that begin alike, rankings and the chairman's text: who is at it, and its words as they come."""

    def script(body: dict[str, Any], before: int) -> list[Any]:
        if before == 0:
            begun = [
                "## Plan for *moving* [all](https://example.org) books\n\n",
                "It begins" + " and goes on" * 20,
                WAIT,
            ]
            rest = f" and ends. Yours, {body['model']}."
            return [*begun, rest] if body["model"] == "cat" else [*begun, WAIT, rest]
        if before == 1:
            return ['{"ranking": ', WAIT, "[1, 2]}"]
        return ["# The plan\n\n", "First **this**", WAIT, ", then that."]

    async with streaming(script) as endpoint:
        team = team_of(endpoint, "council")
        for part in ("models", "players"):
            team[part]["cat"] = json.loads(json.dumps(team[part]["bob"]).replace("bob", "cat"))
        team["teams"]["two"]["players"].append("cat")
        team["questions"] = {"file": "questions.jsonl", "kind": "text"}
        (tmp_path / "questions.jsonl").write_text(json.dumps({"id": "q", "text": "Why?"}) + "\n")
        async with serving(tmp_path, team) as served:
            loop = asyncio.get_running_loop()

            def watch() -> None:
                put(browser, served.url, "Plan?")
                until(browser, lambda page: text(page, "because") == "ann, bob and cat are drafting")
                assert "is drafting" in seat(browser, 1)
                on(endpoint, loop)
                until(browser, lambda page: text(page, "because").startswith("ann and bob are drafting"))
                on(endpoint, loop)
                until(browser, lambda page: "are ranking the others' drafts" in text(page, "because"))
                assert "Plan for moving all books" in seat(browser, 1)
                assert text(browser, "because").startswith("ann, the captain, bob and cat are ranking")
                masked = letters(browser)
                assert masked == ["A", "B", "C"], "by seat, whoever was the first"
                on(endpoint, loop)
                until(browser, lambda page: text(page, "because") == "ann, the captain, is writing the answer")
                until(browser, lambda page: "First **this**" in text(page, "answer"))
                assert "The plan First this" in seat(browser, 0), "its last words, at its seat"
                assert "is writing the answer" in seat(browser, 0)
                on(endpoint, loop)
                until(browser, lambda page: "call" in text(page, "cost"))
                until(browser, lambda page: page.find_elements(By.CSS_SELECTOR, "#answer strong"))
                assert " ".join(text(browser, "answer").split()) == "The plan First this, then that."
                assert "changed its mind" not in seat(browser, 0), "what it wrote for the team is no answer of its own"
                assert browser.find_element(By.ID, "changes-part").get_attribute("hidden")
                assert letters(browser) == masked, "a draft keeps its letter to the end"
                browser.execute_script("document.getElementById('tab-p0').click()")
                assert "What it wrote for the team" in text(browser, "panel-p0")
                assert not browser.find_elements(By.CSS_SELECTOR, ".at-work, .writing, .thinking")
                ballots, groups = told(browser), letters(browser)
                for voter in "ann", "bob", "cat":
                    named = re.findall(r"(\w+)’s “Plan for moving all books", ballots[voter])
                    assert sorted([voter, *named]) == ["ann", "bob", "cat"], "whose drafts they were that it ranked"
                assert len(re.findall("’s “", ballots["together"])) == 3
                until(browser, lambda page: "#ep_" in page.current_url)
                browser.refresh()
                until(browser, lambda page: "call" in text(page, "cost"))
                assert (told(browser), letters(browser)) == (ballots, groups), "and when it is looked at again"
                assert "changed its mind" not in seat(browser, 0)
                assert console(browser) == []

            await asyncio.to_thread(watch)


async def test_the_second_time_the_words_of_a_draft_come_at_once(tmp_path: Path, browser: Any) -> None:
    said = ['{"reasoning": "It is \\"long', '\\" ', WAIT, 'enough.", "answer": "the Nile"}']
    async with streaming(lambda body, before: said) as endpoint, serving(tmp_path, team_of(endpoint, "vote")) as served:
        loop = asyncio.get_running_loop()

        def watch() -> None:
            put(browser, served.url, "Which river?")
            until(browser, lambda page: 'It is "long"' in seat(page, 0) and 'It is "long"' in seat(page, 1))
            on(endpoint, loop)
            until(browser, lambda page: text(page, "verdict") == "the Nile")
            assert "the Nile" in seat(browser, 0)
            assert console(browser) == []

        await asyncio.to_thread(watch)
