"""Files that are written whole or not at all: beside their place first, under a name that nobody else has, and then moved.

Whoever reads the old one meanwhile never sees half of the new one. The name is made for this one writing: at a name that could
be foreseen somebody might have put a link, and what it leads to would be written over.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """Where to write what is to stand at `path`."""
    with written_together([path]) as (draft,):
        yield draft


@contextmanager
def written_together(paths: Sequence[Path]) -> Iterator[list[Path]]:
    """The same of several: until all are written none stands in the place of an older one."""
    with ExitStack() as stack:
        drafts = [stack.enter_context(_draft_of(path)) for path in paths]
        yield drafts
        for draft, path in zip(drafts, paths, strict=True):
            draft.replace(path)


@contextmanager
def _draft_of(path: Path) -> Iterator[Path]:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".moot-")
    os.close(handle)
    draft = Path(name)
    try:
        draft.chmod(path.stat().st_mode & 0o777 if path.is_file() else 0o666 & ~_umask())
        yield draft
    finally:
        with suppress(OSError):  # it has been moved, or the disk is what went wrong
            draft.unlink(missing_ok=True)


def _umask() -> int:
    now = os.umask(0o077)
    os.umask(now)
    return now
