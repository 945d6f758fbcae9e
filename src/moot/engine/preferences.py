"""Comparing what is stored: every long answer of a team with those of its players alone, or with the baseline's.

It calls judges, never players. What a judge has said of two texts is kept and asked for once, whichever sides came to them; a
judge that failed is asked again the next time.
"""

from __future__ import annotations

import json
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

from sqlalchemy import Connection

from moot.engine.answer_sheets import stored_cases
from moot.engine.batches import batches
from moot.engine.judge_calls import LinkedCalls
from moot.errors import UsageError
from moot.experiment.baseline import Matchup, matchups
from moot.grade.prefer import (
    PREFERRED,
    Comparing,
    Preference,
    Preferred,
    person_identity,
    prefer,
    prefer_identity,
    text_digest,
)
from moot.stats.counted_words import count
from moot.store import queries, schema
from moot.store.preferences import preferences_on
from moot.store.statements import Row
from moot.store.store import Store
from moot.strategies.traits import Traits
from moot.team import Player
from moot.team.together import together
from moot.types import Case

AnswersByPlay = Mapping[tuple[str, int], str | None]
"""By cell and repeat: what was answered to a question; None: nothing was."""
TextOrder = tuple[str, str]
"""Digests of two texts, as they are shown."""


@dataclass
class Compared:
    """What came of it."""

    words: int = 0
    """Usable ones, on record or new."""
    causes: Counter[str] = field(default_factory=Counter)
    """Why comparisons have none."""

    @property
    def without(self) -> int:
        return self.causes.total()


@dataclass(frozen=True, slots=True)
class LeftToCompare:
    """Of what is played: how many comparisons have no word of a judge yet, and how many there are."""

    missing: int = 0
    of: int = 0

    @property
    def words(self) -> str:
        """ "" where none is missing."""
        has = "is" if self.missing == 1 else "are"
        return f"{self.missing:,} of {count(self.of, 'comparison')} by judges {has} missing" if self.missing else ""


@dataclass(frozen=True, slots=True)
class ComparedPlay:
    """One play of a side beside one of its opponent; None: it gave no answer."""

    matchup: Matchup[Any]
    repeat: int
    text: str | None
    other: str | None

    @property
    def settled(self) -> float | None:
        """Whose it is without a judge: equal texts are a tie, and any is better than none. None: a judge must say."""
        if self.text is None or self.other is None:
            return 0.5 if self.text is self.other else float(self.other is None)
        return 0.5 if text_digest(self.text) == text_digest(self.other) else None


def compared_plays(pairs: Iterable[Matchup[Any]], texts: AnswersByPlay) -> Iterator[ComparedPlay]:
    """What there is to compare on one question: each play of a side with what its opponent answered in the same repeat."""
    repeats: dict[str, list[int]] = defaultdict(list)
    for cell, repeat in texts:
        repeats[cell].append(repeat)
    for pair in pairs:
        traits = pair.side["traits"]
        drafted = traits if isinstance(traits, Traits) else Traits.of_json(json.loads(traits or "{}"))
        for repeat in sorted(repeats[pair.side["id"]]):
            same, first = (pair.opponent["id"], repeat), (pair.opponent["id"], drafted.drafts_repeat(repeat))
            against = first if pair.opponent["player"] or same not in texts else same
            if against in texts:
                yield ComparedPlay(pair, repeat, texts[pair.side["id"], repeat], texts[against])


def orders_of(plays: Iterable[ComparedPlay]) -> dict[TextOrder, tuple[str, str]]:
    """What judges are to be shown, each once and in both orders: by digests, the texts."""
    orders: dict[TextOrder, tuple[str, str]] = {}
    for play in plays:
        if play.settled is None and play.text is not None and play.other is not None:
            for first, second in ((play.text, play.other), (play.other, play.text)):
                orders.setdefault((text_digest(first), text_digest(second)), (first.strip(), second.strip()))
    return orders


async def compare_all(
    store: Store, comparing: Comparing | None, experiment: str, cases: Iterable[Case]
) -> Compared | None:
    """Ask for every comparison of these cases that has no word on record yet; None: nobody compares."""
    if comparing is None:
        return None
    compared = Compared()
    rows = await store.run(partial(queries.cells_of, ident=experiment))
    pairs = matchups(rows, comparing.baseline)
    for batch in batches(case for case in cases if case.question.is_long):
        await _compare_batch(store, comparing, pairs, batch, compared)
    await store.flush()
    return compared


async def compare_stored(store: Store, comparing: Comparing, experiment: str) -> Compared | None:
    """The same with the cases that an experiment was stored with."""
    cases = [case async for batch in stored_cases(store, experiment) for case in batch]
    return await compare_all(store, comparing, experiment, cases)


