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

from moot.errors import RequestRejected
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


RIVERS = {"ann": "Volga", "bob": "Nile", "cat": "Oka"}


class Own(Wrapper):
    """Each says its own, but for what is the same to all."""

    def __init__(self, name: str, model: Model) -> None:
        super().__init__(model)
        self.name = name

    async def generate(self, request: Request) -> Reply:
        river = "Don" if "alike" in request.messages[-1].content else RIVERS[self.name]
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


def pair_asked(browser: Any, question: str, model: str = "three/vote", rival: str = "solo@bob") -> None:
    """Two teams have answered, and which is better is asked."""
    choose(browser, "model", model)
    choose(browser, "rival", rival)
    field = browser.find_element(By.ID, "question")
    field.clear()
    field.send_keys(question, Keys.ENTER)
    until(browser, lambda page: text(page, "asked") == question and page.find_element(By.ID, "better").is_displayed())


def alone(browser: Any, question: str, model: str = "solo@bob") -> None:
    choose(browser, "rival", "")
    choose(browser, "model", model)
    field = browser.find_element(By.ID, "question")
    field.clear()
    field.send_keys(question, Keys.ENTER)
    until(browser, lambda page: text(page, "asked") == question and "#ep_" in page.current_url)


def listed(browser: Any) -> list[str]:
    script = """
        const words = (entry) => [...entry.querySelectorAll('.q, .a')].map((each) => each.textContent).join(' ');
        return [...document.querySelectorAll('#history li')].map(words);
    """
    return list(browser.execute_script(script))


def open_entry(browser: Any, question: str) -> None:
    script = """
        const entries = [...document.querySelectorAll('#history li button:first-child')];
        entries.find((each) => each.textContent.includes(arguments[0])).click();
    """
    browser.execute_script(script, question)


def settle(browser: Any) -> None:
    """Whatever the page still asks for has come."""
    browser.execute_async_script("fetch('/').then(() => setTimeout(arguments[0], 100))")


WAITS = "Which? Two answers, and no word yet which is better"
VOTABLE = (
    "return [...document.querySelectorAll('#better button:enabled')].filter((each) => each.checkVisibility()).length"
)


async def test_a_duel_that_waits_for_its_vote_is_blind_wherever_one_looks_and_in_every_tab(
    tmp_path: Path, browser: Any
) -> None:
    async with serving(tmp_path, DUEL) as served:

        def blind() -> None:
            settle(browser)
            assert [each for each in listed(browser) if "Which?" in each] == [WAITS]
            for sought, found in (("solo@bob", False), ("three/vote", False), ("which", True)):
                browser.execute_script(SEEK, sought)
                assert any("Which?" in each for each in listed(browser)) == found, sought
            browser.execute_script(SEEK, "")

        def watch() -> None:
            opened(browser, served.url)
            alone(browser, "Before?")
            alone(browser, "Which?")  # an earlier answer of one of them to the same question
            pair_asked(browser, "Which?")
            here = browser.current_window_handle
            episodes = browser.execute_script("return history.state.duel.sides.map(({ episode }) => episode)")
            there = answers(browser)
            until(browser, lambda page: WAITS in listed(page))
            blind()
            alone(browser, "Later?")
            until(browser, lambda page: any("Later?" in each for each in listed(page)))
            blind()
            open_entry(browser, "Before?")
            until(browser, lambda page: text(page, "asked") == "Before?")
            blind()
            choose(browser, "model", "solo@cat")  # an empty table
            blind()
            browser.switch_to.new_window("tab")
            opened(browser, served.url)
            until(browser, lambda page: WAITS in listed(page))
            blind()
            browser.get(f"{served.url}/#{episodes[1]}")  # by the address of one of them
            browser.refresh()
            until(browser, lambda page: page.find_element(By.ID, "better").is_displayed())
            assert (answers(browser), "#" in browser.current_url) == (there, False)
            blind()
            assert text_of(browser, "#side-first .team").startswith("whose it is")
            assert browser.execute_script(VOTABLE) == 3
            other = browser.current_window_handle
            browser.switch_to.window(here)
            open_entry(browser, "Which?")
            until(browser, lambda page: page.find_element(By.ID, "better").is_displayed())
            assert answers(browser) == there
            browser.find_element(By.CSS_SELECTOR, "[data-better=second]").click()
            until(browser, lambda page: text(page, "voted").startswith("Kept: "))
            said = text(browser, "voted")
            focused = browser.switch_to.active_element.get_attribute("id")
            assert focused == "voted", "whoever goes by the keyboard is where it is told"
            until(browser, lambda page: sum("Which?" in each for each in listed(page)) == 3)
            browser.switch_to.window(other)
            until(browser, lambda page: text(page, "voted") == said)
            assert browser.execute_script(VOTABLE) == 0
            until(browser, lambda page: sum("Which?" in each for each in listed(page)) == 3)
            browser.close()
            browser.switch_to.window(here)
            assert console(browser) == []

        await asyncio.to_thread(watch)
        assert len(await served.live.store.read(votes_of)) == 1


