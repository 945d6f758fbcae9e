"""No id of a section is special: whatever a measure calls its own, it is drawn; what is called like another is refused."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest
from rich.console import Console

import moot
from moot import Case, Question, ScriptedModel
from moot.measures.section import Column, Section
from moot.measures.source import Source
from moot.needs import Needs
from moot.report.terminal import print_report

CASES = [Case(Question("1", "Capital of France?"), "Paris"), Case(Question("2", "Capital of Spain?"), "Madrid")]


@dataclass(frozen=True)
class Titled:
    """One section of this id, under a title of its own."""

    id: str
    name: str = "mine"
    more: Mapping[str, Any] | None = None
    needs: ClassVar[Needs] = Needs()

    def figures(self, run: Source) -> dict[str, Any]:
        return {self.name: 1}

    def sections(self, figures: Mapping[str, Any]) -> list[Section]:
        rows = [{"n": figures[self.name]}]
        return [Section(self.id, f"Drawn by {self.name}", (), (Column("n", "n"),), rows, **self.more or {})]


def taken(*measures: Any) -> moot.Results:
    ann = ScriptedModel("ann", lambda _: {"reasoning": "r", "answer": "Paris"})
    return moot.run({"name": "cup", "models": {"ann": ann}, "questions": CASES}, measures=list(measures))


def terminal(results: moot.Results) -> str:
    out = io.StringIO()
    print_report(results.figures, Console(file=out, width=100), results.measures)
    return out.getvalue()


def errors(results: moot.Results) -> dict[str, str]:
    return {row["name"]: row["error"] for row in results.figures.get("plugin_failures", ())}


@pytest.mark.parametrize("ident", ["jury", "own", "report", "gains-of-mine", "selection", "headline", "story"])
def test_a_section_is_drawn_in_a_terminal_whatever_its_id(ident: str) -> None:
    results = taken(Titled(ident))
    assert errors(results) == {}
    assert terminal(results).count("Drawn by mine") == 1


@pytest.mark.parametrize("value", ["own", "page", None])
def test_other_ways_of_showing_are_refused(value: object) -> None:
    results = taken(Titled("long", more={"terminal": value}))
    assert errors(results) == {"mine": f"sections: long: terminal: expected 'table', found {value!r}"}


OURS = {
    "accuracy": "moot's measure 'accuracy'",
    "gains": "moot's measure 'quiz'",
    "position-bias": "moot's measure 'position'",
    "scaling-rounds": "moot's measure 'discussion'",
    "plugin-failures": "the report itself",
    "not-taken": "the report itself",
}


@pytest.mark.parametrize("ident", OURS)
def test_an_id_of_ours_is_refused_whether_or_not_the_run_shows_it(ident: str) -> None:
    results = taken(Titled(ident))
    words = f"{ident!r} is an id of {OURS[ident]}, whether or not this run shows that section; expected another id"
    assert errors(results) == {"mine": f"sections: id: {words}"}
    assert "Drawn by mine" not in terminal(results)


def test_two_measures_with_one_id_are_named_both() -> None:
    results = taken(Titled("jury", "first"), Titled("jury", "second"), Titled("bench", "third"))
    words = "sections: id: 'jury' is given by the measure 'first' already; expected another id"
    assert errors(results) == {"second": words}
    assert [section.title for section in results.sections if section.title.startswith("Drawn")] == [
        "Drawn by first",
        "Drawn by third",
    ]


def test_one_measure_with_an_id_twice_is_told_so() -> None:
    class Twice(Titled):
        def sections(self, figures: Mapping[str, Any]) -> list[Section]:
            return [*super().sections(figures), *super().sections(figures)]

    results = taken(Twice("jury"))
    assert errors(results) == {
        "mine": "sections: id: 'jury' is given by the measure 'mine' already; expected another id"
    }
    assert "Drawn by mine" not in terminal(results)


@pytest.mark.parametrize("ident", ["a b", "../up", "", "a#b"])
def test_an_id_is_one_that_a_link_and_a_file_can_have(ident: str) -> None:
    (error,) = errors(taken(Titled(ident))).values()
    assert "id: expected letters, digits, . _ -" in error
