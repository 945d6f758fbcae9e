"""`moot simulate`: a server of simulated models."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

LIKE = ("openrouter", "azure", "ollama", "vllm", "gemini", "deepseek")
"""As `moot.simulate.likeness` has them: help is told without loading a server."""


def simulate(
    file: Annotated[
        Path | None, typer.Argument(metavar="[CONFIG]", help="The same as --config.", show_default=False)
    ] = None,
    *,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 picks a free one.")],
    config: Annotated[
        Path | None, typer.Option(help="YAML file: models, questions, latency, limits, faults.", show_default=False)
    ] = None,
    like: Annotated[
        str | None, typer.Option(help=f"Behave like a known server: {', '.join(LIKE)}.", show_default=False)
    ] = None,
    host: Annotated[
        str, typer.Option(help="Address to listen on; loopback only unless you say otherwise.")
    ] = "127.0.0.1",
) -> None:
    """Serve simulated models in the OpenAI form, with latency and faults on demand.

    Nothing real answers: replies are drawn from a statistical model of players who differ in ability and err alike,
    and say that they are simulated. The same seed gives the same replies. Without --config: six models, ann to fay.

    GET /stats and GET /log tell what arrived; POST /reset begins the count anew. Ctrl-C stops the server.
    """
    import asyncio
    import sys

    from moot.cli.safe_text import say
    from moot.errors import UsageError
    from moot.models.closest import closest
    from moot.simulate.server import simulate_until_stopped
    from moot.simulate.server_config import SimulateConfig, load_config

    def remark(note: str) -> None:
        say(f"moot: {note}", file=sys.stderr)

    if file is not None and config is not None:
        raise UsageError(f"{file} and --config {config} are two configs; expected one")
    named = config or file
    if like is not None and like not in LIKE:
        raise UsageError(f"--like {like}: expected one of {', '.join(LIKE)}{closest(like, LIKE)}")
    read = load_config(named) if named else SimulateConfig()
    if like is not None:
        read = read.model_copy(update={"like": like})
    asyncio.run(simulate_until_stopped(read, host, port, remark=remark))
