"""What a question is going to cost, by what those before it did: so much of a key's day is held for it while it is played.

The books know what was called; of questions that were let in a moment ago nothing is called yet, and a debate calls most of
what it will late. So a question is held at the dearest that its team has been asked so far, in proportion to its length where
it is longer. Of a team that has answered nobody yet nothing is known, and its questions go one after the other until it has.
A call that cost nothing because it failed says nothing of those to come: it is taken at the most that it could have cost.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from moot.experiment.providers import BuiltModel
from moot.live.answered_question import AnsweredQuestion
from moot.models.budget import most_usd
from moot.models.limit import COMPLETION_GUESS
from moot.traces import Deadline, of_kind
from moot.types import Call

AROUND = 2_000
"""Characters that stand around a question in a prompt, about."""


@dataclass(slots=True)
class DearestQuestion:
    usd: float = 0.0
    usd_per_character: float = 0.0

    def expected_usd(self, characters: int) -> float:
        return max(self.usd, self.usd_per_character * (AROUND + characters))

    def raise_to(self, usd: float, characters: int) -> None:
        self.usd = max(self.usd, usd)
        self.usd_per_character = max(self.usd_per_character, usd / (AROUND + characters))


class ExpectedCosts:
    """By the name of the team."""

    def __init__(self) -> None:
        self._billed: dict[str, DearestQuestion] = {}
        self._at_most: dict[str, DearestQuestion] = {}
        """Of questions with calls that failed: gone by only until one has been billed in full, as it may be far too much."""

    def usd(self, team: str, characters: int) -> float:
        dearest = self._billed.get(team) or self._at_most.get(team)
        return math.inf if dearest is None else dearest.expected_usd(characters)

    def learn(self, characters: int, asked: AnsweredQuestion, models: Mapping[str, BuiltModel]) -> None:
        """From a question that was played to its end: one that was broken off says nothing of what an answer costs."""
        if asked.verdict.answer is None or of_kind(asked.verdict.traces, Deadline):
            return
        unbilled_usd = sum(_most_usd(call, models) for call in asked.episode.calls if not _billed_usd(call))
        known = self._at_most if unbilled_usd else self._billed
        billed_usd = sum(map(_billed_usd, asked.episode.calls))
        known.setdefault(asked.model, DearestQuestion()).raise_to(billed_usd + unbilled_usd, characters)


def _billed_usd(call: Call) -> float:
    return (call.reply.cost_usd or 0.0) if call.reply is not None else 0.0


def _most_usd(call: Call, models: Mapping[str, BuiltModel]) -> float:
    """What a call could have cost that is on no bill: nothing, if its model is free or nobody knows its price.

    By who was asked, whatever as: a player, an officer, who groups or who reads.
    """
    built = models.get(call.model or "")
    if built is None or built.model.price is None:
        return 0.0
    reply_tokens = COMPLETION_GUESS if built.max_tokens is None else built.max_tokens
    return most_usd(built.model.price, call.request, reply_tokens)
