"""`moot advise --json` on random labels: its figures a second time."""

from __future__ import annotations

import csv
import json
import os
import random
from pathlib import Path
from typing import Any

import pytest
from second_way import played
from second_way.advice import Advised
from second_way.documented import undocumented

MORE = int(os.environ.get("MOOT_WORLDS", "12")) // 12


def labels(number: int, folder: Path) -> Advised:
    draw = random.Random(f"advice {number}")
    players = ("ann", "bob", "cat", "dan")[: draw.randint(3, 4)]
    able = {name: draw.uniform(0.35, 0.85) for name in players}
    questions = [f"q{place}" for place in range(draw.randint(44, 70))]
    right = {question: draw.choice("abcd") for question in questions}
    said: dict[str, dict[str, str | None]] = {name: {} for name in players}
    for name, accuracy in able.items():
        for question in questions:
            answer = right[question] if draw.random() < accuracy else draw.choice("abcd")
            said[name][question] = None if draw.random() < 0.08 else answer
    with (folder / "labels.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["question_id", "model", "pred", "answer"])
        for name in players:
            rows.writerows([question, name, said[name][question] or "", right[question]] for question in questions)
    return Advised(said, right, 4)


def advised(folder: Path, *more: str) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(played.command(folder, "advise", "labels.csv", "--json", *more))
    return told


@pytest.mark.parametrize("number", range(2 * MORE))
def test_on_labels(number: int, tmp_path: Path) -> None:
    second = labels(number, tmp_path)
    wrong = list(second.wrong(advised(tmp_path)))
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("least", [0.5, 0.75, 0.82])
def test_a_least_accuracy(least: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("moot.advise.find.FEWEST", 1_000)
    second = labels(0, tmp_path)
    second.least = least
    told = advised(tmp_path, "--min-accuracy", str(least))
    assert not undocumented(told["recommended"])
    wrong = list(second.wrong(told))
    assert not wrong, "\n".join(wrong)
    taken = told["recommended"]
    for key, other in (("least_accuracy", "?"), ("likely", not taken["likely"]), ("to_show", 7)):
        assert list(second.wrong({**told, "recommended": {**taken, key: other}})), key


def test_a_wrong_figure_is_noticed_and_every_key_is_told(tmp_path: Path) -> None:
    second, told = labels(1, tmp_path), advised(tmp_path)
    assert not undocumented(told)
    for rows in ("frontier", "beside"):
        known = [row for row in told[rows] if second._values(row, second.claim) is not None]
        assert known
        for row in known:
            for key in ("accuracy", "low", "high", "pooled"):
                changed = [{**each, key: each[key] + 0.1} if each is row else each for each in told[rows]]
                assert list(second.wrong({**told, rows: changed}))
        assert list(second.wrong({**told, rows: told[rows][1:]}))
    best = told["most_accurate"]
    assert list(second.wrong({**told, "most_accurate": {**best, "accuracy": best["accuracy"] + 0.1}}))
    for key in ("n", "searched_on", "claimed_on", "weighed"):
        assert list(second.wrong({**told, key: told[key] + 1}))
