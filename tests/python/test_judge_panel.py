"""The worked example of docs/extending.md: a strategy, its prompts and its measure, in one folder outside of the tree.

Played both ways: found by its entry points through the command line, and given as objects to `moot.run`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from installing import write_metadata
from page_data import page_text

import moot
from moot import Case, Question, Request, ScriptedModel
from moot.errors import FileError
from moot.experiment.build import build
from moot.testing import check_measure, check_strategy
from moot.traces import Ballot, Counted, Shown, of_kind

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "judge-panel"
JURORS = ("m1", "m2", "m3")
MODELS = {
    name: {"provider": "simulated", "accuracy": accuracy}
    for name, accuracy in {"ann": 0.7, "bob": 0.6, "cat": 0.5, "m1": 0.8, "m2": 0.7, "m3": 0.6}.items()
}
WRITTEN: dict[str, Any] = {
    "name": "jury",
    "seed": 7,
    "questions": {"builtin": "general-en", "sample": 20},
    "models": MODELS,
    "strategies": ["vote", {"judge-panel": {"jurors": [*JURORS]}}],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The example, copied to where nothing of ours is."""
    return Path(shutil.copytree(EXAMPLE, tmp_path / "panel", ignore=shutil.ignore_patterns("__pycache__")))


@pytest.fixture
def panel(folder: Path, installed: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch) -> Any:
    """Its module, imported and not installed: there is no metadata."""
    for name in ("judge_panel", "judge_panel.agreement"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    installed(folder)
    import judge_panel

    return judge_panel


@pytest.fixture
def measure(panel: Any) -> Any:
    from judge_panel import agreement  # type: ignore[import-not-found]

    return agreement.JuryAgreement()


def test_it_is_two_python_files_and_a_template_in_each_language() -> None:
    files = sorted(
        str(path.relative_to(EXAMPLE))
        for path in EXAMPLE.rglob("*")
        if path.is_file() and "__pycache__" not in str(path)
    )
    package = ("__init__.py", "agreement.py", "prompts/en/jury.j2", "prompts/ru/jury.j2")
    assert files == [*(f"judge_panel/{name}" for name in package), "pyproject.toml"]


def test_what_is_built_of_it_has_its_modules_and_its_templates(folder: Path, tmp_path: Path) -> None:
    """As pip builds it for others, who have not the folder: all of it under one name, which no other package takes."""
    pytest.importorskip("setuptools")
    build_it = "from setuptools import setup; setup()"
    arguments = ["build", "--build-base", str(tmp_path / "base"), "--build-lib", str(tmp_path / "site")]
    subprocess.run(
        [sys.executable, "-c", build_it, *arguments], cwd=folder, check=True, capture_output=True, timeout=120
    )
    built = sorted(
        str(path.relative_to(tmp_path / "site")) for path in (tmp_path / "site").rglob("*") if path.is_file()
    )
    assert built == [
        "judge_panel/__init__.py",
        "judge_panel/agreement.py",
        "judge_panel/prompts/en/jury.j2",
        "judge_panel/prompts/ru/jury.j2",
    ]


@pytest.mark.long
async def test_its_measure_keeps_the_contract_on_what_the_jury_leaves(panel: Any, measure: Any) -> None:
    await check_measure(measure, strategies=[panel.JudgePanel(jurors=("m1", "m2"))], keys=["jury"])


def draws(request: Request) -> str:
    return request.messages[-1].content


def player(name: str, answer: str) -> ScriptedModel:
    return ScriptedModel(name, lambda request: {"reasoning": f"{name} is sure of it", "answer": answer})


def juror(name: str, wanted: str) -> ScriptedModel:
    """Picks the answer that it wants, wherever it stands."""

    def pick(request: Request) -> dict[str, Any]:
        listed = re.findall(r'<answer n="(\d+)">\n(.*)\n', draws(request))
        return {"reasoning": "so it is", "pick": next(int(number) for number, text in listed if text == wanted)}

    return ScriptedModel(name, pick)


def scripted() -> dict[str, ScriptedModel]:
    models = [player("ann", "Paris"), player("bob", "Lyon"), player("cat", "Nice")]
    models += [juror("m1", "Paris"), juror("m2", "Lyon"), juror("m3", "Paris")]
    return {model.name: model for model in models}


CASES = [Case(Question(str(number), f"Capital of France, {number}?"), "Paris") for number in range(8)]


def test_given_as_objects_it_asks_staffs_counts_and_is_measured(panel: Any, measure: Any, tmp_path: Path) -> None:
    models = scripted()
    results = moot.run(
        {"name": "jury", "seed": 7, "models": models, "questions": CASES},
        strategies=[panel.JudgePanel(jurors=JURORS)],
        measures=[measure],
    )
    assert results.state == "done"
    assert list(results.experiment.players) == ["ann", "bob", "cat"], "jurors are not seated"

    # What was asked: drafts of the players alone, one look for each juror and question, names nowhere.
    for name in ("ann", "bob", "cat"):
        assert len(models[name].requests) == 8
    orders = set()
    for name in JURORS:
        assert len(models[name].requests) == 8
        for request in models[name].requests:
            prompt = draws(request)
            assert prompt.startswith("You are on a jury.")
            assert "Capital of France" in prompt
            assert "[…] is sure of it" in prompt
            assert not re.search(r"\b(ann|bob|cat|m1|m2|m3)\b", prompt)
            orders.add(tuple(re.findall(r'<answer n="\d+">\n(.*)\n', prompt)))
    assert len(orders) == 6, "each juror has an order of its own for every question"

    # What was left on record.
    store = results.store
    verdicts = verdicts_of(store, "judge-panel")
    assert len(verdicts) == 8
    for verdict in verdicts:
        assert (verdict.answer, verdict.who, verdict.outcome) == ("Paris", ("ann",), "answered")
        looks = of_kind(verdict.traces, Shown)
        assert [(look.to, look.role, look.answer) for look in looks] == [
            ("juror-1", "juror", "Paris"), ("juror-2", "juror", "Lyon"), ("juror-3", "juror", "Paris"),
        ]  # fmt: skip
        for look, ballot in zip(looks, of_kind(verdict.traces, Ballot), strict=True):
            assert look.places is not None
            assert look.order[look.places[0]] == {"Paris": ("ann",), "Lyon": ("bob",)}[look.answer or ""]
            assert ballot.voter == look.to
            assert tuple(("ann", "bob", "cat")[place] for place in ballot.order) == tuple(
                name for (name,) in look.order
            )
        (counted,) = of_kind(verdict.traces, Counted)
        assert (counted.options, counted.points, counted.winners) == (("Paris", "Lyon", "Nice"), (2, 1, 0), (0,))

    # What is measured: one pair of three agrees; two of three picks are right.
    (row,) = results.figures["jury"]
    assert row["agree"] == pytest.approx(1 / 3)
    assert row["right"] == pytest.approx(2 / 3)
    assert (row["picks"], row["ungraded"]) == (24, 0)
    assert "jury" in [section.id for section in results.sections]
    page = page_text(results.save(tmp_path / "report.html"))
    assert "How far the jurors agree" in page
    assert "None" not in results.headline
    assert "aptain None" not in page
    assert {row["by"] for row in results.figures["position_bias"]} == {"juror"}, "only orders that were drawn count"


def verdicts_of(store: Any, strategy: str) -> list[moot.Verdict]:
    from sqlalchemy import Connection, select

    from moot.store import schema
    from moot.store.rows import verdict_of

    def read(connection: Connection) -> list[moot.Verdict]:
        episodes, cells = schema.episodes, schema.cells
        query = select(episodes.c.verdict).join(cells, cells.c.id == episodes.c.cell)
        return [verdict_of(text) for text in connection.execute(query.where(cells.c.strategy == strategy)).scalars()]

    found: list[moot.Verdict] = store._read(read)
    return found


def test_what_is_not_graded_is_in_no_share(panel: Any, measure: Any) -> None:
    asked = [Question("1", "Capital of France?")]
    results = moot.run(
        {"name": "jury", "models": scripted(), "questions": asked},
        strategies=[panel.JudgePanel(JURORS)],
        measures=[measure],
    )
    (row,) = results.figures["jury"]
    assert (row["right"], row["bounds"], row["ungraded"]) == (None, {"low": 0.0, "high": 1.0}, 3)
    assert row["why"] == "none of the answers to 1 question is graded"
    (section,) = [section for section in results.sections if section.id == "jury"]
    assert "3 of the picks are not graded, and in no share of right ones." in section.words


def test_jurors_who_say_nothing_leave_the_jury_undecided(panel: Any, measure: Any) -> None:
    models = {**scripted(), **{name: ScriptedModel(name, lambda request: "no") for name in JURORS}}
    results = moot.run(
        {"name": "jury", "models": models, "questions": CASES[:1]},
        strategies=[panel.JudgePanel(JURORS)],
        measures=[measure],
    )
    (verdict,) = verdicts_of(results.store, "judge-panel")
    assert verdict.outcome == "undecided"
    assert [ballot.choice for ballot in of_kind(verdict.traces, Ballot)] == [None] * 3
    assert "jury" not in results.figures


@pytest.mark.parametrize(
    ("jurors", "says"),
    [
        (["m1", "m1"], "jurors: expected different models, found m1, m1"),
        ([], "jurors: "),
        ("m1", "jurors: expected a list"),
        (["m1", "m9"], "unknown model 'm9'; expected one of ann, bob"),
    ],
)
def test_a_wrong_option_is_said_with_file_and_line(
    jurors: Any, says: str, folder: Path, installed: Callable[[Path], None], tmp_path: Path
) -> None:
    write_metadata(folder)
    installed(folder)
    path = tmp_path / "jury.yaml"
    path.write_text(
        yaml.safe_dump({**WRITTEN, "strategies": ["vote", {"judge-panel": {"jurors": jurors}}]}, sort_keys=False)
    )
    with pytest.raises(FileError) as caught:
        build(moot.Experiment.from_file(path).as_file)
    assert (caught.value.key or "").startswith("strategies.1")
    assert caught.value.line is not None
    assert says in str(caught.value)


def test_by_name_and_as_an_object_it_is_the_same_cell(
    panel: Any, folder: Path, installed: Callable[[Path], None]
) -> None:
    as_object = moot.Experiment(**{**WRITTEN, "strategies": ["vote", panel.JudgePanel(JURORS)]})
    given = build(as_object.as_file)
    assert isinstance(given.cells[-1].strategy, panel.JudgePanel)
    write_metadata(folder)
    installed(folder)
    by_name = build(moot.Experiment(**WRITTEN).as_file)
    assert [cell.id for cell in by_name.cells] == [cell.id for cell in given.cells]
    assert by_name.id == given.id


async def test_it_keeps_what_every_strategy_promises(panel: Any) -> None:
    await check_strategy(panel.JudgePanel(JURORS))


@pytest.mark.long
def test_found_by_entry_point_through_the_command_line(folder: Path, panel: Any, measure: Any, tmp_path: Path) -> None:
    before = subprocess.run(["git", "status", "--porcelain", "src"], cwd=ROOT, capture_output=True, text=True).stdout
    write_metadata(folder)
    path = tmp_path / "jury.yaml"
    path.write_text(yaml.safe_dump(WRITTEN, sort_keys=False))

    def command(*words: str) -> str:
        places = [str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(places), "COLUMNS": "140", "NO_COLOR": "1"}
        called = subprocess.run(
            [sys.executable, "-m", "moot", *words], cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        assert called.returncode == 0, called.stderr
        return called.stdout

    command("run", "jury.yaml", "--quiet")
    figures = json.loads(command("report", "jury.yaml", "--json"))
    (row,) = figures["jury"]
    assert row["label"].startswith("judge-panel(jurors=")
    assert row["picks"] == 60
    looks = [row for row in figures["position_bias"] if row["by"] == "juror"]
    assert [row.get("juror") for row in looks] == [None, *JURORS], "a Shown and a Ballot tell of one look"
    terminal = command("report", "jury.yaml", "--all")
    assert "How far the jurors agree" in terminal
    assert "aptain None" not in terminal
    command("report", "jury.yaml", "-o", "report.html")
    page = page_text(tmp_path / "report.html")
    assert "How far the jurors agree" in page
    assert "You are on a jury." in page, "the page shows every prompt"
    assert "aptain None" not in page
    after = subprocess.run(["git", "status", "--porcelain", "src"], cwd=ROOT, capture_output=True, text=True).stdout
    assert after == before, "nothing of ours was touched"

    as_objects = moot.run(
        {**WRITTEN, "strategies": ["vote"]}, strategies=[panel.JudgePanel(JURORS)], measures=[measure]
    )
    assert json.loads(json.dumps(as_objects.figures["jury"])) == figures["jury"]
    assert [row["value"] for row in as_objects.figures["accuracy"]] == [row["value"] for row in figures["accuracy"]]


def test_it_speaks_russian_too(panel: Any) -> None:
    models = scripted()
    russian = [Case(Question("1", "Столица Франции?", language="ru"), "Paris")]
    moot.run(
        {"name": "jury", "models": models, "questions": russian, "language": "ru"},
        strategies=[panel.JudgePanel(JURORS)],
    )
    assert draws(models["m1"].requests[0]).startswith("Вы в жюри.")


def test_the_page_shows_the_files_as_they_are() -> None:
    page = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    for path in sorted(EXAMPLE.rglob("*")):
        if path.is_file() and "__pycache__" not in str(path):
            name = path.relative_to(EXAMPLE).as_posix()
            assert f'title="{name}"\n{path.read_text(encoding="utf-8")}```\n' in page, f"{name} is another on the page"


def test_a_jury_of_one_agrees_with_nobody_and_is_shown(panel: Any, measure: Any) -> None:
    plan = {**WRITTEN, "questions": {"builtin": "general-en", "sample": 5}, "strategies": ["vote"]}
    results = moot.run(plan, strategies=[panel.JudgePanel(jurors=("m1",))], measures=[measure])
    assert "plugin_failures" not in results.figures
    (row,) = next(section.rows for section in results.sections if section.id == "jury")
    assert (row["agree"], row["agree_low"], row["agree_high"], row["picks"]) == (None, None, None, 5)
