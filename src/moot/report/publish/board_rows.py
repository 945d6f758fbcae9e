"""A run as rows of a leaderboard: one for each team and player that it has played, with the figures of its own report."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection

from moot.errors import MootError
from moot.experiment.side_names import side_of_row
from moot.measures.claims.words import gain_withheld_for, withheld_for
from moot.report.figures import Figures, headline_of
from moot.report.publish.board_caveats import caveats_of, learnt_in_run
from moot.store import queries
from moot.store.rows import config_of, placed_case
from moot.store.statements import Row
from moot.types import Case, digest

NO_GAIN = "a gain is a team's over its best single player"
BoardRow = dict[str, Any]


@dataclass(frozen=True, slots=True)
class PublishedRun:
    """What a run says of itself, beside its figures."""

    name: str
    cases: Sequence[Case]
    models: Mapping[str, str]
    """By player, the model that it is."""
    teams: Mapping[str, Sequence[str]]
    set_name: str
    graded_by: Sequence[str]
    date: str

    @property
    def set_digest(self) -> str:
        """The same questions with the same references, in whatever order and however they are called as a set."""
        return digest(sorted(case.digest for case in self.cases))

    @property
    def ident(self) -> str:
        """One run of these models on these questions under this name; another run of it takes its place."""
        return digest([self.name, self.set_digest, sorted(self.models.items())])


def cases_of(connection: Connection, experiment: Row) -> list[Case]:
    return [placed_case(row) for row in queries.cases_of(connection, experiment["id"])]


def date_of(connection: Connection, experiment: Row) -> str:
    runs = queries.runs_of(connection, experiment["id"])
    last = runs[-1]["started_at"] if runs else experiment["created_at"]
    return datetime.fromtimestamp(last, UTC).date().isoformat()


def board_rows(connection: Connection, experiment: Row, figures: Figures, run: PublishedRun) -> list[BoardRow]:
    """Those that have played anything. Where they are published is said by whoever publishes them."""
    rows = []
    headline = figures.get("headline") or {}
    several = len({row["team"] for row in figures["accuracy"] if row.get("team")}) > 1
    versions = [each["version"] for each in figures.get("runs", ()) if each.get("version")]
    for row in figures["accuracy"]:
        title = str(side_of_row(row, team=several))
        first = headline.get("of") == title
        played = {key: row.get(key) for key in ("strategy", "label", "team", "captain", "player", "cohort")}
        seats = [row["player"]] if row.get("player") else list(run.teams.get(row.get("team") or "", ()))
        rows.append(
            {
                "id": digest([run.ident, played]),
                "experiment": run.name,
                "played": {**played, "title": title, "players": [[name, run.models.get(name, name)] for name in seats]},
                "set": {"name": run.set_name, "digest": run.set_digest, "questions": len(run.cases)},
                "graded_by": list(run.graded_by),
                "n": row["n"],
                "accuracy": _estimate(row),
                "gain": None if row.get("player") else _gain(connection, experiment, headline, title),
                "headline": first,
                "chosen": headline.get("chosen") if first else None,
                "interim": bool(headline.get("interim")),
                "usd_per_1000": _per_1000(row["usd_per_question"]),
                **_known_in_part(row),
                "calls_per_question": row["calls_per_question"],
                "simulated": bool(figures.get("simulated")),
                "learnt_in_run": learnt_in_run(figures, row),
                "caveats": caveats_of(figures, row, headline=first),
                "date": run.date,
                "moot": versions[-1] if versions else "",
            }
        )
    return rows


def _known_in_part(row: Mapping[str, Any]) -> dict[str, Any]:
    """Of how many calls the cost is known, where that is some of them: what they came to is no bill."""
    known = row.get("costs_known")
    return {"costs_known": {"known": known, "calls": row["calls"]}} if known else {}


def _per_1000(usd_per_question: float | None) -> float | None:
    return None if usd_per_question is None else usd_per_question * 1_000


def _estimate(row: Mapping[str, Any]) -> dict[str, Any]:
    """Over what is graded; a figure that is not known says why."""
    estimate = {key: row.get(key) for key in ("value", "low", "high")}
    if row.get("ungraded"):
        estimate["ungraded"] = row["ungraded"]
    if estimate["value"] is None:
        estimate["why"] = row.get("why") or "nothing of it is graded"
    return estimate


def _gain(connection: Connection, experiment: Row, headline: Mapping[str, Any], title: str) -> dict[str, Any]:
    """Over the best single player, as the report tells it of the headline. Of any other row as if it had been declared when the
    answers were there: its interval pays for all options of the run."""
    told = headline if headline.get("of") == title else _as_declared_late(connection, experiment, title)
    over = told.get("over_best_single") or {}
    gain = {
        "over": over.get("single"),
        "value": over.get("difference"),
        "low": over.get("low"),
        "high": over.get("high"),
    }
    if gain["value"] is None:
        gain["why"] = over.get("why") or "no single player was played beside it"
    elif why := withheld_for(told):
        gain["why"] = f"nothing is claimed: {why}"
    elif why := gain_withheld_for(told):
        gain |= {"value": None, "low": None, "high": None, "why": f"cannot be told: {why}"}
    return gain


def _as_declared_late(connection: Connection, experiment: Row, title: str) -> Mapping[str, Any]:
    config = {**config_of(experiment), "primary": title}
    try:
        told: Mapping[str, Any] = (
            headline_of(connection, {**experiment, "config": json.dumps(config)})["headline"] or {}
        )
    except MootError:
        return {}
    return told if told.get("of") == title else {}
