"""The quiz as a game: a team against the audience, to six points, with a person at the table or in the captain's chair.

There is no terminal in here. A person is a player whose model is somebody at a keyboard, so what a person says takes the
way of every player's words: through the same form, into the same inert blocks of the same prompts.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Protocol

from moot.engine.play import play
from moot.errors import UsageError
from moot.experiment.plan import Cell
from moot.grade.grading import Grading
from moot.grade.judge import judge
from moot.grade.normalise import answer_key
from moot.live.journal import Journal
from moot.simulate.mark import is_simulated
from moot.strategies import Strategy, Traits, label, traits_of
from moot.strategies.captaincy import absent, captain_decides
from moot.strategies.lineups import check_some, lineups_of
from moot.team import Player, Team
from moot.team.together import together
from moot.team.watching import Watcher
from moot.types import FREE, Answer, Call, Case, Price, Question, Reply, Request, Score, Verdict

PERSON = "me"
CLOCK_S = 60.0
POINTS = 6
"""Whoever has so many has won."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A person is asked: about what, what the others say (for a captain), and how long there is."""

    question: Question
    answers: tuple[Answer, ...] = ()
    captain: bool = False
    reasons: bool = False
    again: bool = False
    """The last word was not in the form that the question asks for."""
    seconds: float | None = None


class Person(Protocol):
    async def say(self, turn: Turn) -> str | None:
        """What the person answers; None or nothing at all is no answer. Cancelled when the time is up."""

    def late(self) -> None:
        """The time is up."""


class PersonModel:
    """A person as a model. Each question has one clock; an answer in the wrong form may be mended while it runs."""

    def __init__(self, person: Person, clock_s: float | None) -> None:
        self.name = PERSON
        self.price: Price | None = FREE
        self.turn = Turn(Question("", ""))
        self._person, self._clock_s = person, clock_s
        self._deadline: float | None = None
        self._silent = False

    def shape(self, request: Request) -> Mapping[str, Any]:
        return {"provider": "person", "name": self.name, "question": request.question_id}

    async def generate(self, request: Request) -> Reply:
        now = asyncio.get_running_loop().time()
        if request.attempt == 0:
            self._deadline = now + self._clock_s if self._clock_s is not None else None
            self._silent = False
        if self._silent:  # asked again for want of an answer: there is none
            return Reply("")
        left_s = max(0.0, self._deadline - now) if self._deadline is not None else None
        text = await self._listen(replace(self.turn, again=request.attempt > 0, seconds=left_s))
        if not text or not text.strip():
            self._silent = True
            return Reply("")
        return Reply(json.dumps({"reasoning": "", "answer": text.strip()}, ensure_ascii=False), cost_usd=0.0)

    async def _listen(self, turn: Turn) -> str | None:
        try:
            async with asyncio.timeout(turn.seconds):
                return await self._person.say(turn)
        except TimeoutError:
            self._person.late()
            return None

    async def close(self) -> None:
        pass


class Onlooker(Watcher, Protocol):
    """Who sees the table while the team plays."""

    def heard(self, call: Call) -> None:
        """A call is over."""

    def decided(self) -> None:
        """The team has given its word, which is graded now."""


@dataclass(frozen=True, slots=True)
class PersonDecides:
    """The team drafts, a person in the captain's chair has the last word."""

    name: ClassVar[str] = "person"
    traits: ClassVar[Traits] = Traits(
        prompts=("draft", "captain"), drafts="single-call", captain="leads", word="captain", hears="reasons"
    )

    model: PersonModel
    reasons: bool = False
    drafts_too: bool = False

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return (replace(team, captain=PERSON),)

    async def play(self, question: Question, team: Team) -> Verdict:
        self.model.turn = Turn(question)
        drafting = [player for player in team.players if player.name != PERSON or self.drafts_too]
        drafts = tuple(await together(team.draft(player, question) for player in drafting))
        answered = tuple(draft for draft in drafts if draft.text is not None)
        self.model.turn = Turn(question, answered, captain=True, reasons=self.reasons)
        if answered:
            return await captain_decides(question, team, drafts, reasons=self.reasons)
        word = await team.draft(team[PERSON], question, stage="alone")  # nobody knows: the captain may
        who = (PERSON,) if word.text is not None else ()
        missing = tuple(name for name in absent(drafts) if name != PERSON)
        return Verdict(word.text, word.outcome, who=who, answers=drafts, turns=2, absent=missing, cause=word.cause)


@dataclass(frozen=True, slots=True)
class GradedQuestion:
    """One question, played and graded."""

    case: Case
    verdict: Verdict
    score: Score
    grades: Mapping[str, Score]
    """What each player's own answer is worth."""


