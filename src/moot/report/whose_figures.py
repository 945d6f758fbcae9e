"""The first line of whatever shows figures: that they are not those of the file as it is now."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from moot.measures.reserved import NOT_OF_FILE


def whose_words(figures: Mapping[str, Any]) -> list[str]:
    """Nothing where they are, or where no file was named."""
    return [f"{words}."] if (words := figures.get(NOT_OF_FILE)) else []
