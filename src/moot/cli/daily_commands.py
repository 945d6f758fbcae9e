"""`moot runs`, `moot log` and `moot watch` as they are typed: their options, and nothing that takes long to import."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def runs(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help="An experiment file: what its store holds.", show_default=False),
    ] = None,
    store: Annotated[str | None, typer.Option(help="Read this store: sqlite:///PATH.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="So many of each store, the newest first.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON on stdout.")] = False,
) -> int:
    """The experiments and served teams of a store: state, questions, verdict and cost. Without one: of those in this folder."""
    from moot.cli.runs import runs_command

    return runs_command(file, store=store, most=limit, as_json=as_json)


def log(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[WORDS]", help="All of these stand in it; or one id: shown whole.", show_default=False),
    ] = None,
    team: Annotated[
        Path | None, typer.Option(help="A team file with a store: what was asked of it, served too.")
    ] = None,
    store: Annotated[str | None, typer.Option(help="Read this store: sqlite:///PATH.")] = None,
    runs: Annotated[bool, typer.Option("--runs", help="The questions of experiments as well.")] = False,
    limit: Annotated[int, typer.Option(min=1, help="So many, the newest first.")] = 10,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON on stdout.")] = False,
) -> int:
    """Earlier questions and their answers, found by their words. Go on from one with moot ask --after ID."""
    from moot.cli.log import log_command

    return log_command(words or [], team=team, store=store, runs=runs, most=limit, as_json=as_json)
