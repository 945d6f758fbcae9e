"""The calls of one question as they come, for somebody who watches."""

from __future__ import annotations

from collections.abc import Callable

from moot.types import Call


class Journal(list[Call]):
    """The calls of one question, each announced as it is written down."""

    def __init__(self, heard: Callable[[Call], None]) -> None:
        super().__init__()
        self._heard = heard

    def append(self, call: Call) -> None:
        super().append(call)
        self._heard(call)
