"""A grader of another package that was mended: what it said before is on record, and is asked for anew where one says so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from moot.cli.app import app
from moot.cli.exit import run_app

PACKAGE = """
from pathlib import Path
from moot import Score

class Filed:
    name = "filed"
    async def grade(self, case, verdict):
        return Score(float((Path(__file__).parent / "value").read_text()), "filed")
"""


def test_moot_grade_asks_anew_where_it_is_told_to(
    tmp_path: Path, installed: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    site = tmp_path / "site"
    (site / "filed_pack-0.1.0.dist-info").mkdir(parents=True)
    (site / "filed_pack.py").write_text(PACKAGE, encoding="utf-8")
    (site / "filed_pack-0.1.0.dist-info" / "METADATA").write_text("Name: filed-pack\nVersion: 0.1.0\n")
    (site / "filed_pack-0.1.0.dist-info" / "entry_points.txt").write_text("[moot.graders]\nfiled = filed_pack:Filed\n")
    installed(site)
    (site / "value").write_text("0")
    path = tmp_path / "cup.yaml"
    content: dict[str, Any] = {"name": "cup", "grader": "filed", "store": f"sqlite:///{tmp_path}/cup.db"}
    content |= {"models": {"ann": {"provider": "simulated", "accuracy": 0.5}}}
    path.write_text(yaml.safe_dump(content | {"questions": {"builtin": "facts-en", "sample": 5}}), encoding="utf-8")

    def value(*command: str) -> float:
        assert run_app(app, [command[0], str(path), *command[1:]]) == 0
        capsys.readouterr()
        assert run_app(app, ["report", str(path), "--json"]) == 0
        return float(json.loads(capsys.readouterr().out)["accuracy"][0]["value"])

    assert value("run") == 0.0
    (site / "value").write_text("1")
    assert run_app(app, ["grade", str(path)]) == 0
    assert "5 grades of filed are taken from the store" in capsys.readouterr().err
    assert value("grade") == 0.0
    league = path.with_name("league.yaml")
    league.write_text(yaml.safe_dump(content | {"name": "league", "questions": {"builtin": "general-en", "sample": 4}}))
    (site / "value").write_text("0")
    assert run_app(app, ["run", str(league), "--quiet"]) == 0
    (site / "value").write_text("1")
    assert value("grade", "--anew") == 1.0
    assert value("grade") == 1.0
    assert run_app(app, ["grade", str(league)]) == 0
    assert "4 grades of filed are taken from the store" in capsys.readouterr().err, "of another experiment"
