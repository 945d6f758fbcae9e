"""`moot.Experiment` built in code: equal to the same file, strict in the same words, with objects where a file has names."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

import moot
from moot import Case, Question, ScriptedModel, Team, Verdict
from moot.data import builtin
from moot.errors import FileError, UsageError
from moot.experiment.build import build
from moot.strategies.adaptive import Adaptive
from moot.strategies.vote import Vote

NAMES = st.text("abcxyz.-_:1", min_size=1, max_size=6)
SIMULATED = st.fixed_dictionaries({"provider": st.just("simulated"), "accuracy": st.floats(0, 1)})
ENTRIES = st.one_of(
    st.sampled_from(["solo", "vote", "peer-review"]),
    st.builds(lambda number: {"adaptive": {"talk_from": number}}, st.integers(2, 5)),
    st.builds(lambda stop: {"vote": {"early_stop": stop}}, st.booleans()),
)
SHAPES = st.fixed_dictionaries(
    {"name": NAMES, "models": st.dictionaries(NAMES, SIMULATED, min_size=1, max_size=4)},
    optional={
        "seed": st.integers(-(2**31), 2**31),
        "questions": st.sampled_from([{"builtin": "facts-en"}, {"file": "cup.jsonl", "sample": 5}]),
        "strategies": st.lists(ENTRIES, min_size=1, max_size=3),
        "language": st.sampled_from(["en", "ru"]),
        "repeats": st.integers(1, 4),
        "budget_usd": st.floats(0.01, 100),
        "kind": st.sampled_from(["production", "calibration"]),
        "grouping": st.just({"match": "only"}),
    },
)


@settings(max_examples=40, deadline=None)
@given(keys=SHAPES)
def test_built_in_code_it_equals_the_same_file(keys: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("file") / "cup.yaml"
    path.write_text(yaml.safe_dump(keys))
    written, in_code = moot.Experiment.from_file(path), moot.Experiment(**keys)
    assert in_code == written
    assert in_code.model_dump() == written.model_dump()
    other = moot.Experiment(**{**keys, "repeats": in_code.repeats + 1})
    assert other != written


def keys(**more: Any) -> dict[str, Any]:
    models = {name: {"provider": "simulated", "accuracy": 0.5} for name in ("ann", "bob")}
    return {"name": "cup", "questions": {"builtin": "facts-en"}, "models": models, **more}


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"nam": "x"}, "nam: unknown key; expected one of name, "),
        ({"repeats": "3"}, "repeats: expected a whole number, found '3'"),
        ({"models": {}}, "models: expected at least 1, found none"),
        ({"models": {"ann": {"provider": "simulated", "acuracy": 0.5}}}, "models.ann.acuracy: unknown key"),
        (
            {"models": {"ann": {"provider": "simulatd"}}},
            "models.ann.provider: 'simulatd' is unknown; expected endpoint",
        ),
        ({"models": {"ann": {"provider": "object", "shape": {}}}}, "models.ann.provider: 'object' is unknown"),
        ({"questions": {"given": 3, "digest": "x"}}, "questions.given: unknown key"),
        ({"questions": []}, "questions: expected at least one question, found none"),
        ({"questions": [{"id": "1", "text": "Who?"}]}, "questions.0.answer: the reference is missing"),
        ({"questions": [Case(Question("1", "Who?"), "Ann")] * 2}, "questions.1.id: '1' is the question of questions.0"),
        ({"questions": ["Who?"]}, "questions.0: expected a Case, a Question or keys such as id, text and answer"),
        ({"models": {"ann": ScriptedModel("tom", [])}}, "models.ann: the model calls itself 'tom'"),
        ({"strategies": [Vote]}, "strategies.0: the class Vote is no strategy; give an instance: Vote(), not Vote"),
        ({"strategies": [5]}, "strategies.0: expected the name of a strategy"),
        ({"strategies": [Vote(early_stop="false")]}, "strategies.0.vote.early_stop: expected true or false"),
        ({"grader": 5}, "grader: 5 is no grader; expected an object with name and grade"),
    ],
)
def test_a_mistake_is_said_by_its_key_and_without_a_file(more: dict[str, Any], says: str) -> None:
    with pytest.raises(FileError) as caught:
        moot.Experiment(**keys(**more))
    assert isinstance(caught.value, UsageError)
    assert str(caught.value).startswith(says)
    assert caught.value.file is None
    assert caught.value.line is None


def test_what_only_the_plan_can_know_is_said_by_its_key_too() -> None:
    for more, says in (
        ({"strategies": ["vot"]}, "strategies.0: strategy 'vot' is unknown; expected one of adaptive"),
        ({"grader": "mach"}, "grader: grader 'mach' is unknown; expected one of match; did you mean 'match'?"),
        ({"teams": {"six": {"players": ["tom"]}}}, "teams.six.players.0: unknown player 'tom'"),
        ({"questions": {"file": "nowhere.jsonl"}}, "questions.file: no such file: nowhere.jsonl"),
    ):
        with pytest.raises(FileError) as caught:
            build(moot.Experiment(**keys(**more)).as_file)
        assert str(caught.value).startswith(says)


def test_a_mistake_in_a_file_has_its_line(tmp_path: Path) -> None:
    path = tmp_path / "cup.yaml"
    path.write_text("name: cup\nmodels:\n  ann: {provider: simulated, accuracy: 2}\n")
    with pytest.raises(FileError, match=r"cup.yaml:3: models.ann.accuracy: "):
        moot.Experiment.from_file(path)


def test_a_strategy_by_name_and_as_an_object_are_the_same_experiment() -> None:
    by_name = moot.Experiment(**keys(strategies=["vote", {"adaptive": {"talk_from": 4}}], teams=captained()))
    as_object = moot.Experiment(**keys(strategies=(Vote(), Adaptive(talk_from=4)), teams=captained()))
    assert by_name == as_object
    plans = [build(experiment.as_file) for experiment in (by_name, as_object)]
    assert plans[0].id == plans[1].id
    assert [cell.id for cell in plans[0].cells] == [cell.id for cell in plans[1].cells]


def captained() -> dict[str, Any]:
    return {"two": {"players": ["ann", "bob"], "captain": "ann"}}


@dataclass(frozen=True)
class Last:
    """Whoever speaks last."""

    among: tuple[str, ...] = ()
    tune: dict[str, float] = field(default_factory=dict)

    name: ClassVar[str] = "last"

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return (team,)

    async def play(self, question: Question, team: Team) -> Verdict:
        drafts = await team.drafts(question)
        return Verdict(drafts[-1].text, drafts[-1].outcome, who=(drafts[-1].player,), answers=drafts)


def test_objects_are_stored_by_what_they_are() -> None:
    model = ScriptedModel("ann", [])
    cases = [Case(Question("1", "Who?"), "Ann"), Question("2", "Why?"), {"id": "3", "text": "When?", "answer": "now"}]
    experiment = moot.Experiment(
        name="cup", models={"ann": model}, questions=cases, strategies=["solo", Last(among=("ann",), tune={"a": 0.5})]
    )
    plan = build(experiment.as_file)
    config = json.loads(json.dumps(plan.public_config))
    assert config["strategies"] == ["solo", {"last": {"among": ["ann"], "tune": {"a": 0.5}}}]
    assert config["models"]["ann"]["provider"] == "object"
    assert config["models"]["ann"]["shape"]["provider"] == "scripted"
    assert config["questions"]["given"] == 3
    assert [case.question.id for case in plan.dataset or ()] == ["1", "2", "3"]
    assert [case.known for case in plan.dataset or ()] == [True, False, True]
    assert plan.cells[1].strategy == Last(("ann",), {"a": 0.5})
    assert json.loads(plan.cells[1].row()["options"])["given"] == {"among": ["ann"], "tune": {"a": 0.5}}
    assert plan.models["ann"].model is model


def test_two_objects_of_one_class_are_two_strategies() -> None:
    plan = build(moot.Experiment(**keys(strategies=[Last(), Last(among=("bob",))])).as_file)
    assert [cell.strategy for cell in plan.cells] == [Last(), Last(("bob",))]
    assert len({cell.id for cell in plan.cells}) == 2


def test_another_class_under_the_name_of_ours_would_mix_results() -> None:
    @dataclass(frozen=True)
    class Impostor(Last):
        name: ClassVar[str] = "vote"

    with pytest.raises(FileError, match=r"strategies.0: 'vote' is the name of moot.strategies.vote:Vote already"):
        moot.Experiment(**keys(strategies=[Impostor()]))


def test_an_option_that_cannot_be_written_down_is_refused() -> None:
    @dataclass(frozen=True)
    class Tuned(Last):
        tune: Any = print
        name: ClassVar[str] = "tuned"

    with pytest.raises(FileError, match=r"strategies.0.tuned.tune: expected a plain value"):
        moot.Experiment(**keys(strategies=[Tuned()]))


def test_paths_are_relative_to_the_file_and_in_code_to_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = builtin("facts-en").read_text()
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "cup.jsonl").write_text(content)
    (tmp_path / "there" / "cup.yaml").write_text(yaml.safe_dump(keys(questions={"file": "cup.jsonl"})))
    monkeypatch.chdir(tmp_path)
    from_file = moot.Experiment.from_file("there/cup.yaml")
    assert len(build(from_file.as_file).dataset or ()) > 0
    in_code = moot.Experiment(**keys(questions={"file": Path("cup.jsonl")}))
    assert in_code == from_file
    with pytest.raises(FileError, match=r"^questions.file: no such file: cup.jsonl"):
        build(in_code.as_file)
    monkeypatch.chdir(tmp_path / "there")
    assert len(build(in_code.as_file).dataset or ()) > 0


def test_players_are_made_out_again_when_models_join() -> None:
    experiment = moot.Experiment(**keys(judge={"models": ["bob"]}))
    assert list(experiment.players) == ["ann"]
    more = experiment.extended(models={"cat": ScriptedModel("cat", [])}, strategies=[Last()])
    assert list(more.players) == ["ann", "cat"]
    assert more.strategies == ["solo", "last"]
    named = moot.Experiment(**keys(players={"tom": {"model": "ann"}}))
    assert list(named.extended(models={"cat": ScriptedModel("cat", [])}).players) == ["tom"]


ROWS = [{"text": "Who?", "answer": "Ann"}, {"text": "Which?", "answer": "x", "comment": "why"}]


@pytest.mark.parametrize("library", ["none", "pandas", "polars"])
def test_questions_without_ids_are_numbered_also_in_a_frame(library: str) -> None:
    given: Any = ROWS
    if library != "none":
        given = pytest.importorskip(library).DataFrame([{"comment": None, **row} for row in ROWS])
    cases = moot.Experiment(**keys(questions=given)).objects.cases
    assert [(case.question.id, case.question.text, case.answer, case.comment) for case in cases] == [
        ("1", "Who?", "Ann", None),
        ("2", "Which?", "x", "why"),
    ]


def test_a_frame_with_names_of_its_own_is_told_which_are_known() -> None:
    frame = pytest.importorskip("pandas").DataFrame({"Customer message": ["Who?"], "Gold label": ["Ann"]})
    with pytest.raises(FileError, match=r"questions\.0\.Customer message: unknown key; expected one of id, text, "):
        moot.Experiment(**keys(questions=frame))
    frame = pytest.importorskip("pandas").DataFrame({"text": ["Who?", "Which?"], "answer": ["Ann", None]})
    with pytest.raises(FileError, match=r"questions\.1\.answer: the reference is missing"):
        moot.Experiment(**keys(questions=frame))


def test_references_of_objects_and_frames_are_read_as_those_of_a_file() -> None:
    import polars

    solutions = [{"text": f"What is {n}?", "answer": f"It is {n}.\n#### {n}"} for n in range(2)]
    for rows in (solutions, polars.DataFrame(solutions)):
        cases = moot.Experiment(**keys(questions=rows)).objects.cases
        assert [(case.answer, case.comment) for case in cases] == [("0", "It is 0.\n#### 0"), ("1", "It is 1.\n#### 1")]
    several = [{"text": "Who?", "answer": ["Ann", "A. Reed"]}, {"text": "Is it?", "answer": True}]
    one, other = moot.Experiment(**keys(questions=several)).objects.cases
    assert (one.answer, one.accepted, other.question.kind, other.answer) == ("Ann", ("A. Reed",), "yes-no", "yes")
    printed = [{"text": "Who?", "answer": "['Ann']"}, {"text": "What?", "answer": "a bridge"}]
    with pytest.raises(
        FileError, match=r'questions.0.answer: 1 of the 2 answers are lists .*"reference": "as-written"'
    ):
        moot.Experiment(**keys(questions=printed))
