"""The page as a file: the same for the same run, small, whole to the letter, and inert whatever the models said."""

from __future__ import annotations

import asyncio
import base64
import gzip
import hashlib
import json
import re
import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.measures.cells import Stored
from moot.report.page import page_html
from moot.report.page.document import SCRIPTS
from moot.report.page.pack import Once, Texts, packed
from moot.report.page.questions import named_cells
from moot.report.page.run import write_page
from moot.report.page.verdict import lead, verdict, warnings
from moot.strategies.traits import CAUTIOUS

from .conftest import DRAFTS, FILLERS, LONG, Written, play, reread

STATIC = files("moot.report.page") / "static"
BLOCK = re.compile(r'<script type="application/octet-stream" id="([\w-]+)">([^<]*)</script>')


def unpacked(letters: str) -> Any:
    return json.loads(gzip.decompress(base64.b64decode(letters)))


def blocks(page: str) -> dict[str, Any]:
    return {name: unpacked(letters) for name, letters in BLOCK.findall(page)}


def html_of(cup: Written) -> str:
    return cup.path.read_text(encoding="utf-8")


# --- packing ----------------------------------------------------------------------------------------------------------


@given(st.lists(st.text(alphabet="ab\n\r\u2028\x00é", max_size=30)), st.lists(st.text(alphabet="ab\n", max_size=10)))
def test_texts_come_back_to_the_letter(texts: list[str], known: list[str]) -> None:
    kept = Texts(known)
    places = [kept[text] for text in texts]
    row = kept.row()
    lines = [*dict.fromkeys(line for text in known for line in text.split("\n")), *row["lines"]]
    assert ["\n".join(lines[each] for each in row["texts"][place]) for place in places] == texts
    assert len(set(lines)) == len(lines)
    assert kept[None] == -1


def test_a_value_is_kept_once() -> None:
    once = Once()
    assert [once[each] for each in ("b", "a", "b")] == [0, 1, 0]
    assert list(once) == ["b", "a"]


def test_packing_is_the_same_at_any_time_and_survives_half_a_character() -> None:
    assert packed({"a": [1, None, "é"]}) == packed({"a": [1, None, "é"]})
    assert unpacked(packed({"a": "é"})) == {"a": "é"}
    assert unpacked(packed(["\ud800 half"])) == ["? half"]


# --- the document -----------------------------------------------------------------------------------------------------


def test_the_same_run_gives_the_same_page(cup: Written) -> None:
    run = cup.run
    assert page_html(run.figures, run.sections, run.questions) == html_of(cup)