SEEK = """
    const field = document.getElementById('sought');
    field.value = arguments[0];
    field.dispatchEvent(new Event('input'));
"""


async def test_who_was_told_whose_they_are_has_no_vote(tmp_path: Path, browser: Any) -> None:
    """Told on demand, because the browser keeps nothing for the page, or because it was kept so long ago that it is gone."""
    async with serving(tmp_path, DUEL, wrap=Own) as served:

        def unvoted(question: str) -> None:
            until(browser, lambda page: text(page, "voted").startswith("No vote was kept"))
            assert text(browser, "asked") == question
            assert browser.execute_script(VOTABLE) == 0
            assert {text_of(browser, f"#side-{each} .team") for each in ("first", "second")} == {
                "three/vote",
                "solo@bob",
            }
            until(browser, lambda page: sum(question in each for each in listed(page)) == 2)

        def watch() -> None:
            opened(browser, served.url)
            pair_asked(browser, "Told?")
            browser.find_element(By.ID, "unvoted").click()
            unvoted("Told?")
            browser.refresh()
            unvoted("Told?")
            pair_asked(browser, "Gone?")
            browser.execute_script("localStorage.clear()")
            browser.find_element(By.CSS_SELECTOR, "[data-better=first]").click()
            unvoted("Gone?")
            browser.execute_script("Storage.prototype.setItem = () => { throw new DOMException('full'); }")
            choose(browser, "rival", "solo@bob")
            field = browser.find_element(By.ID, "question")
            field.clear()
            field.send_keys("Nowhere?", Keys.ENTER)
            until(browser, lambda page: text(page, "asked") == "Nowhere?")
            unvoted("Nowhere?")

        await asyncio.to_thread(watch)
        assert await served.live.store.read(votes_of) == []


async def test_of_two_equal_answers_nobody_is_asked_which_is_better(tmp_path: Path, browser: Any) -> None:
    async with serving(tmp_path, DUEL, wrap=Own) as served:

        def equal() -> None:
            until(browser, lambda page: text(page, "voted").endswith("say the same, word for word: neither is better."))
            assert answers(browser) == ["The Don.", "The Don."]
            assert browser.execute_script(VOTABLE) == 0
            assert not browser.find_element(By.ID, "better").is_displayed()
            assert not browser.find_element(By.ID, "unvoted").is_displayed()
            names = {text_of(browser, f"#side-{each} .team") for each in ("first", "second")}
            assert names == {"three/vote", "solo@bob"}
            assert all(name in text(browser, "voted") for name in names)
            until(browser, lambda page: sum("Which are alike?" in each for each in listed(page)) == 2)
            assert not any("no word yet" in each for each in listed(browser))

        def watch() -> None:
            opened(browser, served.url)
            choose(browser, "model", "three/vote")
            choose(browser, "rival", "solo@bob")
            browser.find_element(By.ID, "question").send_keys("Which are alike?", Keys.ENTER)
            equal()
            until(browser, lambda page: text(page, "news") == "Both say the same, word for word.")
            browser.refresh()
            equal()
            pair_asked(browser, "Which are not?")
            assert (len(set(answers(browser))), text(browser, "voted")) == (2, "")
            assert browser.execute_script(VOTABLE) == 3
            assert console(browser) == []

        await asyncio.to_thread(watch)


SLOW = """
    const plain = window.fetch;
    window.held = [];
    window.late = arguments[0];
    window.fetch = (path, options) => {
      const later = String(path).includes(window.late);
      return plain(path, options).then((got) => (later ? new Promise((go) => window.held.push(() => go(got))) : got));
    };
"""


