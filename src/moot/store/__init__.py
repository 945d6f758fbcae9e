"""The store: everything a run learns, kept so that nothing is paid for twice and every figure can be computed again."""

from __future__ import annotations

from pathlib import Path

from moot.errors import UsageError
from moot.store.sqlite import SqliteStore


def store_at(url: str, *, beside: Path | None = None) -> SqliteStore:
    """The store of a URL such as ``sqlite:///spring-cup.db``; a relative path is taken from the folder `beside`."""
    scheme, separator, rest = url.partition("://")
    if not separator or scheme != "sqlite":
        raise UsageError(f"store: {url!r} is no store; expected sqlite:///PATH")
    if not rest.strip("/"):
        raise UsageError(f"store: {url!r} names no file; expected sqlite:///PATH")
    path = Path(rest.removeprefix("/")).expanduser()
    return SqliteStore((beside or Path()) / path)


def from_here(url: str) -> str:
    """A URL typed on the command line: its path is relative to where we are, not to a file."""
    scheme, separator, rest = url.partition(":///")
    return f"{scheme}{separator}{Path(rest).expanduser().absolute()}" if scheme == "sqlite" and rest else url
