"""Questions that are being played, for whoever has to wait until none is."""

from __future__ import annotations

import asyncio
from contextlib import suppress

ENDING_S = 5.0
"""How long a question that is asked nothing any more has to come to its end."""


class UnderWay:
    """So many are played at this moment; each is a `with`."""

    def __init__(self) -> None:
        self._count = 0
        self._none = asyncio.Event()

    def __enter__(self) -> None:
        self._count += 1

    def __exit__(self, *_: object) -> None:
        self._count -= 1
        self._none.set()

    async def over(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(ENDING_S):
                while self._count:
                    self._none.clear()
                    await self._none.wait()
