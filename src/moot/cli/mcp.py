"""`moot mcp`: a team as a tool for agents."""

from __future__ import annotations

from pathlib import Path

from moot.errors import UsageError


def mcp_command(path: Path | None, *, only: list[str], every: bool, store: str | None) -> int:
    try:
        from moot.serve.mcp_tool import run_server
    except ImportError as error:
        raise UsageError(str(error)) from None
    run_server(path, store=store, only=only, every=every)
    return 0
