"""A selection that a file refers to: the team and the accuracies that `moot select --json` wrote down."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from moot.errors import FileError
from moot.experiment.spec import ExperimentFile


def with_selection(file: ExperimentFile, options: Mapping[str, Any]) -> Mapping[str, Any]:
    """A mixture may name a file that `moot select --json` wrote: its accuracies are read, and its team if none is given."""
    named = options.get("shown_accuracies")
    if not isinstance(named, str):
        return options
    path = file.beside(named)
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
        chosen = rows[0] if isinstance(rows, list) else rows
        accuracies, team = dict(chosen["accuracies"]), list(chosen["team"])
    except OSError as error:
        raise FileError(f"cannot be read: {error.strerror or error}", file=path) from None
    except (ValueError, KeyError, IndexError, TypeError):
        raise FileError("expected what moot select --json writes: a list of teams with accuracies", file=path) from None
    return {"proposers": team, **options, "shown_accuracies": accuracies}
