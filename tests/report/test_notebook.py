"""The Python API: a store as frames, a report as an object, tables as files, two runs side by side."""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars
import pytest

import moot
from moot import Case, Question, Request, ScriptedModel
from moot.cli.app import app
from moot.cli.exit import run_app
from moot.errors import UsageError
from moot.measures.section import Column, Section
from moot.models.scripted import Script
from moot.report.notebook import Report
from moot.report.notebook_html import section_html
from moot.report.tables import as_frame, rows_columns

MODELS = {"ann": 0.7, "bob": 0.5, "cat": 0.4}


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cup")
    lines = [{"id": f"q{n}", "text": f"Who is number {n}?", "answer": f"Person {n}"} for n in range(40)]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    spec: dict[str, Any] = {
        "name": "cup",
        "questions": {"file": "questions.jsonl"},
        "models": {name: {"provider": "simulated", "accuracy": share, "refuse": 0.1} for name, share in MODELS.items()},
        "teams": {"three": {"players": list(MODELS), "captain": "each"}},
        "strategies": ["solo", "vote", "talkative"],
        "primary": "talkative@ann",
    }
    path = folder / "cup.yaml"
    path.write_text(json.dumps(spec), encoding="utf-8")
    assert run_app(app, ["run", str(path), "--quiet"]) == 0
    other = folder / "second.yaml"
    other.write_text(json.dumps({**spec, "name": "second", "seed": 9, "strategies": ["solo", "vote"], "primary": None}))
    assert run_app(app, ["run", str(other), "--quiet"]) == 0
    return path


def test_frames(cup: Path) -> None:
    store = moot.open_store(f"sqlite:///{cup.parent / 'cup.db'}")
    episodes = store.frame("episodes")
    assert episodes.height == 40 * 9
    wanted = {
        "experiment",
        "strategy",
        "label",
        "team",
        "captain",
        "player",
        "question_id",
        "repeat",
        "outcome",
        "value",
    }
    assert wanted | {"answer", "stage", "seconds", "calls"} <= set(episodes.columns)
    figures = store.report().figures
    alone = episodes.filter(polars.col("player") == "ann")
    row = next(row for row in figures["accuracy"] if row.get("player") == "ann")
    assert alone["value"].fill_null(0).mean() == pytest.approx(row["value"])
    assert alone.filter(polars.col("outcome") == "refused").height == row["outcomes"]["refused"]
    scores = store.frame("scores", "cup")
    assert set(scores["grader"]) == {"match"}
    assert scores.height == episodes.height
    calls = store.frame("calls")
    assert calls["prompt_tokens"].sum() > 0
    assert set(calls["model"]) == set(MODELS)
    assert store.experiments().select("experiment", "questions").rows() == [("cup", 40)]


def test_everything_can_be_computed_again(cup: Path) -> None:
    """From nothing but the frames: verdicts, records, drafts and grades are whole."""
    store = moot.open_store(str(cup.parent / "cup.db"))
    verdicts, traces, drafts = (store.frame(kind) for kind in ("verdicts", "traces", "drafts"))
    assert verdicts.height == 40 * 9
    place = ("cell", "question_id", "repeat")
    whole = {tuple(row[key] for key in place): json.loads(row["verdict"]) for row in verdicts.to_dicts()}
    read_back: dict[tuple[Any, ...], list[Any]] = {key: [] for key in whole}
    for row in traces.to_dicts():
        records = read_back[tuple(row[key] for key in place)]
        assert row["position"] == len(records)
        records.append({"kind": row["kind"], **json.loads(row["content"])})
    assert read_back == {key: verdict.get("traces", []) for key, verdict in whole.items()}
    assert set(traces["kind"]) == {"grouped", "ballot", "counted", "shown", "no-two-agreed"}
    keys = {step[3] for row in verdicts["transcript"] for step in json.loads(row)} - {None}
    assert keys <= set(store.frame("calls")["key"])
    assert all(json.loads(shape) for shape in store.frame("calls")["shape"])
    cells = {row["cell"]: row for row in store.frame("cells").to_dicts()}
    assert set(cells) == set(verdicts["cell"])
    assert {json.loads(cell["traits"]).get("word") for cell in cells.values()} == {"player", "group", "captain"}
    assert all({"given", "default"} == set(json.loads(cell["options"])) for cell in cells.values())
    alone = drafts.filter(polars.col("player") == "bob").select("question_id", "value")
    assert set(drafts.filter(polars.col("by") == "bob").select("question_id", "value").rows()) == set(alone.rows())
    figures = store.report().figures
    row = next(row for row in figures["players"] if row["player"] == "bob")
    assert alone["value"].mean() == pytest.approx(row["value"])
    questions = store.frame("questions")
    assert questions.height == 40
    assert questions["position"].to_list() == list(range(40))
    assert all("answer" in json.loads(content) for content in questions["content"])


