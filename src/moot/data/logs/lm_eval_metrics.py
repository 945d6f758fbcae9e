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
from moot.data.logs.verdict_evidence import VerdictEvidence, evidence_of, says_any
from moot.data.logs.verdict_names import disagreeing, left_aside, one_verdict, says_other, says_right, says_wrong
from moot.grade.normalise import normalise

METRICS = ("acc", "exact_match", "acc_norm", "em", "score", "math_verify", "f1")
"""Those that hold an answer against the reference, in the order in which one is looked for."""
ANYTHING = "score"
"""That of these which is called so may be of anything: it does not go before one whose name says that it is right."""
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
    why: str = ""
    """What is the matter with these; beside one that is taken, what was left aside."""

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
    own = [name for name in usable_as if name in known and name != ANYTHING]
    if own:
        return ChosenMetric(own[0], usable_as[own[0]])
    said = {name: [sample.worth(name) for sample in samples] for name in usable_as}
    sure = [name for name in usable_as if name == ANYTHING or (says_right(name) and not usable_as[name])]
    if sure:
        unknown = [name for name in whole if name in usable_as or not (says_other(name) or says_wrong(name))]
        beside = {name: [sample.worth(name) for sample in samples] for name in unknown if name not in sure}
        same = one_verdict(
            {name: said[name] for name in sure},
            beside,
            lambda name: name in usable_as and _evidence(samples, name, usable_as[name]).speaks_for,
        )
        if not same:
            told = sure if disagreeing(said[name] for name in sure) else [*sure, *beside]
            return ChosenMetric(None, unclear=tuple(told), why=_disagree(told))
        return ChosenMetric(same[0], usable_as[same[0]], why=left_aside([name for name in sure if name not in same]))
    others = list(usable_as)
    exact = [
        name for name in others if _is_all_or_nothing(samples, name) and _says_target(samples, name, usable_as[name])
    ]
    for among in (others, exact):
        if among and not disagreeing(said[name] for name in among):
            constant = [
                name for name in whole if name not in others and len({each.worth(name) for each in samples}) == 1
            ]
            return ChosenMetric(among[0], usable_as[among[0]], why=left_aside(constant))
    if others:
        return ChosenMetric(None, unclear=tuple(others), why=_disagree(others))
    return ChosenMetric(None, unclear=tuple(whole), why=_unusable(whole, higher))


def _disagree(names: Sequence[str]) -> str:
    return f"{', '.join(names)} disagree"


def _unusable(names: Sequence[str], higher: Mapping[str, bool]) -> str:
    """Why none of these is a verdict, by what the log says of them."""
    ways = (
        (None, "the log does not say that more of {} is right"),
        (True, "more of {} is better, which does not tell replies that say the reference from others"),
        (False, "less of {} is better, and 0 of it cannot be told to be right"),
    )
    of_each = [(", ".join(name for name in names if higher.get(name) is way), words) for way, words in ways]
    return "; ".join(words.format(listed) for listed, words in of_each if listed)


def _turned(samples: Sequence[LmEvalSample], name: str, higher: bool | None) -> bool | None:
    """Whether 0 is right in it; None: it is no verdict, or nobody can tell which is.

    Less of a metric may be better without a reply being right for it, as of a bias. So it has to call the target itself right,
    and something else wrong: what is 0 for every reply may be anything.
    """
    if says_right(name) and higher is not False:
        return False
    if says_other(name):
        return None
    if higher is False:
        all_or_nothing = _is_all_or_nothing(samples, name) and any(sample.worth(name) == 1 for sample in samples)
        return True if all_or_nothing and _says_target(samples, name, turned=True) else None
    seen = _evidence(samples, name, turned=False)
    if higher is True:
        # Where no reply says the target it is no reference either, and nothing is accepted beside one.
        return False if name in METRICS or (not says_wrong(name) and (seen.speaks_for or not seen.saying)) else None
    return False if _says_target(samples, name, turned=False) and seen.speaks_for else None


def _evidence(samples: Sequence[LmEvalSample], name: str, turned: bool) -> VerdictEvidence:
    """Of generated replies: which choice the target means is only found by a metric."""
    replies = []
    for sample in samples:
        if not sample.continuations and sample.taken and (target := str(sample.row.get("target"))).strip():
            worth = sample.worth(name)
            replies.append((says_any(str(sample.taken[0]), (target,)), None if worth is None else abs(turned - worth)))
    return evidence_of(replies)


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
