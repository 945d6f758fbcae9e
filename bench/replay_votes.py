"""Recorded votes of language models, counted again by the rules of moot.

    python bench/replay_votes.py [FOLDER]

The folder (MOOT_DATA, or ../shared/data) holds `mallm_discussions.jsonl.gz` and `mallm_votes.parquet`: 507 discussions
by three agents of Llama-3.1-70B and Llama-3.3-70B with every ballot. No model is called. Two questions: does our count
of the same ballots come to the recorded decision, and how many recorded ties are no ties once equal answers are one
option? docs/recorded-votes.md says what came of it; a test pins the numbers.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars

from moot.ballots import Ballot, Tally, rule
from moot.ballots.consensus import reached
from moot.grade.normalise import normalise

FOLDER = Path(os.environ.get("MOOT_DATA") or Path(__file__).parents[1] / ".." / "shared" / "data")
RULES = {"simple_voting": "simple-voting", "approval_voting": "approval-voting", "consensus_voting": "simple-voting"}
"""Theirs and ours. Their `consensus_voting` asks each agent for one answer, so its ballots are simple votes."""


@dataclass(frozen=True)
class RecordedVote:
    """One vote as it was recorded, with the options as they were shown."""

    discussion: str
    protocol: str
    turn: int
    options: tuple[str, ...]
    letters: tuple[str | None, ...]
    """The letter of each option, as the recording has it for the agent whose words the option is."""
    ballots: tuple[Ballot, ...]
    decided: int | None
    """The option that their count came to; None where it came to none."""
    gold: str

    def count(self) -> Tally:
        """Our count of the options as they were shown."""
        return rule(RULES[self.protocol]).count(self.ballots, len(self.options))

    def merged(self) -> tuple[list[list[int]], Tally]:
        """Our count once equal answers are one option: groups of old options, and the tally over the groups."""
        groups: dict[str, list[int]] = {}
        for option, (text, letter) in enumerate(zip(self.options, self.letters, strict=True)):
            groups.setdefault(letter or normalise(text), []).append(option)
        new = {option: number for number, group in enumerate(groups.values()) for option in group}
        ballots = [None if ballot is None else {new[option]: 1.0 for option in ballot} for ballot in self.ballots]
        return list(groups.values()), rule(RULES[self.protocol]).count(ballots, len(groups))


@dataclass(frozen=True)
class Row:
    """A protocol's votes, counted three ways."""

    protocol: str
    votes: int
    discussions: int
    recorded_decided: int
    ours_decided: int
    same_decision: int
    """Votes that both decide the same way, or both leave undecided."""
    ties_before: int
    ties_gone: int
    ties_left: int
    merged_decided: int
    merged_same_answer: int
    """Votes decided in the recording whose decision is also the winner among the merged options."""
    merged_right: int
    recorded_right: int


def discussions(folder: Path = FOLDER) -> list[dict[str, Any]]:
    with gzip.open(folder / "mallm_discussions.jsonl.gz") as lines:
        return [json.loads(line) for line in lines]


def recorded_votes(folder: Path = FOLDER) -> Iterator[RecordedVote]:
    table = polars.read_parquet(folder / "mallm_votes.parquet")
    known = {(row["discussion"], row["turn"]): row for row in table.iter_rows(named=True)}
    for discussion in discussions(folder):
        for turn, vote in (discussion["votes"] or {}).items():
            row = known[discussion["id"], int(turn)]
            (counted,) = vote["alterations"].values()
            texts = _final_answers(vote["process"], discussion["personas"])
            spoken = dict(zip(texts, (row["agent1"], row["agent2"], row["agent3"]), strict=True))
            options = tuple(vote["answers"])
            yield RecordedVote(
                discussion["id"],
                discussion["protocol"],
                int(turn),
                options,
                tuple(spoken.get(option.strip()) for option in options),
                _ballots(discussion["protocol"], counted["votes"], len(discussion["personas"])),
                counted["most_voted"] if counted["agreed"] else None,
                row["gold"],
            )


def _final_answers(process: str, personas: Sequence[str]) -> list[str]:
    """What each agent stated before the vote, read from the protocol's log in the order of the agents."""
    starts, at = [], 0
    for persona in personas:
        head = f"{persona} final answer: "
        at = process.index(head, at)
        starts.append((at, at + len(head)))
        at += len(head)
    ends = [start for start, _ in starts[1:]] + [len(process)]
    texts = [process[begin:end] for (_, begin), end in zip(starts, ends, strict=True)]
    last = min(place for word in ("\n\nVoting with", " voted for answer") if (place := texts[-1].find(word)) >= 0)
    cut = texts[-1][:last]
    texts[-1] = cut if texts[-1][last] == "\n" else cut.rpartition("\n")[0]
    return [text.strip() for text in texts]


