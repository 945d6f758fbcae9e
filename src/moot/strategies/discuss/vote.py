"""The vote after a discussion: final solutions, like ones merged into options, papers, ballots, the count.

Each agent's final solution is its own last one, taken from its own messages. A vote that ends in a tie, or in which
nobody got anything, decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from moot import traces
from moot.ballots import Ballot, Rule, Tally, counted
from moot.ballots.cut_voices import cut_players, points_hang_on_cut
from moot.strategies.discuss.paper import Paper, PickForm
from moot.strategies.discuss.personas import Agent
from moot.strategies.discuss.table import DiscussionTable
from moot.strategies.natives import shown_question
from moot.team.forms import AnswerForm
from moot.team.together import together
from moot.types import Answer, Grouping

JUDGE = "judge"
"""The office of the model that picks, and its name in a transcript."""


@dataclass(frozen=True, slots=True)
class Cast:
    """One voter's paper and what came back. `ballot` None: spoilt."""

    voter: str
    order: tuple[int, ...]
    ballot: Ballot
    cause: str | None = None
    form: traces.BallotForm = "choice"
    role: str = "voter"

    def trace(self, turn: int) -> traces.Ballot:
        spoilt = self.cause if self.ballot is None else None
        # A voter keeps its order from one turn to the next: see `_order`.
        return traces.Ballot(
            self.voter, self.ballot, self.form, self.order, self.role, spoilt, turn=turn, redrawn=False
        )


@dataclass(frozen=True, slots=True)
class TableVote:
    """One vote at the end of one turn."""

    turn: int
    solutions: tuple[Answer, ...]
    grouping: Grouping
    tally: Tally
    cast: tuple[Cast, ...] = ()

    @property
    def winner(self) -> int | None:
        """The option that won; None where none did, or several."""
        return self.tally.winners[0] if len(self.tally.winners) == 1 else None

    @property
    def cut(self) -> tuple[str, ...]:
        """On whose solutions, out of which something was cut, it hangs what the vote comes to."""
        cut = cut_players(self.solutions)
        options = {number for number, group in enumerate(self.grouping.groups) if cut.intersection(group)}
        if not points_hang_on_cut(self.tally.points, options, self.winner):
            return ()
        return tuple(solution.player for solution in self.solutions if solution.player in cut)

    def traces(self) -> Iterator[traces.Trace]:
        yield self.grouping.trace(self.turn)
        yield from (cast.trace(self.turn) for cast in self.cast)
        yield traces.Counted(
            tuple(option.text or "" for option in option_answers(self.solutions, self.grouping)),
            tuple(self.tally.points),
            tuple(self.tally.winners),
            self.turn,
            {solution.player: solution.text for solution in self.solutions},
        )


def option_answers(solutions: Sequence[Answer], grouping: Grouping) -> list[Answer]:
    """Each option in the words of the first agent, by seat, whose solution it is."""
    return [next(solution for solution in solutions if solution.player in group) for group in grouping.groups]


STANDS_NOWHERE = "it stands behind no solution"


async def final_solutions(table: DiscussionTable, turn: int) -> tuple[Answer, ...]:
    return tuple(await together(final_solution(table, agent, turn) for agent in table.agents))


async def final_solution(table: DiscussionTable, agent: Agent, turn: int) -> Answer:
    """What an agent last said itself, or agreed to; where solutions were withheld it is asked for one now."""
    if table.manner.style == "reasoning":
        return await stated_solution(table, agent, turn)
    return own_answer(table, agent.name)


def own_answer(table: DiscussionTable, name: str) -> Answer:
    """Where an agent stands by its own messages, or why it stands nowhere."""
    remarks = [remark for remark in table.said if remark.speaker == name]
    if not remarks:
        return Answer(name, None, outcome="unanswered", cause="the discussion ended before its turn")
    spoken = [remark.said for remark in remarks if remark.said is not None]
    if not spoken:
        return Answer(name, None, outcome=remarks[-1].outcome, cause=remarks[-1].cause)
    if (last := table.own_solution(name)) is None or last.said is None:
        return Answer(name, None, spoken[-1].text, "unanswered", STANDS_NOWHERE)
    return Answer(name, last.said.solution or last.backs, last.said.text)


