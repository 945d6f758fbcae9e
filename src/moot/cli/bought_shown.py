"""What `moot advise --buy` tells of a race: who was put out and when, who is left, what that says, and what it took."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from moot.cli.advise_buy import Bought, Purchase
from moot.cli.advise_shown import wrapped
from moot.decide.rules import DIGITS
from moot.engine.stage_race import INCUMBENT, RacedOption
from moot.pasted import pasted
from moot.stats.counted_words import count
from moot.stats.written_numbers import dollars, dollars_alike, of_hundred

RACE_VALID = (
    "options were found on the questions searched on and raced on the others, in an order drawn by lot; the best of them is put"
    " out in at most 5 % of races, whenever one looks or stops: it takes 20 times the stake for each point of the frontier, since"
    " the questions raced on had a say in which of them is the incumbent"
)


def bought_json(bought: Bought) -> dict[str, Any]:
    race = bought.race
    return {
        "incumbent": bought.names[INCUMBENT],
        "cascade": bought.staged.cascade.words(bought.players),
        "below": bought.staged.below,
        "questions": len(race.questions),
        "heard": len(race.heard),
        "of": len(race.units),
        "options": [_row(bought, number) for number in range(len(race.options))],
        "left": [bought.names[number] for number in race.race.left],
        "winner": None if bought.winner is None else bought.names[bought.winner],
        "take": bought.names[bought.to_take],
        "difference": None if (gap := _difference(bought)) is None else round(gap, DIGITS),
        "calls": race.calls,
        "calls_of_all": round(race.calls_of_all, DIGITS),
        "saved": round(_saved(bought), DIGITS),
        "calls_now": bought.played.calls,
        "spent_usd": round(bought.played.spent_usd, DIGITS),
        "spent_before_usd": round(bought.played.before_usd, DIGITS),
        "lost_usd": round(bought.played.lost_usd, DIGITS),
        "lost_before_usd": round(bought.played.lost_before_usd, DIGITS),
        "stopped": _stopped(bought),
        "sentence": verdict_words(bought),
        "valid": RACE_VALID,
    }


def _row(bought: Bought, number: int) -> dict[str, Any]:
    option: RacedOption = bought.race.options[number]
    accuracy = option.accuracy
    return {
        "option": bought.names[number],
        "accuracy": None if accuracy is None else round(accuracy, DIGITS),
        "heard": option.heard,
        "out_after": option.out_after,
        "plays": option.plays,
        "calls": option.calls,
        "ungraded": option.ungraded,
        "failed": option.failed,
    }


def _difference(bought: Bought) -> float | None:
    """Of the one to take over the incumbent, on the questions heard."""
    heard = len(bought.race.heard)
    return bought.race.gained[bought.to_take] / heard if bought.to_take != INCUMBENT and heard else None


def _saved(bought: Bought) -> float:
    every = bought.race.calls_of_all
    return 1.0 - bought.race.calls / every if every else 0.0


def _stopped(bought: Bought) -> str:
    if not bought.race.questions:
        return "nothing to buy"
    if bought.winner is not None:
        return "one left"
    if bought.played.state in ("budget", "interrupted"):
        return bought.played.state
    return "questions" if bought.race.over else "failed"


def verdict_words(bought: Bought) -> str:
    """What the race says, at 95 %; of the points no interval, since they are those of whoever won."""
    race, names, heard = bought.race, bought.names, count(len(bought.race.heard), "question")
    incumbent = names[INCUMBENT]
    if not race.questions:
        sure = f"the answer to every held-out question is already sure enough (p ≥ {bought.staged.below:g})"
        return f"There is nothing to buy: {sure}."
    if bought.winner == INCUMBENT:
        return f"Stay with {incumbent}: every option bought was eliminated, so none of them is the best (95 %)."
    gap = _difference(bought)
    if bought.winner is not None and gap is not None:
        return (
            f"Take {names[bought.winner]} where the drafts are not sure: it won the race and is better than {incumbent}"
            f" (95 %); {of_hundred(gap, sign=True)} points on {heard}, picked afterwards and so without an interval."
        )
    left = ", ".join(names[number] for number in race.race.left)
    if INCUMBENT in race.race.left:
        return f"{heard} cannot tell which of these is best: {left}. Stay with {incumbent}, which costs nothing extra."
    return (
        f"{incumbent} was eliminated: it is not the best (95 %). {heard} cannot tell which of these is: {left};"
        f" so far {names[bought.to_take]} has gained most."
    )


def bought_screen(bought: Bought, purchase: Purchase, path: Path, *, written: bool) -> Iterator[str]:
    race = bought.race
    if not race.questions:
        yield from wrapped(verdict_words(bought))
        return
    rows = [_row(bought, number) for number in range(len(race.options))]
    yield "  right    heard  plays  calls  out after  raced"
    for number, row in enumerate(rows):
        right = "?" if row["accuracy"] is None else f"{of_hundred(row['accuracy'])} %"
        out = "" if row["out_after"] is None else str(row["out_after"])
        mark = ">" if number == bought.to_take else " "
        line = f"{mark} {right:<8}{row['heard']:>6}{row['plays']:>7}{row['calls']:>7}{out:>11}  {row['option']}"
        yield line if len(line) <= 80 else f"{line[:79]}…"
    yield from wrapped(verdict_words(bought))
    yield from wrapped(_bill(bought))
    for option in race.options:
        if option.ungraded or option.failed:
            yield from wrapped(_not_known(bought))
            break
    if (after := _after(bought, purchase, path, written=written)) is not None:
        yield from wrapped(after)


def _bill(bought: Bought) -> str:
    race = bought.race
    calls = f"{count(race.calls, 'call')} beyond the drafts, of {race.calls_of_all:,.0f} had no option been eliminated"
    played = bought.played
    before = f", {_at_most(played.before_usd, played.lost_before_usd, 'before')}" if played.before_usd else ""
    now = (
        _at_most(played.spent_usd, played.lost_usd, "spent") if played.calls or played.spent_usd else "nothing paid now"
    )
    return f"{calls} ({of_hundred(_saved(bought), 0)} % saved); {now}{before}."


def _at_most(usd: float, lost_usd: float, when: str) -> str:
    """What is booked for calls whose reply never came may be more than anybody billed for them."""
    if not lost_usd:
        return f"{dollars(usd)} {when}"
    most, lost = dollars_alike(usd, lost_usd)
    return f"at most {most} {when}, {lost} of it booked for calls whose reply never came"


def _not_known(bought: Bought) -> str:
    ungraded = sum(option.ungraded for option in bought.race.options)
    failed = sum(option.failed for option in bought.race.options)
    parts = []
    if ungraded:
        parts.append(f"{count(ungraded, 'answer')} could not be graded, and eliminated nothing")
    if failed:
        parts.append(f"{count(failed, 'play')} failed and counted as not right; the same command plays them again")
    return f"Note: {'; '.join(parts)}."


def _after(bought: Bought, purchase: Purchase, path: Path, *, written: bool) -> str | None:
    """What to type next."""
    again = f"moot advise {pasted(path)} --buy {purchase.usd:g}"
    if bought.played.state == "budget" and not bought.played.calls:
        held = "each call reserves the most it can cost until it is billed"
        return f"{dollars(purchase.usd)} is not enough to ask every option one question: {held}. Allow more."
    if bought.played.state == "budget":
        return f"The money is spent. {again} resumes where it stopped, and may spend as much again."
    if bought.played.state == "interrupted":
        return f"Interrupted; everything so far is kept. {again} resumes where it stopped, and may spend as much again."
    if bought.winner not in (None, INCUMBENT) and not written:
        return f"Next: {again} -o team.yaml writes it, without another call."
    return None
