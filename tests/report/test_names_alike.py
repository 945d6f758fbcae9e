"""Strategies whose names and options end or begin alike: every row is shown under its own label, never under another's."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest
from rich.console import Console

import moot
from moot import Case, Question, ScriptedModel, Team, Traits, Verdict
from moot.report.names import short_names, shortened, ways_of
from moot.report.terminal import print_report

CASES = [Case(Question(str(number), f"Which, {number}?"), "A") for number in range(3)]


@dataclass(frozen=True)
class Panel:
    mood: str = ""
    size: int = 1

    name: ClassVar[str] = "panel"
    traits: ClassVar[Traits] = Traits(prompts=("draft",), drafts="single-call", word="player", asks="nobody")

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return (team,)

    async def play(self, question: Question, team: Team) -> Verdict:
        drafts = await team.drafts(question)
        return Verdict(drafts[0].text, "answered", who=(drafts[0].player,), answers=drafts)


@dataclass(frozen=True)
class MyPanel(Panel):
    name: ClassVar[str] = "my-panel"


@dataclass(frozen=True)
class Inside(Panel):
    """An option of its own that reads like the label of another."""

    name: ClassVar[str] = "inside"


PLAYED = [
    Panel("mild", 3),
    Panel("strict", 3),
    MyPanel("mild", 3),
    Inside("panel(mood=mild, size=3)"),
]


@pytest.fixture(scope="module")
def results() -> moot.Results:
    models = {name: ScriptedModel(name, lambda _: {"reasoning": "r", "answer": "A"}) for name in ("ann", "bob")}
    keys = {"name": "cup", "models": models, "questions": CASES, "teams": {"two": {"players": ["ann", "bob"]}}}
    return moot.run({**keys, "strategies": PLAYED, "hypotheses": ["accuracy(panel(mood=mild, size=3)) > 0.5"]})


def test_each_row_is_named_by_its_own_label(results: moot.Results) -> None:
    shown = shortened(results.figures)
    assert [row["label"] for row in shown["accuracy"]] == [
        "panel(mood=mild)",
        "panel(mood=strict)",
        "my-panel(mood=mild, size=3)",
        'inside(mood="panel(mood=mild, size=3)")',
    ]
    names = short_names(ways_of(results.figures["accuracy"]))
    before, after = ([row["of"] for row in each["frontier"]] for each in (results.figures, shown))
    assert after == [names[label] for label in before]
    assert len(after) == len(PLAYED)


def test_the_headline_is_said_in_the_names_of_the_tables(results: moot.Results) -> None:
    headline = shortened(results.figures)["headline"]
    assert headline["label"] == "panel(mood=mild)"
    assert headline["words"][0].startswith('On these 3 questions the team "two", deciding by panel(mood=mild)')
    assert headline["sentence"] == " ".join(headline["words"])
    assert len(headline["words"]) == len(results.figures["headline"]["words"])


def test_a_terminal_shows_no_label_that_nobody_has(results: moot.Results) -> None:
    out = io.StringIO()
    print_report(results.figures, Console(file=out, width=200))
    assert "my-panel(mood=mild, size=3)" in out.getvalue()
    assert "my-panel(mood=mild)" not in out.getvalue()
    assert 'inside(mood="panel(mood=mild)' not in out.getvalue()
    assert "accuracy(panel(mood=mild, size=3)) > 0.5" in out.getvalue(), "as it was written"


@pytest.mark.parametrize(
    "side", ["LABEL", "LABEL@ann", "LABEL, (x)", "a/b/LABEL", "a/b/LABEL@ann", "a/b/LABEL@ann, (x)", "a/b/LABEL, (x)"]
)
def test_who_is_compared_keeps_what_stands_beside_its_label(side: str) -> None:
    label = "panel(mood=mild, size=3)"
    options: list[dict[str, Any]] = [{"mood": "mild", "size": 3}, {"mood": "strict", "size": 3}]
    labels = [label, "panel(mood=strict, size=3)"]
    who = {"strategy": "panel", "team": "a/b", "captain": "ann", "cohort": "(x)"}
    rows = [{**who, "label": each, "options": given} for each, given in zip(labels, options, strict=True)]
    figures = {"accuracy": rows, "frontier": [{"of": side.replace("LABEL", label)}, {"of": f"my-{label}"}]}
    shown = shortened(figures)["frontier"]
    assert shown == [{"of": side.replace("LABEL", "panel(mood=mild)")}, {"of": f"my-{label}"}]
