"""`moot serve`, `moot mcp` and `moot purge` as they are typed: their options, and nothing that takes long to import."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def serve(
    file: Annotated[
        Path | None, typer.Argument(metavar="TEAMFILE", help="A team file; without one the embedded local team.")
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Serve this alone, such as four/silent@ann; several times for several."),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Serve all of the file, and not only what did best.")] = False,
    host: Annotated[
        str, typer.Option(help="The address to listen on; others than this machine's need a key.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: any free one.")] = 8000,
    key_env: Annotated[
        list[str] | None, typer.Option(help="A variable that holds a key; several times for several keys.")
    ] = None,
    admin_key_env: Annotated[
        list[str] | None, typer.Option(help="A variable that holds a key to the questions of all keys.")
    ] = None,
    store: Annotated[str | None, typer.Option(help="Keep what is asked here instead.")] = None,
    per_minute: Annotated[int | None, typer.Option(min=1, help="Requests a minute for each key.")] = None,
    usd_per_day: Annotated[float | None, typer.Option(min=0, help="Money a day (UTC) for each key.")] = None,
    concurrent: Annotated[int | None, typer.Option(min=1, help="Requests at once for each key.")] = None,
    at_once: Annotated[int, typer.Option(min=1, help="Questions under way at once.")] = 64,
    waiting: Annotated[int, typer.Option(min=0, help="Questions that may wait; past that: 429.")] = 256,
    body_kb: Annotated[int, typer.Option(min=1, help="The largest request, in KiB.")] = 1024,
    keep_days: Annotated[float | None, typer.Option(min=0, help="Forget what is older.")] = None,
    reports: Annotated[Path | None, typer.Option(help="A folder of reports that the page links to.")] = None,
    reuse: Annotated[bool, typer.Option("--reuse", help="Answer a repeated question from the store.")] = False,
    allow_host: Annotated[
        list[str] | None, typer.Option(help="A name that others reach this server by; several times for several.")
    ] = None,
    allow_origin: Annotated[
        list[str] | None, typer.Option(help="Pages from there may use this server: https://app.example.")
    ] = None,
    per_address: Annotated[int, typer.Option(min=1, help="Connections from one address.")] = 250,
    fixed_teams: Annotated[
        bool, typer.Option("--fixed-teams", help="Nobody puts a team together; so it is with --only.")
    ] = False,
    workers: Annotated[int, typer.Option(min=1, max=64, help="Processes that answer, under the same limits.")] = 1,
) -> int:
    """A team as one model behind an OpenAI-compatible API, and a page where people watch the table."""
    from moot.cli.serve import serve_command

    return serve_command(
        file,
        host=host,
        port=port,
        key_env=key_env or [],
        admin_key_env=admin_key_env or [],
        store=store,
        per_minute=per_minute,
        usd_per_day=usd_per_day,
        concurrent=concurrent,
        at_once=at_once,
        waiting=waiting,
        body_kb=body_kb,
        keep_days=keep_days,
        reports=reports,
        reuse=reuse,
        allow_host=allow_host or [],
        allow_origin=allow_origin or [],
        per_address=per_address,
        only=only or [],
        every=every,
        fixed_teams=fixed_teams,
        workers=workers,
    )


def purge(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The experiment file (YAML).", show_default=False)],
    older_than: Annotated[float, typer.Option(min=0, help="Days; everything asked before that is forgotten.")],
    store: Annotated[str | None, typer.Option(help="This store instead of the file's.")] = None,
) -> int:
    """Forget what a served team was asked, with its calls and grades."""
    from moot.cli.serve import purge_command

    return purge_command(file, older_than=older_than, store=store)


def mcp(
    file: Annotated[
        Path | None, typer.Argument(metavar="TEAMFILE", help="A team file; without one the embedded local team.")
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Offer this alone, such as four/silent@ann; several times for several."),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Also where what did best learns in a run, and cannot be asked.")
    ] = False,
    store: Annotated[str | None, typer.Option(help="Keep what is asked here instead.")] = None,
) -> int:
    """A team as a tool for agents (Model Context Protocol): the agent's program starts this and speaks with it."""
    from moot.cli.mcp import mcp_command

    return mcp_command(file, only=only or [], every=every, store=store)