async def left_to_compare(
    store: Store, comparing: Comparing | None, experiment: str, cases: Iterable[Case]
) -> LeftToCompare:
    """What a run that goes on would ask judges for; nobody is asked here."""
    if comparing is None:
        return LeftToCompare()
    await store.flush()
    identities = [prefer_identity(judging, comparing.team) for judging in comparing.judges]
    rows = await store.run(partial(queries.cells_of, ident=experiment))
    pairs = matchups(rows, comparing.baseline)
    missing = of = 0
    for batch in batches(case for case in cases if case.question.is_long):
        stored = await _stored_of(store, pairs, [case.question.digest for case in batch])
        for texts, recorded in stored.values():
            said = {(row["judge"], row["first"], row["second"]) for row in recorded if row["preferred"] is not None}
            asked = [(judge, *order) for judge in identities for order in orders_of(compared_plays(pairs, texts))]
            of += len(asked)
            missing += sum(each not in said for each in asked)
    return LeftToCompare(missing, of)


async def left_to_compare_stored(store: Store, comparing: Comparing, experiment: str) -> LeftToCompare:
    """The same with the cases that an experiment was stored with."""
    cases = [case async for batch in stored_cases(store, experiment) for case in batch]
    return await left_to_compare(store, comparing, experiment, cases)


def cells_compared(pairs: Iterable[Matchup[Any]]) -> list[str]:
    return list(dict.fromkeys(cell["id"] for pair in pairs for cell in (pair.side, pair.opponent)))


def texts_by_question(rows: Iterable[Row]) -> dict[str, dict[tuple[str, int], str | None]]:
    """What episodes answered, by the digest of the question."""
    texts: dict[str, dict[tuple[str, int], str | None]] = defaultdict(dict)
    for row in rows:
        texts[row["question"]][row["cell"], row["repeat"]] = row["answer"]
    return texts


async def _compare_batch(
    store: Store, comparing: Comparing, pairs: Sequence[Matchup[Any]], cases: Sequence[Case], compared: Compared
) -> None:
    stored = await _stored_of(store, pairs, [case.question.digest for case in cases])
    await together(
        _compare_case(store, comparing, case, pairs, *stored[case.question.digest], compared) for case in cases
    )


class _StoredTexts(NamedTuple):
    """What was answered to a question, and all that was said of its answers."""

    texts: AnswersByPlay
    recorded: Sequence[Row]


async def _stored_of(store: Store, pairs: Sequence[Matchup[Any]], questions: Sequence[str]) -> dict[str, _StoredTexts]:
    found = partial(queries.episodes_on, cells=cells_compared(pairs), questions=questions)
    texts = texts_by_question(await store.run(found))
    recorded: dict[str, list[Row]] = defaultdict(list)
    for row in await store.run(partial(preferences_on, questions=questions)):
        recorded[row["question"]].append(row)
    return {digest: _StoredTexts(texts[digest], recorded[digest]) for digest in questions}


async def _compare_case(
    store: Store,
    comparing: Comparing,
    case: Case,
    pairs: Sequence[Matchup[Any]],
    texts: AnswersByPlay,
    recorded: Sequence[Row],
    compared: Compared,
) -> None:
    orders = orders_of(compared_plays(pairs, texts))
    asked = (_ask(store, comparing, judging, case, orders, recorded, compared) for judging in comparing.judges)
    await together(asked)


async def _ask(
    store: Store,
    comparing: Comparing,
    judging: Player,
    case: Case,
    orders: Mapping[TextOrder, tuple[str, str]],
    recorded: Sequence[Row],
    compared: Compared,
) -> None:
    """A judge that failed is asked under a new sample number: the stored replies are those that could not be used."""
    identity = prefer_identity(judging, comparing.team)
    mine = {(row["first"], row["second"]): row for row in recorded if row["judge"] == identity}
    linked = replace(judging, model=LinkedCalls(judging.model, store, case))

    async def one(order: TextOrder) -> None:
        row = mine.get(order)
        if row is not None and row["preferred"] is not None:
            compared.words += 1
            return
        tries = 0 if row is None else row["tries"] or 0
        word = await prefer(linked, case.question, *orders[order], comparing.team.seated(tries))
        word = word if word.preferred is not None else replace(word, tries=tries + 1)
        store.put_later([(schema.preferences, preference_row(case.question.digest, identity, word))])
        if word.preferred is None:
            compared.causes[word.reason or "no word"] += 1
        else:
            compared.words += 1

    await together(map(one, orders))


def preference_row(question: str, judge: str, word: Preference) -> dict[str, Any]:
    return {
        "question": question,
        "first": word.first,
        "second": word.second,
        "judge": judge,
        "preferred": word.preferred,
        "reason": word.reason,
        "judge_name": word.judge,
        "call_key": word.call,
        "tries": word.tries,
        "said_at": time.time(),
    }


def record_preference(
    connection: Connection,
    question: str,
    first: str,
    second: str,
    preferred: Preferred,
    *,
    person: str,
    reason: str | None = None,
) -> None:
    """A person's word on two answers to a question (its digest), shown in this order; a later one stands over an earlier.

    It counts as the word of a judge of the name ``person:NAME``.
    """
    if preferred not in PREFERRED:
        raise UsageError(f"a preference is one of {', '.join(PREFERRED)}, not {preferred!r}")
    identity = person_identity(person)
    word = Preference(text_digest(first), text_digest(second), identity, preferred, reason)
    if word.first == word.second:
        raise UsageError("the two answers are equal, so that there is nothing to prefer")
    queries.put(connection, schema.preferences, [preference_row(question, identity, word)])
