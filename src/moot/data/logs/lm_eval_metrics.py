"""By which metric of a task in logs of lm-evaluation-harness a reply is right. It is the same for all models.

The results say of each metric whether more of it is better. One of which less is better is no verdict as it stands, and of one of
which nothing is known 1 may be the worst: then nothing that it calls right is accepted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from moot.data.logs.fields import items, mapping, number, share
from moot.data.logs.lm_eval_sample import LmEvalSample
from moot.data.logs.verdict_names import disagreeing, says_right
from moot.grade.normalise import normalise

METRICS = ("acc", "exact_match", "acc_norm", "em", "score", "math_verify", "f1")
"""Those that hold an answer against the reference, in the order in which one is looked for."""
_ALSO_COMPARE = re.compile(r".*(exact_match|_f1|f1_score|_em)")
HIGHER = "higher_is_better"


@dataclass(frozen=True, slots=True)
class ChosenMetric:
    """None: none is a verdict on every reply, or none can be told to be."""

    name: str | None
    turned: bool = False
    """Whether 0 is right and 1 is wrong in the log."""
    unclear: tuple[str, ...] = ()
    """Those that may be verdicts, of which nobody says so."""
    disagree: bool = False
    """Whether more of each of these is better, and they say different things of the replies."""

    @property
    def told(self) -> str | None:
        return f"1 - {self.name}" if self.turned else self.name

    def upright(self, samples: Iterable[LmEvalSample]) -> list[LmEvalSample]:
        """The samples with 1 for right."""
        if not self.turned or self.name is None:
            return list(samples)
        return [
            sample
            if (worth := sample.worth(self.name)) is None
            else replace(sample, row={**sample.row, self.name: 1 - worth})
            for sample in samples
        ]


def directions(document: Mapping[str, Any], task: str) -> dict[str, bool]:
    """By metric whether more is better, as far as the results say."""
    listed = [mapping(each) for each in items(mapping(mapping(document.get("configs")).get(task)).get("metric_list"))]
    found = {str(each.get("metric")): each.get(HIGHER) for each in listed}
    found |= {
        name: higher
        for name, higher in mapping(mapping(document.get(HIGHER)).get(task)).items()
        if isinstance(higher, bool)
    }
    return {name: higher for name, higher in found.items() if isinstance(higher, bool)}


def metrics_of(samples: Sequence[LmEvalSample]) -> list[str]:
    """All that the rows are scored by."""
    listed = [str(name) for sample in samples for name in items(sample.row.get("metrics"))]
    return list(dict.fromkeys(listed)) or [name for name in METRICS if name in samples[0].row]


def chosen_metric(samples: Sequence[LmEvalSample], higher: Mapping[str, bool], wanted: str | None) -> ChosenMetric:
    """`higher`: of which metrics it is known whether more is better; `wanted`: the one that somebody who knows has named."""
    known = [name for name in METRICS if any(name in sample.row for sample in samples)]
    named = list(dict.fromkeys((*known, *metrics_of(samples))))
    if wanted is not None:
        turned = higher.get(wanted) is False
        usable = wanted in named and any(sample.worth(wanted) is not None for sample in samples)
        can_be_turned = not turned or _is_all_or_nothing(samples, wanted)
        return ChosenMetric(wanted if usable and can_be_turned else None, turned)
    whole = [name for name in named if all(share(number(sample.row.get(name))) is not None for sample in samples)]
    whole = whole or [name for name in known if any(sample.worth(name) is not None for sample in samples)]
    usable_as = {name: down for name in whole if (down := _turned(samples, name, higher.get(name))) is not None}
    sure = [name for name in usable_as if name in known or (says_right(name) and not usable_as[name])]
    others = [name for name in usable_as if name not in sure]
    if sure:
        return ChosenMetric(sure[0], usable_as[sure[0]])
    exact = [
        name for name in others if _is_all_or_nothing(samples, name) and _says_target(samples, name, usable_as[name])
    ]
    for among in (others, exact):
        if among and not disagreeing([sample.worth(name) for sample in samples] for name in among):
            return ChosenMetric(among[0], usable_as[among[0]])
    return ChosenMetric(None, unclear=tuple(others or whole), disagree=bool(others))


def _turned(samples: Sequence[LmEvalSample], name: str, higher: bool | None) -> bool | None:
    """Whether 0 is right in it; None: it is no verdict, or nobody can tell which is.

    Less of a metric may be better without a reply being right for it, as of a bias. So it has to call the target itself right.
    """
    if higher is True:
        return False
    if higher is False:
        calls_it_right = _is_all_or_nothing(samples, name) and _says_target(samples, name, turned=True)
        return True if calls_it_right else None
    return False if says_right(name) or _says_target(samples, name, turned=False) else None


def _is_all_or_nothing(samples: Sequence[LmEvalSample], name: str) -> bool:
    return all(sample.worth(name) in (0.0, 1.0, None) for sample in samples)


def _says_target(samples: Sequence[LmEvalSample], name: str, turned: bool) -> bool:
    """Whether every reply that says the target, of which there is one, is called right."""
    right = 0.0 if turned else 1.0
    worths = [sample.worth(name) for sample in samples if _is_target(sample, str.strip)]
    return bool(worths) and all(worth == right for worth in worths)


def _says_its_target(sample: LmEvalSample) -> bool:
    return _is_target(sample, normalise)


def _is_target(sample: LmEvalSample, spelt: Callable[[str], str]) -> bool:
    """Whether what was taken of a generated reply is the target, both spelt in this way."""
    if sample.continuations or not sample.taken:
        return False
    target = spelt(str(sample.row.get("target")))
    return bool(target) and spelt(str(sample.taken[0])) == target


def target_is_reference(samples: Sequence[LmEvalSample], metric: ChosenMetric) -> bool:
    """Whether replies are held against the target: by the metric's name, or since a reply that is called right says it.

    Many tasks judge a reply in some other way, and have a placeholder, or the code of a test, where the reference would be.
    """
    if metric.name is None:
        return not metric.unclear or any(map(_says_its_target, samples))
    if metric.name in METRICS or _ALSO_COMPARE.fullmatch(metric.name):
        return True
    return any(sample.worth(metric.name) == 1 and _says_its_target(sample) for sample in samples)
