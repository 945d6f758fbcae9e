"""All options that are worth a look, from the questions searched on: players × sizes × rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from moot.advise.cascades import cascades
from moot.advise.frontier import NOTHING_WANTED, AdviceWanted
from moot.advise.known import KnownDrafts
from moot.advise.led import NOT_OVERRULED, led_teams
from moot.advise.options import LEADER, SINGLE, WEIGHTED, AdvisedOption, TeamOption
from moot.advise.search import MOST_PLAYERS, Costs, SeatedTeam, TeamsFound, grown
from moot.advise.tallies import Tallies
from moot.decide.candidates import Candidates, Floats, Places
from moot.decide.choice_model import learn
from moot.decide.kinds_apart import learn_rule_by_kind
from moot.decide.learning import FEWEST, LEARNT, PLURALITY, LearntRule, folds_of
from moot.decide.rules import Leader, MostProbable, Plurality, WeightedSum, expected_worth
from moot.decide.weights import weights_by_accuracy

SCREENED_ON = 1_500
"""So many questions say which teams are worth learning a rule for."""
SCREENED = 40
SCREEN_PENALTY = 3.0
RULES_LEARNT = 2
"""Teams for which a rule is learnt and tried across folds."""
LOOKED_BY_LEARNING = 2
"""Of the teams screened so many are improved by exchanging members, for one of those who are in most of them."""
POOL = 12
REPLAYED = 2
"""So many teams of two, and so many larger ones, are asked one after another."""


@dataclass(frozen=True, slots=True, eq=False)
class FoundOptions:
    options: list[AdvisedOption]
    looked_at: int
    """Teams with rules that were compared."""
    every_team: bool
    """Whether every team of every size was looked at: its vote, its weighted vote, and with each leader who is tried."""


def find_options(drafts: KnownDrafts, most: int = MOST_PLAYERS, wanted: AdviceWanted = NOTHING_WANTED) -> FoundOptions:
    """`drafts`: of the questions searched on alone. `wanted`: what is looked for beside the most accurate."""
    seats = range(len(drafts.players))
    everybody = drafts.candidates(seats)
    costs = Costs.of(drafts, wanted)
    weights = _weights_across(everybody, drafts)
    alike, by_weight = Tallies.of(everybody), Tallies.of(everybody, weights)
    votes, weighted = grown(alike, costs, most), grown(by_weight, costs, most)
    led, every_led = led_teams(alike, costs, most)
    options = [TeamOption(SINGLE, (seat,), Leader(drafts.players[seat]), drafts.worth[seat]) for seat in seats]
    options += [
        TeamOption(PLURALITY, team, Plurality(), alike.standing(team).worth.astype(float)) for team in _teams(votes, 3)
    ]
    for team in _teams(weighted, 3):
        rule = WeightedSum(weights_by_accuracy(drafts.candidates(team), drafts.choices))
        options.append(TeamOption(WEIGHTED, team, rule, by_weight.standing(team).worth.astype(float)))
    for each in led:
        rule_led = Leader(drafts.players[each.leader], None if each.unless == NOT_OVERRULED else each.unless)
        searched = expected_worth(rule_led, drafts.candidates(each.seats))
        options.append(TeamOption(LEADER, each.seats, rule_led, searched))
    likely = [*_teams(weighted, 2), *_teams(votes, 3), *(each.seats for each in led)]
    promising, screened = _promising(drafts, list(dict.fromkeys(likely)), options, costs)
    at_once: list[AdvisedOption] = [*options]
    learnt_of = dict(_rules(drafts, [*promising, *_worth_replaying(options, costs)]))
    for team in promising:
        learnt = learnt_of.get(team)
        if learnt is not None and learnt.kept == LEARNT:
            at_once.append(TeamOption(LEARNT, team, learnt.rule, learnt.tried[LEARNT], learnt))
    in_turn = list(cascades(drafts, learnt_of))
    every = every_led and all(each.every_team for found in (votes, weighted) for each in found.values())
    return FoundOptions([*at_once, *in_turn], len(options) + screened + len(in_turn), every)


def _worth_replaying(options: Sequence[TeamOption], costs: Costs) -> list[SeatedTeam]:
    """The most accurate teams of two, and of three or more, whatever their rule; and of those that keep to the limits."""
    best = sorted(options, key=lambda option: -float(option.searched.mean()))
    teams = list(dict.fromkeys(option.seats for option in best if len(option.seats) > 1))
    pairs, larger = [team for team in teams if len(team) == 2], [team for team in teams if len(team) > 2]
    found = [*pairs[:REPLAYED], *larger[:REPLAYED]]
    if costs.limited:
        for those in (pairs, larger):
            found += [team for team in those if costs.fits(team)][:REPLAYED]
    return list(dict.fromkeys(found))


def _teams(found: dict[int, TeamsFound], fewest: int) -> Iterator[SeatedTeam]:
    for size, of_size in found.items():
        if size >= fewest:
            yield from of_size.value


def _weights_across(everybody: Candidates, drafts: KnownDrafts) -> Floats:
    """Players × questions: what each voice counts, by the other folds."""
    folds = folds_of(drafts.units, role="advise weights")
    weights = np.zeros((len(drafts.players), drafts.size))
    for fold in np.unique(folds):
        others = everybody.at(np.flatnonzero(folds != fold)) if len(np.unique(folds)) > 1 else everybody
        by_name = weights_by_accuracy(others, drafts.choices)
        weights[:, folds == fold] = np.array([by_name[name] for name in everybody.players])[:, None]
    return weights


def _promising(
    drafts: KnownDrafts, likely: Sequence[SeatedTeam], options: Sequence[TeamOption], costs: Costs
) -> tuple[list[SeatedTeam], int]:
    """The teams for which a learnt rule promises most, and how many were looked at for that."""
    if drafts.different_units < FEWEST:
        return [], 0
    right = {option.seats: float(option.searched.mean()) for option in options if len(option.seats) > 1}
    best = sorted(likely, key=lambda team: -right.get(team, 0.0))
    first = best[:SCREENED]
    if costs.limited:
        first = list(dict.fromkeys([*first, *[team for team in best if costs.fits(team)][:SCREENED]]))
    screen = _Screen.of(drafts)
    value = {team: screen.right(team) for team in first}
    often = Counter(player for each in first for player in each)
    pool = [player for player, _ in often.most_common(POOL)]
    for team in sorted(value, key=lambda each: -value[each])[:LOOKED_BY_LEARNING]:
        value |= screen.exchanged(team, pool)
    by_value = sorted(value, key=lambda team: (-value[team], team))
    within = [team for team in by_value if costs.fits(team)] if costs.limited else []
    return list(dict.fromkeys([*by_value[:RULES_LEARNT], *within[:RULES_LEARNT]])), len(value)


@dataclass(frozen=True, slots=True, eq=False)
class _Screen:
    """How right a learnt rule might be: one penalty, a part of the questions, half of them tried by the other half."""

    drafts: KnownDrafts
    half: Places

    @classmethod
    def of(cls, drafts: KnownDrafts) -> _Screen:
        part = np.arange(drafts.size)
        if len(part) > SCREENED_ON:
            part = np.sort(np.random.default_rng(len(part)).permutation(part)[:SCREENED_ON])
        known = drafts.at(part)
        return cls(known, folds_of(known.units, 2, role="advise screen"))

    def right(self, team: SeatedTeam) -> float:
        candidates = self.drafts.candidates(team)
        values = np.zeros(len(candidates))
        for side in (0, 1):
            inside, outside = np.flatnonzero(self.half == side), np.flatnonzero(self.half != side)
            if len(inside) and len(outside):
                model = learn(candidates.at(outside), SCREEN_PENALTY)
                values[inside] = expected_worth(MostProbable(model), candidates.at(inside))
        return float(values.mean())

    def exchanged(self, team: SeatedTeam, pool: Iterable[int]) -> dict[SeatedTeam, float]:
        found: dict[SeatedTeam, float] = {}
        for member in team:
            rest = tuple(player for player in team if player != member)
            for other in sorted(set(pool) - set(team)):
                changed = tuple(sorted((*rest, other)))
                found[changed] = self.right(changed)
        return found


def _rules(drafts: KnownDrafts, teams: Iterable[SeatedTeam]) -> Iterator[tuple[SeatedTeam, LearntRule]]:
    """As `moot fit` learns them."""
    if drafts.different_units < FEWEST:
        return
    for team in dict.fromkeys(teams):
        yield team, learn_rule_by_kind(drafts.candidates(team), drafts.units)
