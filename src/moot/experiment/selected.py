"""A selection that a file refers to: the team and the accuracies that `moot select --json` wrote down."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from moot.errors import FileError
from moot.experiment.spec import ExperimentFile
from moot.strategies.option_meanings import meanings_named


def with_selection(file: ExperimentFile, strategy: str, options: Mapping[str, Any]) -> Mapping[str, Any]:
    """An option that says so may name a file that `moot select --json` wrote: its accuracies are read from there, and
    the team, where the strategy has an option for it that is not given."""
    parts = {name: meaning.selection for name, meaning in meanings_named(strategy).items() if meaning.selection}
    given = {str(key).replace("-", "_"): key for key in options}
    of_accuracies = [given[name] for name, part in parts.items() if part == "accuracies" and name in given]
    named = [key for key in of_accuracies if isinstance(options[key], str)]
    if not named:
        return options
    path = file.beside(options[named[0]])
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
        chosen = rows[0] if isinstance(rows, list) else rows
        accuracies, team = dict(chosen["accuracies"]), list(chosen["team"])
    except OSError as error:
        raise FileError(f"cannot be read: {error.strerror or error}", file=path) from None
    except (ValueError, KeyError, IndexError, TypeError):
        raise FileError("expected what moot select --json writes: a list of teams with accuracies", file=path) from None
    filled = {given.get(name, name): accuracies if part == "accuracies" else team for name, part in parts.items()}
    return {**filled, **{key: value for key, value in options.items() if key != named[0]}}
