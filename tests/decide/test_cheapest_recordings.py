"""`order: cheapest` over recordings goes by the replies that are played back, and by nothing else that a file holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from beside import rows
from cup_commands import command

from moot.decide.rule_file import rule_of
from moot.experiment.fitted import read_rule

NAMES = ("ann", "bob", "cat")
CHEAP = {"ann": 0.3, "bob": 0.2, "cat": 0.1}
"""Of the questions that are asked: cat, bob, ann. In the file as a whole cat is the dearest."""


@pytest.fixture
def cup(tmp_path: Path) -> Path:
    def line(name: str, number: int, usd: float, sample: int = 0) -> str:
        row = {"model": name, "question_id": f"q{number}", "answer": "yes", "cost_usd": usd, "sample": sample}
        return json.dumps(row)

    lines = [line(name, number, usd) for name, usd in CHEAP.items() for number in range(6)]
    lines += [line("cat", 99, 50.0), line("cat", 0, 40.0, sample=1)]  # not asked; another repeat
    (tmp_path / "replies.jsonl").write_text("\n".join(lines))
    return written(tmp_path)


def written(folder: Path, count: int = 6, strategies: Any = ({"cascade": {"order": "cheapest"}},), **keys: Any) -> Path:
    questions = [{"id": f"q{n}", "text": f"Which, {n}?", "answer": "yes"} for n in range(count)]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, questions)))
    models = {name: {"provider": "recorded", "file": "replies.jsonl", "model": name} for name in NAMES}
    spec = {"name": "cup", "questions": {"file": "questions.jsonl"}, "models": models, "strategies": list(strategies)}
    (folder / "cup.yaml").write_text(json.dumps({**spec, **keys}))
    return folder / "cup.yaml"


def asked(path: Path) -> set[tuple[str, ...]]:
    """Who was asked, one after another, in all that a report goes by."""
    cells = "SELECT cell FROM experiment_cells WHERE experiment = (SELECT id FROM experiments ORDER BY created_at DESC)"
    ways = set()
    for (verdict,) in rows(path.with_suffix(".db"), f"SELECT verdict FROM episodes WHERE cell IN ({cells})"):
        (record,) = (each for each in json.loads(verdict)["traces"] if each["kind"] == "cascaded")
        ways.add(tuple(name for wave in record["asked"] for name in wave))
    return ways


def test_not_by_those_that_nobody_asks_for(cup: Path) -> None:
    command("run", cup, "--quiet")
    assert asked(cup) == {("cat", "bob")}


def test_by_those_of_each_repeat_that_is_played(cup: Path) -> None:
    command("run", written(cup.parent, repeats=2), "--quiet")
    assert {first for first, *_ in asked(cup)} == {"bob"}, "cat's second reply was dear"


def test_a_part_of_the_questions_is_asked_in_the_order_of_all(cup: Path) -> None:
    """So that a trial of some and the run that goes on from it are one."""
    command("run", cup, "--quiet", "--limit", "2")
    command("run", cup, "--quiet")
    assert asked(cup) == {("cat", "bob")}


def test_with_other_questions_the_order_may_be_another_and_no_two_are_mixed(cup: Path) -> None:
    """What was played in another order is no part of it, and is played anew from what is stored."""
    command("run", cup, "--quiet")
    path = written(cup.parent)
    more = [{"id": f"q{n}", "text": f"Which, {n}?", "answer": "yes"} for n in (*range(6), 99)]
    (cup.parent / "questions.jsonl").write_text("\n".join(map(json.dumps, more)))
    command("run", path, "--quiet")
    assert asked(path) == {("bob", "ann"), ("bob", "ann", "cat")}, "to the last question cat alone replied"


def test_a_transcript_tells_who_was_asked_after_whom(cup: Path) -> None:
    command("run", cup, "--quiet")
    shown = command("show", cup, "q1", "--strategy", "cascade")
    assert shown.index("cat · draft") < shown.index("bob · draft")
    calls = json.loads(command("show", cup, "q1", "--strategy", "cascade", "--json"))[0]["calls"]
    assert [call["player"] for call in calls] == ["cat", "bob"]


def test_a_rule_is_fitted_for_the_order_in_which_a_run_asks(cup: Path) -> None:
    """Of whom nothing was learnt in that order it could not tell how sure they are."""
    replies, questions = cup.parent / "replies.jsonl", cup.parent / "questions.jsonl"
    numbers = range(60)
    right = {"ann": 9, "bob": 7, "cat": 6}
    lines = [
        {"model": name, "question_id": f"q{n}", "answer": "yes" if (n * 7 + ord(name[0])) % 10 < right[name] else "no"}
        for name in NAMES
        for n in numbers
    ]
    dear = {"model": "cat", "question_id": "not-asked", "answer": "yes", "cost_usd": 500}
    rows_of = [*({**line, "cost_usd": CHEAP[line["model"]]} for line in lines), dear]
    replies.write_text("\n".join(map(json.dumps, rows_of)))
    path = written(cup.parent, strategies=["solo"])
    questions.write_text(
        "\n".join(json.dumps({"id": f"q{n}", "text": f"Is {n} so?", "answer": "yes"}) for n in numbers)
    )
    command("run", path, "--quiet")
    command("fit", path, "-o", cup.parent / "rule.json")
    content, _ = read_rule(cup.parent / "rule.json")
    assert frozenset(("bob", "cat")) in rule_of(content).stages
