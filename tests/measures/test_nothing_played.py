"""A run in which every play failed has no figure, no table and no verdict, in any view."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from beside import in_a_thread

import moot
from moot.cli.app import app
from moot.cli.exit import run_app
from moot.simulate.server import running

FAILING = {"models": {"ann": {"accuracy": 1}, "bob": {"accuracy": 1}}, "faults": [{"kind": "500"}]}
QUESTIONS = {"builtin": "facts-en", "sample": 4}


def models(base_url: str) -> dict[str, Any]:
    spec = {"provider": "endpoint", "base_url": base_url, "retries": {"attempts": 1}}
    return {name: {**spec, "model": name} for name in ("ann", "bob")}


def experiment(base_url: str) -> dict[str, Any]:
    return {
        "name": "down",
        "questions": QUESTIONS,
        "models": models(base_url),
        "players": {name: {"model": name} for name in ("ann", "bob")},
        "teams": {"two": {"players": ["ann", "bob"], "captain": "ann"}},
        "strategies": ["solo", "vote", "talkative", "peer-review", "debate", "discuss"],
        "primary": "vote",
        "hypotheses": ["accuracy(talkative) - accuracy(vote) > 0"],
    }


def fractions(value: Any, key: str = "") -> list[tuple[str, float]]:
    """Every number in the figures that is a share of something, or an end of one."""
    if isinstance(value, dict):
        return [found for name, part in value.items() for found in fractions(part, name)]
    if isinstance(value, list):
        return [found for part in value for found in fractions(part, key)]
    shares = ("value", "low", "high", "accuracy", "difference", "p", "p_holm", "brier", "share")
    return [(key, value)] if key in shares and value is not None else []


async def test_there_is_no_figure_and_it_says_why() -> None:
    async with running(FAILING) as server:
        results = await moot.arun(experiment(server.base_url))
    figures = results.figures
    assert results.state == "failed"
    assert "headline" not in figures
    assert fractions(figures) == []
    assert {row["why"] for row in figures["accuracy"]} == {"nothing could be played: every play failed"}
    assert {tuple(row["outcomes"].items()) for row in figures["accuracy"]} == {(("failed", 4),)}
    assert {row["missing"] for row in figures["accuracy"]} == {0}
    assert all(row["value"] is None and row["note"] for row in figures["hypotheses"])
    assert results.headline.startswith("Nothing could be played: all 28 plays failed.")


async def test_one_answer_and_failures_count_as_they_always_do() -> None:
    async with running({"models": {"ann": {"accuracy": 1}}, "faults": [{"kind": "500", "after": 2}]}) as server:
        spec = {**models(server.base_url)["ann"], "limits": {"concurrent": 1}}
        results = await moot.arun({"name": "partly", "questions": QUESTIONS, "models": {"ann": spec}})
    (row,) = results.figures["accuracy"]
    assert row["outcomes"] == {"answered": 1, "failed": 3}
    assert (row["n"], row["value"]) == (4, 0.0 if row["answered"]["value"] == 0 else 0.25)


def test_the_views_end_in_three_lines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "400")
    path = tmp_path / "down.yaml"
    with in_a_thread(running(FAILING)) as server:
        path.write_text(json.dumps(experiment(server.base_url)))
        assert run_app(app, ["run", str(path)]) == 1
    told = capsys.readouterr()
    assert told.out == ""
    *_, nothing, why, following = told.err.splitlines()
    assert nothing == "moot: Nothing could be played: all 28 plays failed. There are no results."
    assert "500" in why
    assert following.split(",")[0] == f"  Next: moot doctor {path}"
    assert run_app(app, ["report", str(path)]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == 3
    assert printed[0] == nothing.removeprefix("moot: ")
    assert printed[1].startswith("ann, bob: ServerFailed: ")
    assert run_app(app, ["report", str(path), "--fail-under", "over_best_single.low>0"]) == 1
    told = capsys.readouterr().err
    assert "not met: over_best_single.low>0: over_best_single.low is not known (nothing was played)" in told
    page = tmp_path / "down.html"
    assert run_app(app, ["report", str(path), "-o", str(page)]) == 0
    opening = page.read_text().split('class="verdict">')[1].split("</article>")[0]
    assert opening.startswith("Nothing could be played: all 28 plays failed.")
    assert "counted as not right" not in opening


def test_a_run_that_ended_before_its_first_play_is_told_in_three_lines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "400")
    monkeypatch.setenv("SERVER_KEY", "the-right-key")
    monkeypatch.setenv("MY_KEY", "the-wrong-key")
    path = tmp_path / "down.yaml"
    with in_a_thread(
        running({"models": {"ann": {"accuracy": 1}, "bob": {"accuracy": 1}}, "api_key_env": "SERVER_KEY"})
    ) as server:
        keys = experiment(server.base_url)
        keys["models"] = {name: {**spec, "api_key_env": "MY_KEY"} for name, spec in keys["models"].items()}
        path.write_text(json.dumps(keys))
        assert run_app(app, ["run", str(path)]) != 0
    for more in ((), ("--all",)):
        capsys.readouterr()
        assert run_app(app, ["report", str(path), "--fail-under", "value>0", *more]) == 1
        capsys.readouterr()
        assert run_app(app, ["report", str(path), *more]) == 0
        nothing, cause, following = capsys.readouterr().out.splitlines()
        assert nothing == "None of 28 episodes has been played yet. There are no results."
        assert cause.startswith("The last run ended early: the key of model")
        assert cause.endswith(".")
        assert not cause.endswith("..")
        assert following.startswith("Next: moot doctor ")
