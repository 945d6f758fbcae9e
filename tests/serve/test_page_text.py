"""What models write, in a real browser: markdown, code and mathematics are shown as meant, and nothing else of it acts."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import By, Keys, ask, asked, browsing, console, hushed, needs_browser, opened, requested, text, until
from served import THREE, serving
from stub_endpoint import answering

from moot.models.model import Wrapper
from moot.serve.history import FILES
from moot.serve.page_files import PAGE
from moot.types import Reply, Request

VOTE = {**THREE, "strategies": ["vote"]}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with browsing() as driver:
        yield driver


class Saying(Wrapper):
    """Says the same in every part of its reply, whatever it is asked."""

    words = ""

    async def generate(self, request: Request) -> Reply:
        return Reply(json.dumps({"reasoning": self.words, "answer": self.words}), cost_usd=0.0)


def saying(words: str) -> Any:
    def wrap(name: str, model: Any) -> Any:
        made = Saying(model)
        made.words = words
        return made

    return wrap


WRITTEN = r"""## A plan

We begin **small**; see [the guide](https://example.org/guide). It costs $5 or $10.

| week | who |
| --- | --- |
| 1 | Ann |

```python
def share(right: int) -> float:
    return right / 2  # half
```

With \(n\) or $p$:

$$
E[X] = \sum_{i=1}^{n} x_i
- \frac{1}{2}
$$
"""

DRAWN = """
    const drawn = document.getElementById("answer");
    const all = (kind) => [...drawn.querySelectorAll(kind)];
    return {
        heading: all("h4").map((each) => each.textContent),
        cells: all("td").map((each) => each.textContent),
        keyword: all("pre .hljs-keyword").map((each) => each.textContent),
        formulas: all("math").length,
        large: all("math[display=block] mfrac").length,
        links: all("a").map((each) => [each.href, each.target, each.rel]),
        styled: all("[style]").length,
        words: drawn.textContent,
    };
"""


@needs_browser
async def test_markdown_code_and_mathematics_are_shown_as_meant(tmp_path: Path, browser: Any) -> None:
    async with serving(tmp_path, VOTE, wrap=saying(WRITTEN)) as served:

        def watch() -> None:
            hushed(browser)
            asked(browser, served.url, "Plan?")
            until(browser, lambda page: page.find_elements(By.CSS_SELECTOR, "#answer math"))
            drawn = browser.execute_script(DRAWN)
            assert drawn["heading"] == ["A plan"], "below the headings of the page"
            assert drawn["cells"] == ["1", "Ann"]
            assert drawn["keyword"] == ["def", "return"]
            assert drawn["formulas"] == 3
            assert drawn["large"] == 1, "a line of a formula that begins with a minus is no list"
            assert drawn["links"] == [["https://example.org/guide", "_blank", "noopener noreferrer"]]
            assert drawn["styled"] == 0
            assert "It costs $5 or $10." in drawn["words"]
            assert "**" not in text(browser, "transcript")
            assert text(browser, "verdict") == "A plan …"
            assert all(url.startswith((served.url, "data:")) for url in requested(browser))
            assert console(browser) == [], "the policy of the page is kept"

        await asyncio.to_thread(watch)


OWN = "document.title='owned'"
HOSTILE = [
    f"<script>{OWN}</script>",
    f'<img src="http://198.51.100.1/seen.png" onerror="{OWN}">',
    "![seen](http://198.51.100.1/seen.png)",
    "![seen](data:image/svg+xml;base64,PHN2Zy8+)",
    f"[click](javascript:{OWN})",
    f"[click](JaVa&#10;ScRiPt&colon;{OWN})",
    f"<javascript:{OWN}>",
    "[click](data:text/html,<script>alert(1)</script>)",
    f"[click](vbscript:{OWN})",
    f'[click](https://example.org "x\\" onmouseover=\\"{OWN}")',
    f"[ref]\n\n[ref]: javascript:{OWN}",
    f'<svg onload="{OWN}"><animate onbegin="{OWN}" attributeName=x></svg>',
    f'<math href="javascript:{OWN}"><mtext><table><mglyph><style><img src=x onerror="{OWN}"></style></mglyph></table></mtext>',
    f'<form><math><mtext></form><form><mglyph><style></math><img src onerror="{OWN}">',
    f'<noscript><p title="</noscript><img src=x onerror={OWN}>"></noscript>',
    f'<a id="<b>"><template><s>000</s><style><!--</style><img src=x onerror={OWN}>--></template></a>',
    "<style>* { display: none !important }</style><link rel=stylesheet href=http://198.51.100.1/a.css>",
    "<base href=http://198.51.100.1/><meta http-equiv=refresh content='0;url=http://198.51.100.1/'>",
    f"<iframe srcdoc='<script>parent.{OWN}</script>'></iframe><object data=http://198.51.100.1/></object>",
    "<input id=question name=body autofocus><form id=ask action=http://198.51.100.1/>",
    rf"$\href{{javascript:{OWN}}}{{x}}$ $\url{{javascript:{OWN}}}$ $\includegraphics{{http://198.51.100.1/seen.png}}$",
    r"$\htmlStyle{position:fixed;inset:0}{x}$ $\htmlClass{skip}{x}$ $\htmlId{question}{x}$ $\htmlData{a=b}{x}$",
    rf"$\text{{<img src=x onerror={OWN}>}}$ $$<script>{OWN}</script>$$ $\unicode{{x3c}}$",
    r"$\color{red}\kern-99em\rule{99em}{99em}$ $\def\a{\a\a}\a$",
    f"```html onmouseover={OWN}\n<img src=x onerror={OWN}>\n```",
    f'```"><img/src=x/onerror={OWN}>\nx\n```',
    "&lt;img src=x onerror=alert(1)&gt; &#60;script&#62; &#8238;&#x2066; \u202eevil\u2066",
]

FOUND = """
    const kept = new Set(arguments[0].split(" "));
    const shown = "#answer, #transcript .text, #verdict, #because, #asked, #history, #changes, #ballots, #seats, #turns";
    const given = "#given-question, #given-choices, #given-context .whole";
    const places = [...document.querySelectorAll(`${shown}, ${given}, .of-player`)];
    const rich = (each) => each.parentElement.closest(".rich");
    const drawn = places.flatMap((place) => [...place.querySelectorAll("*")]);
    const named = (each) => [...each.attributes].map(({ name }) => name);
    return {
        places: places.length,
        strange: drawn.map((each) => each.localName).filter((name) => !kept.has(name)),
        acting: drawn.flatMap(named).filter((name) => /^on|^id$|^name$|^src|^action|^xlink/.test(name)),
        styled: drawn.filter((each) => each.hasAttribute("style") && !each.classList.contains("seat")).length,
        classes: drawn.filter(rich).flatMap((each) => [...each.classList]).filter((name) => !name.startsWith("hljs-")),
        leading: drawn.filter((each) => each.hasAttribute("href")).map((each) => [each.localName, each.protocol, each.rel]),
        outside: drawn.filter((each) => rich(each) && getComputedStyle(each).position !== "static").length,
        title: document.title,
        marks: document.querySelector("main").textContent.match(/[\\u202e\\u2066]/),
        rendered: document.querySelectorAll(".rich").length,
    };
"""
KEPT = (
    "p br hr h3 h4 h5 h6 strong em s code pre blockquote ul ol li table thead tbody tfoot tr th td a span div bdi b button "
    "details summary "
    "math mrow mi mn mo ms mtext mspace msub msup mfrac mstyle mpadded"
)


@needs_browser
async def test_hostile_text_acts_in_no_place(tmp_path: Path, browser: Any) -> None:
    """As a question, an answer, a reason and a draft; while it is watched and when it is looked at again."""
    words = "\n\n".join(HOSTILE)

    def check() -> None:
        browser.execute_script("for (const tab of document.querySelectorAll('#tabs [role=tab]')) tab.click()")
        until(browser, lambda page: page.execute_script(FOUND, KEPT)["rendered"] >= 4)
        found = browser.execute_script(FOUND, KEPT)
        assert found["places"] >= 10
        for part in ("strange", "acting", "classes"):
            assert found[part] == [], part
        assert found["styled"] == found["outside"] == 0
        assert {tuple(each) for each in found["leading"]} <= {
            ("a", "https:", "noopener noreferrer"),
            ("a", "http:", "noopener noreferrer"),
        }
        assert found["leading"], "links that are none of these are kept"
        assert "owned" not in found["title"]
        assert found["marks"] is None
        assert browser.switch_to.active_element.get_attribute("name") != "body"

    # Through an endpoint, whose replies are kept: so that they are shown again as well.
    with answering(json.dumps({"reasoning": words, "answer": words})) as address:
        models = {name: {"provider": "endpoint", "base_url": address, "model": name} for name in THREE["models"]}
        async with serving(tmp_path, {**VOTE, "models": models}) as served:

            def watch() -> None:
                hushed(browser)
                opened(browser, served.url)
                browser.execute_script("document.getElementById('question').value = arguments[0]", words)
                browser.find_element(By.ID, "question").send_keys(Keys.ENTER)
                until(browser, lambda page: "call" in text(page, "cost"))
                check()
                opened(browser, served.url)
                until(browser, lambda page: page.find_elements(By.CSS_SELECTOR, "#history button"))[0].click()
                until(browser, lambda page: "call" in text(page, "cost"))
                check()
                assert all(url.startswith((served.url, "data:")) for url in requested(browser))
                assert console(browser) == [], "not even the policy had anything to stop"

            await asyncio.to_thread(watch)


RENDER = """
    const [words, done] = arguments;
    import("/page/rich.js").then(({ rich }) => {
        const place = document.body.appendChild(document.createElement("div"));
        const begun = performance.now();
        let last = begun, longest = 0;
        const beat = setInterval(() => { longest = Math.max(longest, performance.now() - last); last = performance.now(); }, 10);
        rich(place, words);
        const rendered = () => place.classList.contains("rich");
        const end = () => {
            clearInterval(beat);
            done([rendered(), longest, place.textContent.length]);
            place.remove();
        };
        const look = () => (rendered() || performance.now() - begun > 2500 ? end() : setTimeout(look, 10));
        look();
    });
"""
SHOW_ALL = """
    const [words, done] = arguments;
    import("/page/rich.js").then(({ rich }) => {
        const place = document.body.appendChild(document.createElement("div"));
        place.className = "whole";
        rich(place, words);
        const button = place.querySelector("button"), told = button.textContent;
        let last = performance.now(), longest = 0;
        const beat = setInterval(() => { longest = Math.max(longest, performance.now() - last); last = performance.now(); }, 10);
        button.click();
        setTimeout(() => { clearInterval(beat); done([told, longest, place.textContent.length]); place.remove(); }, 1500);
    });
"""
MANY = 5_000
NESTED = {
    "brackets": "[" * MANY,
    "links": "[a](" * MANY,
    "stars": "*a **b " * MANY,
    "quotes": ">" * MANY + " deep",
    "ticks": "".join("`" * (1 + n % 90) + "a" for n in range(MANY // 4)),
    "dollars": "$a" * MANY,
    "openings": "\\(" * MANY,
    "lists": "\n".join("  " * n + "- a" for n in range(300)),
    "angles": "<a" * MANY + "<!--" * MANY,
    "table": "|" * 200 + "\n" + "|-" * 200 + "|\n" + ("|" * 200 + "\n") * 200,
    "formula": "$" + "{" * 900 + "x" + "}" * 900 + "$",
    "macros": r"$\def\a{\b\b}\def\b{\c\c}\def\c{\d\d}\def\d{\e\e}\def\e{xxxxxxxx}" + r"\a" * 400 + "$",
    "fence": "```json\n" + '{"a":' * 3_000,
}
LEAST = {"table": 0, "formula": 0, "macros": 800, "dollars": 5_000, "openings": 4_999, "lists": 300}
"""Characters that are left to read, where marks are what a text is made of."""

STOOD_STILL_MS = 2_500
"""Where the work is done in the page itself it takes many times as long."""


def calmest(browser: Any, script: str, words: str) -> tuple[Any, float, int]:
    """The same again where the page stood still: a machine that has no time for it hardly has none five times."""
    tries = []
    while not tries or (tries[-1][1] >= STOOD_STILL_MS and len(tries) < 5):
        tries.append(browser.execute_async_script(script, words))
    found, longest_ms, length = min(tries, key=lambda each: each[1])
    return found, longest_ms, length


@needs_browser
async def test_no_text_holds_the_page_up(tmp_path: Path, browser: Any) -> None:
    async with serving(tmp_path, VOTE) as served:

        def watch() -> None:
            opened(browser, served.url)
            assert browser.execute_async_script(RENDER, "**warm**")[0]
            for name, words in NESTED.items():
                _, longest_ms, length = calmest(browser, RENDER, words)
                assert longest_ms < STOOD_STILL_MS, f"{name}: the page stood still"
                assert length > LEAST.get(name, len(words) // 3), f"{name}: and it is to be read"
            assert browser.execute_async_script(RENDER, "**end**")[0], "what comes after is rendered"
            rendered, _, length = browser.execute_async_script(RENDER, "*a* " * 15_001)
            assert (rendered, length) == (False, 60_004), "what is too long is shown as it was written"
            for name, words in {
                "words": "*word* " * 300_000,
                "one word": "x" * 2_000_000,
                "lines": "a\n" * 1_000_000,
            }.items():
                rendered, longest_ms, length = calmest(browser, RENDER, words)
                assert longest_ms < STOOD_STILL_MS, f"{name}: the page stood still"
                assert (rendered, length // 1_000) == (False, 100), "its beginning, and how to see the rest"
            told, longest_ms, length = calmest(browser, SHOW_ALL, "word " * 400_000)
            assert told == "Show all 2,000,000 characters as plain text"
            assert longest_ms < STOOD_STILL_MS, "the page stood still"
            assert length == 2_000_000

        await asyncio.to_thread(watch)


HANG = """
    const Real = window.Worker;
    window.made = 0;
    window.Worker = class {
        constructor(path) {
            window.made += 1;
            if (window.made > 1) return new Real(path);
            setTimeout(() => this.onmessage({ data: { ready: true } }));
        }
        postMessage() {}
        terminate() { window.ended = true; }
    };
"""


@needs_browser
async def test_a_text_that_takes_too_long_is_given_up(tmp_path: Path, browser: Any) -> None:
    async with serving(tmp_path, VOTE) as served:

        def watch() -> None:
            opened(browser, served.url)
            browser.execute_script(HANG)
            assert browser.execute_async_script(RENDER, "**for ever**")[0] is False
            assert browser.execute_script("return window.ended")
            assert browser.execute_async_script(RENDER, "**soon**")[0], "by another worker"

        await asyncio.to_thread(watch)


def test_what_others_wrote_is_as_they_published_it() -> None:
    told = (PAGE / "vendor" / "README.md").read_text(encoding="utf-8")
    sums = dict(re.findall(r"^\| `([^`]+)` .*`([0-9a-f]{64})` \|$", told, re.MULTILINE))
    shipped = {path.name: path for path in (PAGE / "vendor").glob("*.js")}
    assert sums == {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in shipped.items()}
    assert {f"vendor/{name}" for name in shipped} <= set(FILES), "and is served"
    for licence in re.findall(r"`(LICENSE\.[a-z.-]+)`", told):
        assert (PAGE / "vendor" / licence).stat().st_size > 500
    assert sum(path.stat().st_size for path in (PAGE / "vendor").iterdir()) < 1_000_000


async def test_a_text_is_offered_no_comparison_with_an_answer(tmp_path: Path, browser: Any) -> None:
    """No text is wrong for differing from a good one, and nobody counts them: it is right or wrong as somebody says."""
    async with serving(tmp_path, {**THREE, "strategies": ["talkative"]}) as served:

        def offered() -> list[str]:
            script = """return [...document.querySelectorAll("#feedback :is(button, input)")]
                .filter((each) => each.offsetParent).map((each) => each.id || each.textContent)"""
            return list(browser.execute_script(script))

        def titles() -> list[str]:
            return [each.get_attribute("title") for each in browser.find_elements(By.CSS_SELECTOR, ".badge")]

        def watch() -> None:
            opened(browser, served.url)
            browser.execute_script("document.getElementById('ways').open = true")
            browser.execute_script("document.getElementById('kind').value = 'text'")
            ask(browser, "Plan?")
            buttons = ["The team was right", "It was wrong"]
            assert offered() == buttons
            assert titles() == ["text A", "text B", "text C"]
            until(browser, lambda page: "#ep_" in page.current_url)
            browser.refresh()
            until(browser, lambda page: "call" in text(page, "cost"))
            assert (offered(), titles()) == (buttons, ["text A", "text B", "text C"]), "and when it is looked at again"
            browser.find_element(By.CSS_SELECTOR, "[data-correct=true]").click()
            until(browser, lambda page: text(page, "learnt") == "Kept: the team was right.")
            asked(browser, served.url, "Which?")
            assert offered() == [*buttons, "right", "Keep it"]
            assert all(title.startswith("group ") for title in titles())
            assert console(browser) == []

        await asyncio.to_thread(watch)
