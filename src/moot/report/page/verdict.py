"""The first screen, in words: what came out, and what to know before believing it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from moot.measures.facts.figures import losses_words, unknown_cost_words
from moot.measures.learnt_in_run import learnt_in_short
from moot.measures.numbers import money, plain
from moot.measures.played_back import played_back_words
from moot.measures.points_words import in_points
from moot.report.nothing_played import all_failed, failure_words, nothing_words
from moot.report.remarks import ungraded_parts
from moot.report.top_row import none_came
from moot.report.whose_figures import whose_words
from moot.stats.counted_words import count
from moot.stats.paired import FEW_QUESTIONS


def verdict(figures: Mapping[str, Any]) -> tuple[str, ...]:
    """The headline and what belongs to it; without one, what the best row reached, called what it is."""
    if words := (figures.get("headline") or {}).get("words"):
        return (words,) if isinstance(words, str) else tuple(words)
    if plays := all_failed(figures):
        return nothing_words(plays), failure_words(figures)
    rows = [row for row in figures["accuracy"] if row["value"] is not None]
    if not figures["questions"]:
        return ("No question has been asked yet.",)
    if not rows and any(row["outcomes"] for row in figures["accuracy"]):
        asked = f"of these {figures['questions']} questions"
        many = f"What points anybody got {asked}" if in_points(figures) else f"How many {asked} anybody got right"
        return (f"{many} is not known yet.",)
    if not rows:
        return (f"Of these {figures['questions']} questions none has been played yet.",)
    best = max(rows, key=lambda row: row["value"])
    who = best.get("player") or best.get("captain")
    named = f"{best['label']}@{who}" if who else best["label"]
    chosen = f"; the best of {len(rows)} rows, picked afterwards" if len(rows) > 1 else ""
    reached = f"got {_share(best)} of the rubric's points" if in_points(figures) else f"was right in {_share(best)}"
    return (f"On these {count(best['n'], 'question')} {named} {reached}{chosen}.",)


def lead(figures: Mapping[str, Any]) -> str:
    """What was run, in figures: the line above the verdict."""
    rows = figures["accuracy"]
    players = len({row["player"] for row in rows if row.get("player")}) or len(figures.get("players", ()))
    strategies = len({row["label"] for row in rows})
    counts = [count(figures["questions"], "question")]
    counts += [count(players, "player")] if players else []
    counts += [count(strategies, "strategy", "strategies")]
    bill = figures.get("bill_usd")
    known = figures.get("costs_known")
    paid = unknown_cost_words(known) if bill is None else money(bill) if bill else "no cost"
    counts.append(f"{paid}{played_back_words(figures)}{losses_words(bill, figures)}")
    return " · ".join(counts)


def warnings(figures: Mapping[str, Any]) -> Iterator[str]:
    yield from whose_words(figures)
    if simulated := figures.get("simulated"):
        yield f"Simulated, not real: {', '.join(simulated)}. No language model said any of this."
    yield from learnt_in_short(figures)
    if all_failed(figures):
        return
    if 0 < figures["questions"] < FEW_QUESTIONS and not (figures.get("headline") or {}).get(
        "words"
    ):  # which says so itself
        yield f"Fewer than {FEW_QUESTIONS} questions: differences this small a sample shows are mostly luck."
    if missing := sum(row.get("missing", 0) for row in figures["accuracy"]):
        yield f"{count(missing, 'episode')} not played yet: the figures are about what there is."
    if ungraded := figures.get("ungraded"):
        parts = "; ".join(ungraded_parts(figures["accuracy"], "moot grade FILE"))
        where = "in no figure" if not figures.get("preferences") else "in no figure but those of preferences"
        yield f"{count(ungraded, 'answer')} not graded, and {where}: {parts}."
    if failed := sum(row["outcomes"].get("failed", 0) for row in figures["accuracy"]):
        nothing = "without points" if in_points(figures) else "not right"
        counted = f"counted as {nothing}"
        if any(none_came(row) for row in figures["accuracy"]):
            counted += ", and where every one did there is no figure"
        yield f"{count(failed, 'episode')} failed: an outage, not a lack of knowledge; {counted}."


def _share(row: Mapping[str, Any]) -> str:
    value = f"{plain(row['value'])} %"
    return value if row["low"] is None else f"{value} ({plain(row['low'])}–{plain(row['high'])})"
