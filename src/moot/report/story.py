"""A few questions told in words: what the tables count, seen once from the inside.

The most telling ones are picked, always the same for the same store: a question that the team saved, one that it
spoilt, and one that split it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from moot.measures.quiz.figures import Source, Stored, right_of
from moot.measures.quiz.played import Groups
from moot.measures.summaries.figures import summariser_of
from moot.report.figures import grader_of
from moot.report.names import short_names
from moot.store import queries
from moot.store.rows import verdict_of
from moot.strategies.discuss.vote import JUDGE
from moot.types import Case, Verdict

FEW = 60
"""Up to so many questions a reader can be expected to care about single ones."""

LONGEST_QUESTION = 300
LONGEST_REASON = 160
LONGEST_ANSWER = 60

ROLES = {"peer-review": "reviewer", "debate": "debater"}
"""What whoever has the last word is called, where it is no captain."""


@dataclass(frozen=True, slots=True)
class Told:
    """One team episode with its words, and what its captain's own draft was worth."""

    case: Case
    strategy: str
    title: str
    summariser: str | None
    """Who read a mixture, where it is nobody of the team."""
    captain: str | None
    verdict: Verdict
    groups: Groups
    right: float | None
    alone: float | None

    @property
    def spoke(self) -> bool:
        return "order" in self.verdict.notes

    @property
    def kind(self) -> str | None:
        if self.right is None or self.alone is None or self.right == self.alone:
            return None
        return "rescue" if self.right > self.alone else "regression"

    @property
    def weight(self) -> tuple[int, int]:
        """How much there is to tell: different answers, and a captain who weighed them."""
        return len(self.groups), int(self.spoke)


def stories(connection: Connection, experiment: Stored, most: int = 3) -> list[str]:
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


def _told(connection: Connection, experiment: Stored) -> Iterator[Told]:
    """The first play of every question by every line-up, in the order of the file."""
    cells = queries.cells_of(connection, experiment["id"])
    own = [cell for cell in cells if cell["player"] is None]
    if not own:
        return
    source = Source(connection, experiment, grader_of(json.loads(experiment["config"])))
    names = short_names(cell["label"] for cell in cells)
    for cell in own:
        named = names[cell["label"]]
        title = f"{named}@{cell['captain']}" if cell["captain"] else named
        reader = summariser_of(cell) if cell["strategy"] == "mixture" and not cell["captain"] else None
        for row in source.results(cell):
            case, verdict = source.cases[row["question"]], verdict_of(row["verdict"])
            if row["repeat"] or verdict.answer is None:
                continue
            noted = tuple(tuple(group) for group in verdict.notes.get("groups", ()))
            groups = noted or source.matches.groups(case.question, 0, verdict.answers)
            drafts = {draft.player: draft.text for draft in verdict.answers}
            alone = source.grade(case, drafts.get(cell["captain"])) if cell["captain"] else None
            strategy, captain = cell["strategy"], cell["captain"]
            yield Told(case, strategy, title, reader, captain, verdict, groups, right_of(row), alone)


def _lines(name: str, told: Told) -> list[str]:
    question, verdict = told.case.question, told.verdict
    lines = [f"{name} ({told.title}, question {question.id}): {_short(question.text, LONGEST_QUESTION)}"]
    said = {draft.player: draft.text for draft in verdict.answers if draft.text is not None}
    lines.append(_voices(said, told.groups, told.case))
    if verdict.absent:
        lines.append(f"{_list(verdict.absent)} gave no answer.")
    lines.append(_decision(told, said))
    if told.spoke and verdict.reasoning:
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
    word = _answer(told.case, told.verdict.answer or "")
    if (rounds := told.verdict.notes.get("rounds")) is not None:
        agreed = "All agreed" if told.verdict.notes["agreed"] else "No agreement"
        after = (
            f" after {len(rounds)} round{'s' if len(rounds) != 1 else ''} of debate" if rounds else " from the start"
        )
        who = f"the debater {told.captain}" if told.captain else "the team"
        return f"{agreed}{after}; {who} ended on {word}."
    if "votes" in told.verdict.notes or "messages" in told.verdict.notes:
        return _talked(told, word)
    if not told.spoke:
        return f"{_vote(told)}: {word}."
    if told.summariser is not None:
        read = len(told.verdict.notes["order"])
        return f"The summariser {told.summariser} read the {read} response{'s' * (read != 1)} and settled on {word}."
    own = said.get(told.captain or "")
    before = (
        f", alone for {_answer(told.case, own)} ({_worth(told.alone)})," if own is not None else ", without a draft,"
    )
    role = ROLES.get(told.strategy, "captain")
    return f"The {role} {told.captain}{before} read what all had said and settled on {word}."


def _vote(told: Told) -> str:
    """Who won, and where several might have, who broke the tie."""
    voices, votes, tied = len(told.verdict.who), sum(map(len, told.groups)), told.verdict.notes.get("tied", 1)
    each = f"{voices} voice{'s' if voices != 1 else ''}"
    if tied < 2:
        return f"{each} of {votes} won the vote"
    by = f"the captain {told.captain}'s own answer won" if told.captain in told.verdict.who else "the lot decided"
    return f"A tie: {tied} answers with {each} each of {votes}; {by}"


def _talked(told: Told, word: str) -> str:
    """How a discussion ended: by a vote, which need not go with the number of those who had proposed the answer."""
    notes, turns = told.verdict.notes, told.verdict.turns
    after = f"After {turns} turn{'s' if turns != 1 else ''} of talk"
    if "consensus" in notes:
        behind = len(notes["consensus"]["supporters"])
        return f"{after} {behind} of {len(told.verdict.answers)} stood behind {word}."
    if told.verdict.outcome == "undecided":
        return f"{after} nothing was decided ({told.verdict.cause}): {word}."
    vote = notes["votes"][-1]
    if len(vote["options"]) < 2:
        return f"{after} all proposed {word}."
    if told.verdict.ballots and told.verdict.ballots[-1]["player"] == JUDGE:
        return f"{after} the judge picked {word}."
    won = vote["winners"][0]
    others = sorted((each for option, each in enumerate(vote["points"]) if option != won), reverse=True)
    return f"{after} a vote decided, {' to '.join(f'{each:g}' for each in (vote['points'][won], *others))}: {word}."


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
