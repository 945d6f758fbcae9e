"""The commands that tell what a run has shown: by name, each loaded when it is called."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from moot.errors import UsageError
from moot.stats.one_thread import load_numpy


def report(
    files: Annotated[
        list[Path] | None, typer.Argument(metavar="FILE [FILE2]", help="The experiment file; give two to compare them.")
    ] = None,
    store: Annotated[str | None, typer.Option(help="Read this store: sqlite:///PATH.")] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write a page, such as report.html; with --format, a folder.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print only the figures, as JSON.")] = False,
    table_format: Annotated[
        str | None, typer.Option("--format", metavar="csv|parquet|latex", help="Write every table as a file.")
    ] = None,
    section: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Print only this table, such as safety; may be repeated."),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Print every table, and a few questions in words.")] = False,
    fail_under: Annotated[
        list[str] | None,
        typer.Option(metavar="CONDITION", help='Exit with 1 unless this holds: "over_best_single.low>0".'),
    ] = None,
    served: Annotated[bool, typer.Option("--served", help="What the team was asked while being served.")] = False,
    since: Annotated[
        str | None, typer.Option(metavar="7d", help="With --served: only what was asked since then.")
    ] = None,
    plan: Annotated[
        str | None, typer.Option(metavar="ID", help="Show another plan of this name, not the file's.")
    ] = None,
    publish: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Write a leaderboard of any number of files, as a web folder."),
    ] = None,
) -> int:
    """Show the verdict, accuracy with intervals, outcomes and cost, from the store alone."""
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
        typer.Argument(metavar="A B", help="The two to compare: talkative@ann vote.", show_default=False),
    ] = None,
    a: Annotated[str | None, typer.Option("--a", metavar="[TEAM/]STRATEGY[@CAPTAIN]", help="The same as A.")] = None,
    b: Annotated[str | None, typer.Option("--b", metavar="[TEAM/]STRATEGY[@CAPTAIN]", help="The same as B.")] = None,
    store: Annotated[str | None, typer.Option(help="Read this store: sqlite:///PATH.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> int:
    """Compare two strategies on the same questions: difference, interval, test, rescues and regressions."""
    from moot.cli.compare import compare_command, two_sides

    first, second = two_sides(source, sides or [], a, b)
    return compare_command(source, a=first, b=second, store=store, as_json=as_json)
