"""The store: everything a run learns, kept so that nothing is paid for twice and every figure can be computed again."""

from __future__ import annotations

from pathlib import Path

from moot.errors import UsageError
from moot.store.sqlite import SqliteStore
from moot.store.store import Store

EXPECTED = "expected sqlite:///PATH or postgresql://USER@HOST/NAME"


def store_at(url: str, *, beside: Path | None = None) -> Store:
    """The store of a URL such as ``sqlite:///spring-cup.db``; a relative path is taken from the folder `beside`."""
    scheme, separator, rest = url.partition("://")
    if separator and scheme in ("postgresql", "postgres"):
        from moot.store.postgresql import PostgresStore

        return PostgresStore(url)
    if not separator or scheme != "sqlite":
        raise UsageError(f"store: {public(url)!r} is no store; {EXPECTED}")
    if not rest.strip("/"):
        raise UsageError(f"store: {url!r} names no file; expected sqlite:///PATH")
    path = Path(rest.removeprefix("/")).expanduser()
    return SqliteStore((beside or Path()) / path)


def from_here(url: str) -> str:
    """A URL typed on the command line: its path is relative to where we are, not to a file."""
    scheme, separator, rest = url.partition(":///")
    return f"{scheme}{separator}{Path(rest).expanduser().absolute()}" if scheme == "sqlite" and rest else url


def public(url: str) -> str:
    """A URL as it may be shown and written down: without a password."""
    scheme, separator, _ = url.partition("://")
    if scheme == "sqlite" or "@" not in url:
        return url
    if not separator:
        return f"…@{url.rpartition('@')[2]}"
    from moot.store.postgresql import public_url

    return public_url(url)
