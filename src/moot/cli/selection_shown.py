"""What `moot select` prints: one screen with the team to take at its end, or every table; or rows as JSON."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from rich.table import Table

from moot.cli.console import Console
from moot.cli.safe_text import print_json, say
from moot.cli.team_to_take import taken, team_to_take
from moot.engine.alone_plays import LabelOrigin
from moot.measures.selection.in_short import in_short
from moot.measures.selection.sections import selection_sections
from moot.report.section_terminal import section_parts
from moot.select.labels import LabelMatrix


def show_selection(
    rows: Sequence[dict[str, Any]],
    labels: LabelMatrix,
    *,
    oracle: str,
    m: int,
    splits: int,
    command: Sequence[str],
    options: Mapping[str, Mapping[str, Any]],
    origin: LabelOrigin | None,
    summarised: Mapping[str, Mapping[str, Any]] | None,
    as_json: bool,
    everything: bool,
) -> None:
    """`command`, `options`, `summarised`: as `team_to_take` has them."""
    notes = [] if origin is None else origin.notes
    for remark in (*labels.remarks(), *(notes if as_json else ())):
        say(f"moot: {remark}", file=sys.stderr)
    if as_json:
        print_json([{**row, "oracle": oracle} for row in rows])
        return
    console = Console()
    units = len(set(labels.units()))
    told: dict[str, Any] = {"oracle": oracle, "m": m, "splits": splits, "questions": labels.size}
    told |= {"clusters": units if units < labels.size else None, "notes": notes}
    sections = selection_sections(rows, **told) if everything else [in_short(rows, **told, taken=taken(rows))]
    for section in sections:
        for part in section_parts(section, console.width):
            if isinstance(part, Table):
                part.show_edge = everything  # whose lines a screen has better use for
            console.print(part)
        if everything:
            console.print()
    for line in team_to_take(rows, command=command, options=options, summarised=summarised):
        console.print(line, soft_wrap=line.startswith(" "))  # what is to be pasted stays in one piece
