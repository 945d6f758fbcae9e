"""Stores written when answers were compared without their signs: 2/5 was 2.5, and x < 3 was x > 3.

Used once, when such a store is first opened. What was a match and is none becomes what it would be without one: wrong, or a
judge's to say. Words of judges, graders and persons stood under an answer without its signs. Where all that were equal then
are equal now they go on standing under it; else nobody knows of which of them they were said, and they are asked for again:
a judge's word on the very wording that it was shown is in the calls, and costs nothing. Verdicts are as the teams reached them.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, RowMapping, delete, or_, select, update

from moot.grade.match import NO_ANSWER, REJECTED, match
from moot.grade.normalise import normalise
from moot.store.rows import case_of, verdict_of
from moot.store.schema import cases, episodes, grades, judgements, matches, scores, settlements
from moot.traces import claims_in
from moot.types import Case, Score

_MATCH = "match"
"""The name of our own grader; those of judges stand behind a plus."""
_NOT_JUDGED = Score(None, "ungraded", "not judged yet")
_KEPT_MINUS = "\ue000"
_TOGETHER = 500


@contextmanager
def _found_by_question(connection: Connection) -> Iterator[None]:
    """No index of today begins with a question: without these each of them would be looked for in all that was played."""
    places = {"ix_signs_scores": scores.c.case, "ix_signs_episodes": episodes.c.question}
    quoted = connection.dialect.identifier_preparer.quote
    for name, column in places.items():
        connection.exec_driver_sql(f"CREATE INDEX {name} ON {quoted(column.table.name)} ({quoted(column.name)})")
    yield
    for name in places:
        connection.exec_driver_sql(f"DROP INDEX {name}")


def tell_signs(connection: Connection) -> None:
    with _found_by_question(connection):
        _tell_signs(connection)


def _tell_signs(connection: Connection) -> None:
    by_words = [grades.c.case, judgements.c.case, settlements.c.case]
    spoken_of = {case for column in by_words for case in connection.execute(select(column).distinct()).scalars()}
    after = ""
    while True:
        page = select(cases).where(cases.c.id > after).order_by(cases.c.id).limit(_TOGETHER)
        rows = connection.execute(page).mappings().all()
        if not rows:
            break
        for row in rows:
            case = case_of(row["content"])
            if case.question.kind == "open":
                unclear = _under_their_signs(connection, case) if row["id"] in spoken_of else set()
                _scores(connection, row["id"], case, unclear)
        after = rows[-1]["id"]
    _matches(connection)


def _under_their_signs(connection: Connection, case: Case) -> set[str]:
    """Words about answers are put under the answers with their signs; of which of them nobody knows is returned."""
    wordings: dict[str, set[str]] = defaultdict(set)
    for text in set(_texts(connection, case)):
        wordings[without_signs(text)].add(normalise(text))
    signed = {before: now for before, now in wordings.items() if now != {before}}
    for table in (grades, judgements, settlements):
        for before, now in signed.items():
            place = (table.c.case == case.digest, table.c.answer == before)
            if len(now) == 1:
                connection.execute(update(table).where(*place).values(answer=next(iter(now))))
            else:
                connection.execute(delete(table).where(*place))
    return {before for before, now in signed.items() if len(now) > 1}


def _texts(connection: Connection, case: Case) -> Iterator[str]:
    """Every answer to a question that somebody may have spoken of: verdicts, drafts, claims."""
    given = select(episodes.c.answer, episodes.c.verdict).where(episodes.c.question == case.question.digest)
    for answer, content in connection.execute(given).all():
        verdict = verdict_of(content)
        yield from (text for text in (answer, *(draft.text for draft in verdict.answers)) if text is not None)
        yield from claims_in(verdict.traces)


def _scores(connection: Connection, ident: str, case: Case, unclear: set[str]) -> None:
    of_episode = (scores.c.cell == episodes.c.cell) & (scores.c.repeat == episodes.c.repeat)
    graded = (*scores.primary_key, scores.c.value, scores.c.stage, scores.c.detail)  # later steps add columns
    query = select(*graded, episodes.c.answer).join(episodes, of_episode)
    query = query.where(scores.c.case == ident, episodes.c.question == case.question.digest)
    query = query.where(or_(scores.c.grader == _MATCH, scores.c.grader.like(f"{_MATCH}+%")))
    known: dict[str, Score] = {}
    for row in connection.execute(query.where(episodes.c.answer.is_not(None))).mappings().all():
        answer = row["answer"]
        if answer not in known:
            known[answer] = match(case, answer)
        score = _score(row, known[answer], without_signs(answer) in unclear)
        if score is not None:
            place = (scores.c[column.name] == row[column.name] for column in scores.primary_key)
            values = {"value": score.value, "stage": score.stage, "detail": score.detail}
            connection.execute(update(scores).where(*place).values(**values))


def _score(row: RowMapping, by_match: Score, unclear: bool) -> Score | None:
    """What a score is now; None: as it was."""
    matched = row["stage"] == _MATCH and (row["value"] == 1.0 or row["detail"] == REJECTED.detail)
    spoken_of = row["stage"] not in (_MATCH, NO_ANSWER.stage) and unclear
    if not (matched or spoken_of) or (row["value"], row["stage"]) == (by_match.value, by_match.stage):
        return None
    left_open = by_match.value == 0.0 and by_match.stage == _MATCH and by_match != REJECTED
    return _NOT_JUDGED if left_open and "+" in row["grader"] else by_match


def _matches(connection: Connection) -> None:
    """Texts that were put together for their words alone are asked about again."""
    for row in connection.execute(select(matches)).mappings().all():
        entries = json.loads(row["content"])
        kept = [entry for entry in entries if not _joined_for_their_words(entry)]
        if len(kept) < len(entries):
            place = (matches.c[column.name] == row[column.name] for column in matches.primary_key)
            content = json.dumps(kept, ensure_ascii=False)
            connection.execute(update(matches).where(*place).values(content=content))


def _joined_for_their_words(entry: Mapping[str, Any]) -> bool:
    groups = [*entry.get("groups", ()), [entry["word"], *entry["same"]] if "word" in entry else []]
    return any(_hides_signs(group) for group in groups)


def _hides_signs(texts: Iterable[str]) -> bool:
    signed: dict[tuple[str, ...], set[tuple[str, ...]]] = defaultdict(set)
    for text in texts:
        signed[tuple(sorted(without_signs(text).split()))].add(tuple(sorted(normalise(text).split())))
    return any(len(now) > 1 for now in signed.values())


def without_signs(text: str) -> str:
    """An answer as it was normalised then: the rule of that time, whatever it is today."""
    if len(folded := " ".join(text.split())) > 10_000:
        return folded
    folded = text.replace(_KEPT_MINUS, " ")
    if folded.isascii():
        folded = folded.lower()
    else:
        folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", folded).casefold())
        folded = "".join(map(_bare, folded.replace("ё", "е").replace("\u0301", "")))
    minus = re.sub(r"(?<!\w)[-−–](?=\d)", _KEPT_MINUS, folded)
    words = re.sub(rf"(?P<kept>(?<=[^\W_])[+#]+(?!\w))|{_KEPT_MINUS}|[^\w\s]|_", _kept, minus).split()
    return re.sub(r"\b(?:a|an|the)\s+(?=\S)", "", " ".join(words)) or " ".join(folded.split())


def _kept(found: re.Match[str]) -> str:
    return "-" if found.group() == _KEPT_MINUS else found.group("kept") or " "


def _bare(character: str) -> str:
    if character.isascii() or "а" <= character <= "я":
        return character
    return "".join(part for part in unicodedata.normalize("NFKD", character) if not unicodedata.combining(part))
