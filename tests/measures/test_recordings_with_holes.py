"""A recording that lacks replies may be completed: what its holes could turn round is not claimed."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path
from typing import Any

import pytest

from moot.cli.app import app
from moot.cli.exit import run_app

CITIES = ["Paris", "Rome", "Oslo", "Bern"]
PLAYERS = ("ann", "bob", "cat")
WAY_OUT = "complete the recording, or ask only questions to which it has all replies (moot import --complete)"


class Told:
    """An experiment of recorded models, imported from a table and run."""

    def __init__(self, folder: Path, capfd: pytest.CaptureFixture[str], rows: list[list[str]], **more: Any) -> None:
        self._capfd = capfd
        with (folder / "t.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([["model", "question_id", "question", "target", "answer"], *rows])
        self.recording, self.path = folder / "rec.jsonl", folder / "cup.yaml"
        self.does("import", "csv", folder / "t.csv", "-o", self.recording, "--experiment", self.path)
        with self.path.open("a", encoding="utf-8") as file:
            file.write("".join(f"{key}: {json.dumps(value)}\n" for key, value in more.items()))
        self.does("run", self.path, "--quiet")

    def does(self, *words: object, status: int = 0) -> str:
        self._capfd.readouterr()
        assert run_app(app, [str(word) for word in words]) == status
        said = self._capfd.readouterr()
        return said.out if status == 0 else " ".join((said.out + said.err).split())

    def report(self) -> dict[str, Any]:
        told: dict[str, Any] = json.loads(self.does("report", self.path, "--json"))
        return told

    def selected(self) -> dict[str, dict[str, Any]]:
        """Of everybody, and of the best one alone."""
        methods = ("--method", "best-model,input-all", "--k", "3", "--m", "50", "--json")
        return {row["method"]: row for row in json.loads(self.does("select", self.path, *methods))}

    def compared(self, a: str, b: str) -> dict[str, Any]:
        told: dict[str, Any] = json.loads(self.does("compare", self.path, "--a", a, "--b", b, "--json"))
        return told


def alike(hole: float, questions: int = 200) -> list[list[str]]:
    """Three who say the very same, of whose replies some were lost by chance: no team is better than any of them."""
    draw = random.Random(1)
    rows = []
    for n in range(questions):
        right = draw.choice(CITIES)
        said = right if draw.random() < 0.6 else draw.choice([city for city in CITIES if city != right])
        rows += [[name, f"q{n}", f"Where is thing {n}?", right, said] for name in PLAYERS if draw.random() >= hole]
    return rows


def apart(holes: int, questions: int = 200, of: str = "ann") -> list[list[str]]:
    """Each errs on another third of the questions, so that a vote is always right."""
    return [
        [name, f"q{n}", f"Where is thing {n}?", "Oslo", "Bern" if n % 3 == seat else "Oslo"]
        for n in range(questions)
        for seat, name in enumerate(PLAYERS)
        if name != of or n >= holes
    ]


def test_equal_models_gain_nothing_by_what_was_lost(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    told = Told(tmp_path, capfd, alike(0.12), hypotheses=["accuracy(vote) > accuracy(solo@ann)"])
    figures = told.report()
    headline = figures["headline"]
    assert ") more than" not in headline["sentence"]
    assert headline["value"] == pytest.approx(62.0 / 100, abs=0.1), "the figure itself stays"
    assert headline["over_best_single"]["low"] is None
    unreached = headline["unreached"]
    assert unreached["withheld"]
    assert unreached["unrecorded"] == unreached["who"] == list(PLAYERS)
    why = (
        f"On {unreached['questions']} of 200 questions a recording has no reply (ann, bob, cat), so nothing is claimed"
    )
    assert f"{why}; {WAY_OUT}." in headline["words"]
    assert "reached" not in " ".join(headline["words"])
    (hypothesis,) = figures["hypotheses"]
    assert hypothesis["verdict"] == "open"
    assert "of 200 plays of vote a recording has no reply (ann, bob, cat)" in hypothesis["note"]
    assert all(row["low"] is None for row in figures["accuracy"])
    compared = told.compared("vote", "solo@cat")
    assert compared["p"] is None
    assert compared["unreached"]["withheld"]
    assert "a recording has no reply" in compared["why"]
    said = told.does("advise", told.path, status=2)
    assert "nothing can be advised: a recording has no reply on this many questions: " in said
    assert WAY_OUT in said
    assert "No team to take yet" in told.does("select", told.path, "--k", "2")
    said = told.does("plan", "--from", told.path, status=2)
    assert f"a recording has no reply (ann, bob, cat); {WAY_OUT}" in said


def test_nor_do_they_by_fewer(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    headline = Told(tmp_path, capfd, alike(0.05)).report()["headline"]
    assert ") more than" not in headline["sentence"]


def test_what_a_whole_recording_shows_is_claimed(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    told = Told(tmp_path, capfd, apart(0), hypotheses=["accuracy(vote) > accuracy(solo@ann)"])
    figures = told.report()
    assert ") more than the best single model" in figures["headline"]["sentence"]
    assert not {"unreached"} & (figures.keys() | figures["headline"].keys())
    assert figures["hypotheses"][0]["verdict"] == "confirmed"
    assert told.compared("vote", "solo@ann")["p"] < 0.001


def test_and_so_is_what_one_hole_could_not_turn(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    told = Told(tmp_path, capfd, apart(1), hypotheses=["accuracy(vote) > accuracy(solo@ann)"])
    figures = told.report()
    headline = figures["headline"]
    assert ") more than the best single model" in headline["sentence"]
    assert not headline["unreached"]["withheld"]
    assert f"On 1 of 200 questions a recording has no reply (ann); {WAY_OUT}." in headline["words"]
    assert figures["hypotheses"][0]["verdict"] == "confirmed"
    assert told.compared("vote", "solo@ann")["p"] < 0.001
    shown = told.does("advise", told.path)
    assert "a recording has no reply on this many questions: ann (1 of 200)" in " ".join(shown.split())


def test_no_method_of_choosing_is_better_by_what_was_lost(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Few enough that each share has its interval: one in 21 of each, on other questions."""
    rows = [row for row in alike(0.0, 400) if int(row[1][1:]) % 21 != PLAYERS.index(row[0])]
    told = Told(tmp_path, capfd, rows)
    selected = told.selected()
    together, alone = selected["input-all"], selected["best-model"]
    assert together["low"] is not None
    assert together["over"]["difference"] > 0.01
    assert together["over"]["regressions"] == 0
    assert (together["over"]["low"], together["over"]["p_holm"]) == (None, None)
    assert "could reverse it" in together["over"]["why"]
    assert (together["beaten_by"], alone["beaten_by"]) == (None, None)
    said = " ".join(told.does("select", told.path, "--k", "3", "--m", "50").split())
    assert "questions a recording has no reply (ann, bob, cat); these labels count as not right" in said
    assert f"whatever they would be; {WAY_OUT}." in said
    assert "again" not in said


def test_what_few_holes_could_not_turn_is_said_of_methods(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    rows = Told(tmp_path, capfd, apart(2)).selected()
    assert rows["input-all"]["over"]["low_holm"] > 0.1
    assert rows["best-model"]["beaten_by"] == "input-all"


def test_a_single_that_lacks_replies_may_be_the_best(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Nobody is missing in the vote, but a player who sits elsewhere may be as good once all that it said is there."""
    rows = apart(0) + [["dan", *row[1:4], "Oslo"] for row in apart(0) if row[0] == "ann" and int(row[1][1:]) >= 40]
    teams = {"trio": {"players": list(PLAYERS)}, "pair": {"players": ["ann", "dan"]}}
    headline = Told(tmp_path, capfd, rows, teams=teams).report()["headline"]
    assert (headline["team"], headline["value"]) == ("trio", 1.0)
    assert headline["over_best_single"]["single"] == "dan"
    assert headline["low"] is not None
    assert headline["over_best_single"]["low"] is None
    assert headline["unreached"]["unrecorded"] == ["dan"]
