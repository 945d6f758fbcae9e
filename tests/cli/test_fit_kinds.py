"""Questions of several kinds: how sure an answer is, is learnt, written, promised and used for each of them by itself."""

from __future__ import annotations

import asyncio
import json
import random
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml
from cup_commands import command, ended

from moot.experiment.spec import read_experiment
from moot.live.team import LiveTeam

PLAYERS = ("ann", "bob", "cat")
COUNTS = {"choice": 200, "open": 120, "yes-no": 12}
RIGHT = {"choice": 0.95, "open": 0.4, "yes-no": 0.7}
"""So often each player is right, by kind; of what is open the wrong ones often agree."""
Row = dict[str, Any]


def question(kind: str, number: int) -> Row:
    row: Row = {"id": f"{kind}-{number}", "text": f"What is {kind} {number}?", "kind": kind}
    if kind == "choice":
        return {**row, "choices": ["r", "x", "y"], "answer": "A"}
    return {**row, "answer": "yes" if kind == "yes-no" else "gold"}


def answer(kind: str, draw: random.Random) -> str:
    right, wrong = {"choice": ("A", "B"), "open": ("gold", "lead"), "yes-no": ("yes", "no")}[kind]
    return right if draw.random() < RIGHT[kind] else wrong


@pytest.fixture
def quiz(tmp_path: Path) -> Path:
    draw = random.Random(3)
    replies = [
        {"model": name, "question_id": f"{kind}-{number}", "answer": answer(kind, draw)}
        for kind, count in COUNTS.items()
        for number in range(count)
        for name in PLAYERS
    ]
    (tmp_path / "replies.jsonl").write_text("\n".join(map(json.dumps, replies)))
    return written(tmp_path, ["solo"], tuple(COUNTS))


def written(folder: Path, strategies: list[Any], kinds: tuple[str, ...], **keys: Any) -> Path:
    rows = [question(kind, number) for kind in kinds for number in range(COUNTS[kind])]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)))
    models = {name: {"provider": "recorded", "file": "replies.jsonl", "model": name} for name in PLAYERS}
    spec = {"name": "quiz", "questions": {"file": "questions.jsonl"}, "models": models, "strategies": strategies}
    path = folder / "quiz.yaml"
    path.write_text(yaml.safe_dump({**spec, **keys}))
    return path


def fitted(quiz: Path, *words: object) -> tuple[Row, str]:
    command("run", quiz, "--quiet")
    said = command("fit", quiz, "-o", quiz.parent / "rule.json", *words)
    return json.loads((quiz.parent / "rule.json").read_text()), said


def used(folder: Path, rule: Row, strategies: list[Any]) -> tuple[dict[str, list[Row]], str]:
    """By kind of question what was told of each answer, where the rule is this; and what the run said."""
    (folder / "rule.json").write_text(json.dumps(rule))
    path = written(folder, strategies, tuple(COUNTS), name="use", store="sqlite:///use.db")
    (folder / "use.db").unlink(missing_ok=True)
    status, said = ended("run", path, "--quiet")
    assert status == 0, said
    with closing(sqlite3.connect(folder / "use.db")) as store:
        rows = store.execute(
            "SELECT content, verdict FROM episodes JOIN experiment_questions AS q ON q.question = episodes.question"
            ' JOIN cases ON cases.id = q."case"'
        ).fetchall()
    told: dict[str, list[Row]] = {}
    for case, verdict in rows:
        verdict = json.loads(verdict)
        (record,) = (trace for trace in verdict["traces"] if trace["kind"] == "told-probability")
        kind = json.loads(case)["question"].get("kind", "open")
        told.setdefault(kind, []).append({**record, "outcome": verdict["outcome"]})
    return told, said


BY_RULE = {"learnt": {"from": "rule.json"}}
SURE = {"learnt": {"from": "rule.json", "abstain": {"below": 0.6}}}


def mean(rows: list[Row]) -> float:
    return sum(row["probability"] for row in rows) / len(rows)


def test_each_kind_has_its_own_and_too_few_of_one_have_none(quiz: Path) -> None:
    rule, said = fitted(quiz)
    assert (rule["form"], rule["kinds"], sorted(rule["by_kind"])) == (
        2,
        ["choice", "open", "yes-no"],
        ["choice", "open"],
    )
    assert {kind: part["learnt_from"]["questions"] for kind, part in rule["by_kind"].items()} == {
        "choice": 200,
        "open": 120,
    }
    assert "12 questions of kind yes-no: with fewer than 20 the rule tells no probability there" in said
    told, said = used(quiz.parent, rule, [BY_RULE])
    assert mean(told["choice"]) == pytest.approx(0.98, abs=0.03)
    assert mean(told["open"]) == pytest.approx(0.4, abs=0.12), "not the mean of both"
    for row in told["yes-no"]:
        assert row.get("probability") is None
        assert row["why"].startswith("learnt from questions of kind choice and open, and this one is of kind yes-no: ")
    assert "12 questions here are of another kind, and for these no probability is told" in said


