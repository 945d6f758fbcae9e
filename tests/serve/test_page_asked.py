"""What was asked, on the table page: with all that came with it; what has failed or was left is asked the same."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import By, Keys, ask, browsing, console, needs_browser, opened, text, until
from served import THREE, serving
from streaming_endpoint import WAIT, streaming, team_of
from stub_endpoint import answering
from test_page_again import answered, click, episodes, hung_up, own_team, shared, shown, value

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.serve.app import ServeSettings
from moot.simulate.server import running

pytestmark = needs_browser
VOTE = {**THREE, "strategies": ["vote", "solo"]}
RIVERS = ["the Nile", "the <b>Rhine</b>", "the Elbe"]
LETTERED = ["A. the Nile", "B. the <b>Rhine</b>", "C. the Elbe"]
CONTEXT = "It was written on a stone. " * 100
SAID = ['{"reasoning": "hm', WAIT, '", "answer": "A"}']

SEEN = """
    const found = [...document.querySelectorAll(arguments[0])];
    return found.filter((each) => each.checkVisibility()).map((each) => each.innerText);
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with browsing() as driver:
        yield driver


def seen(browser: Any, selector: str) -> list[str]:
    """In one moment, whatever is drawn anew meanwhile."""
    return list(browser.execute_script(SEEN, selector))


def set_form(browser: Any, **fields: str) -> None:
    for ident, words in fields.items():
        script = """
            const each = document.getElementById(arguments[0]);
            each.value = arguments[1];
            each.dispatchEvent(new Event(each.localName === "select" ? "change" : "input", { bubbles: true }));
        """
        browser.execute_script(script, ident, words)


async def test_what_there_was_to_choose_from_and_to_read_is_seen(tmp_path: Path, browser: Any) -> None:
    """While it is asked, after a reload, by a shared address and in what is saved."""
    saved = tmp_path / "saved"

    async with serving(tmp_path, VOTE) as served:
        told = {"choices": RIVERS, "context": CONTEXT}
        _, body = await served.chat("Which is longest?", moot=told)
        _, short = await served.chat("What stands there?", moot={"context": "It says *Nile*."})
        long = " ".join(["Which of them, of all that you know,"] * 12)
        _, whole = await served.chat(long)

        def of(reply: Any) -> str:
            return f"{served.url}/#{reply['moot']['episode']}"

        def watch() -> None:
            behaviour = {"behavior": "allow", "downloadPath": str(saved), "eventsEnabled": False}
            browser.execute_cdp_cmd("Browser.setDownloadBehavior", behaviour)
            opened(browser, served.url)
            set_form(browser, choices="\n".join(RIVERS))
            ask(browser, "Which river?")
            answered(browser)
            assert (seen(browser, "#given-question"), seen(browser, "#given-choices li")) == (
                ["Which river?"],
                LETTERED,
            )
            browser.refresh()
            until(browser, lambda page: "call" in text(page, "cost"))
            assert seen(browser, "#given-choices li") == LETTERED
            assert seen(browser, "#given-context") == [], "where there is none"
            shared(browser, of(body))
            assert seen(browser, "#given-choices li") == LETTERED
            (context,) = browser.find_elements(By.ID, "given-context")
            assert context.text == f"Context: {len(CONTEXT):,} characters", "what is long is folded"
            context.find_element(By.TAG_NAME, "summary").click()
            assert CONTEXT.strip() in context.text
            click(browser, "save-markdown")
            (written,) = until(browser, lambda page: list(saved.glob("ep_*.md")))
            began = "# Which is longest?\n\n- A. the Nile\n- B. the <b>Rhine</b>\n- C. the Elbe\n\n## Context\n\nIt was written"
            assert written.read_text(encoding="utf-8").startswith(began)
            shared(browser, of(short))
            assert "It says *Nile*." in seen(browser, "#given-context")[0], "what is short is not"
            shared(browser, of(whole))
            assert seen(browser, "#given-question") == [long], "the felt has no room for it"
            browser.set_window_size(390, 844)
            try:
                shared(browser, of(body))
                fits = "return document.documentElement.scrollWidth <= innerWidth"
                assert browser.execute_script(fits)
            finally:
                browser.set_window_size(1300, 1000)
            assert console(browser) == []

        await asyncio.to_thread(watch)