@pytest.mark.parametrize("late", ["/v1/moot/preferences", "/v1/moot/episodes/ep_"])
async def test_a_vote_that_comes_back_late_is_of_its_own_duel(tmp_path: Path, browser: Any, late: str) -> None:
    """The word itself comes back, or whose they are, when another duel is shown."""
    async with serving(tmp_path, DUEL, wrap=Own) as served:

        def watch() -> None:
            opened(browser, served.url)
            pair_asked(browser, "One?", "solo@ann", "solo@bob")
            first = answers(browser)
            pair_asked(browser, "Two?", "three/vote", "solo@cat")
            second = answers(browser)
            browser.execute_script(SLOW, late)
            browser.find_element(By.CSS_SELECTOR, "[data-better=tie]").click()
            waited = 2 if "ep_" in late else 1
            until(browser, lambda page: page.execute_script("return window.held.length") == waited)
            browser.execute_script("window.late = 'nothing any more'")
            browser.back()
            until(browser, lambda page: text(page, "asked") == "One?" and page.execute_script(VOTABLE) == 3)
            browser.execute_script("for (const go of window.held) go()")
            settle(browser)
            settle(browser)
            assert (answers(browser), text(browser, "asked"), text(browser, "voted")) == (first, "One?", "")
            for each in ("first", "second"):
                assert text_of(browser, f"#side-{each} .team").startswith("whose it is")
                assert text_of(browser, f"#side-{each} .cost") == ""
                assert not browser.find_elements(By.CSS_SELECTOR, f"#side-{each} .stages li")
            assert browser.execute_script(VOTABLE) == 3, "it is still to be judged"
            browser.forward()
            until(browser, lambda page: text(page, "voted").endswith("are equally good."))
            assert (answers(browser), browser.execute_script(VOTABLE)) == (second, 0)
            assert {text_of(browser, f"#side-{each} .team") for each in ("first", "second")} == {
                "three/vote",
                "solo@cat",
            }
            assert console(browser) == []

        await asyncio.to_thread(watch)
        assert [vote.preferred for vote in await served.live.store.read(votes_of)] == ["tie"]


class Dead(Wrapper):
    def __init__(self, model: Model) -> None:
        super().__init__(model)
        self.name = model.name

    async def generate(self, request: Request) -> Reply:
        if self.name == "cat" and "down" in request.messages[-1].content:
            raise RequestRejected("the line is 'dead'", status=400)
        return await self.inner.generate(request)


async def test_a_side_that_failed_has_its_name_after_a_reload_too(tmp_path: Path, browser: Any) -> None:
    async with serving(tmp_path, DUEL, wrap=lambda name, model: Dead(model)) as served:

        def told() -> set[str]:
            sides = [f"#side-{each} .team" for each in ("first", "second")]
            until(browser, lambda page: all(text_of(page, side).startswith("solo@") for side in sides))
            return {text_of(browser, side) for side in sides}

        def watch() -> None:
            opened(browser, served.url)
            choose(browser, "model", "solo@cat")
            choose(browser, "rival", "solo@bob")
            browser.find_element(By.ID, "question").send_keys("Which is down?", Keys.ENTER)
            assert told() == {"solo@cat", "solo@bob"}
            browser.refresh()
            assert told() == {"solo@cat", "solo@bob"}
            until(browser, lambda page: listed(page))
            assert not any("Two answers" in each for each in listed(browser))

        await asyncio.to_thread(watch)


async def test_on_a_phone_a_and_b_weigh_the_same_and_what_was_stopped_is_seen(tmp_path: Path, browser: Any) -> None:
    go = asyncio.Event()
    loop = asyncio.get_running_loop()
    phone = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    boxes = """
        return ['first', 'tie', 'second'].map((each) => {
          const { top, width } = document.querySelector(`[data-better=${each}]`).getBoundingClientRect();
          return [top, width];
        });
    """
    seen = """
        const { top, bottom } = document.getElementById('trouble').getBoundingClientRect();
        return top >= 0 && bottom <= innerHeight;
    """
    async with serving(tmp_path, DUEL, wrap=lambda name, model: Held(name, model, go)) as served:

        def watch() -> None:
            browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone)
            try:
                opened(browser, served.url)
                browser.execute_script("document.getElementById('ways').open = true")
                choose(browser, "model", "three/vote")
                choose(browser, "rival", "solo@bob")
                browser.find_element(By.ID, "question").send_keys("Stopped?", Keys.ENTER)
                until(browser, lambda page: page.find_element(By.ID, "stop").is_displayed())
                browser.execute_script("scrollTo(0, 0); document.getElementById('stop').click()")
                until(browser, lambda page: page.find_element(By.ID, "trouble").is_displayed())
                until(browser, lambda page: page.execute_script(seen))
                loop.call_soon_threadsafe(go.set)
                pair_asked(browser, "Which?")
                (a, a_wide), (tie, _), (b, b_wide) = browser.execute_script(boxes)
                assert a == tie == b
                assert a_wide == pytest.approx(b_wide, abs=1)
            finally:
                browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

        await asyncio.to_thread(watch)


