"""Several sets of questions in one file: each is told apart, grouped and averaged, and none is mixed with another."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import moot
from moot.errors import FileError, UsageError
from moot.report.sections import all_sections

SIZES = {"capitals": 20, "rivers": 10, "sums": 5}
RIGHT = {"capitals": 5, "rivers": 8, "sums": 5}
"""How many of the first questions of a set the player knows."""


def write(folder: Path, name: str, count: int, *, start: int = 0) -> None:
    rows = [
        {"id": f"{name}-{n}", "text": f"{name}, number {n}?", "choices": ["x", "y"], "answer": "A"}
        for n in range(start, start + count)
    ]
    (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")


def replies(folder: Path, right: Mapping[str, int] = RIGHT) -> None:
    rows = [
        {"model": "ann", "question_id": f"{name}-{n}", "answer": "A" if n < right[name] else "B"}
        for name, size in SIZES.items()
        for n in range(size)
    ]
    (folder / "replies.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")


def experiment(folder: Path, questions: object, **more: Any) -> dict[str, Any]:
    models = {"ann": {"provider": "recorded", "file": str(folder / "replies.jsonl"), "model": "ann"}}
    return {"name": "cup", "models": models, "questions": questions, **more}


def sets(folder: Path, *, groups: Mapping[str, str] = {}) -> list[dict[str, Any]]:
    for name, size in SIZES.items():
        write(folder, name, size)
    return [{"file": str(folder / f"{name}.jsonl"), **_group(groups.get(name))} for name in SIZES]


def _group(group: str | None) -> dict[str, str]:
    return {} if group is None else {"group": group}


def wilson(right: int, n: int) -> tuple[float, float]:
    z = 1.959963984540054
    share = right / n
    centre, half = share + z * z / (2 * n), z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return (centre - half) / (1 + z * z / n), (centre + half) / (1 + z * z / n)


def test_each_set_has_a_row_of_its_own(tmp_path: Path) -> None:
    replies(tmp_path)
    figures = moot.run(experiment(tmp_path, sets(tmp_path))).figures
    assert figures["questions"] == 35
    rows = {row["question_set"]: row for row in figures["question_sets"]}
    assert {name: (row["value"], row["n"]) for name, row in rows.items()} == {
        "capitals": (0.25, 20),
        "rivers": (0.8, 10),
        "sums": (1.0, 5),
    }
    assert (rows["rivers"]["low"], rows["rivers"]["high"]) == pytest.approx(wilson(8, 10))


def test_in_the_mean_every_set_counts_alike(tmp_path: Path) -> None:
    replies(tmp_path)
    figures = moot.run(experiment(tmp_path, sets(tmp_path))).figures
    (mean,) = figures["mean_over_sets"]
    assert mean["value"] == pytest.approx((0.25 + 0.8 + 1.0) / 3)
    assert mean["n"] == 3
    below = sum((value - wilson(right, n)[0]) ** 2 for value, right, n in ((0.25, 5, 20), (0.8, 8, 10), (1.0, 5, 5)))
    assert mean["low"] == pytest.approx(mean["value"] - math.sqrt(below) / 3)
    assert mean["value"] < mean["high"] <= 1
    (overall,) = figures["accuracy"]
    assert overall["value"] == pytest.approx(18 / 35)


def test_groups_are_means_over_their_sets(tmp_path: Path) -> None:
    replies(tmp_path)
    groups = {"capitals": "knowledge", "rivers": "knowledge", "sums": "reasoning"}
    figures = moot.run(experiment(tmp_path, sets(tmp_path, groups=groups))).figures
    assert {row["group"]: (row["value"], row["n"]) for row in figures["set_groups"]} == {
        "knowledge": (pytest.approx(0.525), 2),
        "reasoning": (1.0, 1),
    }
    (section,) = [section for section in all_sections(figures) if section.id == "sets"]
    titles = [column.title for column in section.columns]
    assert titles == [
        *("strategy", "who", "capitals", "rivers", "sums"),
        *("knowledge, mean", "mean over sets"),
    ]
    (row,) = section.rows
    assert [row[column.key] for column in section.columns[2:]] == pytest.approx([0.25, 0.8, 1, 0.525, 2.05 / 3])


def test_a_file_with_one_set_has_no_such_rows(tmp_path: Path) -> None:
    replies(tmp_path)
    write(tmp_path, "capitals", 20)
    figures = moot.run(experiment(tmp_path, {"file": str(tmp_path / "capitals.jsonl")})).figures
    assert not {"question_sets", "set_groups", "mean_over_sets", "macro_average"} & figures.keys()


def test_another_set_changes_no_figure_of_a_set(tmp_path: Path) -> None:
    replies(tmp_path)
    three = sets(tmp_path)
    rows = moot.run(experiment(tmp_path, three)).figures["question_sets"]
    fewer = moot.run(experiment(tmp_path, three[:2])).figures["question_sets"]
    assert fewer == [row for row in rows if row["question_set"] != "sums"]


def test_the_first_few_are_of_every_set(tmp_path: Path) -> None:
    replies(tmp_path)
    figures = moot.run(experiment(tmp_path, sets(tmp_path)), limit=6).figures
    assert {row["question_set"]: row["n"] for row in figures["question_sets"]} == {
        "capitals": 2,
        "rivers": 2,
        "sums": 2,
    }


def test_each_set_is_sampled_by_itself(tmp_path: Path) -> None:
    replies(tmp_path)
    three = sets(tmp_path)
    three[0]["sample"] = 4
    figures = moot.run(experiment(tmp_path, three)).figures
    assert [row["n"] for row in figures["question_sets"]] == [4, 10, 5]


def test_a_name_goes_over_the_source(tmp_path: Path) -> None:
    replies(tmp_path)
    three = sets(tmp_path)
    three[1]["name"] = "water"
    results = moot.run(experiment(tmp_path, three))
    assert [row["question_set"] for row in results.figures["question_sets"]] == ["capitals", "water", "sums"]
    assert set(results.frame("questions")["question_set"]) == {"capitals", "water", "sums"}


def test_a_file_says_the_same_as_code(tmp_path: Path) -> None:
    replies(tmp_path)
    keys = experiment(tmp_path, sets(tmp_path, groups={"sums": "reasoning"}))
    path = tmp_path / "cup.yaml"
    path.write_text(json.dumps(keys), encoding="utf-8")
    assert moot.Experiment.from_file(path) == moot.Experiment(**keys)  # type: ignore[misc]


@pytest.mark.parametrize(
    ("change", "key", "problem"),
    [
        ({"name": "rivers"}, "questions", "'rivers' is the name of the sets 1 and 2"),
        ({"file": "nowhere.jsonl"}, "questions.0.file", "no such file"),
        ({"grup": "x"}, "questions.0.grup", "did you mean 'group'?"),
        ({"sample": 0}, "questions.0.sample", "expected a whole number, 1 or more"),
        ({"builtin": "facts-en"}, "questions.0", "expected one of file, hub and builtin"),
    ],
)
def test_mistakes_are_said_with_their_place(tmp_path: Path, change: Mapping[str, Any], key: str, problem: str) -> None:
    replies(tmp_path)
    three = sets(tmp_path)
    three[0] |= change
    path = tmp_path / "cup.yaml"
    path.write_text(json.dumps(experiment(tmp_path, three), indent=1), encoding="utf-8")
    with pytest.raises(FileError) as caught:
        moot.run(path)
    assert caught.value.key == key
    assert problem in str(caught.value)
    assert caught.value.line is not None


def test_an_id_is_of_one_set_only(tmp_path: Path) -> None:
    replies(tmp_path)
    three = sets(tmp_path)
    (tmp_path / "more.jsonl").write_text((tmp_path / "rivers.jsonl").read_text())
    with pytest.raises(UsageError, match="'rivers-0' is a question of 'rivers' and of 'more'; expected ids"):
        moot.run(experiment(tmp_path, [*three, {"file": str(tmp_path / "more.jsonl")}]))


def test_a_set_added_later_pays_for_nothing_again(tmp_path: Path) -> None:
    replies(tmp_path)
    three, store = sets(tmp_path), str(tmp_path / "cup.db")
    moot.run(experiment(tmp_path, three[:1]), store=store)
    moot.run(experiment(tmp_path, three), store=store)
    calls = moot.run(experiment(tmp_path, three), store=store).frame("calls")
    assert calls.height == 35
