"""Values of which not all are known: an answer that no grader has settled is neither right nor wrong.

A figure is taken over what is graded. Beside it stand the bounds: what it would be over everything, were all that is
open wrong, and were all of it right. A difference is lowest where what is open is wrong for the first and right for the
second. What waits for a grade is in the interval as well, at its worst below and at its best above: `stats.completions`.

There is no such figure where being graded hangs on what an answer says (`why_unfair`, `fair`). One that matches the
reference is right without a judge, and one that does not waits for the judge; a grader may be sure only of what is right;
a person who says that the team's answer is right grades every equal draft, and none that differs. While many still wait,
those that are graded tell nothing of the others. Nor where a player was heard only on some questions because of what the
others had said, or of who was faster. Then the figure is null, it is said why, and the bounds are all that is known.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from moot.stats.clusters import value_rows
from moot.stats.completions import Between
from moot.stats.counted_words import count, no_interval_words
from moot.stats.estimates import Row, estimate, estimate_row
from moot.stats.proportion import Share, share, share_between
from moot.stats.values import PlainMarks, PlainValues
from moot.stats.values import Value as Value
from moot.types import ABSTAINED, FAILED, Estimate

FEW_WAITING = 0.05
"""Up to this share of answers that still wait for a grade, a figure over the others stands, with its bounds."""

WayOfGrading = Literal["at once", "judge", "waiting", "nobody", "nothing said", "not heard", "again"]
"""How an answer came by its grade: without a judge; by one, or by whoever is in its place; not yet, although somebody has
said what is right, so that it waits; not at all, since nobody has; the same where nothing was said, which cannot be right
whatever is; or it was never heard, since the team did not wait; or it will be played again, and is taken for open until then."""


ValuesByName = Mapping[str, Mapping[str, Value]]
"""By player or model, and then by question: what it got right."""


COUNTS = ("answers", "waiting", "judged", "not_heard", "nobody")


@lru_cache(maxsize=1024)  # nearly all are right or wrong at once, and there may be hundreds of thousands
def graded_value(right: float | None, way: WayOfGrading = "at once") -> Value:
    """Of one answer."""
    judged, not_heard, again = (int(way == each) for each in ("judge", "not heard", "again"))
    waiting = int(way == "waiting" or again)
    nobody = int(way in ("nobody", "nothing said"))
    least, most = (0.0, 1.0) if right is None else (right, right)
    if way == "nothing said":
        most = 0.0
    return Value(right, least, most, 1, waiting, judged, not_heard, nobody, again=again)


def said_value(right: float | None, way: WayOfGrading, words: str | None) -> Value:
    """The same, of words that are as good as equal ones, whatever their grade will be; they matter where there is none."""
    value = graded_value(right, way)
    return value if right is not None or words is None or way == "not heard" else value._replace(words=((words, 1.0),))


def ended_value(value: Value, outcome: str, never_came: str | None = None) -> Value:
    """The same, with that nothing was said: since it was not sure enough, which is not right, and no error either; or since a
    call failed, be it to a question that nobody can grade: asked again it may be right, and the bounds leave room for that.
    `never_came`: whose answer it is, where every one failed."""
    if outcome == FAILED:
        whose = () if never_came is None or value.known is None else (never_came,)
        most = value.most if value.known is not None else 1.0
        return value._replace(most=most, failed=1, never_came=whose)
    return value._replace(abstained=1) if outcome == ABSTAINED else value


UNGRADED = "answers are ungraded"


def why_unfair(answers: int, waiting: int, judged: int, nobody: int = 0, *, of: str = UNGRADED) -> str | None:
    """Why a figure over those that are graded would flatter; None: it may stand.

    `judged`: of those that a judge had to see, how many it has settled. Where it has settled none, all that is graded
    is what matched; where it has settled some, those left may be few enough to be left out. `nobody`: how many can have
    no grade; that they have none says nothing about the others, be they few or many.
    """
    gradable = answers - nobody
    if not waiting or (judged and waiting <= FEW_WAITING * gradable):
        return None
    where = " where somebody has said what is right" if nobody else ""
    return f"{waiting:,} of {gradable:,} {of}{where}, and whether one is graded hangs on what it says"


def why_not_heard(heard: int, asked: int) -> str:
    if not heard:
        return f"not heard in any of {asked:,} plays: nobody waited for it"
    return f"heard in {heard:,} of {asked:,} plays: in the others nobody waited for it"


def why_unknown(values: Iterable[Value], *, of: str = UNGRADED) -> str | None:
    """Why these give no figure although some of them are graded; None: they give one."""
    if isinstance(values, PlainValues):
        return None
    every = list(values)
    if not_heard := sum(value.not_heard for value in every):
        asked = sum(value.answers for value in every)
        return why_not_heard(asked - not_heard, asked)
    if why := why_never_came(every):
        return why
    counts = (sum(getattr(value, name) for value in every) for name in ("answers", "waiting", "judged", "nobody"))
    answers, waiting, judged, nobody = counts
    return why_unfair(answers, waiting - sum(value.again for value in every), judged, nobody, of=of)


def _counted_once(values: Sequence[Value]) -> tuple[int, int, int, int, int]:
    """Several answers as one, by `answers` to `nobody`: one that waits makes all wait, one that nobody can grade leaves
    all without a grade for that reason."""
    waiting, judged = any(value.waiting for value in values), any(value.judged for value in values)
    not_heard, nobody = any(value.not_heard for value in values), any(value.nobody for value in values)
    return 1, int(waiting), int(judged), int(not_heard), int(nobody and not waiting)


def _graders_wait(values: Iterable[Value]) -> bool:
    """Whether one of them waits for its grade, and not only to be played again."""
    return any(value.waiting > value.again for value in values)


def fair(values: Mapping[str, Value]) -> Mapping[str, Value]:
    """The same, none of them known where those that are graded would flatter: for the figure, not for its bounds."""
    if why_unknown(values.values()) is None:
        return values
    return {question: value._replace(known=None) for question, value in values.items()}


def least_of(values: Mapping[str, Value]) -> dict[str, float]:
    """The least that each question can be of which something is ungraded: what a choice goes by, and no figure."""
    return {question: value.least for question, value in values.items() if value.open}


def marks_of(values: Mapping[str, Value]) -> dict[str, float | None]:
    """What was played, by question, as a choice among options takes it; None: nothing of it is graded."""
    return {question: value.known for question, value in values.items()}


def value_of(grades: Sequence[float | None]) -> Value:
    """From the grades of a question's plays; None is ungraded."""
    if len(grades) == 1:  # nearly always
        only = grades[0]
        return Value(None, 0.0, 1.0) if only is None else Value(only, only, only)
    graded = [grade for grade in grades if grade is not None]
    total, n = sum(graded), len(grades)
    if len(graded) == n:
        mean = total / n
        return Value(mean, mean, mean, n)
    return Value(total / len(graded) if graded else None, total / n, (total + n - len(graded)) / n, n)