def test_the_policy_lets_one_script_and_one_style_in(cup: Written) -> None:
    page = html_of(cup)
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    rules = {name: rest for name, *rest in (rule.split() for rule in policy.split("; "))}
    (script,) = re.findall(r'<script type="module">(.*?)</script>', page, re.DOTALL)
    (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)

    def known_as(content: str) -> list[str]:
        return [f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"]

    assert rules == {
        "default-src": ["'none'"],
        "script-src": known_as(script),
        "style-src": known_as(style),
        "img-src": ["data:"],
        "base-uri": ["'none'"],
        "form-action": ["'none'"],
    }


def test_nothing_that_was_said_stands_in_the_file_as_it_is(cup: Written) -> None:
    page = html_of(cup)
    assert "pwned" not in page
    assert page.count("<script") == page.count("</script>") == 2 + len(cup.run.questions.parts)
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in page


def test_names_and_headlines_are_escaped(cup: Written) -> None:
    figures = {
        **cup.run.figures,
        "experiment": "<script>alert(1)</script>",
        "headline": {"words": ["<b>bold</b>", "</p><script>alert(2)</script>"]},
        "simulated": ["<img src=x>"],
    }
    page = page_html(figures, cup.run.sections, cup.run.questions)
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert '<p class="verdict">&lt;b&gt;bold&lt;/b&gt;</p>' in page
    assert "<img" not in page


def test_a_megabyte_of_one_letter_costs_next_to_nothing(cup: Written) -> None:
    assert any(len(text) >= LONG for text in cup.run.questions.columns["said"][list(DRAFTS).index("hostile")])
    assert len(html_of(cup)) < 200_000


def test_the_page_replaces_another_whole(cup: Written, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text("old")
    broken = replace(cup.run.questions, columns={"not": {1, 2}})
    with pytest.raises(TypeError):
        write_page(path, cup.run.figures, cup.run.sections, broken)
    assert path.read_text() == "old"
    write_page(path, cup.run.figures, cup.run.sections, cup.run.questions)
    assert path.read_text(encoding="utf-8") == html_of(cup)
    assert [each.name for each in tmp_path.iterdir()] == ["report.html"]


# --- the scripts ------------------------------------------------------------------------------------------------------


def test_every_script_is_in_the_page_after_what_it_needs() -> None:
    assert {f"{name}.js" for name in SCRIPTS} == {each.name for each in STATIC.iterdir() if each.name.endswith(".js")}
    for place, name in enumerate(SCRIPTS):
        needed = re.findall(r'from "\./(\w+)\.js"', (STATIC / f"{name}.js").read_text(encoding="utf-8"))
        assert set(needed) <= set(SCRIPTS[:place]), name


def test_names_of_scripts_do_not_meet() -> None:
    """They share one scope in the page."""
    named = re.compile(r"^(?:export )?(?:async )?(?:function|class|const|let) (\w+)", re.MULTILINE)
    counts = Counter(
        name for script in SCRIPTS for name in named.findall((STATIC / f"{script}.js").read_text(encoding="utf-8"))
    )
    assert [name for name, count in counts.items() if count > 1] == []


def test_no_script_writes_html() -> None:
    for name in SCRIPTS:
        text = (STATIC / f"{name}.js").read_text(encoding="utf-8")
        for forbidden in (
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "fetch(",
            "</script",
        ):
            assert forbidden not in text, (name, forbidden)


# --- colours ----------------------------------------------------------------------------------------------------------

COLOURS = {
    name: (light, dark)
    for name, light, dark in re.findall(
        r"--([\w-]+): light-dark\(#(\w{6}), #(\w{6})\)", (STATIC / "page.css").read_text(encoding="utf-8")
    )
}


def parts(colour: str) -> tuple[float, ...]:
    return tuple(int(colour[place : place + 2], 16) / 255 for place in (0, 2, 4))


def contrast(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    """As WCAG 2 counts it."""

    def light(colour: tuple[float, ...]) -> float:
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour]
        return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    low, high = sorted((light(one), light(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_letters_and_marks_stand_out(scheme: int) -> None:
    """AA: 4.5 for letters, 3 for the frame of a field and for what a chart draws."""
    colour = {name: parts(pair[scheme]) for name, pair in COLOURS.items()}
    series = [f"c{place}" for place in range(6)]
    for paper in ("paper", "sheet"):
        for name in ("ink", "soft", "accent", "warn", *series):
            assert contrast(colour[name], colour[paper]) >= 4.5, (name, paper)
        assert contrast(colour["line"], colour[paper]) >= 3
    assert contrast(colour["warn"], colour["warn-paper"]) >= 4.5
    assert contrast(colour["ink"], colour["warn-paper"]) >= 4.5
    (opacity,) = map(float, re.findall(r"\.whisker \{[^}]*stroke-opacity: ([\d.]+)", _css()))
    for name in series:
        mixed = zip(colour[name], colour["paper"], strict=True)
        whisker = tuple(opacity * over + (1 - opacity) * under for over, under in mixed)
        assert contrast(whisker, colour["paper"]) >= 3, name


def _css() -> str:
    return (STATIC / "page.css").read_text(encoding="utf-8")


# --- the data ---------------------------------------------------------------------------------------------------------


def test_columns_say_what_the_store_says(cup: Written) -> None:
    (run,) = blocks(html_of(cup))["index"]["runs"]
    columns = run["columns"]
    titles = [cell["title"] for cell in run["cells"]]
    assert titles == [f"{s}@{p}" for s in ("solo", "vote", "talkative") for p in ("ann", "bob", "cat")]
    assert columns["ids"][: len(DRAFTS)] == list(DRAFTS)
    assert len(columns["ids"]) == len(DRAFTS) + FILLERS
    for place, (question, told) in enumerate(cup.transcripts.items()):
        for each in told:
            cell = titles.index(each.title)
            assert columns["grades"][cell][place] == ("1" if each.value else "0"), (question, each.title)
            answer = columns["answers"][cell][place]
            assert (None if answer < 0 else columns["said"][place][answer]) == each.verdict.answer
    regress = list(DRAFTS).index("regress")
    assert [changes[regress] for changes in columns["changes"]] == [" "] * 6 + ["-", " ", " "], "a vote spoils nobody's"
    assert columns["diverse"][:5] == [1, 2, 2, 1, 1]
    assert columns["outcomes"][titles.index("solo@cat")][list(DRAFTS).index("refused")] == "r"


def test_parts_hold_each_draft_and_each_line_once(cup: Written) -> None:
    found = blocks(html_of(cup))
    parts = [found[name] for name in found if name.startswith("part-")]
    assert len(parts) == len(cup.run.questions.parts)
    for part in parts:
        assert len(set(part["lines"])) == len(part["lines"])
        assert len(part["calls"]["prompt"]) == 6 * len(part["cases"])  # three drafts and three captains
        assert len(part["answers"]) == 3 * len(part["cases"])
        assert not set(part["lines"]) & {"Filler number 1?"}  # the index has it


@pytest.mark.long
def test_questions_are_split_into_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cup: Written) -> None:
    monkeypatch.setattr("moot.report.page.questions.EPISODES_A_PART", 90)
    many = play(tmp_path / "many")
    assert len(many.run.questions.parts) == 10
    assert many.run.questions.columns["starts"] == list(range(0, 96, 10))
    assert {**many.run.questions.columns, "starts": 0} == {**cup.run.questions.columns, "starts": 0}


def test_a_page_of_too_many_episodes_lists_some_questions_and_says_so(
    monkeypatch: pytest.MonkeyPatch, cup: Written
) -> None:
    whole = cup.run.questions
    slots = len(whole.cells) * len(whole.columns["grades"][0])
    monkeypatch.setattr("moot.report.page.questions.MOST_EPISODES", slots // 2 + 1)
    (path,) = cup.path.parent.glob("*.db")
    thinned = asyncio.run(reread(path, "cup"))
    for name in ("keys", "ids", "texts", "references", "said"):
        assert thinned.questions.columns[name] == whole.columns[name][::2]
    assert thinned.figures == cup.run.figures
    told = f"holds {len(thinned.questions.columns['ids']):,} of the {len(whole.columns['ids']):,} questions"
    assert told in page_html(thinned.figures, thinned.sections, thinned.questions)
    assert whole.thinned is None


def test_a_captain_never_played_alone_is_known_by_its_draft(tmp_path: Path) -> None:
    run = play(tmp_path / "silent", strategies=[{"talkative": {"captain": "ann"}}]).run
    (changes,) = run.questions.columns["changes"]
    assert dict(zip(DRAFTS, changes, strict=False)) == {
        "agree": " ", "rescue": "+", "regress": "-", "wrong": " ", "refused": " ", "hostile": " ",
    }  # fmt: skip


@pytest.mark.long
def test_a_captain_is_held_against_its_own_way_of_answering_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In two calls nobody knows anything; whoever talks has drafted in one, whatever else stands in the file."""
    in_one_call = play.__globals__["player"]

    def player(name: str) -> Any:
        def say(request: Any) -> Any:
            return in_one_call(name)(request) if (request.schema or {}).get("properties") else {"answer": "Nowhere"}

        return say

    monkeypatch.setitem(play.__globals__, "player", player)
    double = {"solo": {"drafts": "double-call"}}
    found = []
    for place, ways in enumerate((["solo"], ["solo", double], [double, "solo"])):
        run = play(tmp_path / str(place), strategies=[*ways, "talkative"]).run
        found.append((run.questions.columns["changes"][-3:], run.questions.columns["diverse"]))
    assert found[0] == found[1] == found[2]


def test_cells_have_short_names_and_whole_keys() -> None:
    long = "mixture(summariser=ace, order=ascending)", "mixture(summariser=ace)"
    ways = [
        ("mixture", long[0], {"summariser": "ace", "order": "ascending"}),
        ("mixture", long[1], {"summariser": "ace"}),
    ]
    voted = ("vote", "vote", {})
    cells = [cell_of(*way) for way in (*ways, voted)] + [cell_of(*voted, team="nine/closed")]
    named = named_cells(cells)
    assert [each["title"] for each in named] == [
        "mixture(order=ascending)",
        "mixture",
        "nine/open/vote",
        "nine/closed/vote",
    ], "a team may be called so"
    assert [each["key"] for each in named] == [*long, "nine/open/vote", "nine/closed/vote"]
    assert [each["full"] for each in named] == [*long, None, None]
    assert [each["options"] for each in named] == ["order=ascending", "", "", ""]


def cell_of(strategy: str, label: str, given: dict[str, Any], team: str = "nine/open") -> Stored:
    nobody = {"cohort": None, "captain": None, "player": None, "spec": "{}", "traits": CAUTIOUS}
    return Stored(id=label, strategy=strategy, label=label, team=team, given=given, options=given, **nobody)  # type: ignore[typeddict-item]


def test_repeats_have_a_place_each(tmp_path: Path) -> None:
    columns = play(tmp_path / "twice", repeats=2, strategies=["solo"]).run.questions.columns
    assert columns["repeats"] == 2
    assert [len(each) for each in columns["grades"]] == [2 * (len(DRAFTS) + FILLERS)] * 3
    assert columns["grades"][0][:8] == "11001100"


def test_a_served_team_draws_the_numbers_of_its_repeats(tmp_path: Path) -> None:
    """They are as large as they come; a page has a place for each play and not for each number."""
    planned = play(tmp_path / "served", repeats=2, strategies=["solo"]).run.questions
    (path,) = (tmp_path / "served").glob("*.db")
    with closing(sqlite3.connect(path)) as store, store:
        for table in ("episodes", "scores"):
            store.execute(f"UPDATE {table} SET repeat = repeat * 1000000007 + 1363367569")
    served = asyncio.run(reread(path, "cup")).questions
    assert served.columns == planned.columns
    assert [unpacked(part)["episodes"] for part in served.parts] == [
        unpacked(part)["episodes"] for part in planned.parts
    ]


# --- the first screen -------------------------------------------------------------------------------------------------

ROW = {"label": "solo", "value": 0.5, "low": 0.4, "high": 0.6, "n": 60, "outcomes": {"answered": 60}, "missing": 0}
FIGURES: dict[str, Any] = {
    "experiment": "cup",
    "questions": 60,
    "bill_usd": 1.5,
    "accuracy": [{**ROW, "player": "ann"}, {**ROW, "player": "bob", "value": 0.7, "low": None, "high": None}],
}


def test_the_verdict_is_the_headline_or_a_modest_one() -> None:
    assert verdict({**FIGURES, "headline": {"words": ["It pays.", "A little."]}}) == ("It pays.", "A little.")
    assert verdict({**FIGURES, "headline": {"words": "It pays."}}) == ("It pays.",)
    assert verdict(FIGURES) == (
        "On these 60 questions solo@bob was right in 70.0 %; the best of 2 rows, picked afterwards.",
    )
    assert verdict({**FIGURES, "accuracy": FIGURES["accuracy"][:1]}) == (
        "On these 60 questions solo@ann was right in 50.0 % (40.0–60.0).",
    )
    assert verdict({**FIGURES, "accuracy": []}) == ("Of these 60 questions none has been played yet.",)
    assert verdict({**FIGURES, "accuracy": [], "questions": 0}) == ("No question has been asked yet.",)


def test_the_lead_counts() -> None:
    assert lead(FIGURES) == "60 questions · 2 players · 1 strategy · $1.50"
    assert lead({**FIGURES, "bill_usd": None}).endswith("cost unknown")
    assert lead({**FIGURES, "bill_usd": 0.0, "losses_usd": 0.0}).endswith(" · no cost")
    assert lead({**FIGURES, "bill_usd": 0.0012}).endswith(" · $0.0012"), "a nought that is none"
    assert lead({**FIGURES, "bill_usd": 0.09, "losses_usd": 0.022}).endswith(
        " · $0.090, at most $0.022 more for calls without a reply"
    )


def test_warnings_are_about_what_is_there() -> None:
    assert list(warnings(FIGURES)) == []
    failed = {
        **ROW,
        "player": "ann",
        "outcomes": {"answered": 1, "failed": 3},
        "missing": 2,
        "ungraded": 5,
        "disputed": 1,
    }
    warned = {**FIGURES, "questions": 12, "simulated": ["ann"], "accuracy": [failed], "ungraded": 5}
    assert [each.split(":")[0] for each in warnings(warned)] == [
        "Simulated, not real",
        "Fewer than 30 questions",
        "2 episodes not played yet",
        "5 answers not graded, and in no figure",
        "3 episodes failed",
    ]
