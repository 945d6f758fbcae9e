"""Peer review: each player reads the answers of its whole cohort, its own unmarked among them, and answers again.

Everybody is its own aggregator, so what a review repairs and what it spoils can be counted model by model. It is blind:
no names, an order drawn for this reviewer and this question and written down, whole rationales, no votes and no
figures. With names shown the same review measures how much a name alone is worth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from moot.strategies.argument import Argument, ArgumentForm, Replies, in_free_words
from moot.strategies.blind import masked
from moot.strategies.captaincy import Captained, absent, by_captain, drafts_shown, nobody_answered
from moot.strategies.natives import (
    LONG_DRAFT,
    Drafts,
    draft_calls,
    draft_prompts,
    long_question,
    natives,
    shown_question,
)
from moot.strategies.traits import CallBound, Traits
from moot.team import Player, Team
from moot.team.player import Heard, names_of
from moot.traces import Review, Shown
from moot.types import Answer, Question, Verdict

Names = Literal["hidden", "shown"]

PARTS = ("strongest", "weakest")


@dataclass(frozen=True, slots=True)
class PeerReview(Captained):
    """Answers and whole rationales, weighed by each of those who gave them."""

    name: ClassVar[str] = "peer-review"

    drafts: Drafts = "double-call"
    names: Names = "hidden"
    """`shown`: the authority audit."""
    restate_own: bool = False
    """Remind the reviewer of its own answer."""
    replies: Replies | None = None
    """How a review is written: `free-text`, the answer on its last line, or `strict`, a JSON object. Left out: free with
    `double-call`, strict with `single-call`."""

    @property
    def traits(self) -> Traits:
        return Traits(
            prompts=(*draft_prompts(self.drafts), "review"),
            drafts=self.drafts,
            captain="leads",
            word="captain",
            hears="reasons",
            names=self.names,
            asks="captain",
            calls=CallBound(per_player=draft_calls(self.drafts), fixed=1),
            long_answers=(*LONG_DRAFT, "review-text"),
            final_stage="review",
        )

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return by_captain(team, self.captain or team.captain or "each")

    async def play(self, question: Question, team: Team) -> Verdict:
        assert team.captain is not None, "line-ups have a reviewer"
        drafts = await natives(question, team, self.drafts)
        answered = [draft for draft in drafts if draft.text is not None]
        if not answered:
            return nobody_answered(drafts)
        order = team.random(question, "order", team.captain).sample(answered, len(answered))
        reviewer_answer = next(draft.text for draft in drafts if draft.player == team.captain)
        heard = await team.ask(
            team[team.captain],
            question,
            self._prompt(question, team, order, reviewer_answer),
            ArgumentForm(question, PARTS, free=self._free),
            stage="review",
            turn=2,
            examples=() if question.is_long else team.prompts.beside(__file__).examples("review"),
            once=self._free or self.drafts == "double-call",
        )
        return _verdict(team.captain, drafts, order, heard)

    def _prompt(self, question: Question, team: Team, order: Sequence[Answer], reviewer_answer: str | None) -> str:
        blind = self.names == "hidden"
        if question.is_long:
            texts = [
                (None, masked(draft.text or "", team)) if blind else (shown_name(team[draft.player]), draft.text)
                for draft in order
            ]
            return team.prompts.beside(__file__).render(
                "review-text",
                **long_question(question),
                named_texts=texts,
                answered=reviewer_answer is not None,
                previous=reviewer_answer if self.restate_own else None,
            )
        responses = [
            (
                None if blind else shown_name(team[draft.player]),
                draft.text,
                masked(draft.reasoning, team) if blind else draft.reasoning,
            )
            for draft in order
        ]
        return team.prompts.beside(__file__).render(
            "review",
            **shown_question(question),
            responses=responses,
            answered=reviewer_answer is not None,
            previous=reviewer_answer if self.restate_own else None,
            free=self._free,
        )

    @property
    def _free(self) -> bool:
        return in_free_words(self.replies, self.drafts)


def shown_name(player: Player) -> str:
    """Who is speaking, where names are shown: the model as its provider calls it, for that is what has a reputation."""
    called = names_of(player)[-1]
    return called if called == player.name else f"{called} ({player.name})"


def _verdict(reviewer: str, drafts: Sequence[Answer], order: Sequence[Answer], heard: Heard[Argument]) -> Verdict:
    word = heard.value
    record = Shown(reviewer, "reviewer", drafts_shown(order), turn=2, answer=word.answer if word else None)
    missing = tuple(name for name in absent(drafts) if name != reviewer)
    if word is None:
        cause = f"the review of {reviewer} gave no answer: {heard.cause}"
        return Verdict(
            None,
            heard.outcome,
            answers=tuple(drafts),
            turns=2,
            absent=(*missing, reviewer),
            cause=cause,
            traces=(record,),
        )
    return Verdict(
        word.answer,
        "answered",
        reasoning=word.reasoning,
        who=(reviewer,),
        answers=tuple(drafts),
        turns=2,
        absent=missing,
        traces=(record, Review(reviewer, word.parts)),
    )
