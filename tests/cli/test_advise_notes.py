"""The notes at the end of `moot advise`: each whole, and those for which there is no room are counted."""

from __future__ import annotations

import pytest

from moot.cli.advise_shown import notes_within, wrapped

LONG = "Note: " + "one thing after another, and then some more of it, " * 4 + "and here it ends."
SHORT = "Note: this is short."
ROWS = len(wrapped(LONG))


@pytest.mark.parametrize(
    ("lines", "notes", "shown"),
    [
        (ROWS + 1, [LONG, SHORT], [*wrapped(LONG), SHORT]),
        (ROWS, [LONG], wrapped(LONG)),
        (ROWS - 1, [LONG], ["Note: 1 note with --json."]),
        (ROWS + 1, [LONG, LONG, SHORT], [*wrapped(LONG), "Note: 2 more with --json."]),
        (ROWS, [LONG, SHORT], ["Note: 2 notes with --json."]),
        (2, [SHORT, LONG, SHORT], [SHORT, "Note: 2 more with --json."]),
        (0, [LONG], []),
        (-3, [LONG], []),
        (3, [], []),
    ],
)
def test_none_is_cut_in_the_midst_of_a_sentence(lines: int, notes: list[str], shown: list[str]) -> None:
    assert notes_within(lines, notes) == shown
    assert len(shown) <= max(0, lines)
