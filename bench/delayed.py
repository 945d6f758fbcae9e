"""An endpoint that answers every request with the same reply after a fixed time, at next to no CPU: `delayed.py PORT S`."""

from __future__ import annotations

import asyncio
import sys

from loopback import REPLY

WHOLE = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
    + str(len(REPLY.encode())).encode()
    + b"\r\n\r\n"
    + REPLY.encode()
)


class Delayed(asyncio.Protocol):
    """Reads just enough HTTP to know where a request ends."""

    delay_s = 0.05

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.buffer = b""

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        while (end := self.buffer.find(b"\r\n\r\n")) >= 0:
            head = self.buffer[:end].lower()
            place = head.find(b"content-length:")
            length = int(head[place + 15 :].split(b"\r\n", 1)[0]) if place >= 0 else 0
            if len(self.buffer) < end + 4 + length:
                return
            self.buffer = self.buffer[end + 4 + length :]
            asyncio.get_running_loop().call_later(self.delay_s, self._answer)

    def _answer(self) -> None:
        if not self.transport.is_closing():
            self.transport.write(WHOLE)


async def main(port: int, delay_s: float) -> None:
    Delayed.delay_s = delay_s
    server = await asyncio.get_running_loop().create_server(Delayed, "127.0.0.1", port, backlog=4096)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), float(sys.argv[2])))
