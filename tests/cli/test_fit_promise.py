"""`moot fit --promise`: a threshold of a rule file, on questions that taught nothing; what it holds, and what is refused."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from fit_commands import FitFolder

PLAYERS = ("ann", "bob", "cat")
COUNT = 150


class Quiz(FitFolder):
    """Recorded players, of whose answers those are right that they agree on."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        super().__init__(folder, capsys, "quiz.yaml")
        draw, replies = random.Random(3), []
        for number in range(2 * COUNT):
            chance = 0.98 if draw.random() < 0.6 else 0.3
            for name in PLAYERS:
                word = "A" if draw.random() < chance else draw.choice("BCD")
                replies.append({"model": name, "question_id": f"q{number}", "answer": word})
        (folder / "replies.jsonl").write_text("\n".join(map(json.dumps, replies)))

    def write(self, strategies: list[Any], *, first: int = 0, count: int = COUNT, **keys: Any) -> None:
        lines = [
            {"id": f"q{n}", "text": f"Question {n}?", "choices": ["r", "x", "y", "z"], "answer": "A"}
            for n in range(first, first + count)
        ]
        (self.folder / "questions.jsonl").write_text("\n".join(map(json.dumps, lines)))
        models = {name: {"provider": "recorded", "file": "replies.jsonl", "model": name} for name in PLAYERS}
        whole = {"name": "quiz", "questions": {"file": "questions.jsonl"}, "models": models, "strategies": strategies}
        self.file.write_text(yaml.safe_dump({**whole, **keys}))


