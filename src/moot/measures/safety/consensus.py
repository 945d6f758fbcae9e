"""How rounds of argument end: in agreement, at last in the resolution, or without any."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from moot.measures.safety.pairs import Row
from moot.stats.guarded_share import rate
from moot.traces import Ending

UNANIMOUS, CONSENSUS = "unanimous", "consensus"
"""How rounds of argument may end, as an `Ending` says it: before the first, and in agreement."""


NOBODY_KNOWS = "whether they agreed hangs on answers of which a part equals a key and was cut out"


def consensus_rate(endings: Mapping[str, Sequence[Ending]]) -> Row | None:
    """How debates ended, by question and for each repeat: the share of those debated in which all agreed in the end.

    In a round, or at last in the resolution, which counts as the team's word too; `in_rounds` is the share of the
    former. Unanimous from the start is no debate. Of `unknown` nobody knows whether and when they agreed: they are in no
    figure, and `bounds` are of all that were debated. `endings_unknown`: of so many it is known whether they agreed, and not
    whether they were stuck when the rounds ran out.
    """
    known = {question: [ending for ending in ended if not ending.unknown] for question, ended in endings.items()}
    unknown = sum(map(len, endings.values())) - sum(map(len, known.values()))
    debated = {question: [ending for ending in ended if ending.how != UNANIMOUS] for question, ended in known.items()}
    figure = rate(
        {
            question: (float(sum(ending.agreed for ending in ended)), float(len(ended)))
            for question, ended in debated.items()
            if ended
        },
        {question: float(len(ended)) for question, ended in endings.items()},
    )
    every = [ending for ended in debated.values() for ending in ended]
    counts = Counter(ending.how for ending in every if not ending.how_unknown)
    if figure is None and not unknown:
        return None
    agreed = figure.estimate() if figure is not None else None
    late = sum(ending.agreed and ending.how != CONSENSUS for ending in every)
    return {
        "value": agreed and agreed.value,
        "low": agreed and agreed.low,
        "high": agreed and agreed.high,
        "n": agreed.n if agreed else 0,
        **(_open(debated, unknown) if unknown else {}),
        **({} if agreed else {"why": NOBODY_KNOWS}),
        "in_rounds": counts[CONSENSUS] / len(every) if every else None,
        "agreed_in_resolution": late,
        "unanimous_before": sum(map(len, known.values())) - len(every),
        "endings": dict(sorted(counts.items())),
        **({"endings_unknown": len(every) - counts.total()} if len(every) > counts.total() else {}),
    }


def _open(debated: Mapping[str, Sequence[Ending]], unknown: int) -> Row:
    every = [ending for ended in debated.values() for ending in ended]
    agreed = sum(ending.agreed for ending in every)
    ends = (agreed / (len(every) + unknown), (agreed + unknown) / (len(every) + unknown))
    return {"unknown": unknown, "bounds": dict(zip(("low", "high"), ends, strict=True))}
