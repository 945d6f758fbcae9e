"""References that were mended, and other judges who were asked, after answers were there: said wherever a claim is."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import Any

import moot
from moot import Case, Question, Request, ScriptedModel
from moot.cli.app import app
from moot.cli.exit import run_app
from moot.models.scripted import Script

PLAYERS = ("ann", "bob", "cat")
CASES = [Case(Question(f"q{n}", f"Which city is number {n}?"), f"city {n}") for n in range(12)]
MENDED = [replace(case, accepted=("a village",)) if n % 3 == 0 else case for n, case in enumerate(CASES)]
TEXT = "accuracy(vote) > 0.1"


def player(name: str) -> ScriptedModel:
    def reply(request: Request) -> Script:
        number = int(str(request.question_id).removeprefix("q"))
        right = number % 3 != 0 or name == "ann"
        return {"reasoning": "So.", "answer": f"city {number}" if right else "a village"}

    return ScriptedModel(name, reply)


def judge(kind: bool) -> Any:
    def reply(request: Request) -> Script:
        count = (request.schema or {})["properties"]["grades"]["items"]["properties"]["id"]["maximum"]
        return {"grades": [{"id": number, "is_correct": kind} for number in range(1, count + 1)]}

    return reply


def played(folder: Path, cases: Sequence[Case] = CASES, *, judges: Sequence[str] = (), **more: Any) -> dict[str, Any]:
    models = {name: player(name) for name in PLAYERS}
    models |= {name: ScriptedModel(name, judge(name == "kim")) for name in ("jay", "kim")}
    keys = {
        "name": "cup",
        "questions": list(cases),
        "models": models,
        "players": {name: {"model": name} for name in PLAYERS},
        "strategies": ["solo", "vote"],
        "primary": "vote",
        "hypotheses": [TEXT],
        **({"judge": {"models": list(judges)}} if judges else {}),
        **more,
    }
    return moot.run(keys, store=folder / "cup.db").figures


def shown(folder: Path, *more: str) -> str:
    said = io.StringIO()
    with redirect_stdout(said):
        assert run_app(app, ["report", "--store", f"sqlite:///{folder}/cup.db", *more]) == 0
    return " ".join(said.getvalue().split())


CHANGED = "The references of 4 questions were changed after they had been played"


def test_references_that_were_changed_after_the_look_are_told_everywhere(tmp_path: Path) -> None:
    first = played(tmp_path)
    assert "keys_changed" not in first["headline"]
    figures = played(tmp_path, MENDED)
    head, (row,) = figures["headline"], figures["hypotheses"]
    assert head["value"] > first["headline"]["value"]
    assert (head["chosen"], row["frozen"]) == ("declared", True), "mended keys are an everyday thing"
    assert (head["keys_changed"], row["keys_changed"]) == (4, 4)
    assert CHANGED in head["sentence"]
    short = shown(tmp_path)
    assert f"{CHANGED}: corrections made more for one side favour that side" in short
    assert "the references of 4 questions were changed after they had been played (--section hypotheses)" in short
    section = shown(tmp_path, "--section", "hypotheses")
    assert CHANGED in section
    assert "references changed since" in section
    page = tmp_path / "report.html"
    shown(tmp_path, "-o", str(page))
    assert CHANGED in page.read_text(encoding="utf-8")
    assert json.loads(shown(tmp_path, "--json"))["headline"]["keys_changed"] == 4


def test_questions_that_were_only_planned_or_are_new_have_no_changed_reference(tmp_path: Path) -> None:
    played(tmp_path, CASES[:6])
    figures = played(tmp_path, [*CASES[:6], *MENDED[6:]])
    assert "keys_changed" not in figures["headline"], "nobody had played those"
    assert played(tmp_path, MENDED)["headline"]["keys_changed"] == 2


def test_another_judge_is_told(tmp_path: Path) -> None:
    assert "other_graders" not in played(tmp_path, judges=["jay"])["headline"]
    figures = played(tmp_path, judges=["kim"])
    head, (row,) = figures["headline"], figures["hypotheses"]
    assert (head["chosen"], row["frozen"]) == ("declared", True)
    assert head["other_graders"] == row["other_graders"] == ["jay"]
    told = "Others have graded these answers too: jay: whose grades are shown here was a choice"
    assert told in head["sentence"]
    assert told in shown(tmp_path)
    assert told in shown(tmp_path, "--section", "hypotheses")
    assert played(tmp_path)["headline"]["other_graders"] == ["jay", "kim"]
    assert played(tmp_path, judges=["jay"])["headline"]["other_graders"] == ["match alone", "kim"]


class Kinder(ScriptedModel):
    def shape(self, request: Request) -> dict[str, Any]:
        return {**super().shape(request), "temper": "kinder"}


def test_another_model_under_a_judges_name_is_another_judge(tmp_path: Path) -> None:
    played(tmp_path, judges=["jay"])
    models = {name: player(name) for name in PLAYERS} | {"jay": Kinder("jay", judge(True))}
    head = played(tmp_path, judges=["jay"], models=models)["headline"]
    assert head["other_graders"] == ["jay with another model or prompt"]
