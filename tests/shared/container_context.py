"""What a container is built from: the paths that `Dockerfile` copies, as far as `.dockerignore` lets them through."""

from __future__ import annotations

import fnmatch
import re
from pathlib import Path, PurePosixPath

HERE = Path(__file__).resolve().parents[2]


def copied() -> list[str]:
    """Sources of every COPY and ADD from the folder itself; what an earlier stage made is none of them."""
    text = (HERE / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line.split() for line in re.findall(r"^\s*(?:COPY|ADD)\s+(.*)$", text, re.MULTILINE)]
    return [
        source
        for words in lines
        if not any(word.startswith("--from") for word in words)
        for source in [word for word in words if not word.startswith("--")][:-1]
    ]


def ignored(path: str) -> bool:
    """By the last line of `.dockerignore` that fits the path or a folder above it."""
    places = [str(place) for place in (PurePosixPath(path), *PurePosixPath(path).parents)][:-1]
    hidden = False
    for line in (HERE / ".dockerignore").read_text(encoding="utf-8").splitlines():
        pattern = line.strip().removeprefix("!").removeprefix("**/")
        if not pattern or pattern.startswith("#"):
            continue
        anywhere = line.strip().removeprefix("!").startswith("**/")
        names = places + [PurePosixPath(place).name for place in places] if anywhere else places
        if any(fnmatch.fnmatchcase(name, pattern) for name in names):
            hidden = not line.startswith("!")
    return hidden


def files_let_through() -> list[Path]:
    """All files that the build of a container has of what it copies."""
    found = []
    for source in copied():
        path = HERE / source
        inside = [file for file in path.rglob("*") if file.is_file()] if path.is_dir() else [path]
        found += [file for file in inside if not ignored(file.relative_to(HERE).as_posix())]
    return found
