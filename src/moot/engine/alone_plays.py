"""Which plays of an experiment say what a proposer is worth: in one way of answering alone, on questions that all have.

A player may be asked alone in more than one way, in one call or in two, and each way is another proposer, so to speak. The
labels are those of one of them, and never of whichever the file happens to list last. And what a player was not asked says
nothing of it: a choice is made on the questions that all proposers have played (`stats.shared_questions`).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from moot.errors import UsageError
from moot.stats.counted_words import count
from moot.stats.shared_questions import SharedQuestions, shared_questions
from moot.strategies import Traits
from moot.strategies.natives import SINGLE_CALL

OF_WAYS = ("strategy", "drafts")
"""Columns by which ways of answering alone can be told apart."""


@dataclass(frozen=True, slots=True)
class MissingAlone:
    """Whose labels are missing since it could not be reached, or since a recording has no reply."""

    many: tuple[str, ...] = ()
    """Those missing on more than a few questions, so that nothing may be claimed."""
    questions: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """By player: on which questions it is missing, few or many."""
    words: str = ""


@dataclass(frozen=True, slots=True)
class LabelOrigin:
    """What the labels of an experiment are, for those who read figures made of them."""

    strategy: str
    """The way of answering alone that they are taken from, as reports call it."""
    others: tuple[str, ...]
    """Other ways that the experiment has, and that were not asked for."""
    left_out: int
    """Questions that some proposer has not played."""
    proposers_left_out: Mapping[str, int]
    """Proposers who have too few questions in common with the others, and how many they have played."""
    repeats: int
    never_answered: tuple[str, ...] = ()
    """Players of whom every answer failed: nobody knows how good they are, and they are no proposers."""
    cut_short: bool = False
    """Whether what takes longest is missing of the run, so that nothing may be claimed."""
    missing: MissingAlone = MissingAlone()

    @property
    def claims_nothing(self) -> bool:
        return self.cut_short or bool(self.missing.many)

    @property
    def notes(self) -> list[str]:
        sentences = []
        if self.cut_short:
            sentences.append(
                "The run is unfinished; slow answers, which are more often wrong, are still missing: there are no intervals,"
                " and proposers that are slow when wrong are chosen too often."
            )
        if self.missing.words:
            sentences.append(self.missing.words)
        if self.others:
            others = ", ".join(self.others)
            sentences.append(f"The labels come from {self.strategy}, as a summariser reads them, not from {others}.")
        if self.left_out:
            several = count(self.left_out, "question is", "questions are")
            sentences.append(f"{several} left out, because not all proposers have played them.")
        if self.proposers_left_out:
            names = (f"{name} ({count(played, 'question')})" for name, played in self.proposers_left_out.items())
            sentences.append(f"Left out, with too few questions in common with the others: {', '.join(names)}.")
        if self.never_answered:
            it_is = "it is" if len(self.never_answered) == 1 else "they are"
            never = ", ".join(self.never_answered)
            only = "The choice is among the others."
            sentences.append(f"Left out, since every answer failed and how good {it_is} is unknown: {never}. {only}")
        if self.repeats > 1:
            sentences.append(
                f"Teams are chosen and tested on the first of {self.repeats} repeats; each proposer alone is the mean over all"
                " of them."
            )
        return sentences

    def json(self, kind: str) -> dict[str, Any]:
        """What a row carries of this. `repeats`: of how many its figures are made."""
        return {
            "strategy": self.strategy,
            "repeats": self.repeats if kind == "single" else 1,
            "repeats_played": self.repeats,
            "left_out": self.left_out,
            "proposers_left_out": dict(self.proposers_left_out),
            **({"never_answered": list(self.never_answered)} if self.never_answered else {}),
            **({"cut_short": True} if self.cut_short else {}),
            **({"unreached": list(self.missing.many)} if self.missing.many else {}),
        }


def way_columns(cell: Mapping[str, Any]) -> dict[str, str | None]:
    return {"strategy": cell["label"], "drafts": _traits(cell).drafts}


def played_alone(cell: Mapping[str, Any]) -> bool:
    return _traits(cell).alone


def _traits(cell: Mapping[str, Any]) -> Traits:
    return Traits.of_json(json.loads(cell["traits"] or "{}"))


def one_way(
    cells: Sequence[Mapping[str, Any]], reads: str | None = None
) -> tuple[list[Mapping[str, Any]], tuple[str, ...]]:
    """The cells of one way of answering alone, one a player, and the names of the others.

    `reads`: the drafts that a summariser would be shown; left out, the usual ones.
    """
    labels = sorted({cell["label"] for cell in cells})
    taken = list(cells)
    if not _is_one(taken):
        taken = [cell for cell in cells if _traits(cell).drafts == (reads or SINGLE_CALL)]
    if not _is_one(taken):
        expected = "--where strategy=… or --where drafts=…, so that each plays in one"
        raise UsageError(f"there are several ways of answering alone ({', '.join(labels)}); expected {expected}")
    return taken, tuple(label for label in labels if label != taken[0]["label"])


def _is_one(cells: Sequence[Mapping[str, Any]]) -> bool:
    """Whether everybody plays once, and all in the same way."""
    return len({cell["label"] for cell in cells}) == 1 and len({cell["player"] for cell in cells}) == len(cells)


def in_common(played: Mapping[str, Collection[str]], questions: Iterable[str]) -> SharedQuestions:
    """The proposers and questions that a choice can be made among."""
    shared = shared_questions(played, list(questions))
    if shared.none_ranked:
        raise UsageError(
            f"{shared.why_none.replace('ranked', 'chosen among')}; run the experiment on, or keep fewer of them"
        )
    if not shared.questions:
        raise UsageError("nothing has been played alone yet; run the experiment first")
    return shared
