"""Accuracy, outcomes and the bill, counted again."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from second_way.hanging import CLUSTERS, together
from second_way.options import unpriceable
from second_way.raw import Cell, Episode, Raw, same_words
from second_way.shares import Grade, graded, share_row
from second_way.tables import table_of


def _is_simulated(raw: Raw, name: str, model: dict[str, Any]) -> bool:
    said = (call["version"] or "" for call in raw.calls.values() if call["model"] == name)
    return model["provider"] == "simulated" or ("base_url" in model and next(said, "").startswith("simulated/"))


def _losses(known_usd: float, unknown: int) -> dict[str, Any]:
    """A part of a sum is no sum: it has a name of its own."""
    if not unknown:
        return {"losses_usd": known_usd, "losses_unknown": 0}
    return {"losses_usd": None, "losses_unknown": unknown} | ({"losses_known_usd": known_usd} if known_usd else {})


def _paid_here(raw: Raw) -> dict[str, Any]:
    """By the file, which says who only plays back."""
    played_back = {name for name, model in raw.config["models"].items() if model["provider"] == "recorded"}
    if not any(call["model"] in played_back for call in raw.calls.values()):
        return {}
    usd = _sum_usd([call["cost_usd"] for call in raw.calls.values() if call["model"] not in played_back])
    return {"paid_here_usd": None if not usd and raw.losses[1] else usd}


def accuracy(raw: Raw) -> dict[str, Any]:
    rows = [_row(raw, cell) for cell in raw.cells]
    figures: dict[str, Any] = {
        "experiment": raw.config["name"],
        "kind": raw.config.get("kind", "production"),
        "questions": raw.size,
        "accuracy": rows,
        "bill_usd": _sum_usd([call["cost_usd"] for call in raw.calls.values()]),
        **_losses(*raw.losses),
        **_paid_here(raw),
        "simulated": sorted(name for name, model in raw.config["models"].items() if _is_simulated(raw, name, model)),
    }
    if figures["bill_usd"] is None:
        costs = [call["cost_usd"] for key, call in raw.calls.items() if key not in raw.never_made]
        known = [usd for usd in costs if usd is not None]
        figures["costs_known"] = {"calls": len(costs), "known": len(known), "at_least_usd": math.fsum(known)}
    if learnt := [cell.label for cell in raw.cells if cell.traits.get("learns")]:
        figures["learnt_in_run"] = list(dict.fromkeys(learnt))
    figures |= _clusters(raw)
    for key in ("ungraded", "disputed"):
        if total := sum(row[key] for row in rows):
            figures[key] = total
    return figures


def _costs_known(calls: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    known = [call for call in calls if call["cost_usd"] is not None]
    return {"costs_known": len(known)} if len(known) < len(calls) else {}


def _who_has_to_speak(raw: Raw, episodes: Sequence[Episode]) -> dict[str, int]:
    """Of the ungraded: whose question has no reference, and what the match left open where there is nobody else to ask."""
    ungraded = [episode for episode in episodes if not graded(episode.right)]
    opened = [episode for episode in ungraded if "✂" not in (episode.answer or "")]
    no_reference = [episode for episode in opened if raw.questions[episode.question].get("known", True) is False]
    alone = not raw.config.get("judge", {}).get("models") and raw.config.get("grader", "match") == "match"
    left = [each for each in opened if each not in no_reference and each.stage is not None and each.stage != "disputed"]
    long_ones = [each for each in no_reference if raw.questions[each.question]["question"].get("kind") == "text"]
    counts = {"unsaid": len(no_reference) - len(long_ones), "long_answers": len(long_ones)}
    counts["cut"] = len(ungraded) - len(opened)
    counts["for_a_person"] = len(left) if alone else 0
    return {key: many for key, many in counts.items() if many}


def interim(raw: Raw) -> dict[str, Any]:
    """How far the plan has come, where it has not come to its end."""
    here = [(len(raw.episodes(cell)), _row(raw, cell)["missing"]) for cell in raw.cells]
    played, missing = (sum(column) for column in zip(*here, strict=True))
    return {"interim": {"played": played, "planned": played + missing}} if missing else {}


def _clusters(raw: Raw) -> dict[str, Any]:
    """Of the questions that somebody has played."""
    played = {episode.question for cell in raw.cells for episode in raw.episodes(cell)}
    if not played or not (CLUSTERS or any(row["cluster"] for row in raw.questions.values())):
        return {}
    sizes = [len(unit) for unit in together(played)]
    told: dict[str, Any] = {"clusters": len(sizes), "largest": max(sizes)}
    often = Counter(same_words(raw.questions[question]["question"]) for question in played)
    if twice := [times for times in often.values() if times > 1]:
        told["asked_twice"] = {"questions": len(twice), "ids": sum(twice)}
    return {"clusters": told if len(played) == raw.size else {**told, "questions": len(played)}}


def _row(raw: Raw, cell: Cell) -> dict[str, Any]:
    episodes = raw.episodes(cell)
    outcomes = Counter(episode.outcome for episode in episodes)
    answered = [episode for episode in episodes if episode.outcome in ("answered", "undecided")]
    left = raw.size - len(raw.chosen_on[cell.id])
    planned = left * raw.repeats * int(cell.traits.get("repeats", 1))
    calls = [raw.calls[key] for key in {key for episode in episodes for key in episode.calls} if key in raw.calls]
    chosen = {"chosen_on": raw.size - left, "chosen_on_ids": raw.ids_beside.get(cell.id, 0)}
    return {
        **_named(raw, cell),
        **{key: value for key, value in chosen.items() if value},
        **share_row(_by_question(episodes)),
        "outcomes": dict(outcomes),
        "missing": planned - len(episodes),
        "ungraded": sum(not graded(episode.right) for episode in episodes),
        "disputed": sum(not graded(episode.right) and episode.stage == "disputed" for episode in episodes),
        **_who_has_to_speak(raw, episodes),
        "answered": share_row(_by_question(answered)),
        **_coverage(cell, episodes),
        "seconds": round(sum(episode.seconds for episode in episodes), 3),
        "calls": len(calls),
        **_tokens(calls),
        "cost_usd": _sum_usd([call["cost_usd"] for call in calls]),
        **_costs_known(calls),
        **_one_question(raw, episodes),
    }


def _one_question(raw: Raw, episodes: Sequence[Episode]) -> dict[str, Any]:
    """What it takes to be asked once, by the questions of which no play lacks a call."""
    lacking = unpriceable([episodes])
    whole = [episode for episode in episodes if episode.question not in lacking]
    prices = [raw.calls.get(key, {}).get("cost_usd") for episode in episodes for key in episode.calls]
    paid = [(play.question, _sum_usd([raw.calls.get(key, {}).get("cost_usd") for key in play.calls])) for play in whole]
    return {
        "calls_per_question": _per_question([(play.question, len(play.calls)) for play in whole]),
        "usd_per_question": None if None in prices else _per_question(paid),
        **({"cost_n": len({play.question for play in whole})} if lacking else {}),
    }


def _tokens(calls: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Sums of what every server told; thoughts that one says nothing of are none where it told what it wrote."""
    told: dict[str, Any] = {}
    for kind in ("prompt", "completion", "reasoning"):
        whole = "completion" if kind == "reasoning" else kind
        silent = any(call[f"{whole}_tokens"] is None for call in calls)
        told[f"{kind}_tokens"] = None if silent else sum(call[f"{kind}_tokens"] or 0 for call in calls)
    counted = [call for call in calls if call["prompt_tokens"] is not None and call["completion_tokens"] is not None]
    return told if len(counted) == len(calls) else {**told, "tokens_known": len(counted)}


