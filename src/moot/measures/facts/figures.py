"""The run's facts that are needed to play it again: what each run says of itself, and which prompts were used."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from moot.measures.cells import Stored
from moot.measures.columns import Figures, count
from moot.measures.numbers import money
from moot.measures.played_back import played_back_words
from moot.measures.section import Column, Section
from moot.measures.source import Source
from moot.models.stream_way import NOT_COUNTED_STREAMS
from moot.store import queries
from moot.store.rows import facts_of
from moot.types import digest

Row = dict[str, Any]

PLAN_SIGNS = 8
"""Of the id of a plan, where one is named to be asked for."""
LENGTH = 12
"""Of a hash: enough to tell any two wordings apart, few enough to be compared by eye."""


def facts_figures(source: Source) -> Row:
    """How each run went, which prompts were used, and which other plans have the same name."""
    runs = queries.runs_of(source.connection, source.ident)
    facts: Row = {
        "runs": [{"state": run["state"], **facts_of(run)} for run in runs],
        "prompts": prompt_rows(source.cells),
    }
    named = queries.experiments_named(source.connection, source.name)
    if others := [{"questions": plan["size"], "id": plan["id"]} for plan in named if plan["id"] != source.ident]:
        facts["other_plans"] = others
    return facts


def other_plans_words(figures: Figures) -> str | None:
    """That there are others, and how to see the largest of them."""
    if not (others := figures.get("other_plans")):
        return None
    largest = max(others, key=lambda plan: int(plan["questions"]))
    questions = count(largest["questions"], "question")
    which = f"another plan of this name, of {questions}"
    if len(others) > 1:
        which = f"{count(len(others), 'other plan')} of this name, up to {questions}"
    whose = "" if largest.get("of_file", True) else ", not of this file as it is now"
    return f"Not shown: {which} (--plan {largest['id'][:PLAN_SIGNS]}){whose}."


def prompt_rows(cells: Sequence[Stored]) -> list[Row]:
    """A row for each template that was used: the hash of its words, and the strategies that used it."""
    users: dict[tuple[str, str], list[str]] = defaultdict(list)
    for cell in cells:
        for template, prompt_hash in json.loads(cell["spec"]).get("prompts", {}).items():
            strategies = users[template, prompt_hash]
            if cell["strategy"] not in strategies:
                strategies.append(cell["strategy"])
    return [
        {"template": template, "hash": prompt_hash, "strategies": strategies}
        for (template, prompt_hash), strategies in sorted(users.items())
    ]


def prompts_digest(rows: Sequence[Mapping[str, Any]]) -> str:
    """One word for all of them: equal in two reports if every template is."""
    return digest([[row["template"], row["hash"]] for row in rows])[:LENGTH]


def prompts_remark(rows: Sequence[Mapping[str, Any]]) -> str:
    """For where there is room for one line."""
    return f"Prompts {prompts_digest(rows)}: {len(rows)} templates, the hash of each on the page and in the tables."


def facts_sections(figures: Figures) -> Iterator[Section]:
    yield _runs(figures)
    if rows := figures.get("prompts"):
        yield _prompts(rows)


def _runs(figures: Figures) -> Section:
    rows = [{"number": number, **run} for number, run in enumerate(figures.get("runs", ()), start=1)]
    keys = dict.fromkeys(key for row in rows for key, value in row.items() if not isinstance(value, dict | list))
    columns = tuple(Column(key, key.replace("_", " ")) for key in keys)
    words = (
        f"What the experiment has paid, each call once: {_paid(figures)}.",
        *_overbilled(rows),
        *_exceeded(rows),
        *_undeclared(rows),
        *_without_drafts(rows),
        *_not_applied(rows),
    )
    return Section("runs", "The run's facts", words, columns, rows, place=950)


def _paid(figures: Figures) -> str:
    bill = figures.get("bill_usd")
    paid = money(bill) if bill else "nothing"
    if bill is None:
        known = unknown_cost_words(figures.get("costs_known")).removeprefix("cost unknown").strip()
        paid = " ".join(filter(None, ("not known", known))) + f": {_why_unknown(figures)}"
    paid += played_back_words(figures)
    if unknown := figures.get("losses_unknown"):
        calls, known = count(unknown, "call"), _known_beside(figures, whose_losses(bill))
        return (
            paid + known
            if bill is None
            else f"{paid}{known}, and more that nobody knows, for {calls} without a reply or a price"
        )
    losses = figures.get("losses_usd")
    return f"{paid}, and at most {money(losses)} more, for calls {whose_losses(bill)}" if losses else paid


def unknown_cost_words(known: Mapping[str, Any] | None) -> str:
    """Of a bill that is not known: what the calls came to that say it is no bill, and no less than that was paid. `known`: of how
    many that is; None: of none."""
    if not known or not known["known"]:
        return "cost unknown"
    least = f"at least {money(known['at_least_usd'])}: " if known["at_least_usd"] else ""
    return f"cost unknown ({least}known for {known['known']:,} of {count(known['calls'], 'call')})"


def losses_words(bill_usd: float | None, losses: Figures, whose: str | None = None) -> str:
    """What stands behind a bill where that is told; nothing where nothing was lost. `whose`: of which calls."""
    whose = whose_losses(bill_usd) if whose is None else whose
    if unknown := losses.get("losses_unknown"):  # there is no most; and of a bill that is not known no more can be told
        known = _known_beside(losses, whose)
        return (
            known if bill_usd is None else f"{known}, and more that nobody knows for {count(unknown, 'call')} {whose}"
        )
    return f", at most {money(losses['losses_usd'])} more for calls {whose}" if losses.get("losses_usd") else ""


def _known_beside(losses: Figures, whose: str) -> str:
    """Of calls of which some have no price what the others came to: with a question its words are forgotten, and not its cost."""
    known_usd = losses.get("losses_known_usd")
    return f", up to {money(known_usd)} more for other calls {whose}" if known_usd else ""


LOST_OR_UNDER_WAY = "under way or without a reply"
"""Which those are while a run goes on."""
LOST_OR_NOT_KEPT = "without a reply or not kept"
"""Which those are that nobody planned: of what is forgotten, or never was kept, the sum stays in the books."""


def whose_losses(bill_usd: float | None) -> str:
    """What more may be on the bill is for such calls, be it that they were cut off, cancelled or answered with an error. Of a
    bill that is not known also for those that nobody counted."""
    return "without a reply or not counted" if bill_usd is None else "without a reply"


def _why_unknown(figures: Figures) -> str:
    """A call has no cost where its model has no price, and where its server did not count."""
    told = [(model, words) for run in figures.get("runs", ()) for model, words in run.get("not_applied", {}).items()]
    streamed = dict.fromkeys(model for model, words in told if any(NOT_COUNTED_STREAMS in each for each in words))
    if not streamed:
        return "a price or token count is missing"
    servers = "its server does" if len(streamed) == 1 else "their servers do"
    return f"of {', '.join(streamed)} {servers} not count the tokens of streams"


def losses_remark(figures: Figures) -> str | None:
    """For where there is room for one line, since a row that tells no cost may as well be free; None: nothing was lost, and what
    was paid is known."""
    lost = figures.get("losses_usd") or figures.get("losses_unknown")
    return f"Paid: {_paid(figures)}." if lost or figures.get("bill_usd", 0.0) is None else None


def paid_remark(figures: Figures) -> list[str]:
    """For where no row tells a cost: what was paid, unless it is known that nothing was."""
    lost = figures.get("losses_usd") or figures.get("losses_unknown")
    return [f"Paid: {_paid(figures)}."] if lost or figures.get("bill_usd", 0.0) != 0.0 else []


def _overbilled(runs: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Whoever did not keep to what it was allowed."""
    for run in runs:
        for model, over in run.get("overbilled", {}).items():
            yield (
                f"In run {run['number']} {model} billed more than its calls could cost, {over['calls']} times and "
                f"{money(over['over_usd'])} over; it is counted as billed."
            )


