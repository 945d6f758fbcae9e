"""The mark of what is not real: the version of every reply of a simulated model begins with it, also behind an address."""

from __future__ import annotations

SIMULATED = "simulated"


def marked(version: str) -> str:
    return f"{SIMULATED}/{version}"


def is_simulated(version: str | None) -> bool:
    """Whether a reply of this version is a simulated model's."""
    return version is not None and version.startswith(marked(""))
