"""What a worker of a server has in common with the others, as its application sees it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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

    async def others_keep(self) -> bool:
        """Whether all others answer, and keep what they answer."""
        try:
            return all(await self.line.of_others(KEEPS))
        except MootError:
            return False

    async def figures_of_others(self) -> Sequence[Sequence[WorkerFigure]]:
        return await self.line.of_others("figures")
