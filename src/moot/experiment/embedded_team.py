"""The team that needs no file: six differently instructed players of the packaged local model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from moot.config.key_lines import KeyLines
from moot.experiment.spec import Experiment, ExperimentFile

EMBEDDED_TEAM: dict[str, Any] = {
    "name": "embedded",
    "seed": 7,
    "prompts": "small",
    "models": {"smollm2": {"provider": "local", "model": "smollm2-135m", "params": {"temperature": 0.8}}},
    "players": {
        "ann": {"model": "smollm2", "instruction": "Answer at once, in as few words as you can."},
        "bob": {"model": "smollm2", "instruction": "Think of the category first, then name the one that fits."},
        "cat": {"model": "smollm2", "instruction": "Recall a sentence you have read that contains the answer."},
        "dan": {"model": "smollm2", "instruction": "You are a careful fact checker. Doubt what comes to mind first."},
        "eve": {"model": "smollm2", "instruction": "You are a quiz champion who loves trick questions."},
        "fay": {"model": "smollm2", "instruction": "Explain it to a child, then give the answer."},
    },
    "teams": {"six": {"players": ["ann", "bob", "cat", "dan", "eve", "fay"], "captain": "dan"}},
    "strategies": ["solo", "vote", "talkative"],
}


def embedded_team() -> ExperimentFile:
    """Six differently instructed players of the packaged local model: no key, no file, no network."""
    return ExperimentFile(Path("embedded team"), Experiment.model_validate(EMBEDDED_TEAM), KeyLines(None))
