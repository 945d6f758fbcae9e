"""Rules that decide from drafts: each gives the answers of a question a score, and the highest wins.

A tie is left to whoever decides (`winners`): in a vote it goes to the captain's group, else by lot. Whoever plays, replays,
writes or advises a rule asks the rule itself: a new one is one class.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from moot.decide.candidates import SILENT, Bools, Candidates, Floats, Places
from moot.decide.choice_model import ChoiceModel
from moot.decide.weights import weights_in_words, weights_of
from moot.later import numpy as np

EQUAL = 1e-9
"""Scores that differ by less are a tie."""
DIGITS = 6
"""Of a weight or a share that is written into a file."""
NEVER = "never"
"""In a file: nobody overrules a leader."""


class DraftRule:
    """From the answers that were given to which is taken. What a rule does not say of itself claims nothing."""

    __slots__ = ()

    def scores(self, candidates: Candidates) -> Floats:
        """Questions × places; what is not an answer has minus infinity."""
        raise NotImplementedError(f"{type(self).__name__}.scores: expected how high the answers to each question stand")

    def words(self) -> str:
        """What it goes by, such as "the largest group"."""
        raise NotImplementedError(f"{type(self).__name__}.words: expected what it goes by, such as 'the largest group'")

    def voices(self, players: Sequence[str]) -> dict[str, float]:
        """What each player's voice counts, for people; empty: it does not go by that."""
        return {}

    def added_voices(self, players: Sequence[str]) -> dict[str, float]:
        """What each voice adds to its answer, where the answer with the largest sum is taken, whoever else is heard."""
        raise ValueError(f"nobody knows beforehand what could change {self.words()}")

    def sums_told(self, sums: Floats, candidates: Candidates) -> Floats:
        """Questions × places: what it goes by where the voices come to these sums."""
        return sums

    def players_in_words(self, players: Sequence[str]) -> list[str]:
        """A sentence for each player, or for all: `qwen counts double`, `gemma adds nothing`."""
        return weights_in_words(self.voices(players))

    def team_in_words(self, players: Sequence[str]) -> str:
        """These players, deciding by it, in a few words."""
        return f"{self.words()}, of {', '.join(players)}"

    def as_strategy(self, players: Sequence[str], rule_file: str) -> str | dict[str, Any]:
        """What plays it with these players, as an experiment file names it. `rule_file`: where what was learnt is written."""
        raise ValueError(f"no strategy goes by {self.words()}")

    @property
    def leader(self) -> str | None:
        """Whose answer it is, where it is one player's."""
        return None

    @property
    def learnt_model(self) -> ChoiceModel | None:
        """What was learnt, where it is that which decides."""
        return None

    def by_model(self, model: ChoiceModel) -> DraftRule:
        """The same rule by what other questions taught."""
        return self


@dataclass(frozen=True, slots=True)
class Plurality(DraftRule):
    """The largest group."""

    def scores(self, candidates: Candidates) -> Floats:
        return np.where(candidates.given, candidates.counts, -np.inf)

    def words(self) -> str:
        return "the largest group of answers"

    def voices(self, players: Sequence[str]) -> dict[str, float]:
        return dict.fromkeys(players, 1.0)

    def added_voices(self, players: Sequence[str]) -> dict[str, float]:
        return self.voices(players)

    def players_in_words(self, players: Sequence[str]) -> list[str]:
        return ["everybody counts alike"]

    def team_in_words(self, players: Sequence[str]) -> str:
        return f"vote of {', '.join(players)}"

    def as_strategy(self, players: Sequence[str], rule_file: str) -> str | dict[str, Any]:
        return "vote"


@dataclass(frozen=True, slots=True)
class WeightedSum(DraftRule):
    """The group with the most weight behind it; a player without a weight has none. Where nobody who spoke has any
    weight, all count alike."""

    weights: Mapping[str, float]

    def scores(self, candidates: Candidates) -> Floats:
        weight = np.array([self.weights.get(name, 0.0) for name in candidates.players])
        found = self.sums_told(candidates.support @ weight, candidates)
        return np.where(candidates.given, found, -np.inf)

    def sums_told(self, sums: Floats, candidates: Candidates) -> Floats:
        told = sums.copy()
        voiceless = ~(sums > 0).any(axis=1)
        told[voiceless] = candidates.counts[voiceless]
        return told

    def words(self) -> str:
        return "the group with the most weight behind it"

    def voices(self, players: Sequence[str]) -> dict[str, float]:
        return {name: self.weights.get(name, 0.0) for name in players}

    def added_voices(self, players: Sequence[str]) -> dict[str, float]:
        return self.voices(players)

    def team_in_words(self, players: Sequence[str]) -> str:
        return f"weighted vote of {', '.join(players)}"

    def as_strategy(self, players: Sequence[str], rule_file: str) -> str | dict[str, Any]:
        return {"weighted": {"weights": {name: round(weight, DIGITS) for name, weight in self.weights.items()}}}


