"""What a figure cannot say by itself stands beside it: what is ungraded, and who told which answers are the same."""

from __future__ import annotations

import io
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from worlds import World, everything_right, grouped_by, in_form, row, shown_texts

import moot
from moot import Request
from moot.models.scripted import Script
from moot.report.sections import all_sections
from moot.report.terminal import print_report


def printed(figures: Any) -> str:
    console = Console(file=io.StringIO(), width=110)
    print_report(figures, console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def words_of(figures: Any, section: str) -> str:
    return " ".join(next(part for part in all_sections(figures) if part.id == section).words)


# --- answers that only a judge can accept ------------------------------------------------------------------------------


@pytest.mark.parametrize("strategies", [["solo", "peer-review"], ["vote"], ["solo", "vote", "silent"], ["silent"]])
def test_answers_that_only_a_judge_accepts(strategies: list[Any]) -> None:
    """Everybody is right alone and after, in words that match nothing."""
    world = World(
        lambda name, number, repeat: f"the city that {name} calls Paris",
        lambda name, number, texts: "the capital of France",
        count=12,
        offices={"jay": everything_right},
    )
    figures = world.play(strategies, judge={"models": ["jay"]}).figures
    assert [line["value"] for line in figures["accuracy"]] == [1.0] * len(figures["accuracy"])
    assert [line["value"] for line in figures["players"]] == [1.0] * 3
    assert (figures["skyline"]["value"], figures["skyline"]["n"]) == (1.0, 12)
    assert figures["headline"]["over_best_single"]["difference"] == 0.0
    sentence = figures["headline"]["sentence"]
    assert "points more" not in sentence
    assert all(line["rescues"] == line["regressions"] == 0 for line in figures["safety"])
    assert "ungraded" not in figures


# --- some of which nobody has graded -----------------------------------------------------------------------------------


def silent_on_odd(request: Request) -> Script:
    """A judge who accepts what it is shown, and has no usable word on the odd ones."""
    texts = shown_texts(request)
    if any("odd" in text for text in texts):
        return "I cannot tell."
    return {"grades": [{"id": place, "is_correct": False} for place, _ in enumerate(texts, 1)]}


@pytest.fixture(scope="module")
def partly() -> dict[str, Any]:
    """On every second question bob and cat say something odd and ann something wrong; on the others all are right."""
    world = World(
        lambda name, number, repeat: "Paris" if number % 2 == 0 else "Lyon" if name == "ann" else f"odd {name}",
        lambda name, number, texts: "Paris" if "Paris" in texts else "odd",
        count=8,
        offices={"jay": silent_on_odd},
    )
    return dict(world.play(["solo", "vote", "talkative"], judge={"models": ["jay"]}).figures)


def test_a_skyline_is_over_what_is_wholly_graded(partly: dict[str, Any]) -> None:
    top = partly["skyline"]
    assert (top["value"], top["n"], top["ungraded"], top["bounds"]) == (None, 0, 4, {"low": 0.5, "high": 1.0})
    assert "4 of 8 sets of answers have one that waits" in top["why"]
    assert "every player's answer is graded" in words_of(partly, "skyline")
    section = next(part for part in all_sections(partly) if part.id == "skyline")
    assert (section.rows[0]["least"], section.rows[0]["most"]) == (0.5, 1.0)
    text = " ".join(printed(partly).split())
    assert "players right): between 50.0 % and 100.0 %; nothing closer is known: 4 of 8 sets of answers" in text


def test_questions_are_not_left_out_by_how_they_turned_out() -> None:
    """Ann is right on every fourth; nobody can grade bob: were questions that she has right known, it would be 100 %."""
    world = World(
        lambda name, number, repeat: f"odd {number}" if name == "bob" else "Paris" if number % 4 == 0 else "Lyon",
        lambda name, number, texts: "Paris",
        count=8,
        players=("ann", "bob"),
        offices={"jay": silent_on_odd},
    )
    figures = world.play(["solo", "peer-review"], judge={"models": ["jay"]}).figures
    top = figures["skyline"]
    assert (top["value"], top["n"], top["bounds"]) == (None, 0, {"low": 0.25, "high": 1.0})
    assert top["why"] == "there is no question among 8 of which every player's answer is graded"
    (review,) = (row for row in figures["coverage"] if row["cohort"] in (None, "all"))
    assert (review["native"], review["native_bounds"]) == (None, {"low": 0.25, "high": 1.0})


def test_figures_of_what_is_graded_are_marked(partly: dict[str, Any]) -> None:
    lines = printed(partly).splitlines()
    start = next(place for place, line in enumerate(lines) if "by captain" in line)
    by_captain = next(line for line in lines[start:] if line.split()[:1] == ["bob"])
    assert by_captain.count("*") == 3, "alone, the vote and the talk"
    ann = next(line for line in lines[start:] if line.split()[:1] == ["ann"])
    assert ann.count("*") == 1, "alone and in the vote all that she says is graded"
    start = next(place for place, line in enumerate(lines) if "number of different answers" in line)
    three = next(line for line in lines[start:] if line.split()[:1] == ["3"])
    assert "*" in three
    assert sum(line.startswith("* Graded answers only") for line in lines) == 3
    for section in ("by-captain", "diversity"):
        part = next(part for part in all_sections(partly) if part.id == section)
        assert {"least", "most"} <= {column.key for column in part.columns}
        assert any("over all" in sentence for sentence in part.words)


def test_coverage_says_what_it_leaves_out(partly: dict[str, Any]) -> None:
    talk = row(partly["coverage"], stage="talkative")
    assert (talk["native"], talk["after"], talk["n"], talk["ungraded"]) == (None, None, 0, 4)
    assert "4 of 8 questions have an ungraded answer" in talk["why"]
    assert talk["native_bounds"] == talk["after_bounds"] == {"low": 0.5, "high": 1.0}
    vote = row(partly["coverage"], stage="vote")
    assert (vote["after"], vote["difference"]) == (None, None)
    assert vote["why"]
    assert "every answer is graded" in words_of(partly, "coverage")
    assert "Nothing after for vote" in words_of(partly, "coverage")


def test_judges_agree_on_drafts_too(tmp_path: Path) -> None:
    """One accepts everything, the other only what ann says: whether anybody played alone does not matter."""

    def strict(request: Request) -> Script:
        texts = shown_texts(request)
        return {"grades": [{"id": place, "is_correct": "ann" in text} for place, text in enumerate(texts, 1)]}

    agreed = []
    for strategies in (["vote"], ["solo", "vote"], ["talkative"]):
        world = World(
            lambda name, number, repeat: f"the city that {name} calls Paris",
            lambda name, number, texts: sorted(texts)[0],
            offices={"jay": everything_right, "joe": strict},
        )
        figures = world.play(strategies, judge={"models": ["jay", "joe"]}).figures
        agreed.append({key: figures["judges"][key] for key in ("n", "agreement", "disputed")})
    assert agreed == [{"n": 12, "agreement": 1 / 3, "disputed": 8}] * 3


# --- by captain --------------------------------------------------------------------------------------------------------


def test_a_captain_stands_beside_itself_as_it_was_asked_there() -> None:
    """Everybody is right when asked in one call, and wrong when asked in two."""
    world = World(lambda name, number, repeat: "Paris")
    world.reply = lambda name, request: in_form(request, "Paris" if request.schema else "Lyon")  # type: ignore[method-assign]
    strict = {"peer-review": {"replies": "strict"}}
    figures = world.play(["solo", {"solo": {"drafts": "double-call"}}, "silent", strict]).figures
    section = next(part for part in all_sections(figures) if part.id == "by-captain")
    review = "peer-review(replies=strict)"
    assert {(line["label"], line["single"]) for line in section.rows} == {("silent", 1.0), (review, 0.0)}
    lines = printed(figures).splitlines()
    tables = [place for place, line in enumerate(lines) if "by captain" in line]
    assert len(tables) == 2
    alone = [next(line.split()[1] for line in lines[place:] if line.split()[:1] == ["ann"]) for place in tables]
    assert alone == ["100.0", "0.0"]
    gains = {(line["label"], line["captain"]): line["difference"] for line in figures["gains"]}
    assert (gains["silent", "ann"], gains[review, "ann"]) == (0.0, 1.0)


# --- who said the same -------------------------------------------------------------------------------------------------

WORDS = {"ann": "the capital", "bob": "its capital city", "cat": "Metz"}


def capital() -> World:
    return World(
        lambda name, number, repeat: WORDS[name],
        lambda name, number, texts: "the capital",
        offices={"gil": grouped_by(lambda text: "capital" in text)},
    )


def test_a_store_whose_drafts_nobody_grouped_says_so(tmp_path: Path) -> None:
    """As a store of an earlier version: played, and never run again since drafts are grouped to be measured."""
    path = tmp_path / "cup.db"
    results = moot.run(capital().keys(["silent"], grouping={"model": "gil"}), store=path)
    assert {line["d"] for line in results.figures["diversity"]} == {2}
    assert "grouped_by_words" not in results.figures
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DELETE FROM matches")
        connection.commit()
    figures = moot.open_store(str(path)).report().figures
    assert {line["d"] for line in figures["diversity"]} == {3}
    assert figures["grouped_by_words"] == 4
    for section in ("diversity", "self-preference"):
        assert "4 sets of drafts are grouped by words alone" in words_of(figures, section)
    assert "grouped by words alone" in " ".join(printed(figures).split())
    again = moot.run(capital().keys(["silent"], grouping={"model": "gil"}), store=path).figures
    assert again["diversity"] == results.figures["diversity"]


def test_a_grouping_model_that_gives_nothing_usable_is_told_of() -> None:
    world = capital()
    world.offices["gil"] = lambda request: "no groups here"
    for strategies in (["silent"], ["vote"]):
        figures = world.play(strategies, grouping={"model": "gil"}).figures
        assert figures["grouped_by_words"] == 4
        assert "gave no usable word" in words_of(figures, "diversity")
    assert "grouped_by_words" not in world.play(["vote"], grouping={"match": "only"}).figures


def test_what_was_asked_to_measure_and_then_played_is_no_measurement(tmp_path: Path) -> None:
    """However a run is split: the calls of a vote are the vote's."""
    path = tmp_path / "cup.db"
    more = {"grouping": {"model": "gil"}}
    first = moot.run(capital().keys(["silent"], **more), store=path).figures
    assert first["measurement"]["calls"] == 4
    then = moot.run(capital().keys(["silent", "vote"], **more), store=path).figures
    at_once = capital().play(["silent", "vote"], **more).figures
    assert then.get("measurement") == at_once.get("measurement")
    assert [line["calls"] for line in then["accuracy"]] == [line["calls"] for line in at_once["accuracy"]]


def test_no_captain_is_said_to_repair_what_nobody_graded() -> None:
    """What ann says as captain is what she drafted; of bob's words as captain nobody can grade any."""

    def after(name: str, number: int, texts: Sequence[str]) -> str:
        return "Paris" if name == "ann" else f"odd {number}"

    world = World(
        lambda name, number, repeat: "Paris" if name == "ann" or number == 0 else "Lyon",
        after,
        count=10,
        players=("ann", "bob"),
        offices={"jay": silent_on_odd},
    )
    figures = world.play(["solo", "silent"], judge={"models": ["jay"]}, primary="silent").figures
    headline = figures["headline"]
    assert (headline["value"], headline["over_captain"], headline["ungraded"]) == (None, None, 10)
    assert "10 of 20 answers are ungraded" in headline["sentence"]
    assert "better than" not in headline["sentence"]
