"""By which of HELM's many metrics a reply is right: by the one that HELM's own tables show for the scenario."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from moot.data.logs.log import by_metric
from moot.data.logs.verdict_names import disagreeing, says_right

BY_THOUGHT = "chain_of_thought_correctness"
MAIN: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("mmlu_pro", "gpqa"), (BY_THOUGHT,)),
    **dict.fromkeys(
        (
            *("boolq", "imdb", "raft", "civil_comments", "wikifact", "babi_qa", "synthetic_reasoning", "legalbench"),
            *("legal_support", "lsat_qa", "med_qa", "entity_data_imputation", "entity_matching", "bbq"),
        ),
        ("quasi_exact_match",),
    ),
    **dict.fromkeys(("narrative_qa", "natural_qa", "quac"), ("f1_score",)),
    "gsm": ("final_number_exact_match", "exact_match_indicator"),
    "math": ("math_equiv_chain_of_thought", "math_equiv"),
    "dyck_language": ("exact_match_indicator",),
    "synthetic_reasoning_natural": ("f1_set_match",),
    "ifeval": ("ifeval_strict_accuracy",),
    "omni_math": ("omni_math_accuracy",),
}
"""By scenario or group of scenarios what its tables show, where that is not the exact match."""
METRICS = (
    *("exact_match", BY_THOUGHT, "quasi_exact_match", "final_number_exact_match", "math_equiv_chain_of_thought"),
    *("math_equiv", "exact_match_indicator", "ifeval_strict_accuracy", "omni_math_accuracy", "prefix_exact_match"),
    *("quasi_prefix_exact_match", "f1_score", "f1_set_match"),
)
"""By which a reply is called right, in the order in which one is looked for where the scenario has none of its own."""
_COUNTS = re.compile(
    r"(num_|max_|batch_size|inference_|training_|finish_reason|logprob|prompt_truncated|truncated|prompt_tokens|"
    r"completion_tokens|bits_per_byte|predicted_index|estimated_).*"
)
"""What stands beside the metrics and is none."""
MOST_NAMED = 10
BY_NUMBER, BY_LAST_WORD = "final_number_exact_match", "exact_match_indicator"
"""Metrics that compare no more than the end of a reference."""
_NUMBER = re.compile(r"-?[0-9][0-9,]*(?:\.[0-9]+)?")


@dataclass(frozen=True, slots=True)
class VerdictMetric:
    metric: str | None
    remark: str | None = None


def verdict_metric(
    groups: Sequence[str], stats: Iterable[Mapping[str, float]], wanted: str | None = None
) -> VerdictMetric:
    """`groups`: the scenario and the groups that it is in; `wanted`: the metric that somebody who knows has named."""
    instances = list(stats)
    values: dict[str, list[float]] = {}
    for of_instance in instances:
        for name, value in of_instance.items():
            values.setdefault(name, []).append(value)
    shares = [name for name, each in values.items() if all(0 <= value <= 1 for value in each)]
    named = [name for name in values if not _COUNTS.fullmatch(name)]
    there = ", ".join(named[:MOST_NAMED])
    if wanted is not None:
        if wanted in shares:
            return VerdictMetric(wanted)
        return VerdictMetric(
            None, f"{wanted} is no verdict on its replies; it has {there or 'none'}: no verdicts are taken"
        )
    main = [name for group in groups for name in MAIN.get(group, ())]
    chosen = next((name for name in (*main, *METRICS) if name in shares), None)
    # Of others nothing but the name tells that 1 is right: "incorrect" and "mismatch_rate" are metrics too.
    others = [name for name in shares if name in named and says_right(name)]
    if chosen is None and others:
        if disagreeing([each.get(name) for each in instances] for name in others):
            way_out = f"no verdicts are taken; {by_metric()} says by which replies are right"
            return VerdictMetric(None, f"the metrics {', '.join(others[:MOST_NAMED])} disagree: {way_out}")
        return VerdictMetric(others[0], f"verdicts by {others[0]}, of {there}")
    if chosen is None:
        return VerdictMetric(None, f"none of its metrics is a verdict on a reply: {there}" if named else None)
    kept = [name for name in shares if name in METRICS or name == chosen]
    return VerdictMetric(chosen, f"verdicts by {chosen}, of {', '.join(kept)}" if kept != [chosen] else None)


def compared_parts(references: Sequence[str], metric: str | None) -> tuple[str, ...]:
    """What this metric compares of each reference, where that is a number at its end."""
    found = []
    for reference in references:
        numbers = _NUMBER.findall(reference)
        last = reference.split()[-1:]
        if metric == BY_NUMBER and numbers:
            found.append(numbers[-1].replace(",", ""))
        elif metric == BY_LAST_WORD and last and _NUMBER.search(last[0]):
            found.append(last[0])
    return tuple(found)
