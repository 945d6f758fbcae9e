"""The list of questions in a real browser, on runs with ungraded answers and scores of parts: it says what the tables say."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from worlds import in_form, number_of

import moot
from moot import Case, Question, ScriptedModel
from moot.report.page import RunPage
from moot.report.page.run import write_page

from .conftest import reread
from .test_in_browser import WIDE, Page

REFERENCE = "old grey Paris town"
HALL, PART, NONE, OPEN = f"{REFERENCE} hall", "Paris", "Rome", "Unk"
"""Worth 0.889 and 0.4 by the words in common, nothing, and whatever a judge who does not speak may say one day."""

FIRST = {
    "ann": (REFERENCE, HALL, PART, NONE, OPEN, NONE, OPEN, REFERENCE),
    "bob": (REFERENCE, PART, HALL, NONE, NONE, NONE, OPEN, OPEN),
}
SECOND = {
    "ann": (NONE, HALL, HALL, NONE, NONE, OPEN, REFERENCE, REFERENCE),
    "bob": (NONE, PART, PART, NONE, NONE, OPEN, REFERENCE, NONE),
}
COUNT = 8
OPEN_QUESTIONS = (4, 5, 6, 7)
"""Graded by match and judge; the others by the words in common."""


def cases() -> list[Case]:
    scored = {number: {} if number in OPEN_QUESTIONS else {"score": "f1"} for number in range(COUNT)}
    return [
        Case(Question(f"q{number}", f"Which town {number}?"), REFERENCE, meta=meta) for number, meta in scored.items()
    ]


@dataclass(frozen=True)
class Drawn:
    run: RunPage
    values: Mapping[str, Sequence[float | None]]
    """By question, from the table of episodes: what each answer is worth; None: ungraded."""


def play(folder: Path, name: str, words: Mapping[str, Sequence[str]]) -> Drawn:
    def judge(request: Any) -> Any:
        said = repr(request.messages)
        return "cannot say" if OPEN in said else {"grades": [{"id": 1, "is_correct": False}]}

    models = {
        **{
            player: ScriptedModel(player, lambda request, own=own: in_form(request, own[number_of(request)]))
            for player, own in words.items()
        },
        "jim": ScriptedModel("jim", judge),
    }
    store = folder / f"{name}.db"
    spec = {
        "name": name,
        "questions": cases(),
        "models": models,
        "players": {player: {"model": player} for player in words},
        "judge": {"models": ["jim"]},
        "strategies": ["solo"],
    }
    results = moot.run(spec, store=str(store))
    values: dict[str, list[float | None]] = {}
    for row in results.frame("episodes").to_dicts():
        values.setdefault(row["question_id"], []).append(row["value"])
    return Drawn(asyncio.run(reread(store, name)), values)


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[Drawn, Drawn]:
    folder = tmp_path_factory.mktemp("ungraded")
    return play(folder, "first", FIRST), play(folder, "second", SECOND)


def opened(browser: Any, path: Path, one: Drawn, other: Drawn | None = None) -> Page:
    write_page(path, one.run.figures, one.run.sections, one.run.questions, beside=other and other.run)
    page = Page(browser)
    metrics = {"width": WIDE[0], "height": WIDE[1], "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    browser.get("about:blank")
    browser.get(path.as_uri())
    page.until(lambda: page.js("return document.documentElement.dataset.ready === 'true'"))
    return page


def shares(page: Page) -> dict[str, list[str]]:
    script = """return Object.fromEntries([...document.querySelectorAll('.row')].map((row) => [
      row.querySelector('.row-id').textContent, [...row.querySelector('.row-share').children].map((e) => e.textContent)]))"""
    return dict(page.js(script))


def percent(values: Sequence[float | None]) -> str:
    graded = [value for value in values if value is not None]
    if not graded:
        return "–"
    return f"{100 * sum(graded) / len(graded):.0f} %" + ("*" if len(graded) < len(values) else "")


def flagged(page: Page, flag: str) -> set[str]:
    if not page.all(f'[data-flag="{flag}"]'):
        return set()
    page.flag(flag)
    found = set(page.ids())
    page.flag(flag)
    return found


def mean(values: Sequence[float | None]) -> float | None:
    graded = [value for value in values if value is not None]
    return sum(graded) / len(graded) if graded else None


def test_the_list_says_what_the_table_of_episodes_says(browser: Any, both: tuple[Drawn, Drawn], tmp_path: Path) -> None:
    first = both[0]
    values = first.values
    assert sorted({value for own in values.values() for value in own if value not in (None, 0, 1)}) == [
        pytest.approx(0.4),
        pytest.approx(8 / 9),
    ]
    assert values["q6"] == [None, None]
    page = opened(browser, tmp_path / "page.html", first)
    assert shares(page) == {question: [percent(own)] for question, own in values.items()}
    assert flagged(page, "wrong") == {"q3", "q5"}, "and not q4, of which one answer is ungraded, nor q6"
    assert flagged(page, "ungraded") == {"q4", "q6", "q7"}
    known = {question: of for question, own in values.items() if (of := mean(own)) is not None}
    for order, sign in (("hardest", 1), ("easiest", -1)):
        page.choose("sort", order)
        assert page.ids() == [*sorted(known, key=lambda question: sign * known[question]), "q6"]
    strips = page.js(
        "return Object.fromEntries([...document.querySelectorAll('.row')].map((row) => ["
        "row.querySelector('.row-id').textContent, row.querySelector('.strip').getAttribute('aria-label')]))"
    )
    assert (strips["q6"], strips["q4"], strips["q0"]) == ("right 0 of 0", "right 0 of 1", "right 2 of 2")
    assert page.js("return document.querySelectorAll('.strip .open').length") == 3, "hollow where nobody knows"


def test_two_runs_differ_where_both_are_graded(browser: Any, both: tuple[Drawn, Drawn], tmp_path: Path) -> None:
    first, second = both
    page = opened(browser, tmp_path / "page.html", first, second)
    assert shares(page) == {
        question: [percent(first.values[question]), percent(second.values[question])] for question in first.values
    }
    assert flagged(page, "differ") == {"q0"}, "of q4 to q7 an answer is ungraded, and the others are worth the same"
    assert flagged(page, "wrong") == {"q3"}, "q5 is wrong in one run and ungraded in the other"
