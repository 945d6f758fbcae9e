"""A store under another name, as the commands meet it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from moot.cli.app import app
from moot.cli.exit import run_app


def test_a_link_is_the_store_and_a_second_name_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    models = {"ann": {"provider": "simulated", "accuracy": 0.5}}
    file, store, real = tmp_path / "cup.yaml", tmp_path / "cup.db", tmp_path / "real" / "kept.db"
    file.write_text(json.dumps({"name": "cup", "questions": {"builtin": "facts-en", "sample": 5}, "models": models}))
    real.parent.mkdir()
    store.symlink_to(real)
    for command in ("run", "run", "report"):
        assert run_app(app, [command, str(file)]) == 0, capsys.readouterr().err
    assert real.is_file()
    store.unlink()
    store.hardlink_to(real)
    for command in ("run", "report"):
        capsys.readouterr()
        assert run_app(app, [command, str(file)]) == 2
        assert "cup.db: the file has 2 names (hard links)" in capsys.readouterr().err
