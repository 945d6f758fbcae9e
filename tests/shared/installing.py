"""What `pip install -e .` leaves behind, made by hand: metadata that names a project's entry points."""

from __future__ import annotations

import tomllib
from pathlib import Path


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
