"""The page for everybody: by the keyboard alone, on a phone, in the dark; and what is stopped is stopped."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import By, Keys, asked, browsing, console, needs_browser, opened, text, until
from served import THREE, serving
from streaming_endpoint import WAIT, streaming, team_of

from moot.models.model import Wrapper
from moot.types import Reply, Request

pytestmark = needs_browser

# The contrast of every text that is seen with what is behind it, as WCAG 2 reckons it; the worst, with where it stands.
CONTRAST = """
    const parse = (colour) => { const [r, g, b, a = 1] = colour.match(/[\\d.]+/g).map(Number); return { rgb: [r, g, b], a }; };
    const light = (rgb) => rgb.map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
      .reduce((sum, c, n) => sum + c * [0.2126, 0.7152, 0.0722][n], 0);
    const over = ({ rgb, a }, under) => rgb.map((c, n) => c * a + under[n] * (1 - a));
    const behind = (element) => {
      const layers = [];
      const felt = element.closest(".centre") && getComputedStyle(document.querySelector(".hall"), "::before");
      if (felt && felt.display !== "none") { // drawn behind it, and lightest where its colours are mixed
        const mixed = felt.backgroundImage.match(/(?:color\\(srgb [^)]+\\)|rgba?\\([^)]+\\))/g).map((each) => {
          const numbers = each.match(/[\\d.]+/g).map(Number).slice(0, 3);
          return each.startsWith("color(") ? numbers.map((c) => 255 * c) : numbers;
        });
        return mixed.sort((one, other) => light(other) - light(one))[0];
      }
      for (let each = element; each; each = each.parentElement) {
        const style = getComputedStyle(each);
        if (style.backgroundImage !== "none") return null; // a picture: its colours are not told
        const colour = parse(style.backgroundColor);
        layers.push(colour);
        if (colour.a === 1) break;
      }
      return layers.reverse().reduce((under, layer) => over(layer, under), [255, 255, 255]);
    };
    const found = [];
    for (const element of document.querySelectorAll("body *")) {
      const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
      if (!own || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
      const under = behind(element);
      if (!under || element.closest(".visually-hidden, .skip, :disabled")) continue;
      const [one, other] = [light(over(parse(getComputedStyle(element).color), under)), light(under)];
      const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
      const size = parseFloat(getComputedStyle(element).fontSize);
      const least = size >= 24 ? 3 : 4.5;
      const name = `${element.tagName} ${element.id || element.className} ${element.textContent.trim().slice(0, 30)}`;
      if (ratio < least) found.push(`${ratio.toFixed(2)}: ${name}`);
    }
    return found;
"""


SELECTED = """
    const light = (colour) => colour.match(/[\\d.]+/g).slice(0, 3).map((c) => c / 255)
      .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
      .reduce((sum, c, n) => sum + c * [0.2126, 0.7152, 0.0722][n], 0);
    const { color, backgroundColor } = getComputedStyle(document.getElementById("question"), "::selection");
    const [one, other] = [light(color), light(backgroundColor)];
    if (/, 0\\)$/.test(backgroundColor)) return 0; // the browser's own, whatever that is
    return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with browsing() as opened_browser:
        yield opened_browser


@pytest.mark.long
async def test_every_text_can_be_read_in_the_light_and_in_the_dark(tmp_path: Path, browser: Any) -> None:
    async with serving(tmp_path, {**THREE, "strategies": ["vote", "talkative"]}) as served:

        def watch() -> None:
            for chosen in ("light", "dark"):
                wish = [{"name": "prefers-color-scheme", "value": chosen}]
                browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": wish})
                browser.get(served.url)
                browser.execute_script("localStorage.clear()")
                asked(browser, served.url, f"Which river in the {chosen}?")
                assert browser.execute_script("return document.documentElement.dataset.theme") == chosen
                browser.execute_script("for (const each of document.querySelectorAll('details')) each.open = true")
                browser.execute_script("for (const each of document.getAnimations()) each.finish()")
                assert browser.execute_script(CONTRAST) == [], chosen
                assert browser.execute_script(SELECTED) >= 4.5, "what was asked stays selected"
            browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})

        await asyncio.to_thread(watch)


