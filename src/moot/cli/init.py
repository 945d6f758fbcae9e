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
            help="Your questions, such as cup.csv: as --questions, and the experiment is written beside them.",
            show_default=False,
        ),
    ] = None,
    questions: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Your questions; left out: the only file here that looks so.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="The file to write; left out: moot.yaml.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Take what is proposed; ask nothing.")] = False,
    port: Annotated[
        list[int] | None,
        typer.Option(
            metavar="PORT",
            min=1,
            max=65535,
            help="Look for a server at this port of this machine, not at the usual ones; may be given several times.",
        ),
    ] = None,
    key_env: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The variable with the key, for a server of this machine that wants one."),
    ] = None,
) -> int:
    """Find models and questions, and write an experiment file to begin with."""
    from moot.cli.first_file import init_command, placed

    questions, output = placed(file, questions, output)
    return init_command(questions, output, yes=yes, ports=port or [], key_env=key_env)
