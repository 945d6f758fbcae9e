"""The page in a real browser: what a reader does, and what hostile words of a model must not do."""

from __future__ import annotations

import asyncio
import json
import random
import re
import sqlite3
from contextlib import closing
from importlib.resources import files
from pathlib import Path
from typing import Any, get_args
from urllib.parse import urlencode

import pytest

import moot.report.page
from moot.measures.numbers import shown
from moot.measures.section import Chart, Column, Section, Unit
from moot.report.page.run import write_page

from .conftest import DRAFTS, FILLERS, LONG, WIDE, Page, Written, drawn, play, reread

ALL = len(DRAFTS) + FILLERS
FORMAT = Path(moot.report.page.__file__).parent / "static" / "format.js"
PHONE = (360, 740)


def test_it_renders_without_an_error_and_asks_nobody(page: Page, cup: Written) -> None:
    page.browser.get_log("performance")
    page.open(cup)
    assert "On these" in page.text(".verdict")
    assert "Simulated, not real: ann, bob, cat" in page.text(".warnings")
    titles = [section.title for section in cup.run.sections]
    assert page.texts("#sections h2") == titles
    assert page.texts("#contents a") == [*titles, "Every question"]
    charts = [section for section in cup.run.sections if section.chart]
    panels = [{row[section.chart.panel] for row in section.rows} for section in charts if section.chart.panel]
    assert len(page.all("#sections svg.chart")) == len(charts) + sum(len(names) - 1 for names in panels) > 2
    assert page.text("#count") == f"{ALL} questions"
    assert page.js("return performance.getEntriesByType('resource').length") == 0
    logged = [json.loads(entry["message"])["message"] for entry in page.browser.get_log("performance")]
    asked = [event["params"]["request"]["url"] for event in logged if event["method"] == "Network.requestWillBeSent"]
    assert {url for url in asked if not url.startswith(("data:", "about:"))} == {cup.url}
    assert page.browser.get_log("browser") == []


def test_every_chart_has_a_name_axes_and_its_table(page: Page, cup: Written) -> None:
    page.open(cup)
    for section in (each for each in cup.run.sections if each.chart):
        root = f"#section-{section.id} "
        assert section.title in page.find(root + "svg.chart").get_attribute("aria-label")
        assert page.texts(root + ".axis-title")
        assert len(page.texts(root + ".tick")) >= 2
        page.js("document.querySelector(arguments[0]).open = true", root + "details")
        page.until(lambda root=root: page.all(root + "tbody tr"))  # type: ignore[misc]
        assert len(page.all(root + "tbody tr")) == len(section.rows)
        assert page.texts(root + "thead th") == [column.title for column in section.columns]
    values = page.texts("#section-accuracy tbody tr")
    assert any("96.9 %" in row and "solo" in row for row in values)  # ann alone: 93 of 96


def test_only_rows_in_sight_exist(page: Page, cup: Written) -> None:
    page.open(cup)
    assert page.ids()[:3] == ["agree", "rescue", "regress"]
    assert len(page.ids()) < 40
    page.js("document.getElementById('list').scrollTop = 1e9")
    page.until(lambda: page.ids()[-1] == f"filler-{FILLERS - 1}")
    assert len(page.ids()) < 40


