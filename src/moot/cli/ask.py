"""`moot ask`: one question, one team, watched live."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

from rich.live import Live

from moot.cli.console import Console
from moot.cli.safe_text import print_json, say
from moot.cli.watched import Watched
from moot.engine.chain import chain, limiters, purse_of
from moot.engine.trial_play import try_out
from moot.errors import UsageError
from moot.experiment.build import build
from moot.experiment.embedded_team import embedded_team
from moot.experiment.learning import refuse_learners
from moot.experiment.part_of_file import with_other_play
from moot.experiment.plan import Plan
from moot.experiment.spec import read_experiment
from moot.store.calls import ExperimentCalls
from moot.store.sqlite import SqliteStore
from moot.strategies import strategy as strategy_named
from moot.strategies import traits_of
from moot.types import Question


def ask_command(text: str, *, team: Path | None, strategy: str | None, choices: list[str], as_json: bool) -> int:
    file = read_experiment(team, with_questions=False) if team else embedded_team()
    if strategy is not None:
        # The players' own answers are shown beside what the team makes of them; they are the same drafts.
        alone = traits_of(strategy_named(strategy)).alone
        strategies = [strategy] if alone else ["solo", strategy]
        file = with_other_play(file, strategies=strategies)
    if not text.strip():
        raise UsageError("expected a question that is not empty")
    if len(choices) == 1 or len(choices) > 26:
        raise UsageError(f"expected 2 to 26 choices, found {len(choices)}")
    experiment = build(with_other_play(file, questions=None))
    refuse_learners(experiment)
    kind: Any = "choice" if choices else "open"
    question = Question("asked", text, choices=tuple(choices), language=file.spec.language, kind=kind)
    return asyncio.run(_ask(experiment, question, as_json=as_json, keep=file.spec.store is not None))


async def _ask(experiment: Plan, question: Question, *, as_json: bool, keep: bool) -> int:
    for warning in await try_out(experiment):
        say(f"moot: {warning}", file=sys.stderr)
    store = experiment.store() if keep else SqliteStore(None)
    await store.open()
    calls = ExperimentCalls(store, experiment.name)
    purse = await purse_of(store, experiment.name, experiment.spec.budget_usd, experiment.models)
    models = chain(experiment.models, limiters(experiment.models), calls, purse)
    table = Watched(experiment.with_models(models).cells, calls)
    try:
        if as_json:
            await table.play(question)
            print_json(table.json(question, calls))
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
