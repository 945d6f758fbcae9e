"""Names of columns for a message: somebody else's file may have thousands of them, each as long as it likes."""

from __future__ import annotations

from collections.abc import Sequence

MOST_LISTED = 40
NAMELESS = ("a column without a name",)
MOST_SHOWN = 60
"""Letters of a name, in a message."""


def listed(names: Sequence[str]) -> str:
    """Names for a message, which somebody else's file may have thousands of."""
    more = f" and {len(names) - MOST_LISTED} more" if len(names) > MOST_LISTED else ""
    return ", ".join(map(cut, names[:MOST_LISTED])) + more


def cut(name: str) -> str:
    return f"{name[:MOST_SHOWN]}…" if len(name) > MOST_SHOWN else name


def unused_words(names: Sequence[str]) -> str:
    """Columns that are nothing, of which one may have no name."""
    return ", ".join(filter(None, (listed([name for name in names if name.strip()]), *NAMELESS[: _blank(names)])))


def _blank(names: Sequence[str]) -> int:
    return int(any(not name.strip() for name in names))
