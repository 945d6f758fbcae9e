"""One simulated model on one question: what it believes, how sure it sounds, and what others can talk it into.

The formulae are in `simulated`; here they are computed. Nothing is remembered between calls: what a model said before
follows from its draws again, or stands in the prompt.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from moot.simulate.character import Character
from moot.simulate.prompt_reading import ShownAnswer
from moot.simulate.world import NORMAL, QuestionFacts, normal, plain, uniform


@dataclass(frozen=True, slots=True)
class Settled:
    """An answer, and in words why."""

    answer: str
    why: str


@dataclass(frozen=True, slots=True)
class Mind:
    """One model on one question."""

    model: Character
    facts: QuestionFacts
    turn: str
    variation: float
    guise: str = ""
    """The instruction or persona it is under, as far as the prompt says."""

    def own(self, role: str) -> float:
        """A standard normal of this model's own; in part of its guise, and, if warm, of this sample."""
        drawn = normal(*self._role(role))
        if self.guise:
            drawn = _mixed(drawn, normal(*self._role(role), "guise", self.guise), self.model.guise)
        if self.variation:
            drawn = _mixed(drawn, normal(*self._role(role), self.turn), self.variation)
        return drawn

    def chance(self, *role: object) -> float:
        """A number between 0 and 1 that belongs to this model, this question and this role."""
        return uniform(*self._role(*role))

    def _role(self, *role: object) -> tuple[object, ...]:
        return (self.model.world.seed, self.facts.id, self.model.name, *role)

    def struggle(self, role: str) -> float:
        """A standard normal: how hard it finds the question, in part as all do."""
        model = self.model
        difficulty = math.sqrt(model.correlation) * normal(model.world.seed, self.facts.id, "difficulty")
        rest = 1 - model.correlation
        return difficulty + math.sqrt(rest) * self._view(role, rest)

    def draft(self) -> Settled:
        if self.struggle("draft") < _threshold(self.model.accuracy):
            answer = self.facts.truth
        else:
            answer = self.wrong(NORMAL.cdf(self._view("wrong", 1.0)))
        return Settled(answer, f"what the question says points to {answer}")

    def wrong(self, share: float) -> str:
        return self.model.world.wrong(self.facts, share, self.model.attraction)

    def _view(self, role: str, whole: float) -> float:
        """A standard normal of which the family holds `family_correlation` out of `whole`."""
        model = self.model
        if model.family is None or whole == 0:
            return self.own(role)
        part = min(1.0, model.family_correlation / whole)
        family = normal(model.world.seed, self.facts.id, "family", model.family, role)
        return _mixed(self.own(role), family, part)

    def conviction(self, answer: str) -> float:
        return self.model.tell * self.facts.is_right(answer) + self.own("conviction")

    def can_tell(self) -> bool:
        return self.chance("power") < self.model.power

    def ear(self, answer: str) -> float:
        """What this model makes of the case for an answer, beyond what everybody hears in it."""
        return self.model.taste * self.own(f"ear {self._key(answer)}")

    def settle(self, answers: Sequence[ShownAnswer], previous: str, *, crowd: float | None = None) -> Settled:
        """What it says once it has seen these answers; `previous` is what it said before.

        With `crowd` it weighs arguments, and a head counts for so much; without, it is a captain, who counts votes.
        """
        groups = self._groups(answers)
        right = [group for group in groups.values() if self.facts.is_right(group[0].text)]
        if right and self.can_tell():
            return Settled(self._wording(right[0]), "one of these answers holds against every word of the question")
        best = self._ranked(groups, previous, crowd)[0]
        answer = self._wording(groups[best]) if groups[best] else previous
        if crowd is None:
            return Settled(answer, f"{_count(groups[best])} of {_count(answers)} say so")
        kept = best == self._key(previous)
        return Settled(
            answer, f"no objection to {answer} holds" if kept else f"the case for {answer} is the better one"
        )

    def next_best(self, answers: Sequence[ShownAnswer], previous: str, *, crowd: float) -> str | None:
        """What it would say if it had to leave the answer it settles on."""
        settled = self._key(self.settle(answers, previous, crowd=crowd).answer)
        groups = self._groups(answers)
        left = [key for key in self._ranked(groups, previous, crowd) if key != settled]
        return (self._wording(groups[left[0]]) if groups[left[0]] else previous) if left else None

    def opinions(self, options: Sequence[str]) -> list[float]:
        """What bare options are worth to it: infinite for one that it knows to be right; its own draft before others."""
        if self.can_tell() and any(map(self.facts.is_right, options)):
            return [math.inf if self.facts.is_right(option) else 0.0 for option in options]
        own_key = self._key(self.draft().answer)
        worth = {self._key(option): self.ear(option) for option in options}
        best = max((value for key, value in worth.items() if key != own_key), default=0.0)
        return [
            best + max(self.model.pull, 1e-6) if key == own_key else worth[key] for key in map(self._key, options)
        ]  # fmt: skip

    def _groups(self, answers: Iterable[ShownAnswer]) -> dict[str, list[ShownAnswer]]:
        groups: dict[str, list[ShownAnswer]] = {}
        allowed = {plain(option) for option in self.facts.options}
        for answer in answers:
            key = self._key(answer.text)
            if key and (not allowed or key in allowed):
                groups.setdefault(key, []).append(answer)
        return groups

    def _ranked(self, groups: dict[str, list[ShownAnswer]], previous: str, crowd: float | None) -> list[str]:
        groups.setdefault(self._key(previous), [])
        return sorted(groups, key=lambda key: self._appeal(key, groups[key], previous, crowd), reverse=True)

    def _appeal(
        self, key: str, group: Sequence[ShownAnswer], previous: str, crowd: float | None
    ) -> tuple[float, bool, float]:
        mine = key == self._key(previous)
        heard = [answer.conviction for answer in group if answer.conviction is not None]
        appeal = sum(heard) / len(heard) if heard else 0.0
        appeal += sum(answer.heads for answer in group) * (1.0 if crowd is None else crowd)
        if crowd is not None:
            appeal += self.ear(key) + self._awe(group) + (0.0 if group else self.conviction(previous))
        return appeal + self.model.pull * mine, mine, self.chance("tie", key)

    def _awe(self, group: Sequence[ShownAnswer]) -> float:
        """What the best name behind an answer is worth, where names are shown at all."""
        seed = self.model.world.seed
        named = [normal(seed, "name", answer.speaker) for answer in group if answer.speaker]
        return self.model.awe * max(named, default=0.0)

    def _key(self, text: str) -> str:
        """One key for what counts as one answer."""
        return plain(self.facts.option(text) or text)

    def _wording(self, group: Sequence[ShownAnswer]) -> str:
        """A choice in the letters of the question; else the words of whoever comes first, whatever the order shown."""
        return self.facts.option(group[0].text) or min(answer.text.strip() for answer in group)


def _mixed(one: float, other: float, share: float) -> float:
    """A standard normal again, of which the other one holds this share."""
    return math.sqrt(1 - share) * one + math.sqrt(share) * other


def _count(answers: Sequence[ShownAnswer]) -> int:
    return round(sum(answer.heads for answer in answers))


def _threshold(accuracy: float) -> float:
    if accuracy in (0, 1):
        return math.inf if accuracy else -math.inf
    return NORMAL.inv_cdf(accuracy)
