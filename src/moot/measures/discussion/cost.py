"""What a discussion takes beside its models alone: calls and tokens a question, and how many times as much."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from statistics import fmean
from typing import Any

from moot.measures.cells import Stored
from moot.measures.discussion.by_themselves import Alone, as_told, by_steps, models_at, told_alone
from moot.measures.episodes import EpisodeOutline
from moot.measures.question_costs import cell_costs, mean_cost, means_by_question, question_costs, why_no_ratio
from moot.measures.sides import title_of
from moot.measures.source import Source
from moot.measures.spending import calls_counted, sum_tokens

Row = dict[str, Any]


def cost_rows(source: Source, held: Sequence[tuple[Stored, Row]], alone: Sequence[Stored]) -> Iterator[Row]:
    """A question's calls and tokens: the models at the tables alone, then each discussion as so many times the mean over its
    own seats, each as whoever is it alone."""
    seated = {model for cell, _ in held for model in models_at(cell)}
    single = {cell["id"]: _spent(source, cell) for cell in alone if set(models_at(cell)) <= seated}
    shown = [cell for cell in alone if cell["id"] in single]
    for cell in shown:
        named = {"protocol": f"{cell['strategy']}@{cell['player']}", "with": told_alone(cell), "label": cell["label"]}
        nothing: Row = {"calls_ratio": None, "tokens_ratio": None, "alone": []}
        yield {**named, "team": None, "cohort": None, **single[cell["id"]], **nothing}
    for cell, named in held:
        standing = _standing_for(cell, [one for one in shown if single[one["id"]]["episodes"]])
        yield {
            **named,
            **_spent(source, cell),
            **_beside(source, cell, standing),
            "alone": [str(one["player"]) for one in standing.cells],
        }


def _beside(source: Source, cell: Stored, standing: Alone) -> Row:
    """As so many times what the seats take alone, over the questions that all of them have played and of which it is known what
    each of them takes."""
    nothing: Row = {"calls_ratio": None, "tokens_ratio": None}
    if not standing.seats:
        return nothing
    held = (cell, *standing.cells)
    both = set.intersection(*({episode.key[0] for episode in source.seen(one)} for one in held))
    cut = {title_of(one): cell_costs(source, one).cut for one in held}
    whole = both.difference(*cut.values())
    if not whole:
        seen = (episode for one in held for episode in source.seen(one))
        return {**nothing, "why": why_no_ratio(both, seen, cut)}
    ours = _spent(source, cell, whole)
    parts = [([_spent(source, one, whole) for one in part.cells], part.seats) for part in standing.parts]
    calls = [(fmean(paid["calls"] for paid in of_one), seats) for of_one, seats in parts]
    ratios = {"calls_ratio": _ratio(ours["calls"], calls), "tokens_ratio": _tokens_ratio(ours, parts)}
    asked = {episode.key[0] for episode in source.seen(cell)}
    return {**ratios, **({"ratio_n": len(whole)} if len(whole) < len(asked) else {})}


def _standing_for(table: Stored, alone: Sequence[Stored]) -> Alone:
    """Who has played alone in the first way in which all of its seats have, best as each was told; nobody where there is no
    such way."""
    strategies = dict.fromkeys(cell["strategy"] for cell in alone)
    for standing_in in (as_told, by_steps):
        for strategy in strategies:
            standing = standing_in(table, [cell for cell in alone if cell["strategy"] == strategy])
            if not standing.missing:
                return standing
    return Alone(())


def _spent(source: Source, cell: Stored, asked: Collection[str] | None = None) -> Row:
    """For one question, played once with no call missing, what it would take alone. `asked`: over these; None: over all."""
    played = [episode for episode in source.seen(cell) if asked is None or episode.key[0] in asked]
    cut = question_costs(source, played).cut
    seen = [episode for episode in played if episode.key[0] not in cut]
    nothing = None if cut else 0.0
    spent = source.spent(key for episode in seen for key in episode.calls)
    taken = [[spent[key] for key in episode.calls if key in spent] for episode in seen]
    counted = calls_counted(spent.values())
    return {
        "calls": question_costs(source, seen).calls_per_question if seen else nothing,
        "prompt_tokens": _mean_tokens([[call[0] for call in calls] for calls in taken], seen) if seen else nothing,
        "completion_tokens": _mean_tokens([[call[1] for call in calls] for calls in taken], seen) if seen else nothing,
        **({"cost_n": len({episode.key[0] for episode in seen})} if cut else {}),
        **({"tokens_known": {"calls": len(spent), "known": counted}} if counted < len(spent) else {}),
        "episodes": len(played),
    }


def _mean_tokens(taken: Sequence[Sequence[int | None]], seen: Sequence[EpisodeOutline]) -> float | None:
    """A question's, in the mean; None where the server of a single call did not count."""
    sums = [float(total) for counts in taken if (total := sum_tokens(counts)) is not None]
    return (mean_cost(means_by_question(sums, seen)) or 0.0) if len(sums) == len(taken) else None


def _tokens(spent: Row) -> float | None:
    prompt, completion = spent["prompt_tokens"], spent["completion_tokens"]
    return None if prompt is None or completion is None else float(prompt + completion)


def _tokens_ratio(ours: Row, parts: Sequence[tuple[Sequence[Row], int]]) -> float | None:
    """None where those of one of them are not known."""
    taken = _tokens(ours)
    alone: list[tuple[float, int]] = []
    for of_one, seats in parts:
        tokens = [each for paid in of_one if (each := _tokens(paid)) is not None]
        if len(tokens) < len(of_one):
            return None
        alone.append((fmean(tokens), seats))
    return None if taken is None else _ratio(taken, alone)


def _ratio(value: float, alone: Sequence[tuple[float, int]]) -> float | None:
    """To the mean over the seats, each as whoever is it alone."""
    total = sum(paid * seats for paid, seats in alone)
    return value * sum(seats for _, seats in alone) / total if total else None
