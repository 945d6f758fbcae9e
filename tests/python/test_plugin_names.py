"""A name means one thing: what two packages bring under one name, or a package under a name of ours, is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from installing import write_points

import moot
from moot import Case, Question, ScriptedModel
from moot.cli.app import app
from moot.cli.exit import run_app
from moot.errors import UsageError
from moot.experiment.build import build
from moot.select.registry import selector

CASES = [Case(Question("1", "Capital of France?"), "Paris"), Case(Question("2", "Capital of Spain?"), "Madrid")]
MODEL = {"provider": "simulated", "accuracy": 0.5}

KINDS: dict[str, tuple[str, str, Callable[[str], dict[str, Any]]]] = {
    "moot.strategies": ("strategy", "vote", lambda name: {"strategies": [name]}),
    "moot.graders": ("grader", "match", lambda name: {"grader": name}),
    "moot.ballots": ("rule of voting", "ranked-voting", lambda name: {"strategies": [{"discuss": {"decision": name}}]}),
    "moot.datasets": ("format", "mmlu", lambda name: {"questions": {"format": name, "file": "rows.jsonl"}}),
    "moot.logs": ("format of logs", "inspect", lambda name: {"questions": {"format": name, "file": "rows.jsonl"}}),
    "moot.models": ("provider", "simulated", lambda name: {"models": {"ann": {**MODEL, "provider": name}}}),
}


def keys(**more: Any) -> dict[str, Any]:
    models = {name: ScriptedModel(name, lambda _: {"reasoning": "r", "answer": "Paris"}) for name in ("ann", "bob")}
    return {"name": "cup", "models": models, "questions": CASES, **more}


@pytest.fixture
def site(tmp_path: Path, installed: Callable[[Path], None]) -> Callable[..., None]:
    """Installs packages that bring things under names: `site(("one-pack", "moot.graders", "mine", "one:A"))`."""

    def install(*packages: tuple[str, str, str, str]) -> None:
        for package, group, name, place in packages:
            write_points(tmp_path, package, {group: {name: place}})
        (tmp_path / "rows.jsonl").write_text("{}\n", encoding="utf-8")
        installed(tmp_path)

    return install


@pytest.mark.parametrize("group", KINDS)
def test_a_name_of_ours_that_a_package_brings_too_is_refused(
    group: str, site: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    kind, name, more = KINDS[group]
    site(("their-pack", group, name, "their_pack:Thing"))
    words = rf"{kind} '{name}' is brought by moot .* and by the package their-pack \(their_pack:Thing\).*pip uninstall"
    with pytest.raises(UsageError, match=words):
        build(moot.Experiment(**keys(**more(name))).as_file)


@pytest.mark.parametrize("group", [*KINDS, "moot.retrievers"])
def test_a_name_that_two_packages_bring_is_refused(
    group: str, site: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    facts = ("retriever", "", lambda name: {"strategies": [{"discuss": {"challenge": "facts", "facts": name}}]})
    kind, _, more = KINDS.get(group, facts)
    site(("one-pack", group, "mine", "one_pack:Thing"), ("two-pack", group, "mine", "two_pack:Thing"))
    both = r"by the package one-pack \(one_pack:Thing\) and by the package two-pack \(two_pack:Thing\)"
    with pytest.raises(UsageError, match=rf"{kind} 'mine' is brought {both}.*pip uninstall"):
        build(moot.Experiment(**keys(**more("mine"))).as_file)


def test_a_selector_of_two_packages_is_refused_too(site: Callable[..., None]) -> None:
    group = "moot.selectors"
    site(("one-pack", group, "greedy", "one:A"), ("two-pack", group, "mine", "one:A"), ("x-pack", group, "mine", "x:A"))
    with pytest.raises(UsageError, match=r"selector 'greedy' is brought by moot .* one-pack \(one:A\)"):
        selector("greedy")
    with pytest.raises(UsageError, match=r"selector 'mine' is brought .*two-pack \(one:A\) .*x-pack \(x:A\)"):
        selector("mine")
    assert selector("exact"), "what nobody else brings is as it was"


def test_one_place_under_two_packages_is_one_thing(site: Callable[..., None]) -> None:
    """A package that was renamed leaves its old metadata behind."""
    place, group = "moot.select.baselines:TopAccuracy", "moot.selectors"
    site(("old-pack", group, "mine", place), ("new-pack", group, "mine", place))
    assert selector("mine") == selector("top-accuracy")


def test_measures_of_one_name_are_not_taken_and_that_is_said(
    site: Callable[..., None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Measures are always taken, so nobody names them: the report says which were refused, and all else stands."""
    site(
        ("a-pack", "moot.measures", "accuracy", "a_pack:Accuracy"),
        ("b-pack", "moot.measures", "mine", "b_pack:Mine"),
        ("c-pack", "moot.measures", "mine", "c_pack:Mine"),
    )
    path = tmp_path / "cup.yaml"
    content = {"name": "cup", "models": {"ann": MODEL}, "questions": {"builtin": "facts-en", "sample": 3}}
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    assert run_app(app, ["run", str(path), "--quiet"]) == 0
    capsys.readouterr()
    assert run_app(app, ["report", str(path), "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["accuracy"], "moot's own is taken"
    errors = {row["name"]: row["error"] for row in figures["plugin_failures"]}
    assert errors.keys() == {"accuracy", "mine"}
    assert "and by the package a-pack (a_pack:Accuracy)" in errors["accuracy"]
    assert "by the package b-pack (b_pack:Mine) and by the package c-pack (c_pack:Mine)" in errors["mine"]


def test_what_cannot_be_loaded_is_named_with_its_package(site: Callable[..., None]) -> None:
    site(("their-pack", "moot.graders", "mine", "their_pack_without:Mine"))
    with pytest.raises(UsageError, match=r"grader 'mine' of the package their-pack \(their_pack_without:Mine\) cannot"):
        build(moot.Experiment(**keys(grader="mine")).as_file)


@pytest.mark.parametrize(
    ("group", "code", "words"),
    [
        ("moot.graders", "class Thing:\n    def __init__(self, ink): pass", "TypeError: .*ink"),
        ("moot.graders", "Thing = None", "TypeError"),
        ("moot.ballots", "class Thing:\n    def __init__(self): raise RuntimeError('no urn')", "RuntimeError: no urn"),
        ("moot.datasets", "class Thing:\n    pass", "expected a dataclass"),
        ("moot.strategies", "Thing = 5", "expected a dataclass"),
    ],
)
def test_what_cannot_be_made_is_named_with_its_package(
    group: str,
    code: str,
    words: str,
    site: Callable[..., None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    module = f"pack_{abs(hash((group, code)))}"
    (tmp_path / f"{module}.py").write_text(code, encoding="utf-8")
    kind, _, more = KINDS[group]
    site(("their-pack", group, "mine", f"{module}:Thing"))
    with pytest.raises(UsageError, match=rf"{kind} 'mine' of the package their-pack \({module}:Thing\).*{words}"):
        build(moot.Experiment(**keys(**more("mine"))).as_file)


def test_a_selector_that_is_no_dataclass_is_named_with_its_package(site: Callable[..., None], tmp_path: Path) -> None:
    (tmp_path / "their_selector.py").write_text("class Mine:\n    pass\n", encoding="utf-8")
    site(("their-pack", "moot.selectors", "mine", "their_selector:Mine"))
    with pytest.raises(UsageError, match=r"selector 'mine' of the package their-pack .*expected a dataclass"):
        selector("mine")