@dataclass
class GameStanding:
    """The score, and who would have got what alone."""

    team: int = 0
    audience: int = 0
    open: int = 0
    """Questions whose answer no judge could grade: a point for nobody."""
    alone: dict[str, int] = field(default_factory=dict)
    open_alone: dict[str, int] = field(default_factory=dict)
    """How many answers of each could not be graded: they are neither right nor wrong."""

    @property
    def asked(self) -> int:
        return self.team + self.audience + self.open

    @property
    def over(self) -> bool:
        return max(self.team, self.audience) >= POINTS

    def __str__(self) -> str:
        return f"team {self.team} : {self.audience} audience"

    def count(self, played: GradedQuestion) -> None:
        value = played.score.value
        self.open += value is None
        self.team += value == 1.0
        self.audience += value is not None and value < 1.0
        for player, score in played.grades.items():
            self.alone[player] = self.alone.get(player, 0) + (score.value == 1.0)
            self.open_alone[player] = self.open_alone.get(player, 0) + (score.value is None)


class Game:
    """One team at one table, question by question."""

    def __init__(
        self, cell: Cell, grading: Grading, model: PersonModel | None = None, onlooker: Onlooker | None = None
    ) -> None:
        self.cell, self.grading = cell, grading
        self._onlooker = onlooker
        self.standing = GameStanding(alone={player.name: 0 for player in _drafting(cell)})
        self._model = model
        self.simulated = set[str]()
        """Models whose replies were no real ones."""

    async def play(self, case: Case) -> GradedQuestion:
        """The team's word on a question, its grade, and what everybody's own answer is worth."""
        if self._model is not None:
            self._model.turn = Turn(case.question)
        onlooker = self._onlooker
        journal = None if onlooker is None else Journal(onlooker.heard)
        episode = await play(self.cell, case.question, journal=journal, watcher=onlooker)
        if onlooker is not None:
            onlooker.decided()
        replied = [(call.model, call.reply) for call in episode.calls if call.reply is not None]
        self.simulated |= {model for model, reply in replied if model is not None and is_simulated(reply.version)}
        verdict = episode.verdict
        draft_texts = {draft.player: draft.text for draft in verdict.answers}
        scores = await self._grade(case, [verdict.answer, *draft_texts.values()])
        grades = {player: scores[text] for player, text in draft_texts.items() if player in self.standing.alone}
        played = GradedQuestion(case, verdict, scores[verdict.answer], grades)
        self.standing.count(played)
        return played

    async def _grade(self, case: Case, answers: Sequence[str | None]) -> dict[str | None, Score]:
        """By match, then by the judges; each distinct answer once."""
        grading = self.grading
        await grading.hear(case, answers)
        left = {
            answer_key(case.question, answer): answer
            for answer in answers
            if answer is not None and grading.needs_judge(case, answer)
        }
        team = grading.team
        asked = grading.judges if left else ()
        heard = await asyncio.gather(*(judge(judging, case, left, team.seated(), grading.batch) for judging in asked))
        words = [judgement for part in heard for judgement in part]
        return {answer: grading.score(case, answer, words, None) for answer in answers}


def _drafting(cell: Cell) -> list[Player]:
    alone = isinstance(cell.strategy, PersonDecides) and not cell.strategy.drafts_too
    return [player for player in cell.team.players if player.name != PERSON or not alone]


def _with_reasons(strategy: Strategy) -> bool:
    """Whether a captain in this strategy reads more than answers; where nobody knows, so does the person."""
    return traits_of(strategy).hears not in ("nothing", "answers")


def table(
    team: Team,
    strategy: Strategy,
    *,
    model: PersonModel | None = None,
    captain: str | None = None,
    seat: bool = False,
) -> Cell:
    """A line-up for the game. `captain` is a player's name or the person's; left out, the team's own, else its first."""
    names = [player.name for player in team.players]
    if model is not None and PERSON in names:
        raise UsageError(
            f"a player of team {team.name!r} is called {PERSON!r}, as the person at the table is; rename it"
        )
    if captain not in (None, PERSON, *names):
        raise UsageError(
            f"captain {captain!r} is not in team {team.name!r}; expected {PERSON} or one of {', '.join(names)}"
        )
    players = team.players
    if model is not None:
        players = (*players, Player(PERSON, model))
    if captain == PERSON and model is not None:
        strategy = PersonDecides(model, reasons=_with_reasons(strategy), drafts_too=seat)
    elif captain is None:
        captain = team.captain if team.captain in names else names[0]
    lineups = lineups_of(strategy, replace(team, players=players, captain=captain))
    check_some(strategy, len(lineups), [team.name])
    named = strategy.name if isinstance(strategy, PersonDecides) else label(strategy)
    return Cell("game", strategy, named, lineups[0], None, "")
