"""Options with a last, dear stage, which must be paid for before anybody knows what they are worth.

Each is a cascade that can be played and served as it stands: the players are asked in turn until the answer is likely enough;
where it is not with everybody asked, a captain who reads all reasons decides, or whatever else the stage is. So all of them
answer the questions that are likely enough alike, from drafts that are there, and differ in the rest alone.

Everything that is chosen here (team, order, threshold, captains) is chosen on the questions searched on.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from moot.advise.advice import Advice
from moot.advise.cascades import THRESHOLDS, CascadeOption, HalvesTaught, ReplayedAcross, taken_of
from moot.advise.further import MOST_OF_THEM
from moot.advise.known import KnownDrafts
from moot.advise.options import AdvisedOption
from moot.advise.search import MOST_PLAYERS, SeatedTeam
from moot.decide.candidates import Bools, Floats
from moot.decide.cascading import best_order, in_waves
from moot.decide.kinds_apart import TaughtStages, learn_rule_by_kind
from moot.decide.last_stage import stage_of
from moot.errors import UsageError
from moot.strategies import traits_of
from moot.strategies.captaincy import Captained

STAGES = ("talkative", "silent")
"""What is tried where nothing is named: a captain who reads all reasons, and one who sees the answers alone."""
CAPTAINS = 2
"""Of each stage that has one: so many of the most accurate players."""


@dataclass(frozen=True, slots=True, eq=False)
class StagedOption:
    """A cascade whose last stage somebody else decides."""

    cascade: CascadeOption
    stage: str
    captain: str | None

    @property
    def name(self) -> str:
        return self.stage if self.captain is None else f"{self.stage}@{self.captain}"

    def words(self, players: Sequence[str]) -> str:
        return f"{self.cascade.words(players)}; else {self.name}"

    def as_strategy(self, players: Sequence[str], rule_file: str) -> dict[str, Any]:
        written = self.cascade.as_strategy(players, rule_file)
        captain = {} if self.captain is None else {"captain": self.captain}
        return {"cascade": {**written["cascade"], "then": self.stage, **captain}}

    def at_table(self, players: Sequence[str], file_order: Iterable[str]) -> list[str]:
        """The team as its file has them seated, in whatever order they are asked: a captain reads the drafts of the same table,
        so what was played once for these players is found again."""
        seated = {players[seat] for seat in self.cascade.seats}
        return [name for name in file_order if name in seated]

    @property
    def entry(self) -> dict[str, Any]:
        """The last stage alone, as a file has it."""
        played = stage_of(self.stage, self.captain)
        options = {name: getattr(played, name) for name in ("captain", "drafts") if getattr(played, name, None)}
        return {self.stage: options}


@dataclass(frozen=True, slots=True, eq=False)
class StagedOptions:
    """All of them: one cascade, and what may decide where it is not sure."""

    cascade: CascadeOption
    options: tuple[StagedOption, ...] = field(default=())

    @property
    def below(self) -> float:
        assert self.cascade.threshold is not None, "it stops by a probability"
        return self.cascade.threshold

    def unsure(self, drafts: KnownDrafts) -> tuple[Bools, Floats]:
        """Of each question whether the last stage is played, and what the answer is worth where it is not.

        Where nobody says anything there is nothing to decide on, and nothing is played.
        """
        candidates = drafts.candidates(self.cascade.seats)
        found = self.cascade.replay(candidates)
        return ~found.reached & candidates.spoke.any(axis=1), found.worth(candidates)


def staged_options(
    advice: Advice, search: KnownDrafts, stages: Sequence[str] = STAGES, askable: Collection[str] | None = None
) -> StagedOptions:
    """For the option that is advised: with its players, be they in the order that it has. `stages`: a stage, or one with its
    captain (`talkative@ann`). `askable`: who can be asked anything but a draft; None: everybody."""
    assert advice.recommended is not None, "it goes on from something"
    taken = advice.recommended.option
    seats = _seats(taken, advice, search)
    candidates = search.candidates(seats)
    in_turn = isinstance(taken, CascadeOption) and taken.seats == seats
    order = taken.order if in_turn and isinstance(taken, CascadeOption) else tuple(best_order(candidates))
    waves = in_waves(order)
    learnt = taken.learnt if taken.learnt is not None and taken.seats == seats else None
    learnt = learn_rule_by_kind(candidates, search.units) if learnt is None else learnt
    taught = TaughtStages.of(candidates, search.units, waves, learnt)
    threshold, tried = _threshold(HalvesTaught.of(search, candidates, waves, learnt, taught))
    until = taught.until(threshold, learnt, or_decided=False)
    cascade = CascadeOption(seats, order, until, taken_of(tried.worth, tried.asked, search, seats), learnt=learnt)
    accurate = [candidates.players[place] for place in np.argsort(-candidates.accuracy, kind="stable")]
    found = []
    for stage in dict.fromkeys(stages):
        name, captains = _captains(stage, accurate, accurate if askable is None else askable)
        found += [StagedOption(cascade, name, captain) for captain in captains]
    return StagedOptions(cascade, tuple(found))


def named_stage(stage: str) -> tuple[str, str | None]:
    """A last stage as it is typed, and its captain, where one is named."""
    name, names_one, captain = stage.partition("@")
    played = stage_of(name, captain or None)
    if names_one and not captain:
        raise UsageError(f"{stage} names no captain; expected {name}, or {name}@ and a player")
    if names_one and not isinstance(played, Captained):
        raise UsageError(f"{name} has no captain; expected {name} alone")
    return name, captain or None


def _captains(stage: str, accurate: Sequence[str], askable: Collection[str]) -> tuple[str, Sequence[str | None]]:
    """Of a stage whoever leads it: who is named, else the most accurate of those who can. `accurate`: the team."""
    name, named = named_stage(stage)
    asks = traits_of(stage_of(name, named)).asks
    drafts_alone = [player for player in accurate if player not in askable]
    if asks == "everybody" and drafts_alone:
        holds = "it holds" if len(drafts_alone) == 1 else "they hold"
        problem = f"as a recording {' and '.join(drafts_alone)} cannot take part: {holds} drafts and nothing else"
        raise UsageError(f"{name} asks the whole team {', '.join(sorted(accurate))}, and {problem}")
    if not isinstance(stage_of(name, named), Captained):
        return name, [None]
    able = [player for player in accurate if player in askable or asks == "nobody"]
    if named is None and not able:
        team = ", ".join(sorted(accurate))
        raise UsageError(
            f"nobody of the team {team} can be captain in {name}: a recording holds its draft and nothing else"
        )
    if named is not None and named not in able:
        of_whom = f"expected one of {', '.join(able)}" if able else "nobody of the team can"
        why = "is a recording" if named in accurate else "is not in the team that is raced"
        raise UsageError(f"{named} {why}, and cannot be captain in {name}; {of_whom}")
    return name, able[:CAPTAINS] if named is None else [named]


def _seats(taken: AdvisedOption, advice: Advice, search: KnownDrafts) -> SeatedTeam:
    """Its team. One player alone has nobody to talk to: then the largest team of the frontier, or the most accurate players."""
    if len(taken.seats) > 1:
        return taken.seats
    largest = max((point.option for point in advice.frontier), key=lambda option: len(option.seats))
    if len(largest.seats) > 1:
        return tuple(sorted({*taken.seats, *largest.seats}))
    best = np.argsort(-search.worth.mean(axis=1), kind="stable")[:MOST_PLAYERS]
    return tuple(sorted({*taken.seats, *map(int, best)}))


def _threshold(across: HalvesTaught) -> tuple[float, ReplayedAcross]:
    """The least that has half of what any of them could mend; and what the cascade comes to without a last stage.

    Those that would play the stage nearly everywhere are looked at only where the others have nothing to mend.
    """
    tried = {threshold: across.replayed(threshold, or_decided=False) for threshold in THRESHOLDS}
    lost = {threshold: float((1.0 - found.worth)[~found.reached].sum()) for threshold, found in tried.items()}
    few = {threshold: lost[threshold] for threshold, found in tried.items() if (~found.reached).mean() <= MOST_OF_THEM}
    mended = few if any(few.values()) else lost
    taken = next(threshold for threshold, each in mended.items() if each >= max(mended.values()) / 2)
    return taken, tried[taken]
