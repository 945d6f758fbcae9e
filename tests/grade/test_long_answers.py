"""Answers of megabytes: whoever compares them is done at once, and says so where it did not compare."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

import moot
from moot import Request, ScriptedModel
from moot.errors import UsageError
from moot.grade.embedding import Embedding
from moot.grade.group import Stages
from moot.grade.judge import needs_judge, open_to_judgement
from moot.grade.lemmas import lemma, lemma_key
from moot.grade.match import match
from moot.grade.normalise import LONGEST_COMPARED, normalise, spelled, too_long
from moot.team import Team
from moot.types import Answer, Case, Question

MILLION = 1_000_000
LONG = {
    "cyrillic": "абырвалг" * (MILLION // 8),
    "cyrillic words": "пере" * 15 + " " + "шарлатан " * (MILLION // 9),
    "marks over one letter": "a" + "\u0316\u0301" * (MILLION // 2),
    "marks out of order": "a" + "\u0301" * (MILLION // 2) + "\u0316" * (MILLION // 2),
    "one that is eighteen": "\ufdfa" * (MILLION // 4),
    "numerals": "two hundred " * (MILLION // 12),
    "thousands": "1" + " 000" * (MILLION // 4),
    "articles": "the " * (MILLION // 4),
    "signs": "-" * MILLION,
}
JUST_SHORT_ENOUGH = {name: text[:LONGEST_COMPARED] for name, text in LONG.items()}
CPU_S = 10.0
"""What some comparisons may take of a processor, however slow it is; a twentieth of it is usual, and hours were needed."""


def case(answer: str | None = "Nile", **more: Any) -> Case:
    return Case(Question("1", "Which river?", language=more.pop("language", "en")), answer, **more)


@pytest.mark.parametrize("name", LONG)
@pytest.mark.parametrize("texts", [LONG, JUST_SHORT_ENOUGH], ids=["a megabyte", "at the bound"])
def test_comparing_is_over_at_once(texts: dict[str, str], name: str) -> None:
    text, started = texts[name], time.process_time()
    for language in ("en", "ru"):
        lemma_key(text, language)
        match(case(lemmatize=True, free_order=True, language=language), text)
    match(case(meta={"score": "f1"}), text)
    assert time.process_time() - started < CPU_S


@pytest.mark.parametrize("graded", [case(), case(None), case(accepted=("Amazon",))], ids=["one", "none", "two"])
def test_what_nothing_makes_as_short_as_a_reference_is_wrong(graded: Case) -> None:
    score = match(graded, "x" * MILLION)
    assert (score.value, score.stage) == (0.0, "match" if graded.answer else "unanswerable")
    assert score.detail == "the answer has 1,000,000 characters, and up to 10,000 are compared"


@pytest.mark.parametrize(
    ("graded", "answer"),
    [
        (case(meta={"score": "f1"}), "x" * MILLION),
        (case(), "the " * MILLION + "Nile"),
        (case(), "!" * MILLION + "Nile"),
        (case(), "N" + "\u0301" * MILLION + "ile"),
        (case("Nile " * 200), "x" * MILLION),
    ],
    ids=["by words", "articles", "signs", "marks", "a long reference"],
)
def test_what_is_too_long_to_tell_is_ungraded_and_says_so(graded: Case, answer: str) -> None:
    score = match(graded, answer)
    assert (score.value, score.stage) == (None, "ungraded")
    assert score.detail == f"the answer has {len(answer):,} characters, and up to 10,000 are compared"


def test_a_reference_that_is_too_long_compares_nothing() -> None:
    score = match(case("x" * 20_000), "x")
    assert (score.value, score.stage) == (None, "ungraded")
    assert "the reference has 20,000 characters" in (score.detail or "")


def test_the_beginning_does_not_stand_for_the_whole() -> None:
    """What is right at first and goes on for a megabyte is no right answer, nor equal to another that begins so."""
    beginning = "Nile " * (LONGEST_COMPARED // 5)
    assert match(case(beginning.strip()), beginning + "x" * MILLION).value is None
    assert normalise(beginning + "x" * MILLION) != normalise(beginning + "y" * MILLION)


def test_white_space_makes_nothing_long() -> None:
    assert match(case(), " " * MILLION + "The  Nile." + "\n" * MILLION).value == 1.0
    assert not too_long(" " * MILLION)
    assert spelled("twenty" + " " * MILLION + "one", "en") == "21"


async def test_long_answers_are_grouped_with_their_equals_only() -> None:
    texts = {"ann": "ж" * MILLION, "bob": "Ж" * MILLION, "cat": "ж" * MILLION, "dan": "Nile"}
    answers = [Answer(player, text) for player, text in texts.items()]
    grouping = await Stages().group(case().question, answers, Team("t", ()))
    assert grouping.groups == (("ann", "cat"), ("bob",), ("dan",))
    try:
        similarity = Embedding()
    except UsageError as error:
        pytest.skip(str(error))
    grouping = await Stages(similarity=similarity).group(case().question, answers, Team("t", ()))
    assert grouping.groups == (("ann", "cat"), ("bob",), ("dan",))


def test_words_that_no_dictionary_ends_with() -> None:
    """Such as those that an analyser takes prefix after prefix from, until the stack is full."""
    assert lemma("пере" * 1_000, "ru") == "пере" * 1_000
    assert lemma("подпапками", "ru") == "подпапка"


async def test_a_served_team_answers_others_meanwhile(tmp_path: Path) -> None:
    """Through the whole of it: read, grouped, voted on, kept, graded by a word that comes later."""
    import sys

    sys.path.insert(0, str(Path(__file__).parents[1] / "serve"))
    from hostile_server import completion, hostile, http
    from served import serving

    long = json.dumps({"reasoning": "so", "answer": LONG["marks over one letter"]})
    async with hostile(lambda body, number: http(completion(long))) as server:
        model = {"provider": "endpoint", "model": "m", "base_url": server.base_url}
        models = {name: {**model, "model": name} for name in ("ann", "bob", "cat")}
        file = {
            "name": "three",
            "models": models,
            "teams": {"three": {"players": list(models), "captain": "ann"}},
            "strategies": ["vote"],
        }
        started = time.process_time()
        async with serving(tmp_path, file) as served:
            status, body = await served.chat("Which river?")
            assert status == 200
            _, learnt = await served.post("/v1/feedback", {"episode": body["moot"]["episode"], "answer": "Nile"})
            assert learnt == {"episode": body["moot"]["episode"], "correct": None, "stage": "ungraded"}
        assert time.process_time() - started < 60


LONG_WORDS = " and so on" * 2_000


@pytest.mark.parametrize(
    "said", ["It is the Nile" + LONG_WORDS, "!" * 20_000 + "Nil"], ids=["by far too long", "not compared"]
)
def test_a_judge_reads_what_is_too_long_to_be_compared(said: str) -> None:
    """And a person may settle it: it could be right in other words."""
    judged: list[int] = []

    def judge(request: Request) -> Any:
        judged.append(len(request.messages[-1].content))
        return {"grades": [{"id": 1, "is_correct": True}]}

    models = {
        "ann": ScriptedModel("ann", lambda request: {"reasoning": "", "answer": said}),
        "judy": ScriptedModel("judy", judge),
    }
    keys = {"name": "rivers", "questions": [case()], "models": models, "judge": {"models": ["judy"]}}
    results = moot.run({**keys, "players": {"ann": {"model": "ann"}}, "strategies": ["solo"]})
    (row,) = results.figures["accuracy"]
    assert (row["value"], row["ungraded"]) == (1.0, 0)
    assert judged
    assert min(judged) > len(said), "it has read the answer whole"
    assert open_to_judgement(case(), said)
    assert not needs_judge(case(rejected=("Nil",)), "Nil")
