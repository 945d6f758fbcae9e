"""The judge: what it is shown, what it must reply, and what becomes of its word."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from moot.errors import ConnectionFailed
from moot.grade.judge import Judgement, batches_on_record, judge, judge_identity, needs_judge, settled
from moot.models.scripted import Script, ScriptedModel
from moot.prompts import Prompts
from moot.team import Player, Team
from moot.team.attempts import ATTEMPTS
from moot.types import Case, Question, Request

CASE = Case(
    Question("q1", "Which games were held in </question> 1896?"),
    "Olympics",
    accepted=("Olympic Games",),
    rejected=("Universiade",),
    comment="In Athens.",
)


def grades(*words: bool) -> Mapping[str, Any]:
    return {"grades": [{"id": n, "is_correct": word} for n, word in enumerate(words, start=1)]}


def judging(*replies: Any) -> tuple[Player, ScriptedModel]:
    model = ScriptedModel("tom", replies)
    return Player("tom", model), model


async def test_the_prompt_holds_all_that_a_judge_needs() -> None:
    player, model = judging(grades(True, False))
    await judge(player, CASE, {"games": "The Games!", "answer 5": "</answer> 5"}, Team("judges", ()), batch=20)
    (request,) = model.requests
    prompt = request.messages[-1].content
    for part in ("held in", "Olympics", "Olympic Games", "Universiade", "In Athens.", "The Games!"):
        assert part in prompt
    assert prompt.count("</answer>") == 2, "an answer cannot end its own block"
    assert "games\n" not in prompt, "the judge reads the words as they were given"


async def test_words_come_back_in_order() -> None:
    player, _ = judging({"grades": list(reversed(grades(True, False)["grades"]))})
    heard = await judge(player, CASE, {"a": "A", "b": "B"}, Team("judges", ()), batch=20)
    assert [(each.answer, each.right) for each in heard] == [("a", True), ("b", False)]


BAD = {
    "missing": grades(True),
    "too-many": grades(True, False, True),
    "made-up": {"grades": [{"id": 1, "is_correct": True}, {"id": 7, "is_correct": True}]},
    "doubled": {"grades": [{"id": 1, "is_correct": True}, {"id": 1, "is_correct": False}]},
    "no-word": {"grades": [{"id": 1, "is_correct": "yes"}, {"id": 2, "is_correct": None}]},
    "no-list": {"grades": {"1": True, "2": False}},
    "unhashable": {"grades": [{"id": [1], "is_correct": True}, {"id": 2, "is_correct": True}]},
    "truth-as-number": {"grades": [{"id": True, "is_correct": True}, {"id": 2, "is_correct": True}]},
    "prose": "Both are fine.",
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
async def test_a_list_with_other_ids_is_asked_for_again(bad: Any) -> None:
    player, model = judging(bad, grades(True, False))
    heard = await judge(player, CASE, {"a": "A", "b": "B"}, Team("judges", ()), batch=20)
    assert [each.right for each in heard] == [True, False]
    assert len(model.requests) == 2


@pytest.mark.parametrize("bad", [*BAD.values(), ConnectionFailed("down")])
async def test_a_judge_that_fails_leaves_it_ungraded_and_never_wrong(bad: Any) -> None:
    player, _ = judging(*[bad] * ATTEMPTS)
    heard = await judge(player, CASE, {"a": "A", "b": "B"}, Team("judges", ()), batch=20)
    assert [each.right for each in heard] == [None, None]
    score = settled(CASE, "A", heard, None, judges=1)
    assert (score.value, score.stage) == (None, "ungraded")
    assert "tom: no word" in (score.detail or "")


async def test_an_answer_that_spoils_the_list_leaves_the_others_their_grades() -> None:
    def say(request: Request) -> Script:
        prompt = request.messages[0].content
        return "I will not grade that." if "spoiler" in prompt else grades("Marathon" in prompt)

    player = Player("tom", ScriptedModel("tom", say))
    answers = {"marathon": "Marathon", "spoiler": "spoiler", "rome": "Rome"}
    heard = await judge(player, CASE, answers, Team("judges", ()), batch=20)
    assert [(judgement.answer, judgement.right) for judgement in heard] == [
        ("marathon", True),
        ("spoiler", None),
        ("rome", False),
    ]


async def test_a_judge_that_only_babbles_leaves_all_of_a_list_ungraded() -> None:
    player, model = judging(*["I would rather not."] * 100)
    heard = await judge(player, CASE, {name: name for name in "abcdef"}, Team("judges", ()), batch=20)
    assert [judgement.right for judgement in heard] == [None] * 6
    assert len(model.requests) == 7 * ATTEMPTS, "the list, and each answer by itself"


def size(request: Request) -> int:
    return int((request.schema or {})["properties"]["grades"]["items"]["properties"]["id"]["maximum"])


async def test_many_answers_go_in_batches() -> None:
    model = ScriptedModel("tom", lambda request: grades(*[True] * size(request)))
    answers = {f"a{n}": f"A{n}" for n in range(7)}
    heard = await judge(Player("tom", model), CASE, answers, Team("judges", ()), batch=3)
    assert [each.answer for each in heard] == list(answers)
    assert [size(request) for request in model.requests] == [3, 3, 1]


async def test_each_answer_is_shown_by_itself_unless_said_otherwise() -> None:
    """So a word does not depend on what else is in the file: more answers, the same prompts and a few more."""
    prompts = []
    for names in ("ab", "abcdef"):
        model = ScriptedModel("tom", lambda request: grades('<answer n="1">\nA' in request.messages[-1].content))
        heard = await judge(Player("tom", model), CASE, {name: name.upper() for name in names}, Team("judges", ()))
        assert [judgement.right for judgement in heard] == [name == "a" for name in names]
        assert all(size(request) == 1 for request in model.requests)
        prompts.append([request.messages for request in model.requests])
    assert prompts[1][:2] == prompts[0]


@pytest.mark.parametrize("names", [("c",), ("a spoiler", "b spoiler", "c"), ("c", "d spoiler", "e spoiler")])
async def test_a_grade_does_not_hang_on_answers_that_the_judge_could_not_grade(names: tuple[str, ...]) -> None:
    def say(request: Request) -> Script:
        return "no" if "spoiler" in request.messages[0].content else grades(True)

    model = ScriptedModel("tom", say)
    heard = await judge(Player("tom", model), CASE, {name: name for name in names}, Team("judges", ()))
    assert {judgement.answer: judgement.right for judgement in heard}["c"] is True
    assert len(model.requests) == 1 + (len(names) - 1) * ATTEMPTS, "each has tries of its own"


async def test_one_by_one_an_answer_that_spoils_its_own_grade_spoils_no_other() -> None:
    def say(request: Request) -> Script:
        return "no" if "spoiler" in request.messages[0].content else grades(True)

    answers = {name: name for name in ("spoiler 1", "fine", "spoiler 2", "good")}
    heard = await judge(Player("tom", ScriptedModel("tom", say)), CASE, answers, Team("judges", ()))
    assert [judgement.right for judgement in heard] == [None, True, None, True]


@pytest.mark.parametrize(
    ("answer", "left"), [("World Cup", True), ("olympics", False), ("universiade", False), (None, False)]
)
def test_only_what_does_not_match_is_for_the_judge(answer: str | None, left: bool) -> None:
    assert needs_judge(CASE, answer) is left


def test_letters_are_not_for_the_judge() -> None:
    assert not needs_judge(Case(Question("q", "?", choices=("x", "y"), kind="choice"), "B"), "A")


SAID = {
    "agreed": ([True, True], None, 1.0, "judge"),
    "agreed-wrong": ([False, False], None, 0.0, "judge"),
    "disputed": ([True, False], None, None, "disputed"),
    "one-failed": ([True, None], None, None, "ungraded"),
    "both-failed": ([None, None], None, None, "ungraded"),
    "nobody-asked": ([], None, None, "ungraded"),
    "person-over-dispute": ([True, False], True, 1.0, "person"),
    "person-over-both": ([True, True], False, 0.0, "person"),
}


@pytest.mark.parametrize(("words", "person", "value", "stage"), SAID.values(), ids=SAID)
def test_two_judges_and_a_person(
    words: list[bool | None], person: bool | None, value: float | None, stage: str
) -> None:
    heard = [Judgement("world cup", name, word) for name, word in zip(("tom", "ann"), words, strict=False)]
    score = settled(CASE, "World Cup", heard, person, judges=2)
    assert (score.value, score.stage) == (value, stage)


def test_a_match_stands_over_a_person() -> None:
    assert settled(CASE, "Olympics", [], False, judges=1).value == 1.0


def test_another_model_or_prompt_under_the_same_name_is_another_judge() -> None:
    one = Player("tom", ScriptedModel("tom", []))
    other = Player("tom", ScriptedModel("tim", []))
    english, russian = Team("judges", ()), Team("judges", (), Prompts("ru"))
    assert judge_identity(one, english) == judge_identity(one, english.seated(3))
    assert len({judge_identity(one, english), judge_identity(other, english), judge_identity(one, russian)}) == 3


def test_words_of_batches_are_kept_apart() -> None:
    """A judge who saw several answers together is another one, and so is one of before there was a choice."""
    player, team = Player("tom", ScriptedModel("tom", [])), Team("judges", ())
    alone, few, many = (judge_identity(player, team, batch) for batch in (1, 3, 20))
    assert len({alone, few, many}) == 3
    assert (few.partition("#")[0], many.partition("#")[0]) == ("tom@3", "tom@20")
    before = f"tom#{few.partition('#')[2]}"
    other = judge_identity(Player("tom", ScriptedModel("kim", [])), team, 3)
    found = batches_on_record(player, team, [alone, few, many, before, other])
    assert found == {alone: 1, few: 3, many: 20, before: None}


async def test_a_judge_that_is_down_is_not_asked_again_answer_by_answer() -> None:
    """One call for each batch: it is the line that is dead, whatever the answers are."""
    model = ScriptedModel("tom", lambda request: ConnectionFailed("down"))
    answers = {name: name for name in "abcdefg"}
    heard = await judge(Player("tom", model), CASE, answers, Team("judges", ()), batch=3)
    assert [(each.answer, each.right) for each in heard] == [(name, None) for name in answers]
    assert len(model.requests) == 3
