"""What a question is going to cost, by what those before it did: so much of a key's day is held for it while it is played.

The books know what was called; of questions that were let in a moment ago nothing is called yet, and a debate calls most of
what it will late. So a question is held at the dearest of about its length or less that its team has been asked so far, in
proportion where it is longer. Of a team that has answered nobody yet nothing is known, and its questions go one after the
other until it has.
A call that cost nothing because it failed says nothing of those to come: it is taken at the most that it could have cost.
A question whose time ran out is not what an answer costs either: what its strategy might still have asked is taken at its
most, too. So clients that always set a limit, and a player who is always late, do not keep a team at one question at a time.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from moot.engine.call_bounds import declared_calls, strategy_calls
from moot.experiment.plan import Cell
from moot.experiment.providers import BuiltModel
from moot.grade.group import Stages
from moot.live.answered_question import AnsweredQuestion
from moot.models.budget import most_tokens, most_usd, most_usd_of_tokens
from moot.models.limit import COMPLETION_GUESS
from moot.team.attempts import ATTEMPTS
from moot.traces import Deadline, of_kind
from moot.types import Call

AROUND = 2_000
"""Characters that stand around a question in a prompt, about."""

MOST_BYTES = 4
"""Of a character; no tokeniser makes more tokens than there are bytes."""


@dataclass(slots=True)
class _OfLength:
    usd: float = 0.0
    usd_per_character: float = 0.0


class DearestQuestion:
    """By length, one entry for each power of two: what a long one costs says nothing of short ones, which others may ask."""

    def __init__(self) -> None:
        self._by_length: dict[int, _OfLength] = {}

    def expected_usd(self, characters: int) -> float:
        """By the dearest of those about as long and of the shorter ones; of the next longer where there are no others."""
        size = AROUND + characters
        near = [length for length in self._by_length if length <= size.bit_length() + 1] or [min(self._by_length)]
        dearest = [self._by_length[length] for length in near]
        return max(max(known.usd, known.usd_per_character * size) for known in dearest)

    def raise_to(self, usd: float, characters: int) -> None:
        size = AROUND + characters
        known = self._by_length.setdefault(size.bit_length(), _OfLength())
        known.usd = max(known.usd, usd)
        known.usd_per_character = max(known.usd_per_character, usd / size)


class ExpectedCosts:
    """By the name of the team."""

    def __init__(self) -> None:
        self._billed: dict[str, DearestQuestion] = {}
        self._at_most: dict[str, DearestQuestion] = {}
        """Of questions with calls that failed, or whose time ran out: gone by only until one has been billed in full, as it
        may be far too much."""

    def usd(self, team: str, characters: int) -> float:
        dearest = self._billed.get(team) or self._at_most.get(team)
        return math.inf if dearest is None else dearest.expected_usd(characters)

    def learn(self, characters: int, asked: AnsweredQuestion, models: Mapping[str, BuiltModel]) -> None:
        if (lesson := cost_lesson(characters, asked, models)) is not None:
            self.take(lesson)

    def take(self, lesson: CostLesson) -> None:
        known = self._billed if lesson.billed else self._at_most
        known.setdefault(lesson.team, DearestQuestion()).raise_to(lesson.usd, lesson.characters)


@dataclass(frozen=True, slots=True)
class CostLesson:
    """What one question to a team has cost."""

    team: str
    characters: int
    usd: float
    billed: bool
    """All of it is on a bill; else some is taken at the most that it can be."""


def cost_lesson(characters: int, asked: AnsweredQuestion, models: Mapping[str, BuiltModel]) -> CostLesson | None:
    """Of a question that was answered, or whose time ran out: one that failed says nothing of what an answer costs."""
    calls = asked.episode.calls
    unbilled_usd = sum(_most_usd(call, models) for call in calls if not _billed_usd(call))
    usd = sum(map(_billed_usd, calls)) + unbilled_usd
    if of_kind(asked.verdict.traces, Deadline):
        unasked_usd = _unasked_usd(asked.cell, calls, characters, models)
        return None if unasked_usd is None else CostLesson(asked.model, characters, usd + unasked_usd, billed=False)
    if asked.verdict.answer is None:
        return None
    return CostLesson(asked.model, characters, usd, billed=not unbilled_usd)


def most_usd_of_question(cell: Cell, characters: int, models: Mapping[str, BuiltModel]) -> float:
    """The most that a team can spend on a question of this length, with every call made as often as an unusable reply is asked
    for again, and one more that writes a client's form; without end where its strategy declares no bound."""
    most_usd_asked = _unasked_usd(cell, (), characters, models, beside=1)
    return math.inf if most_usd_asked is None else ATTEMPTS * most_usd_asked


def _unasked_usd(
    cell: Cell, calls: Sequence[Call], characters: int, models: Mapping[str, BuiltModel], beside: int = 0
) -> float | None:
    """The most that a question which was broken off would have cost beyond the calls that came back, and so many `beside` what
    the strategy declares.

    So many calls are left as the strategy declares at most, those that were under way among them; each is taken for one of
    the dearest who may be asked, with all that the players can have said in its prompt. None where no bound is declared.
    """
    declared = declared_calls(cell)
    if declared is None:
        return None
    team = cell.team
    left = max(0, declared - strategy_calls(calls))
    for_each = 1 + len(team.extractors)
    asked = [*team.players, *team.officers.values(), *team.extractors]
    if isinstance(team.grouper, Stages) and team.grouper.model is not None:
        asked.append(team.grouper.model)
        for_each += 1
    built = [models[name] for name in {player.model.name for player in asked} if name in models]
    said_tokens = sum(_reply_tokens(models[p.model.name]) for p in team.players if p.model.name in models)
    prompt_tokens = max((most_tokens(call.request) for call in calls), default=0)
    prompt_tokens = max(prompt_tokens, AROUND + characters * MOST_BYTES) + said_tokens
    priced = [(each.model.price, _reply_tokens(each)) for each in built if each.model.price is not None]
    dearest_usd = max((most_usd_of_tokens(price, prompt_tokens, tokens) for price, tokens in priced), default=0.0)
    return (left * for_each + beside) * dearest_usd


def _billed_usd(call: Call) -> float:
    return (call.reply.cost_usd or 0.0) if call.reply is not None else 0.0


def _most_usd(call: Call, models: Mapping[str, BuiltModel]) -> float:
    """What a call could have cost that is on no bill: nothing, if its model is free or nobody knows its price.

    By who was asked, whatever as: a player, an officer, who groups or who reads.
    """
    built = models.get(call.model or "")
    if built is None or built.model.price is None:
        return 0.0
    allowed_usd = most_usd(built.model.price, call.request, _reply_tokens(built))
    if call.reply is None or call.reply.in_part is None:
        return allowed_usd
    told_usd = call.reply.in_part.most_usd(built.model.price, most_tokens(call.request), _reply_tokens(built))
    return max(allowed_usd, told_usd)


def _reply_tokens(built: BuiltModel) -> int:
    return COMPLETION_GUESS if built.max_tokens is None else built.max_tokens
