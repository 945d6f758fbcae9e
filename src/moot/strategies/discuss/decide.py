"""How a discussion ends: by consensus, which may come with any message, or by votes at the end of turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from moot.ballots import Rule
from moot.ballots.consensus import reached
from moot.strategies.captaincy import nobody_answered
from moot.strategies.discuss.remark import Remark
from moot.strategies.discuss.stance import current, supporters
from moot.strategies.discuss.table import DiscussionTable
from moot.strategies.discuss.vote import Vote, final_solution, option_answers, vote
from moot.traces import Agreement
from moot.types import Answer, Verdict


async def by_consensus(table: DiscussionTable, protocol: str, max_turns: int) -> Verdict:
    """Until enough of *all* agents stand behind the current solution. Silence is no agreement."""
    for turn in range(1, max_turns + 1):
        for step in table.steps(turn):
            for remark in await table.take(step, turn):
                remarks = table.said[: remark.number + 1]  # those who spoke at the same time have not spoken yet
                if reached(protocol, len(supporters(remarks)), len(table.agents)):
                    return await _agreed(table, remarks)
    return await _not_agreed(table, max_turns)


async def _agreed(table: DiscussionTable, remarks: Sequence[Remark]) -> Verdict:
    """The last speaker extracts the answer from the latest messages; should it fail, the solution stands as agreed."""
    last, turn = remarks[-1].speaker, remarks[-1].turn
    behind = supporters(remarks)
    agent = next(candidate for candidate in table.agents if candidate.name == last)
    word = await final_solution(table, agent, turn)
    newest = current(remarks)
    agreed = newest.backs if newest else None
    answer = word.text if word.text is not None else agreed
    agreement = (Agreement(turn, len(remarks), agreed, behind),)
    if answer is None:
        cause = f"the group agreed, but {last} gave no answer: {word.cause}"
        return replace(_verdict(table, None, turn), outcome=word.outcome, cause=cause, traces=agreement)
    verdict = replace(_verdict(table, answer, turn), outcome="answered", reasoning=word.reasoning, who=behind)
    return replace(verdict, traces=agreement)


async def _not_agreed(table: DiscussionTable, turn: int) -> Verdict:
    """The current solution, undecided. Where solutions were withheld, the last speaker is asked for one now."""
    newest = current(table.said)
    if newest is None:
        return replace(nobody_answered(_answers(table)), turns=turn, absent=_silent(table))
    answer, author, cause = newest.backs, newest.speaker, None
    if answer is None:
        author = table.spoken[-1].speaker
        agent = next(candidate for candidate in table.agents if candidate.name == author)
        word = await final_solution(table, agent, turn)
        answer, cause = word.text, word.cause
    apart = f"no consensus in {_so_many(turn, 'turn')}"
    if answer is None:
        cause = f"{apart}, and {author} gave no answer: {cause}"
        return replace(_verdict(table, None, turn), outcome="unanswered", cause=cause)
    behind = supporters(table.said) if newest.backs is not None else ()
    return replace(_verdict(table, answer, turn), outcome="undecided", who=behind or (author,), cause=apart)


def _verdict(table: DiscussionTable, answer: str | None, turn: int) -> Verdict:
    return Verdict(answer, "answered", answers=_answers(table), turns=turn, absent=_silent(table))


def _silent(table: DiscussionTable) -> tuple[str, ...]:
    """Those who had a turn and never said anything usable."""
    asked = {remark.speaker for remark in table.said} - {remark.speaker for remark in table.spoken}
    return tuple(name for name in table.names if name in asked)


def _answers(table: DiscussionTable) -> tuple[Answer, ...]:
    """Where each agent stood in the end, or why it stood nowhere."""
    return tuple(_answer(table, name) for name in table.names)


def _answer(table: DiscussionTable, name: str) -> Answer:
    remarks = [remark for remark in table.said if remark.speaker == name]
    if not remarks:
        return Answer(name, None, outcome="unanswered", cause="the discussion ended before its turn")
    for remark in reversed(remarks):
        if remark.said is not None:
            if remark.backs is not None:
                return Answer(name, remark.backs, remark.said.text)
            return Answer(name, None, remark.said.text, "unanswered", "it stands behind no solution")
    return Answer(name, None, outcome=remarks[-1].outcome, cause=remarks[-1].cause)


async def by_vote(table: DiscussionTable, rule: Rule | None, vote_from: int, max_turns: int) -> Verdict:
    """A vote at the end of turn `vote_from`; after a tie one more turn and a new vote, until `max_turns`."""
    votes: list[Vote] = []
    for turn in range(1, max_turns + 1):
        for step in table.steps(turn):
            await table.take(step, turn)
        if turn >= vote_from:
            votes.append(await vote(table, rule, turn))
            if votes[-1].winner is not None:
                break
    return _counted(table, votes)


def _counted(table: DiscussionTable, votes: list[Vote]) -> Verdict:
    last = votes[-1]
    verdict = Verdict(
        None,
        "answered",
        answers=last.solutions,
        turns=last.turn,
        absent=tuple(name for name in _silent(table) if not any(name in poll.grouping.players for poll in votes)),
        traces=tuple(record for poll in votes for record in poll.traces()),
    )
    if last.winner is None:
        return _not_counted(table, votes, verdict)
    chosen = option_answers(last.solutions, last.grouping)[last.winner]
    group = last.grouping.groups[last.winner]
    who = tuple(name for name in table.names if name in group)
    return replace(verdict, answer=chosen.text, reasoning=chosen.reasoning, who=who)


def _not_counted(table: DiscussionTable, votes: list[Vote], verdict: Verdict) -> Verdict:
    """No single winner to the end: the solution of the first agent that has one, undecided; if none has, unanswered."""
    for name in table.names:
        stated = [solution for vote in reversed(votes) for solution in vote.solutions if solution.player == name]
        solutions = [solution for solution in (*stated, _answer(table, name)) if solution.text is not None]
        if solutions:
            cause = f"no single winner in {_so_many(len(votes), 'vote')}; the first agent's solution stands"
            first = solutions[0]
            return replace(
                verdict, answer=first.text, outcome="undecided", reasoning=first.reasoning, who=(name,), cause=cause
            )
    nothing = nobody_answered(votes[-1].solutions)
    return replace(verdict, outcome=nothing.outcome, cause=nothing.cause)


def _so_many(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