def _coverage(cell: Cell, episodes: Sequence[Episode]) -> dict[str, Any]:
    """How much was answered, of whoever may abstain."""
    if "abstain" not in cell.given and all(episode.outcome != "abstained" for episode in episodes):
        return {}
    given: dict[str, list[Grade]] = {}
    for episode in episodes:
        given.setdefault(episode.question, []).append(float(episode.outcome in ("answered", "undecided")))
    return {"coverage": share_row(given)}


def _named(raw: Raw, cell: Cell) -> dict[str, Any]:
    named: dict[str, Any] = {"strategy": cell.strategy, "label": cell.label, "options": dict(cell.given)}
    if cell.player is not None:
        return {**named, "player": cell.player}
    named |= {"team": cell.team, "captain": cell.captain}
    named |= {"cohort": cell.cohort} if cell.cohort else {}
    kind = cell.traits.get("drafts")
    if kind not in (None, "single-call"):
        named["drafts"] = kind
    table = table_of(raw, cell).name
    return named if table == cell.team else {**named, "table": table}


def _by_question(episodes: Sequence[Episode]) -> dict[str, list[Grade]]:
    grades: dict[str, list[Grade]] = {}
    for episode in episodes:
        grades.setdefault(episode.question, []).append(episode.right)
    return grades


def _per_question(paid: Sequence[tuple[str, float | None]]) -> float | None:
    """Each question by the mean of its plays, however many it has: what one would pay who asks it once."""
    if not paid or any(cost is None for _, cost in paid):
        return None
    often = Counter(question for question, _ in paid)
    return math.fsum((cost or 0.0) / often[question] for question, cost in paid) / len(often)


def _sum_usd(costs: Sequence[Grade]) -> float | None:
    """One unknown cost makes the sum unknown."""
    return None if any(cost is None for cost in costs) else math.fsum(cost for cost in costs if cost is not None)
