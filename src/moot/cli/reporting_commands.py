"""The commands that tell what a run has shown: by name, each loaded when it is called."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from moot.errors import UsageError
from moot.stats.one_thread import load_numpy


def report(
    files: Annotated[
        list[Path] | None, typer.Argument(metavar="FILE [FILE2]", help="The experiment file; two: side by side.")
    ] = None,
    store: Annotated[str | None, typer.Option(help="Read this store: sqlite:///PATH.")] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write the page report.html; with --format, a folder.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The figures on stdout, nothing else.")] = False,
    table_format: Annotated[
        str | None, typer.Option("--format", metavar="csv|parquet|latex", help="Write every table as a file.")
    ] = None,
    section: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only this table, such as safety; several times for several."),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every table, and a few questions told in words.")] = False,
    fail_under: Annotated[
        list[str] | None,
        typer.Option(metavar="CONDITION", help='Exit 1 unless it holds: "over_best_single.low>0".'),
    ] = None,
    served: Annotated[bool, typer.Option("--served", help="What the file's team was asked when served.")] = False,
    since: Annotated[str | None, typer.Option(metavar="7d", help="Of --served only what was asked since.")] = None,
    plan: Annotated[str | None, typer.Option(metavar="ID", help="Another plan of this name than the file's.")] = None,
    publish: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="A leaderboard over any number of files, for a web space."),
    ] = None,
) -> int:
    """The verdict, accuracy with intervals, outcomes and cost, from the store alone."""
    load_numpy()  # before anything else does
    if publish is not None:
        from moot.cli.publish import publish_command

        beside = {"--json": as_json, "-o": output, "--format": table_format, "--section": section, "--all": everything}
        beside |= {"--fail-under": fail_under, "--served": served, "--since": since, "--plan": plan}
        if given := next((option for option, value in beside.items() if value), None):
            raise UsageError(f"--publish writes a folder: expected it without {given}")
        return publish_command(files or [], publish, store=store)
    from moot.cli.report import report_command

    return report_command(
        files or [],
        store=store,
        as_json=as_json,
        output=output,
        table_format=table_format,
        served=served,
        since=since,
        sections=section or [],
        everything=everything,
        conditions=fail_under or [],
        plan=plan,
    )


def compare(
    source: Annotated[str, typer.Argument(metavar="FILE|STORE", help="The experiment file, or a store.")],
    sides: Annotated[
        list[str] | None,
        typer.Argument(metavar="A B", help="The first against the second: talkative@ann vote.", show_default=False),
    ] = None,
    a: Annotated[str | None, typer.Option("--a", metavar="[TEAM/]STRATEGY[@CAPTAIN]", help="The same as A.")] = None,
    b: Annotated[str | None, typer.Option("--b", metavar="[TEAM/]STRATEGY[@CAPTAIN]", help="The same as B.")] = None,
    store: Annotated[str | None, typer.Option(help="Read this store: sqlite:///PATH.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON on stdout.")] = False,
) -> int:
    """Two strategies on the same questions: difference, interval, test, rescues and regressions."""
    from moot.cli.compare import compare_command, two_sides

    first, second = two_sides(source, sides or [], a, b)
    return compare_command(source, a=first, b=second, store=store, as_json=as_json)
