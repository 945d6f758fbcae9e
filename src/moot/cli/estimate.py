"""`moot run --estimate`: calls, tokens and money, said beforehand."""

from __future__ import annotations

import sys

from rich.table import Table

from moot.cli.console import Console
from moot.cli.safe_text import say
from moot.engine.trial_play import try_out
from moot.estimate.estimate import RunEstimate, estimate
from moot.experiment.plan import Plan
from moot.measures import needs
from moot.measures.numbers import money


async def print_estimate(experiment: Plan) -> int:
    for warning in await try_out(experiment):
        say(f"moot: {warning}", file=sys.stderr)
    show_estimate(await estimate_with_store(experiment), Console(), experiment.spec.budget_usd)
    return 0


async def estimate_with_store(experiment: Plan) -> RunEstimate:
    """What the store holds already is not paid again; a store that is not there yet is not made."""
    store = experiment.store()
    if not await store.exists():
        return await estimate(experiment, None, needs())
    await store.open()
    try:
        return await estimate(experiment, store, needs())
    finally:
        await store.close()


def show_estimate(taken: RunEstimate, console: Console, budget_usd: float | None = None) -> None:
    table = Table(title=f"{taken.episodes:,} episodes, estimated from {taken.sampled} questions", title_justify="left")
    for name in ("model", "new calls", "in the store", "prompt tokens", "completion tokens", "cost", "at most"):
        table.add_column(name, justify="left" if name == "model" else "right")
    for name, model in taken.models.items():
        numbers = (model.calls, model.stored, model.prompt_tokens, model.completion_tokens)
        at_most = "unbounded" if model.most_usd is None else money(model.most_usd)
        table.add_row(name, *(f"{number:,.0f}" for number in numbers), money(model.cost_usd), at_most)
    console.print(table)
    most = f"at most {money(taken.most_usd)}" if taken.most_usd is not None else f"unbounded: {_unbounded_by(taken)}"
    console.print(f"Together {money(taken.cost_usd)} ({most}), if nothing has to be asked twice.")
    if taken.cost_usd != 0:
        console.print(_how_sure(taken))
    for label, cause in taken.broken.items():
        console.print(f"What {label} would ask is not in these numbers, since it failed: {cause}", markup=False)
    if budget_usd is not None and taken.cost_usd and taken.spent_usd + taken.cost_usd > budget_usd:
        spent = f", of which {money(taken.spent_usd)} is spent" if taken.spent_usd else ""
        console.print(f"The budget of {money(budget_usd)}{spent} would stop it before its end.")


def _how_sure(taken: RunEstimate) -> str:
    """Who spoke for the models, and how far off the sum may be."""
    priced = taken.cost_usd is not None
    low, high = (taken.cost_range if priced else taken.calls_range).ends
    amount = money if priced else _calls
    between = f"between {amount(low)} and {amount(high)}"
    if taken.sure == "played":
        close = between if low != high else "on every question"
        return f"The models were asked themselves, which costs nothing: {close}."
    if taken.sure == "learned":
        more = taken.examples_needed
        after = f" After a run with --limit {more} it would be known to a fifth." if more is not None else ""
        return f"As the {taken.examples} questions went that are stored: {between}.{after}"
    unbounded = f"{', '.join(taken.undeclared)} declares no bound" if taken.undeclared else "nothing bounds a reply"
    end = f"without end, since {unbounded}" if high is None else amount(high)
    beyond = ""
    if taken.beyond_calls >= 1:
        declared = f" Up to {taken.beyond_calls:,.0f} calls more are what strategies declare as their most and nothing tried took"
        most = "" if taken.most_usd is None else "in the sum's most, and "
        beyond = f"{declared}; they are {most}in no row."
    return (
        f"How long replies of {', '.join(taken.guessed)} are and how much they agree is a guess: from {amount(low)}, if "
        f"all agree in few words, to {end}, if nobody does, at full length.{beyond} After a run with --limit 20 it is known."
    )


def _unbounded_by(taken: RunEstimate) -> str:
    if taken.broken:
        return f"{', '.join(taken.broken)} failed"
    if taken.undeclared:
        return f"{', '.join(taken.undeclared)} declares no bound of calls"
    return "set max_tokens and a price"


def _calls(number: float | None) -> str:
    return f"{number or 0:,.0f} calls"
