"""Long answers on the table page: read in tabs, copied, asked again, saved."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from browsing import By, Keys, asked, browsing, console, needs_browser, text, until
from served import THREE, serving

from moot.models.model import Wrapper
from moot.simulate.simulated import SimulatedModel
from moot.types import Reply, Request

pytestmark = needs_browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with browsing() as driver:
        yield driver


class Writer(Wrapper):
    """Writes a plan under its own name, and another one when it is asked again."""

    name, times = "", 0

    async def generate(self, request: Request) -> Reply:
        self.times += 1
        plan = f"## Plan of {self.name}\n\nStep **{self.times}**, and then `the next`."
        return Reply(json.dumps({"reasoning": f"*{self.name}* has reasons", "answer": plan}), cost_usd=0.0)


def writing(name: str, model: Any) -> Any:
    made = Writer(model)
    made.name = name
    return made


class Talker(Wrapper):
    """Says more than a list shows of a question and what was said before it."""

    async def generate(self, request: Request) -> Reply:
        plan = "The plan is this.\n\n" + "A step [1] and [2]\n\n" * 500
        return Reply(json.dumps({"reasoning": "", "answer": plan}), cost_usd=0.0)


def at_length(name: str, model: Any) -> Any:
    return Talker(model)


def tabs(browser: Any) -> list[Any]:
    found: list[Any] = browser.find_elements(By.CSS_SELECTOR, "#tabs [role=tab]")
    return found


def listed_in(browser: Any) -> list[str]:
    """What was asked, as the side bar names it."""
    found = "return [...document.querySelectorAll('#history .q')].map((each) => each.textContent)"
    return list(browser.execute_script(found))


def read(browser: Any) -> str:
    (panel,) = (each for each in browser.find_elements(By.CSS_SELECTOR, "[role=tabpanel]") if each.is_displayed())
    return str(panel.text)


async def test_the_answer_and_each_draft_have_a_tab(tmp_path: Path, browser: Any) -> None:
    async with serving(tmp_path, {**THREE, "strategies": ["talkative"]}, wrap=writing) as served:

        def watch() -> None:
            asked(browser, served.url, "Plan?")
            assert [tab.text for tab in tabs(browser)] == ["The answer", "ann", "bob", "cat"]
            until(browser, lambda page: "Plan of ann" in read(page) and "**" not in read(page))
            (answer, ann, bob, cat) = tabs(browser)
            assert [tab.get_attribute("aria-selected") for tab in tabs(browser)] == ["true", "false", "false", "false"]
            assert [tab.get_attribute("tabindex") for tab in tabs(browser)] == ["0", "-1", "-1", "-1"]
            answer.send_keys(Keys.ARROW_RIGHT)
            assert browser.switch_to.active_element == ann
            until(browser, lambda page: "Step 2" in read(page))
            assert "Before (draft, turn 1)" in read(browser), "what it wrote at first is there too"
            assert "ann has reasons" in read(browser)
            assert "in this order" in read(browser), "whose drafts the captain read is told at the end"
            ann.send_keys(Keys.END)
            until(browser, lambda page: "Plan of cat" in read(page))
            cat.send_keys(Keys.ARROW_RIGHT)
            assert browser.switch_to.active_element == answer
            panel = browser.find_element(By.ID, "panel-answer")
            assert panel.get_attribute("aria-labelledby") == answer.get_attribute("id")
            bob.click()
            assert bob.get_attribute("aria-controls") == "panel-p1"
            assert console(browser) == []

        await asyncio.to_thread(watch)


async def test_an_answer_is_copied_saved_and_asked_for_again(tmp_path: Path, browser: Any) -> None:
    saved = tmp_path / "saved"
    async with serving(tmp_path, {**THREE, "strategies": ["vote"]}, wrap=writing) as served:

        def watch() -> None:
            rights = {"origin": served.url, "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]}
            browser.execute_cdp_cmd("Browser.grantPermissions", rights)
            browser.execute_cdp_cmd(
                "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(saved), "eventsEnabled": False}
            )
            asked(browser, served.url, "Plan?")
            browser.find_element(By.ID, "copy").click()
            until(browser, lambda page: text(page, "did") == "Copied.")
            clip = browser.execute_async_script("navigator.clipboard.readText().then(arguments[0])")
            assert clip.startswith("## Plan of ")
            assert "**" in clip, "as it was written"
            for kind in ("markdown", "json"):
                browser.find_element(By.ID, f"save-{kind}").click()
            until(browser, lambda page: len(list(saved.glob("ep_*.md")) + list(saved.glob("ep_*.json"))) == 2)
            (whole,), (written,) = saved.glob("*.json"), saved.glob("*.md")
            assert json.loads(whole.read_text())["question"] == "Plan?"
            assert written.read_text().startswith("# Plan?\n")
            assert "## ann (draft)" in written.read_text()
            browser.find_element(By.ID, "again").click()
            until(browser, lambda page: len(page.find_elements(By.CSS_SELECTOR, "#history li")) == 2)
            browser.find_element(By.ID, "further").send_keys("And then?", Keys.ENTER)
            until(browser, lambda page: len(page.find_elements(By.CSS_SELECTOR, "#history li")) == 3)
            browser.find_element(By.ID, "save-markdown").click()
            until(browser, lambda page: len(list(saved.glob("ep_*.md"))) == 2)
            (thread,) = (each.read_text() for each in saved.glob("*.md") if each != written)
            assert thread.startswith("# And then?\n")
            assert "\n## Asked before\n\nPlan?\n\n## Answered before\n\n## Plan of " in thread, (
                "with what was said before"
            )

        await asyncio.to_thread(watch)


async def test_a_conversation_has_an_address_and_goes_on(tmp_path: Path, browser: Any) -> None:
    """Of a shared address the whole thread is read again, and asked further."""
    async with serving(tmp_path, {**THREE, "strategies": ["vote"]}, wrap=writing) as served:

        def watch() -> None:
            asked(browser, served.url, "First?")
            until(browser, lambda page: "#ep_" in page.current_url)
            first = browser.current_url
            until(browser, lambda page: page.find_elements(By.CSS_SELECTOR, "#answer.rich"))
            answer = text(browser, "answer")
            browser.find_element(By.ID, "further").send_keys("And [then]?", Keys.ENTER)
            until(browser, lambda page: "#ep_" in page.current_url and page.current_url != first)
            second = browser.current_url
            browser.get("about:blank")
            browser.get(second)
            until(browser, lambda page: text(page, "asked") == "And [then]?")
            (question, said) = browser.find_elements(By.CSS_SELECTOR, "#turns > li")
            assert question.text == "First?"
            said.find_element(By.TAG_NAME, "summary").click()
            until(browser, lambda page: said.find_elements(By.CSS_SELECTOR, ".whole.rich"))
            assert said.find_element(By.CSS_SELECTOR, ".whole").text.split() == answer.split()
            browser.find_element(By.ID, "further").send_keys("And last?", Keys.ENTER)
            until(browser, lambda page: len(page.find_elements(By.CSS_SELECTOR, "#turns > li")) == 4)
            until(browser, lambda page: "#ep_" in page.current_url and page.current_url != second)
            browser.back()
            until(browser, lambda page: text(page, "asked") == "And [then]?")
            entries = until(browser, lambda page: page.find_elements(By.CSS_SELECTOR, "#history .q"))
            assert [each.text for each in entries] == ["↳ And last?", "↳ And [then]?", "First?"]
            began = browser.find_elements(By.CSS_SELECTOR, "#history .of")
            assert [each.text for each in began] == ["after: First?"] * 2, "two threads may go on in the same words"
            assert console(browser) == []

        await asyncio.to_thread(watch)
        _, past = await served.get("/v1/moot/episodes")
        kept = next(each["question"] for each in past["episodes"] if "And last?" in each["question"])
        assert "> First?" in kept
        assert "> ## Plan of" in kept, "the team was told what was said so far"


async def test_a_follow_up_to_a_long_answer_is_found_by_its_own_words(tmp_path: Path, browser: Any) -> None:
    entries = partial(listed_in, browser)

    def sought(words: str) -> list[str]:
        browser.execute_script("document.getElementById('sought').value = ''")
        browser.find_element(By.ID, "sought").send_keys(words)
        return entries()

    async with serving(tmp_path, {**THREE, "strategies": ["vote"]}, wrap=at_length) as served:

        def watch() -> None:
            asked(browser, served.url, "A plan for the zebra?")
            listed = ["A plan for the zebra?"]
            until(browser, lambda page: entries() == listed)
            for further in ("And if it rains giraffes?", "And elephants?"):
                browser.find_element(By.ID, "further").send_keys(further, Keys.ENTER)
                listed.insert(0, f"↳ {further}")
                until(browser, lambda page: entries() == listed)
            assert sought("GIRAFFES") == ["↳ And if it rains giraffes?"]
            assert sought("elephants") == ["↳ And elephants?"]
            assert sought("zebra") == listed, "of a follow-up the beginning of what was said before is sought too"
            assert sought("lions") == []

        await asyncio.to_thread(watch)


async def test_what_was_asked_before_is_sought_and_forgotten(tmp_path: Path, browser: Any) -> None:
    entries = partial(listed_in, browser)

    async with serving(tmp_path, {**THREE, "strategies": ["vote"]}) as served:
        for question in ("Which river?", "Which hill?", "Which rivulet?"):
            assert (await served.chat(question))[0] == 200

        def watch() -> None:
            browser.get(served.url)
            until(browser, lambda page: len(entries()) == 3)
            browser.find_element(By.ID, "sought").send_keys("RIV")
            assert entries() == ["Which rivulet?", "Which river?"]
            (button, *_) = browser.find_elements(By.CSS_SELECTOR, "#history .forget")
            assert button.get_attribute("aria-label") == "Forget: Which rivulet?"
            button.click()
            assert button.text == "Forget for ever?"
            assert len(entries()) == 2, "nothing is gone by one click"
            button.click()
            until(browser, lambda page: entries() == ["Which river?"])
            assert console(browser) == []

        await asyncio.to_thread(watch)
        _, past = await served.get("/v1/moot/episodes")
        assert sorted(each["question"] for each in past["episodes"]) == ["Which hill?", "Which river?"]


HEARD = """
    window.heard = [];
    window.seen = [];
    const felt = document.getElementById("because");
    new MutationObserver(() => window.seen.push(felt.textContent)).observe(felt, { childList: true });
    for (const each of document.querySelectorAll("[aria-live], [role=status]")) {
        const watched = { childList: true, characterData: true, subtree: true };
        new MutationObserver(() => window.heard.push(each.textContent)).observe(each, watched);
    }
