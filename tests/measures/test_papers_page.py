"""The page on the papers names sections and keys that there are, and every table and figure that a paper has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
SOURCE = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "src/moot/measures").rglob("*.py"))
PAPERS = dict(zip(("chgk", "protocols", "safety", "moa"), re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:], strict=True))
PRINTED = {
    "chgk": ({1, 2}, {1, 2, 3, 4}),
    "protocols": ({1, 2, 3, 4}, set(range(2, 15))),
    "safety": (set(range(1, 14)), {1, 2}),
    "moa": (set(range(1, 16)), {1, 2, 3}),
}
"""By paper: the numbers of its tables and of its figures, but for pictures of prompts."""


def rows(part: str) -> list[list[str]]:
    lines = [line for line in part.splitlines() if line.startswith("| ") and not line.startswith("| ---")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]


def numbers(part: str, word: str) -> set[int]:
    named: set[int] = set()
    for listed in re.findall(rf"{word}s? ((?:\d+(?:, | and | to )?)+)", part):
        for first, last in re.findall(r"(\d+) to (\d+)", listed):
            named |= set(range(int(first), int(last) + 1))
        named |= {int(number) for number in re.findall(r"\d+", listed)}
    return named


@pytest.mark.parametrize("paper", PAPERS)
def test_sections_and_keys_are_there(paper: str) -> None:
    for what, sections, keys, _ in rows(PAPERS[paper]):
        for ident in re.findall(r"`([a-z-]+)`", sections):
            stem = ident.removesuffix("-by-set").removesuffix("-agents").removesuffix("-rounds")
            assert re.search(rf'f?"{stem}[-"{{]', SOURCE), f"{what}: there is no section {ident}"
        for key in re.findall(r"`([a-z_]+)`", keys):
            assert f'"{key}"' in SOURCE, f"{what}: there is no key {key}"


@pytest.mark.parametrize("paper", PAPERS)
def test_no_table_and_no_figure_is_left_out(paper: str) -> None:
    tables, figures = PRINTED[paper]
    assert tables - numbers(PAPERS[paper], "Table") == set()
    assert figures - numbers(PAPERS[paper], "Figure") == set()
