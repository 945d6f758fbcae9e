"""The figures of a served team: over all that was asked, by day or week, and by who answered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from moot.data.clusters import dealing_names
from moot.measures.askings import ABSENT, NOT_HEARD
from moot.measures.cells import Row as StoredRow
from moot.measures.columns import titled
from moot.measures.served.agreement import NO_ANSWER
from moot.measures.served.drift import ServedPlays, alert_words, drift_rows
from moot.measures.served.paid_calls import count_calls_once
from moot.measures.served.periods import days_each, moment, period_of
from moot.measures.served.persons import persons_preferences
from moot.measures.served.plays import CellName, LivePlay, LiveTraffic, read_traffic
from moot.measures.served.ranged import answers_row, ranged_row
from moot.measures.served.served_titles import served_titles
from moot.measures.source import Source
from moot.measures.spending import Spending, losses_row
from moot.stats.clusters import clustered
from moot.store.served_plays import failures_since
from moot.types import WITH_ANSWER

Row = dict[str, Any]
NOBODY_SAID = "nobody has said what was right"
NO_PRICE = "the price of a call is not known"
NOTHING_ASKED = "nothing was asked"


def served_figures(
    connection: Connection,
    name: str,
    plans: Sequence[StoredRow],
    beside: Sequence[StoredRow],
    measured: StoredRow | str,
    since: float | None,
    until: float,
) -> Row:
    """`plans`: all versions of the file that were served under the name. `beside`: teams that visitors have put together, told
    apart. `measured`: the plan of the run, or why there is none. Times are seconds of the clock."""
    traffic, visited = read_traffic(connection, plans, since), read_traffic(connection, beside, since)
    count_calls_once(connection, [name], since, traffic.plays, visited.plays)
    spending = Spending(connection)
    plays = traffic.plays
    days = days_each(play.at for play in plays)
    by_period = _split(plays, lambda play: period_of(play.at, days))
    by_team, by_visitors = _by_team(plays), _by_team(visited.plays)
    titles = {**_visitors_titles(by_visitors), **served_titles(traffic.cells)}
    drift: list[Row] = []
    if isinstance(measured, str):
        why: str | None = measured
    else:
        source = Source(connection, measured)
        with clustered(source.clusters, dealing_names(source.cases.items())):
            compared = [ServedPlays(own[0].cell, own) for own in by_team]
            drift, why = drift_rows(source, compared, days, traffic.seed, titles), None
    return {
        "since": None if since is None else moment(since),
        "until": moment(until),
        "left_out": traffic.before,
        "plans": traffic.plans,
        "simulated": list(dict.fromkeys([*traffic.simulated, *visited.simulated])),
        "taught": traffic.taught,
        **_row(plays, spending),
        "days_each": days,
        "by_day": [
            {"from": f"{period.start}", "name": period.title, **_row(own, spending)}
            for period, own in sorted(by_period.items())
        ],
        "by_team": [{**_named(own[0], titles), **_row(own, spending)} for own in by_team],
        "visitors_teams": [{**_named(own[0], titles), **_row(own, spending)} for own in by_visitors],
        "preferences": persons_preferences(
            connection, [*plays, *visited.plays], [own[0].named for own in (*by_team, *by_visitors)], titles
        ),
        "absences": _absences(traffic),
        **losses_row(connection, name, since or 0.0),
        "failures": [dict(row) for row in failures_since(connection, name, since)],
        "measured_by": None if isinstance(measured, str) else measured["id"],
        "drift": drift,
        "why": why,
        "alerts": sum(row["alert"] for row in drift),
        "alert": alert_words(drift, days),
    }


def _by_team(plays: Sequence[LivePlay]) -> list[list[LivePlay]]:
    """Of who was asked most first."""
    return sorted(_split(plays, lambda play: play.named).values(), key=lambda own: (-len(own), str(own[0].named)))


def _split(plays: Sequence[LivePlay], key: Any) -> dict[Any, list[LivePlay]]:
    parts: dict[Any, list[LivePlay]] = {}
    for play in plays:
        parts.setdefault(key(play), []).append(play)
    return parts


def _visitors_titles(by_visitors: Sequence[Sequence[LivePlay]]) -> dict[CellName, str]:
    """Who made a team has chosen its captain too, and it is a part of its name."""
    return {own[0].named: titled(own[0].cell, team=True) for own in by_visitors}


def _named(play: LivePlay, titles: Mapping[CellName, str]) -> Row:
    *named, cohort = play.named
    row: Row = dict(zip(("strategy", "label", "team", "captain", "player"), named, strict=True))
    row["name"] = titles[play.named]
    return row if cohort is None else {**row, "cohort": cohort}


def _row(plays: Sequence[LivePlay], spending: Spending) -> Row:
    told = [play for play in plays if play.right is not None]
    outcomes = Counter(play.outcome for play in plays)
    return {
        "asked": len(plays),
        "questions": len({play.wording for play in plays}),
        "graded": {"n": len(told), "share": len(told) / len(plays) if plays else None},
        "contradicted": sum(play.contradicted for play in plays),
        "waiting": sum(play.waits for play in plays),
        "accuracy": _accuracy(plays),
        "agreement": _agreement(plays),
        "probability": _probability(plays),
        "latency": _latency(plays),
        "cost": _cost(plays, spending),
        "outcomes": dict(sorted(outcomes.items())),
    }


def _accuracy(plays: Sequence[LivePlay]) -> Row:
    """Over what somebody called right or wrong; the bounds over all, where a play without an answer is not right."""
    told = [(play.wording, play.right) for play in plays if play.right is not None]
    row = answers_row(told)
    if plays:
        right = sum(value for _, value in told)
        waiting = sum(play.right is None and play.outcome in WITH_ANSWER for play in plays)
        row["bounds"] = {"low": right / len(plays), "high": (right + waiting) / len(plays)}
    return row if told else {**row, "why": NOBODY_SAID if plays else NOTHING_ASKED}


def _agreement(plays: Sequence[LivePlay]) -> Row:
    row = ranged_row([(play.wording, play.agreed) for play in plays if play.agreed is not None])
    if row["n"]:
        return row
    whys = Counter(play.why_not or NO_ANSWER for play in plays)
    return {**row, "why": whys.most_common(1)[0][0] if whys else NOTHING_ASKED}


def _probability(plays: Sequence[LivePlay]) -> Row:
    row = answers_row((play.wording, play.sure) for play in plays if play.sure is not None)
    return row if row["n"] else {**row, "why": "no answer was given with a probability"}


def _latency(plays: Sequence[LivePlay]) -> Row:
    """Of all plays, whatever they ended with; by nearest rank."""
    seconds = sorted(play.seconds for play in plays)
    if not seconds:
        return {"median_s": None, "p95_s": None, "why": NOTHING_ASKED}
    return {"median_s": _ranked(seconds, 50), "p95_s": _ranked(seconds, 95)}


def _ranked(ordered: Sequence[float], percent: int) -> float:
    """The smallest that so many of a hundred do not exceed."""
    return ordered[-(-len(ordered) * percent // 100) - 1]


def _cost(plays: Sequence[LivePlay], spending: Spending) -> Row:
    """What a question took, by the calls of its answer. An unknown price makes it unknown, be it of a call without a reply."""
    if not plays:
        return {"usd_per_1000": None, "why": NOTHING_ASKED}
    paid = [usd for usd in spending.sums_usd([play.calls for play in plays]) if usd is not None]
    if len(paid) < len(plays) or any(play.unpriced for play in plays):
        return {"usd_per_1000": None, "why": NO_PRICE}
    return {"usd_per_1000": 1_000 * sum(paid) / len(plays)}


def _absences(traffic: LiveTraffic) -> list[Row]:
    """Everybody who was asked, and how often it said nothing, or came too late."""
    rows = []
    for (name, office), attended in sorted(traffic.askings.by_place.items()):
        endings = attended.endings
        late = min(traffic.late[name], endings[NOT_HEARD])
        rows.append(
            {
                "player": name,
                "office": office,
                "asked": endings.total(),
                "late": late,
                **{why: endings[why] for why in ABSENT},
                "not_needed": endings[NOT_HEARD] - late,
            }
        )
    return rows
