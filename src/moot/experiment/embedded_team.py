"""The team that needs no file: six players of the packaged local model, who differ by their worked examples."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from moot.config.key_lines import KeyLines
from moot.config.yaml_file import read_yaml
from moot.experiment.spec import Experiment, ExperimentFile

WRITTEN = Path(__file__).with_suffix(".yaml")
NAME = "embedded team"
"""In the place of a file."""
OTHERWISE = "any other"
"""For questions that the examples may be among, or are not like, in whatever language."""
FEW = ("ann", "dan", "eve")
"""Who is asked where one question is all: what they were shown differs in subject and in manner."""
FEW_EXAMPLES = 4
_INSTRUCTIONS = {
    "ann": "Answer at once, in as few words as you can.",
    "bob": "Think of the category first, then name the one that fits.",
    "cat": "Recall a sentence you have read that contains the answer.",
    "dan": "You are a careful fact checker. Doubt what comes to mind first.",
    "eve": "You are a quiz champion who loves trick questions.",
    "fay": "Explain it to a child, then give the answer.",
}


@cache
def embedded_players(language: str = "en") -> dict[str, dict[str, Any]]:
    """As they stand in a file, but for their model. The examples are in English: else players are told what to do instead."""
    if language != "en":
        return {name: {"instruction": words} for name, words in _INSTRUCTIONS.items()}
    players = read_yaml(WRITTEN).values["players"]
    return {name: {key: value for key, value in keys.items() if key != "model"} for name, keys in players.items()}


def embedded_team(language: str = "en") -> ExperimentFile:
    """No key, no file, no network."""
    values: dict[str, Any] = {**read_yaml(WRITTEN).values, "language": language}
    if language != "en":
        (model,) = values["models"]
        values["players"] = {name: {"model": model, **keys} for name, keys in embedded_players(language).items()}
        values["models"] = {model: {**values["models"][model], "params": {"temperature": 0.8}}}
    return ExperimentFile(Path(NAME), Experiment.model_validate(values), KeyLines(None))


def embedded_few(*, long_answer: bool = False) -> ExperimentFile:
    """Three of the six, each with its first worked examples, who vote: for whoever waits for the answer to one question.

    Reading what players are shown takes nearly all of the time, and at a first question nothing is read yet. A captain would
    read what all have said, which takes as long again. `long_answer`: no vote can be taken on such.
    """
    values: dict[str, Any] = {**read_yaml(WRITTEN).values}
    values["players"] = {
        name: {**values["players"][name], "examples": values["players"][name]["examples"][:FEW_EXAMPLES]}
        for name in FEW
    }
    values["teams"] = {"three": {"players": list(FEW), "captain": FEW[0]}}
    if not long_answer:
        values["primary"] = "vote"
    return ExperimentFile(Path(NAME), Experiment.model_validate(values), KeyLines(None))