async def test_the_page_follows_the_system_until_somebody_chooses(tmp_path: Path, browser: Any) -> None:
    """Without being loaded anew."""

    def wished(scheme: str) -> None:
        wish = [{"name": "prefers-color-scheme", "value": scheme}]
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": wish})

    def theme() -> Any:
        return browser.execute_script("return document.documentElement.dataset.theme")

    async with serving(tmp_path, {**THREE, "strategies": ["vote"]}) as served:

        def watch() -> None:
            wished("light")
            opened(browser, served.url)
            browser.execute_script("localStorage.clear()")
            for scheme in ("dark", "light", "dark"):
                wished(scheme)
                until(browser, lambda page, scheme=scheme: theme() == scheme)
            browser.find_element(By.ID, "theme").click()
            assert theme() == "light"
            for scheme in ("light", "dark"):
                wished(scheme)
                assert browser.execute_script("return matchMedia('(prefers-color-scheme: dark)').matches") == (
                    scheme == "dark"
                )
                assert theme() == "light", "what was chosen by hand stays"
            opened(browser, served.url)
            assert theme() == "light"
            browser.execute_script("localStorage.clear()")
            browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})

        await asyncio.to_thread(watch)


LINES = """
    const cells = [...document.querySelectorAll("#ballots td:first-child")];
    const all = document.createRange();
    return cells.map((cell) => { all.selectNodeContents(cell); return [cell.textContent, all.getClientRects().length]; });
"""


async def test_no_name_in_the_ballots_is_broken(tmp_path: Path, browser: Any) -> None:
    """However long the options are, and however narrow the screen."""

    class Wordy(Wrapper):
        async def generate(self, request: Request) -> Reply:
            return Reply(json.dumps({"reasoning": "", "answer": "a very long answer " * 4 + self.name}), cost_usd=0.0)

    async with serving(tmp_path, {**THREE, "strategies": ["vote"]}, wrap=lambda name, model: Wordy(model)) as served:

        def watch() -> None:
            for width in (390, 1300):
                metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
                browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
                asked(browser, served.url, "Which river?")
                told = browser.execute_script(LINES)
                assert told[-1][0] == "together"
                assert {lines for _, lines in told} == {1}, (width, told)
                assert browser.execute_script("return document.documentElement.scrollWidth") <= width
            browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

        await asyncio.to_thread(watch)


async def test_a_page_that_is_loaded_anew_while_it_is_played_says_what_became_of_it(
    tmp_path: Path, browser: Any
) -> None:
    go = asyncio.Event()

    class Waits(Wrapper):
        async def generate(self, request: Request) -> Reply:
            await go.wait()
            return await self.inner.generate(request)

    loop = asyncio.get_running_loop()
    async with serving(tmp_path, {**THREE, "strategies": ["vote"]}, wrap=lambda name, model: Waits(model)) as served:

        def hidden(ident: str) -> bool:
            return bool(browser.execute_script("return document.getElementById(arguments[0]).hidden", ident))

        def left(question: str) -> None:
            until(browser, lambda page: "drafting" in text(page, "because"))
            browser.refresh()
            until(browser, lambda page: not hidden("trouble"))
            assert text(browser, "trouble-what") == "You left the page while this was running, so it was stopped."
            assert "ask again" in text(browser, "trouble-todo")
            assert text(browser, "asked") == question
            assert [hidden(ident) for ident in ("actions", "again", "copy", "save-json")] == [False, False, True, True]

        def watch() -> None:
            opened(browser, served.url)
            browser.find_element(By.ID, "question").send_keys("Which river?", Keys.ENTER)
            left("Which river?")
            assert browser.find_element(By.ID, "question").get_attribute("value") == "Which river?"
            loop.call_soon_threadsafe(go.set)
            browser.find_element(By.ID, "again").click()
            until(browser, lambda page: "call" in text(page, "cost"))
            assert hidden("trouble")
            assert not hidden("copy")
            assert not hidden("save-json")
            loop.call_soon_threadsafe(go.clear)
            browser.find_element(By.ID, "further").send_keys("And then?", Keys.ENTER)
            left("And then?")
            assert [each.text for each in browser.find_elements(By.CSS_SELECTOR, "#turns > li.user")] == [
                "Which river?"
            ]
            loop.call_soon_threadsafe(go.set)
            browser.find_element(By.ID, "again").click()
            until(browser, lambda page: "call" in text(page, "cost"))
            until(browser, lambda page: "#ep_" in page.current_url)
            browser.refresh()
            until(browser, lambda page: text(page, "asked") == "And then?")
            assert hidden("trouble"), "what has come to its end was not stopped"

        await asyncio.to_thread(watch)
        _, past = await served.get("/v1/moot/episodes")
        assert len(past["episodes"]) == 2, "what was stopped is no answer"


