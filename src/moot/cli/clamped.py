"""A cell of a table that never takes more than a few lines: a reply of a page would push the others off the screen."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.text import Text

from moot.cli.safe_text import tamed

LINES = 3


@dataclass(frozen=True, slots=True)
class Clamped:
    """The beginning of a text, in words; an ellipsis where there is more. The column's width is known only as it is drawn."""

    text: Text

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lines = [*self._running(LINES * options.max_width).wrap(console, options.max_width)]
        if len(lines) > LINES:
            last = lines[LINES - 1]
            last.rstrip()
            last.truncate(options.max_width - 1)
            last.append("…")
        yield Text("\n").join(lines[:LINES])

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement.get(console, options, self._running(LINES * options.max_width))

    def _running(self, most: int) -> Text:
        """Without the breaks of lines, which belong to the whole; no longer than could be shown, since it is drawn often."""
        cut = self.text[: 2 * most] if len(self.text) > 2 * most else self.text
        copy = cut.copy()
        copy.plain = re.sub(r"\s", " ", tamed(copy.plain))
        return copy