def test_mistakes(cup: Path, tmp_path: Path) -> None:
    store = moot.open_store(str(cup.parent / "cup.db"))
    with pytest.raises(UsageError, match="no frame 'answers'; expected episodes, calls, scores"):
        store.frame("answers")
    with pytest.raises(UsageError, match="no run of 'cap'"):
        store.frame("episodes", "cap")
    with pytest.raises(UsageError, match="there is no store"):
        moot.open_store(str(tmp_path / "none.db"))
    with pytest.raises(UsageError, match=r"ends in \.html"):
        moot.report(cup).save(tmp_path / "report.pdf")  # type: ignore[operator]
    assert not (tmp_path / "none.db").exists()


def test_a_report_is_an_object(cup: Path, tmp_path: Path) -> None:
    found: Report = moot.report(cup, tmp_path / "report.html")  # type: ignore[operator]
    assert found.figures["headline"]["of"] == "talkative@ann"
    assert found.headline.startswith("On these 40 questions the team deciding by talkative with ann as captain")
    assert {section.id for section in found.sections} >= {"accuracy", "frontier"}
    shown = found._repr_html_()
    assert "declared in advance" in shown
    assert "<summary>Accuracy</summary>" in shown
    assert found.headline in repr(found)
    assert "talkative" in (tmp_path / "report.html").read_text(encoding="utf-8")
    by_url: Report = moot.report(f"sqlite:///{cup.parent / 'cup.db'}")  # type: ignore[operator]
    assert by_url.figures["accuracy"] == found.figures["accuracy"]


async def test_it_works_where_a_loop_is_running(cup: Path) -> None:
    assert asyncio.get_running_loop().is_running()
    assert moot.open_store(str(cup.parent / "cup.db")).frame("episodes").height == 40 * 9


def test_words_of_models_are_only_words() -> None:
    section = Section("x", "<b>", ("<script>",), (Column("a", "<i>"),), [{"a": "<img onerror=x>"}])
    shown = section_html(section)
    assert "<script>" not in shown
    assert "<img" not in shown
    assert "&lt;img" in shown


