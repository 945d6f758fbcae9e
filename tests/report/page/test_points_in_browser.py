"""A page of long answers that get points, in a real browser: nobody is right or wrong there, and the rubric can be read."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import moot
from moot import Case, Question, Request, ScriptedModel
from moot.rubric import Criterion

from .conftest import reread
from .test_ungraded_in_browser import Drawn, opened

RUBRIC = (Criterion("clear", 4, "One can <b>follow</b> it."), Criterion("sound", 6, "It is so."))


def points(request: Request) -> Any:
    given = (4, 6) if "splendid" in request.messages[-1].content else (1, 1.5)
    return {"criteria": [{"id": n, "reason": "so", "points": each} for n, each in enumerate(given, start=1)]}


def test_points_are_told_as_points(browser: Any, tmp_path: Path) -> None:
    texts = {"ann": "A splendid text.", "bob": "A text."}
    models = {name: ScriptedModel(name, lambda request, text=text: text) for name, text in texts.items()}
    cases = [Case(Question(f"q{n}", f"Write {n}.", kind="text"), "One.", rubric=RUBRIC) for n in range(2)]
    spec = {
        "name": "texts",
        "questions": cases,
        "models": {**models, "jim": ScriptedModel("jim", points)},
        "players": {name: {"model": name} for name in texts},
        "judge": {"models": ["jim"]},
        "strategies": ["solo"],
    }
    moot.run(spec, store=str(tmp_path / "texts.db"))
    page = opened(browser, tmp_path / "page.html", Drawn(asyncio.run(reread(tmp_path / "texts.db", "texts")), {}))
    page.js("document.querySelector('.row').click()")
    page.until(lambda: "25 % of the points" in page.js("return document.body.textContent") or page.js(
        "document.querySelectorAll('.chip')[1]?.click(); return false"))  # fmt: skip
    told = page.js("return document.body.textContent")
    for words in (
        "of the rubric's points",
        "share of points",
        "clear (4 points): One can <b>follow</b> it.",
        "One good answer",
    ):
        assert words in told
    words = page.js(
        "return document.body.innerText + [...document.querySelectorAll('[title]')].map((e) => e.title).join(' ')"
    )
    for word in ("partly right", "nobody was right", "fewest right", "wrong first", "right then"):
        assert word not in words, word
    assert "some of the points" in words