def best_value(values: Sequence[Value]) -> Value:
    """The highest of several answers: known where all of them are graded.

    One that is right settles the question, but were such questions counted and those left out where all that is graded
    is wrong, the share would be right by construction: what is known must not hang on how it turned out.
    """
    highest, most = max(value.least for value in values), max(value.most for value in values)
    counted = _counted_once(values)
    if any(value.known is None for value in values):
        return Value(None, highest, most, *counted, again=int(not _graders_wait(values) and counted[1]))
    return Value(highest, highest, highest, *counted)


def mean_value(values: Sequence[Value]) -> Value:
    """Several values of one question as one: the mean over those that are known."""
    if len(values) == 1:
        return values[0]
    known_values = [value.known for value in values if value.known is not None]
    n = len(values)
    least, most = sum(value.least for value in values) / n, sum(value.most for value in values) / n
    answers, waiting, judged, not_heard, nobody = (sum(getattr(value, name) for value in values) for name in COUNTS)
    words: dict[str, float] = {}
    for value in values:
        for word, part in value.words:
            words[word] = words.get(word, 0.0) + part / n
    known_mean = sum(known_values) / len(known_values) if known_values else None
    said = tuple(sorted(words.items()))
    abstained, failed = (sum(getattr(value, name) for value in values) for name in ("abstained", "failed"))
    again = sum(value.again for value in values)
    mean = Value(
        known_mean, least, most, answers, waiting, judged, not_heard, nobody, said, abstained, failed, (), again
    )
    return mean._replace(never_came=who_never_came(values)) if failed else mean


