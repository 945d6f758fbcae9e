"""How alike the agents' final answers are, beside how right they were: little point in three voices that say the same.

By the cosine of the packaged embedding where its weights are here, and else by the words that two answers share. Which
of the two it was is said beside the figure, for they are not comparable.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from moot.grade.embedding import MODEL, Encoder, read_safetensors
from moot.grade.normalise import normalise
from moot.grade.wordpiece import WordPiece
from moot.measures.discussion.talks import Cosine, Talk, overlap_cosine, similarity, values_of
from moot.measures.source import Source
from moot.models import packaged
from moot.models.cut_out import was_cut
from moot.stats.estimates import estimate_row
from moot.stats.graded import accuracy_row
from moot.stats.paired import rests_on_few
from moot.types import seeded

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Row = dict[str, Any]
Answers = Mapping[str, Sequence[Sequence[str]]]
WORDS = "words in common"
EMBEDDED = 400
"""Texts to embed for one report, at some 15 ms each. With more, a sample of the questions is taken and said."""


def similarity_figures(source: Source, discussions: Sequence[tuple[Row, Sequence[Talk], Answers]]) -> list[Row]:
    """A row for each cell in which at least two agents had a final answer."""
    embedding = packaged.find(MODEL).there
    questions = {question for _, _, answers in discussions for question in answers}
    chosen = _affordable(source.seed, questions, [answers for _, _, answers in discussions]) if embedding else questions
    cosine = _embedded() if embedding else _plain
    rows = []
    for named, talks, answers in discussions:
        taken = {question: _whole(repeats) for question, repeats in answers.items() if question in chosen}
        likeness = similarity(taken, cosine, seed=source.seed)
        if likeness is not None:
            right = accuracy_row(values_of(talks), "accuracy")
            method = f"cosine of {MODEL}" if embedding else WORDS
            more = {"method": method, "sampled": len(chosen) < len(questions), "small": rests_on_few(likeness)}
            kept = {"accuracy": right["accuracy"], "accuracy_n": right["n"]}
            kept |= {key: right[key] for key in ("ungraded", "bounds", "why") if key in right}
            rows.append({**named, **estimate_row(likeness, "similarity"), **kept, **more})
    return rows


def _whole(repeats: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    """Without the plays in which an answer has lost a part: how like the others it was nobody can tell."""
    return [final_answers for final_answers in repeats if not any(map(was_cut, final_answers))]


def _affordable(seed: int, questions: Iterable[str], answer_sets: Sequence[Answers]) -> set[str]:
    """As many questions, drawn by the seed, as can be embedded; where all say the same, nothing need be."""
    order = sorted(questions)
    seeded(seed, "similarity").shuffle(order)
    chosen: set[str] = set()
    texts: set[str] = set()
    for question in order:
        wordings = [
            {normalise(text) for text in final_answers}
            for answers in answer_sets
            for final_answers in _whole(answers.get(question, ()))
        ]
        texts |= {text for different in wordings if len(different) > 1 for text in different}
        if len(texts) > EMBEDDED and chosen:
            break
        chosen.add(question)
    return chosen


def _plain(one: str, other: str) -> float:
    return overlap_cosine(normalise(one), normalise(other))


def _embedded() -> Cosine:
    """The plain cosine of two texts' vectors, each made once."""
    folder = packaged.path(MODEL)
    encoder = Encoder(read_safetensors(folder / "model.safetensors"), WordPiece.from_file(folder / "vocab.txt"))

    @cache
    def vector(text: str) -> NDArray[np.float32]:
        from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # comes with scikit-learn

        with threadpool_limits(1):  # products so small that several threads only wait for each other
            embedding: NDArray[np.float32] = encoder.encode([text])[0]
        return embedding

    def cosine(one: str, other: str) -> float:
        ours, theirs = normalise(one), normalise(other)
        return 1.0 if ours == theirs else float(vector(ours) @ vector(theirs))

    return cosine
