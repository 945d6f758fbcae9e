"""What a worker of a server has in common with the others, as its application sees it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from moot.errors import MootError
from moot.serve.admission import Admission
from moot.serve.figures_of_workers import WorkerFigure
from moot.serve.gate_wire import KEEPS
from moot.serve.worker_line import WorkerLine


@dataclass(frozen=True, slots=True)
class OneOfWorkers:
    """Whatever a client was told by one worker, every other one knows it too."""

    line: WorkerLine
    admission: Admission
    page_token: str | None
    ticket_secret: bytes
    """By which links to reports are known."""

    async def others_health(self) -> Literal["ok", "not keeping", "not answering"]:
        """Of all others, the worst. One that has died does not answer until another has its place; those that are left do."""
        try:
            return "ok" if all(await self.line.of_others(KEEPS)) else "not keeping"
        except MootError:
            return "not answering"

    async def figures_of_others(self) -> Sequence[Sequence[WorkerFigure]]:
        return await self.line.of_others("figures")
