"""The form of the table page is whose hands it is in: the page fills what nobody has touched, and nothing else."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import By, Keys, browsing, console, needs_browser, opened, text, until
from served import serving
from streaming_endpoint import WAIT, streaming, team_of
from test_page_again import click, shown, value
from test_page_asked import set_form

pytestmark = needs_browser
SAID = ['{"reasoning": "hm', WAIT, '", "answer": "A"}']
LATER = """
    const plain = window.fetch;
    window.held = [];
    window.fetch = async (path, options) => {
      if (String(path).includes(%r)) await new Promise((go) => window.held.push(go));
      return plain(path, options);
    };
"""
"""Run before the page: what it asks for there is not answered until the test says so."""

ALL_CAME = "return performance.getEntriesByName(`${location.origin}/v1/moot/reports`).length > 0"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with browsing() as driver:
        yield driver


def form(browser: Any) -> dict[str, str]:
    return {ident: value(browser, ident) for ident in ("question", "choices", "kind", "model", "rival", "limit")}


def loaded_slowly(browser: Any, path: str, reload: Callable[[], None]) -> None:
    added = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": LATER % path})
    try:
        reload()
        until(browser, lambda page: page.execute_script("return window.held.length"))
    finally:
        browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)


def come(browser: Any) -> None:
    browser.execute_script("for (const go of window.held) go()")


async def test_on_a_slow_line_nothing_that_was_chosen_is_undone(tmp_path: Path, browser: Any) -> None:
    """What was stopped stands in the form before somebody can use it; what they choose before that, or later, stays."""
    async with (
        streaming(lambda body, before: SAID, holds_all=True) as endpoint,
        serving(tmp_path, {**team_of(endpoint, "vote"), "strategies": ["vote", "solo"]}) as served,
    ):

        def watch() -> None:
            opened(browser, served.url)
            browser.execute_script("document.getElementById('ways').open = true")
            set_form(browser, model="solo@ann", rival="solo@bob", kind="yes-no", limit="60")
            browser.find_element(By.ID, "question").send_keys("Is it?", Keys.ENTER)
            until(browser, lambda page: shown(page, "stop") == [True])
            click(browser, "stop")
            until(browser, lambda page: shown(page, "trouble", "again") == [True, True])
            stopped = {
                "question": "Is it?", "choices": "", "kind": "yes-no", "model": "solo@ann", "rival": "solo@bob", "limit": "60"
            }  # fmt: skip
            loaded_slowly(browser, "/v1/moot/episodes", browser.refresh)
            assert shown(browser, "trouble", "again") == [True, True], "before the list is there"
            assert form(browser) == stopped
            set_form(browser, model="two/vote", rival="", kind="open", question="Another?")
            chosen = form(browser)
            come(browser)
            until(browser, lambda page: page.execute_script(ALL_CAME))
            assert form(browser) == chosen
            set_form(browser, question="", kind="")
            loaded_slowly(browser, "/v1/moot/teams", browser.refresh)
            set_form(browser, question="", kind="open")
            come(browser)
            until(browser, lambda page: shown(page, "again") == [True])
            assert (value(browser, "question"), value(browser, "kind")) == ("", "open")
            assert console(browser) == []

        await asyncio.to_thread(watch)


async def test_what_stops_does_not_take_the_form_from_the_next_question(tmp_path: Path, browser: Any) -> None:
    async with (
        streaming(lambda body, before: SAID, holds_all=True) as endpoint,
        serving(tmp_path, {**team_of(endpoint, "vote"), "strategies": ["vote", "solo"]}) as served,
    ):

        def stops() -> None:
            click(browser, "stop")
            until(browser, lambda page: shown(page, "trouble", "again") == [True, True])

        def asks(question: str) -> None:
            browser.find_element(By.ID, "question").send_keys(question, Keys.ENTER)
            until(browser, lambda page: "drafting" in text(page, "because"))

        def watch() -> None:
            browser.get("about:blank")
            opened(browser, served.url)
            browser.execute_script("document.getElementById('ways').open = true")
            asks("First?")
            set_form(browser, question="")
            stops()
            assert value(browser, "question") == "First?", "nobody has begun another"
            asks("Second?")
            set_form(browser, question="", model="solo@bob", kind="yes-no", rival="solo@ann")
            chosen = form(browser)
            stops()
            assert form(browser) == chosen
            browser.back()
            until(browser, lambda page: text(page, "asked") == "First?")
            assert form(browser) == chosen
            assert console(browser) == []

        await asyncio.to_thread(watch)


EARLY = """
    new MutationObserver((_, watching) => {
      if (!document.getElementById("ask")) return;
      watching.disconnect();
      document.addEventListener("readystatechange", () => {
        for (const [ident, words] of Object.entries(%s)) {
          const field = document.getElementById(ident);
          field.value = words;
          field.dispatchEvent(new Event("change", { bubbles: true }));
        }
      }, { once: true });
    }).observe(document, { childList: true, subtree: true });
