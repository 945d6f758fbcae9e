"""The line between one worker of a server and the process that started it: whole messages over a pair of sockets.

Both ends are moot, of one version, and nobody else can reach the sockets: they have no name.
"""

from __future__ import annotations

import asyncio
import pickle
import socket
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from moot.engine.shared_limits import Granted, Note
from moot.live.edited_team import EditedTeam

LEAVE_PLACE = "leave_place"
"""What a worker tells: a place at the table is free again."""
GIVE_BACK = "give_back"
"""What is wanted of a worker: the places that nobody sits at."""
KEEPS = "keeps"
"""What is wanted of a worker: whether it keeps what it answers."""

_LENGTH = struct.Struct("!I")


@dataclass(frozen=True, slots=True)
class Notes:
    """From a worker: what it tells and asks."""

    notes: Sequence[Note]


@dataclass(frozen=True, slots=True)
class Grants:
    """To a worker: what came of what it asked."""

    granted: Sequence[Granted]


@dataclass(frozen=True, slots=True)
class WantedOfWorker:
    """To a worker: something that it alone knows or can do."""

    number: int
    verb: str
    values: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class DoneByWorker:
    """From a worker: what came of something wanted; `error` in words."""

    number: int
    value: Any = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class MadeTeams:
    """To a worker that has just started: which teams were put together of late and by whom, and how many each has in all."""

    latest: Sequence[tuple[EditedTeam, str]]
    number: Mapping[str, int]


class Wire:
    """One end of the line."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    @classmethod
    async def on(cls, end: socket.socket) -> Wire:
        end.setblocking(False)
        return cls(*await asyncio.open_connection(sock=end))

    def send(self, message: Notes | Grants | WantedOfWorker | DoneByWorker) -> None:
        """Nothing is waited for: each end reads whatever comes, and what is on its way is bounded by what is asked at once."""
        packed = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
        self._writer.write(_LENGTH.pack(len(packed)) + packed)

    async def receive(self) -> Any:
        """The next message; None: the other end is gone."""
        try:
            (length,) = _LENGTH.unpack(await self._reader.readexactly(_LENGTH.size))
            return pickle.loads(await self._reader.readexactly(length))
        except (asyncio.IncompleteReadError, ConnectionError):
            return None

    def close(self) -> None:
        self._writer.close()