async def stated_solution(table: DiscussionTable, agent: Agent, turn: int) -> Answer:
    """An agent that could only reason says what it comes to, from what it said last and what has come to it."""
    last_message = next((remark.said for remark in reversed(table.spoken) if remark.speaker == agent.name), None)
    heard = [remark for remark in table.heard_in_the_end(agent, turn) if remark.said is not last_message]
    prompt = table.team.prompts.beside(__file__).render(
        "solution",
        **shown_question(table.question),
        **table.shown(heard),
        title=agent.title,
        own=(last_message.text, last_message.solution) if last_message else None,
        step_by_step=table.manner.step_by_step,
    )
    form = AnswerForm(table.question)
    answer = await table.team.ask(agent.player, table.question, prompt, form, stage="solution", turn=turn)
    if answer.value is None:
        return Answer(agent.name, None, outcome=answer.outcome, cause=answer.cause)
    return Answer(agent.name, answer.value.answer, answer.value.reasoning)


async def vote(table: DiscussionTable, rule: Rule | None, turn: int) -> TableVote:
    """One vote. Without a rule, the judge decides.

    One option is no choice: it is taken without ballots. Counting solutions takes none either.
    """
    solutions = await final_solutions(table, turn)
    grouping = await table.team.group(table.question, solutions)
    options = option_answers(solutions, grouping)
    if len(options) < 2:
        winners = tuple(range(len(options)))
        return TableVote(
            turn, solutions, grouping, Tally(tuple(float(len(group)) for group in grouping.groups), winners)
        )
    if rule is None:
        word = await _judge(table, options, turn)
        chosen = tuple(word.ballot or ())
        points = tuple(float(option in chosen) for option in range(len(options)))
        return TableVote(turn, solutions, grouping, Tally(points, chosen), (word,))
    if rule.name == "solution-counting":
        stated = [grouping.group_of(agent.name) for agent in table.agents]
        ballots: list[Ballot] = [None if option is None else {option: 1} for option in stated]
        return TableVote(turn, solutions, grouping, counted(rule, ballots, len(options)))
    cast = tuple(await together(_ballot(table, agent, rule, options, turn) for agent in table.agents))
    return TableVote(turn, solutions, grouping, counted(rule, [paper.ballot for paper in cast], len(options)), cast)


def _order(table: DiscussionTable, voter: str, options: int) -> tuple[int, ...]:
    """An order of this voter's own for this question, whatever was shown to others."""
    return tuple(table.team.random(table.question, "ballot", voter).sample(range(options), options))


async def _ballot(table: DiscussionTable, agent: Agent, rule: Rule, options: Sequence[Answer], turn: int) -> Cast:
    paper = Paper(rule, _order(table, agent.name, len(options)))
    prompt = table.team.prompts.beside(__file__).render(
        "ballot",
        **shown_question(table.question),
        solutions=[options[option].text for option in paper.order],
        ballot=paper.kind,
        most=paper.most,
        budget=paper.budget,
    )
    heard = await table.team.ask(agent.player, table.question, prompt, paper, stage="ballot", turn=turn)
    return Cast(agent.name, paper.order, heard.value, heard.cause, paper.kind)


async def _judge(table: DiscussionTable, options: Sequence[Answer], turn: int) -> Cast:
    order = _order(table, JUDGE, len(options))
    solutions = [options[option].text for option in order]
    prompt = table.team.prompts.beside(__file__).render("pick", **shown_question(table.question), solutions=solutions)
    judge = table.team.officers[JUDGE]
    heard = await table.team.ask(judge, table.question, prompt, PickForm(len(options)), stage="judge", turn=turn)
    ballot = None if heard.value is None else {order[heard.value]: 1.0}
    return Cast(JUDGE, order, ballot, heard.cause, role=JUDGE)
