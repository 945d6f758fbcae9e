"""The table page while the team plays: every stage as it happens, and words as they are written."""

from __future__ import annotations

import asyncio
import itertools
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import By, Keys, ask, browsing, console, needs_browser, opened, text, until
from served import THREE, serving
from streaming_endpoint import WAIT, Endpoint, streaming, team_of

from moot.models.model import Model, Wrapper
from moot.types import Reply, Request

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


def with_cat(team: dict[str, Any]) -> None:
    for part in ("models", "players"):
        team[part]["cat"] = json.loads(json.dumps(team[part]["bob"]).replace("bob", "cat"))
    team["teams"]["two"]["players"].append("cat")


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
        with_cat(team)
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
                own = browser.find_element(By.CSS_SELECTOR, ".seat .answer").text
                assert own.startswith("Plan for moving all books"), "under the letter of its draft stands its draft"
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


@pytest.mark.parametrize("strategy", ["debate", "peer-review"])
async def test_what_was_said_in_free_words_stands_at_its_seat(tmp_path: Path, browser: Any, strategy: str) -> None:
    """What each settled on is read out of its reply: the verdict tells it, when it comes and when it is looked at again."""
    async with serving(tmp_path, {**THREE, "strategies": [strategy]}) as served:

        def answers(page: Any) -> list[str]:
            return [line.text for line in page.find_elements(By.CSS_SELECTOR, ".seat .answer")]

        def watch() -> list[list[Any]]:
            seen = []
            for question in "Which lake?", "Which mountain?", "Which river is it?", "Which town?":
                opened(browser, served.url)
                ask(browser, question)
                until(browser, lambda page: "#ep_" in page.current_url)
                live = answers(browser), letters(browser), text(browser, "changes")
                browser.refresh()
                until(browser, lambda page: "call" in text(page, "cost"))
                assert (answers(browser), letters(browser), text(browser, "changes")) == live
                seen.append([browser.current_url.partition("#")[2], *live])
            assert console(browser) == []
            return seen

        moved = 0
        for episode, live, badges, changes in await asyncio.to_thread(watch):
            _, whole = await served.get(f"/v1/moot/episodes/{episode}")
            drafts = {player: draft for player, draft, *_ in whole["verdict"]["answers"]}
            last = {**drafts}
            for record in whole["verdict"].get("traces", ()):
                said = record.get("positions") or record.get("answers") or {}
                if record["kind"] == "shown" and record["role"] == "reviewer":
                    said = {record["to"]: record["answer"]}
                last |= {player: answer for player, answer in said.items() if answer is not None}
            assert live == list(last.values())
            assert all(badges)
            assert whole["groups"], "who said the same, as when it was asked"
            for one, other in itertools.combinations(range(3), 2):
                assert (live[one] == live[other]) <= (badges[one] == badges[other])
            movers = [player for player in drafts if drafts[player] != last[player]]
            assert all(f"{player} in " in changes for player in movers)
            moved += len(movers)
        assert moved, "somebody has changed its mind"


@pytest.mark.parametrize("strategy", ["council", "vote"])
async def test_a_reply_that_cannot_be_read_is_no_step_that_was_made(
    tmp_path: Path, browser: Any, strategy: str
) -> None:
    """At the seat, in what is read out, and when it is looked at again. One that stands among other words was read."""

    def script(body: dict[str, Any], before: int) -> list[Any]:
        if strategy == "vote":
            return [
                'Sure! {"reasoning": "old maps", "answer": "Nile"}' if body["model"] == "ann" else "I like them all."
            ]
        if before == 0:
            return [f"The plan of {body['model']}."]
        if body["model"] == "bob":
            return ["I like them all."]
        return ['{"ranking": [1, 2]}' if before == 1 else "The plan."]

    news = """
        window.news = [];
        const note = (events) => events.forEach(({ addedNodes }) => addedNodes.forEach(({ data }) => window.news.push(data)));
        new MutationObserver(note).observe(document.getElementById("news"), { childList: true });
    """
    failed, made = {
        "council": ("gave no ranking, turn 2", "ranked the others"),
        "vote": ("could not answer", "has answered"),
    }[strategy]
    async with streaming(script) as endpoint:
        team = team_of(endpoint, strategy)
        if strategy == "council":
            with_cat(team)
            team["questions"] = {"kind": "text"}
        async with serving(tmp_path, team) as served:

            def watch() -> None:
                opened(browser, served.url)
                browser.execute_script(news)
                ask(browser, "Which?", f"two/{strategy}")
                until(browser, lambda page: page.execute_script("return window.news.length"))
                told = browser.execute_script("return window.news")
                assert any(each.startswith("bob") and failed.split(",")[0] in each for each in told), told
                assert not any(each.startswith("ann could not") for each in told)
                for _ in "as it is played", "when it is looked at again":
                    assert failed in seat(browser, 1)
                    assert made not in seat(browser, 1)
                    assert "could not" not in seat(browser, 0)
                    until(browser, lambda page: "#ep_" in page.current_url)
                    browser.refresh()
                    until(browser, lambda page: "call" in text(page, "cost"))

            await asyncio.to_thread(watch)


class Spoken(Wrapper):
    """Each says the same words to all that it is asked; one of them is waited for."""

    def __init__(self, name: str, model: Model, words: str, go: asyncio.Event) -> None:
        super().__init__(model)
        self.name, self._words, self._go = name, words, go

    async def generate(self, request: Request) -> Reply:
        if self.name == "cat":
            await self._go.wait()
        return Reply(self._words, cost_usd=0.01)


