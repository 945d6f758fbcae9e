"""Of one task in logs of lm-evaluation-harness: by which filter the answers are taken, and by which metric they are right.

Both are the same for all models, or they would be compared by different rules.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from moot.data.logs.fields import items, mapping, number, share, text
from moot.data.logs.lm_eval_sample import INVALID, LmEvalSample
from moot.grade.normalise import normalise

METRICS = ("acc", "exact_match", "acc_norm", "em", "score", "math_verify", "f1")
"""Those that hold an answer against the reference, in the order in which one is looked for."""
_ALSO_COMPARE = re.compile(r".*(exact_match|_f1|f1_score|_em)")
MAJORITY = "majority_vote"
"""Its filter that makes one answer of several replies."""


def chosen_filters(
    samples: Mapping[str, Sequence[LmEvalSample]], configs: Mapping[str, Mapping[str, Any]]
) -> dict[str, str]:
    """By model: of the filters that all logs have one and the same, else of its own.

    Preferred is what takes the answer of a reply over what makes one of several, then what found most, then what found the
    shortest: it takes most off a reply.
    """
    names = [list(dict.fromkeys(sample.filter for sample in own)) for own in samples.values()]
    shared = [name for name in names[0] if all(name in others for others in names)]
    if shared:
        everybody = [sample for own in samples.values() for sample in own]
        config = next(iter(configs.values()))
        return dict.fromkeys(samples, _best(everybody, shared, config))
    return {model: _best(samples[model], own, configs[model]) for model, own in zip(samples, names, strict=True)}


def _best(samples: Sequence[LmEvalSample], names: Sequence[str], config: Mapping[str, Any]) -> str:
    def rank(name: str) -> tuple[bool, int, int]:
        own = [sample for sample in samples if sample.filter == name]
        found = [[each for each in sample.taken if is_found(each)] for sample in own]
        return not reduces(own, config), sum(map(len, found)), -sum(len(str(sample.taken[:1])) for sample in own)

    return max(names, key=rank)


def is_found(taken: Any) -> bool:
    return isinstance(taken, list) or (text(taken) is not None and taken not in INVALID)


def reduces(samples: Sequence[LmEvalSample], config: Mapping[str, Any]) -> bool:
    """Whether a filter makes one answer of several replies, so that it is not the first one's, nor any other's."""
    several = [sample for sample in samples if len(sample.replies) > 1 and len(sample.taken) == 1]
    if not several:
        return False
    name = several[0].filter
    steps = [
        step
        for each in map(mapping, items(config.get("filter_list")))
        if each.get("name") == name
        for step in items(each.get("filter"))
    ]
    if name.startswith("maj") or any(mapping(step).get("function") == MAJORITY for step in steps):
        return True
    return any(is_found(sample.taken[0]) and not _stands_in(sample.taken[0], sample.replies[0]) for sample in several)


def _stands_in(answer: Any, reply: Any) -> bool:
    """As words of their own: 5 does not stand in 50."""
    words = re.escape(str(answer).strip())
    return re.search(rf"(?<!\w){words}(?!\w)", str(reply)) is not None if words else True


def metrics_of(samples: Sequence[LmEvalSample]) -> list[str]:
    """All that the rows are scored by."""
    listed = [str(name) for sample in samples for name in items(sample.row.get("metrics"))]
    return list(dict.fromkeys(listed)) or [name for name in METRICS if name in samples[0].row]


def chosen_metric(samples: Sequence[LmEvalSample]) -> str | None:
    """The one that is a verdict on every reply; None: none is."""
    named = metrics_of(samples)
    known = [name for name in METRICS if any(name in sample.row for sample in samples)]
    for name in dict.fromkeys((*known, *named)):
        if all(share(number(sample.row.get(name))) is not None for sample in samples):
            return name
    return next((name for name in known if any(sample.worth(name) is not None for sample in samples)), None)


def target_is_reference(samples: Sequence[LmEvalSample], metric: str | None) -> bool:
    """Whether replies are held against the target: by the metric's name, or since a reply that is called right says it.

    Many tasks judge a reply in some other way, and have a placeholder, or the code of a test, where the reference would be.
    """
    if metric is None or metric in METRICS or _ALSO_COMPARE.fullmatch(metric):
        return True
    return any(
        sample.worth(metric) == 1 and normalise(str(sample.taken[0])) == normalise(str(sample.row.get("target")))
        for sample in samples
    )
