"""A store as tables with readable columns, for whoever would rather ask it themselves."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from sqlalchemy import Connection, select

from moot.errors import UsageError
from moot.measures.section import Section
from moot.measures.source import Stored
from moot.report.figures import grader_of
from moot.store import queries, schema

if TYPE_CHECKING:
    from polars import DataFrame

Kind = Literal["episodes", "calls", "scores"]
Format = Literal["csv", "parquet"]

_CELL = ("strategy", "label", "team", "captain", "player")
_CALL = (
    "experiment",
    "model",
    "version",
    "finish",
    "text",
    "prompt_tokens",
    "completion_tokens",
    "reasoning_tokens",
    "cached_tokens",
    "latency_s",
    "cost_usd",
    "created_at",
    "key",
)


def frame(connection: Connection, kind: str, experiment: str | None = None) -> DataFrame:
    """``episodes``, ``calls`` or ``scores``; of one experiment by name, or of all that the store holds."""
    makers: dict[str, Callable[[Connection, str | None], Iterator[dict[str, Any]]]] = {
        "episodes": _episodes,
        "calls": _calls,
        "scores": _scores,
    }
    if kind not in makers:
        raise UsageError(f"a store has no frame {kind!r}; expected {', '.join(makers)}")
    return _table(list(makers[kind](connection, experiment)), _COLUMNS[kind])


_COLUMNS: Mapping[str, Sequence[str]] = {
    "episodes": (
        *("experiment", *_CELL, "question_id", "repeat", "outcome", "answer"),
        *("value", "stage", "turns", "calls", "seconds"),
    ),
    "calls": _CALL,
    "scores": ("experiment", *_CELL, "question_id", "repeat", "grader", "value", "stage", "detail"),
}


def experiments_frame(connection: Connection) -> DataFrame:
    """Every plan in the store, the oldest first; several under one name differ in questions or cells."""
    table = schema.experiments
    query = select(table.c.name, table.c.size, table.c.created_at, table.c.id).order_by(table.c.created_at)
    rows = [
        {"experiment": row.name, "questions": row.size, "created_at": row.created_at, "id": row.id}
        for row in connection.execute(query)
    ]
    return _table(rows, ("experiment", "questions", "created_at", "id"))


def _experiments(connection: Connection, name: str | None) -> list[Stored]:
    table = schema.experiments
    query = select(table).order_by(table.c.created_at.desc())
    found: list[Any] = list(connection.execute(query if name is None else query.where(table.c.name == name)).mappings())
    if name is not None and not found:
        raise UsageError(f"this store holds no run of {name!r}")
    return found


def _episodes(connection: Connection, name: str | None) -> Iterator[dict[str, Any]]:
    """Each once a name: plans under one name share what they have played."""
    told: set[tuple[str, str, str, int]] = set()
    for experiment in _experiments(connection, name):
        grader = grader_of(json.loads(experiment["config"]))
        ids = {row["question"]: row["question_id"] for row in queries.cases_of(connection, experiment["id"])}
        for cell in queries.cells_of(connection, experiment["id"]):
            for row in queries.results(connection, experiment["id"], cell["id"], grader):
                key = (experiment["name"], cell["id"], row["question"], row["repeat"])
                if key not in told:
                    told.add(key)
                    yield _episode(experiment["name"], cell, ids[row["question"]], row)


def _episode(name: str, cell: Stored, question_id: str, row: Stored) -> dict[str, Any]:
    return {
        "experiment": name,
        **{key: cell[key] for key in _CELL},
        "question_id": question_id,
        **{key: row[key] for key in ("repeat", "outcome", "answer", "value", "stage", "seconds")},
        "turns": json.loads(row["verdict"]).get("turns", 1),
        "calls": len({step[3] for step in json.loads(row["transcript"]) if step[3]}),
    }


def _calls(connection: Connection, name: str | None) -> Iterator[dict[str, Any]]:
    """Each call once, under the name of the experiment that paid for it; prompts are in `moot show`."""
    table = schema.calls
    query = select(*(table.c[column] for column in _CALL)).order_by(table.c.created_at, table.c.key)
    found = connection.execute(query if name is None else query.where(table.c.experiment == name))
    yield from (dict(row) for row in found.mappings())


def _scores(connection: Connection, name: str | None) -> Iterator[dict[str, Any]]:
    """Every grader's word, also those of graders that a report no longer goes by."""
    scores, cells, cases = schema.scores, schema.cells, schema.cases
    for experiment in dict.fromkeys(each["name"] for each in _experiments(connection, name)):
        own = [each["id"] for each in _experiments(connection, experiment)]
        places = select(schema.experiment_cells.c.cell).where(schema.experiment_cells.c.experiment.in_(own))
        asked = select(schema.experiment_questions.c.case).where(schema.experiment_questions.c.experiment.in_(own))
        query = (
            select(*(cells.c[key] for key in _CELL), cases.c.question_id, scores)
            .join(cells, cells.c.id == scores.c.cell)
            .join(cases, cases.c.id == scores.c.case)
            .where(scores.c.cell.in_(places), scores.c.case.in_(asked))
            .order_by(cases.c.question_id, scores.c.cell, scores.c.repeat, scores.c.grader)
        )
        for row in connection.execute(query).mappings():
            yield {"experiment": experiment, **{key: row[key] for key in _COLUMNS["scores"] if key != "experiment"}}


def _table(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> DataFrame:
    import polars

    return polars.DataFrame(
        {column: [row[column] for row in rows] for column in columns}, strict=False, nan_to_null=True
    )


def section_frame(section: Section) -> DataFrame:
    """Every plain value of a section's rows: what is drawn, and what stands behind it."""
    import polars

    keys = dict.fromkeys(column.key for column in section.columns)
    keys |= dict.fromkeys(key for row in section.rows for key in row)
    columns = {key: [_plain(row.get(key)) for row in section.rows] for key in keys}
    return polars.DataFrame(columns, strict=False)


def rows_frame(rows: Sequence[Mapping[str, Any]]) -> DataFrame:
    """Rows of the figures; what is nested in them becomes columns of its own: ``outcomes.refused``."""
    return section_frame(Section("", "", (), (), [_flat(row) for row in rows]))


def _flat(row: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in row.items():
        found |= _flat(value, f"{before}{key}.") if isinstance(value, Mapping) else {f"{before}{key}": value}
    return found


def _plain(value: object) -> object:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | tuple | Mapping) else value


def write_tables(folder: Path, kind: Format, tables: Mapping[str, DataFrame]) -> list[Path]:
    """One file a table, named by the section's id."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, table in tables.items():
        path = folder / f"{name}.{kind}"
        if kind == "csv":
            table.write_csv(path)
        else:
            table.write_parquet(path)
        written.append(path)
    return written
