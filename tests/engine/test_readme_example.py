"""The example that the README begins with: what its measures need is on record after the run, and was foretold."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from beside import rows

from moot.engine.runner import Runner
from moot.estimate.estimate import estimate
from moot.experiment.build import build
from moot.experiment.spec import read_experiment
from moot.measures import needs
from moot.report.figures import figures, find_experiment

README = Path(__file__).parents[2] / "README.md"


EVERYTHING: Mapping[str, Any] = {
    "teams": {"three": {"players": ["qwen", "gemma", "llama"], "captain": "each"}},
    "strategies": ["solo", "vote", "silent", "talkative", "peer-review", "debate"],
    "primary": "talkative@qwen",
}


def written(folder: Path, more: Mapping[str, Any]) -> Path:
    """The file as it stands there, with simulated models behind the same names."""
    (text,) = re.findall(r"```yaml\n(name: cup\n.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    spec = yaml.safe_load(text)
    asked = "".join(f"Which city is number {n}?,Paris\n" for n in range(6))
    (folder / "cup.csv").write_text(f"question,answer\n{asked}", encoding="utf-8")
    accuracies = dict(zip(spec["models"], (0.8, 0.5, 0.3), strict=True))
    spec["models"] = {name: {"provider": "simulated", "accuracy": share} for name, share in accuracies.items()}
    path = folder / "cup.yaml"
    path.write_text(json.dumps({**spec, **more}), encoding="utf-8")
    return path


async def played(path: Path) -> dict[str, Any]:
    """Its figures, after every call was foretold and none is left."""
    foretold = await estimate(build(read_experiment(path)), None, needs())
    plan = build(read_experiment(path))
    store = await plan.store().open()
    try:
        assert await Runner(plan, store, needs=needs()).run() == "done"
        shown = await store.run(lambda connection: figures(connection, find_experiment(connection, plan.name)))
        again = await estimate(build(read_experiment(path)), store, needs())
    finally:
        await store.close()
    made = dict(rows(path.with_suffix(".db"), "SELECT model, count(*) FROM calls GROUP BY model"))
    assert {name: taken.calls for name, taken in foretold.models.items()} == made
    assert again.calls == 0
    return shown


async def test_as_it_stands_it_says_who_is_how_good_alone_and_voting(tmp_path: Path) -> None:
    shown = await played(written(tmp_path, {}))
    assert {row["player"] for row in shown["accuracy"] if row["strategy"] == "solo"} == {"qwen", "gemma", "llama"}
    (vote,) = [row for row in shown["accuracy"] if row["strategy"] == "vote"]
    assert (vote["n"], vote["ungraded"]) == (6, 0)
    assert "best single" in shown["headline"]["sentence"]


async def test_with_every_kind_of_talk_it_has_safety_rows(tmp_path: Path) -> None:
    shown = await played(written(tmp_path, EVERYTHING))
    assert "safety_missing" not in shown
    stages = {row["stage"]: row for row in shown["safety"]}
    assert {"peer-review", "debate", "silent", "talkative"} <= stages.keys()
    for row in stages.values():
        assert (row["n_pairs"], row["ungraded"]) == (3 * 6, 0)
    alone = {row["player"]: row["value"] for row in shown["accuracy"] if row["strategy"] == "solo"}
    double = {row["player"]: row["value"] for row in shown["players"] if row["team"] == "three (double-call)"}
    for row in shown["safety_models"]:
        expected = double if row["stage"] in ("peer-review", "debate") else alone
        assert row["native"] == pytest.approx(expected[row["model"]]), row["stage"]