@pytest.fixture
def quiz(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Quiz:
    return Quiz(tmp_path, capsys)


def test_a_promise_is_made_on_questions_that_taught_nothing_and_kept_by_whoever_uses_it(quiz: Quiz) -> None:
    quiz.write(["solo"])
    quiz.moot("run", quiz.file, "--quiet")
    said = quiz.fit("--promise", 0.9, "--promise", 0.8)
    rule = quiz.rule
    assert rule["learnt_from"]["questions"] == COUNT * 2 // 5
    assert len(rule["chosen_on"]) == COUNT
    assert set(rule["promises"]) == {"plurality", rule["kept"]}
    for several in rule["promises"].values():
        assert [each["target"] for each in several] == [0.8, 0.9]
        assert all(each["questions"] == COUNT * 3 // 5 for each in several)
        assert all(each["right"] >= each["target"] * each["answered"] > 0 for each in several)
    assert "at least 90 % of the answers given are right, promised at 95 % from" in said
    assert "strategies: [{learnt: {from: rule.json, abstain: {target: 0.9}}}]" in said

    teams = {"three": {"players": list(PLAYERS), "rule": "rule.json"}}
    strategies = [{"learnt": {"from": "rule.json", "abstain": {"target": 0.9}}}, {"vote": {"abstain": {"target": 0.9}}}]
    quiz.write(strategies, first=COUNT, teams=teams)
    quiz.moot("run", quiz.file, "--quiet")
    rows = json.loads(quiz.moot("report", quiz.file, "--json"))["accuracy"]
    assert [row["strategy"] for row in rows] == ["learnt", "vote"]
    for row in rows:
        assert row["n"] == COUNT
        assert row["coverage"]["value"] > 0.3
        assert row["answered"]["value"] > 0.88
    assert "(abstained)" in quiz.moot("show", quiz.file, _abstained(quiz), "--strategy", "vote")


def _abstained(quiz: Quiz) -> str:
    (quiz.folder / "tables").mkdir()
    quiz.moot("report", quiz.file, "--format", "csv", "-o", quiz.folder / "tables")
    lines = [line for file in quiz.folder.glob("tables/*.csv") for line in file.read_text().splitlines()]
    return next(found[0] for line in lines if ",abstained," in line and (found := re.findall(r"\bq\d+\b", line)))


def test_a_rule_that_does_not_hold_the_target_is_refused_with_the_next_command(quiz: Quiz) -> None:
    quiz.write(["solo"], count=60)
    quiz.moot("run", quiz.file, "--quiet")
    quiz.fit()
    asks = [{"learnt": {"from": "rule.json", "abstain": {"target": 0.9}}}]
    quiz.write(asks, count=60)
    said = quiz.moot("run", quiz.file, "--quiet", ends=2)
    assert "strategies.0.learnt.abstain: target: the rule does not hold 0.9 of learnt (it promises nothing)" in said
    assert f"moot fit {quiz.file} --promise 0.9 -o rule.json" in said

    quiz.write(["solo"], count=60)
    said = quiz.fit("--promise", 0.5, "--promise", 0.95)
    assert "cannot be promised from 36 questions, so all are abstained from (coverage 0)" in said
    assert "strategies: [{learnt: {from: rule.json, abstain: {target: 0.5}}}]" in said, "the strictest that can be"
    said = quiz.fit("--promise", 0.95)
    assert "strategies: [{learnt: {from: rule.json}}]" in said
    assert "It never abstains: no such promise can be made" in said
    quiz.write(asks, count=60)
    assert "it promises 0.95" in quiz.moot("run", quiz.file, "--quiet", ends=2)
    quiz.write([{"learnt": {"from": "rule.json", "abstain": {"target": 0.95}}}], first=60, count=20)
    assert "all are abstained from (coverage 0)" in quiz.moot("run", quiz.file, "--quiet")
    (row,) = json.loads(quiz.moot("report", quiz.file, "--json"))["accuracy"]
    assert (row["coverage"]["value"], row["outcomes"]) == (0.0, {"abstained": 20})


def test_bad_input(quiz: Quiz) -> None:
    quiz.write(["solo"], count=40)
    quiz.moot("run", quiz.file, "--quiet")
    assert "--promise: expected a share between 0 and 1, such as 0.95, found 95" in quiz.fit("--promise", 95, ends=2)
    said = quiz.fit("--promise", 0.9, ends=2)
    assert "nothing is learnt: 16 graded questions; expected 20 or more to learn from (of 40: for a promise" in said
    quiz.fit()
    teams = {"two": {"players": ["ann", "bob"], "rule": "rule.json"}}
    quiz.write([{"vote": {"abstain": {"below": 0.9}}}], teams=teams)
    said = quiz.moot("run", quiz.file, "--quiet", ends=2)
    assert "teams.two.rule: the rule was learnt of ann, bob, cat, and here sit ann, bob" in said
    rule = quiz.rule
    (quiz.folder / "rule.json").write_text(json.dumps({**rule, "promises": {"learnt": [{"target": "high"}]}}))
    quiz.write([{"learnt": {"from": "rule.json"}}])
    assert "promises: target: expected a number, found 'high'" in quiz.moot("run", quiz.file, "--quiet", ends=2)


def test_a_file_that_needs_what_a_rule_promises_does_not_lose_it(quiz: Quiz) -> None:
    """Learnt anew without a promise it would be refused by the next moot serve, which the command tells to type."""
    quiz.write(["solo"], count=50)
    quiz.moot("run", quiz.file, "--quiet")
    target = {"abstain": {"target": 0.8}}
    quiz.write([{"learnt": {"from": "rule.json", **target}}], count=50)
    quiz.fit("--promise", 0.8)
    kept = quiz.rule
    teams = {"all": {"players": list(PLAYERS), "rule": "rule.json"}}
    for _ in range(2):
        said = quiz.fit(ends=2)
        assert "rule.json is not written: quiz.yaml could be used no longer: " in said
        assert f"moot fit {quiz.file} --promise 0.8 -o rule.json makes one that does" in said
        assert quiz.rule == kept
        assert not (quiz.folder / "rule.json.before").exists()
        quiz.write([{"vote": target}], teams=teams, count=50)
    quiz.write([{"vote": {"abstain": {"below": 0.8}}}], teams=teams, count=50)
    assert "rule.json, which quiz.yaml already uses" in quiz.fit(), "as the rule of its team"