def test_the_names_are_light() -> None:
    """`import moot` brings nothing heavy along, and `moot.report` is there before and after it was used."""
    code = (
        "import sys, moot; assert 'polars' not in sys.modules and 'numpy' not in sys.modules; r = moot.report;"
        " assert callable(r); import moot.measures.section; assert callable(moot.report) and callable(moot.open_store)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_tables_as_files(cup: Path, tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(app, ["report", str(cup), "--format", kind, "-o", str(tmp_path / "tables")]) == 0
    read = polars.read_csv if kind == "csv" else polars.read_parquet
    tables = {path.stem: read(path) for path in (tmp_path / "tables").iterdir()}
    assert {"accuracy", "episodes", "outcomes", "gains", "comparisons", "frontier", "skyline", "power"} <= set(tables)
    assert tables["episodes"].height == tables["verdicts"].height == 40 * 9
    assert {"calls", "scores", "traces", "drafts", "cells", "questions"} <= set(tables)
    assert {name for name, table in tables.items() if not table.height} == {
        *("judgements", "settlements", "grades", "matches", "choices", "preferences")
    }, "no judge, no grader of one's own, nobody groups, nothing was chosen"
    assert "outcomes.refused" in tables["accuracy"].columns
    assert tables["accuracy"]["value"].dtype == polars.Float64
    assert f"{len(tables)} tables in" in capsys.readouterr().err


def test_nested_rows_become_columns() -> None:
    found = as_frame(rows_columns([{"a": 1, "b": {"c": 2.5, "d": [1, 2]}}, {"a": 2, "e": None}]))
    assert found.rows(named=True) == [
        {"a": 1, "b.c": 2.5, "b.d": "[1, 2]", "e": None},
        {"a": 2, "b.c": None, "b.d": None, "e": None},
    ]


def test_two_runs_side_by_side(cup: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    second = cup.with_name("second.yaml")
    assert run_app(app, ["report", str(cup), str(second), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert [run["experiment"] for run in shown["runs"]] == ["cup", "second"]
    assert shown["common_questions"] == 40
    rows = {row["of"]: row for row in shown["comparisons"]}
    assert set(rows) == {f"{what}@{who}" for what in ("solo", "vote") for who in MODELS}
    first, other = (
        {row["label"] + "@" + (row.get("player") or row["captain"]): row["value"] for row in run["accuracy"]}
        for run in shown["runs"]
    )
    for title, row in rows.items():
        assert row["difference"] == pytest.approx(other[title] - first[title])
        assert row["family"] == 6
    assert run_app(app, ["report", str(cup), str(second)]) == 0
    said = capsys.readouterr().out
    assert "Second run against the first" in said
    assert "on the 40 questions that both have" in said
    assert run_app(app, ["report", str(cup), str(second), "-o", str(tmp_path / "both.html")]) == 0
    assert "second" in (tmp_path / "both.html").read_text(encoding="utf-8")
    assert run_app(app, ["report", str(cup), str(second), "--format", "csv", "-o", str(tmp_path / "t")]) == 0
    assert (tmp_path / "t" / "side-by-side.csv").exists()
    assert (tmp_path / "t" / "run-2" / "episodes.csv").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["FILE", "FILE", "FILE"], "one experiment file or two"),
        (["FILE", "FILE", "--store", "sqlite:///x.db"], "--store goes with one file"),
        (["FILE", "-o", "report.pdf"], "ends in .html"),
        (["FILE", "--format", "xlsx"], "expected csv, parquet or latex"),
        (["FILE", "--json", "-o", "x.html"], "--json prints on stdout"),
        (["FILE", "-o", "/no/such/folder/report.html"], "No such file"),
        ([], "expected an experiment file or --store"),
    ],
)
def test_wrong_commands(cup: Path, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(app, ["report", *(str(cup) if each == "FILE" else each for each in arguments)]) == 2
    assert said in capsys.readouterr().err


def test_every_frame_of_plays_can_be_joined(tmp_path: Path) -> None:
    """Cohorts of one team share labels and captains' names: the cell tells them apart, in every frame."""
    players = {"ann": "one", "bob": "one", "cat": "two", "dan": "two"}

    def judge(request: Request) -> Script:
        answers = re.findall(r'<answer n="(\d+)">\s*(.*?)\s*</answer>', request.messages[-1].content, re.S)
        return {"grades": [{"id": int(number), "is_correct": answer == "Paris"} for number, answer in answers]}

    def reply(request: Request) -> Script:
        return {"reasoning": "A hunch.", "answer": "Paris" if request.question_id == "q0" else "Lutetia"}

    models = {name: ScriptedModel(name, reply) for name in players} | {"judy": ScriptedModel("judy", judge)}
    cohorts = {cohort: [name for name in players if players[name] == cohort] for cohort in ("one", "two")}
    keys = {
        "name": "apart",
        "questions": [Case(Question(f"q{number}", f"Which city, {number}?"), "Paris") for number in range(3)],
        "models": models,
        "players": {name: {"model": name} for name in players},
        "teams": {"four": {"players": list(players), "captain": None, "cohorts": cohorts}},
        "strategies": ["vote"],
        "judge": {"models": ["judy"]},
    }
    store = moot.run(keys, store=str(tmp_path / "apart.db"))
    place = ["experiment", "cell", "question_id", "repeat"]
    verdicts = store.frame("verdicts")
    assert verdicts.select(place).is_duplicated().sum() == 0
    assert set(verdicts["cohort"]) == {"one", "two"}
    for kind in ("episodes", "scores", "traces", "drafts"):
        table = store.frame(kind)
        assert {"cohort", "cell"} <= set(table.columns), kind
        assert table.join(verdicts.select(place), on=place, how="anti").height == 0, kind
        assert verdicts.join(table.select(place), on=place, how="anti").height == 0, kind
    assert store.frame("episodes").select(place).is_duplicated().sum() == 0
    judgements = store.frame("judgements")
    assert judgements.select("question_id", "answer", "right").rows() == [
        ("q1", "lutetia", False),
        ("q2", "lutetia", False),
    ]
    assert all(name.startswith("judy#") for name in judgements["judge"])
    settlements = store.frame("settlements")
    assert settlements.height == 0
    assert "settled_at" in settlements.columns


def test_frames_of_grades_matches_and_choices(tmp_path: Path) -> None:
    """What a report is computed from beside the play can be taken out as well."""

    class Lenient:
        name = "lenient"
        version = 3

        async def grade(self, case: Case, verdict: moot.Verdict) -> moot.Score:
            return moot.Score(0.5, "lenient", "why not")

    def said(name: str) -> ScriptedModel:
        def script(request: Request) -> dict[str, Any]:
            if "groups" in (request.schema or {}).get("properties", {}):
                return {"groups": [[1, 2]]}
            return {"reasoning": "r", "answer": f"Paris of {name}", "solution": "Paris"}

        return ScriptedModel(name, script)

    models = {name: said(name) for name in ("ann", "bob", "sue")}
    case = Case(Question("1", "Capital of France?"), "Paris")
    keys: dict[str, Any] = {"name": "cup", "models": models, "questions": [case], "grader": Lenient()}
    keys |= {"grouping": {"model": "sue"}, "strategies": ["vote"], "players": {"ann": {"model": "ann"}}}
    keys["players"]["bob"] = {"model": "bob"}
    results = moot.run(keys, store=tmp_path / "cup.db")
    answers = results.frame("grades").select("question_id", "answer", "grader", "value", "stage", "detail").rows()
    assert ("1", "paris of ann", "lenient@3", 0.5, "lenient", "why not") in answers
    matches = results.frame("matches")
    assert matches["question_id"].to_list() == ["1"]
    assert json.loads(matches["content"][0])["groups"] == [["Paris of ann", "Paris of bob"]]
    assert results.frame("choices").height == 0
    (cell,) = results.frame("cells")["cell"]
    with sqlite3.connect(tmp_path / "cup.db") as database:
        database.executemany("INSERT INTO choices VALUES (?, ?)", [(cell, case.question.digest), (cell, "elsewhere")])
    chosen = results.frame("choices")
    assert set(chosen.select("cell", "question", "question_id").rows()) == {
        (cell, case.question.digest, "1"),
        (cell, "elsewhere", None),
    }
    assert set(chosen["strategy"]) == {"vote"}


def test_frames_of_pandas_need_nothing_else(cup: Path) -> None:
    """Where neither Polars nor PyArrow is installed; and they hold what those of Polars hold."""
    pandas = pytest.importorskip("pandas")
    store = moot.open_store(f"sqlite:///{cup.parent / 'cup.db'}")
    for kind in ("episodes", "calls", "questions", "scores"):
        ours, theirs = store.frame(kind, as_="pandas"), store.frame(kind)
        assert list(ours.columns) == theirs.columns
        held = [[None if pandas.isna(value) else value for value in row] for row in ours.itertuples(index=False)]
        assert held == [list(row) for row in theirs.rows()]
    assert str(store.frame("calls", as_="pandas")["prompt_tokens"].dtype) in ("int64", "Int64")
    assert list(store.experiments(as_="pandas")["experiment"]) == ["cup"]
    with pytest.raises(UsageError, match="expected polars or pandas"):
        store.frame("calls", as_="numpy")  # type: ignore[call-overload]
    script = (
        "import sys\nsys.modules['polars'] = sys.modules['pyarrow'] = None\nimport moot\n"
        f"frame = moot.open_store({str(cup.parent / 'cup.db')!r}).frame('episodes', as_='pandas')\n"
        "assert 'polars' not in {name for name, module in sys.modules.items() if module is not None}\nprint(len(frame))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(40 * 9)


def test_a_notebook_shows_what_the_page_says_first(cup: Path) -> None:
    found = moot.report(cup)
    shown = found._repr_html_()
    assert "40 questions · 3 players · 3 strategies" in shown
    assert "Simulated, not real: ann, bob, cat" in shown
    assert "<script" not in shown
    ids = [section.title for section in found.sections]
    assert shown.count("<details") == len(ids)
    rows = len(found.sections[0].rows)
    accuracy = shown.split("</details>")[0]
    assert accuracy.count("<svg") == rows
    dots = [float(place) for place in re.findall(r'<circle cx="([0-9.]+)"', accuracy)]
    values = [row["value"] for row in found.sections[0].rows]
    assert dots == [pytest.approx(5 + value * 110, abs=0.06) for value in values]


def test_a_table_for_a_paper_from_a_report(cup: Path) -> None:
    found = moot.report(cup)
    assert re.search(r"solo & ann & .*\\% \([0-9.]+--[0-9.]+\)", found.latex())
    with pytest.raises(UsageError, match="expected one of accuracy"):
        found.latex("nothing")
