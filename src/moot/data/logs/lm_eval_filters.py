"""By which filter the answers of a task in logs of lm-evaluation-harness are taken.

It is the same for all models, or they would be compared by different rules.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from moot.data.logs.fields import items, mapping, text
from moot.data.logs.lm_eval_sample import INVALID, LmEvalSample
from moot.grade.normalise import normalise

MAJORITY = "majority_vote"
"""Its filter that makes one answer of several replies."""


def chosen_filters(
    samples: Mapping[str, Sequence[LmEvalSample]], configs: Mapping[str, Mapping[str, Any]]
) -> dict[str, str]:
    """By model: of the filters that all logs have one and the same, else of its own.

    Preferred is what takes the answer of a reply over what makes one of several, then what takes something off a reply over
    what leaves it whole, then what found most, then what found the shortest.
    """
    names = [list(dict.fromkeys(sample.filter for sample in own)) for own in samples.values()]
    shared = [name for name in names[0] if all(name in others for others in names)]
    if shared:
        everybody = [sample for own in samples.values() for sample in own]
        config = next(iter(configs.values()))
        return dict.fromkeys(samples, _best(everybody, shared, config))
    return {model: _best(samples[model], own, configs[model]) for model, own in zip(samples, names, strict=True)}


def _best(samples: Sequence[LmEvalSample], names: Sequence[str], config: Mapping[str, Any]) -> str:
    def rank(name: str) -> tuple[bool, bool, int, int]:
        own = [sample for sample in samples if sample.filter == name]
        found = [[each for each in sample.taken if is_found(each)] for sample in own]
        length = sum(len(str(sample.taken[:1])) for sample in own)
        return not reduces(own, config), any(map(_extracts, own)), sum(map(len, found)), -length

    return max(names, key=rank)


def _extracts(sample: LmEvalSample) -> bool:
    """Whether the filter took something off a reply, and left something."""
    both = zip(sample.taken, sample.replies, strict=False)
    return any(is_found(taken) and normalise(str(taken)) != normalise(str(reply)) for taken, reply in both)


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
