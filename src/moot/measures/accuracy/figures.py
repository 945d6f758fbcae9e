"""Accuracy and cost of every cell, how its episodes ended, and what is not graded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from itertools import chain
from operator import attrgetter
from typing import Any

from moot.data.clusters import AskedTwice
from moot.grade.ways import CUT_SHORT
from moot.measures.cells import Stored, unusual_drafts
from moot.measures.episodes import EpisodeOutline, marked_at_once
from moot.measures.learnt_in_run import learnt_row
from moot.measures.played_back import paid_here_row as paid_here_row
from moot.measures.points_words import IN_POINTS
from moot.measures.question_costs import cell_costs, question_costs
from moot.measures.simulated_models import simulated_models
from moot.measures.source import Source
from moot.measures.spending import bill_usd as bill_usd
from moot.measures.spending import calls_counted, sum_tokens, sum_usd
from moot.measures.spending import costs_known as costs_known
from moot.measures.spending import losses_row as losses_row
from moot.measures.unfinished import progress_of
from moot.stats.counted_words import count
from moot.stats.estimates import estimate_row
from moot.stats.graded import Value, bounds_row, graded_estimate, mean_value, why_none
from moot.stats.proportion import accuracy as share
from moot.stats.values import PlainMarks
from moot.store import queries
from moot.types import WITH_ANSWER

NOTHING_PLAYED = "nothing could be played: every play failed"


def accuracy_figures(source: Source) -> dict[str, Any]:
    """A row for each cell, and what there is to know about the run as a whole."""
    rows = [accuracy_row(source, cell, source.size) for cell in source.cells]
    figures: dict[str, Any] = {
        "experiment": source.name,
        "kind": source.config.get("kind", "production"),
        "questions": source.size,
        "accuracy": rows,
        "failures": [dict(row) for row in queries.failures_of(source.connection, source.name)],
        "bill_usd": source.bill_usd(),
        **paid_here_row(source.connection, source.name),
        **losses_row(source.connection, source.name),
        "simulated": simulated_models(source),
    }
    if figures["bill_usd"] is None:
        figures["costs_known"] = costs_known(source.connection, source.name)
    figures |= learnt_row(source.cells)
    if source.in_points:
        figures[IN_POINTS] = source.in_points
    if clusters := _clusters(source):
        figures["clusters"] = clusters
    for name in ("ungraded", "disputed"):
        if count := sum(row[name] for row in rows):
            figures[name] = count
    return figures


def _clusters(source: Source) -> dict[str, Any]:
    """Of the questions that somebody has played: those of the plan that nobody has are in no figure. Nothing without clusters."""
    if not source.clusters:
        return {}
    played = {episode.key[0] for cell in source.cells for episode in source.seen(cell)}
    asked = {question: case for question, case in source.cases.items() if question in played}
    names = [source.clusters.get(question) or question for question in asked]
    if not names:
        return {}
    told: dict[str, Any] = {"clusters": len(set(names)), "largest": max(Counter(names).values())}
    if (twice := AskedTwice.among(asked.values())) is not None:
        told["asked_twice"] = asdict(twice)
    return told if len(names) == source.size else {**told, "questions": len(names)}


def accuracy_row(source: Source, cell: Stored, size: int) -> dict[str, Any]:
    """Over what is graded: an answer that nobody has graded is neither right nor wrong. The bounds are over all."""
    seen = _all_seen(source, cell)
    outcomes = Counter(map(attrgetter("outcome"), seen))
    keys = dict.fromkeys(chain.from_iterable(map(attrgetter("calls"), seen)))
    played = () if source.nothing_played else seen
    grades = _values(played)
    with_answer = outcomes.keys() <= WITH_ANSWER
    answered = grades if with_answer else _values([episode for episode in played if episode.outcome in WITH_ANSWER])
    cut, disputed, unsaid, long_answers, for_a_person = 0, 0, 0, 0, 0
    nobody_to_ask = source.grades.nobody_to_ask
    ungraded = [episode for episode in played if episode.right is None]
    for episode in ungraded:
        if episode.stage == CUT_SHORT:
            cut += 1
            continue
        case = source.cases[episode.key[0]]
        known, is_long = case.known, case.question.is_long
        disputed += episode.stage == "disputed"
        unsaid += not known and not is_long
        long_answers += is_long and not known
        for_a_person += known and nobody_to_ask and episode.stage not in (None, "disputed")
    costs = question_costs(source, seen) if source.nothing_played else cell_costs(source, cell)
    nothing = {"why": NOTHING_PLAYED} if source.nothing_played else {}
    abstains = "abstain" in cell["given"] or outcomes["abstained"] > 0
    return {
        **_named(source, cell),
        **_estimate(grades),
        **nothing,
        **_chosen_on(source, cell, size),
        "outcomes": dict(outcomes),
        "missing": _missing(source, cell),
        "ungraded": len(ungraded),
        "disputed": disputed,
        **({"cut": cut} if cut else {}),
        **({"unsaid": unsaid} if unsaid else {}),
        **({"long_answers": long_answers} if long_answers else {}),
        **({"for_a_person": for_a_person} if for_a_person else {}),
        "answered": {**_estimate(answered), **_none_given(seen, answered), **nothing},
        **({"coverage": _coverage(seen)} if abstains and not nothing else {}),
        "seconds": round(sum(map(attrgetter("seconds"), seen), 0.0), 3),
        **_usage(source, keys, known=costs.usd is not None),
        "calls_per_question": costs.calls_per_question,
        "usd_per_question": costs.usd_per_question,
        **costs.of_whole_plays(),
    }


def _values(seen: Sequence[EpisodeOutline]) -> Mapping[str, Value]:
    """By question, over its plays."""
    if (at_once := marked_at_once(seen)) is not None:
        return PlainMarks(at_once)
    grades: dict[str, list[Value]] = {}
    for episode in seen:
        grades.setdefault(episode.key[0], []).append(episode.value)
    return {question: mean_value(several) for question, several in grades.items()}


def _none_given(seen: Sequence[EpisodeOutline], answered: Mapping[str, Value]) -> dict[str, str]:
    """Why nothing is known of the answers where something was played and no answer given."""
    return {"why": f"none of {count(len(seen), 'play')} gave an answer"} if seen and not answered else {}


def _coverage(seen: Sequence[EpisodeOutline]) -> dict[str, Any]:
    """The share of the questions that were answered, right or wrong."""
    given: dict[str, list[float]] = {}
    for episode in seen:
        given.setdefault(episode.key[0], []).append(float(episode.outcome in WITH_ANSWER))
    return estimate_row(share(given) if given else None)


def _named(source: Source, cell: Stored) -> dict[str, Any]:
    named: dict[str, Any] = {"strategy": cell["strategy"], "label": cell["label"], "options": dict(cell["given"])}
    if cell["player"]:
        return {**named, "player": cell["player"]}
    named |= {"team": cell["team"], "captain": cell["captain"]}
    named |= {"cohort": cell["cohort"]} if cell["cohort"] else {}
    named |= {"drafts": kind} if (kind := unusual_drafts(cell)) else {}
    return {**named, "table": table} if (table := source.draft_table(cell).name) != cell["team"] else named


def _chosen_on(source: Source, cell: Stored, size: int) -> dict[str, Any]:
    """How many questions are in none of its figures because it was chosen on them; where that is all, why there are none.
    And on how many it was chosen that could be among the others for all that is known of them."""
    left_out, by_id = source.left_out(cell), source.chosen_on_ids(cell)
    beside = {"chosen_on_ids": by_id} if by_id else {}
    if not left_out:
        return beside
    why = f"all {size} questions are those that it was chosen on: nothing is left to measure it by"
    return {"chosen_on": left_out, **beside, **({"why": why} if left_out == size else {})}


def chosen_on_figures(source: Source) -> dict[str, Any]:
    """Of `accuracy_figures` only what says that something was chosen on these questions; nothing where nothing was."""
    if not any(source.left_out(cell) or source.chosen_on_ids(cell) for cell in source.cells):
        return {}
    rows = [{**_named(source, cell), **_chosen_on(source, cell, source.size)} for cell in source.cells]
    return {"questions": source.size, "accuracy": rows}


def outcomes_of(source: Source) -> Counter[str]:
    """How all that was played has ended."""
    return Counter(episode.outcome for cell in source.cells for episode in _all_seen(source, cell))


def _all_seen(source: Source, cell: Stored) -> Sequence[EpisodeOutline]:
    """With plays that failed, where all have."""
    return (source.whole if source.nothing_played else source).seen(cell)


def _missing(source: Source, cell: Stored) -> int:
    """Plays that are still to come."""
    return progress_of(source, cell).missing


def _estimate(values: Mapping[str, Value]) -> dict[str, Any]:
    """A value that does not exist is null, never NaN: JSON has none. Then it is said why."""
    estimate = graded_estimate(values)
    row: dict[str, Any] = estimate_row(estimate)
    if "bounds" in (beside := bounds_row(values.values())):
        row["bounds"] = beside["bounds"]
    return row if estimate is not None else {**row, "why": why_none(values)}


def _usage(source: Source, keys: Collection[str], *, known: bool) -> dict[str, Any]:
    """What these calls took: what the strategy would cost alone. One unknown cost makes the sum unknown, and so does one count
    of tokens; then it is said of how many it is known. `known`: what each play cost, with its calls that brought no reply at
    models without a price."""
    spent = source.spending(keys)
    prompt, completion, reasoning, usd = zip(*spent, strict=True) if spent else ((), (), (), ())
    return {
        "calls": len(spent),
        "prompt_tokens": sum_tokens(prompt),
        "completion_tokens": sum_tokens(completion),
        "reasoning_tokens": sum_tokens(reasoning),
        "cost_usd": sum_usd(usd) if known else None,
        **({"costs_known": sum(cost is not None for cost in usd)} if None in usd else {}),
        **({"tokens_known": counted} if (counted := calls_counted(spent)) < len(spent) else {}),
    }
