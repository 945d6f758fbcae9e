"""In which order a cascade asks, and when it has heard enough: as given, by price, or by what graded questions teach."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from moot.decide.cascading import (
    StageModels,
    StopRule,
    UntilDecided,
    UntilSure,
    Waves,
    best_order,
    in_waves,
    learnt_order,
)
from moot.decide.deciding import Kept
from moot.decide.rule_file import FittedRule
from moot.decide.studied import NothingLearnt, Studied
from moot.errors import UsageError
from moot.models.model import innermost
from moot.models.recorded import RecordedModel
from moot.strategies import list_told
from moot.team import Player, Team

BEST_FIRST, LEARNT_FIRST, CHEAPEST_FIRST = "best", "learnt", "cheapest"


class GivenOrder(tuple[str, ...]):
    """Everybody by name, in a label as a report has it: ann+bob."""

    __slots__ = ()

    def __str__(self) -> str:
        told = list_told(self)
        return json.dumps(told) if len(self) == 1 and told in (BEST_FIRST, LEARNT_FIRST, CHEAPEST_FIRST) else told


@dataclass(frozen=True, slots=True, eq=False)
class AskingPlan:
    """Who is asked when, of these players, and when it is enough."""

    players: tuple[str, ...]
    waves: Waves
    until: StopRule
    why_order: str
    kept: Kept | None = None
    """The rule that was learnt, where it decides, or where nothing could be learnt."""
    voices: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.until.threshold is None:
            object.__setattr__(self, "voices", self.until.rule.added_voices(self.players))


def given_order(order: Sequence[str], team: Team) -> list[str]:
    """The players of the team by name, each of them."""
    names = [player.name for player in team.players]
    everybody = {*names, *(name for members in team.cohorts.values() for name in members)}
    for name in order:
        if name not in everybody:
            raise UsageError(f"order: {name!r} is not in team {team.name!r}; expected each of {', '.join(names)}")
    if missing := [name for name in names if name not in order]:
        raise UsageError(f"order: {missing[0]!r} of team {team.name!r} is missing; expected each of {', '.join(names)}")
    return [name for name in order if name in names]


@dataclass(frozen=True, slots=True)
class CheapestOrder:
    """Everybody by what it costs, and how those were told apart who cost the same."""

    names: Sequence[str]
    words: str


def cheapest_first(team: Team) -> list[str]:
    return list(cheapest_order(team).names)


def cheapest_order(team: Team) -> CheapestOrder:
    """By what a million tokens of a prompt and of a reply cost together, or, where all are recordings, by what those of their
    replies cost on average that are played back. Nothing is less than any price, on whichever scale; what nobody knows is no
    price. Of equals whoever writes fewest tokens, where all of their recordings tell that, else whoever sits first."""
    recorded = {player.name: _recorded_usd(player) for player in team.players}
    listed = {player.name: _listed_usd(player) for player in team.players}
    free = {name for costs in (recorded, listed) for name, cost in costs.items() if cost == 0}
    for costs in (recorded, listed):
        known = {name: 0.0 if name in free else cost for name, cost in costs.items()}
        told = {name: cost for name, cost in known.items() if cost is not None}
        if len(told) == len(costs):
            return _ordered(told, {player.name: _recorded_tokens(player) for player in team.players})
    nowhere = [player for player in team.players if recorded[player.name] is None and listed[player.name] is None]
    problem = _not_known(nowhere[0]) if nowhere else _not_alike(team, listed, free)
    raise UsageError(f"order: cheapest: {problem}")


def _ordered(costs: Mapping[str, float], tokens: Mapping[str, float | None]) -> CheapestOrder:
    equals = Counter(costs.values())
    tied = [name for name, cost in costs.items() if equals[cost] > 1]
    written = {name: count for name in tied if (count := tokens[name]) is not None}
    by_tokens = bool(tied) and len(written) == len(tied)
    order = sorted(costs, key=lambda name: (costs[name], written.get(name, 0.0) if by_tokens else 0.0))
    if not tied:
        return CheapestOrder(order, _WORDS[CHEAPEST_FIRST])
    how = "whoever writes fewest tokens" if by_tokens else "whoever sits first"
    if len(equals) == 1:
        first = "whoever writes fewest tokens first" if by_tokens else "in the order of the seats"
        return CheapestOrder(order, f"all cost {'nothing' if 0.0 in equals else 'the same'}, so {first}")
    return CheapestOrder(order, f"{_WORDS[CHEAPEST_FIRST]}, of equals {how}")


def _recorded_tokens(player: Player) -> float | None:
    model = innermost(player.model)
    return model.mean_completion_tokens if isinstance(model, RecordedModel) else None


def _recorded_usd(player: Player) -> float | None:
    model = innermost(player.model)
    return model.mean_cost_usd if isinstance(model, RecordedModel) else None


def _listed_usd(player: Player) -> float | None:
    model = innermost(player.model)
    price = model.then if isinstance(model, RecordedModel) else player.model.price
    return None if price is None else price.prompt + price.completion


def _not_known(player: Player) -> str:
    problem = f"what {player.name} costs is not known"
    if not isinstance(model := innermost(player.model), RecordedModel):
        return f"{problem}; expected {_price_of(player)}"
    partly = (
        f" of all its recorded replies to these questions (it is of {model.known_costs})" if model.known_costs else ""
    )
    return f"{problem}{partly}; expected {_price_of(player)}, or cost_usd in its recorded replies"


def _not_alike(team: Team, listed: Mapping[str, float | None], free: Collection[str]) -> str:
    """Replies and lists are no one scale: what a reply takes is not known of a list."""
    dear = [player for player in team.players if player.name not in free]
    one = next(player for player in dear if listed[player.name] is None)
    other = next(player for player in dear if listed[player.name] is not None)
    by_what = f"what {one.name} costs is known by its recorded replies, and what {other.name} does by its price"
    return f"{by_what}; expected {_price_of(one)}"


def _price_of(player: Player) -> str:
    return f"a price, as in models: {{{player.model.name}: {{price: {{prompt: ..., completion: ...}}}}}}"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a cascade is told."""

    order: str | tuple[str, ...]
    names: Sequence[str] | None
    """Who is asked when; None: that is learnt."""
    threshold: float | None
    size: int
    to_the_end: bool
    """What is not sure enough is asked of everybody, though it may be decided."""
    why_names: str | None = None
    """Why they are asked in this order, where there is more to say of it than its name."""

    def waves(self, players: tuple[str, ...], learnt: Sequence[int]) -> Waves:
        seats = learnt if self.names is None else [players.index(name) for name in self.names]
        return in_waves(seats, self.size)

    @property
    def words(self) -> str:
        return self.why_names or _WORDS.get(str(self.order), "in the order that is given")