def whole_mean(values: Sequence[Value]) -> Value:
    """The same, known only where all of them are: else it would be the mean of others from question to question."""
    mean = mean_value(values)
    return mean if all(value.known is not None for value in values) else mean._replace(known=None)


def with_settled(values: Mapping[str, Value]) -> dict[str, Value]:
    """The same, all known, where the ungraded answers can change none of them: then nothing is left out by how it came."""
    if any(value.least < value.most for value in values.values()):
        return dict(values)
    return {
        question: Value(value.least, value.least, value.most, value.answers, 0, value.judged)
        for question, value in values.items()
    }


def known(values: Mapping[str, Value]) -> dict[str, float]:
    """What is graded, by question; a question of which nothing is graded is left out."""
    if isinstance(values, PlainMarks):
        return values.known
    return {question: value.known for question, value in values.items() if value.known is not None}


def bounds_row(values: Iterable[Value]) -> Row:
    """``{"ungraded", "bounds": {"low", "high"}}`` over all of them; nothing where all is graded.

    `ungraded` counts questions: one of whose two repeats one is graded is half a question.
    """
    every = () if isinstance(values, PlainValues) else list(values)
    if not any(value.open for value in every):
        return {}
    low, high = sum(value.least for value in every), sum(value.most for value in every)
    bounds = {"low": low / len(every), "high": high / len(every)}
    return {"ungraded": _whole(high - low), "bounds": bounds}


def _whole(count: float) -> float | int:
    nearest = round(count)
    return nearest if abs(count - nearest) < 1e-9 else count


def completed(values: Mapping[str, Value], *, best: bool) -> dict[str, float]:
    """By question, were all that waits right, or wrong; without what will never have a grade."""
    ends = {question: value.best if best else value.worst for question, value in values.items()}
    return {question: end for question, end in ends.items() if end is not None}


def something_waits(values: Mapping[str, Value]) -> bool:
    return not isinstance(values, PlainMarks) and any(value.waiting for value in values.values())


def graded_share(values: Mapping[str, Value]) -> Share | Between | None:
    """The mean over what is graded, with limits that hold whatever waits turns out to be; None where there is none."""
    graded = known(fair(values))
    if not graded:
        return None
    seen = share(value_rows(graded))
    if not something_waits(values):
        return seen
    return share_between(seen, completed(values, best=False), completed(values, best=True))


def graded_estimate(values: Mapping[str, Value]) -> Estimate | None:
    """The same with its 95 % interval."""
    if not something_waits(values):
        return estimate(known(fair(values)))
    figure = graded_share(values)
    return None if figure is None else figure.estimate()


def at_worst(values: Mapping[str, Value]) -> Estimate | None:
    """The same with all wrong that waits; None where nothing does."""
    if not something_waits(values):
        return None
    figure = graded_share(values)
    assert figure is None or isinstance(figure, Between), "something waits"
    return None if figure is None else figure.estimate_at_worst()


def accuracy_row(values: Mapping[str, Value], name: str = "value") -> Row:
    """The mean over what is graded with its interval, the bounds over all, and why there is none where there is none."""
    row = estimate_row(graded_estimate(values), name)
    row |= bounds_row(values.values())
    if row[name] is None:
        row["why"] = why_none(values)
    return row


