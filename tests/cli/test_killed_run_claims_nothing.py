"""What a killed run claims: nothing, by whichever command it is asked. Its report says so; whoever has no report says it too."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from moot.cli.app import app
from moot.cli.exit import run_app

CLAIMS = ("low", "high", "p", "p_holm", "low_holm", "high_holm", "beaten_by")
SLOWEST = "The run is unfinished; slow answers"


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ann took longest where she was wrong, and the run was killed before that."""
    folder = tmp_path_factory.mktemp("killed")
    choices = ["Paris", "Rome", "Oslo", "Bonn"]
    lines = [{"id": f"q{n}", "text": f"Number {n}?", "choices": choices, "answer": "ABCD"[n % 4]} for n in range(80)]
    (folder / "q.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    keys = {
        "questions": {"file": "q.jsonl"},
        "models": {name: {"provider": "simulated", "accuracy": 0.6} for name in ("ann", "bob", "low")},
        "teams": {"three": {"players": ["ann", "bob", "low"], "captain": "ann"}},
        "strategies": ["solo", "vote"],
    }
    for name, more in (("cup", {"primary": "vote"}), ("whole", {"seed": 3})):
        (folder / f"{name}.yaml").write_text(json.dumps({"name": name, **keys, **more}), encoding="utf-8")
        assert run_app(app, ["run", str(folder / f"{name}.yaml"), "--quiet"]) == 0
    with closing(sqlite3.connect(folder / "cup.db")) as connection, connection:
        connection.execute(
            "DELETE FROM episodes WHERE cell IN (SELECT id FROM cells WHERE player = 'ann') AND EXISTS"
            ' (SELECT 1 FROM scores JOIN experiment_questions AS placed ON placed."case" = scores."case"'
            " WHERE scores.cell = episodes.cell AND placed.question = episodes.question AND scores.value = 0)"
        )
        connection.execute("""UPDATE runs SET state = 'interrupted', facts = '{"dropped": 9}'""")
    return folder / "cup.yaml"


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch, cup: Path) -> None:
    monkeypatch.setenv("COLUMNS", "250")
    monkeypatch.chdir(cup.parent)


def said(capfd: pytest.CaptureFixture[str], *command: str, code: int = 0) -> str:
    capfd.readouterr()
    assert run_app(app, list(command)) == code
    told = capfd.readouterr()
    return told.out if not code else told.err


def claims_in(value: Any, place: str = "") -> Iterator[str]:
    """Where an interval or a p stands, however deep."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if not key.endswith("bounds"):
                yield from [f"{place}.{key}"] if key in CLAIMS and inner is not None else ()
                yield from claims_in(inner, f"{place}.{key}")
    elif isinstance(value, list):
        for inner in value:
            yield from claims_in(inner, place)


def test_the_headline(cup: Path, capfd: pytest.CaptureFixture[str]) -> None:
    headline = json.loads(said(capfd, "report", "cup.yaml", "--json"))["headline"]
    assert headline["after_the_fact"]["value"] == 1.0, "only what she got right is there"
    assert headline["over_best_single"]["best_single"]["value"] is not None
    assert list(claims_in(headline)) == []


def test_a_comparison(cup: Path, capfd: pytest.CaptureFixture[str]) -> None:
    row = json.loads(said(capfd, "compare", "cup.yaml", "--a", "solo@ann", "--b", "solo@bob", "--json"))
    assert row["difference"] > 0.2
    assert (row["cut_short"], list(claims_in(row))) == (True, [])
    assert "slowest" in row["why"]
    words = said(capfd, "compare", "cup.yaml", "--a", "solo@ann", "--b", "solo@bob")
    assert SLOWEST in words.splitlines()[0]
    assert "nothing is claimed" in words
    assert "p = " not in words
    assert "interval " not in words.partition("\n")[2]
    whole = json.loads(said(capfd, "compare", "whole.yaml", "--a", "solo@ann", "--b", "solo@bob", "--json"))
    assert "cut_short" not in whole
    assert whole["p"] is not None


def test_a_selection(cup: Path, capfd: pytest.CaptureFixture[str]) -> None:
    command = ("select", "cup.yaml", "--k", "1", "--method", "top-accuracy,greedy,input-all", "--m", "20")
    rows = json.loads(said(capfd, *command, "--json"))
    assert all(row["cut_short"] for row in rows)
    assert list(claims_in([{**row, "counts": None, "accuracies": None} for row in rows])) == []
    assert rows[2]["accuracies"]["low"] is not None, "who is so called is no claim"
    words = said(capfd, *command)
    assert SLOWEST in words
    assert not re.search(r"\d–\d", words), "an interval"
    assert "May be the best" not in words
    assert "No team to take yet" in words
    assert "The team to take" not in words


def test_two_runs_side_by_side(cup: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for pair, name in ((("cup.yaml", "whole.yaml"), "cup (first)"), (("whole.yaml", "cup.yaml"), "cup (second)")):
        both = json.loads(said(capfd, "report", *pair, "--json"))
        assert both["cut_short"] == [name]
        assert both["comparisons"]
        assert list(claims_in(both["comparisons"])) == []
    words = said(capfd, "report", "cup.yaml", "whole.yaml").partition("Second run against the first")[2]
    assert "Nothing is claimed of a run that was cut short: cup (first)." in words


@pytest.mark.parametrize("figure", ["value", "after_the_fact.low", "after_the_fact.value", "n", "best_single.value"])
def test_a_pipeline_is_let_through_on_nothing_of_it(cup: Path, capfd: pytest.CaptureFixture[str], figure: str) -> None:
    told = said(capfd, "report", "cup.yaml", "--fail-under", f"{figure}>0", code=1)
    assert f"not met: {figure}>0: {figure} is not known (the run was cut short" in told
    said(capfd, "report", "whole.yaml", "--fail-under", f"{figure.replace('.low', '.high')}>0")


def test_what_was_done_is_known(cup: Path, capfd: pytest.CaptureFixture[str]) -> None:
    said(capfd, "report", "cup.yaml", "--fail-under", "questions>79")
    assert run_app(app, ["report", "cup.yaml", "--fail-under", "valu>0"]) == 2


def test_a_section_and_the_tables_say_it_first(cup: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert SLOWEST in said(capfd, "report", "cup.yaml", "--section", "accuracy").splitlines()[0]
    assert SLOWEST not in said(capfd, "report", "whole.yaml", "--section", "accuracy")
    capfd.readouterr()
    assert run_app(app, ["report", "cup.yaml", "--format", "csv", "-o", "tables"]) == 0
    assert SLOWEST in capfd.readouterr().err
    assert run_app(app, ["report", "cup.yaml", "--format", "latex", "-o", "paper"]) == 0
    assert all(SLOWEST in path.read_text(encoding="utf-8") for path in Path("paper").iterdir())
