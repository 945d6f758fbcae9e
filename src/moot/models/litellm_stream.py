"""LiteLLM's own stream of chunks, and what came where the server took no notice that one was asked for.

Its readers look for events, pass over the lines of a whole reply, and make up an end of their own: whoever hears nothing would
ask again, and pay again. So what comes is kept as it came until the first word is heard.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from moot.models import border
from moot.models.stream import StreamSoFar


class LitellmStream:
    """One stream, told to `heard`."""

    def __init__(self, response: Any, heard: StreamSoFar) -> None:
        self._response = response
        self._heard = heard
        self._kept: list[bytes] = []
        self._may_be_whole = True
        source = getattr(response, "completion_stream", None)
        sent, lines = getattr(source, "response", None), getattr(source, "streaming_response", None)
        # Where they are read from, of a client of OpenAI's and of LiteLLM's own. Of others nothing is kept.
        if callable(read := getattr(sent, "aiter_bytes", None)):
            sent.aiter_bytes = lambda *args, **options: self._keeping(read(*args, **options))  # type: ignore[union-attr]
        elif hasattr(lines, "__aiter__"):
            source.streaming_response = self._keeping(lines, between=b"\n")  # type: ignore[union-attr]

    @property
    def whole(self) -> bytes | None:
        """What came in place of a stream; None where words were heard, or nothing came that could be one."""
        return (b"".join(self._kept) or None) if not self._heard.size else None

    async def hear(self) -> None:
        """To its end. Where the provider sent no end or no count LiteLLM makes one up, as for a stream that was cut: what came is
        asked for instead, also of one that was not heard to its end."""
        heard, response = self._heard, self._response
        try:
            async for chunk in response:
                heard.take(chunk.model_dump(warnings=False), 0)
                if heard.untold:
                    await heard.tell_untold()
        finally:
            heard.finish = border.uncut_name(getattr(response, "received_finish_reason", heard.finish))
            came = getattr(response, "chunks", None)
            if isinstance(came, list):
                counts = [usage for chunk in came if (usage := getattr(chunk, "usage", None)) is not None]
                heard.usage = counts[-1].model_dump(warnings=False) if counts else None

    async def _keeping(self, came: Any, *, between: bytes = b"") -> AsyncIterator[Any]:
        try:
            async for piece in came:
                self._keep(piece if isinstance(piece, bytes) else str(piece).encode("utf-8", "replace"), between)
                yield piece
        finally:
            if hasattr(came, "aclose"):
                await came.aclose()

    def _keep(self, piece: bytes, between: bytes) -> None:
        if not self._kept and not (piece := piece.lstrip()):
            return
        begins = self._kept[0][:1] if self._kept else piece[:1]
        self._may_be_whole = self._may_be_whole and not self._heard.size and begins in (b"{", b"[")
        if self._may_be_whole:
            self._kept.append(piece + between)
        else:
            self._kept.clear()
