"""What a store holds, a row for each experiment and served team: how far it is, what came out, and what was spent.

Every figure is the one of its report, taken by the same functions; what the report withholds is withheld here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from moot.data.clusters import dealing_names
from moot.measures.accuracy.figures import bill_usd, costs_known, losses_row, outcomes_of, paid_here_row
from moot.measures.alike_plans import are_alike, in_play, whole_of
from moot.measures.claims.headline_alone import headline_alone
from moot.measures.claims.nobody_right import NOBODY_RIGHT, nobody_right_in_short
from moot.measures.claims.words import gain_withheld_for, ungraded_answers, withheld_for
from moot.measures.facts.figures import (
    LOST_OR_NOT_KEPT,
    LOST_OR_UNDER_WAY,
    PLAN_SIGNS,
    losses_words,
    unknown_cost_words,
)
from moot.measures.numbers import between, interval, money, percent, points
from moot.measures.played_back import played_back_words
from moot.measures.simulated_models import simulated_models
from moot.measures.source import Source
from moot.report.nothing_played import nothing_words
from moot.report.uncollected import uncollected
from moot.stats.clusters import clustered
from moot.stats.counted_words import count
from moot.store import queries
from moot.store.rows import config_of, facts_of
from moot.store.statements import Row

MOST_DIFFERENCES = 4
ENDED = {"budget": "stopped by its budget", "interrupted": "interrupted", "failed": "ended early"}
"""How a run ended before all was played."""


def stored_runs(connection: Connection, most: int) -> tuple[list[dict[str, Any]], int]:
    """The newest, so many at the most, and how many there are. Of the others nothing but their names is read."""
    newest = list(_as_reported(connection, queries.experiments_by_age(connection)))
    with uncollected():
        rows = [_row(connection, experiment, trials) for experiment, trials in newest[:most]]
    return _told_apart(rows, [experiment for experiment, _ in newest]), len(newest)


def _told_apart(rows: Sequence[dict[str, Any]], plans: Sequence[Row]) -> list[dict[str, Any]]:
    """Of plans of one name, in what each differs from the newest of them: two rows of one name say nothing else."""
    newest: dict[str, Row] = {}
    for plan in plans:
        newest.setdefault(plan["name"], plan)
    several = {name for name, many in Counter(plan["name"] for plan in plans).items() if many > 1}
    own = {plan["id"]: plan for plan in plans}
    return [
        {**row, "differs_in": _differences(own[row["id"]], newest[row["experiment"]])}
        if row["experiment"] in several
        else row
        for row in rows
    ]


def _differences(plan: Row, newest: Row) -> list[str]:
    """Keys of the file; where all of these are the same, what stands beside it."""
    if plan["id"] == newest["id"]:
        return []
    one, other = in_play(config_of(plan)), in_play(config_of(newest))
    keys = [key for key in {**other, **one} if one.get(key) != other.get(key)]
    return keys or ["what its questions or prompts say"]


def _as_reported(connection: Connection, experiments: Sequence[Row]) -> Iterator[tuple[Row, list[int]]]:
    """Newest first. Plans that are alike are one, as they are for a report: the whole is shown, and the sizes of its parts
    stand beside it."""
    groups: list[list[Row]] = []
    for experiment in experiments:
        for group in groups:
            if are_alike(connection, group[0], experiment):
                group.append(experiment)
                break
        else:
            groups.append([experiment])
    for group in groups:
        whole = whole_of(group)
        yield {**whole, "used_at": group[0]["used_at"]}, [plan["size"] for plan in group if plan is not whole]


def _row(connection: Connection, experiment: Row, trials: list[int]) -> dict[str, Any]:
    source = Source(connection, experiment)
    with clustered(source.clusters, dealing_names(source.cases.items())):
        outcomes, missing = outcomes_of(source), source.progress.missing
        headline = None if source.nothing_played else headline_alone(source)
    runs = queries.runs_of(connection, experiment["id"])
    bill = bill_usd(connection, source.name)
    row: dict[str, Any] = {
        "experiment": source.name,
        "id": source.ident,
        "used_at": experiment["used_at"],
        "state": _kept_as(source) or (runs[-1]["state"] if runs else "not run"),
        "questions": source.size,
        "episodes": sum(outcomes.values()),
        "failed": outcomes.get("failed", 0),
        "missing": missing,
        "bill_usd": bill,
        **({"costs_known": costs_known(connection, source.name)} if bill is None else {}),
        **paid_here_row(connection, source.name),
        **losses_row(connection, source.name),
        "simulated": bool(simulated_models(source)),
        "headline": headline,
    }
    if source.nothing_played:
        row["why"] = nothing_words(row["failed"])
    if cause := (facts_of(runs[-1]).get("cause") if runs else None):
        row["cause"] = cause
    return {**row, "trials": trials} if trials else row


def _kept_as(source: Source) -> str | None:
    """What nobody planned: questions that a team was asked, when served or by hand."""
    return None if not source.served else "asked" if source.config.get("asked") else "served"


def apart_words(row: Mapping[str, Any]) -> str:
    """Which of the plans of its name a row is; nothing where there is one."""
    if (differs := row.get("differs_in")) is None:
        return ""
    shown = ", ".join(differs[:MOST_DIFFERENCES]) + (", …" if len(differs) > MOST_DIFFERENCES else "")
    return f"plan {row['id'][:PLAN_SIGNS]}{f', another than the newest in: {shown}' if differs else ', the newest'}"


def state_words(row: Mapping[str, Any]) -> str:
    """Whether it is over, and if it is not how much is left, in the terms of a run's own ending: what failed is played again."""
    missing = f"{count(row['missing'], 'episode')} missing" if row["missing"] else ""
    if row["state"] in ("served", "asked", "not run"):
        return str(row["state"])
    if row["state"] == "running":
        return f"going on, {missing}" if missing else "going on"
    if missing:
        left = (
            f"{row['missing'] + row['failed']:,} of {count(row['missing'] + row['episodes'], 'episode')} left to play"
        )
        return f"{ENDED.get(row['state'], 'not over')}, {left}"
    return f"done, {row['failed']:,} of {row['episodes']:,} failed" if row["failed"] else "done"


