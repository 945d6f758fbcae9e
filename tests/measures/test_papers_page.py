"""The page on the papers names sections and keys that there are, and every table and figure that a paper has."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest
from papers_page import counterparts, parts

from moot.cli.app import app
from moot.cli.exit import run_app

ROOT = Path(__file__).parents[2]
SOURCE = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "src/moot/measures").rglob("*.py"))
PAPERS = dict(zip(("chgk", "protocols", "safety", "moa"), parts().values(), strict=True))
KINDS = {"selection-aggregators": "aggregator", "selection-proposers": "single"}
"""By section of `moot select`: the rows that it shows, where they are not the selectors."""
PRINTED = {
    "chgk": ({1, 2}, {1, 2, 3, 4}),
    "protocols": ({1, 2, 3, 4}, set(range(2, 15))),
    "safety": (set(range(1, 14)), {1, 2}),
    "moa": (set(range(1, 16)), {1, 2, 3}),
}
"""By paper: the numbers of its tables and of its figures, but for pictures of prompts."""


def numbers(part: str, word: str) -> set[int]:
    named: set[int] = set()
    for listed in re.findall(rf"{word}s? ((?:\d+(?:, | and | to )?)+)", part):
        for first, last in re.findall(r"(\d+) to (\d+)", listed):
            named |= set(range(int(first), int(last) + 1))
        named |= {int(number) for number in re.findall(r"\d+", listed)}
    return named


@pytest.mark.parametrize("paper", PAPERS)
def test_sections_and_keys_are_there(paper: str) -> None:
    for what, sections, keys, _ in counterparts(PAPERS[paper]):
        for ident in re.findall(r"`([a-z-]+)`", sections):
            stem = ident.removesuffix("-by-set").removesuffix("-agents").removesuffix("-rounds")
            assert re.search(rf'f?"{stem}[-"{{]', SOURCE), f"{what}: there is no section {ident}"
        for key in re.findall(r"`([a-z_]+)`", keys):
            assert f'"{key}"' in SOURCE, f"{what}: there is no key {key}"


def test_keys_of_a_selection_are_in_its_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In every row of the very table that the page names; of a report see tests/examples."""
    with (tmp_path / "labels.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["question_id", "model", "prompt", "pred", "answer"])
        for question in range(20):
            for place, model in enumerate(("one", "two", "three")):
                table.writerow([question, model, "", "AB"[question % (place + 2) == 0], "A"])
    assert run_app(app, ["select", str(tmp_path / "labels.csv"), "--k", "2", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    selected = [each for each in counterparts(PAPERS["moa"]) if each.command.startswith("`moot select")]
    assert {kind for each in selected for kind in KINDS if kind in each.sections} == set(KINDS)
    for each in selected:
        kind = KINDS.get(each.sections.strip("`"), "selector")
        for row in (shown := [row for row in rows if row["kind"] == kind]):
            assert not {*each.named_keys} - row.keys(), f"{each.what}: not in {row['method']}"
        assert shown


@pytest.mark.parametrize("paper", PAPERS)
def test_no_table_and_no_figure_is_left_out(paper: str) -> None:
    tables, figures = PRINTED[paper]
    assert tables - numbers(PAPERS[paper], "Table") == set()
    assert figures - numbers(PAPERS[paper], "Figure") == set()
