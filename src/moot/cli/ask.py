"""`moot ask`: one question, one team, watched live."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from moot.errors import UsageError
from moot.run.build import Cell, Experiment, build
from moot.run.chain import chain, limiters, purse_of
from moot.run.embedded import embedded_team
from moot.run.experiment import ExperimentFile, read_experiment
from moot.run.play import play
from moot.store.calls import ExperimentCalls
from moot.store.rows import verdict_json
from moot.store.sqlite import SqliteStore
from moot.types import Episode, Question


def ask_command(text: str, *, team: Path | None, strategy: str | None, choices: list[str], as_json: bool) -> int:
    file = read_experiment(team, with_questions=False) if team else embedded_team()
    if strategy is not None:
        # The players' own answers are shown beside what the team makes of them; they are the same drafts.
        shown = [strategy] if strategy == "solo" else ["solo", strategy]
        file = ExperimentFile(file.path, file.spec.model_copy(update={"strategies": shown}), file.places)
    if not text.strip():
        raise UsageError("expected a question that is not empty")
    if len(choices) == 1 or len(choices) > 26:
        raise UsageError(f"expected 2 to 26 choices, found {len(choices)}")
    experiment = build(ExperimentFile(file.path, file.spec.model_copy(update={"questions": None}), file.places))
    kind: Any = "choice" if choices else "open"
    question = Question("asked", text, choices=tuple(choices), language=file.spec.language, kind=kind)
    return asyncio.run(_ask(experiment, question, as_json=as_json, keep=file.spec.store is not None))


async def _ask(experiment: Experiment, question: Question, *, as_json: bool, keep: bool) -> int:
    store = experiment.store() if keep else SqliteStore(None)
    await store.open()
    calls = ExperimentCalls(store, experiment.name)
    purse = await purse_of(store, experiment.name, experiment.spec.budget_usd)
    models = chain(experiment.models, limiters(experiment.models), calls, purse)
    table = Watched(experiment.with_models(models).cells)
    try:
        if as_json:
            await table.play(question)
            print(json.dumps(table.json(question, calls), ensure_ascii=False, indent=1))
        else:
            await _watch(table, question, Console())
    finally:
        for built in experiment.models.values():
            await built.model.close()
        await store.close()
    return 0 if any(episode.verdict.answer is not None for episode in table.episodes.values()) else 1


async def _watch(table: Watched, question: Question, console: Console) -> None:
    """Live on a terminal; where nobody watches, the table once it is whole."""
    if not console.is_terminal:
        await table.play(question)
        console.print(table.view())
        return
    with Live(get_renderable=table.view, console=console, refresh_per_second=8):
        await table.play(question)


class Watched:
    """The episodes of one question as they come in."""

    def __init__(self, cells: tuple[Cell, ...]) -> None:
        self.cells = cells
        self.episodes: dict[str, Episode] = {}
        self._spinner = Spinner("dots", style="dim")

    async def play(self, question: Question) -> None:
        async def one(cell: Cell) -> None:
            self.episodes[cell.id] = await play(cell, question)

        await asyncio.gather(*(one(cell) for cell in self.cells))

    def view(self) -> Table:
        table = Table(show_header=True, header_style="dim", expand=True)
        table.add_column("who", no_wrap=True)
        table.add_column("answer", ratio=1)
        table.add_column("because", ratio=3)
        table.add_column("seconds", justify="right")
        for cell in self.cells:
            episode = self.episodes.get(cell.id)
            if episode is None:
                table.add_row(cell.player or cell.title, self._spinner, "", "")
                continue
            verdict = episode.verdict
            answer = Text(verdict.answer, style="bold") if verdict.answer is not None else Text(verdict.outcome, "red")
            because = Text(verdict.reasoning or verdict.cause or "")
            table.add_row(cell.player or cell.title, answer, because, f"{episode.seconds:.1f}")
        return table

    def json(self, question: Question, calls: ExperimentCalls) -> Mapping[str, Any]:
        return {
            "question": question.text,
            "verdicts": [{"title": cell.title, **verdict_json(self.episodes[cell.id].verdict)} for cell in self.cells],
            "calls": calls.made + calls.found,
            "cost_usd": calls.cost_usd,
        }
