"""A few questions told in words: what the tables count, seen once from the inside.

The most telling ones are picked, always the same for the same store: a question that the team saved, one that it
spoilt, and one that split it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from moot.measures.quiz.played import Groups
from moot.measures.source import Row, Source, Stored, right_of
from moot.report.figures import grader_of
from moot.report.names import short_names, ways_of
from moot.store.rows import verdict_of
from moot.traces import Agreement, Ballot, Counted, Ending, Grouped, Round, Shown, of_kind
from moot.types import Case, Verdict

FEW = 60
"""Up to so many questions a reader can be expected to care about single ones."""

LONGEST_QUESTION = 300
LONGEST_REASON = 160
LONGEST_ANSWER = 60


@dataclass(frozen=True, slots=True)
class Told:
    """One team episode with its words, and what its captain's own draft was worth."""

    case: Case
    cell: Stored
    title: str
    verdict: Verdict
    groups: Groups
    right: float | None
    alone: float | None

    @property
    def captain(self) -> str | None:
        return self.cell["captain"]

    @property
    def decider(self) -> Shown | None:
        """What the one had read whose own words the answer is; None where nobody gave the team's word alone."""
        read = (record for record in of_kind(self.verdict.traces, Shown) if record.places is None)
        return next((record for record in read if record.answer == self.verdict.answer), None)

    @property
    def kind(self) -> str | None:
        if self.right is None or self.alone is None or self.right == self.alone:
            return None
        return "rescue" if self.right > self.alone else "regression"

    @property
    def weight(self) -> tuple[int, int]:
        """How much there is to tell: different answers, and a captain who weighed them."""
        return len(self.groups), int(self.decider is not None)


def stories(connection: Connection, experiment: Row, most: int = 3) -> list[str]:
    """Each several lines of plain text; none for an experiment without a team."""
    told = list(_told(connection, experiment))
    chosen: list[tuple[str, Told]] = []
    for name, wanted in (("A rescue", "rescue"), ("A regression", "regression"), ("A split team", None)):
        taken = {each.case.question.id for _, each in chosen}
        fitting = [each for each in told if each.case.question.id not in taken and _fits(each, wanted)]
        if fitting and len(chosen) < most:
            chosen.append((name, max(fitting, key=lambda each: each.weight)))  # of equals the first
    return ["\n".join(_lines(name, each)) for name, each in chosen]


def _fits(told: Told, wanted: str | None) -> bool:
    return told.kind == wanted if wanted else len(told.groups) > 2


def _told(connection: Connection, experiment: Row) -> Iterator[Told]:
    """The first play of every question by every line-up, in the order of the file."""
    source = Source(connection, experiment, grader_of(json.loads(experiment["config"])))
    names = short_names(ways_of(source.cells, "given"))
    for cell in source.cells:
        if cell["player"] is not None:
            continue
        named = names[cell["label"]]
        title = f"{named}@{cell['captain']}" if cell["captain"] else named
        for row in source.results(cell):
            case, verdict = source.cases[row["question"]], verdict_of(row["verdict"])
            if row["repeat"] or verdict.answer is None:
                continue
            groups = _groups(source, cell, case, verdict)
            drafts = {draft.player: draft.text for draft in verdict.answers}
            alone = source.grade(case, drafts.get(cell["captain"])) if cell["captain"] else None
            yield Told(case, cell, title, verdict, groups, right_of(row), alone)


def _groups(source: Source, cell: Stored, case: Case, verdict: Verdict) -> Groups:
    """Who said the same. What a vote at the end of a talk has grouped are no drafts."""
    grouped = of_kind(verdict.traces, Grouped) if cell["traits"].drafts is not None else []
    return (grouped[0].groups if grouped else ()) or source.matches.groups(case.question, 0, verdict.answers)


def _lines(name: str, told: Told) -> list[str]:
    question, verdict = told.case.question, told.verdict
    lines = [f"{name} ({told.title}, question {question.id}): {_short(question.text, LONGEST_QUESTION)}"]
    said = {draft.player: draft.text for draft in verdict.answers if draft.text is not None}
    if told.groups:
        lines.append(_voices(said, told.groups, told.case))
    if verdict.absent:
        lines.append(f"{_list(verdict.absent)} gave no answer.")
    lines.append(_decision(told, said))
    if told.decider is not None and verdict.reasoning:
        lines.append(f"Its reason: “{_short(verdict.reasoning, LONGEST_REASON)}”")
    worth = {None: "Nobody could grade that", 1.0: "That is right", 0.0: "That is wrong"}.get(told.right, "Half right")
    lines.append(f"{worth}: the answer is {_answer(told.case, told.case.answer or 'that there is none')}.")
    return lines


