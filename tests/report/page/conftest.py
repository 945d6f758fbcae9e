"""Runs with scripted players, played through the real path into stores, and the pages written from them."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from moot.engine.runner import Runner
from moot.experiment.build import build
from moot.experiment.spec import read_experiment
from moot.measures.section import Column, Section
from moot.models.scripted import Script, ScriptedModel
from moot.report.figures import find_experiment
from moot.report.page import RunPage, read_run
from moot.report.page.run import write_page
from moot.report.transcript import Transcript, transcripts
from moot.store import store_at
from moot.types import Reply, Request

PLAYERS = ("ann", "bob", "cat")
FILLERS = 90
LONG = 1_000_000
WIDE = (1400, 900)

HOSTILE = "".join(
    (
        "<script>window.pwned = 1</script></script><!-- <script> --></style><style>*{display:none}</style>",
        "<img src=x onerror=\"window.pwned = 2\"><a href='javascript:window.pwned = 3'>click</a>{{script}}&lt;b&gt;",
        "\u202eright to left\u2066 \x07\x00 ${pwned} `pwned` ]]> \u2028 end",
    )
)

DRAFTS: Mapping[str, tuple[str, str, str, str]] = {
    # what ann, bob and cat say alone, and what every captain says
    "agree": ("Paris", "Paris", "Paris", "Paris"),
    "rescue": ("Rome", "Paris", "Paris", "Paris"),
    "regress": ("Paris", "Rome", "Rome", "Rome"),
    "wrong": ("Rome", "Rome", "Rome", "Rome"),
    "refused": ("Paris", "Paris", "", "Paris"),
    "hostile": (HOSTILE, "Paris", "x" * LONG, HOSTILE),
}


@dataclass(frozen=True)
class Written:
    """A page, what it was made from, and what the store says of its questions."""

    path: Path
    run: RunPage
    transcripts: Mapping[str, Sequence[Transcript]]

    @property
    def url(self) -> str:
        return self.path.as_uri()


def lines() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = [
        {"id": name, "text": f"Which city is meant by {name}?", "answer": "Paris", "category": "named"}
        for name in DRAFTS
    ]
    rows[0] |= {"human": {"solved": 301, "asked": 390}, "comment": "A comment that nobody was shown."}
    hostile = HOSTILE.replace("\x00", "")  # which no file may hold; a model may say it
    rows[-1] |= {"text": f"Hostile: {hostile}", "category": "</option><script>window.pwned = 4</script>"}
    rows += [
        {"id": f"filler-{number}", "text": f"Filler number {number}?", "answer": "Paris", "category": "filler"}
        for number in range(FILLERS)
    ]
    return rows


def player(name: str) -> Callable[[Request], Script]:
    def say(request: Request) -> Script:
        *alone, together = DRAFTS.get(request.question_id or "", ("Paris", "Rome", "Paris", "Paris"))
        captain = re.search(r"<answer n=", request.messages[-1].content)
        said = together if captain else alone[PLAYERS.index(name)]
        if not said:
            return Reply("I would rather not.", finish="refusal", cost_usd=0.0)
        return {"reasoning": f"{name} thinks so of {request.question_id}.", "answer": said}

    return say


def play(folder: Path, name: str = "cup", **more: Any) -> Written:
    folder.mkdir(exist_ok=True)
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, lines())), encoding="utf-8")
    spec = {
        "name": name,
        "seed": 3,
        "questions": {"file": "questions.jsonl"},
        "models": {each: {"provider": "simulated", "accuracy": 0.5} for each in PLAYERS},
        "teams": {"three": {"players": list(PLAYERS), "captain": "each"}},
        "strategies": ["solo", "vote", "talkative"],
        **more,
    }
    path = folder / f"{name}.yaml"
    path.write_text(json.dumps(spec), encoding="utf-8")
    return asyncio.run(_play(path, name))


async def _play(path: Path, name: str) -> Written:
    plan = build(read_experiment(path))
    scripted = {each: ScriptedModel(each, player(each)) for each in PLAYERS}
    models = {each: replace(built, model=scripted[each]) for each, built in plan.models.items()}
    store = await plan.store().open()
    try:
        await Runner(replace(plan, models=models), store).run()
        run = await store.run(lambda connection: read_run(connection, find_experiment(connection, name)))
        told = {
            question: await store.run(
                lambda connection, question=question: transcripts(  # type: ignore[misc]
                    connection, find_experiment(connection, name), question
                )
            )
            for question in DRAFTS
        }
    finally:
        await store.close()
    page = path.with_suffix(".html")
    write_page(page, run.figures, run.sections, run.questions)
    return Written(page, run, told)


async def reread(path: Path, name: str) -> RunPage:
    store = await store_at(f"sqlite:///{path}").open()
    try:
        return await store.run(lambda connection: read_run(connection, find_experiment(connection, name)))
    finally:
        await store.close()


@pytest.fixture(scope="session")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Written:
    return play(tmp_path_factory.mktemp("cup"))


@pytest.fixture(scope="session")
def marked(cup: Written) -> Written:
    """The same page with an undecided and a disputed verdict, which these strategies do not give."""
    columns = dict(cup.run.questions.columns)
    place = columns["ids"].index("filler-7")
    columns["outcomes"] = [_put(each, place, "d") for each in columns["outcomes"]]
    columns["grades"] = [_put(each, place, "!") for each in columns["grades"]]
    questions = replace(cup.run.questions, columns=columns)
    path = cup.path.with_name("marked.html")
    write_page(path, cup.run.figures, cup.run.sections, questions)
    return replace(cup, path=path)


@pytest.fixture(scope="session")
def pair(cup: Written, tmp_path_factory: pytest.TempPathFactory) -> Written:
    """Two runs side by side; the second has no vote and is played with another seed."""
    other = play(tmp_path_factory.mktemp("other"), "other", strategies=["solo", "talkative"], seed=4)
    path = cup.path.with_name("pair.html")
    both = Section("differences", "What differs", ("Little.",), (Column("what", "what"),), [{"what": "the seed"}])
    write_page(path, cup.run.figures, cup.run.sections, cup.run.questions, beside=other.run, between=[both])
    return replace(cup, path=path)


@pytest.fixture(scope="session")
def ways(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """Two ways of one strategy, alike in one of their options."""
    options = {"captain": "ann", "drafts": "single-call"}
    strategies = [{"peer-review": options}, {"peer-review": {**options, "names": "shown"}}]
    return play(tmp_path_factory.mktemp("ways"), "ways", strategies=strategies)


def _put(text: str, place: int, letter: str) -> str:
    return text[:place] + letter + text[place + 1 :]


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """One headless Chromium for all tests of a process."""
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if not chromium or not driver:
        pytest.skip("needs chromium and chromedriver: apt-get install chromium chromium-driver")
    selenium = pytest.importorskip("selenium.webdriver", reason="needs selenium: pip install selenium")
    from selenium.webdriver.chrome.service import Service

    options = selenium.ChromeOptions()
    options.binary_location = chromium
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    opened = selenium.Chrome(options=options, service=Service(driver))
    opened.execute_cdp_cmd("Network.enable", {})
    yield opened
    opened.quit()


class Page:
    """A page as its reader meets it."""

    def __init__(self, browser: Any) -> None:
        self.browser = browser

    def open(self, written: Written, fragment: str = "", size: tuple[int, int] = WIDE) -> Page:
        metrics = {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        self.browser.get("about:blank")
        self.browser.get(written.url + fragment)
        self.until(lambda: self.js("return document.documentElement.dataset.ready === 'true'"))
        return self

    def js(self, script: str, *arguments: Any) -> Any:
        return self.browser.execute_script(script, *arguments)

    def until(self, done: Callable[[], Any], seconds: float = 120) -> Any:
        end = time.monotonic() + seconds
        while not (found := done()):
            assert time.monotonic() < end, f"not in time; the page says: {self.text('#trouble')}"
            time.sleep(0.02)
        return found

    def find(self, selector: str) -> Any:
        return self.browser.find_element("css selector", selector)

    def all(self, selector: str) -> list[Any]:
        return list(self.browser.find_elements("css selector", selector))

    def text(self, selector: str) -> str:
        return str(self.js("return document.querySelector(arguments[0])?.textContent ?? ''", selector))

    def texts(self, selector: str) -> list[str]:
        return list(self.js("return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent)", selector))

    def ids(self) -> list[str]:
        """The rows in sight, by the names of their questions, from top to bottom."""
        script = """return [...document.querySelectorAll('.row')]
          .sort((a, b) => a.dataset.place - b.dataset.place).map((row) => row.querySelector('.row-id').textContent)"""
        return list(self.js(script))

    def press(self, key: str) -> None:
        from selenium.webdriver.common.action_chains import ActionChains

        ActionChains(self.browser, duration=0).send_keys(key).perform()

    def flag(self, name: str) -> None:
        self.find(f'[data-flag="{name}"]').click()

    def choose(self, control: str, value: str) -> None:
        script = """const select = document.getElementById(arguments[0]); select.value = arguments[1];
          select.dispatchEvent(new Event('change')); return select.value"""
        assert self.js(script, control, value) == value

    def search(self, words: str) -> None:
        box = self.find("#search")
        box.clear()
        box.send_keys(words)

    def opened(self) -> str:
        self.until(lambda: self.js("return !document.getElementById('transcript').hidden"))
        return self.text("#transcript-title")


@pytest.fixture
def page(browser: Any) -> Page:
    return Page(browser)


def drawn(page: Page, cup: Written, *sections: Section, size: tuple[int, int] = WIDE) -> None:
    path = cup.path.with_name("drawn.html")
    write_page(path, cup.run.figures, sections, cup.run.questions)
    page.open(replace(cup, path=path), size=size)
