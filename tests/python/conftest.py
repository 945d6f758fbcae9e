"""A package of somebody else's, installed for one test: its folder is on the path and has metadata, as pip leaves it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import moot.ballots
import moot.data.formats
import moot.experiment.model_specs
import moot.grade.graders
import moot.measures
import moot.strategies

PLUGIN = Path(__file__).parent / "plugin"


def forget() -> None:
    """What is installed is looked up once in a process."""
    moot.ballots._installed.cache_clear()
    moot.data.formats.registered.cache_clear()
    moot.experiment.model_specs.plugged_providers.cache_clear()
    moot.grade.graders.registered.cache_clear()
    moot.measures.registered.cache_clear()
    moot.strategies.registered.cache_clear()


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Path], None]]:
    """Puts a folder with a package and its dist-info on the path."""

    def install(folder: Path) -> None:
        monkeypatch.syspath_prepend(folder)
        forget()

    yield install
    monkeypatch.undo()
    forget()


@pytest.fixture
def plugin(installed: Callable[[Path], None]) -> Path:
    installed(PLUGIN)
    return PLUGIN
