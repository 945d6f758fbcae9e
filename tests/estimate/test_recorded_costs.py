"""What recordings are said to cost before a run is what its report says of them, and what is to be paid now stands beside it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from cup_commands import command


@pytest.mark.parametrize(
    ("bob", "cell", "total"),
    [
        ((0.2, 0.2), "$1.20", "In total $1.80, with what recorded replies cost when they were made."),
        ((0.2, None), "unknown", "In total cost unknown: not every recorded reply of bob says what it cost"),
        ((None, None), "unknown", "In total cost unknown: not every recorded reply of bob says what it cost"),
        ((0.0, 0.0), "$0", "In total $0.60, with what recorded replies cost when they were made."),
    ],
    ids=["known", "half-known", "silent", "free"],
)
def test_what_a_recording_does_not_say_is_no_gift(
    bob: tuple[float | None, float | None], cell: str, total: str, tmp_path: Path
) -> None:
    numbers = range(6)
    questions = [{"id": f"q{number}", "text": f"Which, {number}?", "answer": "yes"} for number in numbers]
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, questions)))
    costs = {"ann": (0.1, 0.1), "bob": bob}
    replies = [
        {"model": name, "question_id": f"q{number}", "answer": "yes", "cost_usd": ends[number % 2]}
        for name, ends in costs.items()
        for number in numbers
    ]
    (tmp_path / "replies.jsonl").write_text("\n".join(map(json.dumps, replies)))
    models = {name: {"provider": "recorded", "file": "replies.jsonl", "model": name} for name in costs}
    cup = {"name": "cup", "questions": {"file": "questions.jsonl"}, "models": models, "strategies": ["solo"]}
    (tmp_path / "cup.yaml").write_text(yaml.safe_dump(cup))
    said = command("run", tmp_path / "cup.yaml", "--estimate")
    assert f"bob 6 285 48 {cell} {cell} " in said, "tokens are guessed from the words"
    assert total in said
    assert "To be paid now: $0 (at most $0), if no call has to be repeated." in said
    command("run", tmp_path / "cup.yaml", "--quiet")
    bill = json.loads(command("report", tmp_path / "cup.yaml", "--json"))["bill_usd"]
    assert ("unknown" in total) is (bill is None)
    assert bill is None or f"In total ${bill:.2f}," in said
