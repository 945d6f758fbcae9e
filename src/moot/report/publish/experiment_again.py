"""The experiment as others can run it: the same questions and teams, with recordings in the place of models.

Simulated models stay what they are: they cost nothing, give the same replies again, and every report says what they are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel

from moot.data.written_cases import written_case
from moot.errors import UsageError
from moot.experiment.fitted import read_rule
from moot.experiment.model_specs import SimulatedSpec
from moot.experiment.selected import read_selection
from moot.experiment.spec import ExperimentFile
from moot.report.publish.hidden import HiddenWords, is_place
from moot.types import Case

REPLIES = "replies.jsonl"
EXPERIMENT = "experiment.yaml"
_NOT_IN_A_NAME = re.compile(r"[^\w.:-]+")
HERE_ALONE = ("budget_usd", "replies_in_flight_mb", "store", "name", "questions", "models", "players")
"""Keys that are said otherwise, or not at all: what was paid here is not paid again."""


def recorded_names(file: ExperimentFile) -> dict[str, str]:
    """By name of a model, what it is called in the recording: by what its server calls it, where that tells one from all others
    and is no place on this machine or behind an address."""
    specs = {name: spec for name, spec in file.spec.models.items() if not isinstance(spec, SimulatedSpec)}
    called = {name: str(getattr(spec, "model", None) or name) for name, spec in specs.items()}
    times = Counter(called.values())
    return {name: name if is_place(word) or times[word] > 1 else word for name, word in called.items()}


def set_files(cases: Sequence[Case]) -> dict[str | None, str]:
    """By the set of questions, the file that they go to."""
    names = list(dict.fromkeys(case.question_set for case in cases))
    return {
        name: "questions.jsonl" if len(names) == 1 else f"questions-{place}.jsonl"
        for place, name in enumerate(names, 1)
    }


def question_rows(cases: Sequence[Case]) -> dict[str, list[dict[str, Any]]]:
    """By file, its rows."""
    files = set_files(cases)
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in files.values()}
    for case in cases:
        rows[files[case.question_set]].append(written_case(case))
    return rows


def experiment_again(file: ExperimentFile, cases: Sequence[Case], hidden: HiddenWords) -> dict[str, Any]:
    """As a file of keys and values; `files` of it are those that have to stand beside it."""
    spec = file.spec
    said = spec.model_dump(mode="json", exclude_unset=True, exclude=set(HERE_ALONE))
    again: dict[str, Any] = {"name": spec.name, "questions": _sets(file, cases)}
    names = recorded_names(file)
    again["models"] = {
        name: {"provider": "recorded", "file": REPLIES, "model": names[name]} if name in names else _said(model)
        for name, model in spec.models.items()
    }
    again["players"] = {
        name: {key: value if key == "model" else hidden.value(value) for key, value in _said(player).items()}
        for name, player in spec.players.items()
    }
    return {**again, **{key: hidden.value(value) for key, value in _moved(file, said).items()}}


def _said(spec: BaseModel) -> dict[str, Any]:
    return spec.model_dump(mode="json", exclude_unset=True)


def _sets(file: ExperimentFile, cases: Sequence[Case]) -> Any:
    files = set_files(cases)
    given = file.spec.questions if isinstance(file.spec.questions, list) else [file.spec.questions]
    groups = {source.title: source.group for source in given if source is not None}
    if len(files) == 1 and not isinstance(file.spec.questions, list):
        source = given[0]
        titled = {"name": _set_name(source.title)} if source is not None and source.title else {}
        return {**titled, "file": next(iter(files.values()))}
    names = _set_names(files)
    sets = [{"name": names[name], "file": target, "group": groups.get(name or "")} for name, target in files.items()]
    return [{key: value for key, value in each.items() if value is not None} for each in sets]


def _set_name(title: str) -> str:
    """A set that nobody has named is called by its file, which may be called anything; a name in a file may not."""
    return _NOT_IN_A_NAME.sub("-", title).strip("-") or "questions"


def _set_names(titles: Iterable[str | None]) -> dict[str | None, str | None]:
    """Of two that come to the same the later one has a number."""
    names: dict[str | None, str | None] = {}
    for title in titles:
        name = plain = _set_name(title) if title else None
        number = 1
        while name is not None and name in names.values():
            number += 1
            name = f"{plain}-{number}"
        names[title] = name
    return names


def files_beside(file: ExperimentFile) -> dict[str, Path]:
    """Rules, selections and templates that the file names, each by where it is published."""
    found = {place: path for path, place in _places(file).items()}
    if (folder := _prompts(file)) is not None:
        root = folder.resolve()
        for path in sorted(folder.rglob("*.j2")):
            if path.is_file() and path.resolve().is_relative_to(root):  # a link may lead to anything
                found[f"prompts/{path.relative_to(folder)}"] = path
    return found


def _places(file: ExperimentFile) -> dict[Path, str]:
    """By file, its name in the published folder: of two that are called the same the later one has a number."""
    said = file.spec.model_dump(mode="json", exclude_unset=True, include={"teams", "strategies"})
    named = dict.fromkeys(path for text in _texts(said) if (path := _file_named(file, text)) is not None)
    places: dict[Path, str] = {}
    for path in named:
        place, number = f"files/{path.name}", 1
        while place in places.values():
            place, number = f"files/{path.stem}-{number + 1}{path.suffix}", number + 1
        places[path] = place
    return places


def _moved(file: ExperimentFile, said: Mapping[str, Any]) -> dict[str, Any]:
    places = _places(file)
    moved = {
        key: _renamed(file, value, places) if key in ("teams", "strategies") else value for key, value in said.items()
    }
    return {**moved, "prompts": "prompts"} if _prompts(file) is not None else moved


def _renamed(file: ExperimentFile, value: Any, places: Mapping[Path, str]) -> Any:
    if isinstance(value, str):
        path = _file_named(file, value)
        return value if path is None else places[path]
    if isinstance(value, Mapping):
        return {key: _renamed(file, each, places) for key, each in value.items()}
    return [_renamed(file, each, places) for each in value] if isinstance(value, list) else value


def _file_named(file: ExperimentFile, text: str) -> Path | None:
    """A rule or a selection: JSON that moot has written. Other files that happen to be called by a word are nobody's business."""
    if not text.endswith(".json") or "\x00" in text or len(text) > 1_000:
        return None
    path = file.beside(text)
    for read in (read_rule, read_selection):
        with suppress(UsageError, OSError):
            read(path)
            return path
    return None


def _prompts(file: ExperimentFile) -> Path | None:
    if file.spec.prompts is None:
        return None
    folder = file.beside(file.spec.prompts)
    return folder if folder.is_dir() else None


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return [text for part in parts for text in _texts(part)]


def as_yaml(experiment: Mapping[str, Any]) -> str:
    return yaml.safe_dump(dict(experiment), sort_keys=False, allow_unicode=True, width=110)
