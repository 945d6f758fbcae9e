"""The table page: a team put together, two side by side, choices, names of conversations, and what is said where it fails."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import By, Keys, ask, asked, browsing, console, needs_browser, opened, text, until
from served import THREE, serving
from streaming_endpoint import WAIT, streaming, team_of

from moot.live.beside_episodes import votes_of
from moot.live.offer import ServedOffer
from moot.models.model import Wrapper
from moot.serve.app import ServeSettings
from moot.types import Reply, Request

pytestmark = needs_browser
VOTE = {**THREE, "strategies": ["vote"]}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with browsing() as driver:
        yield driver


def choose(browser: Any, ident: str, value: str) -> None:
    script = """
        const each = document.getElementById(arguments[0]);
        each.value = arguments[1];
        each.dispatchEvent(new Event("change", { bubbles: true }));
    """
    browser.execute_script(script, ident, value)


def text_of(browser: Any, selector: str) -> str:
    """Seen or not."""
    return str(browser.execute_script("return document.querySelector(arguments[0]).textContent", selector))


async def test_who_is_seated_is_ticked(tmp_path: Path, browser: Any) -> None:
    """A team of one's own begins with the one in front: a model that nobody plays with is there, and not chosen. Who cannot
    give the kind of answer that is wanted is not offered."""

    def offered(ident: str) -> list[str]:
        found = "return [...document.querySelectorAll(`#${arguments[0]} option:enabled`)].map((each) => each.value)"
        return list(browser.execute_script(found, ident))

    two = {**VOTE, "teams": {"two": {"players": ["ann", "cat"], "captain": "cat"}}, "strategies": ["vote", "talkative"]}
    two["questions"] = {"file": "questions.jsonl", "kind": "text"}
    (tmp_path / "questions.jsonl").write_text(json.dumps({"id": "q", "text": "Why?"}) + "\n")
    async with serving(tmp_path, two) as served:

        def watch() -> None:
            opened(browser, served.url)
            script = (
                "return [...document.querySelectorAll('#edit-players input')].map((box) => [box.value, box.checked])"
            )
            assert browser.execute_script(script) == [["ann", True], ["bob", False], ["cat", True]]
            captains = browser.execute_script(
                "return [...document.querySelectorAll('#edit-captain option')].map((o) => o.value)"
            )
            assert captains == ["ann", "cat"]
            assert (offered("model"), offered("edit-strategy")) == (["two/talkative"], ["talkative", "council"])
            choose(browser, "kind", "open")
            assert (offered("model")[0], offered("edit-strategy")[0]) == ("two/vote", "vote"), "for what they can do"
            choose(browser, "model", "two/vote")
            choose(browser, "edit-strategy", "vote")
            choose(browser, "kind", "")
            chosen = [browser.find_element(By.ID, ident).get_attribute("value") for ident in ("model", "edit-strategy")]
            assert chosen == ["two/vote", "vote"], "who and what somebody has chosen"
            assert text(browser, "model-told").startswith("two/vote gives no texts: choose another team")
            browser.execute_script("document.getElementById('ways').open = true")
            browser.find_element(By.ID, "choices").send_keys("a\nb")
            assert offered("model") == ["two/vote", "two/talkative"]

        await asyncio.to_thread(watch)


async def test_a_team_is_put_together_and_asked(tmp_path: Path, browser: Any) -> None:
    async with serving(tmp_path, VOTE) as served:

        def watch() -> None:
            opened(browser, served.url)
            browser.find_element(By.CSS_SELECTOR, "#ways summary").click()
            (ann, *_) = browser.find_elements(By.CSS_SELECTOR, "#edit-players input")
            ann.click()
            choose(browser, "edit-strategy", "talkative")
            captains = browser.find_elements(By.CSS_SELECTOR, "#edit-captain option")
            assert [each.text for each in captains] == ["bob", "cat"], "who does not play is no captain"
            choose(browser, "edit-captain", "cat")
            browser.find_element(By.ID, "edit-use").click()
            assert len(browser.find_elements(By.CSS_SELECTOR, ".seat")) == 2
            browser.switch_to.active_element.send_keys("Which river?", Keys.ENTER)
            until(browser, lambda page: "3 calls" in text(page, "cost"))
            until(browser, lambda page: "bob+cat/talkative@cat" in text(page, "history"))
            browser.refresh()
            until(browser, lambda page: "3 calls" in text(page, "cost"))
            assert console(browser) == []

        await asyncio.to_thread(watch)
        _, past = await served.get("/v1/moot/episodes")
        assert [each["model"] for each in past["episodes"]] == ["bob+cat/talkative@cat"]


async def test_a_team_is_not_put_beside_itself_by_another_name(tmp_path: Path, browser: Any) -> None:
    """Whoever puts the team of the file together anew is told so before anybody is asked."""
    async with serving(tmp_path, {**THREE, "strategies": ["vote", "talkative"]}) as served:

        def offered() -> dict[str, tuple[str, bool]]:
            script = "return [...document.querySelectorAll('#rival option')].map((o) => [o.value, o.text, o.disabled])"
            return {value: (words, disabled) for value, words, disabled in browser.execute_script(script)}

        def watch() -> None:
            opened(browser, served.url)
            choose(browser, "rival", "three/talkative")
            browser.find_element(By.CSS_SELECTOR, "#ways summary").click()
            choose(browser, "edit-strategy", "talkative")
            browser.find_element(By.ID, "edit-use").click()
            assert browser.find_element(By.ID, "model").get_attribute("value") == "ann+bob+cat/talkative@ann"
            assert offered()["three/talkative"] == ("three/talkative (the same team)", True)
            assert offered()["three/vote"] == ("three/vote", False)
            assert browser.find_element(By.ID, "rival").get_attribute("value") == ""
            assert text(browser, "rival-told").startswith("three/talkative is the team that is asked, by another name")
            choose(browser, "model", "three/vote")
            assert offered()["three/talkative"] == ("three/talkative", False), "it is another than that"
            assert offered()["three/vote"] == ("three/vote (the same team)", True)
            assert text(browser, "rival-told") == ""
            assert console(browser) == []

        await asyncio.to_thread(watch)


SEEN = """
    return [...document.querySelectorAll(arguments[0])].map((each) => each.getBoundingClientRect())
      .map(({ top }) => top >= 0 && top < innerHeight - 40);
