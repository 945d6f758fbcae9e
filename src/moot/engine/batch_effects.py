"""What showing several answers at once does to a judge's words."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import partial

from moot.engine.answer_sheets import stored_cases
from moot.grade.grading import Grading
from moot.grade.judge import batches_on_record, judge_identity
from moot.store import queries
from moot.store.store import Store


@dataclass(frozen=True, slots=True)
class BatchEffect:
    """One judge's words on the same answers, shown as this grading shows them, and shown otherwise."""

    judge: str
    batch: int | None
    """How many answers it saw in a call otherwise; None: up to twenty, by a version that had no choice."""
    pairs: tuple[tuple[bool, bool], ...]


async def batch_effects(store: Store, grading: Grading, experiment: str) -> list[BatchEffect]:
    """What showing several answers at once does to a judge's words, where both are on record."""
    words: dict[str, dict[tuple[str, str], bool]] = defaultdict(dict)
    async for cases in stored_cases(store, experiment):
        for row in await store.run(partial(queries.judgements_on, cases=[case.digest for case in cases])):
            if row["right"] is not None:
                words[row["judge"]][row["case"], row["answer"]] = bool(row["right"])
    effects: list[BatchEffect] = []
    for judging in grading.judges:
        own = words.get(judge_identity(judging, grading.team, grading.batch), {})
        for shown_to, batch in batches_on_record(judging, grading.team, list(words)).items():
            pairs = tuple((own[place], right) for place, right in words[shown_to].items() if place in own)
            if batch != grading.batch and pairs:
                effects.append(BatchEffect(judging.name, batch, pairs))
    return effects
