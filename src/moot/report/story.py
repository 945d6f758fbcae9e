"""A few questions told in words: what the tables count, seen once from the inside.

The most telling ones are picked, always the same for the same store: a question that the team saved, one that it
spoilt, and one that split it. Saved and spoilt are against the draft of a captain who leads. In a vote no draft stands
above the others, be it that of who breaks ties: there it is told whether the right answer won or was outvoted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from moot.engine.match_record import Groups
from moot.experiment.side_names import several_teams, side_of_row
from moot.measures.cells import Row, Stored
from moot.measures.episodes import right_of
from moot.measures.source import Source
from moot.report.figures import grader_of
from moot.report.names import short_names, ways_of
from moot.stats.written_numbers import of_hundred
from moot.store.rows import config_of, verdict_of
from moot.traces import Agreement, Ballot, Counted, DecidedByRule, Ending, Grouped, Round, Shown, of_kind
from moot.types import Case, Verdict

FEW = 60
"""Up to so many questions a reader can be expected to care about single ones."""

LONGEST_QUESTION = 300
LONGEST_REASON = 160
LONGEST_ANSWER = 60


IN_POINTS = {
    "A rescue": "Above the captain's own",
    "A regression": "Below the captain's own",
    "A split team": "A team's text",
}
"""What is told where long answers get points: nothing is right there, and nothing is repaired."""

SLOTS: tuple[tuple[tuple[str, str | None], ...], ...] = (
    (("A rescue", "rescue"), ("A right answer that won", "carried")),
    (
        ("A regression", "regression"),
        ("A right answer outvoted", "outvoted"),
        ("A right answer that lost a tie", "tie lost"),
    ),
    (("A split team", None),),
)
"""What is told, each with what stands in for it where there is none."""


@dataclass(frozen=True, slots=True)
class Told:
    """One team episode with its words, and what the drafts were worth."""

    case: Case
    cell: Stored
    title: str
    verdict: Verdict
    groups: Groups
    right: float | None
    alone: float | None
    """The captain's own draft."""
    knew: int
    """Of the groups with a right draft, how many voices the largest has."""

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
        match self.cell["traits"].captain:
            case "leads":
                if self.right is None or self.alone is None or self.right == self.alone:
                    return None
                return "rescue" if self.right > self.alone else "regression"
            case "breaks-ties":
                if self.right == 1:
                    return "carried" if len(self.groups) > 1 else None
                if self.right != 0 or not self.knew:
                    return None
                return "outvoted" if self.knew < max(map(len, self.groups), default=0) else "tie lost"
            case _:
                return None

    @property
    def weight(self) -> tuple[int, int]:
        """How much there is to tell: different answers, and a captain who weighed them."""
        return len(self.groups), int(self.decider is not None)


def stories(connection: Connection, experiment: Row, most: int = 3) -> list[str]:
    """Each several lines of plain text; none for an experiment without a team."""
    episodes = list(_told(connection, experiment))
    chosen: list[tuple[str, Told]] = []
    for slot in SLOTS:
        taken = {episode.case.question.id for _, episode in chosen}
        for name, wanted in slot:
            fitting = [told for told in episodes if told.case.question.id not in taken and _fits(told, wanted)]
            if fitting and len(chosen) < most:
                chosen.append((name, max(fitting, key=lambda episode: episode.weight)))  # of equals the first
                break
    return ["\n".join(_lines(name, episode)) for name, episode in chosen]


def _fits(episode: Told, wanted: str | None) -> bool:
    return episode.kind == wanted if wanted else len(episode.groups) > 2


def _told(connection: Connection, experiment: Row) -> Iterator[Told]:
    """The first play of every question by every line-up, in the order of the file."""
    source = Source(connection, experiment, grader_of(config_of(experiment)))
    names = short_names(ways_of(source.cells, "given"))
    several = several_teams(source.cells)
    for cell in source.cells:
        if cell["player"] is not None:
            continue
        title = str(side_of_row({**cell, "label": names[cell["label"]]}, team=several))
        for row in source.results(cell):
            case, verdict = source.cases[row["question"]], verdict_of(row["verdict"])
            if row["repeat"] or verdict.answer is None:
                continue
            groups = _groups(source, cell, case, verdict)
            drafts = {draft.player: draft.text for draft in verdict.answers}
            alone = source.grade(case, drafts.get(cell["captain"])) if cell["captain"] else None
            right = {player for player, text in drafts.items() if source.grade(case, text) == 1}
            knew = max((len(group) for group in groups if right.intersection(group)), default=0)
            yield Told(case, cell, title, verdict, groups, right_of(row), alone, knew)


def _groups(source: Source, cell: Stored, case: Case, verdict: Verdict) -> Groups:
    """Who said the same. What a vote at the end of a talk has grouped are no drafts."""
    grouped = of_kind(verdict.traces, Grouped) if cell["traits"].drafts is not None else []
    return (grouped[0].groups if grouped else ()) or source.matches.groups(case.question, 0, verdict.answers)


