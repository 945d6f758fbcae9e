"""`moot serve`, `moot mcp` and `moot purge` as they are typed: their options, and nothing that takes long to import."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def serve(
    file: Annotated[
        Path | None, typer.Argument(metavar="TEAMFILE", help="A team file; by default the embedded local team.")
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Serve only this, such as four/silent@ann; may be repeated."),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Serve everything in the file, not only what did best.")] = False,
    host: Annotated[
        str, typer.Option(help="Address to listen on; any but this machine's own needs a key.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 picks a free one.")] = 8000,
    key_env: Annotated[list[str] | None, typer.Option(help="Variable that holds an API key; may be repeated.")] = None,
    admin_key_env: Annotated[
        list[str] | None, typer.Option(help="Variable that holds a key to the questions of all keys.")
    ] = None,
    store: Annotated[str | None, typer.Option(help="Store what is asked here instead.")] = None,
    per_minute: Annotated[int | None, typer.Option(min=1, help="Requests per minute, for each key.")] = None,
    usd_per_day: Annotated[float | None, typer.Option(min=0, help="Spending per day (UTC), for each key.")] = None,
    concurrent: Annotated[int | None, typer.Option(min=1, help="Concurrent requests, for each key.")] = None,
    at_once: Annotated[int, typer.Option(min=1, help="Questions answered at once.")] = 64,
    waiting: Annotated[int, typer.Option(min=0, help="Questions that may wait; beyond that, 429.")] = 256,
    body_kb: Annotated[int, typer.Option(min=1, help="The largest request, in KiB.")] = 1024,
    keep_days: Annotated[float | None, typer.Option(min=0, help="Delete what is older than this.")] = None,
    reports: Annotated[Path | None, typer.Option(help="A folder of reports that the page links to.")] = None,
    reuse: Annotated[bool, typer.Option("--reuse", help="Answer a repeated question from the store.")] = False,
    allow_host: Annotated[
        list[str] | None, typer.Option(help="Host name that others use for this server; may be repeated.")
    ] = None,
    allow_origin: Annotated[
        list[str] | None, typer.Option(help="Origin whose pages may use this server: https://app.example.")
    ] = None,
    per_address: Annotated[int, typer.Option(min=1, help="Connections from one address.")] = 250,
    fixed_teams: Annotated[
        bool, typer.Option("--fixed-teams", help="Do not let visitors put teams together; implied by --only.")
    ] = False,
    workers: Annotated[int, typer.Option(min=1, max=64, help="Number of processes, which share the limits.")] = 1,
) -> int:
    """Serve a team as one model behind an OpenAI-compatible API, with a page that shows the table."""
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
    older_than: Annotated[float, typer.Option(min=0, help="Delete everything asked more than this many days ago.")],
    store: Annotated[str | None, typer.Option(help="This store instead of the file's.")] = None,
) -> int:
    """Delete what a served team was asked, with its calls and grades."""
    from moot.cli.serve import purge_command

    return purge_command(file, older_than=older_than, store=store)


def mcp(
    file: Annotated[
        Path | None, typer.Argument(metavar="TEAMFILE", help="A team file; by default the embedded local team.")
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Offer only this, such as four/silent@ann; may be repeated."),
    ] = None,
    every: Annotated[
        bool,
        typer.Option("--all", help="Offer the file's strategies even if the one that did best cannot be asked live."),
    ] = False,
    store: Annotated[str | None, typer.Option(help="Store what is asked here instead.")] = None,
) -> int:
    """Offer a team as a tool for agents (Model Context Protocol). The agent's program starts this."""
    from moot.cli.mcp import mcp_command

    return mcp_command(file, only=only or [], every=every, store=store)
