"""A program by itself: overwrite what no table of a SQLite file uses within its pages.

`secure_delete` overwrites what is deleted, but not what was moved: when rows go from one page to another the first keeps a copy
in the space between its list of rows and the rows, and nothing ever looks there again. `VACUUM` writes the whole file anew to
be rid of it, which takes minutes where a store is large. This reads the file once and writes where something stands that is
not used: nothing that SQLite reads is changed, whatever happens in between.

It is run in a process of its own: whoever closes a file gives up all locks that its process has on it, SQLite's among them.
Whoever starts it keeps others from writing, with everything in the file itself and nothing in its log.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

MAGIC = b"SQLite format 3\x00"
FILE_HEADER = 100
PAGE_HEADERS = {2: 12, 5: 12, 10: 8, 13: 8}
"""By the first byte of a page that holds rows, how long its header is. Other pages begin with the number of a page."""
MOST_PAGES = 0x02000000
"""From here on such a number may begin like a page of rows."""
TOGETHER = 256
"""Pages that are read at once."""

NOT_UNDERSTOOD = 3
"""The exit code for a file of another make than ours."""


class NotUnderstood(Exception):
    """A page that is not as we know them; nothing was written to it."""


def clear(path: str) -> int:
    """Overwrite the unused bytes of a file; how many there were that held something."""
    cleared = 0
    with open(path, "r+b", buffering=0) as file:
        header = file.read(FILE_HEADER)
        size = int.from_bytes(header[16:18], "big")
        size = 65_536 if size == 1 else size
        pages = os.fstat(file.fileno()).st_size // size if size else 0
        # With a largest root page there are pages that list others, which begin like pages of rows.
        if header[:16] != MAGIC or size < 512 or pages >= MOST_PAGES or any(header[52:56]):
            raise NotUnderstood(path)
        usable = size - header[20]
        for first in range(0, pages, TOGETHER):
            file.seek(first * size)
            held = file.read(TOGETHER * size)
            for place in range(0, len(held) - size + 1, size):
                page = held[place : place + size]
                for start, end in unused(page, FILE_HEADER if first == place == 0 else 0, usable):
                    if page[start:end].strip(b"\x00"):
                        file.seek(first * size + place + start)
                        file.write(bytes(end - start))
                        cleared += end - start
        os.fsync(file.fileno())
    return cleared


def unused(page: bytes, at: int, usable: int) -> Iterator[tuple[int, int]]:
    """Where nothing stands in a page of rows: between the list of rows and the rows, and where rows were."""
    length = PAGE_HEADERS.get(page[at])
    if length is None:
        return
    rows = int.from_bytes(page[at + 3 : at + 5], "big")
    content = int.from_bytes(page[at + 5 : at + 7], "big") or 65_536
    listed = at + length + 2 * rows
    if not listed <= content <= usable:
        raise NotUnderstood
    yield listed, content
    free = int.from_bytes(page[at + 1 : at + 3], "big")
    while free:
        following = int.from_bytes(page[free : free + 2], "big")
        end = free + int.from_bytes(page[free + 2 : free + 4], "big")
        if free < content or end < free + 4 or end > usable or 0 < following < end:
            raise NotUnderstood
        yield free + 4, end
        free = following


if __name__ == "__main__":
    try:
        clear(sys.argv[1])
    except NotUnderstood:
        sys.exit(NOT_UNDERSTOOD)
