"""A package of somebody else's, installed for one test: its folder is on the path and has metadata, as pip leaves it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from installing import forget_plugins

PLUGIN = Path(__file__).parent / "plugin"


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Path], None]]:
    """Puts a folder with a package and its dist-info on the path."""

    def install(folder: Path) -> None:
        monkeypatch.syspath_prepend(folder)
        forget_plugins()

    yield install
    monkeypatch.undo()
    forget_plugins()


@pytest.fixture
def plugin(installed: Callable[[Path], None]) -> Path:
    installed(PLUGIN)
    return PLUGIN
