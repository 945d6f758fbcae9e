"""Tables for a paper: the terminal's figures, no word of anybody a command, and no claim without its caption."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.measures.section import Column, Section
from moot.report.latex import escaped, latex_table

HARMLESS = re.compile(
    r"\\(?:textbackslash|textasciitilde|textasciicircum|textless|textgreater|textbar|textasciigrave|char34|ldots)\{\}"
    r"|\\[&%$#_{}]|\{['\-\[\]*]\}|\$-\$|\$\\times\$"
)


@given(st.text())
def test_no_text_is_a_command(text: str) -> None:
    rest = HARMLESS.sub("", escaped(text))
    assert not set(rest) & set("\\&%$#_{}~^<>|\"`'[]*\n\r\x00")
    assert re.search("--", rest.replace("--", "", text.count("–"))) is None


@given(st.text(alphabet="ab &%$#_{}~^\\-<>|\"`'[]*"))
def test_every_letter_of_it_is_shown(text: str) -> None:
    names = {"textbackslash": "\\", "textasciitilde": "~", "textasciicircum": "^", "textless": "<"}
    names |= {"textgreater": ">", "textbar": "|", "textasciigrave": "`", "char34": '"'}
    shown = re.sub(
        r"\\([a-z]+[0-9]*)\{\}|\\(.)|\{(.)\}", lambda m: names.get(m[1] or "", "") or m[2] or m[3], escaped(text)
    )
    assert shown == text.strip()


def test_a_table_has_figures_as_the_terminal_has_them() -> None:
    columns = (Column("who", "who"), Column("v", "right", "share", "low", "high"), Column("p", "p", "p"))
    rows = [{"who": "[a_b]", "v": 45 / 80, "low": 0.4, "high": 0.7, "p": 0.0001}, {"who": "c&d", "v": None, "p": None}]
    lines = latex_table(Section("by_who", "By who", ("In 95 of 100.",), columns, rows)).splitlines()
    assert r"\caption{By who. In 95 of 100.}\label{tab:by-who}" in lines
    assert r"\begin{tabular}{lrr}" in lines
    assert r"{[}a\_b{]} & 56.3 \% (40.0--70.0) & \textless{}0.001 \\" in lines
    assert r"c\&d & -- & -- \\" in lines
    long = latex_table(Section("long", "Long", (), columns, rows * 30))
    assert long.count(r"\caption") == 1
    assert long.count(r"c\&d") == 30
    assert r"\endfirsthead" in long
    assert r"\begin{table}" not in long


def test_the_command_writes_every_section(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    models = {name: {"provider": "simulated", "accuracy": 0.6} for name in ("ann_1", "bob")}
    file = {"name": "cup", "questions": {"builtin": "quiz-en"}, "models": models, "strategies": ["solo"]}
    Path("cup.yaml").write_text(json.dumps(file), encoding="utf-8")
    assert run_app(app, ["run", "cup.yaml", "--limit", "4", "--quiet"]) == 0
    assert run_app(app, ["report", "cup.yaml", "--format", "latex", "-o", "tables"]) == 0
    written = {path.name for path in Path("tables").iterdir()}
    assert {"accuracy.tex", "outcomes.tex"} <= written
    assert all(name.endswith(".tex") for name in written)
    accuracy = Path("tables/accuracy.tex").read_text(encoding="utf-8")
    assert r"solo & ann\_1 & " in accuracy
    assert r"Simulated, not real: ann\_1, bob" in accuracy
    assert run_app(app, ["report", "cup.yaml", "--format", "tex", "-o", "tables"]) == 2


def test_every_table_of_a_run_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In form: braces and environments are closed, rows have as many cells as the table has columns, shares have intervals."""
    monkeypatch.chdir(tmp_path)
    models = {name: {"provider": "simulated", "accuracy": 0.6, "refuse": 0.2} for name in ("a_1", "b.2", "c-3")}
    teams = {"t_t": {"players": list(models), "captain": "each"}}
    file = {"name": "cup", "questions": {"builtin": "quiz-en"}, "models": models, "teams": teams}
    Path("cup.yaml").write_text(json.dumps({**file, "strategies": ["solo", "vote"]}), encoding="utf-8")
    assert run_app(app, ["run", "cup.yaml", "--limit", "8", "--quiet"]) in (0, 1)
    assert run_app(app, ["report", "cup.yaml", "--format", "latex", "-o", "tables"]) == 0
    tables = sorted(Path("tables").iterdir())
    assert len(tables) > 5
    for path in tables:
        text = path.read_text(encoding="utf-8")
        bare = re.sub(r"\\[&%$#_{}]|\\\\", "", text.split("\n", 1)[1])
        assert bare.count("{") == bare.count("}"), path.name
        assert "%" not in bare, path.name
        begun, ended = (re.findall(rf"\\{word}{{(\w+)}}", text) for word in ("begin", "end"))
        assert begun == ended[::-1], path.name
        shape = re.search(r"\\begin\{(?:tabular|longtable)\}\{(.*)\}", text)
        assert shape is not None
        columns = len(re.findall(r"p\{[^}]*\}|[lr]", shape[1]))
        rows = [line for line in text.splitlines() if line.endswith(r" \\")]
        assert rows, path.name
        assert {len(re.findall(r"(?<!\\)&", line)) + 1 for line in rows} == {columns}, path.name
    accuracy = Path("tables/accuracy.tex").read_text(encoding="utf-8")
    figures = [line for line in accuracy.splitlines() if line.startswith(("solo &", "vote &"))]
    assert len(figures) == 6
    assert all(re.search(r"[0-9.]+ \\% \([0-9.]+--[0-9.]+\)", line) for line in figures)