def _voices(said: Mapping[str, str], groups: Groups, case: Case) -> str:
    largest = sorted(groups, key=len, reverse=True)
    parts = [f"{_list(group)} said {_answer(case, said[group[0]])}" for group in largest]
    count = len(groups)
    return f"{'; '.join(parts)}: {count} different answer{'s' if count != 1 else ''}."


def _decision(told: Told, said: Mapping[str, str]) -> str:
    word, records = _answer(told.case, told.verdict.answer or ""), told.verdict.traces
    if endings := of_kind(records, Ending):
        rounds = len(of_kind(records, Round))
        agreed = "All agreed" if endings[-1].agreed else "No agreement"
        after = f" after {rounds} round{'s' if rounds != 1 else ''} of debate" if rounds else " from the start"
        role = next((record.role for record in of_kind(records, Shown)), "debater")
        who = f"the {role} {told.captain}" if told.captain else "the team"
        return f"{agreed}{after}; {who} ended on {word}."
    if told.cell["traits"].hears == "talk":
        return _talked(told, word)
    if told.decider is None:
        return _vote(told, word)
    if told.decider.to != told.captain:
        return _read(told, told.decider, word)
    own = said.get(told.captain)
    before = (
        f", alone for {_answer(told.case, own)} ({_worth(told.alone)})," if own is not None else ", without a draft,"
    )
    return f"The {told.decider.role} {told.captain}{before} read what all had said and settled on {word}."


def _read(told: Told, decider: Shown, word: str) -> str:
    """Nobody of the team has the last word: whoever was asked for it has an office."""
    named = told.cell["traits"].offices.get(decider.to, decider.to)
    count = len(decider.order)
    return f"The {decider.role} {named} read the {count} response{'s' * (count != 1)} and settled on {word}."


def _vote(told: Told, word: str) -> str:
    """Who won, and where several might have, who broke the tie."""
    counts = of_kind(told.verdict.traces, Counted)
    if not counts:
        return f"The team settled on {word}."
    voices, votes, tied = len(told.verdict.who), sum(map(len, told.groups)), len(counts[-1].winners)
    each = f"{voices} voice{'s' if voices != 1 else ''}"
    if tied < 2:
        return f"{each} of {votes} won the vote: {word}."
    by = f"the captain {told.captain}'s own answer won" if told.captain in told.verdict.who else "the lot decided"
    return f"A tie: {tied} answers with {each} each of {votes}; {by}: {word}."


def _talked(told: Told, word: str) -> str:
    """How a discussion ended: by a vote, which need not go with the number of those who had proposed the answer."""
    records, turns = told.verdict.traces, told.verdict.turns
    after = f"After {turns} turn{'s' if turns != 1 else ''} of talk"
    if agreements := of_kind(records, Agreement):
        behind = len(agreements[-1].supporters)
        return f"{after} {behind} of {len(told.verdict.answers)} stood behind {word}."
    if told.verdict.outcome == "undecided":
        return f"{after} nothing was decided ({told.verdict.cause}): {word}."
    counts = of_kind(records, Counted)
    if not counts:
        return f"{after} the team settled on {word}."
    count = counts[-1]
    if len(count.options) < 2:
        return f"{after} all proposed {word}."
    ballots = of_kind(records, Ballot)
    if ballots and ballots[-1].role != "voter":
        return f"{after} the {ballots[-1].role} picked {word}."
    won = count.winners[0]
    others = sorted((points for option, points in enumerate(count.points) if option != won), reverse=True)
    return f"{after} a vote decided, {' to '.join(f'{points:g}' for points in (count.points[won], *others))}: {word}."


def _worth(value: float | None) -> str:
    if value is None:
        return "ungraded"
    return "right" if value == 1 else "wrong" if value == 0 else f"F1 {value:.2f}"


def _answer(case: Case, text: str) -> str:
    """A letter alone tells nothing: the choice it stands for does."""
    place = case.question.letters.find(text.strip().upper()) if text.strip() else -1
    if place >= 0 and len(text.strip()) == 1:
        return f"“{text.strip().upper()}: {_short(case.question.choices[place], LONGEST_ANSWER)}”"
    return f"“{_short(text, LONGEST_ANSWER)}”"


def _list(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _short(text: str, longest: int) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= longest else f"{plain[: longest - 1].rstrip()}…"
