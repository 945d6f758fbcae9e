"""`moot compare`: the same figures as the report, said in sentences."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from moot.cli.app import app
from moot.cli.exit import run_app

MODELS = {"ann": 0.7, "bob": 0.5, "cat": 0.4}


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cup")
    lines = [{"id": f"q{n}", "text": f"Who is number {n}?", "answer": f"Person {n}"} for n in range(60)]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    spec = {
        "name": "cup",
        "questions": {"file": "questions.jsonl"},
        "models": {name: {"provider": "simulated", "accuracy": share} for name, share in MODELS.items()},
        "teams": {"three": {"players": list(MODELS), "captain": "each"}},
        "strategies": ["solo", "vote", "talkative"],
    }
    path = folder / "cup.yaml"
    path.write_text(json.dumps(spec), encoding="utf-8")
    assert run_app(app, ["run", str(path), "--quiet"]) == 0
    return path


def compared(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    assert run_app(app, ["compare", *map(str, arguments), "--json"]) == 0
    return dict(json.loads(capsys.readouterr().out))


def test_one_pair_a_question(cup: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = compared(capsys, cup, "--a", "talkative@bob", "--b", "vote@bob")
    assert run_app(app, ["report", str(cup), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["comparisons"]
    expected = next(row for row in rows if (row["a"], row["b"]) == ("talkative@bob", "vote@bob"))
    for key in ("difference", "low", "high", "p", "n", "test", "rescues", "regressions", "small"):
        assert found[key] == expected[key], key
    assert found["test"] == "mcnemar"
    assert found["captains"] is None
    assert found["accuracy_a"]["value"] - found["accuracy_b"]["value"] == pytest.approx(found["difference"])


def test_the_two_may_stand_behind_the_file(cup: Path, capsys: pytest.CaptureFixture[str]) -> None:
    named = compared(capsys, cup, "--a", "talkative@bob", "--b", "vote@bob")
    assert compared(capsys, cup, "talkative@bob", "vote@bob") == named
    for wrong in ((), ("vote",), ("--a", "vote"), ("vote", "--b", "solo@ann"), ("vote", "solo@ann", "--a", "vote")):
        assert run_app(app, ["compare", str(cup), *wrong]) == 2
        said = capsys.readouterr().err
        assert "expected two strategies, such as: moot compare" in said
        assert len(said.splitlines()) == 1


def test_over_captains(cup: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = compared(capsys, cup.with_suffix(".db"), "--a", "talkative", "--b", "vote")
    assert (found["test"], found["captains"], found["n"]) == ("score", 3, 60)
    back = compared(capsys, f"sqlite:///{cup.with_suffix('.db')}", "--a", "vote", "--b", "talkative")
    assert back["difference"] == pytest.approx(-found["difference"])
    assert (back["rescues"], back["regressions"]) == (found["regressions"], found["rescues"])
    alone = compared(capsys, cup, "--a", "talkative@ann", "--b", "solo@ann")
    assert alone["test"] == "mcnemar"


def test_in_sentences(cup: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(app, ["compare", str(cup), "--a", "talkative@cat", "--b", "solo@cat"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "On the 60 questions that both played, " in said
    assert "(exact McNemar)" in said
    assert "talkative@cat was better on " in said


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        ("talkativ", "vote", "--a: strategy 'talkativ' is not played here"),
        ("talkative@eve", "vote", "--a: 'eve' leads no play of 'talkative'; expected ann, bob, cat"),
        ("vote", "", "--b: expected a strategy"),
        ("vote", "vote", "are the same"),
        ("vote@", "vote", "expected a strategy"),
    ],
)
def test_mistakes(cup: Path, a: str, b: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(app, ["compare", str(cup), "--a", a, "--b", b]) == 2
    assert said in capsys.readouterr().err


def test_no_store(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(app, ["compare", str(tmp_path / "none.db"), "--a", "vote", "--b", "solo"]) == 2
    assert "there is no store" in capsys.readouterr().err
