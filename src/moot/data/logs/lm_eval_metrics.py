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
from moot.data.logs.verdict_evidence import JudgedReply, VerdictEvidence, evidence_of, says_any
from moot.data.logs.verdict_names import disagreeing, left_aside, one_verdict, says_other, says_right, says_wrong
from moot.grade.normalise import normalise

METRICS = ("acc", "exact_match", "acc_norm", "em", "score", "math_verify", "f1")
"""Those that hold an answer against the reference, in the order in which one is looked for."""
ANYTHING = "score"
"""That of these which is called so may be of anything: it is no verdict where the replies speak against it."""
NOT_FIRST = (ANYTHING, "f1")
"""Those of these that do not go before one of another name that says that it is right: the other is f1 of words, a share."""
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
    can_be_named: bool = True
    """Whether one of these would be taken if somebody named it."""

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
    scales = {name: scale for name in named if (scale := _other_scale(samples, name)) is not None}
    if wanted is not None:
        turned = higher.get(wanted) is False
        usable = wanted in named and any(sample.worth(wanted) is not None for sample in samples)
        if usable and turned and not _is_all_or_nothing(samples, wanted):
            return ChosenMetric(None, why=f"less of {wanted} is better, and it gives parts of a point")
        return ChosenMetric(wanted if usable and wanted not in scales else None, turned, why=scales.get(wanted, ""))
    within = [name for name in named if name not in scales]
    whole = [name for name in within if all(sample.worth(name) is not None for sample in samples)]
    whole = whole or [
        name for name in known if name in within and any(sample.worth(name) is not None for sample in samples)
    ]
    chosen = _chosen(samples, known, whole, higher)
    if not scales:
        return chosen
    if chosen.name is None and not chosen.unclear:
        return ChosenMetric(None, unclear=tuple(scales), why="; ".join(scales.values()), can_be_named=False)
    return replace(chosen, why="; ".join(filter(None, (chosen.why, *scales.values()))))


def _other_scale(samples: Sequence[LmEvalSample], name: str) -> str | None:
    """What is the matter with a metric of which some numbers are outside 0 to 1; None: nothing."""
    given = [value for sample in samples if (value := number(sample.row.get(name))) is not None]
    if all(share(value) is not None for value in given):
        return None
    return f"{name} is a number from {min(given):g} to {max(given):g}, not a share from 0 to 1"


def _chosen(
    samples: Sequence[LmEvalSample], known: Sequence[str], whole: Sequence[str], higher: Mapping[str, bool]
) -> ChosenMetric:
    """`whole`: those that are shares of every reply; of these nobody has named one."""
    tried = sum(not says_right(name) for name in whole)
    usable_as = {name: down for name in whole if (down := _turned(samples, name, higher.get(name), tried)) is not None}
    said = {name: [sample.worth(name) for sample in samples] for name in usable_as}
    sure = [name for name in usable_as if name == ANYTHING or (says_right(name) and not usable_as[name])]
    own = [name for name in usable_as if name in known and name not in NOT_FIRST]
    # One that calls every reply right tells nothing, and has no first place beside others that differ.
    if own and {*said[own[0]]} != {1.0}:
        others = [name for name in sure if name != own[0]]
        choice = (
            _in_order(own[0], others) if others and disagreeing([said[own[0]], *map(said.__getitem__, others)]) else ""
        )
        return ChosenMetric(own[0], usable_as[own[0]], why=choice)
    if sure:
        unknown = [name for name in whole if name in usable_as or not (says_other(name) or says_wrong(name))]
        beside = {name: [sample.worth(name) for sample in samples] for name in unknown if name not in sure}
        same = one_verdict(
            {name: said[name] for name in sure},
            beside,
            lambda name: (
                name in usable_as and _evidence(samples, name, usable_as[name]).speaks_for(len(sure) + len(beside))
            ),
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


def _in_order(first: str, others: Sequence[str]) -> str:
    return f"{', '.join(others)} {'says' if len(others) == 1 else 'say'} otherwise, and {first} goes first"


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


def _turned(samples: Sequence[LmEvalSample], name: str, higher: bool | None, tried: int) -> bool | None:
    """Whether 0 is right in it; None: it is no verdict, or nobody can tell which is.

    More or less of a metric may be better without a reply being right for it, as of a bias. So the replies have to bear it out.
    `tried`: how many are looked at so.
    """
    turned = higher is False
    if says_right(name) and not turned:
        return False
    if says_other(name) or (says_wrong(name) and not turned):
        return None
    seen = _evidence(samples, name, turned)
    if name == ANYTHING and higher is True:
        return None if seen.speaks_against else False
    if turned and not _is_all_or_nothing(samples, name):
        return None
    return turned if seen.speaks_for(tried) else None


def _evidence(samples: Sequence[LmEvalSample], name: str, turned: bool) -> VerdictEvidence:
    """Of generated replies: which choice the target means is only found by a metric."""
    replies = []
    for sample in samples:
        if not sample.continuations and sample.taken and (target := str(sample.row.get("target"))).strip():
            worth = sample.worth(name)
            upright = None if worth is None else abs(turned - worth)
            says = says_any(str(sample.taken[0]), (target,))
            replies.append(JudgedReply(says, upright, sample.ident, str(sample.path)))
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


def target_is_reference(samples: Sequence[LmEvalSample], metric: ChosenMetric, *, stated: bool = False) -> bool:
    """Whether replies are held against the target: by the metric's name, or since those that say it are called right. `stated`:
    somebody who knows has named the metric. `samples`: with 1 for right.

    Many tasks judge a reply in some other way, and have a placeholder, or the code of a test, where the reference would be.
    """
    if metric.name is None:
        compare = any(name in METRICS and name != ANYTHING for name in metric.unclear)
        return not metric.unclear or compare or any(map(_says_its_target, samples))
    if metric.name in METRICS or _ALSO_COMPARE.fullmatch(metric.name):
        return True
    if any(sample.worth(metric.name) == 1 and _says_its_target(sample) for sample in samples):
        return True
    seen = _evidence(samples, metric.name, turned=False)
    return seen.calls_references_right or (stated and seen.is_mostly_said)