FOCUSED = """
    const here = document.activeElement;
    const label = here.getAttribute("aria-label") || here.labels?.[0]?.textContent || here.textContent || here.title || "";
    const style = getComputedStyle(here);
    const seen = style.outlineStyle !== "none" || style.boxShadow !== "none";
    return [here.tagName, here.id, label.trim(), seen, here.checkVisibility()];
"""


@pytest.mark.long
async def test_everything_is_reached_and_done_by_the_keyboard(tmp_path: Path, browser: Any) -> None:
    async with serving(tmp_path, {**THREE, "strategies": ["vote"]}) as served:

        def watch() -> None:
            opened(browser, served.url)
            body = browser.find_element(By.TAG_NAME, "body")
            body.send_keys(Keys.TAB)
            assert "Skip to the question" in browser.execute_script(FOCUSED)[2]
            browser.switch_to.active_element.send_keys(Keys.ENTER)
            assert browser.switch_to.active_element.get_attribute("id") == "question"
            browser.switch_to.active_element.send_keys("Which river?", Keys.ENTER)
            until(browser, lambda page: "call" in text(page, "cost"))
            until(browser, lambda page: page.find_elements(By.CSS_SELECTOR, "#history li"))
            browser.execute_script("document.querySelector('.skip').focus()")
            reached: dict[str, str] = {}
            for _ in range(60):
                browser.switch_to.active_element.send_keys(Keys.TAB)
                tag, ident, label, seen, visible = browser.execute_script(FOCUSED)
                if tag == "BODY":
                    break
                assert label, f"{tag} {ident} has no name for who does not see it"
                assert visible, label
                assert seen, f"nobody sees that {label} is in focus"
                reached[ident or label] = label
            wanted = {"question", "model", "limit", "go", "theme", "copy", "again", "save-markdown", "save-json"}
            wanted |= {"further", "right", "sought"}
            assert wanted <= reached.keys()
            assert any(label.startswith("Rename: ") for label in reached.values())
            assert any(label.startswith("Forget: ") for label in reached.values())
            right = browser.find_element(By.CSS_SELECTOR, "[data-correct=true]")
            right.send_keys(Keys.ENTER)
            until(browser, lambda page: text(page, "learnt") == "Kept: the team was right.")
            assert console(browser) == []

        await asyncio.to_thread(watch)


