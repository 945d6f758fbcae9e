"""How a discussion ends: by consensus, which may come with any message, or by votes at the end of turns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from moot.ballots import Rule
from moot.ballots.consensus import reached
from moot.stats.counted_words import count
from moot.strategies.captaincy import nobody_answered
from moot.strategies.discuss.cut_solutions import CutSolutions
from moot.strategies.discuss.remark import TableRemark
from moot.strategies.discuss.table import DiscussionTable
from moot.strategies.discuss.vote import TableVote, option_answers, own_answer, stated_solution, vote
from moot.traces import Agreement, HangsOnCut
from moot.types import Answer, Verdict


async def by_consensus(table: DiscussionTable, protocol: str, max_turns: int) -> Verdict:
    """Until enough of *all* agents stand behind the current solution. Silence is no agreement."""
    cut = CutSolutions(table, protocol)
    for turn in range(1, max_turns + 1):
        for step in table.steps(turn):
            await table.take(step, turn)
            if reached(protocol, len(table.supporters), len(table.agents)):
                assert table.current is not None, "somebody stands behind it"
                return _hanging_on(cut.of_agreement(table.current), await _agreed(table, turn))
            cut.look()
    return _hanging_on(cut.of_none(), await _not_agreed(table, max_turns))


def _hanging_on(found: Iterator[HangsOnCut], verdict: Verdict) -> Verdict:
    return replace(verdict, traces=(*verdict.traces, *found)) if verdict.answer is not None else verdict


async def _agreed(table: DiscussionTable, turn: int) -> Verdict:
    """The agreed solution as its own message has it: nobody decides anew."""
    behind, made = table.supporters, table.current
    assert made is not None, "somebody stands behind it"
    word = await _solution_of(table, made, turn)
    agreement = (Agreement(turn, len(table.said), made.backs, behind),)
    if word.text is None:
        cause = f"the group agreed, but {made.speaker} gave no answer: {word.cause}"
        return replace(_verdict(table, None, turn), outcome=word.outcome, cause=cause, traces=agreement)
    return replace(_verdict(table, word.text, turn), reasoning=word.reasoning, who=behind, traces=agreement)


async def _solution_of(table: DiscussionTable, made: TableRemark, turn: int) -> Answer:
    """The solution that a remark put on the table. Where solutions were withheld, its author is asked for one now."""
    if made.backs is not None:
        return Answer(made.speaker, made.backs, made.said.text if made.said else "")
    agent = next(candidate for candidate in table.agents if candidate.name == made.speaker)
    return await stated_solution(table, agent, turn)


async def _not_agreed(table: DiscussionTable, turn: int) -> Verdict:
    """The current solution, undecided."""
    if (made := table.current) is None:
        return replace(nobody_answered(_answers(table)), turns=turn, absent=_silent(table))
    word = await _solution_of(table, made, turn)
    apart = f"no consensus in {count(turn, 'turn')}"
    if word.text is None:
        cause = f"{apart}, and {made.speaker} gave no answer: {word.cause}"
        return replace(_verdict(table, None, turn), outcome=word.outcome, cause=cause)
    verdict = _verdict(table, word.text, turn)
    who = table.supporters if made.backs is not None else ()
    return replace(verdict, outcome="undecided", reasoning=word.reasoning, who=who or (made.speaker,), cause=apart)


def _verdict(table: DiscussionTable, answer: str | None, turn: int) -> Verdict:
    return Verdict(answer, "answered", answers=_answers(table), turns=turn, absent=_silent(table))


def _silent(table: DiscussionTable) -> tuple[str, ...]:
    """Those who had a turn and never said anything usable."""
    asked = {remark.speaker for remark in table.said} - {remark.speaker for remark in table.spoken}
    return tuple(name for name in table.names if name in asked)


def _answers(table: DiscussionTable) -> tuple[Answer, ...]:
    """Where each agent stood in the end, or why it stood nowhere."""
    return tuple(own_answer(table, name) for name in table.names)


async def by_vote(table: DiscussionTable, rule: Rule | None, vote_from: int, max_turns: int) -> Verdict:
    """A vote at the end of turn `vote_from`; after a tie one more turn and a new vote, until `max_turns`."""
    votes: list[TableVote] = []
    for turn in range(1, max_turns + 1):
        for step in table.steps(turn):
            await table.take(step, turn)
        if turn >= vote_from:
            votes.append(await vote(table, rule, turn))
            if votes[-1].winner is not None:
                break
    return _counted(table, votes)


def _counted(table: DiscussionTable, votes: list[TableVote]) -> Verdict:
    last = votes[-1]
    verdict = Verdict(
        None,
        "answered",
        answers=last.solutions,
        turns=last.turn,
        absent=tuple(name for name in _silent(table) if not any(name in poll.grouping.players for poll in votes)),
        traces=(*(record for poll in votes for record in poll.traces()), *_hanging(votes)),
    )
    if last.winner is None:
        return _not_counted(table, votes, verdict)
    chosen = option_answers(last.solutions, last.grouping)[last.winner]
    group = last.grouping.groups[last.winner]
    who = tuple(name for name in table.names if name in group)
    return replace(verdict, answer=chosen.text, reasoning=chosen.reasoning, who=who)


def _hanging(votes: Sequence[TableVote]) -> Iterator[HangsOnCut]:
    if cut := tuple(dict.fromkeys(name for poll in votes for name in poll.cut)):
        yield HangsOnCut(cut)


def _not_counted(table: DiscussionTable, votes: list[TableVote], verdict: Verdict) -> Verdict:
    """No single winner to the end: the solution of the first agent that has one, undecided; if none has, unanswered."""
    for name in table.names:
        stated = [solution for vote in reversed(votes) for solution in vote.solutions if solution.player == name]
        solutions = [solution for solution in (*stated, own_answer(table, name)) if solution.text is not None]
        if solutions:
            cause = f"no single winner in {count(len(votes), 'vote')}; the first agent's solution stands"
            first = solutions[0]
            return replace(
                verdict, answer=first.text, outcome="undecided", reasoning=first.reasoning, who=(name,), cause=cause
            )
    nothing = nobody_answered(votes[-1].solutions)
    return replace(verdict, outcome=nothing.outcome, cause=nothing.cause)
