"""Asking again and asking further on the table page: as the episode was asked, of whom it was asked, whatever the form says."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from browsing import By, Keys, ask, browsing, console, needs_browser, opened, text, until
from served import THREE, Served, serving
from streaming_endpoint import WAIT, streaming, team_of

pytestmark = needs_browser
RIVERS = ("A. the Nile", "B. the Rhine")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with browsing() as driver:
        yield driver


def shown(browser: Any, *idents: str) -> list[bool]:
    return [browser.find_element(By.ID, ident).is_displayed() for ident in idents]


def value(browser: Any, ident: str) -> str:
    return str(browser.find_element(By.ID, ident).get_attribute("value"))


def answered(browser: Any, before: str = "") -> str:
    """The address of the episode that has come to its end."""
    until(browser, lambda page: "#ep_" in page.current_url and page.current_url != before)
    until(browser, lambda page: "call" in text(page, "cost"))
    return str(browser.current_url)


def shared(browser: Any, address: str) -> None:
    """As somebody else opens it."""
    browser.get("about:blank")
    browser.get(address)
    until(browser, lambda page: "call" in text(page, "cost"))


def click(browser: Any, ident: str) -> None:
    browser.find_element(By.ID, ident).click()


def further(browser: Any, question: str) -> None:
    browser.find_element(By.ID, "further").send_keys(question, Keys.ENTER)


def own_team(browser: Any) -> None:
    browser.execute_script("document.getElementById('ways').open = true")
    browser.find_element(By.CSS_SELECTOR, "#edit-players input[value=ann]").click()
    for ident, chosen in {"edit-strategy": "talkative", "edit-captain": "cat"}.items():
        browser.find_element(By.CSS_SELECTOR, f"#{ident} option[value={chosen}]").click()
    click(browser, "edit-use")


async def episodes(served: Served) -> list[dict[str, Any]]:
    """From the first to the last, whole."""
    _, past = await served.get("/v1/moot/episodes")
    found = [(await served.get(f"/v1/moot/episodes/{each['episode']}"))[1] for each in reversed(past["episodes"])]
    return sorted(found, key=lambda each: float(each["asked_at"]))


async def test_again_and_further_ask_as_the_episode_was_asked(tmp_path: Path, browser: Any) -> None:
    """Its choices, its kind and its team; after a reload, by a shared address, and from a server that was started anew."""
    store = {**THREE, "strategies": ["vote", "solo"], "store": f"sqlite:///{tmp_path / 'served.db'}"}
    async with serving(tmp_path, store) as served:

        def watch() -> str:
            opened(browser, served.url)
            browser.execute_script("document.getElementById('ways').open = true")
            browser.find_element(By.ID, "choices").send_keys("the Nile\nthe Rhine")
            ask(browser, "Which is longer?")
            choice = answered(browser)
            chosen = text(browser, "verdict")
            assert chosen in RIVERS
            until(browser, lambda page: chosen in text(page, "history"))
            further(browser, "Why do you think so?")
            why = answered(browser, choice)
            assert text(browser, "verdict") not in RIVERS, "what is asked further is none of these choices"
            assert chosen in text(browser, "turns")
            shared(browser, choice)
            browser.execute_script("document.getElementById('rival').value = 'solo@bob'")
            click(browser, "again")
            answered(browser, choice)
            assert text(browser, "verdict") in RIVERS
            assert not shown(browser, "duel")[0], "what stands in the form is for what is asked there"
            shared(browser, why)
            browser.find_element(By.CSS_SELECTOR, "[data-correct=true]").click()
            until(browser, lambda page: "the team was right" in text(page, "learnt"))
            browser.refresh()
            until(browser, lambda page: "the team was right" in text(page, "learnt"))
            own_team(browser)
            ask(browser, "Which hill?")
            hill = answered(browser, why)
            browser.refresh()
            until(browser, lambda page: "call" in text(page, "cost"))
            assert [each.text for each in browser.find_elements(By.CSS_SELECTOR, ".seat .captain")] == ["captain"]
            further(browser, "And then?")
            answered(browser, hill)
            return hill.partition("#")[2]

        hill = await asyncio.to_thread(watch)
        choice, why, again, *own = await episodes(served)
        assert choice["choices"] == again["choices"] == ["the Nile", "the Rhine"]
        assert (choice["kind"], why["kind"], again["kind"]) == ("choice", "open", "choice")
        assert "> A. the Nile\n> B. the Rhine" in why["question"], "what there was to choose from"
        assert any(f"> {river}\n" in why["question"].rpartition("B. the Rhine\n")[2] for river in RIVERS)
        assert [each["model"] for each in own] == ["bob+cat/talkative@cat"] * 2
    async with serving(tmp_path, store) as served:

        def later() -> None:
            shared(browser, f"{served.url}/#{hill}")
            click(browser, "again")
            answered(browser, f"{served.url}/#{hill}")

        await asyncio.to_thread(later)
        *_, last = await episodes(served)
        assert last["model"] == "bob+cat/talkative@cat"
        solo = (await served.chat("Which lake?", "solo@cat"))[1]["moot"]["episode"]
    async with serving(tmp_path, store, offer={"only": ["three/vote"], "every": False}) as served:

        def gone() -> None:
            shared(browser, f"{served.url}/#{solo}")
            assert shown(browser, "again", "follow", "copy") == [False, False, True]
            assert "solo@cat is not served here" in text(browser, "did")
            assert console(browser) == []

        await asyncio.to_thread(gone)


async def test_what_is_stopped_fails_or_is_left_keeps_its_words(tmp_path: Path, browser: Any) -> None:
    """A first question and one that was asked further: nobody goes on drafting, and it is asked again as it was."""
    said = ['{"reasoning": "hm', WAIT, '", "answer": "A"}']
    async with streaming(lambda body, before: said) as endpoint, serving(tmp_path, team_of(endpoint, "vote")) as served:
        loop = asyncio.get_running_loop()

        def waits() -> None:
            until(browser, lambda page: "drafting" in text(page, "because"))
            until(browser, lambda page: sum("is drafting" in seat for seat in seats()) == 2)

        def seats() -> list[str]:
            return [each.text for each in browser.find_elements(By.CSS_SELECTOR, ".seat")]

        def broken(what: str) -> None:
            until(
                browser, lambda page: text(page, "trouble-what").startswith(what) and shown(page, "trouble") == [True]
            )
            assert not any("is drafting" in seat for seat in seats())
            assert shown(browser, "again", "copy", "save-json") == [True, False, False]

        def go() -> None:
            def turn() -> None:
                endpoint.go.set()
                endpoint.go = asyncio.Event()

            loop.call_soon_threadsafe(turn)

        def again(before: str = "") -> str:
            click(browser, "again")
            waits()
            go()
            address = answered(browser, before)
            assert text(browser, "verdict") == "A. the Nile"
            return address

        def watch() -> None:
            opened(browser, served.url)
            browser.execute_script("document.getElementById('ways').open = true")
            browser.find_element(By.ID, "choices").send_keys("the Nile\nthe Rhine")
            # As a page that was open when the server was started again: its token is of before.
            browser.execute_script("document.querySelector('meta[name=moot-page]').content = 'of-before'")
            browser.find_element(By.ID, "question").send_keys("Which river?", Keys.ENTER)
            waits()
            first_tab = browser.current_window_handle
            browser.execute_script("window.open('/')")
            browser.switch_to.window(next(each for each in browser.window_handles if each != first_tab))
            until(browser, lambda page: page.find_elements(By.CSS_SELECTOR, "#model option"))
            assert shown(browser, "trouble") == [False], "it is still played in the first tab"
            browser.close()
            browser.switch_to.window(first_tab)
            click(browser, "stop")
            broken("Stopped.")
            browser.execute_script("document.getElementById('choices').value = ''")
            first = again()
            browser.execute_script("document.querySelector('#further-kind option[value=choice]').selected = true")
            further(browser, "And now?")
            waits()
            click(browser, "stop")
            broken("Stopped.")
            assert (value(browser, "further"), shown(browser, "follow")) == ("And now?", [True])
            browser.find_element(By.ID, "further").send_keys(" Really?", Keys.ENTER)
            waits()
            assert text(browser, "asked") == "And now? Really?"
            assert len(browser.find_elements(By.CSS_SELECTOR, "#turns > li")) == 2, "what had no answer was not said"
            browser.get("about:blank")
            until(browser, lambda page: hung_up(served))
            browser.get(served.url)
            broken("You left the page while this was running, so it was stopped.")
            assert value(browser, "further") == "And now? Really?"
            second = again(first)
            click(browser, "again")
            waits()
            browser.get("about:blank")
            until(browser, lambda page: hung_up(served))
            browser.back()
            broken("You left the page while this was running, so it was stopped.")
            endpoint.refuses = ("messages",)
            click(browser, "again")
            until(browser, lambda page: "messages is not supported" in text(page, "trouble-what"))
            until(browser, lambda page: shown(page, "again", "follow") == [True, True])
            assert value(browser, "further") == "And now? Really?"
            endpoint.refuses = ()
            again(second)

        await asyncio.to_thread(watch)
        asked = [each["choices"] for each in await episodes(served) if each["verdict"]["answer"]]
        assert asked == [["the Nile", "the Rhine"]] * 3


def hung_up(served: Served) -> bool:
    """Nobody is playing any more."""
    with urlopen(f"{served.url}/metrics") as told:
        return b"moot_under_way 0.0" in told.read()
