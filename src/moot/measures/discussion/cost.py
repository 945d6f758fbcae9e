"""What a discussion takes beside one of its models alone: calls and tokens a question, and how many times as much."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from moot.measures.cells import Stored
from moot.measures.question_costs import mean_cost, means_by_question, question_costs
from moot.measures.source import Source
from moot.strategies.natives import SINGLE_CALL

Row = dict[str, Any]


def drafted_at_once(cell: Stored) -> bool:
    """Whether a player alone was asked in one call, as everywhere else."""
    return cell["traits"].drafts == SINGLE_CALL


def way_alone(cell: Stored) -> str | None:
    """How a player alone was told to think; None: in no special way."""
    instruction = str(json.loads(cell["spec"])["players"][0]["instruction"]).casefold()
    if not instruction:
        return None
    steps = ("step by step", "step-by-step", "шаг за шагом", "по шагам", "пошагово")
    return "step by step" if any(words in instruction for words in steps) else "instructed"


def models_at(cell: Stored) -> set[str]:
    """The models at a table, each with all that shapes its replies."""
    return {json.dumps(player["model"], sort_keys=True) for player in json.loads(cell["spec"])["players"]}


def players_at(cell: Stored) -> list[str]:
    """Who sits at a table, by name."""
    return [player["name"] for player in json.loads(cell["spec"])["players"]]


def cost_rows(source: Source, held: Sequence[tuple[Stored, Row]], alone: Sequence[Stored]) -> Iterator[Row]:
    """A question's calls and tokens: the models at the table alone, then each discussion as so many times that."""
    seated = set[str]().union(*(models_at(cell) for cell, _ in held))
    single = [(cell, _spent(source, cell)) for cell in alone if models_at(cell) <= seated]
    for cell, spent in single:
        named = {"protocol": f"{cell['strategy']}@{cell['player']}", "with": way_alone(cell), "label": cell["label"]}
        yield {**named, "team": None, "cohort": None, **spent, "calls_ratio": None, "tokens_ratio": None}
    for cell, named in held:
        spent = _spent(source, cell)
        members = [(member, paid) for member, paid in single if models_at(member) <= models_at(cell)]
        plain = [paid for member, paid in members if way_alone(member) is None] or [paid for _, paid in members]
        yield {
            **named,
            **spent,
            "calls_ratio": _ratio(spent["calls"], [paid["calls"] for paid in plain]),
            "tokens_ratio": _ratio(_tokens(spent), [_tokens(paid) for paid in plain]),
        }


def _spent(source: Source, cell: Stored) -> Row:
    """For one question, played once, what it would take alone."""
    seen = source.seen(cell)
    spent = source.spent(key for episode in seen for key in episode.calls)
    taken = [[spent[key] for key in episode.calls if key in spent] for episode in seen]
    prompt = [float(sum(call[0] for call in calls)) for calls in taken]
    completion = [float(sum(call[1] for call in calls)) for calls in taken]
    return {
        "calls": question_costs(source, seen).calls_per_question or 0.0,
        "prompt_tokens": mean_cost(means_by_question(prompt, seen)) or 0.0,
        "completion_tokens": mean_cost(means_by_question(completion, seen)) or 0.0,
        "episodes": len(seen),
    }


def _tokens(spent: Row) -> float:
    return float(spent["prompt_tokens"] + spent["completion_tokens"])


def _ratio(value: float, alone: Sequence[float]) -> float | None:
    total = sum(alone)
    return value * len(alone) / total if total else None
