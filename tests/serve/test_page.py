"""The table page in a real browser: a question is asked, seats fill, groups take colours, nothing runs that a model wrote."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import By, Keys, asked, browsing, console, hushed, needs_browser, requested, text, until
from served import THREE, serving
from test_sure_answers import config, fitted

from moot.models.model import Model, Wrapper
from moot.serve.app import ServeSettings
from moot.types import Reply, Request

pytestmark = needs_browser

HOSTILE = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">\u202eevil\x00"


class Hostile(Wrapper):
    """Says something that would love to run."""

    async def generate(self, request: Request) -> Reply:
        return Reply(json.dumps({"reasoning": HOSTILE, "answer": HOSTILE}), cost_usd=0.0)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with browsing() as driver:
        yield driver


async def test_a_question_is_watched_to_its_verdict(tmp_path: Path, browser: Any) -> None:
    async with serving(tmp_path) as served:

        def watch() -> None:
            asked(browser, served.url, "Which river is the longest?", "three/talkative")
            assert text(browser, "verdict")
            assert "answered" in text(browser, "cost")
            assert "4 calls" in text(browser, "cost")
            seats = browser.find_elements(By.CSS_SELECTOR, ".seat")
            assert len(seats) == 3
            assert all(seat.find_element(By.CSS_SELECTOR, ".badge").is_displayed() for seat in seats)
            assert "captain" in seats[0].text
            assert len(browser.find_elements(By.CSS_SELECTOR, "#transcript li")) == 4
            history = until(browser, lambda page: page.find_elements(By.CSS_SELECTOR, "#history button"))
            said = text(browser, "verdict")
            browser.get(served.url)
            history = until(browser, lambda page: page.find_elements(By.CSS_SELECTOR, "#history button"))
            history[0].send_keys(Keys.ENTER)
            until(browser, lambda page: text(page, "verdict") == said)
            prompts = browser.find_elements(By.CSS_SELECTOR, "#transcript details")
            assert len(prompts) == 4, "a past question shows what everybody was sent"
            assert console(browser) == []

        await asyncio.to_thread(watch)


async def test_votes_are_shown_as_they_were_counted(tmp_path: Path, browser: Any) -> None:
    """From the records of the episode, while it is watched and when it is looked at again."""

    def rows() -> list[str]:
        return [row.text for row in browser.find_elements(By.CSS_SELECTOR, "#ballots tbody tr")]

    async with serving(tmp_path, {**THREE, "strategies": ["vote"]}) as served:

        def watch() -> None:
            asked(browser, served.url, "Which river is the longest?")
            watched = rows()
            voters = [row.split()[0] for row in watched]
            assert voters, "who was not needed has no ballot, but somebody has"
            assert set(voters) <= {"ann", "bob", "cat"}
            assert "kind" not in text(browser, "ballots")
            said = {
                seat.find_element(By.CSS_SELECTOR, ".who").text.split()[0]: seat.find_element(
                    By.CSS_SELECTOR, ".answer"
                ).text
                for seat in browser.find_elements(By.CSS_SELECTOR, ".seat")
            }
            assert all(
                row.split(maxsplit=1) == [voter, said[voter]] for row, voter in zip(watched, voters, strict=True)
            )
            (together,) = browser.find_elements(By.CSS_SELECTOR, "#ballots tfoot tr")
            assert f"{text(browser, 'verdict')}: " in together.text
            groups = [seat.text for seat in browser.find_elements(By.CSS_SELECTOR, ".seat .badge")]
            assert any(groups)
            browser.get(served.url)
            history = until(browser, lambda page: page.find_elements(By.CSS_SELECTOR, "#history button"))
            history[0].send_keys(Keys.ENTER)
            until(browser, lambda page: rows() == watched)
            assert [seat.text for seat in browser.find_elements(By.CSS_SELECTOR, ".seat .badge")] == groups
            assert console(browser) == []

        await asyncio.to_thread(watch)


async def test_what_the_file_declares_is_chosen_and_enter_asks(tmp_path: Path, browser: Any) -> None:
    teams = {"three": {"players": ["ann", "bob", "cat"], "captain": "each"}}
    async with serving(tmp_path, {**THREE, "teams": teams, "primary": "talkative@bob"}) as served:
        _, listed = await served.get("/v1/models")
        assert listed["data"][0]["id"] == "three/talkative@bob"

        def watch() -> None:
            browser.get(served.url)
            (first, *rest) = until(browser, lambda page: page.find_elements(By.CSS_SELECTOR, "#model option"))
            assert first.get_attribute("value") == "three/talkative@bob"
            assert first.is_selected()
            assert first.text == "three/talkative@bob (declared)", "to be seen where the list is closed, too"
            groups = browser.find_elements(By.CSS_SELECTOR, "#model optgroup")
            assert [group.get_attribute("label") for group in groups] == ["declared as primary", "three", "one player"]
            assert "three/talkative@bob" not in [option.get_attribute("value") for option in rest]
            area = browser.find_element(By.ID, "question")
            area.send_keys("Which river", Keys.SHIFT, Keys.ENTER, Keys.NULL, "is the longest?")
            assert area.get_attribute("value") == "Which river\nis the longest?"
            assert "Ctrl" not in text(browser, "go")
            area.send_keys(Keys.ENTER)
            until(browser, lambda page: "4 calls" in text(page, "cost"))

        await asyncio.to_thread(watch)


async def test_nothing_leaves_the_page(tmp_path: Path, browser: Any) -> None:
    async with serving(tmp_path) as served:

        def watch() -> None:
            hushed(browser)
            asked(browser, served.url, "Why?")
            urls = requested(browser)
            assert urls
            assert all(url.startswith((served.url, "data:")) for url in urls), urls

        await asyncio.to_thread(watch)


async def test_what_a_model_wrote_is_only_shown(tmp_path: Path, browser: Any) -> None:
    def wrap(name: str, model: Model) -> Model:
        return Hostile(model)

    async with serving(tmp_path, {**THREE, "strategies": ["vote"]}, wrap=wrap) as served:

        def watch() -> None:
            asked(browser, served.url, HOSTILE.replace("\x00", ""))
            assert "<script>" in text(browser, "verdict")
            assert "\u202e" not in text(browser, "verdict")
            assert "owned" not in browser.title
            assert browser.find_elements(By.CSS_SELECTOR, "main img, main script") == []

        await asyncio.to_thread(watch)


LONG = ["Paris: " + "the capital " * 8, "One\n  two\n\nthree", "In a word, it depends. " * 60]


class Saying(Wrapper):
    """Answers with the text of the number that is asked for."""

    async def generate(self, request: Request) -> Reply:
        answer = LONG[int(request.messages[-1].content.split("number ")[1][0])]
        return Reply(
            json.dumps({"reasoning": "For many reasons, such as these. " * 20, "answer": answer}), cost_usd=0.0
        )


LOST = """
    const felt = document.getElementById("centre").getBoundingClientRect();
    const drawn = [...document.querySelectorAll("#centre p")].map((each) => each.getBoundingClientRect());
    return drawn.filter((each) => each.height).filter((each) => each.top < felt.top - 1 || each.bottom > felt.bottom + 1).length;
