"""Under double-call reviews, rounds and resolutions are free words with a final line, as the paper has them.

Nothing binds the model but the prompt: no schema is sent, and no JSON is asked for. The strict form is an option.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from moot.models.scripted import Script, ScriptedModel
from moot.prompts import Prompts
from moot.strategies import label, strategy
from moot.strategies.debate.debate import Debate
from moot.strategies.peer_review.peer_review import PeerReview
from moot.team import Player, Team
from moot.team.attempts import ATTEMPTS
from moot.traces import Ending, Review, of_kind
from moot.types import Question, Reply, Request, Verdict

CHOICE = Question("q", "Which one?", choices=("first", "second", "third"), kind="choice")
YES_NO = Question("y", "Is it?", kind="yes-no")
OPEN = Question("o", "Which river?")
CONTEXT = Question("c", "Which river?", context="The Don flows.")
STAGES = {
    "This is a review": "review",
    "This is round": "debate",
    "A debate on the question": "resolution",
}


def stage(request: Request) -> str:
    first = request.messages[0].content
    return next((name for words, name in STAGES.items() if words in first), "native")


class Table:
    """Players who answer alone as given, and then as told."""

    def __init__(self, natives: Mapping[str, str], later: Callable[[str, Request], Script]) -> None:
        self.models = {
            name: ScriptedModel(f"model-{name}", self._script(name, answer, later)) for name, answer in natives.items()
        }
        players = tuple(Player(name, model) for name, model in self.models.items())
        self.team = Team("t", players, seed=7)

    @staticmethod
    def _script(name: str, answer: str, later: Callable[[str, Request], Script]) -> Callable[[Request], Script]:
        def reply(request: Request) -> Script:
            if stage(request) != "native":
                return later(name, request)
            if request.schema is not None:
                return {"reasoning": f"reason of {name}", "answer": answer}
            return f"Answer: {answer}" if "Answer:" in request.messages[-1].content else f"reason of {name}"

        return reply

    async def play(self, played: Any, captain: str = "ann", question: Question = CHOICE) -> Verdict:
        lineup = next(team for team in played.lineups(self.team) if team.captain in (captain, None))
        return await played.play(question, lineup.seated())

    def sent(self, wanted: str) -> list[Request]:
        return [request for model in self.models.values() for request in model.requests if stage(request) == wanted]


APART = {"ann": "A", "bob": "B"}


def free(answer: str) -> Callable[[str, Request], Script]:
    return lambda name, request: f"Much speaks for it, says the {stage(request)}.\n\nAnswer: {answer}"


async def test_a_review_is_free_words_with_a_final_line() -> None:
    table = Table(APART, free("B"))
    verdict = await table.play(PeerReview(captain="ann"))
    (request,) = table.sent("review")
    assert request.schema is None
    sent = request.messages[-1].content
    assert "JSON" not in sent
    assert sent.endswith("the letter of one option:\nAnswer: X")
    assert (verdict.answer, verdict.outcome) == ("B", "answered")
    assert verdict.reasoning == "Much speaks for it, says the review.\n\nAnswer: B", "whole, as it was said"
    assert of_kind(verdict.traces, Review) == [Review("ann", {})]


async def test_rounds_and_the_resolution_are_free_words_too() -> None:
    """They stay apart in the rounds, and agree in the resolution."""

    def later(name: str, request: Request) -> Script:
        answer = "C" if stage(request) == "resolution" else APART[name]
        return f"So says {name}-{stage(request)}.\nAnswer: {answer}"

    table = Table(APART, later)
    verdict = await table.play(Debate())
    assert (verdict.answer, of_kind(verdict.traces, Ending)) == ("C", [Ending("stuck", agreed=True)])
    for wanted in ("debate", "resolution"):
        for request in table.sent(wanted):
            assert request.schema is None
            assert "JSON" not in request.messages[-1].content
            assert request.messages[-1].content.endswith("\nAnswer: X")
    second = [
        request.messages[-1].content for request in table.sent("debate") if "round 2" in request.messages[-1].content
    ]
    assert len(second) == 2
    assert all("-debate.\nAnswer: " in prompt for prompt in second), "the whole argument is shown"
    assert all("-debate.\nAnswer: " in request.messages[-1].content for request in table.sent("resolution"))


@pytest.mark.parametrize(
    ("question", "natives", "line", "answer"),
    [
        (YES_NO, ("yes", "no"), "Answer: yes\nor\nAnswer: no", "no"),
        (OPEN, ("Oka", "Don"), "as short as it can be:\nAnswer: ...", "Don"),
        (CONTEXT, ("Oka", "Don"), "if the context does not hold it:\nAnswer: ...", "Don"),
    ],
)
async def test_the_final_line_is_that_of_the_question(
    question: Question, natives: tuple[str, str], line: str, answer: str
) -> None:
    for played, wanted in ((PeerReview(captain="ann"), "review"), (Debate(max_rounds=1), "debate")):
        table = Table(dict(zip(("ann", "bob"), natives, strict=True)), free(answer))
        verdict = await table.play(played, question=question)
        assert verdict.answer == answer
        assert all(request.messages[-1].content.endswith(line) for request in table.sent(wanted))


@pytest.mark.parametrize("options", [{"drafts": "single-call"}, {"replies": "strict"}])
async def test_the_strict_form_is_an_option(options: dict[str, str]) -> None:
    word = {"strongest": "s", "weakest": "w", "reasoning": "kept", "answer": "B"}
    table = Table(APART, lambda name, request: word)
    verdict = await table.play(strategy("peer-review", {**options, "captain": "ann"}))
    (request,) = table.sent("review")
    assert list((request.schema or {})["properties"]) == ["strongest", "weakest", "reasoning", "answer"]
    assert "JSON object and nothing else" in request.messages[-1].content
    assert of_kind(verdict.traces, Review) == [Review("ann", {"strongest": "s", "weakest": "w"})]
    rounds = {"steelman": "s", "critique": "c", "summary": "x", "reasoning": "kept", "answer": "B"}
    table = Table(APART, lambda name, request: rounds)
    await table.play(strategy("debate", options))
    assert all("steelman" in (request.schema or {})["properties"] for request in table.sent("debate"))


async def test_free_words_go_with_single_call_drafts_too() -> None:
    table = Table(APART, free("B"))
    verdict = await table.play(PeerReview(captain="ann", drafts="single-call", replies="free-text"))
    assert verdict.answer == "B"
    assert [request.schema for request in table.sent("review")] == [None]


async def test_what_announces_nothing_is_unparsed_and_not_asked_for_again() -> None:
    table = Table(APART, lambda name, request: "Both have their merits.")
    verdict = await table.play(PeerReview(captain="ann"))
    assert (verdict.outcome, len(table.sent("review"))) == ("unanswered", 1)
    assert "unparsed" in (verdict.cause or "")


async def test_an_empty_reply_is_asked_for_again_without_a_word_about_a_form() -> None:
    table = Table(APART, lambda name, request: Reply(""))
    verdict = await table.play(PeerReview(captain="ann"))
    sent = table.sent("review")
    assert (verdict.outcome, len(sent)) == ("unanswered", ATTEMPTS)
    assert len({request.messages for request in sent}) == 1


async def test_in_russian() -> None:
    def reply(request: Request) -> Script:
        return "Довод верен.\nОтвет: B" if "<answer n=" in request.messages[-1].content else "Ответ: A"

    model = ScriptedModel("ann", reply)
    verdict = await PeerReview().play(
        CHOICE, Team("t", (Player("ann", model),), captain="ann", prompts=Prompts("ru")).seated()
    )
    assert verdict.answer == "B"
    assert [request.schema for request in model.requests] == [None] * 3
    assert re.search(r"одного варианта:\nОтвет: X$", model.requests[-1].messages[-1].content)


def test_the_option_is_in_the_label_where_it_is_not_the_default() -> None:
    assert label(PeerReview()) == "peer-review"
    assert label(PeerReview(replies="strict")) == "peer-review(replies=strict)"
    assert label(Debate(replies="free-text")) == "debate(replies=free-text)"
