"""How often each model is right: as its log says, and as we grade the same replies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from moot.data.logs.answers import AnsweredReply, worth_here
from moot.data.logs.log import LoggedFigure
from moot.types import Case


@dataclass(frozen=True, slots=True)
class ImportedModel:
    name: str
    questions: int
    """To which it has at least one reply."""
    samples: int
    missing: int
    """Samples of its log without a reply."""
    unread: int
    """Replies from which no answer could be taken."""
    stated: float | None
    """The accuracy that the log gives: as it states it, else the mean of its verdicts. None: it has no verdicts."""
    metric: str | None
    """What the log calls that; None: it is our mean of its verdicts."""
    mean: float | None
    """Of its verdicts on single replies; None: it has none."""
    here: float | None
    """Of the same replies, graded here. None: no references."""
    judged: int
    """Replies on which the log has a verdict."""
    graded: int
    """Replies that are graded here: those to questions with a reference."""
    differing: int
    """Replies on which the two verdicts differ."""
    cost_usd: float | None
    """Of all its replies; None where the log does not say it of each."""


def figures_of(
    replies: Sequence[AnsweredReply], cases: Mapping[str, Case], figures: Sequence[LoggedFigure]
) -> list[ImportedModel]:
    models: dict[str, list[AnsweredReply]] = {}
    for reply in replies:
        models.setdefault(reply.logged.model, []).append(reply)
    return [_of_model(name, of_model, cases, figures) for name, of_model in models.items()]


def _of_model(
    name: str, replies: Sequence[AnsweredReply], cases: Mapping[str, Case], figures: Sequence[LoggedFigure]
) -> ImportedModel:
    said = [reply for reply in replies if reply.said]
    theirs = {id(reply): reply.logged.worth for reply in replies}
    ours = {id(reply): worth_here(reply, cases[reply.question.id]) for reply in replies if reply.question.id in cases}
    stated = [figure for figure in figures if figure.model == name]
    costs = [reply.logged.cost_usd for reply in said]
    known = [cost for cost in costs if cost is not None]
    mean = _mean(replies, theirs)
    tasks = {reply.logged.question.task for reply in replies}
    alone = stated[0] if len(stated) == 1 and len(tasks) == 1 else None
    return ImportedModel(
        name,
        len({reply.question.id for reply in said}),
        len(replies),
        len(replies) - len(said),
        sum(reply.answer is None and not reply.read_in_play for reply in said),
        mean if alone is None else alone.value,
        None if alone is None else alone.metric,
        mean,
        _mean(replies, ours) if ours else None,
        sum(worth is not None for worth in theirs.values()),
        len(ours),
        sum(theirs[id(reply)] not in (None, ours[id(reply)]) for reply in replies if id(reply) in ours),
        sum(known) if known and len(known) == len(costs) else None,
    )


def _mean(replies: Sequence[AnsweredReply], worth: Mapping[int, float | None]) -> float | None:
    """Over questions, of which each counts by the mean of its samples."""
    by_question: dict[str, list[float]] = {}
    for reply in replies:
        if (value := worth.get(id(reply))) is not None:
            by_question.setdefault(reply.question.id, []).append(value)
    means = [sum(values) / len(values) for values in by_question.values()]
    return sum(means) / len(means) if means else None