@dataclass(frozen=True, slots=True)
class Leader(DraftRule):
    """One player's answer, unless so many others agree on another, or it is silent: then the largest group of the others."""

    player: str
    unless: int | None = None
    """None: whatever the others say."""

    def scores(self, candidates: Candidates) -> Floats:
        seat = candidates.players.index(self.player)
        led: Bools = candidates.support[:, :, seat]
        others = candidates.counts - led
        found = np.where(candidates.given, others, -np.inf)
        overruled: Bools = ~np.any(led, axis=1)
        if self.unless is not None:
            overruled |= np.where(led, -np.inf, found).max(axis=1) >= self.unless
        upheld = led & ~overruled[:, None]
        found[overruled[:, None] & led] = -np.inf
        found[upheld] = len(candidates.players) + 1.0
        # Overruled it may still be the only answer that there is.
        alone = ~np.isfinite(found).any(axis=1)
        found[alone] = np.where(candidates.given[alone], candidates.counts[alone], -np.inf)
        return found

    def words(self) -> str:
        if self.unless is None:
            return f"{self.player}'s answer, or the largest group of the others where {self.player} is silent"
        return f"{self.player}'s answer, unless {self.unless} others agree on another"

    def voices(self, players: Sequence[str]) -> dict[str, float]:
        return {name: float(name == self.player) for name in players} if self.unless is None else {}

    def added_voices(self, players: Sequence[str]) -> dict[str, float]:
        if self.unless is not None:
            return DraftRule.added_voices(self, players)
        return {name: len(players) + 1.0 if name == self.player else 1.0 for name in players}

    def players_in_words(self, players: Sequence[str]) -> list[str]:
        return [f"{self.player} decides; the others count where {self.player} says nothing"]

    def team_in_words(self, players: Sequence[str]) -> str:
        others = [name for name in players if name != self.player]
        named, several = ", ".join(others), len(others) > 1
        if not others:
            return f"{self.player} alone"
        if self.unless is None:
            return f"{self.player}; where it is silent {'the vote of ' if several else ''}{named}"
        if self.unless == 1:
            return f"{self.player}, unless {'any of ' if several else ''}{named} differ{'' if several else 's'}"
        enough = (
            f"{self.unless} of {named}" if self.unless < len(others) else f"{', '.join(others[:-1])} and {others[-1]}"
        )
        return f"{self.player}, unless {enough} agree on another answer"

    def as_strategy(self, players: Sequence[str], rule_file: str) -> str | dict[str, Any]:
        if set(players) == {self.player}:
            return "vote"  # of one: what it was chosen on is a team's, and who plays solo is of no team
        return {"leader": {"player": self.player, "unless": NEVER if self.unless is None else self.unless}}

    @property
    def leader(self) -> str | None:
        return self.player


@dataclass(frozen=True, slots=True, eq=False)
class MostProbable(DraftRule):
    """The answer that is right with the highest probability, by what was learnt on other questions."""

    model: ChoiceModel

    def scores(self, candidates: Candidates) -> Floats:
        chances = self.model.probabilities(candidates)
        return np.where(candidates.given, chances, -np.inf)

    def words(self) -> str:
        return "the answer with the highest probability"

    def voices(self, players: Sequence[str]) -> dict[str, float]:
        return weights_of(self.model)

    def added_voices(self, players: Sequence[str]) -> dict[str, float]:
        if self.model.categories:
            return DraftRule.added_voices(self, players)
        return weights_of(self.model)

    def team_in_words(self, players: Sequence[str]) -> str:
        return f"learnt rule of {', '.join(players)}"

    def as_strategy(self, players: Sequence[str], rule_file: str) -> str | dict[str, Any]:
        return {"learnt": {"from": rule_file}}

    @property
    def learnt_model(self) -> ChoiceModel | None:
        return self.model

    def by_model(self, model: ChoiceModel) -> DraftRule:
        return MostProbable(model)


def checked_scores(rule: DraftRule, candidates: Candidates) -> Floats:
    """The scores of somebody else's rule, by which one of the answers stands highest: else a lot would decide unseen."""
    scores: object = rule.scores(candidates)
    if not isinstance(scores, np.ndarray) or scores.shape != candidates.given.shape:
        found = scores.shape if isinstance(scores, np.ndarray) else f"{scores!r:.40}"
        expected = f"an array of {' × '.join(map(str, candidates.given.shape))}, questions and places of answers"
        raise ValueError(f"{type(rule).__name__}.scores: expected {expected}, found {found}")
    if scores.dtype.kind not in "fiu":
        raise ValueError(f"{type(rule).__name__}.scores: expected numbers, found values of type {scores.dtype}")
    given, finite = candidates.given, np.isfinite(scores)
    problem = None
    if (strange := scores[~finite & ~np.isneginf(scores)]).size:
        problem = f"expected numbers, found {strange[0]}"
    elif (beside := scores[finite & ~given]).size:
        problem = f"{beside[0]} stands where there is no answer; expected minus infinity"
    elif not np.all((finite & given).any(axis=1) | ~given.any(axis=1)):
        problem = "every answer has minus infinity; expected a number for one of them at least"
    if problem is not None:
        raise ValueError(f"{type(rule).__name__}.scores: {problem}")
    return scores


def winners(rule: DraftRule, candidates: Candidates) -> Bools:
    """Questions × places: the highest; several where there is a tie, none where there is no answer."""
    scores = rule.scores(candidates)
    best = scores.max(axis=1, keepdims=True)
    found: Bools = candidates.given & (scores >= best - EQUAL)
    return found


def taken(rule: DraftRule, candidates: Candidates, draw: np.random.Generator) -> Places:
    """One answer a question, ties by lot; `SILENT` where there is none."""
    tied = winners(rule, candidates)
    place: Places = np.where(tied, draw.random(tied.shape), -1.0).argmax(axis=1)
    return np.where(tied.any(axis=1), place, SILENT)


def expected_worth(rule: DraftRule, candidates: Candidates) -> Floats:
    """Of each question what the rule's answer is worth, over all lots of a tie; 0 where there is no answer."""
    tied = winners(rule, candidates)
    several = tied.sum(axis=1)
    worth = np.where(tied, candidates.worth, 0.0).sum(axis=1)
    found: Floats = worth / np.maximum(several, 1)
    return found
