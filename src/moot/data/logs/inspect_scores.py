"""By which of the scores in logs of Inspect a reply is right: a scorer may give several by name, and a task have several scorers.

It is the same one for all models of a task. Of several that disagree none is taken for being the first: by one that says whether
the form was kept, every wrong answer would be right. Nor is the only one taken whatever it is called: of many 1 is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from moot.data.logs.fields import items, mapping, number, share, text
from moot.data.logs.log import QuestionInLog, by_metric
from moot.data.logs.verdict_evidence import JudgedReply, VerdictEvidence, evidence_of, says_reference
from moot.data.logs.verdict_names import disagreeing, left_aside, one_verdict, says_other, says_right, says_wrong

WORTH = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
"""Correct, incorrect, partial and no answer, as its scorers write them."""
IN_WORDS = {"yes": 1.0, "true": 1.0, "1": 1.0, "no": 0.0, "false": 0.0, "0": 0.0}
"""What else Inspect counts as correct or not."""
MEAN = (None, "mean")
"""How epochs are reduced to one value where the figure is the mean of all."""
OF_ALL = ("all", "overall")
"""What a metric by groups calls that of all samples."""
MOST_NAMED = 10
UNTOLD = "is not called as one that says whether a reply is right, nor do the replies bear it out"


@dataclass(frozen=True, slots=True)
class ScoreName:
    """`key`: of a scorer that gives several values that of one; None: it gives one."""

    scorer: str
    key: str | None = None

    def __str__(self) -> str:
        return self.scorer if self.key is None else self.key

    @property
    def whole(self) -> str:
        return self.scorer if self.key is None else f"{self.scorer}.{self.key}"


@dataclass(frozen=True, slots=True)
class SampleScores:
    """What a sample has of all its scores."""

    values: Mapping[ScoreName, float | None]
    """As numbers; None: it is none."""
    answers: Mapping[str, str | None]
    """By scorer what it took of the reply; "": it found nothing."""
    says_reference: bool | None = None
    """Whether the reply does; None: nobody can tell."""
    question: str = ""
    model: str = ""

    def worth(self, name: ScoreName | None) -> float | None:
        return share(self.values.get(name)) if name is not None else None


NOT_FOUND = ("no_response", "invalid_response_format")
"""Why a scorer calls a reply wrong in which it found no answer."""


def scores_of(sample: Mapping[str, Any], question: QuestionInLog, said: str | None, model: str) -> SampleScores:
    values: dict[ScoreName, Any] = {}
    answers: dict[str, str | None] = {}
    for scorer, score in mapping(sample.get("scores")).items():
        fields = mapping(score)
        answer = fields.get("answer")
        nothing = "" if fields.get("reason") in NOT_FOUND else None
        answers[scorer] = answer if isinstance(answer, str) else nothing
        value = fields.get("value")
        if isinstance(value, dict):
            values |= {ScoreName(scorer, str(key)): each for key, each in value.items()}
        else:
            values[ScoreName(scorer)] = value
    taken = next((each for each in answers.values() if each and question.choices), said)
    return SampleScores(
        {name: _as_number(value) for name, value in values.items()},
        answers,
        says_reference(question, taken),
        question.name,
        model,
    )


def _as_number(value: Any) -> float | None:
    if not isinstance(value, str):
        return number(value)
    return WORTH.get(value, IN_WORDS.get(value.strip().lower()))


@dataclass(frozen=True, slots=True)
class ChosenScore:
    name: ScoreName | None
    """Whose verdicts are taken; None: nobody's."""
    answers_by: str | None
    """The scorer whose answers are taken."""
    remark: str | None = None
    beyond: bool = False
    """Whether it gives numbers outside 0 to 1, so that it does not say right or wrong."""


def chosen_score(
    heads: Sequence[Mapping[str, Any]], samples: Sequence[SampleScores], wanted: str | None
) -> ChosenScore:
    """`heads`: of all logs of a task; `wanted`: what somebody who knows has named."""
    there = list(dict.fromkeys(name for sample in samples for name in sample.values))
    if not there:
        return ChosenScore(None, None)
    first = _first(heads, there)
    if wanted is not None:
        found = [name for name in there if wanted in (name.whole, str(name))]
        if len(found) != 1:
            problem = "none of its scores is called" if not found else "several of its scores are called"
            return ChosenScore(None, first.scorer, f"{problem} {wanted}: {_listed(there)}; no verdicts are taken")
        return _checked(found[0], samples, None)
    if (authored := _authored(heads, there)) is not None:
        return _taken(authored, there, samples)
    said = {name: [sample.worth(name) for sample in samples] for name in there}
    verdicts = {
        name: each
        for name, each in said.items()
        if any(worth is not None for worth in each) and not _is_beyond(name, samples)
    }
    if not verdicts:
        return _taken(first, there, samples)
    named = {name: each for name, each in verdicts.items() if says_right(str(name))}
    unknown = {
        name: each
        for name, each in verdicts.items()
        if name not in named and not says_other(str(name)) and not says_wrong(str(name))
    }
    if named:
        tried = len(named) + len(unknown)
        same = one_verdict(named, unknown, lambda name: _evidence(name, samples).speaks_for(tried))
        if not same:
            # Those of unknown names are told only where they count: beside one that calls every reply right.
            told = [*named] if disagreeing(named.values()) else [*named, *unknown]
            return _none(first, f"the scores {_listed(told)} disagree")
        aside = left_aside([_listed([name]) for name in named if name not in same])
        return _taken(first if first in same else same[0], there, samples, aside)
    if len(there) > 1 and (len(verdicts) < len(there) or disagreeing(verdicts.values())):
        words = "disagree, and none is called as one that says whether a reply is right"
        return _none(first, f"the scores {_listed(there)} {words}")
    if not unknown:
        called = "is not called as one that says" if len(there) == 1 else "are not called as ones that say"
        return _none(first, f"{_listed(there)} {called} whether a reply is right")
    # Those that are left are the same verdict under several names. Letters for correct and incorrect are no proof: they do not
    # say what a judge was asked, whether a reply is right or whether it is helpful.
    taken = first if first in unknown else next(iter(unknown))
    seen = _evidence(taken, samples)
    if not seen.speaks_for():
        return _none(first, f"{_listed([taken])} {UNTOLD} ({seen.told})")
    return _taken(taken, there, samples, why=f", as the replies bear out: {seen.told}")


