"""What `moot select` prints: one screen with the team to take at its end, or every table; or rows as JSON."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from rich.table import Table

from moot.cli.console import Console
from moot.cli.safe_text import print_json, say
from moot.cli.team_to_take import taken, team_to_take
from moot.measures.selection.in_short import in_short
from moot.measures.selection.sections import HowChosen, selection_sections
from moot.report.section_terminal import section_parts
from moot.select.labels import LabelMatrix

ShownAs = Literal["ending", "all", "json"]


def show_selection(
    rows: Sequence[dict[str, Any]],
    labels: LabelMatrix,
    how: HowChosen,
    *,
    command: Sequence[str],
    options: Mapping[str, Mapping[str, Any]],
    summarised: Mapping[str, Mapping[str, Any]] | None,
    shown: ShownAs,
) -> None:
    """`command`, `options`, `summarised`: as `team_to_take` has them."""
    for remark in (*labels.remarks(), *(how.notes if shown == "json" else ())):
        say(f"moot: {remark}", file=sys.stderr)
    if shown == "json":
        print_json([{**row, "oracle": how.oracle} for row in rows])
        return
    console, everything = Console(), shown == "all"
    for section in selection_sections(rows, how) if everything else [in_short(rows, how, taken=taken(rows))]:
        for part in section_parts(section, console.width):
            if isinstance(part, Table):
                part.show_edge = everything  # whose lines a screen has better use for
            console.print(part)
        if everything:
            console.print()
    for line in team_to_take(rows, command=command, options=options, summarised=summarised):
        console.print(line, soft_wrap=line.startswith(" "))  # what is to be pasted stays in one piece
