"""Questions that hang together, from the file to every interval; `bench/coverage.py` has the worlds in full."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.stats.clusters import clustered
from moot.stats.paired import cluster_bootstrap, compare, mean_difference
from moot.stats.proportion import mean_over_questions, share_of, wilson
from moot.stats.ratio import closed

SIZE, CLUSTERS = 5, 40
KEYS = [f"q{number}" for number in range(SIZE * CLUSTERS)]
TOGETHER: dict[str, str | None] = {question: str(number // SIZE) for number, question in enumerate(KEYS)}


def _alike(generator: np.random.Generator, mean: float) -> np.ndarray:
    """Right or wrong: questions of one cluster have one chance of being right."""
    return generator.random((CLUSTERS, SIZE)) < generator.beta(2 * mean, 2 - 2 * mean, size=(CLUSTERS, 1))


def test_a_share_and_a_difference_hold_the_truth() -> None:
    generator = np.random.default_rng(1)
    worlds = 150
    held, naive = np.zeros(2), np.zeros(2)
    alarms = 0
    for _ in range(worlds):
        first, second = (_alike(generator, 0.4).ravel().astype(float) for _ in range(2))
        values, pairs = (
            dict(zip(KEYS, first, strict=True)),
            dict(zip(KEYS, zip(first, second, strict=True), strict=True)),
        )
        with clustered(TOGETHER):
            share, comparison = mean_over_questions(values), compare(pairs)
        alarms += (comparison.p or 0) <= 0.05
        plain = mean_over_questions(values), compare(pairs)
        for found, counts in (((share, comparison), held), (plain, naive)):
            ends = (found[0], found[1].difference)
            for place, (estimate, truth) in enumerate(zip(ends, (0.4, 0.0), strict=True)):
                assert estimate is not None
                counts[place] += (estimate.low or 0) <= truth <= (estimate.high or 0)
    allowed = 3 * math.sqrt(0.05 * 0.95 / worlds)
    assert (abs(held / worlds - 0.95) <= allowed + 0.01).all()
    assert (naive / worlds < 0.9).all(), "what an interval would hold that took them for independent"
    assert alarms / worlds <= 0.05 + allowed


def test_clusters_of_one_question_change_nothing() -> None:
    values = {question: float(number % 3 == 0) for number, question in enumerate(KEYS)}
    with clustered({question: question for question in KEYS}):
        assert mean_over_questions(values) == wilson(sum(values.values()), len(values))
        assert mean_over_questions(list(values.values())).low is not None


def test_one_cluster_has_no_interval_and_few_are_small() -> None:
    pairs = {question: (1.0, float(number % 2)) for number, question in enumerate(KEYS)}
    with clustered(dict.fromkeys(KEYS, "all")):
        one = compare(pairs)
        assert one.difference is not None
        assert (one.difference.low, one.p, one.row()["clusters"]) == (None, 1.0, 1)
    with clustered({question: str(number % 12) for number, question in enumerate(KEYS)}):
        few = compare(pairs).row()
        assert (few["small"], few["clusters"], few["test"], few["n"]) == (True, 12, "score", len(KEYS))


def test_nothing_is_said_of_values_whose_questions_are_not_known() -> None:
    values = [float(number % 2) for number in range(len(KEYS))]
    with clustered(TOGETHER):
        assert mean_over_questions(values).low is None
        assert compare([(value, 0.0) for value in values]).p is None
        rows = [(value, 1.0) for value in values]
        gap = closed(rows)
        assert gap is not None
        for made in (share_of(rows), cluster_bootstrap(rows), gap.estimate(), mean_difference(values)):
            assert made is not None
            assert (made.low, made.high) == (None, None)


def _file(folder: Path, named_field: str | None, **more: Any) -> Path:
    rows = [
        {"id": str(number), "text": f"What is {number} and {number}?", "answer": "B", "choices": ["x", "y", "z"], **row}
        for number in range(60)
        for row in [{key: f"{value} {number // 5}" for key, value in more.items()}]
    ]
    (folder / "cup.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    named = f", cluster: {named_field}" if named_field else ""
    path = folder / "cup.yaml"
    path.write_text(
        f"""
name: cup
seed: 3
questions: {{file: cup.jsonl{named}}}
models:
  ann: {{provider: simulated, accuracy: 0.6}}
  bob: {{provider: simulated, accuracy: 0.5}}
  cat: {{provider: simulated, accuracy: 0.4}}
teams: {{three: {{players: [ann, bob, cat], captain: each}}}}
strategies: [solo, vote, talkative, peer-review]
primary: talkative@ann
hypotheses: ["accuracy(talkative) - accuracy(vote) > 0", "net(talkative) > 0", "gap_closure(vote) > 0"]
""",
        encoding="utf-8",
    )
    return path


def _figures(path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    assert run_app(app, ["run", str(path), "--quiet"]) == 0
    capsys.readouterr()
    assert run_app(app, ["report", str(path), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.long
def test_a_cluster_reaches_every_interval_of_a_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By the questions' own field or by the one that the file names; nothing is asked again, and nothing is withheld."""
    plain = _figures(_file(tmp_path, None), capsys)
    calls = sum(row["calls"] for row in plain["accuracy"])
    by_field = _figures(_file(tmp_path, None, cluster="passage"), capsys)
    named = _figures(_file(tmp_path, "package", package="cup"), capsys)
    assert by_field["clusters"] == named["clusters"] == {"clusters": 12, "largest": 5}
    assert "clusters" not in plain
    assert named["bill_usd"] == plain["bill_usd"]
    assert sum(row["calls"] for row in named["accuracy"]) == calls
    for figures in (by_field, named):
        assert figures["accuracy"][0]["value"] == plain["accuracy"][0]["value"]
        withheld = [path for path, low in _lows(figures) if low is None and dict(_lows(plain)).get(path) is not None]
        # Twelve clusters teach no probability: it takes twenty.
        assert [path for path in withheld if not path.startswith(".probability.")] == []
        changed = sum(low != dict(_lows(plain)).get(path) for path, low in _lows(figures))
        assert changed > 0.8 * len(list(_lows(figures)))
        assert all(row["test"] == "score" for row in figures["comparisons"] + figures["gains"])


def _lows(part: Any, path: str = "") -> list[tuple[str, float | None]]:
    """Every lower end of an interval in the figures, by where it stands; a bound of what is ungraded is none."""
    if isinstance(part, dict):
        own = [(f"{path}.{key}", end) for key, end in part.items() if key.endswith("low") and not isinstance(end, dict)]
        return own + [end for key, value in part.items() if key != "bounds" for end in _lows(value, f"{path}.{key}")]
    if isinstance(part, list):
        return [end for place, value in enumerate(part) for end in _lows(value, f"{path}.{place}")]
    return []


@pytest.mark.parametrize(
    ("cluster", "said"),
    [
        ("pakage", "expected one of cluster, package"),
        ("author", "no question has 'author'"),
        ("meta.x", "no question has"),
    ],
)
def test_a_field_that_says_nothing_is_a_mistake(
    cluster: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_app(app, ["run", str(_file(tmp_path, cluster))]) == 2
    complaint = capsys.readouterr().err
    assert "questions.cluster" in complaint
    assert said in complaint
