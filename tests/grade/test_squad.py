"""SQuAD's F1 and exact match against a reference written from the official definition, and in a run from file to report."""

from __future__ import annotations

import json
import re
import string
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from moot.engine.runner import Runner
from moot.experiment.build import build
from moot.experiment.spec import read_experiment
from moot.grade.judge import needs_judge
from moot.grade.match import Match, match
from moot.grade.squad import best, exact_match, squad, token_f1
from moot.measures.squad.figures import squad_sections
from moot.models.scripted import ScriptedModel
from moot.report.figures import figures, find_experiment
from moot.types import Case, Question, Request, Verdict

# --- the definition, in its own words ---------------------------------------------------------------------------------


def reference_tokens(text: str) -> list[str]:
    lowered = "".join(character for character in text.lower() if character not in set(string.punctuation))
    return " ".join(re.compile(r"\b(a|an|the)\b", re.UNICODE).sub(" ", lowered).split()).split()


def reference_f1(gold: str, said: str) -> float:
    gold_tokens, said_tokens = reference_tokens(gold), reference_tokens(said)
    same = sum((Counter(gold_tokens) & Counter(said_tokens)).values())
    if len(gold_tokens) == 0 or len(said_tokens) == 0:
        return float(gold_tokens == said_tokens)
    if same == 0:
        return 0.0
    precision, recall = same / len(said_tokens), same / len(gold_tokens)
    return 2 * precision * recall / (precision + recall)


def reference_scores(golds: list[str], said: str) -> tuple[float, float]:
    usable = [gold for gold in golds if " ".join(reference_tokens(gold))] or [""]
    exact = max(float(" ".join(reference_tokens(gold)) == " ".join(reference_tokens(said))) for gold in usable)
    return exact, max(reference_f1(gold, said) for gold in usable)


texts = st.lists(
    st.sampled_from(
        ["the", "The", "a", "an", "AN", "norman", "Normans", "king", "1066", "in", "u.s.", "don't", "—", "é", "-", "."]
    ),
    max_size=6,
).map(" ".join) | st.text(max_size=12)


def case_of(golds: list[str]) -> Case:
    question = Question("q", "When?", context="In 1066.")
    return Case(question, golds[0] if golds else None, tuple(golds[1:]), meta={"score": "f1"})


@settings(deadline=None)
@given(st.lists(texts, max_size=4), texts)
@example(["the"], "a")
@example([], "the")
@example(["in 1066", "1066"], "year 1066")
def test_equal_to_the_definition(golds: list[str], said: str) -> None:
    if said.strip(" []").casefold() == "unknown":
        return
    case = case_of(golds)
    exact, f1 = reference_scores(golds, said)
    assert squad(case, said).value == pytest.approx(f1)
    assert best(case, said, exact_match) == exact
    assert (squad(case, said).detail == "exact match") == (exact == 1.0)


@settings(deadline=None)
@given(texts, texts)
def test_symmetric_and_within_bounds(one: str, other: str) -> None:
    assert token_f1(one, other) == token_f1(other, one)
    assert 0.0 <= token_f1(one, other) <= 1.0
    assert token_f1(one, one) == 1.0
    if exact_match(one, other):
        assert token_f1(one, other) == 1.0


SCORES = {
    "equal": (["in 1066"], "In 1066!", 1.0),
    "half": (["Norman king"], "the king", 2 / 3),
    "best-gold": (["the year 1066", "1066"], "1066", 1.0),
    "nothing-in-common": (["1066"], "William", 0.0),
    "said-it-cannot-be-answered-and-it-can": (["1066"], "[UNKNOWN]", 0.0),
    "unanswerable": ([], "[UNKNOWN]", 1.0),
    "unanswerable-in-other-letters": ([], "unknown", 1.0),
    "answered-what-cannot-be": ([], "1066", 0.0),
    "words-as-often-as-they-occur": (["no no no"], "no", 0.5),
}


