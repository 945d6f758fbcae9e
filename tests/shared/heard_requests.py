"""An endpoint of a few lines: whatever is asked of it goes to one function."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def serving(handler: Handler) -> Any:
    served = web.Application()
    served.router.add_route("*", "/{path:.*}", handler)
    runner = web.AppRunner(served, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    finally:
        await runner.cleanup()


def in_form(answer: str) -> str:
    return json.dumps({"reasoning": "so", "answer": answer})
