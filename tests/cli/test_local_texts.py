"""Long answers by a real model, from the file to the page: what it writes, ranks and is compared by. Never what it says."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest
from page_data import page_text

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.models.packaged import CATALOGUE

SMALL = "smollm2-135m"
pytestmark = [
    pytest.mark.local,
    pytest.mark.long,
    pytest.mark.skipif(not CATALOGUE[SMALL].there, reason=f"no weights here: moot models add {SMALL}"),
    pytest.mark.skipif(importlib.util.find_spec("xllamacpp") is None, reason='no llama.cpp: pip install "moot[local]"'),
]

PLAYERS = ("ann", "bob", "cat")
QUESTIONS = {
    "move": "Write a short plan for moving a small library.",
    "tides": "Explain the tides to a child of eight.",
}
CUP = f"""\
name: plans
seed: 5
prompts: small
questions: {{file: plans.jsonl}}
models:
  smol: {{provider: local, model: {SMALL}, params: {{temperature: 0.8, max_tokens: 16}}}}
  ivy: {{provider: simulated, accuracy: 0.5, length_bias: 0.8}}
players:
  ann: {{model: smol, instruction: Answer at once.}}
  bob: {{model: smol, instruction: Think of the reader first.}}
  cat: {{model: smol, instruction: Be exact.}}
teams:
  three: {{players: [ann, bob, cat], captain: ann}}
strategies: [council]
judge: {{models: [ivy], pairwise: true}}
primary: council@ann
"""


def moot(*arguments: object) -> int:
    return run_app(app, [str(each) for each in arguments])


def test_texts_of_a_real_model_are_ranked_judged_and_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    rows = [json.dumps({"id": ident, "text": text, "kind": "text"}) for ident, text in QUESTIONS.items()]
    Path("plans.jsonl").write_text("\n".join(rows), encoding="utf-8")
    Path("cup.yaml").write_text(CUP, encoding="utf-8")
    assert moot("run", "cup.yaml", "--quiet") == 0
    capsys.readouterr()

    assert moot("report", "cup.yaml", "--json") == 0
    figures = json.loads(capsys.readouterr().out)
    answered = {row["label"]: row["outcomes"] for row in figures["accuracy"] if row.get("player") is None}
    assert answered == {"council": {"answered": 2}}
    assert figures["simulated"] == ["ivy"], "the judge, and nobody who wrote"
    preferences = figures["preferences"]
    assert (preferences["judges"], preferences["questions"], preferences["without_word"]) == (["ivy"], 2, 0)
    pairs = {(row["of"], row["against"]): row for row in preferences["pairs"]}
    assert pairs.keys() == {("council@ann", f"solo@{name}") for name in PLAYERS}
    for row in pairs.values():
        assert (row["n"], row["ungraded"], row["wins"] + row["ties"] + row["losses"]) == (2, 0, 2)

    assert moot("show", "cup.yaml", "move", "--strategy", "council", "--json") == 0
    (played,) = json.loads(capsys.readouterr().out)
    drafts, ranking, written = ([call for call in played["calls"] if call["turn"] == turn] for turn in (1, 2, 3))
    assert {call["player"] for call in drafts} == {call["player"] for call in ranking} == set(PLAYERS)
    assert played["verdict"]["answer"] == written[-1]["text"].strip() != "", "as the chairman wrote it"

    assert moot("report", "cup.yaml", "-o", "cup.html") == 0
    page = page_text(Path("cup.html"))
    assert "On these 2 questions the texts of the council team with ann as captain" in page
    assert all(
        json.dumps(text, ensure_ascii=False)[1:-1] in page
        for text in (*QUESTIONS.values(), *(call["text"] for call in drafts))
    )
