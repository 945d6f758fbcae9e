"""What `pip install -e .` leaves behind, made by hand: metadata that names a project's entry points."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

from moot.plugins import Brought, forget_entry_points


def write_metadata(folder: Path) -> Path:
    """Beside the pyproject.toml of a folder, the dist-info of its project. The folder then has to be on the path."""
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return write_points(folder, project["name"], project["entry-points"], project["version"])


def write_points(folder: Path, package: str, points: Mapping[str, Mapping[str, str]], version: str = "0.1.0") -> Path:
    """The dist-info of a package that brings these: by group, names and places."""
    place = folder / f"{package.replace('-', '_')}-{version}.dist-info"
    place.mkdir(parents=True)
    (place / "METADATA").write_text(f"Name: {package}\nVersion: {version}\n")
    groups = [
        f"[{group}]\n" + "".join(f"{name} = {at}\n" for name, at in named.items()) for group, named in points.items()
    ]
    (place / "entry_points.txt").write_text("\n".join(groups))
    return place


def bring(monkeypatch: pytest.MonkeyPatch, group: str, places: Mapping[str, str]) -> None:
    """As if an installed package had these entry points, until the test ends."""
    brought = tuple((name, Brought(place, "the package their-pack")) for name, place in places.items())
    monkeypatch.setattr("moot.plugins._entry_points", lambda asked: brought if asked == group else ())


def forget_plugins(folder: Path | None = None) -> None:
    """What is installed is looked up once in a process: look again. Modules of a folder that goes are forgotten too."""
    forget_entry_points()
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if folder is not None and file and Path(file).is_relative_to(folder):
            del sys.modules[name]
