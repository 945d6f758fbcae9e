"""A run of which nobody knows what is right, with every strategy: no figure is NaN, and each that is missing says why."""

from __future__ import annotations

import io
import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

import moot
from moot import Case, Question, Request, ScriptedModel
from moot.models.scripted import Script
from moot.report.section_terminal import cell
from moot.report.sections import all_sections
from moot.report.terminal import print_report

PLAYERS = ("ann", "bob", "cat", "dan")
CITIES = ("Paris", "Lyon", "Metz")
STRATEGIES: list[Any] = [
    *("solo", {"solo": {"drafts": "double-call"}}, "vote", "silent", "talkative", {"adaptive": {"talk_from": 2}}),
    *("peer-review", {"peer-review": {"names": "shown"}}, {"debate": {"max_rounds": 2, "drafts": "single-call"}}),
    *({"discuss": {"decision": "solution-counting", "challenge": "solution"}}, {"mixture": {"summariser": "ann"}}),
]
VALUES = ("value", "accuracy", "difference", "native", "after", "share", "net")
"""What a row tells of being right."""
MEASURED_ELSEWHERE = ("best_single", "gap")
"""Their rows are tested where the choice of the best player is."""


def reply(player: str, request: Request) -> Script:
    """Everybody says something that fits what was asked for, and not all say the same."""
    number = int(re.sub(r"\D", "", request.question_id or "0"))
    fields = (request.schema or {}).get("properties", {})
    city = CITIES[(number + PLAYERS.index(player)) % 3]
    words: dict[str, Any] = {}
    for name, shape in fields.items():
        kind = shape.get("type")
        words[name] = city if name == "answer" else kind != "boolean" and "because" if kind != "array" else []
    return words or {"reasoning": "A hunch.", "answer": city}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("nothing") / "nothing.db"
    questions = [Case(Question(f"q{n}", f"Which city is number {n}?"), "", known=False) for n in range(4)]
    models = {name: ScriptedModel(name, lambda request, name=name: reply(name, request)) for name in PLAYERS}
    keys = {
        "name": "nothing",
        "questions": questions,
        "models": models,
        "players": {name: {"model": name} for name in PLAYERS},
        "teams": {"four": {"players": list(PLAYERS), "captain": "each"}},
        "strategies": STRATEGIES,
        "repeats": 2,
    }
    moot.run(keys, store=str(path))
    return path


def walk(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Everything inside of the figures, each with where it stands."""
    yield path, value
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list | tuple) else ()
    for key, part in inner:
        yield from walk(part, f"{path}/{key}" if isinstance(value, dict) else f"{path}[]")


@pytest.mark.long
def test_every_strategy_has_played(store: Path) -> None:
    figures = moot.open_store(str(store)).report().figures
    strategies = {row["strategy"] for row in figures["accuracy"]}
    assert strategies == {name for entry in STRATEGIES for name in ([entry] if isinstance(entry, str) else entry)}
    for key in ("mixtures", "similarity", "coverage", "self_preference", "challenges", "skyline", "players"):
        assert figures[key], key


@pytest.mark.long
def test_no_figure_is_nan(store: Path) -> None:
    figures = moot.open_store(str(store)).report().figures
    wrong = [path for path, value in walk(figures) if isinstance(value, float) and not math.isfinite(value)]
    assert not wrong
    json.dumps(figures, allow_nan=False)
    for section in all_sections(figures):
        words = [cell(row, column) for row in section.rows for column in section.columns]
        assert not [text for text in words if "nan" in text.split()], section.id


def test_what_is_missing_says_why(store: Path) -> None:
    figures = moot.open_store(str(store)).report().figures
    silent = {
        (path, key)
        for path, row in walk(figures)
        if isinstance(row, dict) and not any(f"/{name}" in path for name in MEASURED_ELSEWHERE)
        for key in (*VALUES, "accuracy_self", "accuracy_not_self")
        if key in row and row[key] is None and not row.get("why")
    }
    assert not silent


COUNTED_ZERO = re.compile(r"\b(?:for|the|on|in|by|over) (?:the )?0 [a-z]+")
"""Where something is told of nothing: *adjusted (Holm) for 0 comparisons*."""


def test_no_sentence_is_about_a_count_of_nothing(store: Path) -> None:
    figures = moot.open_store(str(store)).report().figures
    printed = io.StringIO()
    print_report(figures, Console(file=printed, width=200))
    sentences = [
        *printed.getvalue().splitlines(),
        *(each for section in all_sections(figures) for each in section.words),
    ]
    assert not [sentence for sentence in sentences if COUNTED_ZERO.search(sentence)]
    assert any("on the same questions." in sentence for sentence in sentences), "else nothing was compared"