@pytest.mark.long
async def test_on_a_phone_fingers_hit_and_two_answers_stand_one_below_the_other(tmp_path: Path, browser: Any) -> None:
    async with serving(tmp_path, {**THREE, "strategies": ["vote", "solo"]}) as served:

        def watch() -> None:
            phone = {"width": 375, "height": 800, "deviceScaleFactor": 2, "mobile": True}
            browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone)
            try:
                asked(browser, served.url, "Which river?")
                fits = "return document.documentElement.scrollWidth <= window.innerWidth"
                assert browser.execute_script(fits), "nothing sticks out to the side"
                small = """
                    const hit = "button, select, input:not([type=checkbox]), .boxes label, summary, .room a";
                    return [...document.querySelectorAll(hit)].filter((e) => e.checkVisibility())
                      .map((e) => [e.id || e.textContent.trim(), e.getBoundingClientRect()])
                      .filter(([, box]) => box.height < 40 || box.width < 40)
                      .map(([name, box]) => `${name} ${box.width}x${box.height}`);
                """
                browser.find_element(By.CSS_SELECTOR, "#ways summary").click()
                assert browser.execute_script(small) == [], "too small for a finger"
                browser.execute_script("document.getElementById('rival').value = 'solo@bob'")
                browser.find_element(By.ID, "question").send_keys(" And?", Keys.ENTER)
                until(browser, lambda page: page.find_element(By.ID, "better").is_displayed())
                first, second = (browser.find_element(By.ID, f"side-{each}").rect for each in ("first", "second"))
                assert second["y"] >= first["y"] + first["height"]
                assert browser.execute_script(fits)
            finally:
                browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

        await asyncio.to_thread(watch)


async def test_what_is_stopped_is_stopped_and_can_be_asked_again(tmp_path: Path, browser: Any) -> None:
    said = ['{"reasoning": "hm', WAIT, '", "answer": "the Nile"}']
    async with streaming(lambda body, before: said) as endpoint, serving(tmp_path, team_of(endpoint, "vote")) as served:
        loop = asyncio.get_running_loop()

        def watch() -> None:
            opened(browser, served.url)
            browser.find_element(By.ID, "question").send_keys("Which river?", Keys.ENTER)
            stop = browser.find_element(By.ID, "stop")
            until(browser, lambda page: stop.is_displayed() and "drafting" in text(page, "because"))
            stop.click()
            trouble = browser.find_element(By.ID, "trouble")
            until(browser, lambda page: trouble.is_displayed())
            assert trouble.text.startswith("Stopped.")
            assert not stop.is_displayed()
            assert not browser.find_elements(By.CSS_SELECTOR, ".at-work, .writing, .thinking")
            loop.call_soon_threadsafe(endpoint.go.set)
            browser.find_element(By.ID, "question").send_keys("Which river now?", Keys.ENTER)
            until(browser, lambda page: text(page, "verdict") == "the Nile")
            assert not trouble.is_displayed()

        await asyncio.to_thread(watch)


async def test_a_review_is_watched_and_who_agrees_is_seen_at_the_table(tmp_path: Path, browser: Any) -> None:
    def script(body: dict[str, Any], before: int) -> list[Any]:
        if before:
            return ['{"reasoning": "It is longer", ', WAIT, '"answer": "the Nile"}']
        answer = "the Rhine" if body["model"] == "ann" else "the Nile"
        return [json.dumps({"reasoning": "because", "answer": answer})]

    async with (
        streaming(script) as endpoint,
        serving(tmp_path, team_of(endpoint, {"peer-review": {"drafts": "single-call"}})) as served,
    ):
        loop = asyncio.get_running_loop()

        def watch() -> None:
            opened(browser, served.url)
            browser.find_element(By.ID, "question").send_keys("Which river?", Keys.ENTER)
            until(browser, lambda page: "reviewing what the others wrote" in text(page, "because"))
            badges = [each.text for each in browser.find_elements(By.CSS_SELECTOR, ".seat .badge")]
            assert sorted(badges) == ["A", "B"], "they do not agree"
            (bobs,) = badges[1:]
            loop.call_soon_threadsafe(endpoint.go.set)
            until(browser, lambda page: "call" in text(page, "cost"))
            badges = [each.text for each in browser.find_elements(By.CSS_SELECTOR, ".seat .badge")]
            assert badges == [bobs, bobs], "ann has joined bob"
            assert "changed its mind" in browser.find_elements(By.CSS_SELECTOR, ".seat")[0].text
            assert console(browser) == []

        await asyncio.to_thread(watch)
