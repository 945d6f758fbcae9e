"""Of whom a reply is missing that may come yet, and what is said of methods all the same.

A label that is missing counts as not right, and so does a vote that lacks it. Of three who say the very same each may have lost
other replies: then a team of them is right more often than any of them, by what was lost alone. So that one method is better
than another is said only where it is so whatever such labels would be. A question that a team lacks somebody on is open then,
like one that nobody has graded; the teams stay those that were chosen.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from moot.engine.alone_plays import MissingAlone
from moot.measures.claims.plays_without import too_many_without
from moot.measures.claims.standing import standing
from moot.measures.missing_words import missing_words, way_out
from moot.measures.selection.figures import method_rows
from moot.measures.source import Source
from moot.select.labels import LabelMatrix
from moot.select.trial import Trial
from moot.stats.counted_words import few_names
from moot.types import FAILED

Row = dict[str, Any]


def missing_alone(source: Source, players: Collection[str], asked: Collection[str]) -> dict[str, Any]:
    """What a choice among these, on what was asked, has to know: whether the slowest is missing, and who is. Nobody of a served
    team, whom nobody asks again."""
    alone = [cell for cell in source.cells if cell["player"] in players]
    questions: dict[str, set[str]] = {}
    recorded: set[str] = set()
    for cell in () if source.served else alone:
        for seen in source.seen(cell):
            if seen.key[0] in asked and (seen.unreached or seen.outcome == FAILED):
                questions.setdefault(str(cell["player"]), set()).add(seen.key[0])
                recorded.update([str(cell["player"])] if seen.unrecorded else [])
    many = sorted({str(cell["player"]) for cell in alone if too_many_without(source, [cell], asked)})
    words = _words(questions, many, recorded, len(asked)) if questions else ""
    missing = MissingAlone(tuple(many), {name: frozenset(own) for name, own in questions.items()}, words)
    return {"cut_short": source.cut_short, "missing": missing}


def _words(questions: Mapping[str, set[str]], many: Sequence[str], recorded: set[str], asked: int) -> str:
    who = many or sorted(questions)
    told = f"{missing_words(who, recorded.intersection(who))} ({few_names(who)})"
    out = way_out(who, recorded.intersection(who), "moot run asks them again")
    if many:
        return (
            f"On more than a few questions {told}; these labels count as not right: there are no intervals, and whoever is"
            f" missing is chosen too seldom; {out}."
        )
    several = len(set().union(*questions.values()))
    return (
        f"On {several:,} of {asked:,} questions {told}; these labels count as not right, and one method is said to be better than"
        f" another only where it is so whatever they would be; {out}."
    )


def whatever_is_missing(
    rows: Sequence[Row],
    labels: LabelMatrix,
    trials: Sequence[Trial],
    missing: Mapping[str, frozenset[str]],
    *,
    against: str | None,
) -> list[Row]:
    """Rows of methods, without what is not claimed of them where what is `missing` may be anything. By proposer: on which
    questions."""
    if not missing:
        return list(rows)
    lacks = np.array([[q in missing.get(str(who), ()) for q in labels.questions] for who in labels.proposers])
    others = method_rows(replace(labels, settled=True), [_opened(trial, lacks) for trial in trials], against=against)
    return [_standing(row, other) for row, other in zip(rows, others, strict=True)]


def _opened(trial: Trial, lacks: np.ndarray[Any, np.dtype[np.bool_]]) -> Trial:
    open_questions = lacks[list(trial.team)][:, trial.tested].any(axis=0)
    right, known = (np.where(open_questions, np.nan, values) for values in (trial.right, trial.known))
    return replace(trial, right=right, known=known)


def _standing(row: Row, other: Row) -> Row:
    """Of shares nothing is claimed, so they keep their intervals."""
    beaten_by = row["beaten_by"] if row["beaten_by"] == other["beaten_by"] else None
    return {**row, "over": standing(row["over"], other["over"]), "beaten_by": beaten_by}