"""


async def test_two_teams_stand_side_by_side_and_one_click_says_which_is_better(tmp_path: Path, browser: Any) -> None:
    class Wordy(Wrapper):
        async def generate(self, request: Request) -> Reply:
            river = "Niger" if self.name == "bob" else "Nile"  # equal answers are not to be voted on
            return Reply(json.dumps({"reasoning": "", "answer": f"It is the {river}.\n\n" * 80}), cost_usd=0.0)

    both = {**THREE, "strategies": ["vote", "solo"]}
    async with serving(tmp_path, both, wrap=lambda name, model: Wordy(model)) as served:

        def watch() -> str:
            opened(browser, served.url)
            choose(browser, "rival", "solo@bob")
            browser.find_element(By.ID, "question").send_keys("Which river?", Keys.ENTER)
            better = until(browser, lambda page: page.find_element(By.CSS_SELECTOR, "[data-better=second]"))
            until(browser, lambda page: better.is_displayed())
            assert not browser.find_element(By.CSS_SELECTOR, ".hall").is_displayed()
            sides = browser.find_elements(By.CSS_SELECTOR, ".sides article")
            assert all(side.find_element(By.CSS_SELECTOR, ".whole").text for side in sides)
            assert "vote" not in "".join(side.text for side in sides), "whose is whose is told afterwards"
            costs = "".join(text_of(browser, f"#side-{each} .cost") for each in ("first", "second")) + text(
                browser, "cost"
            )
            assert costs == "", "what it took would tell a team from a player alone"
            (entry,) = until(browser, lambda page: page.find_elements(By.CSS_SELECTOR, "#history li"))
            assert "no word yet which is better" in entry.text
            assert "three/vote" not in entry.text, "the list names teams"
            assert "solo@bob" not in entry.text
            assert browser.switch_to.active_element.get_attribute("id") == "better", (
                "the keyboard is there, and on no answer"
            )
            assert browser.execute_script(SEEN, "#side-first .whole, #side-second .whole, #better") == [True] * 3, (
                "where they begin, however long they are, and what is asked of them"
            )
            better.click()
            until(browser, lambda page: text(page, "voted").startswith("Kept: "))
            (second,) = browser.find_elements(By.CSS_SELECTOR, "#side-second .team")
            assert second.text in ("three/vote", "solo@bob")
            assert "call" in text_of(browser, "#side-second .cost")
            until(browser, lambda page: len(page.find_elements(By.CSS_SELECTOR, "#history li")) == 2)
            assert text(browser, "voted") == f"Kept: {second.text} is better."
            assert console(browser) == []
            return str(second.text)

        better = await asyncio.to_thread(watch)
        (vote,) = await served.live.store.read(votes_of)
        _, past = await served.get("/v1/moot/episodes")
        models = {each["episode"]: each["model"] for each in past["episodes"]}
        assert (vote.preferred, models[vote.second]) == ("second", better)
        assert {models[vote.first], models[vote.second]} == {"three/vote", "solo@bob"}


async def test_choices_are_given_and_the_run_s_best_is_marked(tmp_path: Path, browser: Any) -> None:
    async with serving(tmp_path, VOTE) as served:
        served.live.offer = ServedOffer("three/vote", "the run's best", from_run=True)

        def watch() -> None:
            opened(browser, served.url)
            assert browser.find_element(By.CSS_SELECTOR, "#model option").text == "three (best of the run)"
            browser.find_element(By.CSS_SELECTOR, "#ways summary").click()
            browser.find_element(By.ID, "choices").send_keys("the Nile\nthe Rhine\n")
            ask(browser, "Which of the two is longer?")
            rivers = ("A. the Nile", "B. the Rhine")
            assert text(browser, "verdict") in rivers, "a letter alone says nothing"
            seats = browser.find_elements(By.CSS_SELECTOR, ".seat .answer")
            assert {seat.text for seat in seats} <= {*rivers, "was not needed"}
            badges = [each.text for each in browser.find_elements(By.CSS_SELECTOR, ".seat .badge")]
            chosen = [(seat.text[0], badge) for seat, badge in zip(seats, badges, strict=True) if seat.text in rivers]
            assert all(letter == badge for letter, badge in chosen), (
                "a letter means a choice, and nothing else beside it"
            )
            told = text(browser, "verdict")
            until(browser, lambda page: page.find_elements(By.CSS_SELECTOR, "#history li"))
            browser.refresh()
            until(browser, lambda page: text(page, "verdict") == told)

        served.live.cells = {"three": served.live.cells["three/vote"]}
        await asyncio.to_thread(watch)
        _, past = await served.get("/v1/moot/episodes")
        _, whole = await served.get(f"/v1/moot/episodes/{past['episodes'][0]['episode']}")
        assert whole["choices"] == ["the Nile", "the Rhine"]


async def test_a_conversation_is_renamed(tmp_path: Path, browser: Any) -> None:
    async with serving(tmp_path, VOTE) as served:

        def watch() -> None:
            asked(browser, served.url, "Which river is the longest?")
            rename = until(browser, lambda page: page.find_element(By.CSS_SELECTOR, "#history [aria-label^=Rename]"))
            rename.click()
            browser.switch_to.active_element.send_keys("Not this", Keys.ESCAPE)
            assert text(browser, "history").startswith("Which river")
            rename.click()
            browser.switch_to.active_element.send_keys(Keys.CONTROL, "a", Keys.NULL, "<b>Rivers</b>", Keys.ENTER)
            until(browser, lambda page: text(page, "history").startswith("<b>Rivers</b>"))
            opened(browser, served.url)
            until(browser, lambda page: text(page, "history").startswith("<b>Rivers</b>"))
            browser.find_element(By.ID, "sought").send_keys("rivers")
            assert len(browser.find_elements(By.CSS_SELECTOR, "#history li")) == 1
            assert console(browser) == []

        await asyncio.to_thread(watch)


def broken(browser: Any) -> str:
    section = until(browser, lambda page: page.find_element(By.ID, "trouble"))
    until(browser, lambda page: section.is_displayed())
    assert section.get_attribute("role") == "alert"
    return str(section.text)


async def test_what_failed_is_said_once_with_what_to_do(tmp_path: Path, browser: Any) -> None:
    async with streaming(lambda body, before: ["x"], refuses=("messages",)) as endpoint:
        async with serving(tmp_path, team_of(endpoint, "vote")) as served:

            def watch() -> None:
                opened(browser, served.url)
                browser.find_element(By.ID, "question").send_keys("Which?", Keys.ENTER)
                said = broken(browser)
                assert "messages is not supported" in said
                assert "the model's server answered 400" in said
                for unwanted in ("RequestRejected", "(address)", "127.0.0.1"):
                    assert unwanted not in said
                assert "Ask again, or another team" in said
                until(browser, lambda page: not page.find_element(By.ID, "stop").is_displayed())
                page = browser.execute_script("return document.querySelector('main').innerText.split('Transcript')[0]")
                assert page.count("The team has no answer") == 1
                assert "could not answer" in page
                assert page.count("messages is not supported") <= 2, "of each player, in one sentence"

            await asyncio.to_thread(watch)

        def gone() -> None:
            browser.find_element(By.ID, "question").send_keys(" And?", Keys.ENTER)
            assert "The server cannot be reached" in broken(browser)
            assert "Is the server still running?" in broken(browser)

        await asyncio.to_thread(gone)


async def test_who_gave_too_little_time_is_told_to_give_more(tmp_path: Path, browser: Any) -> None:
    """Alone, when it is looked at again, and of both of two teams."""
    advice = "Ask again with a longer time limit, or with none."
    async with (
        streaming(lambda body, before: [WAIT, "x"], holds_all=True) as endpoint,
        serving(tmp_path, {**team_of(endpoint), "strategies": ["vote", "talkative"]}) as served,
    ):

        def watch() -> None:
            opened(browser, served.url)
            browser.execute_script("document.getElementById('limit').value = '1'")
            browser.find_element(By.ID, "question").send_keys("Which?", Keys.ENTER)
            assert "no reply within 1 s" in broken(browser)
            assert advice in broken(browser)
            until(browser, lambda page: "#ep_" in page.current_url)
            browser.refresh()
            assert "no reply within 1 s" in broken(browser)
            assert advice in broken(browser)
            opened(browser, served.url)
            browser.execute_script("""
                document.getElementById("limit").value = "1";
                document.getElementById("rival").value = "two/talkative";
            """)
            browser.find_element(By.ID, "question").send_keys("Which?", Keys.ENTER)
            until(browser, lambda page: text(page, "duel").count(advice) == 2)

        await asyncio.to_thread(watch)


async def test_a_key_is_asked_for_and_the_trouble_is_over(tmp_path: Path, browser: Any) -> None:
    async with serving(tmp_path, settings=ServeSettings(keys={"KEY": "sesame"})) as served:

        def watch() -> None:
            browser.get(served.url)
            assert "Type the key into the field at the top." in broken(browser)
            browser.switch_to.active_element.send_keys("sesame", Keys.ENTER)
            until(browser, lambda page: page.find_elements(By.CSS_SELECTOR, "#model option"))
            assert not browser.find_element(By.ID, "trouble").is_displayed()
            assert browser.switch_to.active_element.get_attribute("id") == "question", "where it is gone on"
            browser.get(f"{served.url}/#ep_{'0' * 40}")
            browser.refresh()
            assert "It may have been forgotten" in broken(browser)

        await asyncio.to_thread(watch)
