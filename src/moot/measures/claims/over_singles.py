"""An option against the best of its players alone: the difference, who else could be the best, and what is open.

"More" means more than every one of them, and pays for all options that this one was chosen from: see `moot.stats.choice`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Protocol

from moot.measures.quiz.played import UNPLAYED
from moot.stats.choice import chosen_interval
from moot.stats.clusters import units_of
from moot.stats.crossfit import equally_best
from moot.stats.estimates import Row, estimate_row
from moot.stats.graded import FEW_WAITING, Value, ValuesByName, at_worst, fair, graded_estimate, least_of, marks_of
from moot.stats.graded_pairs import Pairs, compared_row, difference_ends, errors_apart, why_turned
from moot.stats.option_table import option_table
from moot.stats.shared_questions import shared_questions
from moot.stats.values import PlainMarks
from moot.stats.waiting_choice import Tables, claim_whatever, said_alike

if TYPE_CHECKING:
    from moot.stats.bootstrap import Floats

RULE = "beats every single player; {test}; paid for the options"


class PlayedOption(Protocol):
    """Whatever a claim can pay for."""

    def values(self, asked: Iterable[str], /) -> Mapping[str, Value]:
        """What it got right, of those of these questions that it has played."""
        ...


def option_tables(options: Sequence[PlayedOption], asked: Sequence[str]) -> Tables:
    """Options × questions: as far as is graded, and at both ends of what waits."""
    rows = [option.values(asked) for option in options]
    return Tables(_graded(rows, asked), *(_table(rows, asked, end) for end in (WORST, BEST)))


def graded_table(options: Sequence[PlayedOption], asked: Sequence[str]) -> Floats:
    """Options × questions; NaN where an answer is not graded, and in all of a row where those that are would flatter."""
    return _graded([option.values(asked) for option in options], asked)


def _graded(rows: Sequence[Mapping[str, Value]], asked: Sequence[str]) -> Floats:
    return _table([fair(values) for values in rows], asked, KNOWN)


def _tables_alone(singles: ValuesByName, asked: Sequence[str]) -> Tables:
    """The same of the singles. At both ends everybody counts as far as it is graded or may yet turn out to be right: who
    has much ungraded may be the best of them."""
    rows = [{q: own[q] for q in asked if q in own} for own in singles.values()]
    seen = _graded(rows, asked)
    # Nobody will grade what was never heard, but it would have been right or wrong as what waits will be.
    heard = [{q: value._replace(waiting=value.waiting + value.not_heard) for q, value in own.items()} for own in rows]
    return Tables(seen, *(_table(heard, asked, end) for end in (WORST, BEST)))


KNOWN, WORST, BEST = attrgetter("known"), attrgetter("worst"), attrgetter("best")


def _table(rows: Sequence[Mapping[str, Value]], asked: Sequence[str], end: Callable[[Value], float | None]) -> Floats:
    import numpy as np

    table = np.empty((len(rows), len(asked)))
    for place, values in enumerate(rows):
        if isinstance(values, PlainMarks):  # of which all ends are one
            table[place] = option_table([values.known], asked)[0]
        else:
            ends = (end(values[question]) if question in values else None for question in asked)
            table[place] = [math.nan if value is None else value for value in ends]
    return table


def _alike(options: Sequence[PlayedOption], singles: ValuesByName, asked: Sequence[str]) -> Floats | None:
    """What an option and a single both say to a question and nobody has graded yet: it will have one grade."""
    ours = [_waiting_words(option.values(asked), asked) for option in options]
    theirs = [_waiting_words(own, asked) for own in singles.values()]
    return said_alike(ours, theirs) if any(map(any, ours)) and any(map(any, theirs)) else None


def _waiting_words(values: Mapping[str, Value], asked: Sequence[str]) -> list[dict[str, float]]:
    there = [values.get(question) for question in asked]
    return [dict(value.words) if value is not None and value.waiting else {} for value in there]


def nobody_is_best(singles: ValuesByName, values: Mapping[str, Value], options: int) -> Row:
    """No two of them share enough of these questions to say who is the better one."""
    rivals = [name for name, own in singles.items() if values.keys() & own.keys()]
    over = {"singles": len(singles), "options": options, "rule": RULE.format(test="score test"), "rivals": rivals}
    return {**over, **_withheld(singles, rivals, values)}


def best_of_singles(singles: ValuesByName, asked: Sequence[str]) -> list[str]:
    """Who got most right of these questions, of those that the players share, as far as it is graded: all that are equal."""
    marks = {name: marks_of(values) for name, values in singles.items()}
    return equally_best(marks, asked, least={name: least_of(values) for name, values in singles.items()})


def over_best(
    options: Sequence[PlayedOption],
    option: int,
    singles: ValuesByName,
    single: str,
    values: Mapping[str, Value],
    *,
    pooled: bool,
    seed: int,
) -> Row | None:
    """One baseline: difference, what was repaired and spoilt, and the bounds are all against the same player.

    `option`: which of the options is meant, all of which are paid for; `values`: what it got right.
    """
    asked, own = list(values), singles[single]
    alone, place = _tables_alone(singles, asked), list(singles).index(single)
    pairs = _pairs(values, own)
    if not pairs:
        return None
    clusters = units_of(asked)
    found = claim_whatever(
        option_tables(options, asked),
        alone,
        option=option,
        single=place,
        pooled=pooled,
        clusters=clusters,
        seed=seed,
        alike=_alike(options, singles, asked),
    )
    over = errors_apart(compared_row(pairs, pooled=pooled), pairs)
    known_alone = {question: own[question] for question in asked if question in own}
    reached = graded_estimate(known_alone)
    if found is not None and over["difference"] is not None:
        # Of the questions that both have: others of a cluster may not have been played.
        test = "mcnemar" if over["test"] == "mcnemar" and units_of(pairs) is None else "score"
        over |= {"difference": found.difference, "low": found.low, "high": found.high, "p": found.p, "test": test}
        over.pop("why", None)
    over = _whoever_is_best(over, pairs, singles, values)
    if over["difference"] is not None and (turned := why_turned(over, None if found is None else found.limits_graded)):
        over["why"] = turned
    if reached is not None:
        worst = at_worst(known_alone)
        reached = chosen_interval(alone.seen, place, reached, at_worst=worst, clusters=clusters, seed=seed)
    rule = RULE.format(test="exact test" if over["test"] == "mcnemar" else "score test")
    paid = {"single": single, "singles": len(singles), "options": len(options), "rule": rule}
    row = {**over, **paid, "best_single": estimate_row(reached), "each": list(_each(singles, values, pooled))}
    rivals = _rivals(singles, single, asked)
    row = {**row, "rivals": rivals, **_withheld(singles, rivals, values)} if rivals else row
    return row if row["regressions"] is not None else {key: row[key] for key in row if key != "abstained"}


def _pairs(values: Mapping[str, Value], own: Mapping[str, Value]) -> dict[str, list[tuple[Value, Value]]]:
    """A team and a single on the questions that both have."""
    return {question: [(value, own[question])] for question, value in values.items() if question in own}


def _each(singles: ValuesByName, values: Mapping[str, Value], pooled: bool) -> Iterator[Row]:
    """Against every single by itself, on how many questions the two differ: all of them must be beaten."""
    for name, own in singles.items():
        row = compared_row(_pairs(values, own), pooled=pooled)
        counted = row["test"] == "mcnemar" and row["rescues"] is not None
        discordant = row["rescues"] + row["regressions"] if counted else None
        yield {"single": name, "difference": row["difference"], "n": row["n"], "discordant": discordant}


def _rivals(singles: ValuesByName, single: str, asked: Sequence[str]) -> list[str]:
    """Who could be better than the best as far as is known, were all that is not known of them right.

    On the questions that both have; who has too few to be ranked could be better.
    """
    unranked = shared_questions(singles, asked).left_out
    found = []
    for name, own in singles.items():
        both = {q: [(own[q], singles[single][q])] for q in asked if q in own and q in singles[single]}
        if name != single and (name in unranked or difference_ends(both)[1] > 1e-9):
            found.append(name)
    return found


def _withheld(singles: ValuesByName, rivals: Sequence[str], values: Mapping[str, Value]) -> Row:
    """Nobody is the best single where a rival was heard only on some questions, which hang on what the others said, or has too
    few of them to be ranked.

    A few questions that it was not heard on leave a figure, with the bounds, as a few ungraded answers do.
    """
    heard = {name: sum(not own.not_heard for q, own in singles[name].items() if q in values) for name in rivals}
    asked = {name: len(values.keys() & singles[name].keys()) for name in rivals}
    unranked = shared_questions(singles, list(values)).left_out
    unheard = [name for name in rivals if name in unranked or asked[name] - heard[name] > FEW_WAITING * len(values)]
    if not unheard:
        return {}
    told = ", ".join(f"{name} was heard on {heard[name]:,} of {len(values):,} questions" for name in unheard)
    return {
        **dict.fromkeys(("difference", "low", "high", "p", "rescues", "regressions", "single")),
        "n": 0,
        "test": "none",
        "small": True,
        "bounds": _bounds_of_best(singles, values),
        "why": f"{told} and could be the best single model",
        "best_single": estimate_row(None),
        "each": [],
    }


def _whoever_is_best(over: Row, pairs: Pairs, singles: ValuesByName, values: Mapping[str, Value]) -> Row:
    """A player whose answers nobody has graded may be the best of all: the bounds leave room for that.

    Those of a difference are over the questions that it is of (`pairs`); of one that is withheld they are all that is known
    of these questions, so what the best as far as is known was not asked is in them too.
    """
    asked = values if over["difference"] is None else {question: values[question] for question in pairs}
    there = [own[question] for own in singles.values() for question in asked if question in own]
    if "bounds" not in over and not any(value.open for value in there):
        return over
    return {**over, "bounds": _bounds_of_best(singles, asked)}


def _bounds_of_best(singles: ValuesByName, values: Mapping[str, Value]) -> Row:
    """What the difference to the best of them can be: as little as to any of them, and no more than to each."""
    ends = [
        difference_ends({question: [(value, own.get(question, UNPLAYED))] for question, value in values.items()})
        for own in singles.values()
    ]
    return {"low": min(low for low, _ in ends), "high": min(high for _, high in ends)}