"""
CUT = "const each = document.getElementById(arguments[0]); return each.scrollHeight - each.clientHeight"


@pytest.mark.parametrize("size", [(1366, 768), (390, 844)], ids=["laptop", "phone"])
async def test_a_long_answer_is_read_whole(tmp_path: Path, browser: Any, size: tuple[int, int]) -> None:
    """It begins on the felt, with an ellipsis, and stands below the table as it was written."""
    one = {**THREE, "strategies": ["vote"]}
    async with serving(tmp_path, one, wrap=lambda name, model: Saying(model)) as served:

        def watch(number: int) -> None:
            asked(browser, served.url, f"Please tell me all that there is to know of number {number} " + "please " * 12)
            assert browser.execute_script(LOST) == 0, "nothing on the felt is cut at its edge"
            assert browser.execute_script(CUT, "verdict") <= 2
            below = browser.find_element(By.ID, "answer")
            if number == 0:
                assert text(browser, "verdict").strip() == LONG[number].strip()
                assert not below.is_displayed(), "what fits the felt is said once"
                return
            until(browser, lambda page: below.text.split() == LONG[number].split())
            shown = text(browser, "verdict")
            assert shown.endswith(" …")
            assert LONG[number].startswith(shown.removesuffix(" …"))
            assert len(shown) < 125
            browser.find_element(By.CSS_SELECTOR, "#more a").click()
            assert browser.execute_script("return window.scrollY") > 0, "and the way there is on the felt"
            until(browser, lambda page: page.find_elements(By.CSS_SELECTOR, "#history .a"))
            for line in browser.find_elements(By.CSS_SELECTOR, "#history .a"):
                assert line.size["height"] < 50, "two lines"

        browser.set_window_size(*size)
        try:
            for number in range(len(LONG)):
                await asyncio.to_thread(watch, number)
        finally:
            browser.set_window_size(1300, 1000)


async def test_feedback_and_keys(tmp_path: Path, browser: Any) -> None:
    async with serving(tmp_path, settings=ServeSettings(keys={"KEY": "sesame"})) as served:

        def watch() -> None:
            browser.get(served.url)
            form = until(browser, lambda page: page.find_element(By.ID, "key"))
            until(browser, lambda page: form.is_displayed())
            form.send_keys("sesame", Keys.ENTER)
            until(browser, lambda page: page.find_elements(By.CSS_SELECTOR, "#model option"))
            browser.find_element(By.ID, "question").send_keys("Why?", Keys.ENTER)
            until(browser, lambda page: "call" in text(page, "cost"))
            browser.find_element(By.CSS_SELECTOR, "[data-correct=true]").click()
            until(browser, lambda page: "the team was right" in text(page, "learnt"))

        await asyncio.to_thread(watch)


async def test_who_abstains_can_be_told_what_was_right(tmp_path: Path, browser: Any) -> None:
    async with fitted(tmp_path) as base_url:
        strategies = [{"learnt": {"from": "rule.json", "abstain": {"below": 0.9999}}}, "solo"]
        async with serving(tmp_path, config(base_url, strategies=strategies)) as served:

            def watch() -> None:
                asked(browser, served.url, "Which town has number 50?", served.live.models[0])
                assert text(browser, "verdict") == "The team does not answer"
                given = browser.find_elements(By.CSS_SELECTOR, "[data-correct]")
                assert not any(button.is_displayed() for button in given), "there is no answer to be right"
                browser.find_element(By.ID, "right").send_keys("Town 50", Keys.ENTER)
                until(browser, lambda page: text(page, "learnt") == "Kept: “Town 50” is right.")
                asked(browser, served.url, "Which town has number 51?", "solo@ann")
                assert all(button.is_displayed() for button in browser.find_elements(By.CSS_SELECTOR, "[data-correct]"))

            await asyncio.to_thread(watch)


async def test_it_fits_a_phone(tmp_path: Path, browser: Any) -> None:
    async with serving(tmp_path) as served:

        def watch() -> None:
            browser.set_window_size(390, 900)
            try:
                asked(browser, served.url, "Why?")
                wide = browser.execute_script("return document.documentElement.scrollWidth <= window.innerWidth")
                assert wide, "nothing sticks out to the side"
            finally:
                browser.set_window_size(1300, 1000)

        await asyncio.to_thread(watch)
