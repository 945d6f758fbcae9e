"""`moot init`: an experiment file to begin with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def init(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="[QUESTIONS]",
            help="Your questions, such as cup.csv; the experiment is written next to them.",
            show_default=False,
        ),
    ] = None,
    questions: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Your questions; by default the only question file in this folder."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="The file to write; by default moot.yaml.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Accept every proposal; ask nothing.")] = False,
    port: Annotated[
        list[int] | None,
        typer.Option(
            metavar="PORT",
            min=1,
            max=65535,
            help="Look for a server on this local port instead of the usual ones; may be repeated.",
        ),
    ] = None,
    key_env: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Variable that holds the key of a local server that needs one."),
    ] = None,
) -> int:
    """Find models and questions, and write a first experiment file."""
    from moot.cli.first_file import init_command, placed

    questions, output = placed(file, questions, output)
    return init_command(questions, output, yes=yes, ports=port or [], key_env=key_env)