_WORDS = {
    BEST_FIRST: "who was right most often first",
    LEARNT_FIRST: "whose voice counts most first",
    CHEAPEST_FIRST: "the cheapest first",
}


def asking_as_given(wanted: Wanted, players: tuple[str, ...]) -> AskingPlan:
    """Without anything that is learnt: until the vote is decided."""
    return AskingPlan(players, wanted.waves(players, range(len(players))), UntilDecided(), wanted.words)


def asking_by_lessons(wanted: Wanted, taught: Studied) -> AskingPlan:
    """By what the lessons teach. Where that is nothing, and an order is to be learnt, it is that of the seats; where a
    probability is to be reached, everybody is asked and the largest group taken: how sure it is nobody knows."""
    taught = taught.pooled()
    players = taught.candidates.players
    learnt = taught.rule()
    kept = Kept.of(learnt, players)
    if isinstance(learnt, NothingLearnt):
        words = "in the order of the seats" if wanted.names is None else wanted.words
        until = UntilDecided(never=wanted.threshold is not None)
        return AskingPlan(players, wanted.waves(players, range(len(players))), until, words, kept)
    known = taught.candidates.graded(learnt.settled)
    waves = wanted.waves(
        players, best_order(known) if wanted.order == BEST_FIRST else learnt_order(learnt.model, learnt.rule)
    )
    models = {} if wanted.threshold is None else taught.stages(waves, learnt)
    return _asking(wanted, players, waves, kept, models)


def asking_by_rule(wanted: Wanted, players: tuple[str, ...], rule: FittedRule) -> AskingPlan:
    """By what `moot fit` wrote, or why that does not tell enough."""
    kept = rule.kept_rule
    assert kept.model is not None, "a file has one"
    learnt = [players.index(kept.model.players[seat]) for seat in learnt_order(kept.model, kept.rule)]
    if wanted.order == BEST_FIRST:
        if not rule.accuracy:
            raise UsageError("from: how often each player was right is not in it; moot fit learns one anew")
        learnt = sorted(range(len(players)), key=lambda seat: -rule.accuracy[players[seat]])
    waves = wanted.waves(players, learnt)
    asked: list[str] = []
    for wave in waves if wanted.threshold is not None else ():
        asked += [players[seat] for seat in wave]
        if frozenset(asked) not in rule.stages:
            heard = " and ".join(asked)
            orders = "expected order: learnt or best, or cheapest where all prices are known, or a rule that moot fit learns anew"
            raise UsageError(f"from: it does not tell how sure an answer is where only {heard} was asked; {orders}")
    return _asking(wanted, players, waves, kept, rule.stages)


def _asking(wanted: Wanted, players: tuple[str, ...], waves: Waves, kept: Kept, models: StageModels) -> AskingPlan:
    if wanted.threshold is not None:
        until = UntilSure(wanted.threshold, models, kept.rule, or_decided=not wanted.to_the_end)
        return AskingPlan(players, waves, until, wanted.words, kept)
    if wanted.order == LEARNT_FIRST:
        return AskingPlan(players, waves, UntilDecided(kept.rule), wanted.words, kept)
    return AskingPlan(players, waves, UntilDecided(), wanted.words)
