"""A run in which nobody was right even once: its ending doubts the references first, and claims no accuracy above that."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from moot.cli.app import app
from moot.cli.exit import run_app

Captured = pytest.CaptureFixture[str]
FIRST = "Nobody was right on any of the"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def open_questions(
    many: int, name: str = "q", reference: str = "So it is blue, as colour {} is."
) -> list[dict[str, Any]]:
    return [{"id": f"{name}{n}", "text": f"What is {name}{n}?", "answer": reference.format(n)} for n in range(many)]


def ran(
    sets: Mapping[str, Sequence[dict[str, Any]]],
    said: dict[str, str],
    capsys: Captured,
    cat: dict[str, str] | None = None,
    **more: Any,
) -> str:
    """The ending of a run in which this was answered, each under the id of its question; by `cat` something else."""
    for name, rows in sets.items():
        Path(f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    files: Any = [{"file": f"{name}.jsonl"} for name in sets]
    by_name = {"ann": said, "bob": said, **({"cat": cat} if cat else {})}
    models = {name: {"provider": "recorded", "file": "said.jsonl", "model": name} for name in by_name}
    replies = [
        {"model": name, "question_id": ident, "answer": answer}
        for name, own in by_name.items()
        for ident, answer in own.items()
    ]
    Path("said.jsonl").write_text("".join(json.dumps(reply) + "\n" for reply in replies))
    spec = {"name": "cup", "models": models, "strategies": ["solo", "vote"], **more}
    Path("cup.yaml").write_text(yaml.safe_dump({**spec, "questions": files[0] if len(files) == 1 else files}))
    assert run_app(app, ["run", "cup.yaml"]) == 0, capsys.readouterr().err
    return capsys.readouterr().out


def headline(capsys: Captured) -> dict[str, Any]:
    assert run_app(app, ["report", "cup.yaml", "--json"]) == 0
    told: dict[str, Any] = json.loads(capsys.readouterr().out)["headline"]
    return told


def test_it_stands_first_wherever_the_run_is_told(capsys: Captured) -> None:
    rows = open_questions(12)
    ending = " ".join(ran({"cup": rows}, {row["id"]: "Blue" for row in rows}, capsys).split())
    assert ending.startswith(
        f"{FIRST} 12 questions. Either all answers are wrong, or the references are written in a form nobody answers in."
    )
    assert (
        "For example, the reference of question 'q0' is 'So it is blue, as colour 0 is.', and one answer was 'Blue'."
        in ending
    )
    assert "under `accepted`, or let a judge grade (judge: {models: [NAME]})" in ending
    assert "%" not in ending.partition("cup: 12 questions")[0]
    told = headline(capsys)
    assert told["words"][0].startswith(FIRST)
    assert told["nobody_right"] == {
        "set": None,
        "choices": False,
        "both": False,
        "questions": 12,
        "whole": True,
        "id": "q0",
        "reference": "So it is blue, as colour 0 is.",
        "answer": "Blue",
    }
    assert run_app(app, ["report", "cup.yaml", "-o", "cup.html"]) == 0
    page = Path("cup.html").read_text()
    assert FIRST in page
    assert " got 0.0 %" not in page
    capsys.readouterr()
    assert run_app(app, ["report", "cup.yaml", "--section", "accuracy"]) == 0
    assert capsys.readouterr().out.startswith(FIRST)
    assert run_app(app, ["runs"]) == 0
    assert "nobody was right on any of 12 questions" in " ".join(capsys.readouterr().out.split())


def test_another_run_with_nothing_to_do_says_it_too(capsys: Captured) -> None:
    rows = open_questions(12)
    ran({"cup": rows}, {row["id"]: "Blue" for row in rows}, capsys)
    assert run_app(app, ["run", "cup.yaml"]) == 0
    assert "nobody was right on any of 12 questions" in " ".join(capsys.readouterr().out.split())


def test_one_set_of_several_comes_before_what_the_run_claims(capsys: Captured) -> None:
    sets = {"solutions": open_questions(10, "s"), "plain": open_questions(4, "p", "blue")}
    said = {row["id"]: "blue" for rows in sets.values() for row in rows}
    ending = " ".join(ran(sets, said, capsys).split())
    assert ending.startswith(f"{FIRST} 10 questions of 'solutions'. Either")
    assert ending.index("one answer was 'blue'") < ending.index("got 28.6 %")


def test_choices_whose_right_one_is_counted_otherwise(capsys: Captured) -> None:
    rows: list[dict[str, Any]] = [
        {"id": f"c{n}", "text": f"Which, {n}?", "choices": ["red", "blue", "green", "grey"], "answer": "A"}
        for n in range(20)
    ]
    ending = " ".join(ran({"cup": rows}, {row["id"]: "B" for row in rows}, capsys).split())
    assert ending.startswith(f"{FIRST} 20 questions with choices. Either all answers are wrong, or the right choices")
    assert "answers: letters, from-0, from-1 or texts" in ending


def test_a_part_of_a_file_is_called_by_what_it_is(capsys: Captured) -> None:
    closed = [
        {"id": f"c{n}", "text": f"Which, {n}?", "choices": ["red", "blue", "green", "grey"], "answer": "A"}
        for n in range(20)
    ]
    said = {**dict.fromkeys((f"q{n}" for n in range(12)), "Blue"), **{row["id"]: "A" for row in closed}}
    ending = " ".join(ran({"cup": [*open_questions(12), *closed]}, said, capsys, strategies=["solo"]).split())
    assert ending.startswith(f"{FIRST} 12 questions without choices. Either all answers are wrong")
    assert headline(capsys)["nobody_right"]["whole"] is False


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (open_questions(9), {}),
        (open_questions(12), {"q7": "So it is blue, as colour 7 is."}),
        (open_questions(12, "q", "{}"), dict.fromkeys((f"q{n}" for n in range(12)), "99")),
        ([{**row, "choices": ["x", "y", "z", "v"], "answer": "A"} for row in open_questions(12)], {}),
        ([{**row, "kind": "text"} for row in open_questions(12)], {}),
    ],
    ids=["few", "one was right", "numbers for numbers", "by chance", "long answers"],
)  # fmt: skip
def test_nothing_is_said_where_it_may_well_be_so(
    rows: list[dict[str, Any]], said: dict[str, str], capsys: Captured
) -> None:
    other = "B" if "choices" in rows[0] else "Blue"
    answers = {row["id"]: said.get(row["id"], other) for row in rows}
    ending = ran({"cup": rows}, answers, capsys, strategies=["solo"])
    assert FIRST not in ending
    assert "nobody_right" not in (headline(capsys) or {})


@pytest.mark.parametrize("third", ["blue", "grey"])
def test_who_was_right_in_a_draft_was_right(third: str, capsys: Captured) -> None:
    """Of a team that is asked for its majority alone no draft has a grade of its own."""
    rows = open_questions(10, reference="blue")
    said = {row["id"]: "green" for row in rows}
    ending = ran({"cup": rows}, said, capsys, strategies=["vote"], cat={**said, "q3": third})
    assert (FIRST in ending) == (third == "grey")
