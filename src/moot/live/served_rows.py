"""The rows behind a served team: where its questions stand, the cases they are graded by, and an episode by its id.

A file that is changed is served as another plan, under the same name. What was asked of the team as it was before is its past
all the same: all that is looked for here is looked for in every plan of the name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, case, func, select, update

from moot.config.type_words import told
from moot.errors import UsageError
from moot.live.unwritten import UnwrittenEpisode
from moot.store import queries, schema
from moot.store.rows import case_of, case_row
from moot.store.statements import Row
from moot.store.store import bounded_value
from moot.types import Case

EPISODE_ID = re.compile("ep_[0-9a-f]{40}")
LATEST_REPEAT = 2**31 - 1
"""Played questions are told apart by a number drawn for each, and every database can hold one of this size. An id with a
larger one is of no episode, and no database is asked for it."""


def cleaned_rows(rows: Iterable[Row]) -> list[Row]:
    return [{name: bounded_value(value) for name, value in row.items()} for row in rows]


def plans_named(name: str) -> Select[Any]:
    """The ids of all that was served under a name, whichever version of the file it was."""
    plans = schema.experiments.alias()  # so that it means the same within whatever query it stands
    return select(plans.c.id).where(plans.c.name == name)


def plan_alone(ident: str) -> Select[Any]:
    plans = schema.experiments.alias()
    return select(plans.c.id).where(plans.c.id == ident)


def cells_in(plans: Select[Any]) -> Select[Any]:
    members = schema.experiment_cells.alias()
    return select(members.c.cell).where(members.c.experiment.in_(plans))


def seen_by(name: str, asker: str | None, question: ColumnElement[str]) -> ColumnElement[bool]:
    """Whether a question was put under this name, and by nobody but this asker; None sees all.

    Not by somebody else in any of the plans: who comes to have a place for a question of another's in a newer one has
    come to nothing with it.
    """
    places = schema.experiment_questions.alias()
    placed = select(places.c.position).where(places.c.experiment.in_(plans_named(name)), places.c.question == question)
    if asker is None:
        return placed.exists()
    others = placed.where(places.c.asker.is_distinct_from(asker))
    return placed.where(places.c.asker == asker).exists() & ~others.exists()


def placed_cases(
    connection: Connection,
    experiment: str,
    name: str,
    asked: Sequence[UnwrittenEpisode],
) -> dict[str, Case]:
    """The case of each question that was `asked`; one that never was before gets a place among the others: it is whose asked it
    first, and beside it stands what was first told.

    A case that is there stands, also that of an earlier plan of the `name`: it may be better known than a new one would be.
    """
    # Several servers may write into one store: they take turns here. (SQLite has let us in alone already.)
    whole = schema.experiments.c.id == experiment
    connection.execute(select(schema.experiments.c.id).where(whole).with_for_update())
    wanted = {each.episode.question.digest: each.episode.question for each in asked}
    first = {each.episode.question.digest: each for each in reversed(asked)}
    beside = {each.episode.question.digest: each.told for each in reversed(asked) if each.told}
    cases = _cases(connection, experiment, list(wanted))
    unknown = {key: question for key, question in wanted.items() if key not in cases}
    before = cases_in(connection, plans_named(name), list(unknown)) if unknown else {}
    new = [
        before[key][0] if key in before else Case(question, None, meta=beside.get(key, {}), known=False)
        for key, question in unknown.items()
    ]
    if new:
        places = schema.experiment_questions
        last = connection.execute(select(func.max(places.c.position)).where(places.c.experiment == experiment)).scalar()
        rows = [
            {
                "experiment": experiment,
                "position": position,
                "question": case.question.digest,
                "case": case.digest,
                "asker": first[case.question.digest].asker,
            }
            for position, case in enumerate(new, start=0 if last is None else last + 1)
        ]
        queries.add(connection, schema.cases, [case_row(case) for case in new])
        queries.add(connection, places, rows)
        longer = schema.experiments.c.size + len(new)
        connection.execute(update(schema.experiments).where(whole).values(size=longer))
        # A case of these words may have been kept before, from another experiment: that one stands.
        cases.update(_cases(connection, experiment, [case.question.digest for case in new]))
    return cases


def _cases(connection: Connection, experiment: str, questions: Sequence[str]) -> dict[str, Case]:
    places, cases = schema.experiment_questions, schema.cases
    case_by_question: dict[str, Case] = {}
    for part in queries.chunks(questions):
        query = select(places.c.question, cases.c.content).join(cases, cases.c.id == places.c.case)
        query = query.where(places.c.experiment == experiment, places.c.question.in_(part))
        case_by_question.update((question, case_of(content)) for question, content in connection.execute(query))
    return case_by_question


def cases_in(connection: Connection, plans: Select[Any], questions: Sequence[str]) -> dict[str, list[Case]]:
    """As which cases these questions stand in the plans; in front one of which is known what is right, the latest."""
    places, cases, table = schema.experiment_questions, schema.cases, schema.experiments
    found: dict[str, dict[str, Case]] = {}
    for part in queries.chunks(questions):
        query = (
            select(places.c.question, cases.c.id, cases.c.content)
            .join(table, table.c.id == places.c.experiment)
            .join(cases, cases.c.id == places.c.case)
            .where(table.c.id.in_(plans), places.c.question.in_(part))
            .order_by(table.c.created_at.desc(), table.c.id)
        )
        for question, ident, content in connection.execute(query):
            found.setdefault(question, {}).setdefault(ident, case_of(content))
    return {key: sorted(by_id.values(), key=lambda case: not case.known) for key, by_id in found.items()}


def find_episode(
    connection: Connection, name: str, episode: str, asker: str | None = None, longest: int | None = None
) -> Any:
    """An episode by the id that the client was given, with its case. `asker`: only one of its own.

    Of plays with one id, as there are where stored calls are used again, the latest.

    `longest`: of one with more characters nothing is read, and its texts are None.
    """
    number, question = episode.removeprefix("ep_")[:8], episode.removeprefix("ep_")[8:]
    if not EPISODE_ID.fullmatch(episode) or (repeat := int(number, 16)) > LATEST_REPEAT:
        raise UsageError(f"there is no episode {told(episode)}")
    places, episodes, cases, plans = schema.experiment_questions, schema.episodes, schema.cases, schema.experiments
    this = (
        episodes.c.cell.in_(cells_in(plans_named(name))),
        episodes.c.question == question,
        episodes.c.repeat == repeat,
    )
    placed = (plans.c.name == name, seen_by(name, asker, episodes.c.question))
    texts = (episodes.c.answer, episodes.c.verdict, episodes.c.transcript, cases.c.content)
    size = sum((func.length(func.coalesce(text, "")) for text in texts[1:]), func.length(func.coalesce(texts[0], "")))
    read = [text if longest is None else case((size <= longest, text)).label(text.name) for text in texts]
    rest = [column for column in episodes.c if column.name not in ("answer", "verdict", "transcript")]
    row = (
        connection.execute(
            select(*rest, *read)
            .join(places, places.c.question == episodes.c.question)
            .join(plans, plans.c.id == places.c.experiment)
            .join(cases, cases.c.id == places.c.case)
            .where(*this, *placed)
            .order_by(episodes.c.created_at.desc(), episodes.c.cell, plans.c.created_at.desc(), plans.c.id)
        )
        .mappings()
        .first()
    )
    if row is None:
        raise UsageError(f"there is no episode {told(episode)}")
    return row
