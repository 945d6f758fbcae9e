"""What a reader sees without scrolling, at a desk and on a phone: the verdict, the picture beside it, tables that fit."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from moot.measures.numbers import bounds, shown
from moot.measures.section import Chart, Column, Section
from moot.report.page.picture import picture
from moot.report.page.run import write_page
from moot.report.sections import all_sections

from .conftest import Page, Written, drawn, play

DESK = (1280, 800)
LARGE_DESK = (1440, 900)
PHONE = (390, 844)

BOX = """const [selector] = arguments;
return [...document.querySelectorAll(selector)].map((each) => {
  const { left, top, right, bottom } = each.getBoundingClientRect();
  return { left, top, right, bottom };
});"""


@pytest.fixture(scope="session")
def declared(tmp_path_factory: pytest.TempPathFactory) -> Written:
    return play(tmp_path_factory.mktemp("declared"), "declared", primary="vote@bob")


def figures_of(written: Written, **changed: Any) -> dict[str, Any]:
    return copy.deepcopy({**written.run.figures, **changed})


def written_with(written: Written, figures: Mapping[str, Any], name: str) -> Written:
    path = written.path.with_name(f"{name}.html")
    write_page(path, figures, all_sections(figures), written.run.questions)
    return replace(written, path=path)


def of_six(figures: dict[str, Any]) -> dict[str, Any]:
    """As many rows as six players and six strategies have, under other names."""
    for copied in range(3):
        rows = copy.deepcopy(figures["accuracy"][:9])
        for row in rows:
            row |= {key: f"{row[key]}-{copied}" for key in ("player", "captain") if row.get(key)}
        figures["accuracy"] += rows
    assert len(figures["accuracy"]) == 36
    return figures


@pytest.mark.parametrize("size", [DESK, LARGE_DESK])
def test_verdict_and_picture_share_the_first_screen(page: Page, declared: Written, size: tuple[int, int]) -> None:
    figures = of_six(figures_of(declared))
    page.open(written_with(declared, figures, "six"), size=size)
    (verdict,), (drawing,), (caption,) = (
        page.js(BOX, selector) for selector in (".verdict", ".picture svg", ".picture figcaption")
    )
    for box in (verdict, drawing, caption):
        assert 0 <= box["left"] < box["right"] <= size[0]
        assert 0 <= box["top"] < box["bottom"] <= size[1]
    assert verdict["right"] <= drawing["left"]
    labels = page.js(BOX, ".picture .label")
    assert len(labels) == 36
    assert all(box["left"] >= drawing["left"] - 1 for box in labels)
    assert all(one["bottom"] <= two["top"] + 4 for one, two in pairwise(labels))


def test_the_picture_has_the_rows_of_the_table_and_marks_two(page: Page, declared: Written) -> None:
    page.open(declared, size=DESK)
    (section,) = (each for each in declared.run.sections if each.id == "accuracy")
    told = [
        f"{row['name']}: {shown(row['value'], 'share')} {bounds(row['low'], row['high'], 'share')}"
        for row in section.rows
    ]
    assert page.texts(".picture .figure-value title") == told
    assert page.texts(".picture .label") == [row["name"] for row in section.rows]
    assert len(page.all(".picture .whisker")) == len(section.rows)
    single = declared.run.figures["headline"]["over_best_single"]["single"]
    assert page.texts(".picture .label.strong") == [f"solo@{single}", "vote@bob"]
    assert page.texts(".picture .tag-word") == ["best single", "primary"]
    assert f"Primary: vote@bob, declared in advance; best single: solo@{single}." in page.text(".picture figcaption")


def test_of_more_rows_than_fit_it_is_said_which_are_drawn(page: Page, declared: Written) -> None:
    figures = of_six(figures_of(declared))
    figures["accuracy"] += [{**row, "label": f"{row['label']}-again"} for row in figures["accuracy"]]
    page.open(written_with(declared, figures, "many"), size=DESK)
    labels = page.texts(".picture .label")
    assert 20 < len(labels) < 72
    assert "vote@bob" in labels
    told = f"{len(labels)} of 72 rows: those that the verdict names, then the best, picked afterwards."
    assert told in page.text(".picture figcaption")
    assert page.js(BOX, ".picture figcaption")[0]["bottom"] <= DESK[1]


def test_a_run_that_was_cut_short_has_no_intervals_in_its_picture(page: Page, declared: Written) -> None:
    figures = figures_of(declared)
    figures["headline"] |= {"cut_short": True, "low": None, "high": None}
    page.open(written_with(declared, figures, "cut"), size=DESK)
    assert len(page.all(".picture .mark")) == 9
    assert page.all(".picture .whisker") == []
    assert not any("(" in title for title in page.texts(".picture .figure-value title"))
    assert "No intervals are drawn: the run was cut short" in page.text(".picture figcaption")


def test_ungraded_answers_are_drawn_as_bounds(page: Page, declared: Written) -> None:
    figures = figures_of(declared)
    known, unknown = figures["accuracy"][:2]
    known |= {"ungraded": 4, "bounds": {"low": 0.9, "high": 0.98}}
    unknown |= {"ungraded": 50, "bounds": {"low": 0.2, "high": 0.7}, "why": "most of it waits"}
    unknown |= {"value": None, "low": None, "high": None, "n": 0}
    page.open(written_with(declared, figures, "ungraded"), size=DESK)
    for place in (".picture", "#section-accuracy"):
        assert len(page.all(f"{place} .bounds")) == 2
        assert page.texts(f"{place} .figure-value")[1].startswith("–")
        assert len(page.all(f"{place} svg.chart .mark")) == 8
    assert "Dashed: over all questions" in page.text(".picture figcaption")


def test_where_nothing_was_played_there_is_no_picture(cup: Written) -> None:
    rows = [
        {**row, "value": None, "low": None, "high": None, "n": 0, "outcomes": {}} for row in cup.run.figures["accuracy"]
    ]
    assert picture(figures_of(cup, accuracy=rows, headline=None)) is None
    failed = [{**row, "value": 0.0, "outcomes": {"failed": 96}} for row in cup.run.figures["accuracy"]]
    assert picture(figures_of(cup, accuracy=failed)) is None


def test_a_primary_over_all_captains_is_the_mean_of_their_rows(declared: Written) -> None:
    figures = figures_of(declared)
    figures["headline"] |= {"of": "vote", "captain": None, "captains": 3}
    drawing = picture(figures)
    assert drawing is not None
    assert [figures["accuracy"][place]["label"] for place in drawing["about"]] == ["vote"] * 3
    assert "Primary: the mean of the 3 rows of vote, declared in advance" in drawing["words"][0]


def test_what_was_chosen_after_the_fact_is_called_so(cup: Written) -> None:
    drawing = picture(cup.run.figures)
    assert drawing is not None
    assert drawing["tag"] == "in the verdict"
    assert "picked afterwards from 6" in drawing["words"][0]
    assert drawing["words"][1].endswith("; that of the verdict allows for the choice.")


def test_a_transcript_opens_on_the_primary(page: Page, declared: Written) -> None:
    page.open(declared, size=DESK)
    page.all(".row")[1].click()
    assert page.opened() == "rescue"
    assert page.text(".episode-title") == "vote@bob"
    page.open(declared, "#q=regress", size=DESK)
    assert page.opened() == "regress"
    assert page.text(".episode-title") == "vote@bob"


def test_without_one_it_opens_on_what_the_verdict_is_about(page: Page, cup: Written) -> None:
    assert cup.run.figures["headline"]["of"] == "vote@bob"
    page.open(cup, size=DESK)
    page.all(".row")[1].click()
    assert page.opened() == "rescue"
    assert page.text(".episode-title") == "vote@bob", "though talkative@ann, further on in the file, changed its mind"
    page.choose("cell", "solo@ann")
    page.all(".row")[2].click()
    page.until(lambda: page.text(".episode-title") == "solo@ann")


def test_a_question_that_it_has_not_played_opens_on_what_was_played(page: Page, cup: Written) -> None:
    columns = copy.deepcopy(dict(cup.run.questions.columns))
    place = columns["ids"].index("rescue")
    for cell, named in enumerate(cup.run.questions.cells):
        if named["key"] != "solo@ann":
            for marks, none in (("outcomes", "."), ("grades", "."), ("changes", " ")):
                kept = columns[marks][cell]
                columns[marks][cell] = kept[:place] + none + kept[place + 1 :]
    path = cup.path.with_name("partly.html")
    write_page(path, cup.run.figures, cup.run.sections, replace(cup.run.questions, columns=columns))
    page.open(replace(cup, path=path), "#q=rescue", size=DESK)
    assert page.opened() == "rescue"
    assert page.text(".episode-title") == "solo@ann"


def test_on_a_phone_rows_are_seen_and_tables_scroll_inside_themselves(page: Page, declared: Written) -> None:
    page.open(declared, size=PHONE)
    table = "#section-accuracy .scroll-box"
    page.js("document.querySelector('#section-accuracy details').open = true")
    page.until(lambda: page.all(f"{table} tbody tr"))
    page.until(lambda: not page.js("return document.querySelector(arguments[0]).hidden", f"{table} .scroll-hint"))
    assert page.text(f"{table} .scroll-hint").startswith("Scrolls sideways")
    assert page.js("return document.documentElement.scrollWidth") <= PHONE[0]
    for box in page.js(BOX, f"{table} tbody th, {table} tbody td:nth-child(-n + 3), .picture .figure-value"):
        assert 0 <= box["left"] < box["right"] <= PHONE[0]
    page.js("document.querySelector(arguments[0]).scrollLeft = 1e6", f"{table} .scroll")
    assert page.js(BOX, f"{table} tbody th")[0]["left"] >= 0, "whose row it is stays in sight"
    page.until(lambda: "more-right" not in page.find(table).get_attribute("class"))


def test_a_table_that_fits_does_not_say_that_it_scrolls(page: Page, cup: Written) -> None:
    drawn(page, cup, Section("small", "Small", (), (Column("a", "a"),), [{"a": "b"}]))
    assert page.find("#section-small .scroll-hint").get_attribute("hidden") is not None


@pytest.mark.parametrize("size", [DESK, PHONE])
@pytest.mark.parametrize(
    "costs", [(3e-5, 1.4e-4, 1.52e-2), (0.002, 0.0031, 0.0187), (4e-10, 3e-7, 2.5e-3), (1.2, 55.0, 230.0)]
)
def test_the_cost_axis_can_be_read(
    page: Page,
    cup: Written,
    costs: tuple[float, ...],
    size: tuple[int, int],
) -> None:
    columns = (Column("of", "who"), Column("cost", "$ per 1,000", "usd-per-question"), Column("v", "right", "share"))
    rows = [{"of": f"row {place}", "cost": cost, "v": 0.5 + place / 10} for place, cost in enumerate(costs)]
    drawn(page, cup, Section("c", "C", (), columns, rows, Chart("scatter", "cost", "v", label="of")), size=size)
    assert page.texts("#section-c .axis-title")[1] == "dollars per 1,000 questions"
    money = [text for text in page.texts("#section-c .tick") if text.startswith("$")]
    values = [float(text.removeprefix("$").replace(",", "")) for text in money]
    assert len(values) >= 2
    assert values == sorted(set(values))
    boxes = [
        box
        for box, text in zip(page.js(BOX, "#section-c .tick"), page.texts("#section-c .tick"), strict=True)
        if text.startswith("$")
    ]
    assert all(one["right"] + 4 <= two["left"] for one, two in pairwise(boxes))
    (drawing,) = page.js(BOX, "#section-c svg.chart")
    for mark in page.js(BOX, "#section-c .mark"):
        assert drawing["left"] <= mark["left"]
        assert mark["right"] <= drawing["right"]