def test_whoever_answers_from_a_probability_on_gives_none_of_a_kind_that_is_not_known(quiz: Path) -> None:
    rule, _ = fitted(quiz)
    told, said = used(quiz.parent, rule, [SURE])
    assert {row["outcome"] for row in told["yes-no"]} == {"abstained"}
    assert {row["outcome"] for row in told["choice"]} >= {"answered"}
    assert "for these no answer is given" in said


def test_a_promise_is_of_one_kind(quiz: Path) -> None:
    """Together they would hold it: of the open ones nothing like it is true."""
    rule, said = fitted(quiz, "--promise", "0.8")
    assert "promises" not in rule
    promised = {
        kind: {each["threshold"] for several in part["promises"].values() for each in several}
        for kind, part in rule["by_kind"].items()
    }
    assert promised["open"] == {None}
    assert None not in promised["choice"]
    assert "choice: " in said
    assert "open: " in said
    held = {"learnt": {"from": "rule.json", "abstain": {"target": 0.8}}}
    told, said = used(quiz.parent, rule, [held])
    assert {row["outcome"] for row in (*told["open"], *told["yes-no"])} == {"abstained"}
    assert {row["outcome"] for row in told["choice"]} >= {"answered"}
    assert "questions of kind open: " in said


def test_a_rule_of_an_older_moot_that_took_several_kinds_for_one_tells_of_none(quiz: Path) -> None:
    rule, _ = fitted(quiz)
    older = {key: value for key, value in rule.items() if key != "by_kind"} | {"form": 1}
    told, said = used(quiz.parent, older, [SURE])
    for rows in told.values():
        assert {row["outcome"] for row in rows} == {"abstained"}
        assert all("as if they were one" in row["why"] for row in rows)
    assert "as if they were one, by an older moot: no answer is given" in said
    assert "moot fit FILE -o rule.json learns them apart" in said


def test_it_is_said_by_whoever_asks_before_the_first_call(quiz: Path) -> None:
    rule, _ = fitted(quiz)
    older = {key: value for key, value in rule.items() if key != "by_kind"} | {"form": 1}
    (quiz.parent / "rule.json").write_text(json.dumps(older))
    path = written(quiz.parent, [{"cascade": {"until": 0.8, "from": "rule.json"}}], tuple(COUNTS), name="asked")
    _, said = ended("ask", "What is choice 3?", "--team", path)
    words = "learnt from questions of kind choice and open and yes-no as if they were one, by an older moot: everybody is asked"
    assert words in said
    served: list[str] = []

    async def opened() -> None:
        async with LiveTeam(read_experiment(path, with_questions=False), serving=True, warn=served.append):
            pass

    asyncio.run(opened())
    assert [words in line for line in served] == [True]


def test_a_rule_that_does_not_say_what_taught_it_is_used_with_a_word(quiz: Path) -> None:
    rule, _ = fitted(quiz)
    oldest = {key: value for key, value in rule.items() if key not in ("by_kind", "kinds")} | {"form": 1}
    told, said = used(quiz.parent, oldest, [BY_RULE])
    words = "learnt(from=[0-9a-f]+): its rule does not say from questions of which kinds it was learnt, as an older moot wrote it"
    assert re.search(f"{re.escape('moot: ')}{words.replace('(', '[(]').replace(')', '[)]')}", said), said
    assert all(row["probability"] for rows in told.values() for row in rows), "which nobody can say to be another's"


def test_a_report_tells_each_kind_by_itself_and_which_it_leaves_out(quiz: Path) -> None:
    path = written(quiz.parent, ["vote"], tuple(COUNTS))
    command("run", path, "--quiet")
    (row,) = json.loads(command("report", path, "--json"))["probability"]
    assert row["n"] == COUNTS["choice"] + COUNTS["open"]
    assert [(each["kind"], each["n"]) for each in row["untold"]] == [("yes-no", 12)]
    assert row["ece"] < 0.06, "one for both kinds would say far too much of what is open"
    assert "12 answers to questions of kind yes-no are left out" in command("report", path, "--section", "trust")
