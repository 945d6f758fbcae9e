"""Whose voice counts, in rules over drafts: what each play has on record, as one row a strategy, and in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from moot.decide.learning import PLURALITY
from moot.decide.weights import weights_in_words
from moot.measures.cells import Stored
from moot.measures.decided.odd import odd_among
from moot.measures.source import Source
from moot.traces import Cascaded, DecidedByRule, of_kind

Row = dict[str, Any]
SAME = 1e-9


def voice_figures(source: Source) -> dict[str, Any]:
    rows = [row for cell in source.cells if (row := _row(source, cell)) is not None]
    return {"voices": rows} if rows else {}


def _row(source: Source, cell: Stored) -> Row | None:
    """Of the rule that decided most often: rules are learnt on other questions, and so are not one and the same for all."""
    if cell["traits"].drafts is None or not cell["traits"].groups:
        return None
    plays, kept, rules, sums = 0, Counter[str](), Counter[tuple[str, str]](), dict[str, dict[str, float]]()
    for episode in source.episodes(cell):
        records = of_kind(episode.verdict.traces, DecidedByRule)
        if not records and episode.answer is not None and not of_kind(episode.verdict.traces, Cascaded):
            return None  # a rule leaves a record of every answer, but where a cascade went on to its last stage
        for record in records[-1:]:
            plays += 1
            kept[record.kept] += 1
            rules[record.kept, record.rule] += 1
            for name, weight in record.weights.items():
                weights = sums.setdefault(record.kept, {})
                weights[name] = weights.get(name, 0.0) + weight
    if not plays:
        return None
    rule = max(sorted(kept), key=kept.__getitem__)
    weights = {name: total / kept[rule] for name, total in sums.get(rule, {}).items()}
    words = max(sorted(words for kind, words in rules if kind == rule), key=lambda words: rules[rule, words])
    named = {key: cell.get(key) for key in ("strategy", "label", "team", "captain")}
    named |= {"cohort": cell["cohort"]} if cell.get("cohort") else {}
    told = voices_in_words(rule, words, weights)
    return {
        **named,
        "kept": rule,
        "plays": kept[rule],
        "of": plays,
        "weights": weights,
        "words": told,
        **odd_among(source, cell).row(),
    }


def voices_in_words(kept: str, rule: str, weights: Mapping[str, float]) -> str:
    """`qwen counts double; gemma adds nothing`; where weights say nothing, what the rule goes by."""
    if kept == PLURALITY or (weights and max(weights.values()) - min(weights.values()) < SAME):
        return "everybody counts alike"
    if sum(weight > 0 for weight in weights.values()) < 2:
        return rule
    return "; ".join(weights_in_words(weights))
