"""One name for one side: `run`, `ask`, `show`, `compare` and what is served read TEAM/LABEL@captain alike."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.errors import UsageError
from moot.experiment.build import build
from moot.experiment.side_names import SideName, cells_named, parse_side
from moot.experiment.spec import read_experiment
from moot.live.served_names import served_names
from moot.live.team import load_team
from moot.report.names import shortened

TEAMS = {
    "three": {"players": ["ann", "bob", "cat"], "captain": "each"},
    "two": {"players": ["cat", "dan"], "captain": "dan"},
    "halves": {"players": ["ann", "bob", "cat", "dan"], "cohorts": {"left": ["ann", "bob"], "right": ["cat", "dan"]}},
}
Said = Callable[..., tuple[int, str, str]]


def write(folder: Path, **more: Any) -> Path:
    models = {name: {"provider": "simulated", "accuracy": 0.5} for name in ("ann", "bob", "cat", "dan")}
    keys: dict[str, Any] = {
        "name": "cup",
        "questions": {"builtin": "general-en", "sample": 4},
        "models": models,
        "teams": TEAMS,
        "strategies": ["solo", "vote"],
    }
    path = folder / "cup.yaml"
    path.write_text(json.dumps(keys | more), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = write(tmp_path_factory.mktemp("cup"))
    assert run_app(app, ["run", str(path), "--quiet"]) == 0
    return path


@pytest.fixture
def said(capfd: pytest.CaptureFixture[str]) -> Said:
    def run(*words: str) -> tuple[int, str, str]:
        capfd.readouterr()
        status = run_app(app, list(words))
        told = capfd.readouterr()
        return status, told.out, " ".join(told.err.split())

    return run


@pytest.mark.parametrize(
    ("text", "side"),
    [
        ("vote", SideName("vote")),
        ("three/vote", SideName("vote", team="three")),
        (" three / vote @ ann ", SideName("vote", "ann", team="three")),
        ("three/adaptive(talk_from = 3)@ann, open", SideName("adaptive(talk_from=3)", "ann", "open", "three")),
        ("motto(text='a/b, c')", SideName("motto(text='a/b, c')")),
        ("three/motto(text='a/b@c')", SideName("motto(text='a/b@c')", team="three")),
        ("""motto(it's ,by="a , b")""", SideName("""motto(it's, by="a , b")""")),
    ],
)
def test_a_name_is_read_and_told_alike(text: str, side: SideName) -> None:
    assert parse_side(text) == side
    assert parse_side(str(side)) == side


def test_every_name_that_is_served_or_told_is_one_that_can_be_named(cup: Path) -> None:
    plan = build(read_experiment(cup))
    rows = [cell.row() for cell in plan.cells]
    for name, cell in served_names(plan).items():
        assert cells_named(name, rows)[0]["id"] == cell.id, name
    for cell in plan.cells:
        (meant,) = cells_named(cell.titled(team=True), rows)
        assert meant["id"] == cell.id


def test_a_file_that_means_several_teams_is_refused_with_what_to_write(tmp_path: Path, said: Said) -> None:
    expected = "'vote' is played by several teams; expected one of three/vote, two/vote, halves/vote"
    for more in ({"primary": "vote"}, {"hypotheses": ["accuracy(vote) > 0.5"]}):
        status, _, complaint = said("run", str(write(tmp_path, **more)), "--quiet")
        assert status == 2
        assert f"{'.'.join(more)}" in complaint
        assert expected in complaint
    several = {"halves": TEAMS["halves"], "other": {**TEAMS["halves"]}}
    path = write(tmp_path, teams=several, hypotheses=["accuracy(solo, left) > 0.5"])
    status, _, complaint = said("run", str(path), "--quiet")
    assert status == 2
    assert "several teams have a cohort 'left' (halves, other), and who plays alone is of none" in complaint


@pytest.mark.parametrize(
    ("named", "title"),
    [
        ("three/vote@bob", "three/vote@bob"),
        ("two/vote", "two/vote@dan"),
        ("vote@bob", "three/vote@bob"),
        ("two/silent", "two/silent@dan"),
        ("solo@cat", "solo@cat"),
    ],
)
def test_ask_plays_who_is_named(
    named: str, title: str, cup: Path, said: Said, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOOT_LOG", str(tmp_path / "log.db"))
    _, told, complaint = said("ask", "Which river?", "--team", str(cup), "--strategy", named, "--json")
    assert [verdict["title"] for verdict in json.loads(told)["verdicts"]] == [title], complaint
    entry = json.loads(said("log", "--limit", "1", "--json")[1])[0]
    assert (entry["strategy"], entry["team"]) == (title, title.partition("/")[0] if "/" in title else None)
    assert title in said("log", "--limit", "1")[1]
    assert json.loads(said("log", entry["id"], "--json")[1])["episode"]["title"] == title


def test_ask_and_compare_refuse_what_several_teams_play(cup: Path, said: Said) -> None:
    expected = "is played by several teams; expected one of three/vote, two/vote, halves/vote"
    status, _, complaint = said("ask", "Which river?", "--team", str(cup), "--strategy", "vote")
    assert status == 2
    assert expected in complaint
    status, _, complaint = said("compare", str(cup), "--a", "vote", "--b", "solo@ann")
    assert status == 2
    assert f"--a: 'vote' {expected}" in complaint


def test_ask_of_all_tells_the_teams_apart(cup: Path, said: Said) -> None:
    _, told, _ = said("ask", "Which river?", "--team", str(cup), "--all", "--json")
    titles = [verdict["title"] for verdict in json.loads(told)["verdicts"]]
    assert len(set(titles)) == len(titles)
    assert {"solo@cat", "three/vote@ann", "two/vote@dan", "halves/vote, left"} <= set(titles)


def test_show_takes_more_or_less_of_a_name(cup: Path, said: Said) -> None:
    question = next(iter(build(read_experiment(cup)).dataset or ())).question.id

    def titles(named: str) -> list[str]:
        told = json.loads(said("show", str(cup), question, "--strategy", named, "--json")[1])
        return [each["title"] for each in told]

    assert titles("vote@cat") == ["three/vote@cat"]
    assert titles("two/vote") == ["two/vote@dan"]
    assert len(titles("vote")) == 6
    assert titles("halves/vote, left") == ["halves/vote, left"]


def test_a_mean_over_cohorts_or_players_is_not_called_one_over_captains(cup: Path, said: Said) -> None:
    _, told, _ = said("compare", str(cup), "--a", "halves/vote", "--b", "solo@ann")
    assert "by its mean over 2 cohorts on the side of halves/vote." in " ".join(told.split())
    _, told, _ = said("compare", str(cup), "--a", "solo", "--b", "two/vote")
    assert "by its mean over 4 players on the side of solo." in " ".join(told.split())
    _, told, _ = said("compare", str(cup), "--a", "halves/vote", "--b", "three/vote")
    assert "by its mean over 2 cohorts and 3 captains." in " ".join(told.split())
    _, told, _ = said("compare", str(cup), "--a", "three/vote", "--b", "two/vote")
    assert "by its mean over 3 captains on the side of three/vote." in " ".join(told.split())


def test_short_names_keep_the_team() -> None:
    labels = ("mixture(repeats=2, order=a)", "mixture(repeats=2, order=b)")
    options = ({"repeats": 2, "order": "a"}, {"repeats": 2, "order": "b"})
    rows = [
        {"strategy": "mixture", "label": label, "options": given, "team": team, "captain": "ann"}
        for label, given in zip(labels, options, strict=True)
        for team in ("one", "two")
    ]
    figures = {"accuracy": rows, "frontier": [{"of": f"two/{labels[0]}@ann"}, {"of": labels[1]}]}
    assert [row["of"] for row in shortened(figures)["frontier"]] == ["two/mixture(order=a)@ann", "mixture(order=b)"]


ORDERS = (["ann", "bob", "cat"], ["cat", "bob", "ann"])
TOLD = "cascade(order=cat+bob+ann)"
SPELLED = (TOLD, "cascade(order=('cat', 'bob', 'ann'))", "cascade( order = ('cat','bob','ann') )", f"three/{TOLD}")


@pytest.fixture(scope="module")
def orders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    strategies = ["vote", *({"cascade": {"order": order}} for order in ORDERS)]
    teams = {"three": {"players": ["ann", "bob", "cat"]}}
    claims = [f"accuracy({name}) > accuracy(vote)" for name in SPELLED]
    path = write(tmp_path_factory.mktemp("orders"), strategies=strategies, teams=teams, hypotheses=claims)
    assert run_app(app, ["run", str(path), "--quiet"]) == 0
    return path


def test_the_order_of_a_cascade_has_one_spelling_and_both_are_read(orders: Path, said: Said) -> None:
    status, told, _ = said("report", str(orders), "--json")
    report = json.loads(told)
    assert TOLD in {row["label"] for row in report["accuracy"]} & {
        row["label"] for row in shortened(report)["accuracy"]
    }
    assert len(report["hypotheses"]) == len(SPELLED)
    figures = [{name: row.get(name) for name in ("verdict", "value", "n", "why")} for row in report["hypotheses"]]
    assert figures[0]["n"] == 4
    assert all(each == figures[0] for each in figures), "one and the same"
    for name in SPELLED:
        status, told, error = said("compare", str(orders), "--a", name, "--b", "vote", "--json")
        assert status == 0, error
        status, told, error = said("ask", "Which?", "--team", str(orders), "--strategy", name, "--json", "--no-log")
        assert status == 0, error
        assert json.loads(told)["verdicts"][0]["title"] == TOLD
    assert said("compare", str(orders), "--a", "cascade(order=bob+cat+ann)", "--b", "vote")[0] == 2


async def test_what_is_served_is_found_by_either_spelling(orders: Path) -> None:
    async with load_team(orders, keep=False) as live:
        assert f"three/{TOLD}" in live.models
        cell = live.cell(f"three/{TOLD}")
        for name in SPELLED[:3]:
            assert live.cell(f"three/{name}") is cell
        with pytest.raises(UsageError, match="could be any of"):
            live.cell("three/cascade")