def test_rows_that_stay_in_sight_stay_and_are_read_in_their_order(page: Page, cup: Written) -> None:
    page.open(cup)
    page.js("window.kept = document.getElementById('row-8')")
    for top in (200, 400, 100):
        page.js("document.getElementById('list').scrollTop = arguments[0]", top)
        first = str(top // 54 - 3) if top > 3 * 54 else "0"
        page.until(
            lambda first=first: page.js(
                "return document.querySelectorAll('.row')[1].dataset.place >= arguments[0]", first
            )
        )  # type: ignore[misc]
        places = page.js("return [...document.querySelectorAll('.row')].map((row) => Number(row.dataset.place))")
        assert places == sorted(set(places))
        assert page.js("return document.getElementById('row-8') === window.kept")
        assert page.js("return kept.getAttribute('aria-posinset') + ' of ' + kept.getAttribute('aria-setsize')") == (
            f"9 of {ALL}"
        )


def test_paper_has_what_the_reader_has_narrowed_down(page: Page, cup: Written) -> None:
    page.open(cup)
    page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        shown = "return getComputedStyle(document.getElementById('questions')).display"
        page.js("dispatchEvent(new Event('beforeprint'))")
        assert page.js(shown) == "none"  # nobody wants all of them on paper
        page.js("dispatchEvent(new Event('afterprint'))")
        page.choose("category", "filler")
        page.js("dispatchEvent(new Event('beforeprint'))")
        assert page.js(shown) != "none"
        assert page.ids() == [f"filler-{number}" for number in range(FILLERS)]
        heights = page.js("const b = document.getElementById('list').getBoundingClientRect(); return b.height")
        assert heights > FILLERS * 20
        page.js("dispatchEvent(new Event('afterprint'))")
        assert len(page.ids()) < 40
    finally:
        page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


@pytest.mark.parametrize(
    ("flag", "found"),
    [
        ("wrong", ["wrong"]),
        ("rescued", ["rescue", "refused", *(f"filler-{n}" for n in range(FILLERS))]),
        ("regressed", ["regress", "hostile"]),
        ("silent", ["refused"]),
        ("undecided", ["filler-7"]),
        ("disputed", ["filler-7"]),
    ],
)
def test_filters_filter(page: Page, marked: Written, flag: str, found: list[str]) -> None:
    page.open(marked)
    page.flag(flag)
    assert page.text("#count") == f"{len(found)} of {ALL} questions"
    assert page.ids() == found[: len(page.ids())]
    assert page.find(f'[data-flag="{flag}"]').get_attribute("aria-pressed") == "true"
    page.flag(flag)
    assert page.text("#count") == f"{ALL} questions"


def test_filters_agree_with_each_other_and_with_a_strategy(page: Page, cup: Written) -> None:
    page.open(cup)
    page.choose("cell", "talkative@ann")
    page.flag("rescued")
    assert page.ids() == ["rescue"]  # bob is who was rescued from his errors in the others
    page.flag("rescued")
    page.choose("category", "named")
    assert page.text("#count") == f"5 of {ALL} questions"
    page.flag("wrong")
    assert page.ids() == ["regress", "wrong"]
    page.flag("disagreed")
    assert page.ids() == ["regress"]


def test_search_finds_words_of_questions_and_of_answers(page: Page, cup: Written) -> None:
    page.open(cup)
    page.search("number 42")
    assert page.ids() == ["filler-42"]
    assert page.text("#count") == f"1 of {ALL} questions"
    page.search("MEANT regress")
    assert page.ids() == ["regress"]
    page.search("right to left")  # nobody asked it; a model answered it
    assert page.ids() == ["hostile"]
    page.search("nothing like this")
    assert page.ids() == []
    assert page.text("#count") == f"0 of {ALL} questions"


def test_sorting_sorts(page: Page, cup: Written) -> None:
    page.open(cup)
    page.choose("sort", "hardest")
    assert page.ids()[0] == "wrong"
    page.choose("sort", "easiest")
    assert page.ids()[0] == "agree"
    page.choose("sort", "people")
    assert page.ids()[0] == "agree"
    page.choose("sort", "id")
    assert page.ids()[:3] == ["agree", "filler-0", "filler-1"]
    assert page.ids().index("filler-2") < page.ids().index("filler-10")


def test_a_transcript_opens_by_click(page: Page, cup: Written) -> None:
    page.open(cup)
    page.all(".row")[1].click()
    assert page.opened() == "rescue"
    assert page.js("return location.hash") == "#q=rescue&s=vote%40bob"
    page.find('.chip[data-cell="6"]').click()
    page.until(lambda: page.text(".episode-title") == "talkative@ann")
    assert page.text(".final") == "✓ Paris"
    assert "right, by match · answered · 4 calls" in page.text(".outcome-facts")
    assert "The word of the captain, ann." in page.text(".outcome")
    assert page.texts(".tag.changed") == ["changed its mind, was: Rome"]
    assert [row.split()[0] for row in page.texts(".drafts tbody tr")] == [
        "anncaptainRomeann",
        "bobParisbob",
        "catPariscat",
    ]
    page.find('.chip[data-cell="3"]').click()
    page.until(lambda: page.text(".episode-title") == "vote@ann")
    assert page.texts(".ballots tbody tr") == ["annA", "bobB", "catB"]
    assert page.browser.get_log("browser") == []


def test_every_prompt_is_shown_to_the_letter(page: Page, cup: Written) -> None:
    page.open(cup, "#q=regress&s=talkative%40bob")
    page.opened()
    (told,) = (each for each in cup.transcripts["regress"] if each.title == "talkative@bob")
    page.js("document.querySelectorAll('.step details').forEach((each) => { each.open = true })")
    page.until(lambda: len(page.all(".step details .paper")) >= 2 * len(told.calls))
    script = """return [...document.querySelectorAll('.step')].map((step) => {
      const [seen, reply] = step.querySelectorAll('details');
      return [[...seen.querySelectorAll('.said')].map((each) => each.textContent), reply.querySelector('.said').textContent];
    })"""
    shown = page.js(script)
    assert [messages for messages, _ in shown] == [[m["content"] for m in call["messages"]] for call in told.calls]
    assert [reply for _, reply in shown] == [call["text"] for call in told.calls]


def test_the_keyboard_is_enough(page: Page, cup: Written) -> None:
    from selenium.webdriver.common.keys import Keys

    page.open(cup)
    page.press("/")
    assert page.js("return document.activeElement.id") == "search"
    page.press(Keys.ARROW_DOWN)
    assert page.js("return document.activeElement.id") == "list"
    page.press(Keys.ARROW_DOWN)
    page.press(Keys.ARROW_DOWN)
    active = page.find("#list").get_attribute("aria-activedescendant")
    assert page.text(f"#{active} .row-id") == "regress"
    page.press(Keys.ENTER)
    assert page.opened() == "regress"
    assert page.js("return document.getElementById('transcript').contains(document.activeElement)")
    page.press(Keys.ESCAPE)
    page.until(lambda: page.js("return document.getElementById('transcript').hidden"))
    assert page.js("return document.activeElement.id") == "list"
    page.press(Keys.END)
    active = page.find("#list").get_attribute("aria-activedescendant")
    assert page.text(f"#{active} .row-id") == f"filler-{FILLERS - 1}"


def test_a_link_opens_what_it_names(page: Page, cup: Written) -> None:
    page.open(cup, "#q=agree&s=vote%40cat")
    assert page.opened() == "agree"
    assert page.text(".episode-title") == "vote@cat"
    assert "301 of 390 (77 %)" in page.text("#transcript")
    page.js("location.hash = '#q=nobody'")
    page.until(lambda: "There is no question nobody here." in page.text("#transcript"))


def test_hostile_words_do_nothing_but_show(page: Page, cup: Written) -> None:
    scripts = 'document.querySelectorAll("script:not([type])").length'
    page.open(cup)
    page.search("hostile")
    page.all(".row")[0].click()
    assert page.opened() == "hostile"
    page.find('.chip[data-cell="6"]').click()
    page.until(lambda: page.text(".episode-title") == "talkative@ann")
    page.js("document.querySelectorAll('#transcript details').forEach((each) => { each.open = true })")
    page.until(lambda: page.all(".step details .paper"))
    assert page.js("return window.pwned") is None
    assert page.js(f"return {scripts}") == 0
    assert page.js("return document.querySelectorAll('main img, main style, main iframe').length") == 0
    assert page.js("return document.querySelectorAll('#questions a').length") == 0
    shown = page.text(".question-text")
    for piece in ("<script>window.pwned = 1</script>", "</style>", "javascript:window.pwned", "<!--", "{{script}}"):
        assert piece in shown
    assert "\u202e" not in shown
    assert "U+202E" in shown
    assert page.texts(".question-text .control") == ["U+202E", "U+2066", "␇"]
    assert page.texts(".step.captain .step-answer .control") == ["U+202E", "U+2066", "␇", "␀"]
    assert page.js("return getComputedStyle(document.querySelector('.question-text .said')).unicodeBidi") == "isolate"
    assert page.browser.get_log("browser") == []


def test_a_line_of_a_megabyte_is_folded_and_wraps(page: Page, cup: Written) -> None:
    page.open(cup, "#q=hostile&s=solo%40cat", size=PHONE)
    page.opened()
    assert len(page.text(".final")) < 5_000
    page.find(".final .more").click()
    page.until(lambda: len(page.text(".final")) >= LONG)
    assert page.js("return document.querySelector('.transcript').scrollWidth") <= PHONE[0]


def test_it_fits_a_phone(page: Page, cup: Written) -> None:
    page.open(cup, size=PHONE)
    assert page.js("return document.documentElement.scrollWidth") <= PHONE[0]
    page.all(".row")[1].click()
    page.opened()
    box = page.js(
        "const b = document.getElementById('transcript').getBoundingClientRect(); return [b.left, b.top, b.width]"
    )
    assert box == [0, 0, PHONE[0]]


def test_light_and_dark(page: Page, cup: Written) -> None:
    page.open(cup)
    paper = "return getComputedStyle(document.body).backgroundColor"
    light = page.js(paper)
    for name in ("light", "dark", "system"):
        page.find("#theme").click()
        assert name in page.text("#theme")
        assert (page.js(paper) == light) == (name != "dark")
    features = [{"name": "prefers-color-scheme", "value": "dark"}]
    page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    assert page.js(paper) != light
    page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


@pytest.mark.long
def test_two_runs_stand_side_by_side(page: Page, pair: Written) -> None:
    page.open(pair)
    assert page.texts(".run h2") == ["cup", "other"]
    assert len(page.all(".verdict")) == 2
    assert page.texts("#sections h2")[:2] == ["What differs", "Accuracy"]
    assert page.texts("#section-both-differences tbody tr") == ["the seed"]
    assert page.texts("#section-accuracy .run-name") == ["cup", "other"]
    assert len(page.all("#section-accuracy svg.chart")) == 2
    assert len(page.all(".row:first-child .strip")) == 2
    page.all(".row")[2].click()
    assert page.opened() == "regress"
    assert page.texts(".sides .chip b") == ["cup", "other"]
    page.all(".sides .chip")[1].click()
    page.until(lambda: "run=2" in page.js("return location.hash"))
    page.until(lambda: page.find(".sides .chip:last-child").get_attribute("aria-pressed") == "true")
    assert page.text(".episode-title") == "talkative@ann"
    page.choose("cell", "vote@ann")  # which the second run has not played
    page.choose("cell", "talkative@ann")
    page.flag("regressed")
    assert page.ids() == ["regress"]
    assert page.browser.get_log("browser") == []


def test_strategies_have_short_names_and_a_link_may_use_either(page: Page, ways: Written) -> None:
    keys = [cell["key"] for cell in ways.run.questions.cells]
    assert keys == ["peer-review(drafts=single-call)@ann", "peer-review(drafts=single-call, names=shown)@ann"]
    page.open(ways, "#" + urlencode({"q": "regress", "s": keys[1]}))
    page.opened()
    assert page.text(".episode-title") == "peer-review(names=shown)@ann"
    assert page.texts(".verdict-label") == ["peer-review", "peer-review(names=shown)"]
    assert "drafts" not in page.text("#cell")
    page.js("[...document.querySelectorAll('.episode > details')].at(-1).open = true")  # the notes say all of it
    page.until(lambda: keys[1].removesuffix("@ann") in page.texts(".episode > details")[-1])
    page.js("location.hash = arguments[0]", urlencode({"q": "regress", "s": "peer-review@ann"}))
    page.until(lambda: page.text(".episode-title") == "peer-review@ann")


def test_teams_of_one_strategy_are_drawn_apart(page: Page, cup: Written) -> None:
    columns = (
        Column("team", "team"),
        Column("d", "answers"),
        Column("strategy", "strategy"),
        Column("v", "right", "share"),
    )
    rows = [
        {"team": team, "d": d, "strategy": strategy, "v": v / d}
        for team, v in (("open", 0.9), ("closed", 0.5))
        for strategy in ("vote", "debate")
        for d in (1, 2, 3)
    ]
    lines = Section("lines", "Lines", (), columns, rows, Chart("lines", "d", "v", series="strategy"))
    drawn(page, cup, lines)
    assert page.texts(".series li") == ["vote, open", "vote, closed", "debate, open", "debate, closed"]
    script = "return [...document.querySelectorAll('polyline')].map((each) => each.getAttribute('points').split(' '))"
    assert [len(points) for points in page.js(script)] == [3] * 4
    looks = page.js("return [...document.querySelectorAll('.series svg')].map((each) => each.getAttribute('class'))")
    assert looks == ["s0", "s0 hollow", "s1", "s1 hollow"]


def test_one_drawing_for_each_panel_on_one_scale(page: Page, cup: Written) -> None:
    columns = (Column("who", "captain"), Column("d", "answers"), Column("way", "way"), Column("v", "right", "share"))
    rows = [
        {"who": who, "d": d, "way": f"way {place}", "v": v / d}
        for who, v in (("ann", 0.9), ("bob", 0.3))
        for place in range(7)
        for d in (1, 2)
    ]
    lines = Section("lines", "Lines", (), columns, rows, Chart("lines", "d", "v", series="way", panel="who"))
    drawn(page, cup, lines)
    assert page.texts("#section-lines .facet h4") == ["ann", "bob"]
    assert len(page.all("#section-lines svg.chart polyline")) == 14, "seven lines a drawing can be told apart"
    ticks = [[tick.text for tick in svg.find_elements("css selector", ".tick")] for svg in page.all("svg.chart")]
    assert ticks[0] == ticks[1]


def test_more_series_than_can_be_told_apart_are_a_table(page: Page, cup: Written) -> None:
    columns = (Column("who", "who"), Column("way", "way"), Column("v", "right", "share"), Column("n", "net", "number"))
    rows = [{"who": "a", "way": f"way {place}", "v": place / 20, "n": -place} for place in range(13)]
    bars = Section("bars", "Bars", (), columns, rows, Chart("bars", "who", "v", label="who", series="way"))
    cloud = Section("cloud", "Cloud", (), columns, rows, Chart("scatter", "n", "v", label="way", series="way"))
    drawn(page, cup, bars, cloud)
    assert not page.all("#section-bars svg.chart")
    assert page.texts("#section-bars tbody tr:nth-child(3)") == ["away 210.0 %−2"]  # whole, and a minus that is one
    assert len(page.all("#section-cloud svg.chart .mark")) == 13
    assert not page.all("#section-cloud .series")


def test_long_names_are_not_cut_on_a_phone(page: Page, cup: Written) -> None:
    names = ["peer-review(names=shown)@deepseek-r1, open", "debate@claude"]
    rows = [{"name": name, "v": 0.5, "low": 0.4, "high": 0.6} for name in names]
    columns = (Column("name", "name"), Column("v", "right", "share", "low", "high"))
    dots = Section("dots", "Dots", (), columns, rows, Chart("dots", "v", "name", label="name"))
    for size in (PHONE, WIDE):
        drawn(page, cup, dots, size=size)
        assert "".join(page.texts("#section-dots text.label")) == "".join(names)
        script = """return [...document.querySelectorAll('#section-dots text')].every((each) => {
          const box = each.getBoundingClientRect();
          return box.left >= 0 && box.right <= innerWidth;
        })"""
        assert page.js(script)


def test_a_browser_that_cannot_unpack_is_told_so(page: Page, cup: Written) -> None:
    gone = {"source": "delete window.DecompressionStream"}
    script = page.browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", gone)
    page.browser.get("about:blank")
    page.browser.get(cup.url)
    page.until(lambda: "cannot unpack the data" in page.text("#trouble"))
    assert "On these" in page.text(".verdict")
    page.browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)


