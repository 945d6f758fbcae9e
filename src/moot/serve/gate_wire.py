"""The line between one worker of a server and the process that started it: whole messages over a pair of sockets.

Both ends are moot, of one version, and nobody else can reach the sockets: they have no name.
"""

from __future__ import annotations

import asyncio
import pickle
import socket
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from moot.engine.shared_limits import Granted, Note
from moot.live.edited_team import EditedTeam

LEAVE_PLACE = "leave_place"
"""What a worker tells: a place at the table is free again."""
PLACES_SHORT = "places_short"
"""What a worker is told: whether somebody waits for a place, so that it keeps none that nobody sits at."""
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


LineMessage = Notes | Grants | WantedOfWorker | DoneByWorker


def _packed(message: LineMessage) -> bytes:
    """What goes to and fro with every call is packed as plain tuples: our classes cost more to pack than what they hold."""
    plain: Any = message
    if isinstance(message, Notes):
        plain = Notes.__name__, [(note.verb, note.values) for note in message.notes]
    elif isinstance(message, Grants):
        plain = Grants.__name__, [(each.ticket, each.value, each.error) for each in message.granted]
    return pickle.dumps(plain, protocol=pickle.HIGHEST_PROTOCOL)


def _unpacked(packed: bytes) -> Any:
    plain = pickle.loads(packed)
    if not isinstance(plain, tuple):
        return plain
    kind, held = plain
    return (
        Notes([Note(*note) for note in held]) if kind == Notes.__name__ else Grants([Granted(*each) for each in held])
    )


class Wire(asyncio.Protocol):
    """One end of the line."""

    def __init__(self) -> None:
        self._transport: asyncio.WriteTransport | None = None
        self._unread = bytearray()
        self._hear: Callable[[Any], None] | None = None
        self._ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    @classmethod
    async def on(cls, end: socket.socket) -> Wire:
        end.setblocking(False)
        _, wire = await asyncio.get_running_loop().create_connection(cls, sock=end)
        return wire

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(
            asyncio.WriteTransport, transport
        )  # by its methods: not every loop's is one by its class

    def data_received(self, data: bytes) -> None:
        self._unread += data
        self._hear_whole()

    def connection_lost(self, error: Exception | None) -> None:
        self._end()

    def send(self, message: LineMessage) -> None:
        """Nothing is waited for: each end reads whatever comes, and what is on its way is bounded by what is asked at once."""
        if self._transport is not None and not self._transport.is_closing():
            packed = _packed(message)
            self._transport.write(_LENGTH.pack(len(packed)) + packed)

    async def heard(self, hear: Callable[[Any], None]) -> None:
        """Each message is told to `hear`, until the other end is gone; what `hear` raises is raised here, and ends it."""
        self._hear = hear
        self._hear_whole()
        await self._ended

    def _hear_whole(self) -> None:
        """All messages that are there as a whole. Before anybody hears them they wait."""
        read = 0
        try:
            while self._hear is not None and not self._ended.done() and len(self._unread) >= read + _LENGTH.size:
                (length,) = _LENGTH.unpack_from(self._unread, read)
                begin = read + _LENGTH.size
                if len(self._unread) < begin + length:
                    break
                read = begin + length
                self._hear(_unpacked(bytes(self._unread[begin:read])))
        except Exception as error:  # noqa: BLE001  whoever hears this end decides
            self._end(error)
        del self._unread[:read]

    def _end(self, error: Exception | None = None) -> None:
        if self._ended.done():
            return
        if error is None:
            self._ended.set_result(None)
        else:
            self._ended.set_exception(error)

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()
