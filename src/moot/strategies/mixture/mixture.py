"""Mixture: proposers answer alone, then a summariser reads their responses and answers.

The summariser is a model of its own, or, where none is named, the team's captain. It is asked several times about the
same drafts, each time in an episode of its own with its own order and its own grade, so a question's score is the mean
over the repeats and no answer is chosen among them. The drafts are asked for once: the repeats share them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, ClassVar, Literal

from annotated_types import Ge, Le

from moot.errors import UsageError
from moot.strategies.captaincy import absent, by_captain, drafts_shown, nobody_answered
from moot.strategies.natives import LONG_DRAFT, long_question, shown_question
from moot.strategies.option_meanings import Meaning
from moot.strategies.traits import CallBound, Traits
from moot.team import Player, Team
from moot.team.forms import AnswerForm
from moot.traces import Cut, Shown
from moot.types import Answer, Question, Verdict, digest

Order = Literal["random", "ascending", "descending"]

SUMMARISER = "summariser"
UNKNOWN_ACCURACIES = "no accuracies are known, so none are shown; shown_accuracies gives those of a selection split"
LONGEST_NAME = 40
CHARACTERS_A_TOKEN = 3
"""Fewer than English has, so that other languages fit too."""


class Accuracies(dict[str, float]):
    """Known accuracies. In a strategy's label they are a number and a mark: what differs must not look alike."""

    def __str__(self) -> str:
        return f"{len(self)}#{digest([list(pair) for pair in self.items()])[:6]}"

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self.items()))