def _exceeded(runs: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Whoever did not keep to the calls that it declared."""
    for run in runs:
        for label, bound in run.get("exceeded", {}).items():
            yield (
                f"In run {run['number']} {label} made up to {bound['made']} calls a question, in {bound['episodes']} "
                f"episodes more than the {bound['declared']} that it declares; every figure stands, an estimate does not."
            )


def _undeclared(runs: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Whoever asks in words that are no part of what its results are kept under."""
    for run in runs:
        for label, names in run.get("undeclared_prompts", {}).items():
            yield (
                f"In run {run['number']} {label} used prompts that its traits do not name: {', '.join(names)}; with another"
                " wording of these it would pass for the same experiment."
            )


def _without_drafts(runs: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Whoever promises drafts and leaves none, so that its players are in no figure."""
    for run in runs:
        for label, episodes in run.get("missing_drafts", {}).items():
            yield (
                f"In run {run['number']} {label} left no drafts in {episodes} episodes, although its traits promise them;"
                " its players are not measured by these."
            )


def _prompts(rows: Sequence[Mapping[str, Any]]) -> Section:
    table_rows = [{**row, "strategies": ", ".join(row["strategies"])} for row in rows]
    columns = (Column("template", "template"), Column("hash", "hash"), Column("strategies", "used by"))
    words = (f"All of them together: {prompts_digest(rows)}. Two runs with the same were asked in the same words.",)
    return Section("prompts", "The prompts' hashes", words, columns, table_rows, place=951)


def _not_applied(runs: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Whose server did not take what was to be sent."""
    for run in runs:
        for model, said in run.get("not_applied", {}).items():
            for words in said:
                yield f"In run {run['number']} of {model}: {words}."
