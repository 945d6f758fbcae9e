"""Questions without an answer on the table page: each stands where it was asked, and what was left for another is said."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import By, Keys, ask, browsing, console, needs_browser, opened, text, until
from served import THREE, serving
from streaming_endpoint import WAIT, streaming, team_of
from test_page_again import click, hung_up, shown, value
from test_page_asked import seen, set_form

pytestmark = needs_browser
SAID = ['{"reasoning": "hm', WAIT, '", "answer": "A"}']
LEFT = "You left while this was running, so it was stopped."
IN_SIGHT = """
    const [here, table] = [arguments[0], ".hall"].map((each) => document.querySelector(each).getBoundingClientRect());
    return here.height > 0 && here.top >= 0 && here.bottom <= innerHeight && here.bottom <= table.top;
"""
WHOLE = "const each = document.querySelector(arguments[0]); return each.scrollHeight <= each.clientHeight;"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with browsing() as driver:
        yield driver


async def test_each_question_without_an_answer_stands_where_it_was_asked(tmp_path: Path, browser: Any) -> None:
    """Two that were left and one that was stopped, by Back, Forward and after a reload; before all of them the empty table."""
    async with streaming(lambda body, before: SAID) as endpoint, serving(tmp_path, team_of(endpoint, "vote")) as served:
        loop = asyncio.get_running_loop()

        def stands(question: str, trouble: str) -> None:
            until(
                browser, lambda page: text(page, "asked") == question and shown(page, "trouble", "again") == [True] * 2
            )
            until(browser, lambda page: text(page, "trouble-what") == trouble)

        def play(words: str) -> None:
            browser.execute_script("document.getElementById('question').value = ''")
            browser.find_element(By.ID, "question").send_keys(words, Keys.ENTER)
            until(browser, lambda page: "drafting" in text(page, "because"))

        def open_by_two_clicks() -> None:
            entry = browser.find_element(By.CSS_SELECTOR, "#history li button:first-child")
            entry.click()
            (said,) = seen(browser, "#history button.sure .a")
            assert "Click again to stop" in said
            assert browser.execute_script(WHOLE, "#history button.sure .a"), "it is read to its end"
            entry.click()
            until(browser, lambda page: text(page, "asked") == "First?" and "#ep_" in page.current_url)
            until(browser, lambda page: hung_up(served))

        def watch() -> None:
            browser.get("about:blank")
            opened(browser, served.url)
            loop.call_soon_threadsafe(endpoint.go.set)
            ask(browser, "First?")
            until(browser, lambda page: seen(page, "#history .q") == ["First?"])
            loop.call_soon_threadsafe(endpoint.go.clear)
            for question in ("Second?", "Third?"):
                play(question)
                open_by_two_clicks()
                assert question in text(browser, "left-note")
                assert browser.execute_script(IN_SIGHT, "#left-note"), "what was left is said above the table"
            browser.back()
            stands("Third?", LEFT)
            assert value(browser, "question") == "Third?"
            play("Fourth?")
            click(browser, "stop")
            stands("Fourth?", "Stopped.")
            browser.refresh()
            stands("Fourth?", "Stopped.")
            assert value(browser, "question") == "Fourth?"
            browser.back()
            stands("Third?", LEFT)
            browser.back()
            until(browser, lambda page: text(page, "asked") == "First?" and shown(page, "trouble") == [False])
            browser.back()
            stands("Second?", LEFT)
            browser.refresh()
            stands("Second?", LEFT)
            browser.back()
            until(browser, lambda page: text(page, "asked") == "First?")
            browser.get(served.url)
            until(browser, lambda page: page.find_elements(By.CSS_SELECTOR, "#history li"))
            assert shown(browser, "trouble", "actions") == [False, False], "here nothing was asked"
            assert text(browser, "asked") == ""
            assert console(browser) == []

        await asyncio.to_thread(watch)


async def test_what_is_opened_while_the_server_is_away_is_opened_when_it_is_back(tmp_path: Path, browser: Any) -> None:
    async with serving(tmp_path, {**THREE, "strategies": ["vote"]}) as served:

        def away(offline: bool) -> None:
            network = {"offline": offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
            browser.execute_cdp_cmd("Network.emulateNetworkConditions", network)

        def watch() -> None:
            browser.get("about:blank")
            opened(browser, served.url)
            for question in ("First?", "Second?"):
                browser.execute_script("document.getElementById('question').value = ''")
                ask(browser, question)
                until(browser, lambda page, question=question: question in seen(page, "#history .q"))
            browser.execute_cdp_cmd("Network.enable", {})
            away(True)
            try:
                browser.find_elements(By.CSS_SELECTOR, "#history li button:first-child")[1].click()
                until(browser, lambda page: text(page, "trouble-what") == "The server cannot be reached.")
                assert text(browser, "trouble-todo") == "Is the server still running? Open it again when it is."
                click(browser, "trouble-again")
                until(browser, lambda page: shown(page, "trouble-again") == [True])
            finally:
                away(False)
            click(browser, "trouble-again")
            until(browser, lambda page: text(page, "asked") == "First?" and "call" in text(page, "cost"))
            assert shown(browser, "trouble", "trouble-again") == [False, False]
            browser.get(f"{served.url}/#ep_{'0' * 40}")
            browser.refresh()
            until(browser, lambda page: "there is no episode" in text(page, "trouble-what"))
            assert shown(browser, "trouble-again") == [False], "that would not help"
            console(browser)

        await asyncio.to_thread(watch)


async def test_nobody_is_set_beside_itself(tmp_path: Path, browser: Any) -> None:
    each = {"three": {"players": ["ann", "bob", "cat"], "captain": "each"}}
    config = {**THREE, "teams": each, "strategies": ["talkative", "solo"]}
    async with serving(tmp_path, config) as served:
        _, listed = await served.get("/v1/moot/teams")

        def able() -> list[str]:
            script = "return [...document.querySelectorAll('#rival option:not(:disabled)')].map((each) => each.value)"
            return list(browser.execute_script(script))

        def watch() -> None:
            opened(browser, served.url)
            names = [team["model"] for team in listed["teams"]]
            set_form(browser, model="solo@bob")
            assert sorted(able()) == sorted(["", *(name for name in names if name != "solo@bob")])
            set_form(browser, rival="solo@cat")
            set_form(browser, model="solo@cat")
            assert value(browser, "rival") == "", "who stood beside is asked now"
            set_form(browser, kind="text")
            assert "solo@cat" not in able()
            set_form(browser, kind="yes-no", rival=names[0])
            set_form(browser, kind="open")
            assert [value(browser, ident) for ident in ("model", "rival")] == ["solo@cat", names[0]]

        await asyncio.to_thread(watch)


async def test_the_form_holds_together(tmp_path: Path, browser: Any) -> None:
    """On a phone a label stands beside its field; and as many choices as there are have room."""
    async with serving(tmp_path, {**THREE, "strategies": ["vote"]}) as served:
        middle = """
            const [label, field] = [document.querySelector(`label[for="${arguments[0]}"]`), document.getElementById(arguments[0])]
              .map((each) => each.getBoundingClientRect());
            return Math.abs((label.top + label.bottom) / 2 - (field.top + field.bottom) / 2);
        """

        def watch() -> None:
            try:
                for width in (360, 390, 430, 1300):
                    metrics = {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": width < 500}
                    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
                    opened(browser, served.url)
                    browser.execute_script("document.getElementById('ways').open = true")
                    for field in ("limit", "rival", "kind"):
                        assert browser.execute_script(middle, field) < 12, (width, field)
                    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
                    for many in (1, 3, 6):
                        set_form(browser, choices="\n".join(f"choice {number}" for number in range(many)))
                        assert browser.execute_script(WHOLE, "#choices"), (width, many)
            finally:
                browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

        await asyncio.to_thread(watch)
