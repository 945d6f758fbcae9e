"""`moot grade` as a user types it, with players and judges from recordings."""

from __future__ import annotations

import asyncio
import io
import json
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.experiment.spec import read_experiment
from moot.live.team import LiveTeam
from moot.types import Case, Score, Verdict

Captured = pytest.CaptureFixture[str]
SAID = {"ann": ["Person 0", "the [bold]zero[/]", "nothing"], "bob": ["Zero", "Person 1", "nobody"]}
"""Answers to three questions whose references are Person 0, 1 and 2; two answers a question need a judge, or one."""
TOM = [[True], [False], [False]]
KIM = [[True], [True], [False]]


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "250")
    monkeypatch.delenv("MOOT_DEBUG", raising=False)


def moot(*arguments: object) -> int:
    return run_app(app, [str(each) for each in arguments])


def write(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")


def judge_rows(name: str, words: Sequence[Sequence[bool]], sample: int = 0) -> list[dict[str, Any]]:
    return [
        {"model": name, "question_id": f"q{n}", "sample": sample, "text": json.dumps({"grades": _grades(each)})}
        for n, each in enumerate(words)
    ]


def _grades(words: Sequence[bool]) -> list[dict[str, Any]]:
    return [{"id": n, "is_correct": word} for n, word in enumerate(words, start=1)]


def experiment(folder: Path, **more: Any) -> Path:
    questions = [{"id": f"q{n}", "text": f"Who is number {n}?", "answer": f"Person {n}"} for n in range(3)]
    write(folder / "questions.jsonl", questions)
    drafts = [
        {"model": name, "question_id": f"q{n}", "answer": answer}
        for name, answers in SAID.items()
        for n, answer in enumerate(answers)
    ]
    write(folder / "players.jsonl", drafts)
    write(folder / "judges.jsonl", [*judge_rows("tom", TOM), *judge_rows("kim", KIM)])
    files = {"ann": "players", "bob": "players", "tom": "judges", "kim": "judges"}
    models = {name: {"provider": "recorded", "file": f"{file}.jsonl", "model": name} for name, file in files.items()}
    spec = {"name": "cup", "questions": {"file": "questions.jsonl"}, "models": models, "strategies": ["solo"]}
    players = {"players": {"ann": {"model": "ann"}, "bob": {"model": "bob"}}}
    path = folder / "cup.yaml"
    path.write_text(json.dumps({**spec, **players, **more}), encoding="utf-8")
    return path


def played(folder: Path, capfd: Captured, **more: Any) -> Path:
    path = experiment(folder, **more)
    assert moot("run", path, "--quiet") == 0
    (folder / "players.jsonl").unlink()  # whoever called a player now would fail
    capfd.readouterr()
    return path


def accuracy(path: Path, capfd: Captured) -> dict[str, float]:
    capfd.readouterr()
    assert moot("report", path, "--json") == 0
    return {row["player"]: row["value"] for row in json.loads(capfd.readouterr().out)["accuracy"]}


def typed(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(text))


def test_without_a_judge_the_match_grades(tmp_path: Path, capfd: Captured) -> None:
    path = played(tmp_path, capfd)
    assert moot("grade", path) == 0
    said = capfd.readouterr().out
    assert "match: 6 answers: 6 by match, 0 by judge, 0 by a person, 0 ungraded, 0 disputed" in said


def test_a_judge_of_the_command_line_prints_its_own_figures(tmp_path: Path, capfd: Captured) -> None:
    path = played(tmp_path, capfd)
    assert moot("grade", path, "--judge", "tom") == 0
    said = capfd.readouterr().out
    assert "match+tom: 6 answers: 2 by match, 4 by judge" in said
    assert "follows the key judge" in said
    assert "66.7" in said, "bob"
    assert accuracy(path, capfd) == {"ann": pytest.approx(1 / 3), "bob": pytest.approx(1 / 3)}


def named(path: Path, **judge: Any) -> None:
    """As if somebody had written other judges into the file."""
    spec = {key: value for key, value in json.loads(path.read_text()).items() if key != "judge"}
    path.write_text(json.dumps({**spec, **({"judge": judge} if judge else {})}))


def test_a_report_follows_the_judges_whom_the_file_names_now(tmp_path: Path, capfd: Captured) -> None:
    """In whichever order, where the store has their scores; else it says whose it shows, and what to type."""
    path = played(tmp_path, capfd, judge={"models": ["tom"]})
    by_tom = accuracy(path, capfd)
    assert moot("grade", path, "--judge", "tom", "--judge", "kim") == 0
    for judges in (["tom", "kim"], ["kim", "tom"]):
        named(path, models=judges)
        capfd.readouterr()
        assert moot("report", path, "--json") == 0
        said = capfd.readouterr()
        figures = json.loads(said.out)
        assert sum(row["disputed"] for row in figures["accuracy"]) == 1
        assert (set(figures["judges"]["judges"]), said.err) == ({"tom", "kim"}, "")
        assert moot("compare", path, "solo@ann", "solo@bob") == 0
        assert "1 answer is not graded" in capfd.readouterr().out
    named(path, models=["kim"])
    assert accuracy(path, capfd) == by_tom
    for command in (["report", path], ["report", path, "--json"], ["compare", path, "solo@ann", "solo@bob"]):
        capfd.readouterr()
        assert moot(*command) == 0
        said = capfd.readouterr().err
        assert f"graded by tom; {path} now names kim: moot grade {path} grades by that, and asks no player" in said
    assert moot("grade", path) == 0
    capfd.readouterr()
    assert accuracy(path, capfd) != by_tom
    named(path)
    assert moot("report", path) == 0
    assert f"graded by kim; {path} now names no judge" in capfd.readouterr().err


def test_a_judge_that_the_file_names_is_what_the_report_shows(tmp_path: Path, capfd: Captured) -> None:
    path = played(tmp_path, capfd)
    spec = json.loads(path.read_text())
    path.write_text(json.dumps({**spec, "judge": {"models": ["tom"]}}))
    assert moot("grade", path, "--judge", "tom") == 0
    assert "shows the figures" in capfd.readouterr().out
    assert accuracy(path, capfd) == {"ann": pytest.approx(1 / 3), "bob": pytest.approx(2 / 3)}


def test_two_judges_agreement_and_disputes(tmp_path: Path, capfd: Captured) -> None:
    path = played(tmp_path, capfd)
    assert moot("grade", path, "--judge", "tom", "--judge", "kim") == 0
    said = capfd.readouterr()
    assert "2 by match, 3 by judge, 0 by a person, 0 ungraded, 1 disputed" in said.out
    # tom: 1 right of 4, kim: 2; by chance (1 × 2 + 3 × 2) / 16 = 0.5; they agree on 3 of 4.
    assert "tom and kim: n = 4, agreement 75.0 %, Cohen's kappa 0.500" in said.out
    assert "--settle" in said.err


def test_a_person_settles_from_a_pipe(tmp_path: Path, capfd: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    path = played(tmp_path, capfd, judge={"models": ["tom", "kim"]})
    assert accuracy(path, capfd)["ann"] is None, (
        "what is disputed is not wrong, and one of three is too many to leave out"
    )
    typed("what?\ny\n", monkeypatch)
    assert moot("grade", path, "--settle") == 0
    said = capfd.readouterr().out
    for part in ("1 left", "Who is number 1?", "Person 1", "the [bold]zero[/]", "tom: wrong", "kim: right"):
        assert part in said
    assert "expected y, n, s or q" in said
    assert "1 settled, 0 left" in said
    assert accuracy(path, capfd)["ann"] == pytest.approx(2 / 3)
    assert moot("grade", path) == 0
    assert "1 by a person, 0 ungraded, 0 disputed" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("text", "last"),
    [("s\n", "0 settled, 1 left (1 skipped)"), ("q\n", "0 settled, 1 left"), ("", "0 settled, 1 left")],
)
def test_skip_quit_and_the_end_of_the_input(
    text: str, last: str, tmp_path: Path, capfd: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = played(tmp_path, capfd, judge={"models": ["tom", "kim"]})
    typed(text, monkeypatch)
    assert moot("grade", path, "--settle") == 0
    assert last in capfd.readouterr().out


def test_without_a_judge_a_person_sees_all_that_does_not_match(
    tmp_path: Path, capfd: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = played(tmp_path, capfd)
    typed("n\ny\nn\nn\n", monkeypatch)
    assert moot("grade", path, "--settle") == 0
    assert "4 settled, 0 left" in capfd.readouterr().out
    assert accuracy(path, capfd)["ann"] == pytest.approx(2 / 3)


def test_who_was_only_served_is_told_where_that_is(tmp_path: Path, capfd: Captured) -> None:
    path = experiment(tmp_path)
    asyncio.run(_asked_once(path))
    assert moot("grade", path) == 2
    said = capfd.readouterr().err
    assert f"no run of 'cup'; run it first: moot run {path}; " in said
    assert f"; what its team was asked when served: moot report {path} --served" in said


async def _asked_once(path: Path) -> None:
    async with LiveTeam(read_experiment(path, with_questions=False)) as team:
        await team.ask("Who is number 0?")


LETTERS = [
    {"id": "tides", "text": "Explain the tides.", "kind": "text", "answer": "The Moon pulls at the sea."},
    {"id": "move", "text": "Write a plan for moving a library.", "kind": "text"},
]
TEXTS = {"ann": ["Twice a day\nthe sea comes.", "First, count."], "bob": ["It is the wind.", "First, count."]}


@pytest.mark.parametrize("judges", [{}, {"judge": {"models": ["tom"]}}], ids=["no judge", "a judge"])
def test_a_person_is_shown_every_long_answer(
    tmp_path: Path, capfd: Captured, monkeypatch: pytest.MonkeyPatch, judges: Any
) -> None:
    """No reference and no judge says anything of them, so a person's word is the only way to a figure."""
    path = experiment(tmp_path, **judges)
    write(tmp_path / "questions.jsonl", LETTERS)
    said = [(who, row["id"], text) for who, texts in TEXTS.items() for row, text in zip(LETTERS, texts, strict=True)]
    write(tmp_path / "players.jsonl", [{"model": who, "question_id": q, "text": text} for who, q, text in said])
    assert moot("run", path, "--quiet") == 0
    capfd.readouterr()
    assert moot("grade", path) == 0, "no judge has failed"
    assert "3 different answers for a person to decide" in capfd.readouterr().err
    typed("n\ny\ny\n", monkeypatch)
    assert moot("grade", path, "--settle") == 0
    shown = [line.strip() for line in capfd.readouterr().out.splitlines()]
    for line in (
        "Twice a day",
        "the sea comes.",
        "It is the wind.",
        "reference  The Moon pulls at the sea.",
        "reference  none",
    ):
        assert line in shown
    assert "answer  (2 times)" in shown, "whoever wrote the same is graded together"
    assert "3 settled, 0 left" in shown
    assert accuracy(path, capfd) == {"ann": 1.0, "bob": 0.5}


def test_a_judge_that_failed_is_said_and_asked_again(tmp_path: Path, capfd: Captured) -> None:
    path = played(tmp_path, capfd)
    write(tmp_path / "judges.jsonl", judge_rows("tom", TOM[:2]))
    assert moot("grade", path, "--judge", "tom") == 1
    said = capfd.readouterr()
    assert "2 ungraded" in said.out
    assert "tom: no word" in said.err
    write(tmp_path / "judges.jsonl", [*judge_rows("tom", TOM), *judge_rows("tom", TOM, sample=1)])
    assert moot("grade", path, "--judge", "tom") == 0


def test_no_player_is_called(tmp_path: Path, capfd: Captured) -> None:
    path = played(tmp_path, capfd)
    assert moot("grade", path, "--judge", "tom") == 0
    connection = sqlite3.connect(path.with_suffix(".db"))
    made = dict(connection.execute("SELECT model, count(*) FROM calls GROUP BY model").fetchall())
    connection.close()
    assert made == {"ann": 3, "bob": 3, "tom": 4}, "tom is shown four answers, each by itself"


@pytest.mark.parametrize(
    ("judges", "words"),
    [(["tim"], "'tim' is no model of"), (["tom", "tom"], "two different"), (["tom", "kim", "ann"], "two different")],
)
def test_mistakes(judges: list[str], words: str, tmp_path: Path, capfd: Captured) -> None:
    path = played(tmp_path, capfd)
    assert moot("grade", path, *(part for name in judges for part in ("--judge", name))) == 2
    assert words in capfd.readouterr().err


def test_nothing_to_grade_yet(tmp_path: Path, capfd: Captured) -> None:
    assert moot("grade", experiment(tmp_path)) == 2
    assert "run the experiment first" in capfd.readouterr().err


def test_batches_are_shown_by_themselves_and_beside_what_the_judge_said_one_by_one(
    tmp_path: Path, capfd: Captured
) -> None:
    path = experiment(tmp_path)
    spec = json.loads(path.read_text())
    spec["models"]["sim"] = {"provider": "simulated", "accuracy": 0.5, "judgement": 0.6}
    path.write_text(json.dumps({**spec, "judge": {"models": ["sim"]}}))
    assert moot("run", path, "--quiet") == 0
    assert moot("grade", path) == 0
    before = accuracy(path, capfd)
    assert moot("grade", path, "--batch", "5") == 0
    said = capfd.readouterr().out
    assert "match+sim@5: 6 answers" in said
    assert "sim, up to 5 together and one by one: n = 4, agreement 100.0 %" in said
    assert "as graded by match+sim@5" in said
    assert accuracy(path, capfd) == before, "the file's own judge is what the report shows"
    path.write_text(json.dumps({**spec, "judge": {"models": ["sim"], "batch": 5}}))
    assert moot("grade", path) == 0
    assert "shows the figures" in capfd.readouterr().out
    assert moot("grade", path, "--batch", "1") == 0
    said = capfd.readouterr().out
    assert "match+sim: 6 answers" in said
    assert "sim, one by one and up to 5 together: n = 4" in said


def test_a_batch_without_a_judge_is_a_mistake(tmp_path: Path, capfd: Captured) -> None:
    path = played(tmp_path, capfd)
    assert moot("grade", path, "--batch", "5") == 2
    assert "--batch: there is no judge" in capfd.readouterr().err


class Lenient:
    """Whatever is said is right."""

    name = "lenient"

    async def grade(self, case: Case, verdict: Verdict) -> Score:
        return Score(1.0, "lenient")


def graded_by(path: Path, name: str | None) -> None:
    """As if somebody had put another grader into the file, or taken it out."""
    spec = {key: value for key, value in json.loads(path.read_text()).items() if key != "grader"}
    path.write_text(json.dumps({**spec, **({"grader": name} if name else {})}))


def test_a_report_follows_the_grader_whom_the_file_names_now(
    tmp_path: Path, capfd: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the store has its grades; else it says whose it shows, and what to type."""
    monkeypatch.setattr("moot.grade.graders._GIVEN", {"lenient": Lenient()})
    path = played(tmp_path, capfd)
    by_match = accuracy(path, capfd)
    graded_by(path, "lenient")
    assert accuracy(path, capfd) == by_match
    for command in (["report", path], ["report", path, "--json"], ["compare", path, "solo@ann", "solo@bob"]):
        capfd.readouterr()
        assert moot(*command) == 0
        told = f"graded by match; {path} now names lenient: moot grade {path} grades by that, and asks no player"
        assert told in capfd.readouterr().err
    assert moot("grade", path) == 0
    assert accuracy(path, capfd) == {"ann": 1.0, "bob": 1.0}
    graded_by(path, None)
    assert moot("report", path, "--json") == 0
    said = capfd.readouterr()
    figures = json.loads(said.out)
    assert {row["player"]: row["value"] for row in figures["accuracy"]} == by_match
    assert ("grader" in figures, said.err) == (False, "")
    graded_by(path, "lenient")
    assert accuracy(path, capfd) == {"ann": 1.0, "bob": 1.0}
    graded_by(path, "lenient2")
    assert moot("report", path) == 0
    said = capfd.readouterr()
    assert "grader 'lenient2' is unknown; expected one of lenient, match" in said.err
    assert "graded by lenient;" in said.err
