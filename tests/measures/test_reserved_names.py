"""Keys and ids of moot's own measures are declared, and no other measure has them, whatever a run holds."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, ClassVar

import pytest

import moot
from moot import Case, Question, ScriptedModel
from moot.measures import BUILT_IN
from moot.measures.measure import OwnMeasure
from moot.measures.reserved import key_owners
from moot.measures.section import Chart, Column, Section
from moot.needs import Needs
from moot.testing import check_measure

FAMILIES = Path(resolve_name("moot.measures").__file__).parent


@dataclass(frozen=True)
class Takes:
    """Figures of a form of its own, under a key, and a section of them."""

    key: str
    id: str = "mine"
    chart: Chart | None = None
    name: str = "takes"
    needs: ClassVar[Needs] = Needs()

    def figures(self, run: Any) -> dict[str, Any]:
        return {self.key: [{"cells": len(run.cells)}]}

    def sections(self, figures: Any) -> Iterator[Section]:
        yield Section(self.id, "Mine", (), (Column("cells", "cells"),), figures.get(self.key, []), self.chart)


def test_a_key_of_ours_is_refused_whatever_the_run_holds(tmp_path: Path) -> None:
    """Of each key one measure, in a run that fills few of them."""
    ann = ScriptedModel("ann", lambda _: {"reasoning": "r", "answer": "Paris"})
    cases = [Case(Question("1", "Capital of France?"), "Paris")]
    measures = [Takes(key, name=f"takes-{key}") for key in key_owners()]
    results = moot.run({"name": "cup", "models": {"ann": ann}, "questions": cases}, measures=measures)
    expected = "whether or not this run has figures under it; expected a key of its own"
    assert {row["name"]: row["error"] for row in results.figures["plugin_failures"]} == {
        f"takes-{key}": f"figures: {key!r} is a key of {owner}, {expected}" for key, owner in key_owners().items()
    }
    assert results.figures["accuracy"][0]["value"] == 1.0
    assert "gains" not in results.figures
    assert "Mine" not in [section.title for section in results.sections]
    assert "Plug-ins that failed" in [section.title for section in results.sections]
    assert results.save(tmp_path / "cup.html").is_file()


async def test_the_contract_suite_refuses_keys_ids_and_drawings_too() -> None:
    with pytest.raises(AssertionError, match="takes: figures: 'gains' is a key of moot's measure 'quiz'"):
        await check_measure(Takes("gains"))
    with pytest.raises(AssertionError, match="takes: sections: id: 'squad' is an id of moot's measure 'squad'"):
        await check_measure(Takes("mine", "squad"))
    with pytest.raises(AssertionError, match="takes: sections: mine: chart: y: expected a key that some row has"):
        await check_measure(Takes("mine", chart=Chart("dots", "cells", "cell")))


def own_measures() -> list[OwnMeasure]:
    return [resolve_name(place) for place in BUILT_IN.values()]


def test_no_name_has_two_owners() -> None:
    for names in ("keys", "section_ids"):
        counted = Counter(name for measure in own_measures() for name in getattr(measure, names))
        assert not [name for name, times in counted.items() if times > 1]


def test_every_id_that_a_section_is_written_with_is_declared() -> None:
    """In the text of each family, so that no run has to show it. Ids that are put together are held by the contract suite."""
    for place, measure in zip(BUILT_IN.values(), own_measures(), strict=True):
        folder = FAMILIES / place.split(".")[2]
        written = {ident for path in folder.glob("*.py") for ident in _ids_in(path)}
        assert written <= set(measure.section_ids), folder.name
        assert len(written) > 0 or folder.name == "position"


def _ids_in(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Call(func=ast.Name(id="Section"), args=[ast.Constant(value=str(ident)), *_]):
                yield ident