"""
"""Run before the page: this is chosen when the form is there and none of the page's modules has run yet."""


@pytest.mark.parametrize(
    "early", [{}, {"kind": "text"}, {"limit": "60"}, {"kind": "open", "limit": "9"}, {"kind": "", "limit": ""}], ids=str
)
async def test_what_is_chosen_before_the_scripts_are_there_stays(
    tmp_path: Path, browser: Any, early: dict[str, str]
) -> None:
    async with (
        streaming(lambda body, before: SAID, holds_all=True) as endpoint,
        serving(tmp_path, {**team_of(endpoint, "talkative"), "strategies": ["talkative", "solo"]}) as served,
    ):

        def watch() -> None:
            browser.get("about:blank")
            opened(browser, served.url)
            set_form(browser, kind="yes-no", limit="30")
            browser.find_element(By.ID, "question").send_keys("Is it?", Keys.ENTER)
            until(browser, lambda page: shown(page, "stop") == [True])
            click(browser, "stop")
            until(browser, lambda page: shown(page, "trouble", "again") == [True, True])
            set_form(browser, question="", kind="", limit="")
            source = {"source": EARLY % json.dumps(early)}
            added = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", source)
            try:
                browser.refresh()
            finally:
                browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)
            until(browser, lambda page: shown(page, "trouble", "again") == [True, True])
            until(browser, lambda page: page.execute_script(ALL_CAME))
            chosen = any(early.values())
            told = (value(browser, "question"), value(browser, "kind"), value(browser, "limit"))
            assert told == (
                ("", early.get("kind", ""), early.get("limit", "")) if chosen else ("Is it?", "yes-no", "30")
            )
            assert console(browser) == []

        await asyncio.to_thread(watch)


async def test_who_was_chosen_stays_when_a_text_is_wanted_that_they_cannot_give(tmp_path: Path, browser: Any) -> None:
    async with (
        streaming(lambda body, before: SAID) as endpoint,
        serving(tmp_path, {**team_of(endpoint, "vote"), "strategies": ["vote", "talkative", "silent"]}) as served,
    ):

        def watch() -> None:
            browser.get("about:blank")
            opened(browser, served.url)
            browser.execute_script("document.getElementById('ways').open = true")
            first = value(browser, "model")
            assert first.startswith("two/vote"), "which nobody has chosen"
            set_form(browser, kind="text")
            assert value(browser, "model").startswith("two/talkative"), "so it gives way to one that gives texts"
            assert text(browser, "model-told") == ""
            set_form(browser, kind="")
            silent = next(team["model"] for team in teams["teams"] if team["strategy"] == "silent")
            set_form(browser, model=silent, rival=first)
            before = form(browser)
            set_form(browser, kind="text")
            assert form(browser) == {**before, "kind": "text"}
            for ident, model in (("model-told", silent), ("rival-told", first)):
                assert text(browser, ident).startswith(f"{model} gives no texts: choose another team, or another kind")
            browser.find_element(By.ID, "question").send_keys("Plan?", Keys.ENTER)
            until(browser, lambda page: "gives no texts" in text(page, "model-told") and shown(page, "stop") == [False])
            assert value(browser, "model") == silent
            set_form(browser, kind="open")
            assert form(browser) == {**before, "kind": "open", "question": "Plan?"}
            assert [text(browser, ident) for ident in ("model-told", "rival-told")] == ["", ""]

        _, teams = await served.get("/v1/moot/teams")
        await asyncio.to_thread(watch)


async def test_choices_are_asked_for_no_other_kind_of_answer(tmp_path: Path, browser: Any) -> None:
    async with serving(tmp_path) as served:

        def watch() -> None:
            opened(browser, served.url)
            set_form(browser, kind="text", choices="the Nile\nthe Rhine")
            assert "does not go with choices" in text(browser, "kind-told")
            browser.find_element(By.ID, "question").send_keys("Which?", Keys.ENTER)
            assert browser.find_element(By.ID, "kind-told").is_displayed(), "opened, where it is said"
            assert form(browser)["question"] == "Which?"
            assert browser.find_element(By.ID, "stop").get_attribute("hidden"), "nothing is asked"
            set_form(browser, kind="")
            assert text(browser, "kind-told") == ""
            browser.find_element(By.ID, "question").send_keys(Keys.ENTER)
            until(browser, lambda page: "call" in text(page, "cost"))

        await asyncio.to_thread(watch)
        _, past = await served.get("/v1/moot/episodes")
        assert len(past["episodes"]) == 1
