"""Two runs beside each other: what is the same in both, and which test its pairs get."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.measures.sides import SideResults
from moot.report.side_by_side import Run, graders_of, run_of, side_by_side, side_by_side_sections
from moot.stats.graded import Value


def run(right: dict[str, float], plays: int, **named: Any) -> Run:
    row = {"label": "vote", "captain": "ann", "team": "three", "outcomes": {"answered": plays}, "n": len(right)}
    titles = ("vote@ann", "three/vote@ann")
    means = frozenset(titles if plays > len(right) else ())
    return Run({"experiment": "cup", "accuracy": [{**row, **named}]}, dict.fromkeys(titles, right), means)


@pytest.mark.parametrize(("plays", "test"), [(40, "mcnemar"), (80, "score")])
def test_a_run_with_repeats_gives_means(plays: int, test: str) -> None:
    before = {f"q{number}": float(number % 2) for number in range(40)}
    after = dict.fromkeys(before, 1.0)
    shown = side_by_side(run(before, 40), run(after, plays))
    assert [row["test"] for row in shown["comparisons"]] == [test, test]
    assert {row["difference"] for row in shown["comparisons"]} == {0.5}


KEYS: dict[str, Any] = {
    "questions": {"file": "q.jsonl"},
    "models": {name: {"provider": "simulated", "accuracy": 0.6} for name in ("ann", "bob", "cat")},
    "strategies": ["solo", "vote"],
}
THREE = {"players": ["ann", "bob", "cat"], "captain": "ann"}
TWO = {"players": ["ann", "bob"], "captain": "ann"}


@pytest.fixture
def beside(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """Two files that differ in their teams, played, and what the report says of both."""
    lines = [{"id": str(n), "text": f"What is {n}?", "answer": str(n)} for n in range(8)]
    (tmp_path / "q.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")

    def report(first: dict[str, Any], second: dict[str, Any], *more: str) -> str:
        paths = []
        for name, teams in (("one", first), ("other", second)):
            path = tmp_path / f"{name}.yaml"
            path.write_text(json.dumps({"name": name, "teams": teams, **KEYS}), encoding="utf-8")
            assert run_app(app, ["run", str(path), "--quiet"]) == 0
            paths.append(str(path))
        capsys.readouterr()
        assert run_app(app, ["report", *paths, *more]) == 0
        return capsys.readouterr().out

    return report


ALONE = {"solo@ann", "solo@bob", "solo@cat"}


def test_one_more_team_in_a_file_makes_no_other_of_the_first(beside: Callable[..., Any]) -> None:
    shown = json.loads(beside({"three": THREE}, {"three": THREE, "two": TWO}, "--json"))
    assert {row["of"] for row in shown["comparisons"]} == ALONE | {"three/vote@ann"}
    assert [(row["of"], row["run"]) for row in shown["unmatched"]] == [("two/vote@ann", "other (second)")]


def test_a_team_of_two_is_not_compared_with_one_of_three(beside: Callable[..., Any]) -> None:
    shown = json.loads(beside({"team": THREE}, {"team": TWO}, "--json"))
    assert {row["of"] for row in shown["comparisons"]} == ALONE - {"solo@cat"}
    assert {(row["of"], row["run"]) for row in shown["unmatched"]} == {
        ("solo@cat", "one (first)"),
        ("vote@ann", "one (first)"),
        ("vote@ann", "other (second)"),
    }
    said = " ".join(beside({"team": THREE}, {"team": TWO}, "--all").split())
    assert "Not compared, of one (first): solo@cat, vote@ann (the other run has no such" in said


def test_of_teams_with_the_same_players_those_of_one_name_are_compared(beside: Callable[..., Any]) -> None:
    shown = json.loads(beside({"a": THREE, "b": THREE}, {"b": THREE, "c": THREE}, "--json"))
    assert {row["of"] for row in shown["comparisons"]} == ALONE | {"b/vote@ann"}


def test_a_team_by_another_name_is_the_same(beside: Callable[..., Any]) -> None:
    shown = json.loads(beside({"three": THREE}, {"trio": THREE}, "--json"))
    assert {row["of"] for row in shown["comparisons"]} == ALONE | {"vote@ann"}
    assert "unmatched" not in shown


def cohort_side(title: str, cohort: str | None, right: dict[str, float]) -> SideResults:
    spec = json.dumps({"players": [{"name": "ann"}, {"name": "bob"}]})
    cell: Any = {"player": None, "captain": None, "label": "vote", "cohort": cohort, "team": "all", "spec": spec}
    return SideResults(title, (cell,), right, dict.fromkeys(right, 1.0), None, once=True)


def test_a_table_of_another_cohort_is_another_though_the_same_sit_there() -> None:
    right = {f"q{number}": 1.0 for number in range(12)}

    def named(cohort: str) -> Run:
        return run_of({"experiment": "cup"}, {"vote": cohort_side("vote", cohort, right)})

    assert [row["of"] for row in side_by_side(named("red"), named("red"))["comparisons"]] == ["vote"]
    apart = side_by_side(named("red"), named("blue"))
    assert apart["comparisons"] == []
    assert [row["of"] for row in apart["unmatched"]] == ["vote", "vote"]


def test_in_a_terminal_it_is_told_in_short_and_whole_with_all(
    beside: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    teams = {"three": THREE}, {"three": THREE, "two": TWO}
    short = beside(*teams)
    assert len(short.splitlines()) <= 40
    for words in ("First run: one", "Second run: other", "other (second) less one (first)"):
        assert words in short
    assert "1 row of other (second) has no partner in the other (--all)." in short
    assert "two/vote@ann" not in short.partition("Second run against the first")[2]
    rows = [line for line in short.partition("Second run against the first")[2].splitlines() if "@ann" in line]
    assert [line.split()[0] for line in rows] == ["solo@ann", "three/vote@ann"]
    assert all(line.split()[-2:] == ["8", "small"] for line in rows), "in one table, not a second one"
    whole = beside(*teams, "--all")
    assert "Not compared, of other (second): two/vote@ann" in whole
    assert len(whole.splitlines()) > 60


def test_equal_words_in_two_runs_need_not_have_equal_grades() -> None:
    """Of 40 questions one waits in both runs, for what may be another judge: it can go either way in each."""
    right = {f"q{number}": float(number % 2) for number in range(39)}
    waits = Value(None, 0.0, 1.0, waiting=1, words=(("paris", 1.0),))
    one = Run({"experiment": "cup"}, {"vote": right}, open={"vote": {"q39": waits}})
    (row,) = side_by_side(one, one)["comparisons"]
    assert row["bounds"] == {"low": pytest.approx(-1 / 40), "high": pytest.approx(1 / 40)}


def test_what_only_another_key_changed_is_no_difference_between_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same calls, graded by a corrected key: not one answer differs, and neither does anything that is told."""
    lines = [{"id": str(n), "text": f"What is {n}?", "answer": str(n)} for n in range(40)]
    corrected = [{**line, "answer": f"{line['answer']}0"} if n < 15 else line for n, line in enumerate(lines)]
    store = f"sqlite:///{tmp_path / 'both.db'}"
    paths = []
    for name, asked in (("one", lines), ("other", corrected)):
        written = "".join(json.dumps(line) + "\n" for line in asked)
        (tmp_path / f"{name}.jsonl").write_text(written, encoding="utf-8")
        said = "".join(
            json.dumps({"model": "ann", "question_id": line["id"], "answer": line["answer"]}) + "\n" for line in lines
        )
        (tmp_path / "said.jsonl").write_text(said, encoding="utf-8")
        path = tmp_path / f"{name}.yaml"
        keys = {
            "name": name,
            "store": store,
            "questions": {"file": f"{name}.jsonl"},
            "models": {"ann": {"provider": "recorded", "file": "said.jsonl", "model": "ann"}},
        }
        path.write_text(json.dumps(keys), encoding="utf-8")
        assert run_app(app, ["run", str(path), "--quiet"]) == 0
        paths.append(str(path))
    capsys.readouterr()
    assert run_app(app, ["report", *paths, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [run["accuracy"][0]["value"] for run in told["runs"]] == [1.0, 0.625], "each run by its own key"
    assert (told["common_questions"], told["other_keys"]) == (25, 15)
    (row,) = told["comparisons"]
    assert (row["difference"], row["n"]) == (0.0, 25)
    assert run_app(app, ["report", *paths]) == 0
    words = " ".join(capsys.readouterr().out.split())
    assert "15 questions have another reference answer in the second run, and are left out." in words


@pytest.mark.parametrize("which", [0, 1])
def test_nothing_is_claimed_where_either_run_was_cut_short(which: int) -> None:
    right = {f"q{number}": float(number % 2) for number in range(40)}
    runs = [
        Run({"experiment": "cup"}, {"vote": values}, cut_short=place == which)
        for place, values in enumerate((right, dict.fromkeys(right, 1.0)))
    ]
    shown = side_by_side(*runs)
    (row,) = shown["comparisons"]
    assert shown["cut_short"] == [f"cup ({('first', 'second')[which]})"]
    assert row["difference"] == 0.5
    assert {row[key] for key in ("low", "high", "p", "p_holm")} == {None}


@pytest.mark.parametrize("which", [0, 1])
def test_questions_that_hang_together_in_either_run_do_so_in_both(which: int) -> None:
    right = {f"q{number}": float(number % 2) for number in range(40)}
    pairs = {question: str(number // 2) for number, question in enumerate(right)}
    runs = [
        Run({"experiment": "cup"}, {"vote": values}, clusters=pairs if place == which else {})
        for place, values in enumerate((right, dict.fromkeys(right, 1.0)))
    ]
    (row,) = side_by_side(*runs)["comparisons"]
    assert (row["n"], row["clusters"]) == (40, 20)


def test_another_grader_is_said() -> None:
    configs = ({}, {"grader": "exact"})
    runs = [run_of({"experiment": "cup"}, {}, graded_by=graders_of(config)) for config in configs]
    assert side_by_side(*runs)["graded_by"] == [["match"], ["exact"]]


def test_other_judges_are_said() -> None:
    judged = [{"models": {"j": {"model": model}}, "judge": {"models": ["j"]}} for model in ("small", "large")]
    runs = [run_of({"experiment": "cup"}, {}, graded_by=graders_of(config)) for config in judged]
    shown = side_by_side(*runs)
    assert shown["graded_by"] == [["match", "j (small)"], ["match", "j (large)"]]
    (section,) = side_by_side_sections(shown)
    assert any("Graded by match, j (small) in the first run and by match, j (large)" in text for text in section.words)
    assert "graded_by" not in side_by_side(runs[0], runs[0])