def _ballots(protocol: str, votes: Sequence[int], agents: int) -> tuple[Ballot, ...]:
    """One ballot an agent. Approvals are recorded in one row, agent by agent; an agent without a vote spoilt it."""
    if protocol != "approval_voting":
        return (*({vote: 1.0} for vote in votes), *[None] * (agents - len(votes)))
    ballots: list[dict[int, float]] = [{}]
    for vote in votes:
        if ballots[-1] and vote <= max(ballots[-1]):
            ballots.append({})
        ballots[-1][vote] = 1.0
    assert len(ballots) == agents, "the row of approvals does not say whose they are"
    return tuple(ballots)


def rows(votes: Sequence[RecordedVote]) -> list[Row]:
    return [_row(name, [vote for vote in votes if vote.protocol == name]) for name in RULES]


def _row(protocol: str, votes: Sequence[RecordedVote]) -> Row:
    counts: Counter[str] = Counter()
    for vote in votes:
        ours, (groups, merged) = vote.count(), vote.merged()
        winner = ours.winners[0] if len(ours.winners) == 1 else None
        group = groups[merged.winners[0]] if len(merged.winners) == 1 else None
        counts["recorded"] += vote.decided is not None
        counts["ours"] += winner is not None
        counts["same"] += winner == vote.decided
        counts["before"] += ours.tied
        counts["gone"] += ours.tied and group is not None
        counts["left"] += merged.tied
        counts["merged"] += group is not None
        counts["answer"] += vote.decided is not None and group is not None and vote.decided in group
        counts["right"] += group is not None and vote.letters[group[0]] == vote.gold
        counts["was right"] += vote.decided is not None and vote.letters[vote.decided] == vote.gold
    ordered = ("recorded", "ours", "same", "before", "gone", "left", "merged", "answer", "right", "was right")
    return Row(protocol, len(votes), len({vote.discussion for vote in votes}), *(counts[key] for key in ordered))


def consensus_turns(discussion: dict[str, Any], name: str, *, merged: bool) -> int | None:
    """The turn in which consensus would have been reached under our rule; None if never.

    A message that does not agree puts its own solution in force, and support falls back to its author. `merged`: a
    solution that says the same as the one in force is support for it, whatever its author calls it.
    """
    current, supporters = "", set[int]()
    for message in discussion["messages"]:
        solution = normalise(message["solution"] or "")
        same = merged and solution == current
        if message["agreement"] is True or same:
            supporters.add(message["agent"])
        else:
            current, supporters = solution, {message["agent"]}
        if reached(name, len(supporters), len(discussion["personas"])):
            return int(message["turn"])
    return None


def consensus(folder: Path = FOLDER) -> dict[tuple[str, bool], Counter[int | None]]:
    """Turns to consensus by (protocol, merged) for the discussions that their consensus never ended."""
    found: dict[tuple[str, bool], Counter[int | None]] = {}
    for discussion in discussions(folder):
        name = discussion["protocol"].replace("_", "-")
        if name in ("majority-consensus", "unanimity-consensus"):
            for merged in (False, True):
                turns = found.setdefault((name, merged), Counter())
                turns[consensus_turns(discussion, name, merged=merged)] += 1
    return found


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    for row in rows(list(recorded_votes(folder))):
        print(f"\n{row.protocol}: {row.votes} votes in {row.discussions} discussions")
        print(
            f"  as shown:  they decide {row.recorded_decided}, we decide {row.ours_decided}, alike {row.same_decision}"
        )
        print(f"  ties:      {row.ties_before} as shown; merging ends {row.ties_gone}, {row.ties_left} stay")
        print(f"  merged:    {row.merged_decided} decided, the recorded answer wins {row.merged_same_answer}")
        print(f"  right:     {row.recorded_right} recorded, {row.merged_right} merged")
    print()
    for (name, merged), turns in sorted(consensus(folder).items()):
        how = "equal solutions merged" if merged else "by AGREE alone"
        print(f"{name}, {how}: " + ", ".join(f"turn {k}: {v}" for k, v in sorted(turns.items(), key=str)))


if __name__ == "__main__":
    main()
