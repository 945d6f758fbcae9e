"""What waits for a person, and a person's word; and whom a file names as grader and judges now."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, RowMapping, and_, select, update

from moot.engine.answer_sheets import Sheet, cells_graded, sheets_of, stored_cases
from moot.errors import UsageError
from moot.grade.graders import failure_told, grader
from moot.grade.grading import GradedBy, Grading
from moot.grade.identity import VERSION, identity
from moot.grade.judge import JUDGE, ONE_BY_ONE, Judgement
from moot.grade.match import Match
from moot.grade.normalise import answer_key
from moot.grade.persons import persons_word
from moot.needs import EVERYTHING, Needs
from moot.store import queries, schema
from moot.store.rows import config_of
from moot.store.store import Store
from moot.team import Team
from moot.traces import hangs_on_cut_words
from moot.types import Case


@dataclass(frozen=True, slots=True)
class OpenAnswer:
    """An answer that waits for a person's word."""

    case: Case
    answer: str
    wording: str
    judgements: tuple[Judgement, ...]
    episodes: int
    """How often it was a verdict; 0: somebody only drafted it."""


async def open_answers(store: Store, grading: Grading, experiment: str, needs: Needs = EVERYTHING) -> list[OpenAnswer]:
    """The queue for a person: what judges dispute or could not grade, and what no reference says anything of, as of
    long answers; without judges, all that does not match."""
    cells = await cells_graded(store, experiment, needs)
    queue: list[OpenAnswer] = []
    async for batch in stored_cases(store, experiment):
        for sheet in await sheets_of(store, grading, cells, batch):
            queue += _left_open(sheet, grading)
    return queue


def settle(connection: Connection, case: Case, answer: str, right: bool) -> int:
    """A person's word on a normalised answer. It is at once in every score that its grader left open; how many is returned.

    The right one of several choices is the word on all others too: one that was called right before is wrong by it.
    """
    one_of_choices = right and case.question.is_closed
    settled = {"case": case.digest, "answer": answer, "right": int(right), "settled_at": time.time()}
    turned = _turned(connection, case, answer, right)
    others = _others_right(connection, case, answer) if one_of_choices else set()
    queries.put(connection, schema.settlements, [{**settled, "turned": turned}])
    wrong = [{**settled, "answer": other, "right": 0, "turned": 1} for other in sorted(others)]
    queries.put(connection, schema.settlements, wrong)
    episodes, scores = schema.episodes, schema.scores
    of_episode = and_(scores.c.cell == episodes.c.cell, scores.c.repeat == episodes.c.repeat)
    query = select(scores, episodes.c.answer, episodes.c.verdict).join(episodes, of_episode)
    query = query.where(scores.c.case == case.digest, episodes.c.question == case.question.digest)
    changed = 0
    for row in connection.execute(query.where(episodes.c.answer.is_not(None))).mappings().all():
        if hangs_on_cut_words(row["verdict"]):
            continue
        key = answer_key(case.question, row["answer"])
        equal, other = key == answer, one_of_choices and (row["value"] is None or key in others)
        if (equal or other) and _left_to_persons(row, case):
            place = (scores.c[column.name] == row[column.name] for column in scores.primary_key)
            values = {
                "value": float(right and equal),
                "stage": "person",
                "detail": _failed(row),
            }  # its `failure` stays too
            changed += connection.execute(update(scores).where(*place).values(**values)).rowcount
    return changed


def _turned(connection: Connection, case: Case, answer: str, right: bool) -> int | None:
    """1 where an earlier word says the opposite, or was turned itself: whoever reads the figures should know that of it."""
    words = schema.settlements.c
    query = select(words.right, words.turned).where(words.case == case.digest, words.answer == answer)
    before = connection.execute(query).one_or_none()
    if before is None:  # of choices another one may have been called right, and this one wrong by it
        return 1 if right and case.question.is_closed and _others_right(connection, case, answer) else None
    return None if not (before.turned or bool(before.right) != right) else 1


def _others_right(connection: Connection, case: Case, answer: str) -> set[str]:
    """Other answers that a person called right."""
    words = schema.settlements.c
    query = select(words.answer).where(words.case == case.digest, words.answer != answer, words.right == 1)
    return set(connection.execute(query).scalars())


def _failed(row: RowMapping) -> str | None:
    """That a grader failed on the answer stays on record beside the person's word."""
    name = row["grader"].partition("+")[0].partition(VERSION)[0]
    return None if row["failure"] is None else failure_told(name, row["failure"])


def _left_to_persons(row: RowMapping, case: Case) -> bool:
    """Whether the grader of a score is not sure of the answer. One that is not known here cannot be asked again."""
    grader_name = row["grader"].partition("+")[0]
    if grader_name != Match.name and (row["value"] is None or row["stage"] not in ("person", JUDGE)):
        return row["value"] is None
    try:
        by = grader(grader_name.partition(VERSION)[0])
    except UsageError:
        return False
    return identity(by) == grader_name and Grading(Team("persons", ()), grader=by).open_to_judgement(
        case, row["answer"]
    )


def declare_judges(
    connection: Connection, experiment: str, judges: Sequence[str], grader: str = Match.name, batch: int = ONE_BY_ONE
) -> None:
    """Write down whom the file names as grader and judges now: reports show the scores of those."""
    table = schema.experiments
    config = config_of(queries.experiment_of(connection, experiment))
    if GradedBy.of(config) != GradedBy(grader, list(judges), batch):
        before = config.pop("judge", None) or {}
        config.pop("grader", None)
        sized = {} if batch == ONE_BY_ONE else {"batch": batch}
        beside = {key: value for key, value in before.items() if key not in ("models", "batch")}
        config |= {"judge": {**beside, "models": list(judges), **sized}} if judges else {}
        config |= {"grader": grader} if grader != Match.name else {}
        changed = update(table).where(table.c.id == experiment)
        connection.execute(changed.values(config=json.dumps(config, ensure_ascii=False)))


def _left_open(sheet: Sheet, grading: Grading) -> Iterator[OpenAnswer]:
    question, given = sheet.case.question, (row["answer"] for row in sheet.episodes if row["answer"] is not None)
    counts = Counter(answer_key(question, answer) for answer in given)
    for answer, wording in sheet.for_a_person(grading).items():
        if persons_word(sheet.case, wording, sheet.persons) is not None:
            continue
        words = tuple(judgement for judgement in sheet.judgements if judgement.answer == answer)
        if not grading.judges or grading.score(sheet.case, wording, words, None).value is None:
            yield OpenAnswer(sheet.case, answer, wording, words, counts[answer])
