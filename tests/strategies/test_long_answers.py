"""Questions of kind text: the whole reply is the answer, and whoever compares answers is refused before anybody is asked."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import moot
from moot import Question, ScriptedModel, Team
from moot.cli.app import app
from moot.cli.exit import run_app
from moot.data import load
from moot.errors import FileError, UsageError
from moot.experiment.build import build
from moot.experiment.long_answers import long_answer_problem, takes_long_answers
from moot.experiment.spec import read_experiment
from moot.grade.group import Stages
from moot.grade.match import match
from moot.grade.persons import persons_word
from moot.prompts import Prompts
from moot.simulate.long_text import SPREAD, quality_of
from moot.simulate.simulated import SimulatedModel
from moot.simulate.world import World
from moot.strategies import BUILT_IN, strategy, traits_of
from moot.strategies.lineups import lineups_of
from moot.strategies.vote import Vote
from moot.team import Player
from moot.traces import CutOff, NoTwoAgreed, of_kind
from moot.types import Answer, Case, Message, Reply, Request, Verdict

ASKED = Question("plan", "Write a plan for {braces}.", kind="text", context="A library.")
MARKDOWN = '# Plan\n\n```json\n{"answer": "B", "reasoning": "no"}\n```\n\n- one\n\nAnswer: Paris'


def team(**replies: Any) -> Team:
    players = tuple(Player(name, ScriptedModel(name, script)) for name, script in replies.items())
    return Team("three", players, seed=7, captain="each")


def played(name: str, table: Team, question: Question = ASKED, **options: Any) -> tuple[Verdict, Team]:
    chosen = strategy(name, options)
    lineup = lineups_of(chosen, table)[0].seated()
    return asyncio.run(chosen.play(question, lineup)), lineup


def prompts_of(table: Team, player: str) -> list[str]:
    return [call.request.messages[-1].content for call in table.journal if call.player == player]


@pytest.mark.parametrize("around", ["{}", "  \n{}\n\n", "<think>short?</think>\n{}", "I ponder </think>{}"])
def test_the_whole_reply_is_the_answer(around: str) -> None:
    verdict, lineup = played("solo", team(ann=lambda request: around.format("\0").replace("\0", MARKDOWN)))
    assert verdict.answer == MARKDOWN
    assert verdict.reasoning == ""
    (call,) = lineup.journal
    assert call.request.schema is None
    prompt = call.request.messages[-1].content
    assert "{braces}" in prompt
    assert "A library." in prompt
    assert "JSON" not in prompt
    assert "short" not in prompt


def test_tags_of_thought_within_an_answer_are_its_own() -> None:
    answer = "Models write <think>so</think> before they speak."
    assert played("solo", team(ann=lambda request: answer))[0].answer == answer
    assert played("solo", team(ann=lambda request: f"<think>hm</think>{answer}"))[0].answer == answer


def test_an_answer_that_is_cut_off_is_taken_and_marked() -> None:
    table = team(ann=lambda request: Reply("The first half", finish="length"))
    verdict, lineup = played("solo", table)
    assert verdict.answer == "The first half"
    assert len(lineup.journal) == 1, "asked again it would be cut again"
    assert lineup.traced == [CutOff("ann", "draft", 1)]


@pytest.mark.parametrize("reply", ["", "  \n", "<think>without an end"])
def test_without_words_it_is_asked_again(reply: str) -> None:
    verdict, lineup = played("solo", team(ann=lambda request: Reply(reply, finish="length")))
    assert verdict.outcome == "unanswered"
    assert len(lineup.journal) == 5


@pytest.mark.parametrize("name", ["talkative", "mixture", "peer-review"])
def test_whoever_writes_last_has_read_every_text_without_names(name: str) -> None:
    def says(who: str) -> Any:
        return lambda request: (
            "the team's" if "<answer n=" in request.messages[-1].content else f"I, {who}, say {who[0] * 5}"
        )

    verdict, lineup = played(name, team(ann=says("ann"), bob=says("bob"), cat=says("cat")))
    assert verdict.answer == "the team's"
    *_, last = prompts_of(lineup, "ann")
    assert all(word in last for word in ("aaaaa", "bbbbb", "ccccc"))
    assert "JSON" not in last
    assert "as short as" not in last
    if name != "mixture":
        assert "bob" not in last
        assert "cat" not in last
    assert [answer.text for answer in verdict.answers] == [
        f"I, {who}, say {who[0] * 5}" for who in ("ann", "bob", "cat")
    ]


@pytest.mark.parametrize("language", ["en", "ru"])
def test_prompts_for_long_answers_stand_in_every_language(language: str) -> None:
    prompt = Prompts(language).draft(ASKED)
    assert "{braces}" in prompt
    assert "JSON" not in prompt
    for name in takes_long_answers():
        played_one = strategy(name)
        assert traits_of(played_one).long_answers


def test_files_say_the_kind_in_a_row_or_for_all(tmp_path: Path) -> None:
    rows = [{"id": "1", "text": "Write."}, {"id": "2", "text": "Which?", "kind": "open", "answer": "this"}]
    file = tmp_path / "q.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    experiment = tmp_path / "x.yaml"
    experiment.write_text(
        "{name: x, questions: {file: q.jsonl, kind: text}, models: {ann: {provider: simulated, accuracy: 1}}}"
    )
    dataset = build(read_experiment(experiment)).dataset
    assert dataset is not None
    assert [case.question.kind for case in dataset] == ["text", "open"]
    assert dataset.kinds == {"text", "open"}
    assert [case.known for case in dataset] == [False, True], "no reference is not: cannot be answered"
    (tmp_path / "q.csv").write_text("id,text\n1,Write a letter.\n")
    experiment.write_text(experiment.read_text().replace("q.jsonl", "q.csv"))
    (only,) = build(read_experiment(experiment)).dataset or ()
    assert only.question.is_long
    assert only.answer is None


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"choices": ["a", "b"], "kind": "text"}, "'text' does not go with choices"),
        ({"kind": "essay"}, "expected open, choice, yes-no or text"),
    ],
)
def test_what_is_no_text_is_refused(tmp_path: Path, row: dict[str, Any], problem: str) -> None:
    (tmp_path / "q.jsonl").write_text(json.dumps({"id": "1", "text": "Write.", **row}))
    with pytest.raises(FileError, match=problem):
        load(tmp_path / "q.jsonl")


@pytest.mark.parametrize("answer", [None, "One good text."])
def test_nothing_is_compared_with_a_reference(answer: str | None) -> None:
    case = Case(ASKED, answer)
    for text in ("One good text.", "Another.", "x" * 20_000, None):
        assert match(case, text).value is None
    assert persons_word(case, "Another.", {"one good text": True}) is None, "one that is right makes no other wrong"


ABLE = {"solo", "vote", "talkative", "mixture", "peer-review"}


@pytest.mark.parametrize("name", sorted(BUILT_IN))
def test_a_strategy_that_cannot_is_refused_with_what_to_take(name: str) -> None:
    options = {"leader": {"player": "ann"}}.get(name, {})
    problem = long_answer_problem(strategy(name, options), by_meaning=True)
    if name in ABLE | {"council"}:
        assert problem is None
        return
    assert problem is not None
    assert problem.startswith(f"{name} cannot be played on questions of kind text")
    assert "expected one of solo, vote, talkative, " in problem
    alone = long_answer_problem(strategy(name, options), by_meaning=False)
    assert alone is not None
    assert "expected one of solo, talkative, " in alone, "a vote cannot be played in this file either"
    line = "the line grouping: {embedding: true} at the top level of the file, beside models:"
    assert alone.endswith(f", or vote with {line} (after moot models add minilm-l6)")


def test_a_plan_is_refused_before_any_call(tmp_path: Path) -> None:
    cases = [{"id": "1", "text": "Write.", "kind": "text"}]
    models: dict[str, Any] = {name: {"provider": "simulated", "accuracy": 0.5} for name in ("ann", "bob", "judge")}
    keys: dict[str, Any] = {
        "name": "x",
        "questions": cases,
        "models": models,
        "players": {"ann": {"model": "ann"}, "bob": {"model": "bob"}},
        "strategies": ["vote"],
        "store": f"sqlite:///{tmp_path}/x.db",
    }
    with pytest.raises(UsageError, match=r'strategies.0: vote cannot .* grouping: \{model: "judge"\}'):
        moot.run(moot.Experiment(**keys))
    assert not (tmp_path / "x.db").exists()
    report = moot.run(moot.Experiment(**keys, grouping={"model": "judge"}))
    assert report is not None


@pytest.mark.parametrize("command", ["run", "ask"])
def test_the_line_that_a_refused_vote_asks_for_can_be_pasted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    path = tmp_path / "x.yaml"
    models = "".join(f"  {name}: {{provider: simulated, accuracy: 0.5, words: 20}}\n" for name in ("jim", "ann", "bob"))
    (tmp_path / "q.jsonl").write_text(json.dumps({"id": "1", "text": "Write a toast.", "kind": "text"}))
    questions = "{kind: text}" if command == "ask" else "{file: q.jsonl}"
    path.write_text(
        f"name: x\nquestions: {questions}\nmodels:\n{models}teams:\n  two: {{players: [ann, bob], captain: ann}}\n"
        "strategies: [vote]\n"
    )
    words = ["run", str(path), "--quiet"] if command == "run" else ["ask", "Write.", "--team", str(path), "--no-log"]
    assert run_app(app, words) == 2
    told = " ".join(capsys.readouterr().err.split())
    line = told.partition("expected the line ")[2].partition(" at the top level of the file, beside models:")[0]
    path.write_text(path.read_text() + line + "\n")
    assert run_app(app, words) == 0
    if command == "ask":
        assert "no two texts mean the same; the captain's stands" in capsys.readouterr().err


@pytest.mark.parametrize(
    "keys",
    [
        {"until": 0.9, "then": "talkative"},
        {"until": 0.9, "then": "vote"},
        {"until": 0.9, "then": {"debate": {"max_rounds": 2}}},
        {"until": "decided"},
    ],
    ids=repr,
)
@pytest.mark.parametrize("grouping", [{}, {"grouping": {"model": "judge"}}], ids=["", "by meaning"])
def test_a_cascade_is_refused_for_the_kind_of_question_whatever_its_last_stage(
    keys: dict[str, Any], grouping: dict[str, Any]
) -> None:
    cases = [{"id": "1", "text": "Write.", "kind": "text"}]
    models = {name: {"provider": "simulated", "accuracy": 0.5} for name in ("ann", "bob", "judge")}
    file = {
        "name": "x",
        "questions": cases,
        "models": models,
        "teams": {"two": {"players": ["ann", "bob"], "captain": "ann"}},
        "strategies": [{"cascade": {**keys, "abstain": {"below": 0.5}} if keys["until"] != "decided" else keys}],
        **grouping,
    }
    with pytest.raises(UsageError, match=r"cascade cannot be played on questions of kind text: it compares answers"):
        moot.run(moot.Experiment(**file))


def test_long_answers_are_put_together_by_whoever_reads_them() -> None:
    answers = [Answer("ann", "x " * 9_000), Answer("bob", "x  " * 9_000), Answer("cat", "y " * 9_000)]
    grouping = asyncio.run(Stages().group(ASKED, answers, team(ann="")))
    assert grouping.groups == (("ann", "bob"), ("cat",))


@pytest.mark.parametrize(("captain", "by"), [("ann", "captain"), (None, "lot")])
def test_a_vote_in_which_no_two_agree_says_so(captain: str | None, by: str) -> None:
    answers = tuple(Answer(name, text) for name, text in (("ann", "Don"), ("bob", "Oka"), ("cat", "Ob")))
    seats = team(ann="", bob="", cat="")
    table = Team("three", seats.players, seed=7, captain=captain)
    question = Question("1", "Which river?")
    grouping = asyncio.run(table.group(question, answers))
    verdict = Vote().decide(question, table, answers, grouping)
    (record,) = of_kind(verdict.traces, NoTwoAgreed)
    assert (record.by, record.taken) == (by, verdict.who[0])
    assert verdict.note == f"no two agreed; {'the captain' + chr(39) + 's stands' if captain else 'drawn by lot'}"
    texts = Vote().decide(replace(question, kind="text"), table, answers, grouping)
    assert (
        texts.note
        == f"no two texts mean the same; {'the captain' + chr(39) + 's stands' if captain else 'drawn by lot'}"
    )
    agreed = (*answers[:2], Answer("cat", "Don"))
    assert Vote().decide(question, table, agreed, asyncio.run(table.group(question, agreed))).note is None
    lettered = Question("2", "Which?", choices=("a", "b", "c"), kind="choice")
    letters = tuple(Answer(name, letter) for name, letter in zip(("ann", "bob", "cat"), "ABC", strict=True))
    decided = Vote().decide(lettered, table, letters, asyncio.run(table.group(lettered, letters)))
    assert decided.note == verdict.note, "letters decide no more than words"


def test_simulated_texts_are_as_good_and_as_long_as_was_said() -> None:
    qualities, lengths = [], []
    for number in range(300):
        question = Question(f"q{number}", "Write.", kind="text")
        model = SimulatedModel("ann", accuracy=0.6, words=50, world=World([Case(question, None)], seed=3))
        request = Request((Message("user", Prompts().draft(question)),), question_id=question.id)
        text = model.reply(request).text
        quality = quality_of(text)
        assert quality is not None
        qualities.append(quality)
        lengths.append(len(text.split()))
    mean = sum(qualities) / len(qualities)
    assert abs(mean - 0.6) < 4 * SPREAD / 300**0.5
    assert min(lengths) >= 38
    assert max(lengths) <= 64
    assert len(set(lengths)) > 10


def test_recorded_answers_come_as_they_were_given(tmp_path: Path) -> None:
    reply = {"model": "m", "question_id": "plan", "answer": MARKDOWN, "reasoning": "said beside it"}
    (tmp_path / "r.jsonl").write_text(json.dumps(reply))
    from moot.models.recorded import RecordedModel

    model = RecordedModel("m", file=tmp_path / "r.jsonl", model="m")
    table = Team("one", (Player("m", model),), seed=1)
    assert played("solo", table)[0].answer == MARKDOWN
    short = Question("plan", "Which?")
    assert played("solo", table, short)[0].answer == MARKDOWN, "and in the form where one is asked for"
