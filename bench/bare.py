"""The baseline: a bare aiohttp loop that posts the bodies in a file, so many at once, and reads the replies as JSON.

On uvloop, as `moot run` is.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import aiohttp
import uvloop


async def main(url: str, bodies: list[bytes], concurrent: int) -> None:
    left = iter(bodies)
    connector = aiohttp.TCPConnector(limit=0)
    headers = {"Content-Type": "application/json"}
    async with aiohttp.ClientSession(connector=connector, headers=headers) as session:

        async def worker() -> None:
            for body in left:
                async with session.post(url, data=body) as response:
                    json.loads(await response.read())["choices"][0]["message"]["content"]

        await asyncio.gather(*(worker() for _ in range(concurrent)))


if __name__ == "__main__":
    lines = Path(sys.argv[2]).read_bytes().splitlines()[: int(sys.argv[4])]
    uvloop.run(main(f"{sys.argv[1]}/chat/completions", lines, int(sys.argv[3])))
