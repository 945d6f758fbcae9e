"""Two files of one name: a command that is given a file tells of that file's own run, or says that it is another's."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from cup_commands import Row, command, ended, questions, run, told, write

import moot

NOT_RUN = r"b\.yaml as it is now was not run; this is the run of \d{4}-\d\d-\d\d \d\d:\d\d"


def changed(path: Path, **keys: Any) -> None:
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | keys), encoding="utf-8")


def models(accuracy: float, *names: str) -> Row:
    return {name: {"provider": "simulated", "accuracy": accuracy} for name in names}


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Path]:
    """A file, and a copy with better models whose name somebody forgot to change; the copy was run last."""
    first = write(tmp_path, questions(12)).rename(tmp_path / "a.yaml")
    second = tmp_path / "b.yaml"
    shutil.copy(first, second)
    changed(second, models=models(1.0, "ann", "bob", "dan"), teams={"three": {"players": ["ann", "bob", "dan"]}})
    run(first)
    run(second)
    return first, second


def players(figures: Row) -> set[str]:
    return {row["player"] for row in figures["accuracy"] if row.get("player")}


def test_a_report_tells_of_the_run_of_its_own_file(two: tuple[Path, Path], tmp_path: Path) -> None:
    first, second = two
    own, others = told(first), told(second)
    assert players(own) == {"ann", "bob", "cat"}
    assert players(others) == {"ann", "bob", "dan"}
    assert "not_of_file" not in own
    assert moot.report(first).figures["accuracy"] == own["accuracy"]
    value = own["headline"]["value"]
    assert others["headline"]["value"] == 1.0 > value
    assert ended("report", first, "--fail-under", "headline.value>0.99")[0] == 1
    page = tmp_path / "a.html"
    command("report", first, "-o", page)
    assert "as it is now" not in page.read_text(encoding="utf-8").split("<script")[0]
    saved = moot.report(first).save(tmp_path / "saved.html")
    assert saved.read_text(encoding="utf-8") == page.read_text(encoding="utf-8")


def test_so_do_the_other_commands(two: tuple[Path, Path]) -> None:
    first, _ = two
    assert json.loads(command("compare", first, "vote", "solo@cat", "--json"))["n"] == 12
    assert "cat" in command("select", first, "--m", 2, "--json")
    assert "cat" in command("show", first, "q1", "--no-pager")
    assert '"cat"' in command("export", first, "-o", "-")
    assert "cat" in command("watch", first, "--once")


def test_what_is_not_shown_is_said_not_to_be_of_the_file(two: tuple[Path, Path]) -> None:
    first, _ = two
    short = command("report", first)
    named = re.search(r"Not shown: another plan of this name, of 12 questions \(--plan (\w+)\), (.*?)\.", short)
    assert named is not None, short
    assert named[2] == "not of this file as it is now"
    other = told(first, "--plan", named[1])
    assert players(other) == {"ann", "bob", "dan"}
    assert other["not_of_file"] == f"plan {named[1]} is not that of a.yaml as it is now"


def test_two_files_of_one_name_are_compared_by_their_own_runs(two: tuple[Path, Path]) -> None:
    both = json.loads(command("report", *two, "--json"))
    assert [players(each) for each in both["runs"]] == [{"ann", "bob", "cat"}, {"ann", "bob", "dan"}]
    assert max(row["difference"] for row in both["comparisons"]) > 0


def test_a_run_is_not_compared_with_itself(two: tuple[Path, Path], tmp_path: Path) -> None:
    first, second = two
    copy = tmp_path / "c.yaml"
    copy.write_text(f"# the same in other words\n{first.read_text(encoding='utf-8')}", encoding="utf-8")
    status, said = ended("report", first, copy)
    assert status != 0
    assert "a.yaml and c.yaml make one and the same plan" in said
    changed(second, repeats=2)  # and not run: what is told of it is the last run of the name, its own of before
    shutil.copy(first, copy)
    changed(copy, repeats=3)
    status, said = ended("report", second, copy)
    assert status != 0
    assert "b.yaml as it is now was not run" in said
    assert "c.yaml as it is now was not run" in said
    assert f"To compare them: moot run {second}, then moot run {copy}; a name of its own" in said
    status, said = ended("report", first, second)  # the last run of the name is that of b.yaml before it was changed
    assert status == 0, said


def test_a_file_that_was_changed_and_not_run_says_whose_figures_these_are(
    two: tuple[Path, Path], tmp_path: Path
) -> None:
    _, second = two
    changed(second, repeats=2)
    figures = told(second)
    assert re.fullmatch(NOT_RUN, figures["not_of_file"])
    for words in ([], ["--all"], ["--section", "accuracy"]):
        assert re.match(NOT_RUN, command("report", second, *words))
    for words in (
        ["compare", second, "vote", "solo@ann"],
        ["show", second, "q1", "--no-pager"],
        ["grade", second],
        ["select", second, "--m", 2],
        ["watch", second, "--once"],
    ):
        assert re.search(NOT_RUN, ended(*words)[1]), words
    page = tmp_path / "b.html"
    assert re.search(NOT_RUN, command("report", second, "-o", page))
    assert re.search(NOT_RUN, page.read_text(encoding="utf-8").split("<script")[0])
    assert re.search(NOT_RUN, moot.report(second)._repr_html_())
    assert re.fullmatch(NOT_RUN, json.loads(command("compare", second, "vote", "solo@ann", "--json"))["not_of_file"])
    run(second)
    assert "not_of_file" not in told(second)


def test_what_changes_nothing_in_play_leaves_the_run_that_of_the_file(two: tuple[Path, Path]) -> None:
    first, _ = two
    priced = {
        name: spec | {"price": {"prompt": 1, "completion": 2}} for name, spec in models(0.6, "ann", "bob").items()
    }
    changed(first, models=priced | models(0.6, "cat"))
    figures = told(first)
    assert players(figures) == {"ann", "bob", "cat"}
    assert "not_of_file" not in figures


def test_a_trial_of_a_file_is_its_run_until_there_is_a_larger_one(two: tuple[Path, Path], tmp_path: Path) -> None:
    first, second = two
    third = tmp_path / "c.yaml"
    shutil.copy(first, third)
    changed(third, seed=5)
    run(third, "--limit", 4)
    run(second)
    figures = told(third)
    assert figures["questions"] == 4
    assert "not_of_file" not in figures
    run(third)
    run(third, "--limit", 5)
    assert told(third)["questions"] == 12
    assert told(first)["questions"] == 12


@pytest.mark.parametrize("gone", ["the questions", "a model's provider"])
def test_a_report_needs_neither_questions_nor_models(gone: str, two: tuple[Path, Path], tmp_path: Path) -> None:
    first, second = two
    if gone == "the questions":
        (tmp_path / "q.jsonl").unlink()
        assert "not_of_file" not in told(first)
        assert players(told(first)) == {"ann", "bob", "cat"}
        changed(first, repeats=2)
        assert "no such file" in told(first)["not_of_file"]
        assert players(told(first)) == {"ann", "bob", "dan"}
    else:
        changed(
            second, models=models(1.0, "ann", "bob") | {"dan": {"provider": "recorded", "file": "no", "model": "m"}}
        )
        assert players(told(second)) == {"ann", "bob", "dan"}
        assert "cannot be made here" in told(second)["not_of_file"]


def test_the_same_words_about_other_questions_are_told_as_the_run_of_before(
    two: tuple[Path, Path], tmp_path: Path
) -> None:
    """What stands beside the file was changed, and the file was not: its own earlier run is shown, not another file's."""
    first, _ = two
    (tmp_path / "q.jsonl").write_text("\n".join(map(json.dumps, questions(9))), encoding="utf-8")
    figures = told(first)
    assert players(figures) == {"ann", "bob", "cat"}
    assert figures["questions"] == 12
    assert figures["not_of_file"].startswith("the questions of a.yaml have changed since; this is its run of")


def test_a_store_alone_tells_of_what_ran_last(two: tuple[Path, Path], tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path / 'cup.db'}"
    figures = json.loads(command("report", "--store", store, "--json"))
    assert players(figures) == {"ann", "bob", "dan"}
    assert "not_of_file" not in figures
