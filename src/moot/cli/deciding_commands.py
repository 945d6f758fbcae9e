"""`moot fit` as it is typed: its options, and nothing that takes long to import."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def fit(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The experiment or team file (YAML).", show_default=False)
    ],
    output: Annotated[Path, typer.Option("-o", "--output", help="The file to write, such as rule.json.")],
    served: Annotated[
        bool, typer.Option("--served", help="From feedback on what was served, and tell the drift.")
    ] = False,
    promise: Annotated[
        list[float] | None,
        typer.Option(
            help="So many of the answers given are to be right, such as 0.95, for abstain: {target: 0.95}. May be repeated."
        ),
    ] = None,
    team: Annotated[str | None, typer.Option(help="Which team of the file, where it has several.")] = None,
    store: Annotated[str | None, typer.Option(help="Read this store: sqlite:///PATH.")] = None,
) -> int:
    """Learn from graded questions which of the team's answers to take, for learnt: {from: rule.json}. Nobody is asked."""
    from moot.cli.fit import fit_command

    return fit_command(file, output, served=served, promises=promise or [], team=team, store=store)