def why_none(values: Mapping[str, Value]) -> str:
    """Why there is no figure of these."""
    some = known(values) or any(value.not_heard for value in values.values())
    return (why_unknown(values.values()) if some else None) or why_nothing(len(values))


def why_nothing(questions: int) -> str:
    if not questions:
        return "nothing has been played yet"
    return f"none of the answers to {count(questions, 'question')} is graded"


def who_never_came(values: Iterable[Value]) -> tuple[str, ...]:
    """Each once, in the order of their names."""
    if isinstance(values, PlainValues):
        return ()
    return tuple(sorted({name for value in values for name in value.never_came}))


def why_never_came(values: Iterable[Value]) -> str | None:
    """Why there is no figure of these, and nothing may be held against them; None: all of them have answered something.

    Somebody of whom every call failed is not right wherever it was asked. To be better than that is to be there, and no more;
    a share of it, or a mean over several of whom it is one, would be read as how good they are.
    """
    names = who_never_came(values)
    if not names:
        return None
    they_are = "it is" if len(names) == 1 else "they are"
    return f"every answer of {' and of '.join(names)} failed, and nobody knows how good {they_are}"


def why_unfair_together(groups: Sequence[Sequence[Value]], *, of: str = "questions") -> str | None:
    """The same of figures that hold several values against each other: nor is there one of somebody who never answered."""
    return why_never_came(value for group in groups for value in group) or why_ungraded_together(groups, of=of)


def why_ungraded_together(groups: Sequence[Sequence[Value]], *, of: str = "questions") -> str | None:
    """The same of what is counted only, which what never came is no part of. One that waits makes all of them wait."""
    if not groups:
        return None
    counts = zip(*(_counted_once(group) for group in groups), strict=True)
    answers, _, judged, not_heard, nobody = map(sum, counts)
    waiting = sum(map(_graders_wait, groups))
    if not_heard:
        return f"{not_heard:,} of {answers:,} {of} have an answer that nobody waited for"
    return why_unfair(answers, waiting, judged, nobody, of=f"{of} have an ungraded answer")


def settled(bounds: Mapping[str, float | None] | None, threshold: float, *, above: bool) -> bool:
    """Whether a figure lies on this side whatever the ungraded answers turn out to be; None: everything is graded."""
    if bounds is None:
        return True
    low, high = bounds["low"], bounds["high"]
    return low is not None and low > threshold if above else high is not None and high < threshold


def why_no_interval(questions: Iterable[Sequence[Value]]) -> str | None:
    """Said of a figure that is no mean, of which nobody has taken how far what waits could move its interval; None: nothing
    waits."""
    waiting = sum(any(value.waiting for value in several) for several in questions)
    if not waiting:
        return None
    return no_interval_words(waiting)


NO_WAY = 1e-9
"""A way that is no longer is none: totals of means over repeats that are equal differ in their last digits."""


class Total(NamedTuple):
    """What several questions add up to, at the least and at the most."""

    least: float
    most: float


def total_of(values: Iterable[Value]) -> Total:
    every = list(values)
    return Total(math.fsum(value.least for value in every), math.fsum(value.most for value in every))


def highest_total(several: Iterable[Total]) -> Total:
    """Of whoever turns out to be the best: no less than the least of each, and no more than the most of any."""
    every = list(several)
    return Total(max(total.least for total in every), max(total.most for total in every))


def closure_bounds(reached: Total, start: Total, top: Total) -> dict[str, float] | None:
    """How far (reached - start) / (top - start) can lie, all three over the same questions.

    None where the way from start to top may be nothing. Both ends of the way are taken at their worst at once, so the
    bounds hold, and may be wider than they need be.
    """
    rises = (reached.least - start.most, reached.most - start.least)
    ways = (top.least - start.most, top.most - start.least)
    if ways[0] <= NO_WAY:
        return None
    ends = [rise / way for rise in rises for way in ways]
    return {"low": min(ends), "high": max(ends)}
