"""A served team on a real port, for as long as a block lasts."""

from __future__ import annotations

import asyncio
import json
import socket
import sqlite3
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import yaml

from moot.experiment.spec import read_experiment
from moot.live.team import LiveTeam
from moot.models.model import Model
from moot.serve.app import ServeSettings, create_app
from moot.serve.connections import Connections
from moot.serve.paid_off import offer_of
from moot.serve.team_server import TeamServer

THREE: dict[str, Any] = {
    "name": "three",
    "models": {
        "ann": {"provider": "simulated", "accuracy": 0.6},
        "bob": {"provider": "simulated", "accuracy": 0.5},
        "cat": {"provider": "simulated", "accuracy": 0.4},
    },
    "teams": {"three": {"players": ["ann", "bob", "cat"], "captain": "ann"}},
    "strategies": ["vote", "talkative", "solo"],
}


@dataclass
class Served:
    live: LiveTeam
    url: str
    session: aiohttp.ClientSession

    async def post(self, path: str, body: Any, **options: Any) -> tuple[int, Any]:
        async with self.session.post(self.url + path, json=body, **options) as response:
            return response.status, json.loads(await response.read())

    async def get(self, path: str, **options: Any) -> tuple[int, Any]:
        async with self.session.get(self.url + path, **options) as response:
            return response.status, json.loads(await response.read())

    async def chat(self, text: str, model: str = "three/vote", **more: Any) -> tuple[int, Any]:
        return await self.post(
            "/v1/chat/completions", {"model": model, "messages": [{"role": "user", "content": text}], **more}
        )


@asynccontextmanager
async def serving(
    folder: Path,
    config: dict[str, Any] | None = None,
    *,
    settings: ServeSettings | None = None,
    wrap: Callable[[str, Model], Model] | None = None,
    headers: dict[str, str] | None = None,
    connections: Connections | None = None,
    offer: Mapping[str, Any] | None = None,
    reuse: bool = False,
) -> AsyncIterator[Served]:
    """`offer`: `only` and `every`, as `moot serve` takes them; None: all of the file, by no other names than its own."""
    path = folder / "team.yaml"
    path.write_text(yaml.safe_dump(config or THREE), encoding="utf-8")
    live = LiveTeam(read_experiment(path, with_questions=False), serving=True, wrap=wrap, reuse=reuse)
    if offer is not None:
        live.offer = await offer_of(live, **offer)
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    server = TeamServer(create_app(live, settings), connections or Connections(), stop_s=2)
    running = asyncio.create_task(server.serve(sockets=[listening]))
    while not server.started:
        if running.done():
            running.result()
        await asyncio.sleep(0.01)
    url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    try:
        async with aiohttp.ClientSession(headers=headers) as session:
            yield Served(live, url, session)
    finally:
        server.should_exit = True
        await running


async def reworded(served: Served, folder: Path, answers: Mapping[str, str]) -> None:
    """By episode, what is kept as its answer: simulated teams of the same players often say the same."""
    await served.live.record.all_written()
    (kept,) = await asyncio.to_thread(lambda: list(folder.glob("*.db")))
    with closing(sqlite3.connect(kept)) as store, store:
        for episode, answer in answers.items():
            one = (answer, answer, int(episode[3:11], 16), episode[11:])
            changed = "update episodes set answer = ?, verdict = json_set(verdict, '$.answer', ?)"
            assert store.execute(f"{changed} where repeat = ? and question = ?", one).rowcount == 1
