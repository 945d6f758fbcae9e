"""What `moot advise` prints: the frontier, the point to take in one sentence, and what would tell more. One screen, or JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from moot.advise.advice import VALID, Advice, ClaimedPoint
from moot.advise.frontier import LITTLE, AdviceWanted, unbeaten
from moot.advise.further import Surer
from moot.advise.options import SINGLE
from moot.cli.advise_cost_words import cheapest_words, why_the_best
from moot.cli.advise_input import AdviceInput
from moot.cli.advise_next import next_rows, next_words
from moot.cli.advised_against import other_verdict_words, verdict_json
from moot.decide.rules import DIGITS
from moot.pasted import lines_of
from moot.stats.counted_words import count
from moot.stats.written_numbers import dollars, of_hundred
from moot.types import Estimate

WIDE, HIGH = 80, 24
MOST_DIGITS = 10
"""With so many a share is told, where fewer would say the contrary of what is said of it."""


def sentence(advice: Advice, wanted: AdviceWanted) -> str:
    """The point to take, and why it."""
    taken = advice.recommended
    if taken is None:
        return f"Nothing can be advised: {advice.why_none}."
    what = f"{taken.option.words(advice.players)} ({_share(taken.accuracy)} right{_price(taken)})"
    within, weighed = _within(wanted), f"of the {count(len(advice.points), 'option')} weighed"
    on_all = f"on all {advice.n:,} questions"
    if wanted.min_accuracy is not None:
        return f"{_least_words(advice, what, wanted.min_accuracy, within, weighed)}{_beyond(taken, wanted)}"
    if within:
        best = f"{weighed} it is the most accurate within the limit, {on_all}."
        beyond = _beyond(taken, wanted)
        mean = f", by the mean of all {advice.n:,} questions," if beyond else ""  # the price that follows is of some
        return f"{within.removeprefix(', ').capitalize()}{mean or ','} take {what}: {best}{beyond}"
    if wanted.most_accurate:
        return f"Take {what}: {weighed} it is the most accurate {on_all}, as requested."
    if taken is advice.best:
        return f"Take {what}: {why_the_best(advice, taken, weighed, on_all)}."
    default = f"{cheapest_words(advice, taken)} within one standard error of the most accurate, {weighed} {on_all}"
    return f"Take {what}: no goal was given, so it is {default}."


def _least_words(advice: Advice, what: str, least: float, within: str, weighed: str) -> str:
    """What is shown, what is likely, and what is not: each in words that say no more."""
    taken, asked = advice.recommended, f"{100 * least:.{MOST_DIGITS}g} %"
    assert taken is not None, "looked at before"
    of_all = f"{_told_from(taken.on_all.accuracy, least)} % of all {advice.n:,} questions"
    if advice.least == "shown":
        return f"For {asked} or more{within}, take {what}: its whole interval is above that."
    if advice.least == "likely":
        new = "" if advice.to_show is None else f"; {_about(advice.to_show)} would show it, if it is as good on them"
        cheapest = f"{cheapest_words(advice, taken)} that likely reaches {asked} or more{within}"
        return (
            f"Take {what}: {weighed} it is {cheapest}; it has {of_all}."
            f" That is likely but not shown: its interval extends below{new}."
        )
    if advice.least == "open":
        return (
            f"Take {what}: {weighed} it is the most accurate{within}, with {of_all}. Whether it reaches {asked} on other"
            " questions is open: it is too close to call."
        )
    high = taken.accuracy.high
    open_above = "" if high is None or high < least else " On other questions it may: its interval extends above."
    none = f"None {weighed} reaches {asked}{within} on these questions."
    return f"{none} The most accurate is {what}, with {of_all}.{open_above}"


def _told_from(accuracy: float, least: float) -> str:
    """In %, with as many digits as it takes not to look equal to what was asked for, or beyond it."""
    for digits in range(1, MOST_DIGITS):
        told = of_hundred(accuracy, digits)
        if (float(told) < 100 * least - LITTLE) == (accuracy < least - LITTLE):
            return told
    return told


def _about(questions: int) -> str:
    """No more digits than such a guess has."""
    step = 10 ** max(0, len(str(questions)) - 2)
    return f"about {-(-questions // step) * step:,} new questions alone"


def most_accurate_words(advice: Advice, wanted: AdviceWanted) -> str | None:
    """What else might be taken, and what it is ahead by: the most accurate, where the one to take is another."""
    taken, best, more = advice.recommended, advice.best, advice.surer
    if taken is None or best is None or more is None or taken is best:
        return None
    ends = (None, None) if more.low is None or more.high is None else (-more.high, -more.low)
    gap = f"{of_hundred(-more.difference, sign=True)} points{_ends(*ends, sign=True)}"
    what = f"{best.option.words(advice.players)} has {_share(best.accuracy)} right{_price(best)}"
    taken_by = "" if wanted.anything else " --most-accurate picks it."
    return (
        f"The most accurate of them over all questions: {what} on the held-out ones, {gap} against it there.{taken_by}"
    )


def unreached(advice: Advice) -> bool:
    """Whether the least accuracy that was asked for is one that nothing has on these questions."""
    return advice.least == "not reached"


def _beyond(taken: ClaimedPoint, wanted: AdviceWanted) -> str:
    """Limits are kept on all questions; what is printed is of those kept apart, where it may take more."""
    over = []
    usd, most = taken.played.usd_per_1000, wanted.budget_usd_per_1000
    if usd is not None and most is not None and usd > most and dollars(usd) != dollars(most):
        over.append(f"{dollars(usd)} for 1,000 questions")
    slow, latest = taken.played.mean_seconds, wanted.max_seconds
    if slow is not None and latest is not None and slow > latest and f"{slow:.3g}" != f"{latest:.3g}":
        over.append(f"{slow:.3g} seconds")
    return f" But on the held-out questions alone it took {' and '.join(over)}." if over else ""


def _within(wanted: AdviceWanted) -> str:
    limits = []
    if wanted.budget_usd_per_1000 is not None:
        limits.append(f"{dollars(wanted.budget_usd_per_1000)} for 1,000 questions")
    if wanted.max_seconds is not None:
        limits.append(f"{wanted.max_seconds:g} seconds")
    return f", within {' and '.join(limits)}" if limits else ""


def over_singles_words(advice: Advice) -> str | None:
    over = advice.over_singles
    if over is None:
        return None
    gap = f"{of_hundred(over.difference, sign=True)} points{_ends(over.low, over.high, sign=True)} over {over.player}"
    if over.better:
        return f"It is better than every player alone: {gap}, its smallest lead."
    if over.high is not None and over.high < 0:
        return f"On the held-out questions it is behind a player alone: {gap}."
    return f"Whether it is better than every player alone is not clear: {gap}."


def surer_words(advice: Advice) -> str | None:
    more = advice.surer
    if more is None:
        return None
    gap = f"{of_hundred(more.difference, sign=True)} points{_ends(more.low, more.high, sign=True)}"
    if advice.recommended is not advice.best:  # the two stand in the line before
        return _surer_than_the_best(more)
    if more.told_apart and advice.over_singles is not None:  # which the line before says
        return None
    if more.told_apart and more.difference < 0:
        return f"But on the held-out questions it is behind {more.against}: {gap}."
    if more.told_apart:
        return f"It is already clearly ahead of {more.against}: {gap}."
    if more.questions is None:
        return f"How many questions would tell it apart from {more.against} is not known: {more.why}."
    return (
        f"To be surer: {more.questions:,} new questions alone would tell it apart from {more.against} with 80 % power, or"
        f" {more.more_in_this_run:,} added to these (half of them for the search), if the true difference is the one seen"
        f" here ({gap})."
    )


def _surer_than_the_best(more: Surer) -> str:
    if more.told_apart:
        where = "on the held-out questions"
        return (
            f"But {where} the most accurate is ahead, by more than chance."
            if more.difference < 0
            else f"It is ahead of the most accurate {where}."
        )
    if more.questions is None:
        return f"How many questions would tell the two apart is not known: {more.why}."
    return (
        f"To be surer: {more.questions:,} new questions alone would tell the two apart with 80 % power, or"
        f" {more.more_in_this_run:,} added to these (half of them for the search), if the true difference is the one seen"
        " here."
    )


def advice_json(advice: Advice, wanted: AdviceWanted, reading: AdviceInput) -> dict[str, Any]:
    taken, over, more = advice.recommended, advice.over_singles, advice.surer
    row: dict[str, Any] = {"recommended": None, "why": advice.why_none}
    if taken is not None:
        row = {"recommended": {**_row(taken, advice), "sentence": sentence(advice, wanted)}}
        if wanted.min_accuracy is not None:
            likely, promised = advice.least in ("shown", "likely"), advice.least == "shown"
            row["recommended"] |= {"least_accuracy": advice.least, "likely": likely, "promised": promised}
            row["recommended"]["to_show"] = advice.to_show
    return {
        "frontier": [_row(point, advice) for point in advice.frontier],
        "beside": [_row(point, advice) for point in advice.beside],
        **row,
        "most_accurate": None if advice.best is None else _row(advice.best, advice),
        "run_verdict": verdict_json(advice, reading.verdict),
        "over_every_single": None
        if over is None
        else {
            "player": over.player,
            "difference": _rounded(over.difference),
            "low": _rounded(over.low),
            "high": _rounded(over.high),
            "better": over.better,
        },
        "surer": None
        if more is None
        else {
            "against": more.against,
            "difference": _rounded(more.difference),
            "low": _rounded(more.low),
            "high": _rounded(more.high),
            "told_apart": more.told_apart,
            "questions": more.questions,
            "more_in_this_run": more.more_in_this_run,
            **({} if more.why is None else {"why": more.why}),
        },
        "next": next_rows(advice, reading),
        "n": advice.n,
        "searched_on": advice.searched_on,
        "claimed_on": advice.claimed_on,
        "looked_at": advice.looked_at,
        "weighed": len(advice.points),
        "every_team": advice.every_team,
        "cost": advice.cost,
        "why_calls": advice.why_calls,
        "valid": VALID,
        "notes": [*advice.notes, *reading.unreached, *reading.notes],
    }


def _row(point: ClaimedPoint, advice: Advice) -> dict[str, Any]:
    accuracy = point.accuracy
    return {
        "option": point.option.words(advice.players),
        "players": list(point.option.names(advice.players)),
        "rule": point.option.kind,
        "accuracy": _rounded(accuracy.value),
        "low": _rounded(accuracy.low),
        "high": _rounded(accuracy.high),
        "pooled": _rounded(point.on_all.accuracy),
        "usd_per_1000": _rounded(point.played.usd_per_1000),
        "calls": _rounded(point.played.mean_calls),
        "seconds": _rounded(point.played.mean_seconds),
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS)


def screen(advice: Advice, wanted: AdviceWanted, reading: AdviceInput) -> list[str]:
    """At most 24 lines of 80 columns: the frontier gives way to the words."""
    words = [sentence(advice, wanted), most_accurate_words(advice, wanted)]
    words += [other_verdict_words(advice, reading.verdict), over_singles_words(advice), surer_words(advice)]
    words += [next_words(advice, reading), *reading.first_notes]
    told = [line for part in words if part is not None for line in wrapped(part)]
    others = [*(f"Note: {note}." for note in advice.notes), *reading.other_notes]
    head = list(_head(advice))
    room = HIGH - len(head) - len(told) - 1
    rows = _table(advice, max(2, room))
    left = HIGH - len(head) - len(told) - len(rows)
    return [*head, *rows, *told, *notes_within(left, others)]


def notes_within(lines: int, notes: Sequence[str]) -> list[str]:
    """Each whole or not at all, those first that stand first; what is left out is said to be."""
    wrapped_notes = list(map(wrapped, notes))
    if sum(map(len, wrapped_notes)) <= lines:
        return list(chain.from_iterable(wrapped_notes))
    shown: list[str] = []
    for place, note in enumerate(wrapped_notes):
        if len(shown) + len(note) >= lines:  # the last line says how many more there are
            more = len(notes) - place
            others = f"{count(more, 'note')}" if not place else f"{more} more"
            return [*shown, f"Note: {others} with --json."] if lines > 0 else []
        shown += note
    return shown


def _head(advice: Advice) -> Iterator[str]:
    players = f"{len(advice.players):,} players, {advice.n:,} graded questions"
    if advice.recommended is None and not advice.points:
        yield f"{players}."
        return
    yield f"{players}: searched on {advice.searched_on:,}, tested on the other {advice.claimed_on:,}."
    how = "Votes of all" if advice.every_team else "The best teams found,"
    yield f"{how} {'teams of ' if advice.every_team else ''}up to six players. right: on the tested questions, with"
    yield f"  joint 95 % intervals; all: on all {advice.n:,}, used to pick the row, so too high."


def _table(advice: Advice, room: int) -> list[str]:
    if not advice.points:
        return []
    money = any(point.played.usd_per_1000 for point in advice.points)
    timed = any(point.played.mean_seconds is not None for point in advice.points)
    head = (
        "  right                all  calls" + ("   $/1000" if money else "") + ("      s" if timed else "") + "  option"
    )
    points = _rows_shown(advice, room - 1)
    lines = [head]
    for point in points:
        usd, seconds = point.played.usd_per_1000, point.played.mean_seconds
        mark, right = ">" if point is advice.recommended else " ", _share(point.accuracy)
        line = f"{mark} {right:<18} {of_hundred(point.on_all.accuracy):>5} {point.played.mean_calls:>6.2f}"
        line += (f" {'?' if usd is None else f'{usd:,.4g}':>8}" if money else "") + (
            f" {'?' if seconds is None else f'{seconds:.2f}':>6}" if timed else ""
        )
        lines.append(_clipped(f"{line}  {point.option.words(advice.players)}"))
    if hidden := len(advice.points) - len(points):
        lines.append(f"  {hidden:,} more {'was' if hidden == 1 else 'were'} weighed and not chosen: see --json.")
    return lines


def _rows_shown(advice: Advice, room: int) -> list[ClaimedPoint]:
    """The frontier; of what is weighed beside it what nothing beats on all questions; and in any case what the words name. One
    line of the room is for saying how many are not among them."""
    unbeaten_on_all = {id(each) for each in unbeaten([point.on_all for point in advice.points])}
    points = [point for point in advice.points if point.on_frontier or id(point.on_all) in unbeaten_on_all]
    named = [point for point in (advice.recommended, advice.best) if point is not None]
    kept = {id(point) for point in (points[0], points[-1], *named)}
    points = [point for point in advice.points if point in points or id(point) in kept]
    while len(points) + (len(points) < len(advice.points)) > room:
        spare = [point for point in points if id(point) not in kept]
        if not spare:
            break
        points.remove(next((point for point in spare if not point.on_frontier), spare[0]))
    return points


def _clipped(line: str) -> str:
    return line if len(line) <= WIDE else line[: WIDE - 1] + "…"


def wrapped(words: str) -> list[str]:
    return lines_of(words, WIDE, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def _share(figure: Estimate) -> str:
    return f"{of_hundred(figure.value)} %{_ends(figure.low, figure.high)}"


def _ends(low: float | None, high: float | None, *, sign: bool = False) -> str:
    if low is None or high is None:
        return ""
    least, most = (of_hundred(end, sign=sign) for end in (low, high))
    return f" ({least} to {most})" if sign else f" ({least}–{most})"


def _price(point: ClaimedPoint) -> str:
    parts = []
    if point.played.usd_per_1000:
        parts.append(f"{dollars(point.played.usd_per_1000)} for 1,000 questions")
    if point.option.kind != SINGLE or not parts:
        calls = point.played.mean_calls
        parts.append(f"{calls:.3g} call{'' if calls == 1 else 's'} a question")
    if point.played.mean_seconds is not None:
        parts.append(f"{point.played.mean_seconds:.2g} s")
    return "".join(f", {part}" for part in parts)
