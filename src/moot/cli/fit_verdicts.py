"""`moot fit`, of strategies that ask on after the drafts: how sure each of them is, beside the rule over the drafts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from moot.decide.fitted_verdicts import FittedVerdicts
from moot.decide.promise import largest_cluster
from moot.decide.rule_file import FittedRule
from moot.decide.rules import DIGITS
from moot.decide.studied import NothingLearnt, Studied, studied
from moot.decide.taught_verdicts import TaughtVerdicts
from moot.decide.verdict_chance import VerdictModel
from moot.errors import UsageError
from moot.measures.graded_verdicts import PlayedVerdicts
from moot.strategies import strategy_class
from moot.strategies.vote import Vote


@dataclass(frozen=True, slots=True)
class VerdictsLearnt:
    """Of every strategy that was played how sure it is, or why that is not told."""

    fitted: tuple[FittedVerdicts, ...]
    untold: tuple[str, ...]

    def words(self) -> Iterator[str]:
        for each in self.fitted:
            yield f"{each.title}: how sure it is was learnt from {each.questions:,} of its graded verdicts."
            yield from (f"{each.title}: {promise.words()}." for promise in each.promises)
        yield from self.untold


def learn_played(
    rule: FittedRule,
    every: Studied,
    places: Sequence[int],
    kept_for_it: Sequence[int],
    played: Sequence[PlayedVerdicts],
    targets: Sequence[float],
) -> VerdictsLearnt:
    """`rule`: as it is written. `places`: the lessons that teach; `kept_for_it`: those that a promise is made on."""
    fitted, untold = [], []
    for each in played:
        model = rule.stages.get(frozenset(each.players))
        if model is None or _is_vote(each.strategy):
            continue
        found = TaughtVerdicts.of(_with_verdicts(every, places, each)).learn(model.penalty)
        if isinstance(found, NothingLearnt):
            untold.append(f"{each.label}: how sure it is is not told: {found.why}.")
            continue
        told = VerdictModel(*(round(value, DIGITS) for value in (found.bias, found.slope, found.own)))
        kept = TaughtVerdicts.of(_with_verdicts(every, kept_for_it, each)) if targets else None
        largest = largest_cluster(every.units)
        promises = (
            () if kept is None else tuple(kept.promise(model, told, target, largest=largest) for target in targets)
        )
        graded = TaughtVerdicts.of(_with_verdicts(every, places, each)).graded
        fitted.append(FittedVerdicts(each.mark, each.label, each.captain, told, graded, promises))
    return VerdictsLearnt(tuple(fitted), tuple(untold))


def _with_verdicts(every: Studied, places: Sequence[int], played: PlayedVerdicts) -> Studied:
    lessons = tuple(replace(every.lessons[place], verdict=played.by_place.get(place)) for place in places)
    return studied(lessons, played.players)


def _is_vote(name: str) -> bool:
    """Of which the rule itself tells how sure it is."""
    try:
        return issubclass(strategy_class(name), Vote)
    except UsageError:  # of a package that is not here
        return False