"""


async def test_a_screen_reader_hears_events_and_no_clock(tmp_path: Path, browser: Any) -> None:
    """However slow the page is: nobody writes before it was said that they do."""
    said = {"drafting": threading.Event(), "reading": threading.Event()}
    asked: list[str] = []

    class Slow(Writer):
        async def generate(self, request: Request) -> Reply:
            asked.append(self.name)
            await asyncio.to_thread(said["drafting" if len(asked) <= 3 else "reading"].wait, 60)
            return await super().generate(request)

    def slow(name: str, model: Any) -> Any:
        made = Slow(model)
        made.name = name
        return made

    async with serving(tmp_path, {**THREE, "strategies": ["talkative"]}, wrap=slow) as served:

        def watch() -> None:
            browser.get(served.url)
            until(browser, lambda page: page.find_elements(By.CSS_SELECTOR, "#model option"))
            browser.execute_script(HEARD)
            browser.find_element(By.ID, "question").send_keys("Plan?", Keys.ENTER)
            for what, gate in said.items():
                until(browser, lambda page, what=what: what in page.execute_script("return window.heard.join()"))
                gate.set()
            until(browser, lambda page: "call" in text(page, "cost"))
            seen = browser.execute_script("return window.seen")
            assert "ann, bob and cat are drafting" in seen
            assert "ann, the captain, is reading what the others wrote" in seen
            heard = [words for words in browser.execute_script("return window.heard") if words]
            assert "ann, bob and cat are drafting" in heard
            assert "bob has drafted: Plan of bob …" in heard
            assert "ann, the captain, is reading what the others wrote" in heard
            assert "ann has changed its mind: Plan of ann …" in heard
            assert heard[-1] == "The team answers: Plan of ann …"
            assert len(heard) < 12, "and no clock"
            seat = browser.find_element(By.CSS_SELECTOR, ".seat")
            assert "changed its mind" in seat.text

        await asyncio.to_thread(watch)


async def test_a_reply_that_is_nested_without_end_is_shown_as_it_is_written(
    tmp_path: Path, browser: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    generate = SimulatedModel.generate

    async def nested(model: SimulatedModel, request: Request) -> Reply:
        endless = '{"answer":' + '{"a":' * 3_000 + "1" + "}" * 3_001
        return Reply(endless, cost_usd=0.0) if model.name == "ann" else await generate(model, request)

    monkeypatch.setattr(SimulatedModel, "generate", nested)
    async with serving(tmp_path, {**THREE, "strategies": ["vote"]}) as served:
        _, body = await served.chat("Plan?")

        def watch() -> None:
            browser.get(f"{served.url}/#{body['moot']['episode']}")
            until(browser, lambda page: "call" in text(page, "cost"))
            assert '{"answer":{"a":{"a":' in browser.execute_script(
                "return document.getElementById('transcript').textContent"
            )
            assert console(browser) == []

        await asyncio.to_thread(watch)
