"""The demo: its file is the embedded team's, and what `make demo` runs ends on a screen and says what to type next.

The model is replaced by a simulated one: what a small model says is no matter of tests.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from moot.experiment.build import build
from moot.experiment.embedded_team import WRITTEN, embedded_team
from moot.experiment.spec import read_experiment

ROOT = Path(__file__).parents[2]
LOCAL = "{provider: local, model: smollm2-135m, params: {temperature: 0}}"
LINES = 20


def test_it_is_played_by_the_embedded_team() -> None:
    demo, embedded = (yaml.safe_load(path.read_text()) for path in (ROOT / "examples/demo.yaml", WRITTEN))
    for key in ("models", "players", "teams", "prompts", "seed"):
        assert demo[key] == embedded[key], key
    assert set(demo["strategies"]) < set(embedded["strategies"]), "a part, for the sake of time"
    recorded = yaml.safe_load((ROOT / "src/moot/cli/recorded/six-small.yaml").read_text())
    for key in ("models", "players", "teams", "prompts", "strategies", "seed"):
        assert recorded[key] == embedded[key], key


def test_no_example_gives_an_answer_of_the_questions_away() -> None:
    from moot.data import builtin, load

    answers = {case.answer for case in load(builtin("facts-en"))}
    shown = {example.answer for player in embedded_team().spec.players.values() for example in player.examples}
    assert not {answer.casefold() for answer in answers if answer} & {answer.casefold() for answer in shown}


def test_elsewhere_the_team_is_told_what_to_do_and_shown_nothing_in_english() -> None:
    players = embedded_team("ru").spec.players.values()
    assert all(player.instruction and not player.examples for player in players)
    assert embedded_team("ru").spec.language == "ru"


def test_what_make_demo_runs_ends_on_a_screen(tmp_path: Path) -> None:
    (tmp_path / "examples").mkdir()
    script = tmp_path / "examples/demo.sh"
    script.write_text((ROOT / "examples/demo.sh").read_text())
    written = (ROOT / "examples/demo.yaml").read_text()
    assert LOCAL in written
    demo = tmp_path / "examples/demo.yaml"
    demo.write_text(written.replace(LOCAL, "{provider: simulated, accuracy: 0.6}"))
    assert len(build(read_experiment(demo)).players) == 6
    command = tmp_path / ".venv/bin/moot"
    command.parent.mkdir(parents=True)
    command.write_text(f'#!/bin/sh\n[ "$1" = models ] && exit 0\nexec "{sys.executable}" -m moot "$@"\n')
    command.chmod(0o755)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    ran = subprocess.run(
        ["bash", script, ".venv/bin"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    lines = ran.stdout.splitlines()
    assert lines[0].startswith("Six players"), "it says at once what it does"
    ending = lines[lines.index(next(line for line in lines if line.startswith("On these"))) :]
    assert len(ending) <= LINES, ran.stdout
    assert max(len(line.rstrip()) for line in lines) <= 80
    for line, command_said in zip(
        ending[-3:], ("open demo/report.html", ".venv/bin/moot serve", ".venv/bin/moot init"), strict=True
    ):
        assert command_said in line
    assert (tmp_path / "demo/report.html").stat().st_size > 10_000
    assert "episodes" in ran.stderr, "progress is seen, wherever the end goes"


@pytest.mark.parametrize("name", ["demo", "simulated"])
def test_examples_are_valid(name: str) -> None:
    assert read_experiment(ROOT / f"examples/{name}.yaml").spec.questions is not None
