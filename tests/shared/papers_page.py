"""docs/papers.md, read: for each paper the rows of its table."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

PAGE = (Path(__file__).parents[2] / "docs" / "papers.md").read_text(encoding="utf-8")


class Counterpart(NamedTuple):
    """A row: what a paper has, and where it is here."""

    what: str
    sections: str
    keys: str
    command: str

    @property
    def named_keys(self) -> list[str]:
        """Of the JSON itself; in brackets stand those of its rows."""
        return re.findall(r"`([a-z_]+)`", re.sub(r"\(.*?\)", "", self.keys))

    @property
    def needs(self) -> bool:
        """Whether it says what the file needs for it beside models."""
        return "needs " in self.command


def parts() -> dict[str, str]:
    """By the name of its experiment file: what the page says on a paper."""
    found = re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]
    return {re.findall(r"examples/(paper-[a-z-]+)\.yaml", part)[0]: part for part in found}


def counterparts(part: str) -> list[Counterpart]:
    lines = [line for line in part.splitlines() if line.startswith("| ") and not line.startswith("| ---")]
    return [Counterpart(*(cell.strip() for cell in line.strip("|").split("|"))) for line in lines[1:]]