def _taken(
    chosen: ScoreName, there: Sequence[ScoreName], samples: Sequence[SampleScores], aside: str = "", why: str = ""
) -> ChosenScore:
    """`why`: said also where there is no other, since the name does not say it."""
    others = [name for name in there if name != chosen]
    if not others:
        return _checked(chosen, samples, f"the verdicts are those of {chosen}{why}" if why else None)
    words = (
        f"several scores; the verdicts are those of {chosen}, not of {_listed(others)}{f'; {aside}' if aside else ''}"
    )
    return _checked(chosen, samples, f"{words}{why}")


def _none(first: ScoreName, why: str) -> ChosenScore:
    way_out = f"no verdicts are taken; {by_metric()} says by which they are"
    return ChosenScore(None, first.scorer, f"{why}: {way_out}")


def _evidence(name: ScoreName, samples: Sequence[SampleScores]) -> VerdictEvidence:
    return evidence_of(
        JudgedReply(sample.says_reference, sample.worth(name), sample.question, sample.model) for sample in samples
    )


def _checked(name: ScoreName, samples: Sequence[SampleScores], remark: str | None) -> ChosenScore:
    return ChosenScore(name, name.scorer, remark, beyond=_is_beyond(name, samples))


def _is_beyond(name: ScoreName, samples: Sequence[SampleScores]) -> bool:
    values = (sample.values.get(name) for sample in samples)
    return any(value is not None and share(value) is None for value in values)


def _listed(names: Sequence[ScoreName]) -> str:
    shown = [str(name) if sum(str(other) == str(name) for other in names) == 1 else name.whole for name in names]
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return f"{', '.join(shown[:MOST_NAMED])}{more}"


def _first(heads: Sequence[Mapping[str, Any]], there: Sequence[ScoreName]) -> ScoreName:
    """That of the headline, which is the first of the results where nobody has named one."""
    for head in heads:
        results = mapping(head.get("results"))
        listed = [mapping(each) for each in items(results.get("scores"))]
        for wanted in (mapping(results.get("headline")).get("score"), *(each.get("name") for each in listed)):
            if (found := next((name for name in there if str(name) == wanted), None)) is not None:
                return found
    return there[0]


def _authored(heads: Sequence[Mapping[str, Any]], there: Sequence[ScoreName]) -> ScoreName | None:
    """The one that the author of the task has named as its headline."""
    for head in heads:
        named = mapping(mapping(head.get("eval")).get("headline_metric"))
        scorer, key = text(named.get("scorer")), text(named.get("score"))
        fits = [name for name in there if scorer in (None, name.scorer) and key in (None, str(name))]
        if (scorer or key) and len(fits) == 1:
            return fits[0]
    return None


@dataclass(frozen=True, slots=True)
class StatedScore:
    """What the results of a log say of the chosen score."""

    name: str
    metric: str
    value: float | None
    reducer: str | None

    @property
    def told(self) -> str:
        return f"{self.name} {self.metric}" + ("" if self.reducer in MEAN else f" ({self.reducer} of the epochs)")


def stated_score(results: Mapping[str, Any], chosen: ScoreName) -> StatedScore | None:
    """With what the headline does of epochs, where it is of this score."""
    scores = [mapping(each) for each in items(results.get("scores"))]
    own = [each for each in scores if each.get("name") == str(chosen)]
    own = [each for each in own if each.get("scorer") == chosen.scorer] or own
    headline = mapping(results.get("headline"))
    same = [each for each in own if each.get("reducer") == headline.get("reducer")]
    found = next(iter([*same, *own]), None)
    if found is None:
        return None
    metrics = mapping(found.get("metrics"))
    of_headline = text(headline.get("metric")) if headline.get("score") in (None, str(chosen)) else None
    named = (of_headline or "accuracy", "accuracy", "mean")
    metric = _of_all(next((name for name in named if name in metrics), "accuracy"), metrics)
    value = number(mapping(metrics.get(metric)).get("value"))
    return StatedScore(str(chosen), metric, value, text(found.get("reducer")))


def _of_all(metric: str, metrics: Mapping[str, Any]) -> str:
    """Where a metric is of one group of samples, that of all groups; "" where there is none."""
    fields = mapping(metrics.get(metric))
    if "group_key" not in mapping(fields.get("params")):
        return metric
    return next((name for name in OF_ALL if mapping(metrics.get(name)).get("group") == fields.get("group")), "")
