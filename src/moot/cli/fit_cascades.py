"""`moot fit`, of cascades with a last stage: how sure each is, by the rule over the drafts and that stage's graded verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from moot.cli.fit_verdicts import VerdictsLearnt, untold_words, with_verdicts
from moot.decide.cascade import Cascade, cascade_mark
from moot.decide.cascade_promise import staged_promise
from moot.decide.fitted_verdicts import FittedVerdicts
from moot.decide.promise import largest_cluster
from moot.decide.rule_file import rule_of
from moot.decide.studied import NothingLearnt, Studied
from moot.decide.taught_verdicts import TaughtVerdicts
from moot.errors import UsageError
from moot.measures.graded_verdicts import PlayedVerdicts
from moot.measures.source import Stored
from moot.strategies import Strategy, label, strategy
from moot.strategies.option_values import ABSTAIN
from moot.team import Team

OF_ITS_OWN = (ABSTAIN, "from")
"""What a cascade of a store has beside how it asks."""


@dataclass(frozen=True, slots=True)
class PlayedCascade:
    """How it asks, whatever rule it holds, and what it ends with."""

    cascade: Cascade
    stage: Strategy
    captain: str | None


def played_cascades(cells: Iterable[Stored]) -> list[PlayedCascade]:
    """Of a store: each once."""
    found: dict[tuple[str, str | None], PlayedCascade] = {}
    for cell in cells:
        if "then" not in cell["given"]:
            continue
        options = {key: value for key, value in cell["given"].items() if key not in OF_ITS_OWN}
        try:
            played = strategy(cell["strategy"], options)
        except UsageError:  # it ends with what is not here
            continue
        if isinstance(played, Cascade) and (stage := played.last_stage) is not None:
            found.setdefault((label(played), cell["captain"]), PlayedCascade(played, stage, cell["captain"]))
    return list(found.values())


def learn_cascades(
    cascades: Sequence[PlayedCascade],
    team: Team,
    content: Mapping[str, Any],
    every: Studied,
    places: Sequence[int],
    kept_for_it: Sequence[int],
    played: Sequence[PlayedVerdicts],
    targets: Sequence[float],
) -> VerdictsLearnt:
    """`content`: the rule as it is written, by which a cascade asks. `places`: the lessons that teach; `kept_for_it`: those
    that a promise is made on, where its path is replayed."""
    found = VerdictsLearnt((), ())
    for each in cascades:
        told: FittedVerdicts | str
        try:
            told = _learnt(each, team, content, every, places, kept_for_it, played, targets)
        except UsageError as error:
            told = str(error)
        named = label(each.cascade)
        found += (
            VerdictsLearnt((), (untold_words(named, told),)) if isinstance(told, str) else VerdictsLearnt((told,), ())
        )
    return found


def _learnt(
    each: PlayedCascade,
    team: Team,
    content: Mapping[str, Any],
    every: Studied,
    places: Sequence[int],
    kept_for_it: Sequence[int],
    played: Sequence[PlayedVerdicts],
    targets: Sequence[float],
) -> FittedVerdicts | str:
    """How sure it is, or why that is not told."""
    named = label(each.stage)
    of_stage = next((one for one in played if (one.label, one.captain) == (named, each.captain)), None)
    if of_stage is None:
        return (
            f"nobody has graded what its last stage makes of all questions; name {named} in the file too, and run again"
        )
    if (why := of_stage.why_unfair) is not None:
        return why
    asking, rule = replace(each.cascade, from_=content).asking(team), rule_of(content)
    model = rule.kept_rule.model
    assert model is not None, "a rule that is read has one"
    taught = TaughtVerdicts.of(with_verdicts(every, places, of_stage))
    found = taught.learn(model.penalty, each.cascade.threshold)
    if isinstance(found, NothingLearnt):
        return found.why
    told, largest = found.rounded(), largest_cluster(every.units)
    kept = TaughtVerdicts.of(with_verdicts(every, kept_for_it, of_stage)) if targets else None
    promises = (
        ()
        if kept is None
        else tuple(staged_promise(asking, rule.stages.get, told, kept, target, largest=largest) for target in targets)
    )
    mark = cascade_mark(each.cascade, of_stage.mark)
    return FittedVerdicts(mark, label(each.cascade), each.captain, told, taught.graded, promises)
