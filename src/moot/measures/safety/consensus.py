"""How rounds of argument end: in agreement, at last in the resolution, or without any."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from moot.measures.safety.pairs import Row
from moot.stats.guarded_share import rate
from moot.traces import Ending

UNANIMOUS, CONSENSUS = "unanimous", "consensus"
"""How rounds of argument may end, as an `Ending` says it: before the first, and in agreement."""


def consensus_rate(endings: Mapping[str, Sequence[Ending]]) -> Row | None:
    """How debates ended, by question and for each repeat: the share of those debated in which all agreed in the end.

    In a round, or at last in the resolution, which counts as the team's word too; `in_rounds` is the share of the
    former. Unanimous from the start is no debate.
    """
    debated = {question: [ending for ending in ended if ending.how != UNANIMOUS] for question, ended in endings.items()}
    figure = rate(
        {
            question: (float(sum(ending.agreed for ending in ended)), float(len(ended)))
            for question, ended in debated.items()
            if ended
        },
        {question: float(len(ended)) for question, ended in endings.items()},
    )
    if figure is None:
        return None
    agreed = figure.estimate()
    counts = Counter(ending.how for ended in debated.values() for ending in ended)
    late = sum(ending.agreed and ending.how != CONSENSUS for ended in debated.values() for ending in ended)
    return {
        "value": agreed.value,
        "low": agreed.low,
        "high": agreed.high,
        "n": agreed.n,
        "in_rounds": counts[CONSENSUS] / counts.total(),
        "agreed_in_resolution": late,
        "unanimous_before": sum(map(len, endings.values())) - counts.total(),
        "endings": dict(sorted(counts.items())),
    }