@pytest.mark.parametrize(("golds", "said", "value"), SCORES.values(), ids=SCORES)
def test_scores(golds: list[str], said: str, value: float) -> None:
    score = match(case_of(golds), said)
    assert (score.value, score.stage) == (pytest.approx(value), "f1")


async def test_no_answer_is_not_right_even_where_there_is_none() -> None:
    score = await Match().grade(case_of([]), Verdict(None, "failed", cause="down"))
    assert (score.value, score.stage) == (0.0, "no-answer")


def test_no_judge_is_asked() -> None:
    assert not needs_judge(case_of(["1066"]), "William")


def test_the_score_is_part_of_what_a_case_is() -> None:
    case = case_of(["1066"])
    assert case.digest != replace(case, meta={}).digest
    assert replace(case, meta={"round": 1}).digest == replace(case, meta={}).digest


def test_other_cases_are_matched_as_ever() -> None:
    assert match(replace(case_of(["Norman king"]), meta={}), "king").value == 0.0


# --- from the file to the report --------------------------------------------------------------------------------------

CONTEXT = "The Normans came in 1066 under William."
QAS = [
    {"id": "when", "question": "When?", "answers": [{"text": "in 1066"}, {"text": "1066"}], "is_impossible": False},
    {"id": "who", "question": "Who led them?", "answers": [{"text": "William"}], "is_impossible": False},
    {"id": "why", "question": "Why?", "answers": [], "is_impossible": True},
    {"id": "how", "question": "How?", "answers": [], "is_impossible": True},
]
SAID = {"When?": "in the year 1066", "Who led them?": "[UNKNOWN]", "Why?": "[UNKNOWN]", "How?": "by ship"}


def reply(request: Request) -> str:
    asked = next(question for question in SAID if question in request.messages[-1].content)
    assert CONTEXT in request.messages[-1].content, "the passage is part of the question"
    assert "[UNKNOWN]" in request.messages[-1].content, "players are told how to say that it has no answer"
    return json.dumps({"reasoning": "I read it.", "answer": SAID[asked]})


async def test_all_answerable_and_unanswerable_apart(tmp_path: Path) -> None:
    document = {"data": [{"title": "Normans", "paragraphs": [{"context": CONTEXT, "qas": QAS}]}]}
    (tmp_path / "dev.json").write_text(json.dumps(document))
    spec = {
        "name": "s",
        "questions": {"format": "squad", "file": "dev.json"},
        "models": {"ann": {"provider": "simulated", "accuracy": 0.5}},
    }
    (tmp_path / "s.yaml").write_text(json.dumps(spec))
    plan = build(read_experiment(tmp_path / "s.yaml"))
    plan = replace(plan, models={"ann": replace(plan.models["ann"], model=ScriptedModel("ann", reply))})
    store = await plan.store().open()
    try:
        await Runner(plan, store).run()
        shown = await store.run(lambda connection: figures(connection, find_experiment(connection)))
    finally:
        await store.close()
    rows = {row["part"]: row for row in shown["squad"]}
    f1 = reference_scores(["in 1066", "1066"], SAID["When?"])[1]
    assert 0 < f1 < 1
    assert {part: (row["n"], row["exact"], row["f1"]) for part, row in rows.items()} == {
        "all": (4, 0.25, pytest.approx((f1 + 0 + 1 + 0) / 4)),
        "answerable": (2, 0.0, pytest.approx(f1 / 2)),
        "unanswerable": (2, 0.5, 0.5),
    }
    assert shown["accuracy"][0]["value"] == pytest.approx(rows["all"]["f1"]), "the headline is the mean of F1"
    assert shown["accuracy"][0]["low"] is not None
    (section,) = squad_sections(shown)
    assert [row["part"] for row in section.rows] == ["all", "answerable", "unanswerable"]
    assert squad_sections({"accuracy": []}) == []
