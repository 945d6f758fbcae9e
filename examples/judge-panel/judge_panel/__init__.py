"""A jury: players draft alone, jurors who do not play read all drafts and pick one each, most picks win."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar

from annotated_types import Len

from moot import Answer, Question, Team, Traits, Verdict
from moot.ballots import rule
from moot.strategies import CallBound
from moot.strategies.blind import masked
from moot.team.forms import Unusable, object_schema
from moot.traces import Ballot, Counted, Shown


@dataclass(frozen=True, slots=True)
class JudgePanel:
    """Each juror sees the drafts without names, in an order of its own. Ties are drawn by lot."""

    jurors: Annotated[tuple[str, ...], Len(1)]

    name: ClassVar[str] = "judge-panel"

    def __post_init__(self) -> None:
        if len(set(self.jurors)) < len(self.jurors):
            raise ValueError(f"jurors: expected different models, found {', '.join(self.jurors)}")

    @property
    def traits(self) -> Traits:
        return Traits(
            prompts=("draft", "jury"),
            drafts="single-call",
            word="player",
            hears="reasons",
            names="hidden",
            asks="nobody",
            offices={f"juror-{number}": model for number, model in enumerate(self.jurors, start=1)},
            calls=CallBound(per_player=1, fixed=len(self.jurors)),
        )

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return (replace(team, captain=None),)

    async def play(self, question: Question, team: Team) -> Verdict:
        drafts = await team.drafts(question)
        absent = tuple(draft.player for draft in drafts if draft.text is None)
        heard = [draft for draft in drafts if draft.text is not None]
        if not heard:
            causes = "; ".join(f"{draft.player}: {draft.cause}" for draft in drafts)
            return Verdict(None, drafts[0].outcome, answers=drafts, absent=absent, cause=causes)
        looks = await asyncio.gather(*(self._pick(question, team, juror, heard) for juror in team.officers))
        shown, ballots = [look[0] for look in looks], [look[1] for look in looks]
        tally = rule("simple-voting").count([ballot.choice for ballot in ballots], len(heard))
        counted = Counted(tuple(draft.text or "" for draft in heard), tally.points, tally.winners, turn=2)
        # A jury of which nobody gave a usable word has not decided: a lot among all drafts stands in.
        place = team.random(question, "tie").choice(tally.winners or range(len(heard)))
        return Verdict(
            heard[place].text,
            "answered" if tally.winners else "undecided",
            heard[place].reasoning,
            who=(heard[place].player,),
            answers=drafts,
            turns=2,
            absent=absent,
            traces=(*shown, *ballots, counted),
        )

    async def _pick(self, question: Question, team: Team, juror: str, heard: Sequence[Answer]) -> tuple[Shown, Ballot]:
        order = team.random(question, "order", juror).sample(range(len(heard)), len(heard))
        prompt = team.prompts.beside(__file__).render(
            "jury",
            question=question.text,
            choices=tuple(zip(question.letters, question.choices, strict=True)),
            context=question.context,
            answers=[(heard[place].text, masked(heard[place].reasoning, team)) for place in order],
        )
        reply = await team.ask(team.officers[juror], question, prompt, PickForm(len(heard)), stage="jury", turn=2)
        picked = reply.value
        shown = Shown(
            juror,
            "juror",
            tuple((heard[place].player,) for place in order),
            turn=2,
            answer=None if picked is None else heard[order[picked]].text,
            places=None if picked is None else (picked,),
        )
        choice = None if picked is None else {order[picked]: 1.0}
        return shown, Ballot(juror, choice, order=tuple(order), turn=2, role="juror", cause=reply.cause)


@dataclass(frozen=True, slots=True)
class PickForm:
    """``{"reasoning": "…", "pick": 2}``: a number from the list, read as a place from 0 on."""

    size: int
    letters: ClassVar[str] = ""

    @property
    def schema(self) -> Mapping[str, Any]:
        number = {"type": "integer", "minimum": 1, "maximum": self.size}
        return object_schema({"reasoning": {"type": "string"}, "pick": number})

    def read(self, data: Mapping[str, Any]) -> int:
        pick = data.get("pick")
        if type(pick) is not int or not 1 <= pick <= self.size:
            raise Unusable("no-field")
        return pick - 1
