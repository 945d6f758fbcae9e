"""What judges were asked before their calls were tied to cases: found by the words of the question, to be forgotten.

A usable word of a judge names its call, and so those calls could be tied later. What a judge was asked in vain, or could not
answer, is known by nothing but what stands in it. No store that was made since has any of these.
"""

from __future__ import annotations

from collections.abc import Sequence

import orjson
from sqlalchemy import Connection, select, update

from moot.live.tied_calls import spoken
from moot.prompts import block
from moot.store import queries, schema
from moot.store.rows import case_of

LINKS = "0012-judge-calls"
"""The migration since which every call of a judge is tied to its case."""

FORGOTTEN = "what was said is forgotten"


def texts_of(connection: Connection, ids: Sequence[str]) -> set[str]:
    """What is asked in the questions of these ids."""
    cases = schema.cases
    contents = (
        content
        for part in queries.chunks(ids)
        for content in connection.execute(select(cases.c.content).where(cases.c.question_id.in_(part))).scalars()
    )
    return {case_of(content).question.text for content in contents}


def calls_before_links(connection: Connection, texts: set[str], before: float) -> set[str]:
    """The keys of calls without a link that are about one of these texts, unless it is still a question of somebody's, or the
    call was a player's and stands in a transcript."""
    calls = schema.calls
    until = min(before, _links_since(connection))
    old = (calls.c.created_at < until, calls.c.key.not_in(select(schema.judge_calls.c.key)))
    rows = connection.execute(select(calls.c.key, calls.c.shape).where(*old)).all() if texts else []
    if not rows:
        return set()
    contents = connection.execute(select(schema.cases.c.content)).scalars()
    asked_still = {case_of(content).question.text for content in contents}
    marks = [mark_of(text) for text in texts - asked_still]
    about = {key for key, shape in rows if any(mark in shape for mark in marks)}
    return about - spoken(connection, about)


def hush_failures(connection: Connection, before: float) -> None:
    """A failure keeps what was answered and not what was asked, so whose words an old one holds nobody can tell: they all
    lose their words, and count as they did."""
    failures = schema.failures
    until = min(before, _links_since(connection))
    old = (failures.c.created_at < until, failures.c.key.not_in(select(schema.judge_calls.c.key)))
    connection.execute(update(failures).where(*old).values(message=FORGOTTEN))


def _links_since(connection: Connection) -> float:
    migrations = schema.migrations
    return float(connection.execute(select(migrations.c.applied_at).where(migrations.c.name == LINKS)).scalar() or 0.0)


def mark_of(text: str) -> str:
    """A whole question as it stands in a prompt, which is kept as JSON. Its words alone may stand in anybody's prompt."""
    return orjson.dumps(f"<question>\n{block(text)}\n</question>").decode()[1:-1]
