"""`moot run --estimate`: calls, tokens and money, said beforehand."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import TypeVar

from rich.table import Table

from moot.cli.console import Console
from moot.cli.safe_text import say
from moot.engine.trial_play import try_out
from moot.estimate.duration import TOKENS_A_SECOND, Duration
from moot.estimate.estimate import RunEstimate, estimate
from moot.experiment.plan import Plan
from moot.measures import needs
from moot.measures.numbers import money_alike
from moot.report.names import short_names, ways_of
from moot.stats.counted_words import count

T = TypeVar("T")
GRADING = "judges, matches"
"""What is asked for no strategy: whether an answer is right, and who said the same as whom."""


async def print_estimate(experiment: Plan) -> int:
    for warning in await try_out(experiment):
        say(f"moot: {warning}", file=sys.stderr)
    show_estimate(await estimate_with_store(experiment), Console(), experiment)
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


TRIAL = 20
"""Questions of a first run, whose bill foretells the rest."""

MOST_ROWS = 10
"""Of models, and of strategies: what is left over is told in one row."""


def show_estimate(taken: RunEstimate, console: Console, experiment: Plan | None = None) -> None:
    """`experiment`: whose budget it is held against, and whose strategies are told apart by what differs."""
    budget_usd = None if experiment is None else experiment.spec.budget_usd
    console.print(f"{taken.episodes:,} episodes, estimated from {taken.sampled} questions")
    console.print(_models(taken))
    if len(taken.strategies) > 1:
        console.print(_strategies(taken, {} if experiment is None else _short_names(experiment)))
    if len(taken.strategies) > 2:
        console.print("What strategies share counts with the first that needs it.", style="dim")
    cost, at_most, budget = money_alike([taken.cost_usd, taken.most_usd, budget_usd])
    most = f"at most {at_most}" if taken.most_usd is not None else f"unbounded: {_unbounded_by(taken)}"
    cap = "" if budget_usd is None else f"; never more than {budget} (budget_usd)"
    console.print(f"Together {cost} ({most}), if nothing has to be asked twice{cap}.", markup=False)
    if taken.duration is not None:
        console.print(_how_long(taken.duration))
    if taken.cost_usd != 0:
        console.print(_how_sure(taken))
    for label, cause in taken.broken.items():
        console.print(f"What {label} would ask is not in these numbers, since it failed: {cause}", markup=False)
    if budget_usd is not None and taken.cost_usd and taken.spent_usd + taken.cost_usd > budget_usd:
        budget, before = money_alike([budget_usd, taken.spent_usd])
        spent = f", of which {before} is spent" if taken.spent_usd else ""
        console.print(f"The budget of {budget}{spent} would stop it before its end.")


def _table(first: str, *others: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1), expand=False)
    table.add_column(first, no_wrap=True, overflow="ellipsis", max_width=44)
    for name in others:
        table.add_column(name, justify="right", no_wrap=True, min_width=len(name))
    return table


def _models(taken: RunEstimate) -> Table:
    stored = any(model.stored for model in taken.models.values())
    table = _table("model", "new calls", *(["stored"] if stored else []), "tokens in", "out", "cost", "at most")
    asked = {name: model for name, model in taken.models.items() if model.calls or model.stored}
    rows = list(_rows(asked, lambda model: model.calls))
    sums = iter(money_alike(usd for _, model in rows for usd in (model.cost_usd, model.most_usd)))
    for (name, model), cost, most in zip(rows, sums, sums, strict=True):
        counts = [_count(model.calls), *([_count(model.stored)] if stored else [])]
        tokens = [_count(model.prompt_tokens), _count(model.completion_tokens)]
        table.add_row(name, *counts, *tokens, cost, "unbounded" if model.most_usd is None else most)
    if others := _others(asked, lambda model: model.calls):
        table.add_row(f"{len(others)} more", _count(sum(model.calls for model in others)))
    return table


def _strategies(taken: RunEstimate, names: Mapping[str, str]) -> Table:
    """In the order of the file, since what strategies share stands with the first that needs it."""
    table = _table("strategy", "new calls", "tokens", "cost")
    asked = {label or GRADING: asked for label, asked in taken.strategies.items() if label or asked.calls}
    rows = list(_rows(asked, lambda asks: asks.calls))
    for (label, asks), cost in zip(rows, money_alike(asks.cost_usd for _, asks in rows), strict=True):
        table.add_row(names.get(label, label), _count(asks.calls), _count(asks.tokens), cost)
    if others := _others(asked, lambda asks: asks.calls):
        table.add_row(f"{len(others)} more", _count(sum(asks.calls for asks in others)))
    return table


def _short_names(experiment: Plan) -> Mapping[str, str]:
    cells = experiment.cells
    rows = [{"label": cell.label, "strategy": cell.strategy.name, "options": cell.options["given"]} for cell in cells]
    return short_names(ways_of(rows))


def _rows(asked: Mapping[str, T], calls: Callable[[T], float]) -> list[tuple[str, T]]:
    """Those with most calls, in the order of the file."""
    shown = sorted(asked, key=lambda name: -calls(asked[name]))[
        : len(asked) if len(asked) <= MOST_ROWS else MOST_ROWS - 1
    ]
    return [(name, estimate) for name, estimate in asked.items() if name in shown]


def _others(asked: Mapping[str, T], calls: Callable[[T], float]) -> list[T]:
    shown = {name for name, _ in _rows(asked, calls)}
    return [estimate for name, estimate in asked.items() if name not in shown]


def _count(number: float) -> str:
    """Four digits at most are told one by one: nobody foretells more."""
    if number < 9_999.5:
        return f"{number:,.0f}"
    return f"{number / 1e3:,.0f}k" if number < 9_999_500 else f"{number / 1e6:,.0f}M"


def _how_long(duration: Duration) -> str:
    who = ", ".join(duration.models) if len(duration.models) <= 3 else f"{len(duration.models)} models on one endpoint"
    reply = ""
    if duration.reply_s is not None:
        known = "as stored" if duration.known else f"taken as {TOKENS_A_SECOND:.0f} tokens a second"
        reply = f", a reply in {_time(duration.reply_s)} ({known})"
    return f"It takes {_time(duration.seconds)} or more, by the limits of {who}: {duration.held_by}{reply}."


def _time(seconds: float) -> str:
    """In the two largest units that matter."""
    minutes = round(seconds / 60)
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    if minutes < 90:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours < 48 else f"{hours / 24:,.1f} days"


def _how_sure(taken: RunEstimate) -> str:
    """Who spoke for the models, and how far off the sum may be."""
    priced = taken.cost_usd is not None
    low, high = (taken.cost_range if priced else taken.calls_range).ends
    least, most = money_alike([low, high]) if priced else (_calls(low), _calls(high))
    between = f"between {least} and {most}"
    if taken.sure == "played":
        close = between if low != high else "on every question"
        return f"The models were asked themselves, which costs nothing: {close}."
    if taken.sure == "learned":
        more = taken.examples_needed
        after = f" After a run with --limit {more} it would be known to a fifth." if more is not None else ""
        return f"As the {taken.examples} questions went that are stored: {between}.{after}"
    bound = "without a bound" if high is None else most
    undeclared = f" ({', '.join(taken.undeclared)} declares none)" if high is None and taken.undeclared else ""
    beyond = ""
    if taken.beyond_calls >= 1:
        counted = "no figure here has them" if taken.most_usd is None else 'only the sum\'s "at most" has them'
        beyond = (
            f" Strategies may make up to {taken.beyond_calls:,.0f} calls more, which no question tried took; {counted}."
        )
    guess = f"What {', '.join(taken.guessed)} will say is a guess"
    if bound == least:
        return f"{guess}; whatever it is, it takes {bound}.{beyond}{_trial_run(taken)}"
    return (
        f"{guess}: {least} if replies are short and all agree,"
        f" {'and ' if high is None else ''}{bound}{undeclared} if they are long and nobody does.{beyond}{_trial_run(taken)}"
    )


def _trial_run(taken: RunEstimate) -> str:
    """What would make it known; nothing where a trial would be the whole run."""
    return f" After a run with --limit {TRIAL} it is known." if taken.questions > TRIAL else ""


def _unbounded_by(taken: RunEstimate) -> str:
    if taken.broken:
        return f"{', '.join(taken.broken)} failed"
    if taken.undeclared:
        declare = "declares" if len(taken.undeclared) == 1 else "declare"
        return f"{', '.join(taken.undeclared)} {declare} no bound of calls"
    missing = [f"{', '.join(names)}: no {key}" for key, names in taken.without.items() if names]
    return "; ".join(missing)


def _calls(number: float | None) -> str:
    return count(round(number or 0), "call")
