"""`moot run --estimate`: calls, tokens and money, said beforehand."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from rich.table import Table
from rich.text import Text

from moot.cli.console import Console
from moot.cli.said_once import not_said_yet, say_warnings
from moot.engine.garbage import spare_collector
from moot.engine.trial_play import try_out
from moot.estimate.by_strategy import StrategyEstimate
from moot.estimate.counting_model import ModelEstimate
from moot.estimate.duration import TOKENS_A_SECOND, Duration
from moot.estimate.estimate import NOTHING_HEARD, RunEstimate, estimate
from moot.experiment.build import build
from moot.experiment.plan import Plan
from moot.experiment.spec import read_experiment
from moot.measures import needs
from moot.measures.numbers import money, money_alike
from moot.report.names import short_names, ways_of
from moot.stats.counted_words import count
from moot.store import from_here
from moot.store.store import Store

T = TypeVar("T")
GRADING = "judges, matches"
"""What is asked for no strategy: whether an answer is right, and who said the same as whom."""


def estimate_command(path: Path, *, store: str | None, limit: int | None, budget_usd: float | None, every: bool) -> int:
    """Nothing of a run is loaded for it."""
    file = read_experiment(path).with_budget(budget_usd)
    experiment = build(file, limit=limit, store_url=from_here(store) if store else None, asked=False)
    spare_collector()
    return asyncio.run(print_estimate(experiment, every=every))


async def print_estimate(experiment: Plan, *, every: bool = False) -> int:
    """`every`: all rows, on however many screens."""
    tried = await try_out(experiment)
    async with store_if_any(experiment) as store:
        warned = say_warnings([*await not_said_yet(experiment, store), *tried])
        taken = await estimate(experiment, store, needs(), NOTHING_HEARD)
    console = Console()
    room = None if every else MOST_LINES - sum(_lines(warning, console) for warning in warned)
    show_estimate(taken, console, experiment, most_lines=room)
    return 0


@asynccontextmanager
async def store_if_any(experiment: Plan) -> AsyncIterator[Store | None]:
    """Its store, open: what that holds already is not paid again. None: it is not there yet, and is not made."""
    store = experiment.store().needed("there is no store yet")
    if not await store.exists():
        yield None
        return
    await store.open()
    try:
        yield store
    finally:
        await store.close()


MOST_NAMED = 4
TRIAL = 20
"""Questions of a first run, whose bill foretells the rest."""

MOST_LINES = 24
"""Of a screen. Tables give way to the sentences below them, which say what is to be known."""
FEWEST_ROWS = 3
MOST_ROWS = 10
"""Of models, and of strategies: what is left over is told in one row."""
SHARED = "Calls shared by several strategies count under the first that needs them."


@dataclass(frozen=True, slots=True)
class _Rows:
    """How many rows each table may have; none where there is no room for it."""

    models: int
    strategies: int


def show_estimate(
    taken: RunEstimate, console: Console, experiment: Plan | None = None, *, most_lines: int | None = MOST_LINES
) -> None:
    """`experiment`: whose budget it is held against, and whose strategies are told apart by what differs. `most_lines`: None
    tells all of it."""
    sentences = list(_sentences(taken, None if experiment is None else experiment.spec.budget_usd))
    models = len([model for model in taken.models.values() if model.calls or model.stored])
    strategies = len([label for label, asks in taken.strategies.items() if label or asks.calls])
    rows = _Rows(models, strategies)
    if most_lines is not None:
        below = sum(_lines(sentence, console) for sentence in sentences)
        rows = _fitting(most_lines - 1 - below, min(models, MOST_ROWS), min(strategies, MOST_ROWS))
    console.print(f"{taken.episodes:,} episodes, estimated from {taken.sampled} questions")
    if rows.models:
        console.print(_models(taken, rows.models))
    if len(taken.strategies) > 1 and rows.strategies:
        console.print(_strategies(taken, {} if experiment is None else _short_names(experiment), rows.strategies))
    if len(taken.strategies) > 2 and rows.strategies:
        console.print(SHARED, style="dim")
    for sentence in sentences:
        console.print(sentence, markup=False)


def _fitting(room: int, models: int, strategies: int) -> _Rows:
    """In so many lines, headers and the word below them counted; the longer table gives way first."""
    told = 2 if strategies > 1 else 0
    while models + 1 + strategies + told > room and max(models, strategies) > FEWEST_ROWS:
        models, strategies = (models - 1, strategies) if models > strategies else (models, strategies - 1)
    if models + 1 + strategies + told <= room:
        return _Rows(models, strategies)
    return _Rows(models, 0) if models + 1 <= room else _Rows(0, 0)


def _lines(sentence: str, console: Console) -> int:
    return len(Text(sentence).wrap(console, console.width))


def _sentences(taken: RunEstimate, budget_usd: float | None) -> Iterator[str]:
    cost, at_most, budget = money_alike([taken.cost_usd, taken.most_usd, budget_usd])
    most = f"at most {at_most}" if taken.most_usd is not None else f"unbounded: {_unbounded_by(taken)}"
    cap = "" if budget_usd is None else f"; never more than {budget} (budget_usd)"
    if taken.recorded:
        yield _as_reported(taken)
    whole = "To be paid now:" if taken.recorded else "In total"
    yield f"{whole} {cost} ({most}), if no call has to be repeated{cap}."
    if taken.duration is not None:
        yield _how_long(taken.duration)
    if taken.untimed:
        beside = "in addition " if taken.duration is not None else ""
        yield (
            f"How long {', '.join(taken.untimed)} will take {beside}is not known: no reply on this machine is stored;"
            " moot doctor measures one."
        )
    if taken.cost_usd != 0:
        yield _how_sure(taken)
    for label, cause in taken.broken.items():
        yield f"These numbers leave out {label}, which failed when tried: {cause}"
    if budget_usd is not None and taken.cost_usd and taken.spent_usd + taken.cost_usd > budget_usd:
        budget, before = money_alike([budget_usd, taken.spent_usd])
        spent = f", of which {before} is already spent" if taken.spent_usd else ""
        yield f"The budget of {budget}{spent} would stop the run before its end."


def _as_reported(taken: RunEstimate) -> str:
    """What a recording does not say is unknown in the report too: that nothing is paid for it now makes it no gift."""
    if not (silent := taken.silent_on_cost):
        return f"In total {money(taken.reported_usd)}, with what recorded replies cost when they were made."
    return f"In total cost unknown: not every recorded reply of {_named(silent)} says what it cost when it was made."


def _table(first: str, *others: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1), expand=False)
    table.add_column(first, no_wrap=True, overflow="ellipsis", max_width=44)
    for name in others:
        table.add_column(name, justify="right", no_wrap=True, min_width=len(name))
    return table


def _models(taken: RunEstimate, most_rows: int) -> Table:
    stored = any(model.stored for model in taken.models.values())
    table = _table("model", "new calls", *(["stored"] if stored else []), "tokens in", "out", "cost", "at most")
    asked = {name: model for name, model in taken.models.items() if model.calls or model.stored}
    rows = list(_rows(asked, _weight, most_rows))
    sums = iter(money_alike(usd for _, model in rows for usd in (model.reported_usd, _most(model))))
    for (name, model), cost, most in zip(rows, sums, sums, strict=True):
        counts = [_count(model.calls), *([_count(model.stored)] if stored else [])]
        tokens = [_count(model.prompt_tokens), _count(model.completion_tokens)]
        unbounded = model.most_usd is None and not model.recorded
        table.add_row(name, *counts, *tokens, cost, "unbounded" if unbounded else most)
    if others := _others(asked, _weight, most_rows):
        table.add_row(f"{len(others)} more (--all)", _count(sum(model.calls for model in others)))
    return table


def _most(model: ModelEstimate) -> float | None:
    return model.reported_usd if model.recorded else model.most_usd


def _strategies(taken: RunEstimate, names: Mapping[str, str], most_rows: int) -> Table:
    """In the order of the file, since what strategies share stands with the first that needs it."""
    table = _table("strategy", "new calls", "tokens", "cost")
    asked = {label or GRADING: asked for label, asked in taken.strategies.items() if label or asked.calls}
    rows = list(_rows(asked, _weight, most_rows))
    for (label, asks), cost in zip(rows, money_alike(asks.cost_usd for _, asks in rows), strict=True):
        table.add_row(names.get(label, label), _count(asks.calls), _count(asks.tokens), cost)
    if others := _others(asked, _weight, most_rows):
        table.add_row(f"{len(others)} more (--all)", _count(sum(asks.calls for asks in others)))
    return table


def _short_names(experiment: Plan) -> Mapping[str, str]:
    cells = experiment.cells
    rows = [{"label": cell.label, "strategy": cell.strategy.name, "options": cell.options["given"]} for cell in cells]
    return short_names(ways_of(rows))


def _weight(asked: ModelEstimate | StrategyEstimate) -> tuple[float, float]:
    return asked.cost_usd or 0.0, asked.calls


def _rows(asked: Mapping[str, T], weight: Callable[[T], tuple[float, float]], most: int) -> list[tuple[str, T]]:
    """Those that cost most, or have most calls, in the order of the file."""
    shown = sorted(asked, key=lambda name: weight(asked[name]), reverse=True)[
        : len(asked) if len(asked) <= most else most - 1
    ]
    return [(name, estimate) for name, estimate in asked.items() if name in shown]


def _others(asked: Mapping[str, T], weight: Callable[[T], tuple[float, float]], most: int) -> list[T]:
    shown = {name for name, _ in _rows(asked, weight, most)}
    return [estimate for name, estimate in asked.items() if name not in shown]


def _count(number: float) -> str:
    """Four digits at most are told one by one: nobody foretells more."""
    if number < 9_999.5:
        return f"{number:,.0f}"
    return f"{number / 1e3:,.0f}k" if number < 9_999_500 else f"{number / 1e6:,.0f}M"


def _how_long(duration: Duration) -> str:
    who = ", ".join(duration.models) if len(duration.models) <= 3 else f"{len(duration.models)} models on one endpoint"
    limits = f"given the limits of {who}: {duration.held_by}"
    if duration.reply_s is None:  # nobody can be faster than that
        return f"It takes {_time(duration.seconds)} or more, {limits}."
    reply = f"if a reply takes {_time(duration.reply_s)}"
    known = "as it took before" if duration.known else f"assumed, {TOKENS_A_SECOND:.0f} tokens a second"
    return f"It takes about {_time(duration.seconds)} {reply} ({known}), {limits}."


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
        return f"The models themselves were asked, which costs nothing: {close}."
    if taken.sure == "learned":
        more = taken.examples_needed
        after = f" A run with --limit {more} would pin it down to within a fifth." if more is not None else ""
        return f"Going by {_stored(taken.examples)}: {between}.{after}"
    bound = "unbounded" if high is None else most
    undeclared = f" ({', '.join(taken.undeclared)} declares no limit)" if high is None and taken.undeclared else ""
    beyond = ""
    if taken.beyond_calls >= 1:
        counted = (
            "no figure here includes them" if taken.most_usd is None else 'only the total\'s "at most" includes them'
        )
        beyond = f" Strategies may make up to {taken.beyond_calls:,.0f} more calls than any question tried here took; {counted}."
    guess = f"What {_named(taken.guessed)} will say is a guess"
    if bound == least:
        return f"{guess}; either way it takes {bound}.{beyond}{_trial_run(taken)}"
    return (
        f"{guess}: {least} if replies are short and all agree,"
        f" {'and ' if high is None else ''}{bound}{undeclared} if they are long and all disagree.{beyond}{_trial_run(taken)}"
    )


def _named(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= MOST_NAMED else f"{len(names)} models"


def _trial_run(taken: RunEstimate) -> str:
    """What would make it known; nothing where a trial would be the whole run."""
    return f" A run with --limit {TRIAL} would tell." if taken.questions > TRIAL else ""


def _unbounded_by(taken: RunEstimate) -> str:
    if taken.broken:
        return f"{', '.join(taken.broken)} failed"
    if taken.undeclared:
        declare = "declares" if len(taken.undeclared) == 1 else "declare"
        return f"{', '.join(taken.undeclared)} {declare} no limit on calls"
    missing = [f"{', '.join(names)}: no {key}" for key, names in taken.without.items() if names]
    return "; ".join(missing)


def _calls(number: float | None) -> str:
    return count(round(number or 0), "call")


def _stored(questions: int) -> str:
    return "the one stored question" if questions == 1 else f"the {questions:,} stored questions"
