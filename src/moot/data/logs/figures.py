"""How often each model is right: as its log says, and as we grade the same replies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from moot.data.logs.answers import AnsweredReply, worth_here
from moot.data.logs.log import LoggedFigure
from moot.types import Case

ROUNDED = 0.0005
"""By which a figure may differ that a tool has rounded."""


@dataclass(frozen=True, slots=True)
class OtherFigure:
    """What a log states of a task, where it is not the mean of its verdicts."""

    task: str
    metric: str
    value: float
    mean: float | None
    """Of its verdicts; None: it has none on single replies."""
    of_more: bool = False
    """Whether it is of questions too that are left out here."""


@dataclass(frozen=True, slots=True)
class ImportedModel:
    name: str
    questions: int
    """To which it has at least one reply."""
    samples: int
    missing: int
    """Samples of its log without a reply."""
    unread: int
    """Replies from which no answer could be taken, without those that refuse one."""
    stated: float | None
    """The accuracy that the log gives: as it states it, else the mean of its verdicts. None: it has no verdicts."""
    metric: str | None
    """What the log calls that; None: it is our mean of its verdicts."""
    otherwise: tuple[OtherFigure, ...]
    """Figures of its log that are made of something else than its verdicts on single replies."""
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
    theirs = {id(reply): reply.worth for reply in replies}
    here = {id(reply): worth_here(reply, cases[reply.question.id]) for reply in replies if reply.question.id in cases}
    ours = {key: worth for key, worth in here.items() if worth is not None}
    stated = [figure for figure in figures if figure.model == name]
    # A call that was never made costs nothing; one that failed may be on the bill, where the log says so.
    costs = [reply.logged.cost_usd for reply in replies if reply.said or reply.logged.cost_usd is not None]
    known = [cost for cost in costs if cost is not None]
    mean = _mean(replies, theirs)
    tasks = {reply.logged.question.task for reply in replies}
    alone = stated[0] if len(stated) == 1 and len(tasks) == 1 else None
    return ImportedModel(
        name,
        len({reply.question.id for reply in said}),
        len(replies),
        len(replies) - len(said),
        sum(reply.answer is None and not reply.read_in_play and not reply.logged.refused for reply in said),
        mean if alone is None else alone.value,
        None if alone is None else alone.metric,
        tuple(_otherwise(replies, theirs, stated)),
        _mean(replies, ours) if ours else None,
        sum(reply.logged.worth is not None for reply in replies),
        len(ours),
        sum(theirs[id(reply)] not in (None, ours[id(reply)]) for reply in replies if id(reply) in ours),
        sum(known) if known and len(known) == len(costs) else None,
    )


def _otherwise(
    replies: Sequence[AnsweredReply], theirs: Mapping[int, float | None], stated: Sequence[LoggedFigure]
) -> Iterator[OtherFigure]:
    for figure in stated:
        mean = _mean([reply for reply in replies if reply.logged.question.task == figure.task], theirs)
        if mean is None or abs(mean - figure.value) > ROUNDED:
            yield OtherFigure(figure.task, figure.metric, figure.value, mean, figure.of_more)


def _mean(replies: Sequence[AnsweredReply], worth: Mapping[int, float | None]) -> float | None:
    """Over questions, of which each counts by the mean of its samples."""
    by_question: dict[str, list[float]] = {}
    for reply in replies:
        if (value := worth.get(id(reply))) is not None:
            by_question.setdefault(reply.question.id, []).append(value)
    means = [sum(values) / len(values) for values in by_question.values()]
    return sum(means) / len(means) if means else None