@pytest.mark.long
def test_records_are_told_in_words_and_unknown_ones_by_their_keys(page: Page, tmp_path: Path) -> None:
    """Who read what in which order, what it said then; and what a package left that is not installed here."""
    review = {"peer-review": {"captain": "ann", "drafts": "single-call"}}
    written = play(tmp_path / "records", "records", strategies=["vote", review])
    (path,) = (tmp_path / "records").glob("*.db")
    veto = {"kind": "veto", "by": "bob", "of": ["Rome", "Oslo"], "<b>why</b>": {"mood": "<i>bad</i>"}}
    with closing(sqlite3.connect(path)) as store, store:
        for row, content in store.execute("SELECT rowid, verdict FROM episodes").fetchall():
            verdict = json.loads(content)
            verdict["traces"] = [*verdict.get("traces", ()), veto]
            store.execute("UPDATE episodes SET verdict = ? WHERE rowid = ?", (json.dumps(verdict), row))
    run = asyncio.run(reread(path, "records"))
    write_page(written.path, run.figures, run.sections, run.questions)
    page.open(written)
    page.js("document.getElementById('row-1').click()")
    assert page.opened() == "rescue"
    (review_cell,) = (n for n, cell in enumerate(run.questions.cells) if cell["strategy"] == "peer-review")
    page.find(f'[data-cell="{review_cell}"]').click()
    page.js("[...document.querySelectorAll('.episode > details')].at(-1).open = true")
    page.until(lambda: page.all(".record"))
    kinds = page.js("return [...document.querySelectorAll('.record')].map((record) => record.dataset.kind)")
    assert kinds == ["shown", "review", "veto"]
    read = page.text('.record[data-kind="shown"]')
    assert "ann as reviewer" in read
    assert re.search(r"Read in this order: 1 (ann|bob|cat) · 2 (ann|bob|cat) · 3 (ann|bob|cat)", read)
    assert "Then said:" in read
    unknown = page.text('.record[data-kind="veto"]')
    for words in ("veto", "by", "bob", "Rome, Oslo", "<b>why</b>", "mood <i>bad</i>"):
        assert words in unknown
    voted = next(n for n, cell in enumerate(run.questions.cells) if cell["strategy"] == "vote")
    page.find(f'[data-cell="{voted}"]').click()
    page.until(lambda: page.all(".ballots"))
    assert page.texts(".drafts .group-mark") == ["A", "B", "B"]
    assert page.texts(".counted tbody tr") == ["ARome1", "BParis2won"]


