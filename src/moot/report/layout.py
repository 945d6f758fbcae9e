"""Tables that fit: words are wrapped where they may be broken, figures never are.

Nothing is cut. Rows whose names are cut cannot be told apart, and a name that breaks anywhere cannot be read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rich.box import SIMPLE
from rich.cells import cell_len, chop_cells
from rich.table import Table

GUTTER = 2
"""What the box and the padding add to each column."""
NARROWEST = 8
"""No column of words is made narrower than this."""

_BREAKS = (r"\s+|(?<=\()", r"(?<=[=,+/@:])", r"(?<=[-_.])")
"""Where a name may break: at spaces and brackets; if that is not enough between options, and last within a word."""


def wrapped(text: str, width: int) -> str:
    """The text in lines of so many columns."""
    if cell_len(text) <= width:
        return text
    return "\n".join(line.rstrip() for line in _lines(text, max(1, width), 0))


def _lines(text: str, width: int, level: int) -> list[str]:
    if cell_len(text.rstrip()) <= width:
        return [text]
    if level == len(_BREAKS):
        return chop_cells(text, width)
    lines: list[str] = []
    for piece in _pieces(text, _BREAKS[level]):
        if lines and cell_len(lines[-1] + piece.rstrip()) <= width:
            lines[-1] += piece
        else:
            lines += _lines(piece, width, level + 1) if cell_len(piece.rstrip()) > width else [piece]
    return lines


def _pieces(text: str, at: str) -> list[str]:
    """The parts between breaks, each with the space that follows it."""
    ends = [match.end() for match in re.finditer(at, text)]
    starts = [0, *ends]
    return [piece for piece in (text[a:b] for a, b in zip(starts, [*ends, len(text)], strict=True)) if piece]


def longest_piece(text: str) -> int:
    """How wide a column must be for a text to break only where it may."""
    return max((cell_len(piece.rstrip()) for piece in re.split("|".join(_BREAKS), text)), default=0)


def fitted(longest: Sequence[int], room: int) -> list[int]:
    """So many columns for each: what it asks for, or, where there is too little, the widest give way first."""
    widths = list(longest)
    while sum(widths) > room and max(widths, default=0) > NARROWEST:
        widths[widths.index(max(widths))] -= 1
    return widths


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], *, words: int, width: int, title: str = "") -> Table:
    """The first `words` columns hold words, which are wrapped to fit; the others hold figures, which are not.

    Where it is narrow the heads of figures are wrapped first, so that names stay whole as long as they can.
    """
    columns = list(zip(*rows, strict=True)) or [()] * len(heads)
    longest = [max(map(cell_len, (head, *cells))) for head, cells in zip(heads, columns, strict=True)]
    if sum(longest) + GUTTER * len(heads) >= width:
        least = [max(map(cell_len, (*head.split(), *cells))) for head, cells in zip(heads, columns, strict=True)]
        longest = [*longest[:words], *least[words:]]
    room = width - 1 - sum(longest[words:]) - GUTTER * len(heads)
    widths = [*fitted(longest[:words], room), *longest[words:]]
    made = grid([wrapped(head, room) for head, room in zip(heads, widths, strict=True)], words=words, title=title)
    for row in rows:
        made.add_row(*(wrapped(text, room) for text, room in zip(row, widths, strict=True)))
    return made


def grid(heads: Sequence[str], *, words: int, title: str = "") -> Table:
    """A table still without rows, whose texts are as wide as they are."""
    made = Table(title=title or None, title_justify="left", box=SIMPLE, pad_edge=False, padding=(0, 1, 0, 0))
    for place, head in enumerate(heads):
        made.add_column(head, no_wrap=True, justify="left" if place < words else "right", overflow="fold")
    return made