@dataclass(frozen=True, slots=True)
class Mixture:
    """`proposers` → `summariser`."""

    name: ClassVar[str] = "mixture"

    order: Annotated[Order, Meaning("order")] = "random"
    """By accuracy, the best last (ascending) or first; or drawn for each question and repeat."""
    accuracies: Annotated[Literal["shown", "hidden"], Meaning("accuracies")] = "shown"
    summariser: Annotated[str | None, Meaning("summariser")] = None
    """A model that does not play; left out, the team's captain."""
    proposers: Annotated[tuple[str, ...], Meaning("proposers", selection="team")] = ()
    """Players of the team; left out, all."""
    repeats: Annotated[int, Ge(1)] = 10
    """How often the summariser is asked about a question; the score is the mean."""
    temperature: Annotated[float, Ge(0), Le(2)] | None = 0.7
    """Of the summariser; null: the model's own."""
    context_tokens: Annotated[int, Ge(100)] | None = None
    """What the summariser can read. Responses that do not fit are all cut to one length, and the episode says so."""
    shown_accuracies: Annotated[
        Mapping[str, Annotated[float, Ge(0), Le(1)]], Meaning("accuracy-values", selection="accuracies")
    ] = field(default_factory=Accuracies)
    """Each proposer's accuracy on the selection split: a mapping, or a file that `moot select --json` wrote."""

    def __post_init__(self) -> None:
        if twice := [name for place, name in enumerate(self.proposers) if name in self.proposers[:place]]:
            raise ValueError(f"proposers: {twice[0]!r} stands twice")
        object.__setattr__(self, "shown_accuracies", Accuracies(self.shown_accuracies))
        if self.order != "random" and not self.shown_accuracies:
            raise ValueError(f"order: {self.order} goes by accuracy; expected shown_accuracies: {{PLAYER: 0.7, ...}}")
        unknown = [name for name in self.proposers if self.shown_accuracies and name not in self.shown_accuracies]
        if unknown:
            raise ValueError(f"shown_accuracies: {unknown[0]!r} is missing; expected one for every proposer")

    @property
    def traits(self) -> Traits:
        led = self.summariser is None
        return Traits(
            prompts=("draft", "summarise"),
            drafts="single-call",
            captain="leads" if led else None,
            word="captain" if led else "office",
            hears="reasons",
            asks="captain" if led else "nobody",
            offices={} if self.summariser is None else {SUMMARISER: self.summariser},
            repeats=self.repeats,
            calls=CallBound(per_player=1, fixed=1),
            long_answers=(*LONG_DRAFT, "summarise-text"),
            final_stage="summarise",
            warnings=(UNKNOWN_ACCURACIES,) if self.accuracies == "shown" and not self.shown_accuracies else (),
        )

    def lineups(self, team: Team) -> tuple[Team, ...]:
        names = [player.name for player in team.players]
        for name in self.proposers:
            if name not in names:
                raise UsageError(f"proposer {name!r} is not in team {team.name!r}; expected some of {', '.join(names)}")
        wanted = self.proposers or tuple(names)
        if self.shown_accuracies and (unknown := [name for name in wanted if name not in self.shown_accuracies]):
            raise UsageError(f"shown_accuracies: {unknown[0]!r} is missing; expected one for every proposer")
        if self.summariser is None:
            return by_captain(team)
        seats = tuple(team[name] for name in wanted)
        return (replace(team, name=self._named(team, wanted), captain=None, players=seats),)

    def _named(self, team: Team, wanted: tuple[str, ...]) -> str:
        """Some of a team are another team: what is measured of the one says nothing of the other."""
        if set(wanted) == {player.name for player in team.players}:
            return team.name
        together = "+".join(wanted)
        return together if len(together) <= LONGEST_NAME else f"{len(wanted)} of {team.name}, {digest(wanted)[:6]}"

    async def play(self, question: Question, team: Team) -> Verdict:
        table = replace(team, players=self._proposers(team))
        return await self.summarise(question, team, await table.drafts(question))

    def _proposers(self, team: Team) -> tuple[Player, ...]:
        return tuple(team[name] for name in self.proposers) if self.proposers else team.players

    async def summarise(self, question: Question, team: Team, drafts: Sequence[Answer]) -> Verdict:
        """One word of the summariser on these drafts."""
        answered = [draft for draft in drafts if draft.text is not None]
        if not answered:
            return nobody_answered(drafts)
        order = self._in_order(question, team, answered)
        prompt, cut = self._prompt(question, team, order)
        params = {} if self.temperature is None else {"temperature": self.temperature}
        speaker = team.officers[SUMMARISER] if self.summariser is not None else team[team.captain or ""]
        heard = await team.ask(
            speaker, question, prompt, AnswerForm(question), stage="summarise", turn=2, params=params
        )
        word = heard.value.answer if heard.value else None
        drawn = self.order == "random"
        record = Shown(speaker.name, SUMMARISER, drafts_shown(order), turn=2, drawn=drawn, answer=word)
        traces = (record,) if cut is None else (record, cut)
        missing = absent(drafts)
        if heard.value is None or word is None:
            cause = f"the {speaker.name} gave no answer: {heard.cause}"
            answers = tuple(drafts)
            return Verdict(None, heard.outcome, answers=answers, turns=2, absent=missing, cause=cause, traces=traces)
        same = tuple(draft.player for draft in answered if _plain(draft.text) == _plain(word))
        who = same if self.summariser is not None else (speaker.name,)
        return Verdict(
            word,
            "answered",
            reasoning=heard.value.reasoning,
            who=who,
            answers=tuple(drafts),
            turns=2,
            absent=tuple(name for name in missing if name not in who),
            traces=traces,
        )

    def _in_order(self, question: Question, team: Team, answered: Sequence[Answer]) -> list[Answer]:
        drawn = team.random(question, "order", "summariser").sample(list(answered), len(answered))
        if self.order == "random":
            return drawn
        accuracies = self.shown_accuracies
        return sorted(drawn, key=lambda draft: accuracies[draft.player], reverse=self.order == "descending")

    def _prompt(self, question: Question, team: Team, order: Sequence[Answer]) -> tuple[str, Cut | None]:
        whole = self._render(question, team, order)
        if self.context_tokens is None or len(whole) <= self.context_tokens * CHARACTERS_A_TOKEN:
            return whole, None
        part = "text" if question.is_long else "reasoning"
        words = {draft.player: draft.text or "" if question.is_long else draft.reasoning for draft in order}
        bare = self._render(question, team, [_with(draft, part, "") for draft in order])
        longest = equal_cut(list(map(len, words.values())), self.context_tokens * CHARACTERS_A_TOKEN - len(bare))
        cut = [_with(draft, part, words[draft.player][:longest]) for draft in order]
        shortened = tuple(draft.player for draft in order if len(words[draft.player]) > longest)
        return self._render(question, team, cut), Cut(longest, shortened)

    def _render(self, question: Question, team: Team, order: Sequence[Answer]) -> str:
        accuracies = self.shown_accuracies if self.accuracies == "shown" else {}
        prompts = team.prompts.beside(__file__)
        if question.is_long:
            texts = [(draft.text, accuracies.get(draft.player)) for draft in order]
            return prompts.render("summarise-text", **long_question(question), rated_texts=texts)
        return prompts.render(
            "summarise",
            **shown_question(question),
            proposals=[(draft.text, draft.reasoning, accuracies.get(draft.player)) for draft in order],
        )


def _with(draft: Answer, part: str, words: str) -> Answer:
    return replace(draft, text=words) if part == "text" else replace(draft, reasoning=words)


def equal_cut(lengths: Sequence[int], room: int) -> int:
    """The longest that each may be, so that all together fit into the room; short ones leave theirs to the long."""
    left, sharing = max(0, room), len(lengths)
    for length in sorted(lengths):
        if length * sharing > left:
            return left // sharing
        left -= length
        sharing -= 1
    return max(lengths, default=0)


def _plain(text: str | None) -> str:
    return re.sub(r"\s+", " ", text or "").strip().casefold()
