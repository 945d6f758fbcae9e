"""Mixture: proposers answer alone, then a summariser reads their responses and answers.

The summariser is a model of its own, or, where none is named, the team's captain. It is asked several times about the
same drafts, each time in an episode of its own with its own order and its own grade, so a question's score is the mean
over the repeats and no answer is chosen among them. The drafts are asked for once: the repeats share them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, get_args

from moot.errors import UsageError
from moot.forms import AnswerForm
from moot.strategies.captaincy import absent, by_captain, nobody_answered
from moot.team import Player, Team
from moot.types import Answer, Question, Verdict, digest

Order = Literal["random", "ascending", "descending"]

SUMMARISER = "summariser"
LONGEST_NAME = 40
CHARACTERS_A_TOKEN = 3
"""Fewer than English has, so that other languages fit too."""


@dataclass(frozen=True, slots=True)
class Mixture:
    """`proposers` → `summariser`."""

    name: ClassVar[str] = "mixture"
    templates: ClassVar[tuple[str, ...]] = ("draft", "summarise")

    order: Order = "random"
    """By accuracy, the best last (ascending) or first; or drawn for each question and repeat."""
    accuracies: Literal["shown", "hidden"] = "shown"
    summariser: str | None = None
    """A model that does not play; left out, the team's captain."""
    proposers: tuple[str, ...] = ()
    """Players of the team; left out, all."""
    repeats: int = 10
    """How often the summariser is asked about a question; the score is the mean."""
    temperature: float | None = 0.7
    """Of the summariser; null: the model's own."""
    context_tokens: int | None = None
    """What the summariser can read. Responses that do not fit are all cut to one length, and the episode says so."""
    shown_accuracies: Any = ()
    """Each proposer's accuracy on the selection split: a mapping, or a file that `moot select --json` wrote."""

    def __post_init__(self) -> None:
        if self.order not in get_args(Order):
            raise ValueError(f"order: expected one of {', '.join(get_args(Order))}, found {self.order!r}")
        if self.accuracies not in ("shown", "hidden"):
            raise ValueError(f"accuracies: expected shown or hidden, found {self.accuracies!r}")
        if self.summariser is not None and not isinstance(self.summariser, str):
            raise ValueError(f"summariser: expected the name of a model, found {self.summariser!r}")
        for key, least in (("repeats", 1), ("context_tokens", 100)):
            given = getattr(self, key)
            whole = isinstance(given, int) and not isinstance(given, bool)
            if not (whole and given >= least) and not (key == "context_tokens" and given is None):
                raise ValueError(f"{key}: expected a whole number from {least} on, found {given!r}")
        if self.temperature is not None and (not _is_number(self.temperature) or not 0 <= self.temperature <= 2):
            raise ValueError(f"temperature: expected a number from 0 to 2, found {self.temperature!r}")
        object.__setattr__(self, "proposers", _names(self.proposers))
        object.__setattr__(self, "shown_accuracies", _accuracies(self.shown_accuracies))
        if self.order != "random" and not self.shown_accuracies:
            raise ValueError(f"order: {self.order} goes by accuracy; expected shown_accuracies: {{PLAYER: 0.7, ...}}")
        unknown = [name for name in self.proposers if self.shown_accuracies and name not in self._accuracy]
        if unknown:
            raise ValueError(f"shown_accuracies: {unknown[0]!r} is missing; expected one for every proposer")

    @property
    def officers(self) -> Mapping[str, str]:
        return {} if self.summariser is None else {SUMMARISER: self.summariser}

    @property
    def warnings(self) -> tuple[str, ...]:
        if self.accuracies == "shown" and not self.shown_accuracies:
            return ("no accuracies are known, so none are shown; shown_accuracies gives those of a selection split",)
        return ()

    @property
    def _accuracy(self) -> dict[str, float]:
        return dict(self.shown_accuracies)

    def lineups(self, team: Team) -> tuple[Team, ...]:
        names = [player.name for player in team.players]
        for name in self.proposers:
            if name not in names:
                raise UsageError(f"proposer {name!r} is not in team {team.name!r}; expected some of {', '.join(names)}")
        wanted = self.proposers or tuple(names)
        if self.shown_accuracies and (unknown := [name for name in wanted if name not in self._accuracy]):
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
        # Repeats of the summariser share the drafts: those of its tenth repeat are those of its first.
        table = replace(team, repeat=team.repeat // self.repeats, players=self._proposers(team))
        return await self.summarise(question, team, await table.drafts(question))

    def _proposers(self, team: Team) -> tuple[Player, ...]:
        return tuple(team[name] for name in self.proposers) if self.proposers else team.players

    async def summarise(self, question: Question, team: Team, drafts: Sequence[Answer]) -> Verdict:
        """One word of the summariser on these drafts."""
        given = [draft for draft in drafts if draft.text is not None]
        if not given:
            return nobody_answered(drafts)
        order = self._in_order(question, team, given)
        prompt, cut = self._prompt(question, team, order)
        params = {} if self.temperature is None else {"temperature": self.temperature}
        speaker = team.officers[SUMMARISER] if self.summariser is not None else team[team.captain or ""]
        heard = await team.ask(
            speaker, question, prompt, AnswerForm(question), stage="summarise", turn=2, params=params
        )
        notes: dict[str, Any] = {"order": [draft.player for draft in order], **cut}
        missing = absent(drafts)
        if heard.value is None:
            cause = f"the {speaker.name} gave no answer: {heard.cause}"
            answers = tuple(drafts)
            return Verdict(None, heard.outcome, answers=answers, turns=2, absent=missing, cause=cause, notes=notes)
        word = heard.value.answer
        same = tuple(draft.player for draft in given if _plain(draft.text) == _plain(word))
        who = same if self.summariser is not None else (speaker.name,)
        return Verdict(
            word,
            "answered",
            reasoning=heard.value.reasoning,
            who=who,
            answers=tuple(drafts),
            turns=2,
            absent=tuple(name for name in missing if name not in who),
            notes=notes,
        )

    def _in_order(self, question: Question, team: Team, given: Sequence[Answer]) -> list[Answer]:
        drawn = team.random(question, "order", "summariser").sample(list(given), len(given))
        if self.order == "random":
            return drawn
        known = self._accuracy
        return sorted(drawn, key=lambda draft: known[draft.player], reverse=self.order == "descending")

    def _prompt(self, question: Question, team: Team, order: Sequence[Answer]) -> tuple[str, dict[str, Any]]:
        whole = self._render(question, team, order)
        if self.context_tokens is None or len(whole) <= self.context_tokens * CHARACTERS_A_TOKEN:
            return whole, {}
        bare = self._render(question, team, [replace(draft, reasoning="") for draft in order])
        room = self.context_tokens * CHARACTERS_A_TOKEN - len(bare)
        longest = equal_cut([len(draft.reasoning) for draft in order], room)
        cut = [replace(draft, reasoning=draft.reasoning[:longest]) for draft in order]
        shortened = [draft.player for draft in order if len(draft.reasoning) > longest]
        return self._render(question, team, cut), {"cut_to": longest, "cut": shortened}

    def _render(self, question: Question, team: Team, order: Sequence[Answer]) -> str:
        known = self._accuracy if self.accuracies == "shown" else {}
        return team.prompts.render(
            "summarise",
            question=question.text,
            choices=tuple(zip(question.letters, question.choices, strict=True)),
            context=question.context,
            kind=question.kind,
            proposals=[(draft.text, draft.reasoning, known.get(draft.player)) for draft in order],
        )


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


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _names(given: object) -> tuple[str, ...]:
    if not isinstance(given, list | tuple) or not all(isinstance(each, str) for each in given):
        raise ValueError(f"proposers: expected a list of players, found {given!r}")
    twice = [name for place, name in enumerate(given) if name in given[:place]]
    if twice:
        raise ValueError(f"proposers: {twice[0]!r} stands twice")
    return tuple(given)


class Accuracies(tuple[tuple[str, float], ...]):
    """Known accuracies. In a strategy's label they are a number and a mark: what differs must not look alike."""

    __slots__ = ()

    def __str__(self) -> str:
        return f"{len(self)}#{digest(list(self))[:6]}"


def _accuracies(given: object) -> Accuracies:
    pairs = list(given.items()) if isinstance(given, Mapping) else list(given) if isinstance(given, tuple) else None
    if pairs is None:
        raise ValueError(f"shown_accuracies: expected a mapping such as {{ann: 0.7}}, found {given!r}")
    for name, value in pairs:
        if not _is_number(value) or not 0 <= value <= 1:
            raise ValueError(f"shown_accuracies: {name}: expected a number from 0 to 1, found {value!r}")
    return Accuracies((str(name), float(value)) for name, value in pairs)