async def test_what_was_drafted_in_free_words_is_at_its_seat_before_the_verdict(tmp_path: Path, browser: Any) -> None:
    go = asyncio.Event()
    loop = asyncio.get_running_loop()
    words = "Rivers differ.\n\n**Answer:** The Nile"
    team = {**THREE, "strategies": ["peer-review"]}
    async with serving(tmp_path, team, wrap=lambda name, model: Spoken(name, model, words, go)) as served:

        def watch() -> None:
            put(browser, served.url, "Which river?")
            until(browser, lambda page: "has given its reasons" in seat(page, 0))
            assert "Answer: The Nile" in seat(browser, 0), "what it ends with"
            assert letters(browser) == ["", "", ""], "what it settles on is not read yet"
            loop.call_soon_threadsafe(go.set)
            until(browser, lambda page: text(page, "verdict") == "The Nile")
            assert [each.text for each in browser.find_elements(By.CSS_SELECTOR, ".seat .answer")] == ["The Nile"] * 3
            assert console(browser) == []

        await asyncio.to_thread(watch)


async def test_a_text_that_is_json_is_shown_as_it_was_written(tmp_path: Path, browser: Any) -> None:
    """Of a text question no draft is a form, in the play as when it is opened again."""
    words = '{"answer": "yes", "reasoning": "because", "port": 80}'
    async with (
        streaming(lambda body, before: [words]) as endpoint,
        serving(tmp_path, team_of(endpoint, "talkative")) as served,
    ):

        def whole() -> None:
            until(browser, lambda page: text(page, "verdict") == words)
            shown = [
                each.get_property("textContent") for each in browser.find_elements(By.CSS_SELECTOR, ".seat .answer")
            ]
            assert shown == [words] * 2
            replies = browser.find_elements(By.CSS_SELECTOR, "#transcript .text")
            assert [each.get_property("textContent").strip() for each in replies] == [words] * 3
            assert not browser.find_elements(By.CSS_SELECTOR, "#transcript p.quiet")

        def watch() -> None:
            opened(browser, served.url)
            browser.execute_script("document.getElementById('kind').value = 'text'")
            ask(browser, "Write a configuration.")
            whole()
            last = browser.execute_async_script(
                "const [text, plain, done] = arguments;"
                "const page = document.querySelector('script[type=module]').src;"
                "import(page.replace(/[^/]*$/, 'written.js')).then(({ lastWords }) => done(lastWords(text, plain)));",
                *(words, True),
            )
            assert last == words, "while it is being written too"
            browser.refresh()
            whole()
            assert console(browser) == []

        await asyncio.to_thread(watch)


@pytest.mark.parametrize("strategy", ["peer-review", "council"])
async def test_a_text_that_begins_like_a_form_is_shown_while_it_is_written(
    tmp_path: Path, browser: Any, strategy: str
) -> None:
    """At whichever stage it is written; a ranking of others' texts is a form, and its words are none of a text."""

    def script(body: dict[str, Any], before: int) -> list[Any]:
        if before == 0:
            return [f"The draft of {body['model']}."]
        if strategy == "council" and before == 1:
            return ['{"ranking": ', WAIT, "[1, 2]}"]
        return ['{"title": "A plan', WAIT, '", "port": 80}']

    async with streaming(script) as endpoint:
        team = team_of(endpoint, strategy)
        with_cat(team)
        team["questions"] = {"kind": "text"}
        async with serving(tmp_path, team) as served:
            loop = asyncio.get_running_loop()

            def watch() -> None:
                put(browser, served.url, "Write a configuration.")
                if strategy == "council":
                    until(browser, lambda page: "are ranking the others' drafts" in text(page, "because"))
                    assert "The draft of bob." in seat(browser, 1)
                    assert 'ranking":' not in seat(browser, 1)
                    on(endpoint, loop)
                until(browser, lambda page: '{"title": "A plan' in seat(page, 0))
                on(endpoint, loop)
                until(browser, lambda page: text(page, "verdict") == '{"title": "A plan", "port": 80}')
                assert console(browser) == []

            await asyncio.to_thread(watch)


@pytest.mark.parametrize("strategy", ["vote", "debate", "peer-review", "council"])
async def test_who_refused_or_said_nothing_that_can_be_read_has_done_nothing_at_its_seat(
    tmp_path: Path, browser: Any, strategy: str
) -> None:
    """What became of it and what it did stand side by side: neither denies the other, in the play and when it is opened again."""
    models = {name: dict(model) for name, model in THREE["models"].items()}
    models["bob"]["garble"] = models["cat"]["refuse"] = 1.0
    team = {**THREE, "models": models}
    team |= {"strategies": [strategy], "questions": {"kind": "text" if strategy == "council" else "open"}}
    failed = {"vote": "could not answer", "debate": "gave no argument", "peer-review": "could not answer"}
    async with serving(tmp_path, team) as served:

        def watch() -> None:
            opened(browser, served.url)
            ask(browser, "Which river is it?", f"three/{strategy}")
            for _ in "as it is played", "when it is looked at again":
                if strategy in failed:  # of a text nothing is read
                    assert "unanswered" in seat(browser, 1)
                    assert failed[strategy] in seat(browser, 1)
                    assert "has " not in seat(browser, 1)
                assert "refused" in seat(browser, 2)
                assert "declined" in seat(browser, 2)
                assert "has " not in seat(browser, 2)
                assert "rather not" not in seat(browser, 2), "a refusal is no answer, nor a text"
                assert letters(browser)[2] == ""
                until(browser, lambda page: "#ep_" in page.current_url)
                browser.refresh()
                until(browser, lambda page: "call" in text(page, "cost"))
            assert console(browser) == []

        await asyncio.to_thread(watch)
