"""Where what one takes is known of fewer questions than were played, every table that tells calls says of how many."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from cup_commands import command
from page_data import page_text

from moot.measures.columns import whole_plays_words

COUNT, KNOWN = 40, 9
OF_VOTE = f"of vote: over the {KNOWN} of {COUNT} questions on which no call is missing."


def recorded(
    folder: Path, known: int, count: int = COUNT, strategies: Sequence[str | dict[str, Any]] = ("vote",), **spent: Any
) -> Path:
    """cat's recording has replies to so many of the questions, ann's and bob's to all."""
    folder.mkdir(exist_ok=True)
    questions = [{"id": f"q{n}", "text": f"Thing {n}?", "choices": ["a", "b"], "answer": "A"} for n in range(count)]
    (folder / "q.jsonl").write_text("\n".join(map(json.dumps, questions)))
    replies = [
        {"model": model, "question_id": f"q{n}", "answer": "AB"[n % (place + 2) % 2], **spent}
        for place, model in enumerate(("ann", "bob", "cat"))
        for n in range(known if model == "cat" else count)
    ]
    replies.append({"model": "cat", "question_id": "of another file", "answer": "A"})
    (folder / "replies.jsonl").write_text("\n".join(map(json.dumps, replies)))
    models = {name: {"provider": "recorded", "file": "replies.jsonl", "model": name} for name in ("ann", "bob", "cat")}
    spec = {"name": "cup", "questions": {"file": "q.jsonl"}, "models": models, "strategies": list(strategies)}
    (folder / "cup.yaml").write_text(json.dumps(spec))
    command("run", folder / "cup.yaml", "--quiet")
    return folder / "cup.yaml"


@pytest.fixture(scope="module")
def lacking(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return recorded(tmp_path_factory.mktemp("lacking"), KNOWN, cost_usd=0.001)


def test_at_the_end_of_a_run(lacking: Path) -> None:
    assert f"Calls {OF_VOTE}" in command("report", lacking)
    assert f"$/1,000 {OF_VOTE}" in command("report", lacking, "--section", "accuracy")
    assert f"$/1,000 {OF_VOTE}" in command("report", lacking, "--all")


def test_in_what_is_written(lacking: Path, tmp_path: Path) -> None:
    words = f"Calls a question {OF_VOTE}"
    command("report", lacking, "-o", tmp_path / "page.html")
    command("report", lacking, "--format", "latex", "-o", tmp_path / "latex")
    assert words in page_text(tmp_path / "page.html")
    assert words in (tmp_path / "latex" / "accuracy.tex").read_text()


def test_on_a_leaderboard(lacking: Path, tmp_path: Path) -> None:
    command("report", lacking, "--publish", tmp_path)
    (row,) = json.loads((tmp_path / "leaderboard.json").read_text())["rows"]
    words = (
        f"Calls a question: over the {KNOWN} of {COUNT} questions on which no call is missing."
        " In money and tokens these may be the cheap ones."
    )
    assert words in row["caveats"]
    assert words in "".join(path.read_text() for path in tmp_path.glob("*.html"))


def test_where_none_is_missing_nothing_is_command(tmp_path: Path) -> None:
    path = recorded(tmp_path, 12, 12, cost_usd=0.001)
    assert "call is missing" not in command("report", path) + command("report", path, "--all")


def test_where_every_question_lacks_one_nobody_knows(tmp_path: Path) -> None:
    path = recorded(tmp_path, 0, 12, cost_usd=0.001)
    assert "Calls of vote: not known, since too many plays lack a call." in command("report", path)


@pytest.mark.parametrize(("known", "lacking"), [(35, 2), (34, 3)])
def test_calls_of_cascades_vary_and_are_told_up_to_one_play_in_twenty_that_lacks_one(
    tmp_path: Path, known: int, lacking: int
) -> None:
    """One question takes a cascade two calls, another three: where many plays lack some, what the rest took is no mean of all.
    Nor is it beside a vote, whose own calls do not vary."""
    cascade = {"cascade": {"order": ["ann", "bob", "cat"]}}
    path = recorded(tmp_path, known, COUNT, (cascade, "vote"), cost_usd=0.001)
    report = json.loads(command("report", path, "--json"))
    (row,), (beside,) = report["cascade"], report["cascade_beside"]
    few = lacking <= COUNT / 20
    assert (row["calls_per_question"] is not None) is few
    assert (beside["cost_n"], beside["calls_against"]) == ((known, 3) if few else (0, None))
    assert (beside["calls_per_question"] is not None) is (beside["usd_per_question"] is not None) is few
    table, pairs = (command("report", path, "--section", section) for section in ("cascade", "cascade-beside"))
    own, together = (
        f"over the {whole} of {COUNT} questions on which no call is missing"
        if few
        else "not known, since too many plays lack a call"
        for whole in (COUNT - lacking, known)
    )
    assert f"Calls of cascade(order=ann+bob+cat): {own}." in table
    assert f"Calls of cascade(order=ann+bob+cat) beside vote: {together}." in pairs


def test_rows_alike_are_named_together_and_those_of_the_fewest_first() -> None:
    rows = [
        {"name": "a", "n": 40, "ungraded": 0, "cost_n": 39},
        {"name": "b", "n": 40, "ungraded": 0},
        {"name": "c", "n": 30, "ungraded": 10, "cost_n": 9},
        {"name": "d", "n": 40, "ungraded": 0, "cost_n": 39},
    ]
    assert whole_plays_words(rows, "Calls", lambda row: row["name"]) == [
        "Calls of c: over the 9 questions on which no call is missing;"
        " of a, d: over the 39 of 40 questions on which no call is missing."
    ]
    (many,) = whole_plays_words(
        [{"name": "a", "n": 40, "ungraded": 0, "cost_n": 37}], "$/1,000", lambda row: row["name"]
    )
    assert many == (
        "$/1,000 of a: over the 37 of 40 questions on which no call is missing. In money and tokens these may be the cheap ones."
    )
    assert whole_plays_words(rows[1:2], "Calls", lambda row: row["name"]) == []