async def test_one_side_that_fails_says_so_in_sentences_and_each_team_has_one_name(
    tmp_path: Path, browser: Any
) -> None:
    """The option in front is served by two names, and is called by that of the list whichever it was asked by."""
    every = {"only": [], "every": True}
    async with serving(tmp_path, DUEL, wrap=lambda name, model: Dead(model), offer=every) as served:

        def watch() -> None:
            opened(browser, served.url)
            pair_asked(browser, "Which?", "three/vote", "solo@bob")
            browser.find_element(By.CSS_SELECTOR, "[data-better=tie]").click()
            until(browser, lambda page: text(page, "voted").startswith("Kept: "))
            until(browser, lambda page: len(listed(page)) == 2)
            names = {text_of(browser, f"#side-{each} .team") for each in ("first", "second")}
            assert names == {"three", "solo@bob"}
            assert all(name in text(browser, "voted") for name in names)
            assert {each.removeprefix("Which? ").partition(":")[0] for each in listed(browser)} == names
            alone(browser, "And?", "three/vote")
            until(browser, lambda page: text(page, "further-label").startswith("Ask further: three is told"))
            choose(browser, "model", "solo@cat")
            choose(browser, "rival", "solo@bob")
            field = browser.find_element(By.ID, "question")
            field.clear()
            field.send_keys("Who is down?", Keys.ENTER)
            until(browser, lambda page: any("no answer" in each for each in answers(page)))
            (failed,) = (each for each in answers(browser) if "no answer" in each)
            assert "the line is 'dead'. Ask again, or another team. Whoever runs" in failed
            assert "below" not in failed, "nothing stands there"
            alone(browser, "And who is down here?", "solo@cat")
            assert text(browser, "trouble-todo").endswith("Below stands who could not answer.")

        await asyncio.to_thread(watch)


async def test_a_duel_that_is_stopped_promises_nothing_and_what_was_paid_for_is_listed(
    tmp_path: Path, browser: Any
) -> None:
    go = asyncio.Event()
    loop = asyncio.get_running_loop()
    apart = """
        const [one, other] = ['better', 'unvoted'].map((each) => document.getElementById(each).getBoundingClientRect());
        const inside = document.getElementById('better-label').getBoundingClientRect();
        return [other.top - one.bottom, inside.left - one.left];
    """
    async with serving(tmp_path, DUEL, wrap=lambda name, model: Held(name, model, go)) as served:

        def finished() -> int:
            with urllib.request.urlopen(f"{served.url}/v1/moot/episodes") as response:
                return len(json.loads(response.read())["episodes"])

        def watch() -> None:
            browser.get("about:blank")
            opened(browser, served.url)
            choose(browser, "model", "three/vote")
            choose(browser, "rival", "solo@bob")
            browser.find_element(By.ID, "question").send_keys("Stopped?", Keys.ENTER)
            until(browser, lambda page: finished() == 1)
            until(browser, lambda page: page.execute_script(ONE_CAME))
            browser.find_element(By.ID, "stop").click()
            until(browser, lambda page: page.find_element(By.ID, "trouble").is_displayed())
            assert not browser.find_element(By.ID, "duel").is_displayed()
            until(browser, lambda page: listed(page) == ["Stopped? solo@bob: The Nile."])
            loop.call_soon_threadsafe(go.set)
            pair_asked(browser, "Which?")
            below, left = browser.execute_script(apart)
            assert below >= 6, "the frame of the question is round it alone"
            assert left >= 6

        await asyncio.to_thread(watch)


ONE_CAME = "return (JSON.parse(localStorage.getItem('moot-duels') ?? '[]').at(-1)?.episodes ?? []).length === 1"