def test_a_figure_is_rounded_on_the_page_as_in_the_terminal(page: Page) -> None:
    """Half goes away from zero in both: 45 of 80 are 56.3 %."""
    draw = random.Random(1)
    values = [right / of for of in (8, 16, 40, 80, 200, 400, 1_600) for right in range(of + 1)]
    values += [round(draw.uniform(0, 2), draw.randint(1, 6)) for _ in range(500)]
    values += [10 ** draw.uniform(-9, 7) for _ in range(500)] + [0.285, 1.005, 0.1005, 0.0005, 0.00049, 1e-7]
    values += [-value for value in values]
    units = [unit for unit in get_args(Unit) if unit != "usd"]  # money has a rule of its own
    source = FORMAT.read_text(encoding="utf-8").replace("export ", "")
    told = page.js(
        f"{source}; const [values, units] = arguments;"
        " return units.map((unit) => values.map((value) => number(value, unit)));",
        values,
        units,
    )
    for unit, texts in zip(units, told, strict=True):
        assert texts == [shown(value, unit).replace("-", "−") for value in values], unit
    assert (shown(45 / 80, "share"), shown(-9 / 80, "points"), shown(0.00001, "points")) == ("56.3 %", "-11.3", "0.0")


def test_the_beginning_of_a_long_text_ends_where_a_line_or_a_word_does(browser: Any) -> None:
    source = (files("moot.report.page") / "static" / "dom.js").read_text(encoding="utf-8")
    script = """
        const [source, text, length, done] = arguments;
        import(URL.createObjectURL(new Blob([source], { type: "text/javascript" }))).then(
            ({ begun }) => done(begun(text, length)), (error) => done(`${error}`));
    """

    def begun(text: str, length: int) -> str:
        return str(browser.execute_async_script(script, source, text, length))

    browser.get("about:blank")
    assert begun("The first line.\nThe second line is cut.", 20) == "The first line."
    assert begun("One\nline of several words", 15) == "One\nline of"
    assert begun("word " * 9, 22) == "word word word word"
    assert begun("x" * 40, 22) == "x" * 22


def test_what_a_long_text_holds_in_braces_is_no_form(browser: Any) -> None:
    """A plan may well be written as JSON, or quote some; of a question with a short answer the same words are a form."""
    source = (files("moot.report.page") / "static" / "reply.js").read_text(encoding="utf-8").replace("export ", "")
    settings = 'Put this in the file:\n\n{"answer": 42, "reasoning": "none"}\n\nand start it again.'
    texts = [settings, '{"answer": "a whole file"}', '{"reasoning": "B is sound.", "ranking": ["B", "A"]}']
    script = f"{source}; const [texts, long] = arguments; return texts.map((text) => readReply(text, long).plain);"
    assert browser.execute_script(script, texts, True) == [*texts[:2], None]
    assert browser.execute_script(script, texts, False) == [None, None, None]
    steps = [{"player": "ann", "call": {"reply": text}} for text in ('{"answer": "a"}', '{"answer": "b"}')]
    changes = f"{source}; const [steps, long] = arguments; return changesOfMind(steps, long);"
    assert browser.execute_script(changes, steps, True) == [None, None]
    assert browser.execute_script(changes, steps, False) == [None, "a"]
