"""`moot select --json` on random labels, on votes of free answers and on an experiment: every figure a second time."""

from __future__ import annotations

import csv
import json
import os
import random
from pathlib import Path
from typing import Any

import pytest
from faults import troubles
from second_way import played
from second_way.intervals import mean, share_interval
from second_way.ranked import DIGESTS, Ranked
from second_way.raw import Raw, same_words
from second_way.selection import Labels, selection, several_splits
from second_way.shares import Judged
from second_way.worlds import experiment, stopped, waiting_proposers

MORE = int(os.environ.get("MOOT_WORLDS", "12")) // 12
"""How many times as many experiments as in `make test`."""


def matrix(number: int, folder: Path) -> Labels:
    """Random labels: some models with several prompts, some labels missing; free answers in every third file."""
    draw = random.Random(f"labels {number}")
    free = number % 3 == 2
    prompts = ["x", "y"][: draw.randint(1, 2)]
    able = {name: draw.uniform(0.3, 0.85) for name in ("ann", "bob", "cat", "dan", "eve")[: draw.randint(3, 5)]}
    questions = [f"q{place}" for place in range(draw.randint(16, 40))]
    right = {question: (f"word {question}" if free else draw.choice("ABCD")) for question in questions}
    said: dict[str, dict[str, str | None]] = {}
    for model, accuracy in able.items():
        for prompt in prompts:
            own = said.setdefault(f"{model}/{prompt}" if len(prompts) > 1 else model, {})
            for question in questions:
                wrong = f"slip {draw.randint(1, 3)}" if free else draw.choice("ABCD")
                own[question] = right[question] if draw.random() < accuracy else wrong
                own[question] = None if draw.random() < 0.05 else own[question]
    model_of = {proposer: proposer.split("/")[0] for proposer in said}
    prompt_of = {proposer: proposer.partition("/")[2] for proposer in said}
    with (folder / "labels.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["question_id", "model", "prompt", "pred", "answer"])
        for question in questions:
            for proposer in said:
                word = said[proposer][question]
                rows.writerow([question, model_of[proposer], prompt_of[proposer], word or "", right[question]])
    return Labels(said, right, model_of, prompt_of, free)


def selected(folder: Path, file: str, *more: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(played.command(folder, "select", file, "--json", *more))
    return rows


@pytest.mark.parametrize("number", range(3 * MORE))
def test_on_labels(number: int, tmp_path: Path) -> None:
    labels = matrix(number, tmp_path)
    k = 3 if len(labels.said) > 3 else 2
    rows = selected(tmp_path, "labels.csv", "--k", str(k), "--seed", str(number))
    assert {row["kind"] for row in rows} == {"selector", "aggregator", "single"}
    wrong = list(selection(labels, rows, k))
    assert not wrong, "\n".join(wrong[:20])


@pytest.mark.long
def test_a_wrong_figure_is_noticed(tmp_path: Path) -> None:
    labels = matrix(0, tmp_path)
    rows = selected(tmp_path, "labels.csv", "--k", "3")
    missed = []
    for number, row in enumerate(rows):
        for key, value in row.items():
            if isinstance(value, int | float) and not isinstance(value, bool) and key not in ("distance", "proven"):
                changed = [
                    *rows[:number],
                    {**row, key: value + (1 if isinstance(value, int) else 0.43)},
                    *rows[number + 1 :],
                ]
                if not list(selection(labels, changed, 3)):
                    missed.append((row["method"], key))
    assert not missed


@pytest.mark.parametrize("number", range(1, 1 + MORE))
def test_over_several_splits(number: int, tmp_path: Path) -> None:
    labels = matrix(number, tmp_path)
    rows = selected(tmp_path, "labels.csv", "--k", "2", "--splits", "3", "--method", "top-accuracy,greedy")
    wrong = list(several_splits(labels, rows, 3))
    assert not wrong, "\n".join(wrong[:20])


@pytest.mark.parametrize("number", range(3, 3 + MORE))
def test_on_an_experiment(number: int, tmp_path: Path) -> None:
    """Players alone are the proposers, and their grades say what is right."""
    keys = {**experiment(number, tmp_path, choices=True), "strategies": ["solo"], "repeats": 1}
    keys = {key: value for key, value in keys.items() if key not in ("primary", "hypotheses")}
    played.run(tmp_path, keys)
    _check(tmp_path, keys)


@pytest.mark.parametrize("number", range(3 * MORE))
def test_on_an_experiment_of_which_answers_wait_for_a_grade(number: int, tmp_path: Path) -> None:
    keys, shares = waiting_proposers(number, tmp_path)
    with troubles(shares):
        played.run(tmp_path, keys)
        _check(tmp_path, keys)


@pytest.mark.long
@pytest.mark.parametrize("number", range(1, 1 + MORE))
def test_on_a_run_that_was_stopped(number: int, tmp_path: Path) -> None:
    """What a player was not asked is neither wrong nor right: all of it is over the questions that everybody has."""
    keys = {**stopped(number, tmp_path), "strategies": ["solo"], "repeats": 1}
    keys = {key: value for key, value in keys.items() if key not in ("primary", "hypotheses")}
    rows = [
        {"id": f"q{n}", "text": f"Which is {n}?", "choices": ["red", "blue", "grey"], "answer": "A"} for n in range(60)
    ]
    (tmp_path / "first.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    played.run(tmp_path, {**keys, "questions": {"file": "first.jsonl"}})
    played.forget(tmp_path, number, (0.9, 0.8, 0.6))
    asked = _check(tmp_path, keys)
    assert 2 < asked < 60


def _check(folder: Path, keys: dict[str, Any]) -> int:
    raw = played.raw(folder, keys)
    labels = _of(raw)
    rows = selected(folder, "world.yaml", "--k", "2", "--m", str(len(labels.right) // 2))
    by_id(raw, rows)
    told = stands_on(rows)
    assert (told["left_out"], told["repeats_played"]) == (len(raw.questions) - len(labels.right), 1)
    assert not told["proposers_left_out"]
    wrong = list(selection(labels, rows, 2))
    assert not wrong, "\n".join(wrong[:20])
    return len(labels.right)


RIGHT = "right, in whatever words"


def _of(raw: Raw) -> Labels:
    """Over the questions that everybody has played. What is right means the same; what has no grade is open."""
    episodes = {str(cell.player): raw.episodes(cell) for cell in raw.cells if cell.player is not None}
    played_by = [{episode.question for episode in own} for own in episodes.values()]
    asked = [question for question in raw.questions if all(question in those for those in played_by)]
    free = not all(row["question"].get("choices") for row in raw.questions.values())
    said: dict[str, dict[str, str | None]] = {
        name: {e.question: RIGHT if free and e.value == 1.0 else e.answer and e.answer.lower() for e in own}
        for name, own in episodes.items()
    }
    right = {question: RIGHT if free else str(raw.questions[question]["answer"]).lower() for question in asked}
    open_labels = frozenset(
        (name, e.question) for name, own in episodes.items() for e in own if e.answer is not None and e.value is None
    )
    unknown = frozenset(question for question in asked if not raw.questions[question].get("known", True))
    settled = any(isinstance(e.right, Judged) for own in episodes.values() for e in own)
    names = {name: name for name in said}
    return Labels(said, right, names, dict.fromkeys(said, ""), free, open_labels, unknown, settled or not free)


def by_id(raw: Raw, rows: list[dict[str, Any]]) -> None:
    """An experiment knows its questions by their words."""
    ids = {same_words(content["question"]): ident for ident, content in raw.questions.items()}
    for row in rows:
        if "chosen_on" in row:
            row["chosen_on_ids"] = [ids[digest] for digest in row.pop("chosen_on")]


def stands_on(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """What all rows say of the labels they stand on, taken out of them."""
    played_times = rows[0]["repeats_played"]
    for row in rows:
        assert row.pop("strategy") == "solo"
        assert row.pop("repeats") == (played_times if row["kind"] == "single" else 1)
    for row in rows:
        row.pop("never_answered", None)
    told = [{key: row.pop(key) for key in ("left_out", "proposers_left_out", "repeats_played")} for row in rows]
    assert all(each == told[0] for each in told)
    return told[0]


class OfChoices(Labels):
    """Between as many answers as the question with most of them has."""

    def classes(self, chosen_on: Any) -> float:
        return float(self.most)  # type: ignore[attr-defined]


def first_labels(raw: Raw, folder: Path) -> tuple[Labels, dict[str, Any]]:
    """Of the first repeat alone, on the questions that all have who have enough in common; and what is left out."""
    said: dict[str, dict[str, str | None]] = {}
    for cell in raw.cells:
        if cell.player is not None and any(each.outcome != "failed" for each in raw.episodes(cell)):
            said[cell.player] = {each.question: each.answer for each in raw.episodes(cell) if each.repeat == 0}
    DIGESTS.clear()
    DIGESTS.update({row["question_id"]: row["question"] for row in raw.tables["questions"]})
    common = Ranked(said)
    kept = [question for question in raw.questions if question in set(common.questions)]
    right = {question: str(raw.questions[question]["answer"]) for question in kept}
    own = {name: {question: said[name][question] for question in kept} for name in common.names}
    labels = OfChoices(own, right, {name: name for name in own}, dict.fromkeys(own, ""))
    lines = [line for path in folder.glob("*.jsonl") for line in path.read_text(encoding="utf-8").splitlines()]
    choices = {row["id"]: len(row["choices"]) for row in map(json.loads, lines)}
    object.__setattr__(labels, "most", max(choices[question] for question in kept))
    return labels, {"left_out": len(raw.questions) - len(kept), "proposers_left_out": common.out}


@pytest.mark.parametrize("number", range(2 * MORE))
def test_on_a_stopped_experiment(number: int, tmp_path: Path) -> None:
    """What somebody was not asked is in no figure."""
    keys = {**stopped(number, tmp_path), "strategies": ["solo"], "repeats": 1}
    keys.pop("hypotheses")
    played.run(tmp_path, keys)
    played.forget(tmp_path, number)
    raw = played.raw(tmp_path, keys)
    labels, left_out = first_labels(raw, tmp_path)
    assert left_out["left_out"], "else there is nothing to see here"
    rows = selected(tmp_path, "world.yaml", "--k", "1", "--m", str(max(1, len(labels.right) // 2)))
    by_id(raw, rows)
    assert stands_on(rows) == {**left_out, "repeats_played": 1}
    assert [row for row in rows if row["kind"] == "single"]
    wrong = list(selection(labels, rows, 1))
    assert not wrong, "\n".join(wrong[:20])


@pytest.mark.long
@pytest.mark.parametrize("number", range(MORE))
def test_on_repeats(number: int, tmp_path: Path) -> None:
    """Teams by the first repeat; each alone by the mean over all of them, as it stands in the report."""
    keys = {**stopped(number, tmp_path), "strategies": ["solo"], "repeats": 3}
    keys.pop("hypotheses")
    for model in keys["models"].values():
        model["temperature"] = 1.0
    played.run(tmp_path, keys)
    raw = played.raw(tmp_path, keys)
    labels, _ = first_labels(raw, tmp_path)
    rows = selected(tmp_path, "world.yaml", "--k", "2", "--m", str(len(labels.right) // 2))
    by_id(raw, rows)
    assert stands_on(rows) == {"left_out": 0, "proposers_left_out": {}, "repeats_played": 3}
    wrong = list(selection(labels, [row for row in rows if row["kind"] != "single"], 2))
    assert not wrong, "\n".join(wrong[:20])
    singles = {row["team"][0]: row for row in rows if row["kind"] == "single"}
    reported = {row["player"]: row for row in played.figures(tmp_path)["accuracy"]}
    for cell in raw.cells:
        row, episodes = singles.pop(str(cell.player)), raw.episodes(cell)
        hits = {question: [e.value or 0.0 for e in episodes if e.question == question] for question in labels.right}
        means = [mean(own) for own in hits.values()]
        low, high = share_interval([(value, 1.0) for value in means])
        assert (row["test_accuracy"], row["low"], row["high"]) == pytest.approx((mean(means), low, high))
        assert row["n"] == len(labels.right)
        assert row["unanswered"] == sum(episode.answer is None for episode in episodes)
        report = reported[str(cell.player)]
        assert (row["test_accuracy"], row["low"], row["high"]) == pytest.approx(
            (report["value"], report["low"], report["high"]), abs=1e-12
        )
    assert not singles