def size_words(row: Mapping[str, Any]) -> str:
    """As a run counts them that ends before all is played: what failed is asked again, and is not among what is kept."""
    kept, failed = row["episodes"], ""
    if row["failed"] and row["missing"]:  # else it is said with how the run ended
        kept, failed = kept - row["failed"], f", {row['failed']:,} of those left have failed"
    held = " kept" if row["missing"] else ""
    asked = f"{count(row['questions'], 'question')}, {count(kept, 'episode')}{held}{failed}"
    spent = f"{money(row['bill_usd'])} spent" if row["bill_usd"] else ""
    if row["bill_usd"] is None:
        spent = unknown_cost_words(row.get("costs_known"))
    spent += played_back_words(row)
    if row["losses_usd"] or row["losses_unknown"]:
        whose = {"running": LOST_OR_UNDER_WAY, "served": LOST_OR_NOT_KEPT, "asked": LOST_OR_NOT_KEPT}.get(row["state"])
        spent = f"{spent or 'nothing spent'}{losses_words(row['bill_usd'], row, whose)}"
    return ", ".join(filter(None, (asked, spent, "simulated models" if row["simulated"] else "")))


def headline_words(headline: Mapping[str, Any] | None, width: int | None = None) -> str:
    """The verdict in one line: the same figures as in its sentence, and what must not be forgotten with them.

    `width`: of the line. What it has no room for is left out whole, the last first; never what takes a claim back.
    """
    if not headline:
        return "no figures yet"
    if (nobody := headline.get(NOBODY_RIGHT)) and nobody["whole"]:
        return nobody_right_in_short(nobody)
    if headline["value"] is None:
        return _unknown_words(headline, width)
    stands = " ".join(filter(None, (f"{headline['of']}:", percent(headline["value"]), interval(headline))))
    if headline.get("ungraded"):
        stands += " of what is graded"
    if not interval(headline) and headline.get("n"):
        stands += f" on {count(headline['n'], 'question')}"
    back = ", so far. Nothing is claimed." if headline.get("cut_short") else _without(headline)
    for beside in _beside(headline):
        stands += beside if width is None or len(stands) + len(beside) + len(back) <= width else ""
    return stands + back


def _without(headline: Mapping[str, Any]) -> str:
    """On how many questions somebody is missing: what is asked again, or recorded, may come to something else."""
    if not (unreached := headline.get("unreached")):
        return ""
    claimed = ". Nothing is claimed." if unreached["withheld"] else ""
    recorded, who = set(unreached.get("unrecorded", ())), set(unreached["who"])
    why = "no recorded reply" if who <= recorded else f"a model not reached{' or recorded' if recorded else ''}"
    return f"; {why} on {unreached['questions']:,} of {unreached['of']:,}{claimed}"


def preferred_words(preferred: Mapping[str, Any]) -> str:
    """How far the texts of the headline's option were preferred, in one line."""
    return " ".join(
        filter(None, (f"preferred to {preferred['against']} in", percent(preferred["value"]), interval(preferred)))
    )


def _unknown_words(headline: Mapping[str, Any], width: int | None) -> str:
    """The same where there is no figure: between what it lies, where that is known."""
    if not headline.get("bounds") or (ends := headline["bounds"]) == {"low": 0.0, "high": 1.0}:
        return str(headline["words"][0])
    stands = f"{headline['of']}: {between(ends)}"
    back = ", so far" if headline.get("cut_short") or headline.get("interim") else ""
    of = f" of {count(headline['questions'], 'question')}"
    for beside in (f"; {ungraded_answers(headline['ungraded'])}", of):
        stands += beside if width is None or len(stands) + len(beside) + len(back) <= width else ""
    return stands + back


def _beside(headline: Mapping[str, Any]) -> Iterator[str]:
    over = headline.get("over_best_single") or {}
    if over.get("difference") is not None:
        difference = " ".join(filter(None, (points(over["difference"]), "points", interval(over))))
        untold = gain_withheld_for(headline) and not withheld_for(headline)  # of which more is said behind it
        yield (
            f", which cannot be told apart from {over['single']} alone"
            if untold
            else f", {difference} over {over['single']} alone"
        )
    if headline["chosen"] not in ("declared", "only") and headline["options"] > 1:
        yield f"; picked from {headline['options']:,}"
