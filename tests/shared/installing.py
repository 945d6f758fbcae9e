"""What `pip install -e .` leaves behind, made by hand: metadata that names a project's entry points."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import moot.ballots
import moot.data.formats
import moot.experiment.model_specs
import moot.grade.graders
import moot.measures
import moot.strategies


def write_metadata(folder: Path) -> Path:
    """Beside the pyproject.toml of a folder, the dist-info of its project. The folder then has to be on the path."""
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    place = folder / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    place.mkdir()
    (place / "METADATA").write_text(f"Name: {project['name']}\nVersion: {project['version']}\n")
    groups = project["entry-points"].items()
    points = [f"[{group}]\n" + "".join(f"{name} = {at}\n" for name, at in named.items()) for group, named in groups]
    (place / "entry_points.txt").write_text("\n".join(points))
    return place


def forget_plugins(folder: Path | None = None) -> None:
    """What is installed is looked up once in a process: look again. Modules of a folder that goes are forgotten too."""
    moot.ballots._installed.cache_clear()
    moot.data.formats.registered.cache_clear()
    moot.experiment.model_specs.plugged_providers.cache_clear()
    moot.grade.graders.registered.cache_clear()
    moot.measures.registered.cache_clear()
    moot.strategies.registered.cache_clear()
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if folder is not None and file and Path(file).is_relative_to(folder):
            del sys.modules[name]