def _lines(name: str, episode: Told) -> list[str]:
    question, verdict = episode.case.question, episode.verdict
    name = IN_POINTS.get(name, name) if episode.case.rubric else name
    lines = [f"{name} ({episode.title}, question {question.id}): {_short(question.text, LONGEST_QUESTION)}"]
    draft_texts = {draft.player: draft.text for draft in verdict.answers if draft.text is not None}
    if episode.groups:
        lines.append(_voices(draft_texts, episode.groups, episode.case))
    if verdict.absent:
        lines.append(f"{_list(verdict.absent)} gave no answer.")
    lines.append(_decision(episode, draft_texts))
    if episode.decider is not None and verdict.reasoning:
        lines.append(f"Its reason: “{_short(verdict.reasoning, LONGEST_REASON)}”")
    if episode.case.rubric:
        return [*lines, f"That got {_worth(episode.right, in_points=True)}."]
    worth = {None: "Nobody could grade that", 1.0: "That is right", 0.0: "That is wrong"}.get(
        episode.right, "Half right"
    )
    lines.append(f"{worth}: the answer is {_answer(episode.case, episode.case.answer or 'that there is none')}.")
    return lines


def _voices(draft_texts: Mapping[str, str], groups: Groups, case: Case) -> str:
    largest = sorted(groups, key=len, reverse=True)
    parts = [f"{_list(group)} said {_answer(case, draft_texts[group[0]])}" for group in largest]
    count = len(groups)
    return f"{'; '.join(parts)}: {count} different answer{'s' if count != 1 else ''}."


def _decision(episode: Told, draft_texts: Mapping[str, str]) -> str:
    word, records = _answer(episode.case, episode.verdict.answer or ""), episode.verdict.traces
    if endings := of_kind(records, Ending):
        rounds = len(of_kind(records, Round))
        agreed = "All agreed" if endings[-1].agreed else "No agreement"
        if endings[-1].unknown:
            agreed = "Whether all agreed hangs on answers that lost a part"
        after = f" after {rounds} round{'s' if rounds != 1 else ''} of debate" if rounds else " from the start"
        role = next((record.role for record in of_kind(records, Shown)), "debater")
        who = f"the {role} {episode.captain}" if episode.captain else "the team"
        return f"{agreed}{after}; {who} ended on {word}."
    if episode.cell["traits"].hears == "talk":
        return _talked(episode, word)
    if episode.decider is None:
        return _vote(episode, word)
    if episode.decider.to != episode.captain:
        return _read(episode, episode.decider, word)
    own_draft = draft_texts.get(episode.captain)
    before = (
        f", alone for {_answer(episode.case, own_draft)} ({_worth(episode.alone, in_points=bool(episode.case.rubric))}),"
        if own_draft is not None
        else ", without a draft,"
    )
    return f"The {episode.decider.role} {episode.captain}{before} read what all had said and settled on {word}."


def _read(episode: Told, decider: Shown, word: str) -> str:
    """Nobody of the team has the last word: whoever was asked for it has an office."""
    named = episode.cell["traits"].offices.get(decider.to, decider.to)
    count = len(decider.order)
    return f"The {decider.role} {named} read the {count} response{'s' * (count != 1)} and settled on {word}."


def _vote(episode: Told, word: str) -> str:
    """Who won, and where several might have, who broke the tie."""
    counts = of_kind(episode.verdict.traces, Counted)
    if not counts:
        return f"The team settled on {word}."
    if any(ballot.form == "ranking" for ballot in of_kind(episode.verdict.traces, Ballot)):
        return f"The rankings of the others put {_list(episode.verdict.who)} first: {word}."
    voices, votes, tied = len(episode.verdict.who), sum(map(len, episode.groups)), len(counts[-1].winners)
    counted_voices = f"{voices} voice{'s' if voices != 1 else ''}"
    if rules := of_kind(episode.verdict.traces, DecidedByRule):
        chance = rules[-1].probability
        sure = "" if chance is None else f" (right with a probability of {of_hundred(chance, 0)} %)"
        return f"{counted_voices} of {votes} had what was taken, by the rule {rules[-1].rule}: {word}{sure}."
    if tied < 2:
        return f"{counted_voices} of {votes} won the vote: {word}."
    by = (
        f"the captain {episode.captain}'s own answer won"
        if episode.captain in episode.verdict.who
        else "the lot decided"
    )
    return f"A tie: {tied} answers with {counted_voices} each of {votes}; {by}: {word}."


def _talked(episode: Told, word: str) -> str:
    """How a discussion ended: by a vote, which need not go with the number of those who had proposed the answer."""
    records, turns = episode.verdict.traces, episode.verdict.turns
    after = f"After {turns} turn{'s' if turns != 1 else ''} of talk"
    if agreements := of_kind(records, Agreement):
        behind = len(agreements[-1].supporters)
        return f"{after} {behind} of {len(episode.verdict.answers)} stood behind {word}."
    if episode.verdict.outcome == "undecided":
        return f"{after} nothing was decided ({episode.verdict.cause}): {word}."
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


def _worth(value: float | None, *, in_points: bool) -> str:
    if value is None:
        return "no grade" if in_points else "ungraded"
    if in_points:
        return f"{of_hundred(value, 0)} % of the points"
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
