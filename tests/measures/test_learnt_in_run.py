"""What learns within a run: every table with its intervals says so, in a terminal, on the page, as JSON and in `moot compare`."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from rich.console import Console
from worlds import World, questions

from moot import Results
from moot.cli.app import app
from moot.cli.exit import run_app
from moot.measures.learnt_in_run import learnt_names, learnt_words, with_learnt_words
from moot.measures.section import Column, Section
from moot.report.sections import all_sections
from moot.report.terminal import print_report, print_sections

WORDS = "Learnt in this run"


def says(player: str, number: int, repeat: int) -> str:
    return "Paris" if (number * 7 + ord(player[0])) % 10 < {"ann": 8, "bob": 6, "cat": 5}[player] else "Rome"


def played(*strategies: Any) -> Results:
    team = {"players": ["ann", "bob", "cat"]}
    return World(says, asked=questions(40)).play(list(strategies), teams={"team": team})


@pytest.fixture(scope="module")
def results() -> Results:
    return played("solo", "vote", "leader")


def shown(results: Results, *names: str) -> str:
    out = io.StringIO()
    console = Console(file=out, width=80)
    if names:
        print_sections(dict(results.figures), console, names)
    else:
        print_report(dict(results.figures), console)
    return " ".join(out.getvalue().split())


def test_figures_name_them(results: Results) -> None:
    assert results.figures["learnt_in_run"] == ["leader"]
    assert "learnt_in_run" not in played("solo", "vote", {"leader": {"player": "ann", "unless": 2}}).figures


def test_every_table_with_intervals_of_it_says_so(results: Results) -> None:
    silent = {"runs", "prompts", "outcomes"}
    sections = {section.id: section for section in all_sections(results.figures)}
    said = {ident for ident, section in sections.items() if any(WORDS in words for words in section.words)}
    assert {"accuracy", "comparisons", "trust", "frontier"} <= said
    assert not said & silent
    for ident, section in sections.items():
        named = any("leader" in str(value) for row in section.rows for value in row.values())
        if named and any(column.low for column in section.columns):
            assert ident in said, ident


@pytest.mark.parametrize("name", ["accuracy", "comparisons", "trust"])
def test_in_a_terminal_it_stands_beneath_the_table(name: str, results: Results) -> None:
    assert learnt_words(["leader"]) in shown(results, name)


def test_the_whole_report_says_it_beneath_each_and_among_the_remarks(results: Results) -> None:
    text = shown(results)
    assert text.count(learnt_words(["leader"])) >= 3
    assert "Learnt in this run, so intervals are too narrow" in text


def test_the_screen_the_page_and_a_comparison_say_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [{"id": f"q{n}", "text": f"Question {n}?", "answer": "yes"} for n in range(40)]
    (tmp_path / "q.jsonl").write_text("\n".join(map(json.dumps, lines)))
    models = {name: {"provider": "simulated", "accuracy": 0.7} for name in ("ann", "bob", "cat")}
    keys = {"name": "cup", "seed": 3, "questions": {"file": "q.jsonl"}, "models": models}
    file = tmp_path / "cup.yaml"
    file.write_text(yaml.safe_dump({**keys, "strategies": ["solo", "vote", "leader"]}))

    def moot(*arguments: object) -> str:
        capsys.readouterr()
        assert run_app(app, [str(argument) for argument in arguments]) == 0
        return " ".join(capsys.readouterr().out.split())

    moot("run", file, "--quiet")
    assert "Learnt in this run, so intervals are too narrow, and p too small: leader." in moot("report", file)
    moot("report", file, "-o", tmp_path / "cup.html")
    page = (tmp_path / "cup.html").read_text()
    assert "Learnt in this run, so intervals are too narrow" in page, "before anything else; tables are in its data"
    assert learnt_words(["leader"]) in moot("compare", file, "leader", "vote")
    assert json.loads(moot("compare", file, "leader", "vote", "--json"))["learnt_in_run"] == ["leader"]
    assert WORDS not in moot("compare", file, "solo@ann", "vote")


def section(**row: Any) -> Section:
    return Section("any", "Any", (), (Column("value", "right", "share", "low", "high"),), [row])


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"label": "leader"}, True),
        ({"name": "three/leader@ann"}, True),
        ({"a": "leader@ann", "b": "vote"}, True),
        ({"hypothesis": "accuracy(leader) > accuracy(vote)"}, True),
        ({"hypothesis": "accuracy(leader(unless=2)) > accuracy(vote)"}, False),
        ({"strategy": "leader", "label": "leader(player=ann, unless=2)"}, False),
        ({"name": "leader(player=ann, unless=2)@ann"}, False),
        ({"name": "misleader"}, False),
        ({"name": "leader (of another kind)"}, False),
        ({"hypothesis": "what leader says"}, False),
    ],
)
def test_a_row_is_known_by_its_whole_label(row: dict[str, Any], said: bool) -> None:
    who = {"strategy": "leader", "team": "three", "captain": "ann"}
    accuracy = [{**who, "label": "leader"}, {**who, "label": "leader(player=ann, unless=2)"}]
    names = learnt_names({"learnt_in_run": ["leader"], "accuracy": accuracy})
    assert bool(with_learnt_words(section(**row), names).words) == said