async def test_what_was_left_stands_in_the_form_as_it_was_asked(tmp_path: Path, browser: Any) -> None:
    """Its choices, its kind, its rival, a team that was put together, the time limit: Ask asks the same as Ask again."""
    config = {**team_of_three(), "strategies": ["vote", "talkative", "solo"]}

    async with streaming(lambda body, before: SAID, holds_all=True) as endpoint:
        for model in config["models"].values():
            model["base_url"] = endpoint.url
        async with serving(tmp_path, config) as served:
            loop = asyncio.get_running_loop()

            def leave(fresh: bool = True) -> None:
                browser.find_element(By.ID, "question").send_keys("Which river?", Keys.ENTER)
                until(browser, lambda page: endpoint.bodies)
                if fresh:
                    browser.refresh()
                else:
                    browser.get("about:blank")
                    until(browser, lambda page: hung_up(served))
                    browser.get(served.url)
                until(browser, lambda page: shown(page, "trouble") == [True])
                until(browser, lambda page: hung_up(served))
                assert text(browser, "trouble-what").startswith("You left the page")
                endpoint.bodies.clear()

            def finish() -> None:
                loop.call_soon_threadsafe(endpoint.go.set)

            def watch() -> None:
                opened(browser, served.url)
                set_form(browser, choices="the Nile\nthe Rhine", rival="solo@bob", limit="90")
                leave()
                form = [value(browser, ident) for ident in ("question", "choices", "rival", "limit")]
                assert form == ["Which river?", "the Nile\nthe Rhine", "solo@bob", "90"]
                assert shown(browser, "choices", "rival") == [True, True], "and is not folded away"
                set_form(browser, choices="", rival="", kind="yes-no", question="", limit="")
                own_team(browser)
                leave(fresh=False)
                form = [value(browser, ident) for ident in ("question", "choices", "rival", "kind", "model")]
                assert form == ["Which river?", "", "", "yes-no", "bob+cat/talkative@cat"]
                set_form(browser, choices="the Nile\nthe Rhine", kind="", question="")
                leave()
                finish()
                browser.find_element(By.ID, "question").send_keys(Keys.ENTER)
                address = answered(browser)
                click(browser, "again")
                answered(browser, address)

            await asyncio.to_thread(watch)
            by_enter, again = await episodes(served)
            for each in (by_enter, again):
                assert (each["model"], each["choices"]) == ("bob+cat/talkative@cat", ["the Nile", "the Rhine"])


def team_of_three() -> dict[str, Any]:
    spec = {"provider": "endpoint", "base_url": "", "retries": {"attempts": 1}}
    return {**THREE, "models": {name: {**spec, "model": name} for name in THREE["models"]}}


TABLE = r"""Prices:

| what | each | how many |
| :--- | ---: | :---: |
| tea | 2.50 | 12 |

$$\begin{cases} x & \text{if } \pmb{y} \\ \colorbox{red}{z} & \boxed{w} \end{cases} \quad \begin{array}{r|l} 1 & 2 \end{array}$$

$\cancel{5}$ $\textcolor{blue}{b}$ $\underline{u}$ $\overbrace{a+b}^{c}$ $\large q$

$\mathchoice{a}{b}{c}{d}$ $\vcenter{x}$ $\raisebox{1em}{r}$
"""
ALIGNED = """
    return [...document.querySelectorAll(`#answer ${arguments[0]}`)].map((cell) => getComputedStyle(cell).textAlign)
"""


async def test_a_table_keeps_its_sides_and_no_style_is_written(tmp_path: Path, browser: Any) -> None:
    with answering(json.dumps({"reasoning": TABLE, "answer": TABLE})) as address:
        models = {name: {"provider": "endpoint", "base_url": address, "model": name} for name in THREE["models"]}
        async with serving(tmp_path, {**VOTE, "models": models}) as served:
            _, body = await served.chat("Which prices?")

            def watch() -> None:
                console(browser)
                shared(browser, f"{served.url}/#{body['moot']['episode']}")
                until(browser, lambda page: page.find_elements(By.CSS_SELECTOR, "#answer.rich table"))
                browser.execute_script("for (const tab of document.querySelectorAll('#tabs [role=tab]')) tab.click()")
                until(browser, lambda page: len(page.find_elements(By.CSS_SELECTOR, ".of-player .rich math")) > 3)
                assert [browser.execute_script(ALIGNED, cell) for cell in ("th", "td")] == [
                    ["left", "right", "center"]
                ] * 2
                assert console(browser) == []

            await asyncio.to_thread(watch)


async def test_what_failed_has_its_address_and_stands_in_the_list_at_once(tmp_path: Path, browser: Any) -> None:
    failing = streaming(lambda body, before: ["A"], refuses=("messages",))
    async with failing as endpoint, serving(tmp_path, team_of(endpoint, "vote")) as served:

        def watch() -> None:
            opened(browser, served.url)
            set_form(browser, choices="the Nile\nthe Rhine")
            browser.find_element(By.ID, "question").send_keys("Which river?", Keys.ENTER)
            until(browser, lambda page: "messages is not supported" in text(page, "trouble-what"))
            until(browser, lambda page: "#ep_" in page.current_url)
            until(browser, lambda page: seen(page, "#history .q") == ["Which river?"])
            assert seen(browser, "#history .here .a") == ["two/vote: failed"]
            assert shown(browser, "trouble", "again", "copy", "feedback-part") == [True, True, False, False]
            browser.refresh()
            until(browser, lambda page: "messages is not supported" in text(page, "trouble-what"))
            until(browser, lambda page: value(page, "question") == "Which river?")
            assert value(browser, "choices") == "the Nile\nthe Rhine", "as it was asked"

        await asyncio.to_thread(watch)


