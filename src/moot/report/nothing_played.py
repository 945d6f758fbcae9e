"""A run in which nothing was played, or every play failed, has no table and no verdict: what went wrong is said instead, and
what to type next."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from moot.measures.facts.figures import paid_remark
from moot.pasted import FILE
from moot.report.whose_figures import whose_words


def all_failed(figures: Mapping[str, Any]) -> int:
    """How many plays there were, where every single one failed; else 0."""
    outcomes = [row["outcomes"] for row in figures["accuracy"]]
    if any(outcome != "failed" for row in outcomes for outcome in row):
        return 0
    return sum(row.get("failed", 0) for row in outcomes)


def nothing_words(plays: int) -> str:
    all_plays = f"all {plays:,} plays" if plays != 1 else "the one play"
    return f"Nothing could be played: {all_plays} failed. There are no results."


def instead_of_figures(figures: Mapping[str, Any], file: str = FILE) -> list[str]:
    """What is told of a run that has no figures; nothing where it has some. `file`: as it is pasted into a command."""
    whose, paid = whose_words(figures), paid_remark(figures)
    if plays := all_failed(figures):
        return [*whose, nothing_words(plays), failure_words(figures), *paid, next_words(file)]
    if none_played(figures):
        *words, following = none_played_words(figures, file)
        return [*whose, *words, *paid, following]
    return []


def none_played(figures: Mapping[str, Any]) -> bool:
    """Whether all is still to be played: a run that ended before its first play did."""
    rows = figures["accuracy"]
    return any(row["missing"] for row in rows) and not any(row["outcomes"] for row in rows)


def none_played_words(figures: Mapping[str, Any], file: str = FILE) -> list[str]:
    missing = sum(row["missing"] for row in figures["accuracy"])
    cause = next((run.get("cause") for run in reversed(figures.get("runs", ()))), None)
    return [
        f"None of {missing:,} episodes has been played yet. There are no results.",
        *([ended_early_words(cause)] if cause else []),
        f"Next: moot doctor {file}, then moot run {file}.",
    ]


def ended_early_words(cause: str) -> str:
    return f"The last run ended early: {cause if cause.endswith('?') else cause.rstrip('.') + '.'}"


def failure_words(figures: Mapping[str, Any]) -> str:
    """The failure of a call that happened most often, in its own words; of the others, whose they are and of what kind."""
    failures = sorted(figures["failures"], key=lambda row: -row["times"])
    if not failures:
        return "Why is told with each play: moot show FILE QUESTION_ID."
    first, models = failures[0], dict.fromkeys(row["kind"] for row in failures)
    of = {kind: ", ".join(row["model"] for row in failures if row["kind"] == kind) for kind in models}
    others = "; ".join(f"{of[kind]}: {kind}" for kind in models if kind != first["kind"])
    return f"{of[first['kind']]}: {first['kind']}: {first['message']}{f' Also {others}.' if others else ''}"


def next_words(file: str = FILE) -> str:
    """`file`: as it is pasted into a command."""
    return f"Next: moot doctor {file}, then moot run {file} again."
