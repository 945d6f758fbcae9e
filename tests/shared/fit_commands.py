"""A folder with an experiment file, and moot's commands on it: what each prints, and the rule that `moot fit` wrote."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from moot.cli.app import app
from moot.cli.exit import run_app


class FitFolder:
    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str], file_name: str) -> None:
        self.folder, self._capsys, self.file = folder, capsys, folder / file_name

    def moot(self, *arguments: object, ends: int = 0) -> str:
        """With single spaces; JSON as it is."""
        self._capsys.readouterr()
        code = run_app(app, [str(argument) for argument in arguments])
        out, err = self._capsys.readouterr()
        assert code == ends, (out, err)
        return out if code == 0 and "--json" in arguments else " ".join((out + err).split())

    def fit(self, *more: object, ends: int = 0) -> str:
        return self.moot("fit", self.file, "-o", self.folder / "rule.json", *more, ends=ends)

    @property
    def rule(self) -> dict[str, Any]:
        content: dict[str, Any] = json.loads((self.folder / "rule.json").read_text())
        return content
