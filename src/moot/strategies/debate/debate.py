"""Debate: where native answers differ, the players argue in rounds until they agree, are stuck or run out of rounds.

Each round everybody sees the positions with their arguments and how many hold each, without names. It must put the
positions that it rejects in their strongest form, name the step that fails, and only then decide. Without consensus
each reads the whole debate once more and answers alone: the resolution.

A debate is one for all its line-ups. What is asked depends on nobody's chair, so the line-ups of a question share every
call through the store and differ only in whose answer they end with.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

from annotated_types import Ge

from moot.models.cut_out import was_cut
from moot.strategies.argument import Argument, ArgumentForm, Replies, in_free_words
from moot.strategies.blind import masked
from moot.strategies.captaincy import Captained, by_captain, nobody_answered
from moot.strategies.debate.course import (
    Course,
    DebateEnding,
    DebatePosition,
    DebateRound,
    Meanings,
    Orders,
    Stand,
    verdict_of,
)
from moot.strategies.natives import Drafts, draft_calls, draft_prompts, natives, shown_question
from moot.strategies.traits import CallBound, Traits
from moot.team import Team
from moot.team.attendance import Quorum
from moot.team.player import Heard
from moot.types import NOTHING, Answer, Question, Verdict

ROUND_PARTS = ("steelman", "critique")
RESOLUTION_PARTS = ("summary",)
STUCK_AFTER = 2
"""Rounds in a row in which nobody moved."""


@dataclass(frozen=True, slots=True)
class Debate(Captained):
    """Rounds of argument, and a resolution where they end without agreement."""

    name: ClassVar[str] = "debate"

    max_rounds: Annotated[int, Ge(1)] = 5
    drafts: Drafts = "double-call"
    quorum: bool = False
    """Go on when two thirds have replied and the grace period is over."""
    grace_s: Annotated[float, Ge(0)] = 60.0
    replies: Replies | None = None
    """How rounds and the resolution are written: `free-text`, the answer on the last line, or `strict`, a JSON object. Left
    out: free with `double-call`, strict with `single-call`."""

    @property
    def traits(self) -> Traits:
        return Traits(
            prompts=(*draft_prompts(self.drafts), "debate", "resolution"),
            drafts=self.drafts,
            captain="leads",
            word="captain",
            hears="rounds",
            names="hidden",
            groups=True,
            served={"quorum": True},
            calls=CallBound(per_player=draft_calls(self.drafts) + self.max_rounds + 1),
        )

    @property
    def _free(self) -> bool:
        return in_free_words(self.replies, self.drafts)

    def lineups(self, team: Team) -> tuple[Team, ...]:
        whose = self.captain or team.captain or ("each" if team.cohorts else None)
        return by_captain(team, whose, needed=False)

    async def play(self, question: Question, team: Team) -> Verdict:
        drafts = await natives(question, team, self.drafts)
        if all(draft.text is None for draft in drafts):
            return nobody_answered(drafts)
        meanings = Meanings(question, team)
        return verdict_of(await self._course(question, team, drafts, meanings), question, team, meanings)

    async def _course(self, question: Question, team: Team, drafts: tuple[Answer, ...], meanings: Meanings) -> Course:
        stands = {draft.player: Stand(draft.text, draft.reasoning) for draft in drafts}
        await meanings.learn(stands.values())
        if (word := meanings.agreed(stands.values())) is not None:
            return Course(drafts, (), "unanimous", word)
        doubts = CutStands(meanings)
        doubts.look(stands)
        rounds: list[DebateRound] = []
        ending: DebateEnding = "max-rounds"
        for number in range(1, self.max_rounds + 1):
            rounds.append(await self._round(question, team, number, stands, meanings))
            before, stands = stands, dict(rounds[-1].stands)
            spoken = _spoken(rounds[-1].heard)
            if (word := meanings.agreed(spoken.values())) is not None:
                return Course(drafts, tuple(rounds), "consensus", word, **doubts.fields())
            doubts.look(spoken)
            if len(rounds) >= STUCK_AFTER and not any(debate_round.changed for debate_round in rounds[-STUCK_AFTER:]):
                ending = "stuck"
                break
            doubts.look_at_moves(before, stands, last=number == self.max_rounds)
        resolution, orders = await self._resolution(question, team, drafts, rounds, meanings)
        answers = _spoken(resolution)
        await meanings.learn(answers.values())
        sides = meanings.sides(orders, rounds[-1].stands, answers)
        word = meanings.agreed(answers.values())
        told = doubts.fields(in_the_end=answers)
        return Course(drafts, tuple(rounds), ending, word, resolution, orders, sides, **told)

    async def _round(
        self, question: Question, team: Team, number: int, stands: Mapping[str, Stand], meanings: Meanings
    ) -> DebateRound:
        positions = meanings.positions(stands)
        asked: dict[str, str] = {}
        orders: Orders = {}
        for name in stands:
            arguments, orders[name] = _shown(question, team, positions, stands, name, number, counted=True)
            asked[name] = team.prompts.beside(__file__).render(
                "debate",
                **shown_question(question),
                positions=arguments,
                previous=stands[name].answer,
                number=number,
                free=self._free,
            )
        heard = await self._ask_all(question, team, asked, ROUND_PARTS, stage="debate", turn=1 + number)
        after = {name: _moved(stands[name], reply) for name, reply in heard.items()}
        await meanings.learn(after.values())
        # Who said nothing usable has not moved, be it that a part of where it stands was cut out.
        changed = tuple(
            name for name in stands if after[name] is not stands[name] and not meanings.same(stands[name], after[name])
        )
        spoken = {name: after[name] for name, reply in heard.items() if reply.value is not None}
        return DebateRound(heard, after, changed, orders, meanings.sides(orders, stands, spoken))

    async def _resolution(
        self,
        question: Question,
        team: Team,
        drafts: Sequence[Answer],
        rounds: Sequence[DebateRound],
        meanings: Meanings,
    ) -> tuple[dict[str, Heard[Argument]], Orders]:
        stands = rounds[-1].stands
        positions = meanings.positions(stands)
        asked: dict[str, str] = {}
        orders: Orders = {}
        for name in stands:
            arguments, orders[name] = _shown(question, team, positions, stands, name, "resolution", counted=False)
            asked[name] = team.prompts.beside(__file__).render(
                "resolution",
                **shown_question(question),
                positions=arguments,
                transcript=_transcript(question, team, drafts, rounds, name),
                previous=stands[name].answer,
                free=self._free,
            )
        turn = 2 + len(rounds)
        return await self._ask_all(question, team, asked, RESOLUTION_PARTS, stage="resolution", turn=turn), orders

    async def _ask_all(
        self, question: Question, team: Team, asked: Mapping[str, str], parts: tuple[str, ...], *, stage: str, turn: int
    ) -> dict[str, Heard[Argument]]:
        return await team.ask_all(
            question,
            asked,
            ArgumentForm(question, parts, free=self._free),
            stage=stage,
            turn=turn,
            once=self._free or self.drafts == "double-call",
            quorum=Quorum(self.grace_s) if self.quorum else None,
        )


@dataclass
class CutStands:
    """Whether a debate might have ended before it did, had nothing been cut out of what some of them said."""

    meanings: Meanings
    players: dict[str, None] = field(default_factory=dict)
    """Whose answers that hangs on."""
    unmoved: list[Mapping[str, Stand]] = field(default_factory=list)
    """Where all stood before each of the last rounds in a row in which perhaps nobody moved."""
    ending_unknown: bool = False
    """Whether they may have been stuck after the last round."""

    def look(self, stands: Mapping[str, Stand]) -> None:
        """Where all stand after a round, or before the first, without having agreed."""
        if self.meanings.might_agree(stands.values()):
            self._keep(stands)

    def look_at_moves(self, before: Mapping[str, Stand], after: Mapping[str, Stand], *, last: bool) -> None:
        """After a round that was not seen to be stuck."""
        if any(self.meanings.surely_moved(before[name], after[name]) for name in after):
            self.unmoved.clear()
            return
        self.unmoved.append(before)
        if len(self.unmoved) < STUCK_AFTER:
            return
        if last:  # the resolution comes either way
            self.ending_unknown = True
        else:
            for stands in (*self.unmoved[-STUCK_AFTER:], after):
                self._keep(stands)

    def fields(self, in_the_end: Mapping[str, Stand] = NOTHING) -> dict[str, Any]:
        """What a course keeps of it. `in_the_end`: the resolution, which each has for itself."""
        unknown = bool(self.players) or self.meanings.might_agree(in_the_end.values())
        return {"hangs_on": tuple(self.players), "unknown": unknown, "ending_unknown": self.ending_unknown}

    def _keep(self, stands: Mapping[str, Stand]) -> None:
        self.players.update({name: None for name, stand in stands.items() if was_cut(stand.answer)})


def _spoken(heard: Mapping[str, Heard[Argument]]) -> dict[str, Stand]:
    return {name: Stand(reply.value.answer if reply.value else None) for name, reply in heard.items()}


def _moved(before: Stand, heard: Heard[Argument]) -> Stand:
    """Where a player stands after a round. Whoever said nothing usable stands where it stood."""
    if heard.value is None:
        return before
    arguments = (heard.value.parts.get("critique", ""), heard.value.reasoning)
    return Stand(heard.value.answer, "\n\n".join(filter(None, arguments)))


def _shown(
    question: Question,
    team: Team,
    positions: Sequence[DebatePosition],
    stands: Mapping[str, Stand],
    reader: str,
    number: int | str,
    *,
    counted: bool,
) -> tuple[list[tuple[str, int | None, list[str]]], list[list[str]]]:
    """The positions as one player sees them, and who held them in that order, which it is not told.

    The order is its own: that of the seats would tell who is who.
    """
    lot = team.random(question, "positions", number, reader)
    entries, order = [], []
    for position in lot.sample(positions, len(positions)):
        holders = lot.sample(position.holders, len(position.holders))
        arguments = [masked(stands[name].argument, team) for name in holders if stands[name].argument]
        entries.append((position.answer, len(holders) if counted else None, arguments))
        order.append(holders)
    return entries, order


def _transcript(
    question: Question, team: Team, drafts: Sequence[Answer], rounds: Sequence[DebateRound], reader: str
) -> list[list[tuple[str, list[str]]]]:
    """All that was said, before the debate and in each round, without names and in no order of seats."""
    stages = [[(draft.text, [draft.reasoning]) for draft in drafts if draft.text is not None]]
    for debate_round in rounds:
        words = [heard.value for heard in debate_round.heard.values() if heard.value is not None]
        stages.append([(word.answer, [*word.parts.values(), word.reasoning]) for word in words])
    lot = team.random(question, "transcript", reader)
    return [
        [(text, [masked(part, team) for part in parts if part]) for text, parts in lot.sample(entries, len(entries))]
        for entries in stages
    ]