async def test_whoever_looks_elsewhere_while_it_is_played_leaves_it(tmp_path: Path, browser: Any) -> None:
    """From the list by a second click, with Back at once: the address and the table are of one question all the while."""
    async with streaming(lambda body, before: SAID) as endpoint, serving(tmp_path, team_of(endpoint, "vote")) as served:
        loop = asyncio.get_running_loop()

        def agrees(question: str, hashed: bool) -> None:
            until(browser, lambda page: text(page, "asked") == question and ("#ep_" in page.current_url) == hashed)

        def play(words: str, field: str = "question") -> None:
            browser.execute_script(f"document.getElementById('{field}').value = ''")
            browser.find_element(By.ID, field).send_keys(words, Keys.ENTER)
            until(browser, lambda page: "drafting" in text(page, "because"))

        def left(question: str) -> None:
            agrees(question, hashed=False)
            until(browser, lambda page: shown(page, "trouble", "again") == [True, True])
            assert text(browser, "trouble-what") == "You left while this was running, so it was stopped."

        def watch() -> None:
            opened(browser, served.url)
            loop.call_soon_threadsafe(endpoint.go.set)
            for question in ("First?", "Second?"):
                browser.execute_script("document.getElementById('question').value = ''")
                ask(browser, question)
                until(browser, lambda page, question=question: question in seen(page, "#history .q"))
            loop.call_soon_threadsafe(endpoint.go.clear)
            play("Third?")
            first = browser.find_elements(By.CSS_SELECTOR, "#history li button:first-child")[1]
            first.click()
            assert "Click again to stop" in seen(browser, "#history .a")[1], "one click leaves nothing that is paid for"
            agrees("Third?", hashed=False)
            assert not hung_up(served)
            first.click()
            agrees("First?", hashed=True)
            until(browser, lambda page: hung_up(served))
            assert "Third?" in text(browser, "left-note"), "what was left is named"
            browser.back()
            left("Third?")
            click(browser, "again")
            until(browser, lambda page: "drafting" in text(page, "because"))
            browser.back()
            agrees("Second?", hashed=True)
            until(browser, lambda page: hung_up(served))
            assert shown(browser, "stop", "trouble") == [False, False]
            play("And then?", "further")
            browser.back()
            agrees("Second?", hashed=True)
            browser.forward()
            left("And then?")
            assert value(browser, "further") == "And then?", "one that was asked further too"
            assert len(browser.find_elements(By.CSS_SELECTOR, "#turns > li")) == 2
            browser.back()
            agrees("Second?", hashed=True)
            # Two that are opened in one breath: the last is shown.
            script = "for (const each of document.querySelectorAll('#history li button:first-child')) each.click()"
            browser.execute_script(script)
            agrees("First?", hashed=True)
            browser.back()
            agrees("Second?", hashed=True)

        await asyncio.to_thread(watch)


async def test_where_teams_are_fixed_nothing_is_said_of_ones_own(tmp_path: Path, browser: Any) -> None:
    for fixed in (True, False):
        async with serving(tmp_path, VOTE, settings=ServeSettings(edit_teams=not fixed)) as served:

            def watch(fixed: bool = fixed, url: str = served.url) -> None:
                opened(browser, url)
                browser.execute_script("document.getElementById('ways').open = true")
                until(browser, lambda page: seen(page, "#ways summary"))
                said = browser.find_element(By.TAG_NAME, "body").text.lower()
                assert ("of your own" in said) is not fixed

            await asyncio.to_thread(watch)


async def test_models_behind_a_simulation_are_said_to_be_simulated(
    tmp_path: Path, browser: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """By their first reply, and then before they are asked: on the page, and in the report of what was served."""
    said = "Simulated models, not real ones: ann, bob, cat"
    async with running({"models": {name: {"accuracy": 0.5} for name in THREE["models"]}}) as server:
        config = team_of_three()
        for model in config["models"].values():
            model["base_url"] = server.base_url
        config |= {"strategies": ["talkative"], "store": f"sqlite:///{tmp_path / 'served.db'}"}
        async with serving(tmp_path, config) as served:

            def watch() -> None:
                opened(browser, served.url)
                assert shown(browser, "simulated") == [False], "nobody knows yet"
                ask(browser, "Which river?")
                assert seen(browser, "#simulated") == [said]
                opened(browser, served.url)
                until(browser, lambda page: seen(page, "#simulated") == [said])

            await asyncio.to_thread(watch)
        async with serving(tmp_path, config) as served:
            assert (await served.get("/v1/moot/teams"))[1]["simulated"] == list(THREE["models"])
        arguments = ["report", str(tmp_path / "team.yaml"), "--served", "--all"]
        assert await asyncio.to_thread(run_app, app, arguments) == 0
        assert "Simulated, not real: ann, bob, cat." in capsys.readouterr().out
        for model in config["models"].values():
            model["base_url"] = "http://127.0.0.1:9/v1"
        async with serving(tmp_path, config) as served:
            assert (await served.get("/v1/moot/teams"))[1]["simulated"] == [], "whoever answers at another address"
