"""`moot run --estimate`: calls, tokens and money, said beforehand."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from moot.report.terminal import money
from moot.run.build import Experiment
from moot.run.estimate import RunEstimate, estimate


async def print_estimate(experiment: Experiment) -> int:
    show_estimate(await estimate_with_store(experiment), Console())
    return 0


async def estimate_with_store(experiment: Experiment) -> RunEstimate:
    """What the store holds already is not paid again; a store that is not there yet is not made."""
    store = experiment.store()
    if not await store.exists():
        return await estimate(experiment, None)
    await store.open()
    try:
        return await estimate(experiment, store)
    finally:
        await store.close()


def show_estimate(taken: RunEstimate, console: Console) -> None:
    table = Table(title=f"{taken.episodes:,} episodes, estimated from {taken.sampled} questions", title_justify="left")
    for name in ("model", "new calls", "in the store", "prompt tokens", "completion tokens", "cost", "at most"):
        table.add_column(name, justify="left" if name == "model" else "right")
    for name, each in taken.models.items():
        numbers = (each.calls, each.stored, each.prompt_tokens, each.completion_tokens)
        at_most = "unbounded" if each.most_usd is None else money(each.most_usd)
        table.add_row(name, *(f"{number:,.0f}" for number in numbers), money(each.cost_usd), at_most)
    console.print(table)
    most = "unbounded: set max_tokens and a price" if taken.most_usd is None else f"at most {money(taken.most_usd)}"
    console.print(f"Together {money(taken.cost_usd)} ({most}), if nothing has to be asked twice.")
    if taken.guessed and taken.cost_usd != 0:
        console.print(
            "How long replies are and how much they agree is a guess; after a run with --limit 20 it is known."
        )
