"""What one key asks holds up no other: a limit on money is each key's own."""

from __future__ import annotations

import asyncio
from pathlib import Path

from served import THREE, serving

from moot.models.model import Model, Wrapper
from moot.serve.admission import KeyLimits
from moot.serve.app import ServeSettings
from moot.types import Reply, Request

AT_ONCE = 20
PRICED = {
    **THREE,
    "models": {
        name: {**model, "price": {"prompt": 20.0, "completion": 20.0}} for name, model in THREE["models"].items()
    },
}


class Together(Wrapper):
    """Once it is told to, answers nobody before so many ask at the same time."""

    def __init__(self, inner: Model, all_there: asyncio.Event, wanted: list[int]) -> None:
        super().__init__(inner)
        self._all_there, self._wanted = all_there, wanted

    async def generate(self, request: Request) -> Reply:
        if self._wanted:
            self._wanted[0] -= 1
            if self._wanted[0] == 0:
                self._all_there.set()
            await self._all_there.wait()
        return await self.inner.generate(request)


async def test_a_long_question_of_one_key_puts_no_short_ones_of_another_in_single_file(tmp_path: Path) -> None:
    settings = ServeSettings(keys={"ALICE": "alice-key", "BOB": "bob-key"}, limits=KeyLimits(usd_per_day=10.0))
    all_there, wanted = asyncio.Event(), list[int]()
    alice, bob = ({"Authorization": f"Bearer {name}-key"} for name in ("alice", "bob"))

    def body(text: str) -> dict[str, object]:
        return {"model": "solo@ann", "messages": [{"role": "user", "content": text}]}

    async with serving(
        tmp_path, PRICED, settings=settings, wrap=lambda _, model: Together(model, all_there, wanted)
    ) as served:
        assert (await served.post("/v1/chat/completions", body("Who?"), headers=alice))[0] == 200
        long = "Who? " + "word " * 190_000
        status, told = await served.post("/v1/chat/completions", body(long), headers=alice)
        assert status == 200
        assert 2 < told["moot"]["cost_usd"] < 10, "dear, and within the limit"
        wanted.append(AT_ONCE)
        asking = [served.post("/v1/chat/completions", body(f"Who is number {n}?"), headers=bob) for n in range(AT_ONCE)]
        ended = await asyncio.wait_for(asyncio.gather(*asking), 60)
        assert [status for status, _ in ended] == [200] * AT_ONCE
