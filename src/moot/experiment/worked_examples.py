"""Worked examples of a player: questions that it is shown answered, in the form in which it is to answer its own.

They are written with the very prompt that it will be asked with, so that what a model copies is what is wanted of it. One
that is a question of the experiment would give its answer away, and is refused.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping

from moot.experiment.spec import ExperimentFile
from moot.experiment.spec_parts import ExampleSpec
from moot.prompts import Prompts
from moot.strategies import Traits
from moot.team import Player
from moot.types import Case, Message, Question, QuestionKind

ASKED_WITH = "draft"
"""The prompt that examples go before."""


def worked_examples(
    file: ExperimentFile, player: str, prompts: Prompts, asked: Mapping[str, str]
) -> tuple[Message, ...]:
    """The turns that go before a question. `asked` are the ids of the experiment's questions, by their wording."""
    turns: list[Message] = []
    for position, example in enumerate(file.spec.players[player].examples):
        place = ("players", player, "examples", position)
        kind: QuestionKind = "choice" if example.choices else "open"
        question = Question("example", example.question, tuple(example.choices), language=file.spec.language, kind=kind)
        if (problem := _wrong_answer(example, question)) is not None:
            raise file.error((*place, "answer"), problem)
        if (known := asked.get(question.wording)) is not None:
            problem = f"this is question {known!r} of the experiment, and would give its answer away; expected another"
            raise file.error((*place, "question"), problem)
        reply = {"reasoning": example.reasoning, "answer": example.answer}
        turns.append(Message("user", prompts.draft(question)))
        turns.append(Message("assistant", json.dumps(reply, ensure_ascii=False)))
    return tuple(turns)


def by_wording(cases: Iterable[Case]) -> dict[str, str]:
    return {case.question.wording: case.question.id for case in cases}


def not_shown(traits: Traits, players: Iterable[Player]) -> Iterator[str]:
    """What to say of a strategy that never asks in the way that examples are of."""
    having = [player.name for player in players if player.examples]
    if having and ASKED_WITH not in traits.prompts:
        yield f"the examples of {', '.join(having)} are not shown: it never asks with the prompt {ASKED_WITH!r}"


def _wrong_answer(example: ExampleSpec, question: Question) -> str | None:
    if len(question.choices) == 1:
        return "expected two choices or more"
    if question.choices and example.answer not in question.letters:
        return f"expected the letter of a choice, {', '.join(question.letters)}; found {example.answer!r}"
    return None
