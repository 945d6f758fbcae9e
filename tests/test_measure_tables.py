"""The tables of what the author of a measure meets name every part of it, so that none of them can fall behind."""

from __future__ import annotations

import re
from dataclasses import fields
from inspect import getsource
from pathlib import Path
from typing import get_args, get_type_hints

from moot.measures.cells import Stored
from moot.measures.episodes import EpisodeOutline, Recorded
from moot.measures.section import Chart, Column, Section, Unit
from moot.measures.source import Source

PAGE = Path(__file__).parents[1] / "docs" / "extending.md"


def test_all_that_a_measure_meets_is_in_the_tables() -> None:
    """Of a plug-in's author: every field, key, unit and kind, each in code quotes under the heading that is theirs."""
    page = PAGE.read_text(encoding="utf-8")
    heading = "### What a measure reads, and how it is shown"
    _, _, rest = page.partition(heading)
    section = re.split(r"^## ", rest, maxsplit=1, flags=re.MULTILINE)[0]
    parts = re.split(r"\n\n(?=\| (?:of|key|unit|kind))", section)
    tables = {part.partition(" |")[0].removeprefix("| "): part for part in parts[1:]}
    meant = {
        "of `Source`": _public(Source) | set(re.findall(r"self\.([a-z]\w*)(?::[^=\n]+)? =", getsource(Source))),
        "key of a cell (`Stored`)": set(Stored.__annotations__),
        "of an episode (`Recorded`)": _public(Recorded) | _public(EpisodeOutline) - {"count", "index"},
        "of a `Section`": {each.name for kind in (Section, Column) for each in fields(kind)},
        "unit of a `Column`": {f'"{unit}"' for unit in get_args(Unit)},
        "kind of a `Chart`": {each.name for each in fields(Chart)}
        | {f'"{kind}"' for kind in get_args(get_type_hints(Chart)["kind"])},
    }
    assert tables.keys() == meant.keys()
    for name, words in meant.items():
        told = {each.partition("(")[0] for each in re.findall(r"`([^`]+)`", tables[name])}
        assert words - told == set(), name


def _public(kind: type) -> set[str]:
    return {name for name in (*dir(kind), *getattr(kind, "__annotations__", ())) if not name.startswith("_")}
