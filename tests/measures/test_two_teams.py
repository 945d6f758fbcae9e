"""Where a file has several teams no figure is of two of them: who is meant is told by TEAM/LABEL@captain, in every place."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from worlds import World, row

import moot
from moot.cli.app import app
from moot.cli.exit import run_app
from moot.errors import UsageError
from moot.report.ending import print_ending
from moot.report.next_commands import NextCommands
from moot.report.remarks import remarks
from moot.report.sections import all_sections
from moot.report.terminal import print_sections

COUNT = 20
KNOWS = {"ann": range(16), "bob": range(12), "cat": range(8), "dan": range(16, 20)}
"""By player: the questions that it gets right alone. Both teams have cat."""
TEAMS = {
    "three": {"players": ["ann", "bob", "cat"], "captain": "each"},
    "two": {"players": ["cat", "dan"], "captain": "each"},
}
LED = {"ann": 17, "bob": 13, "cat": 9, "dan": 5}
"""How many of the first questions each gets right as a captain; cat at the table of two gets two more."""


def after(name: str, number: int, texts: Any) -> str:
    return "Paris" if number < LED[name] + (2 if len(texts) == 2 else 0) else "Rome"


def world() -> World:
    return World(
        lambda name, number, _: "Paris" if number in KNOWS[name] else "Rome", after, count=COUNT, players=tuple(KNOWS)
    )


HYPOTHESES = (
    "skyline(three/vote) > 0.5",
    "skyline(two/vote) > 0.5",
    "accuracy(three/silent) > 0.5",
    "accuracy(two/silent@cat) > 0.5",
    "gap_closure(three/silent@ann) > 0.5",
    "accuracy(silent@ann) - accuracy(two/silent) > 0",
)


def played(store: Path | None = None, primary: str = "three/silent", **more: Any) -> moot.Results:
    keys = world().keys(["solo", "vote", "silent"], teams=TEAMS, primary=primary, **more)
    return moot.run(keys, store=str(store) if store else None)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cup") / "cup.db"
    played(path, hypotheses=list(HYPOTHESES))
    return path


@pytest.fixture(scope="module")
def figures(store: Path) -> dict[str, Any]:
    return dict(json.loads(told("report", "--store", f"sqlite:///{store}", "--json")))


def told(*words: str, code: int = 0) -> str:
    """What a command prints; where it fails, how it says so."""
    said, beside = StringIO(), StringIO()
    with redirect_stdout(said), redirect_stderr(beside):
        assert run_app(app, list(words)) == code, beside.getvalue()
    return (beside if code else said).getvalue()


def shares(figures: Mapping[str, Any], label: str, team: str) -> dict[str, float]:
    return {r["captain"]: r["value"] for r in figures["accuracy"] if r["label"] == label and r.get("team") == team}


def test_the_headline_is_of_the_team_that_is_named(figures: dict[str, Any]) -> None:
    head, captains = figures["headline"], shares(figures, "silent", "three")
    assert (head["of"], head["team"], head["captains"], head["chosen"]) == ("three/silent", "three", 3, "declared")
    assert head["value"] == pytest.approx(sum(captains.values()) / 3)
    assert (
        'the team "three", deciding by silent, averaged over its 3 captains (declared in advance), got'
        in head["sentence"]
    )
    assert head["over_best_single"]["singles"] == 4, "dan sits elsewhere, and played alone"


def test_a_captain_of_two_teams_is_the_one_of_the_team() -> None:
    found = played(primary="two/silent@cat").figures
    head = found["headline"]
    assert head["value"] == shares(found, "silent", "two")["cat"] != shares(found, "silent", "three")["cat"]
    assert (head["team"], head["captain"]) == ("two", "cat")
    assert 'the team "two", deciding by silent with cat as captain' in head["sentence"]


def test_what_is_chosen_after_the_fact_is_named_as_a_file_would_name_it(figures: dict[str, Any]) -> None:
    assert figures["headline"]["after_the_fact"]["of"] == "three/silent@ann"
    titles = {each["of"] for each in figures["frontier"]}
    assert {"three/vote@ann", "two/vote@cat", "three/silent@cat", "two/silent@cat", "solo@cat"} <= titles


def test_each_hypothesis_is_of_one_team(figures: dict[str, Any]) -> None:
    values = {each["hypothesis"]: each["value"] for each in figures["hypotheses"]}
    three, two = shares(figures, "silent", "three"), shares(figures, "silent", "two")
    assert [values[text] for text in HYPOTHESES[:2]] == pytest.approx([0.8, 0.6]), "of either team's it would be 1"
    assert values[HYPOTHESES[2]] == pytest.approx(sum(three.values()) / 3)
    assert values[HYPOTHESES[3]] == pytest.approx(two["cat"])
    assert values[HYPOTHESES[5]] == pytest.approx(three["ann"] - sum(two.values()) / 2)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("vote", "'vote' is played by several teams; expected one of three/vote, two/vote"),
        ("silent@cat", "'silent@cat' is played by several teams; expected one of three/silent@cat, two/silent@cat"),
        ("thre/vote", "there is no team 'thre'; expected three, two; did you mean 'three'?"),
        ("three/voet", "strategy 'voet' is not played here; expected one of vote, silent; did you mean 'vote'?"),
        ("two/silent@ann", "'ann' leads no play of 'silent'; expected cat, dan"),
        ("three/solo@ann", "solo is played alone, and by no team; expected 'solo@ann'"),
    ],
)
def test_a_side_that_is_nobody_or_several_is_refused(said: str, expected: str, store: Path) -> None:
    with pytest.raises(UsageError) as refused:
        played(primary=said)
    assert expected in str(refused.value)
    assert "primary" in str(refused.value)
    with pytest.raises(UsageError) as refused:
        played(hypotheses=[f"accuracy({said}) > 0.5"])
    assert expected in str(refused.value)
    assert expected in told("compare", str(store), "--a", said, "--b", "solo@ann", code=2).replace("\n", " ")


def test_a_comparison_is_of_two_teams_each_for_itself(store: Path, figures: dict[str, Any]) -> None:
    found = json.loads(told("compare", str(store), "--a", "three/vote@cat", "--b", "two/vote@cat", "--json"))
    assert found["captains"] is None
    found = json.loads(told("compare", str(store), "--a", "three/silent", "--b", "two/silent", "--json"))
    three, two = shares(figures, "silent", "three"), shares(figures, "silent", "two")
    assert found["accuracy_a"]["value"] == pytest.approx(sum(three.values()) / 3)
    assert found["accuracy_b"]["value"] == pytest.approx(sum(two.values()) / 2)
    assert json.loads(told("compare", str(store), "--a", "silent@ann", "--b", "solo@ann", "--json"))["n"] == COUNT


def test_a_mean_over_captains_says_how_many_each_side_has(store: Path) -> None:
    sides = ("compare", str(store), "--a", "two/silent", "--b", "three/silent")
    assert json.loads(told(*sides, "--json"))["captains_of"] == {"a": 2, "b": 3}
    assert "by its mean over 2 and 3 captains." in told(*sides)
    alike = ("compare", str(store), "--a", "two/silent", "--b", "two/vote")
    assert "captains_of" not in json.loads(told(*alike, "--json"))
    assert "by its mean over 2 captains." in told(*alike)


@pytest.fixture(scope="module")
def talked() -> moot.Results:
    return moot.run(world().keys(["vote", "talkative"], teams=TEAMS, primary="three/vote@ann"))


def test_what_a_run_could_have_shown_is_told_of_each_team(talked: moot.Results) -> None:
    rows = [each for each in talked.figures["power"] if each["a"] == "talkative@cat"]
    assert {each["team"] for each in rows} == {"three", "two"}
    compared = {each["team"]: each for each in talked.figures["comparisons"] if each["a"] == "talkative@cat"}
    for each in rows:
        pairs = compared[each["team"]]["rescues"] + compared[each["team"]]["regressions"]
        assert each["discordant"] == pairs
    assert all(each["team"] == "three" for each in talked.figures["power"] if each["a"].startswith("three/"))
    lines = shown(dict(talked.figures), "power")
    assert {line[0] for line in lines if "talkative@cat" in line} == {"three", "two"}


def test_from_when_on_talking_pays_is_told_of_each_team(talked: moot.Results) -> None:
    learnt = {each["team"]: each["talk_threshold"] for each in talked.figures["teams"]}
    assert set(learnt) == {"three", "two"}
    said = [line for line in remarks(talked.figures) if "different answers on" in line]
    assert [team for team in learnt for line in said if f" team {team}" in line] == ["three", "two"]
    (section,) = [each for each in talked.sections if each.id == "talk-threshold"]
    assert [each["team"] for each in section.rows] == 3 * ["three"] + 3 * ["two"]


def test_a_store_that_declares_several_teams_as_one_has_no_figure_for_them(tmp_path: Path) -> None:
    """As files could once say it: the mean over teams is nobody's."""
    path = tmp_path / "cup.db"
    played(path, primary="three/vote@ann", hypotheses=["accuracy(three/vote@ann) > 0.5"])
    with closing(sqlite3.connect(path)) as database, database:
        ((config,),) = database.execute("SELECT config FROM experiments").fetchall()
        text = config if isinstance(config, str) else config.decode()
        database.execute("UPDATE experiments SET config = ?", (text.replace("three/vote@ann", "vote"),))
        database.execute("UPDATE declarations SET text = replace(text, 'three/vote@ann', 'vote')")
    where = ("report", "--store", f"sqlite:///{path}")
    found = json.loads(told(*where, "--json"))
    head, several = found["headline"], "'vote' is played by several teams; expected one of three/vote, two/vote"
    assert (head["of"], head["chosen"], head["value"], head["team"], head["why"]) == (
        *("vote", "declared", None, None),
        several,
    )
    first, beside = f"The primary, vote, has no figure: {several}. ", head["after_the_fact"]
    assert head["sentence"].startswith(
        f"{first}The best row, {beside['of']} with {beside['value']:.1%}".replace("%", " %")
    )
    assert head["sentence"].endswith("the lower end allows for the choice), was picked afterwards.")
    (hypothesis,) = found["hypotheses"]
    assert (hypothesis["value"], hypothesis["verdict"], hypothesis["note"]) == (None, "open", several)
    assert "vote, declared" not in told(*where), "no row is the one that was declared"
    assert f"value is not known ({several})" in told(*where, "--fail-under", "value>0.1", code=1).replace("\n", " ")


def test_a_player_of_two_teams_is_alone_once(figures: dict[str, Any]) -> None:
    alone = [each["player"] for each in figures["accuracy"] if each.get("player")]
    assert sorted(alone) == ["ann", "bob", "cat", "dan"]


def test_also_where_one_team_has_a_captain_of_its_own() -> None:
    teams = {"three": TEAMS["three"], "two": {"players": ["cat", "dan"], "captain": "dan"}}
    keys = world().keys(["solo", "vote"], teams=teams)
    alone = [each["player"] for each in moot.run(keys).figures["accuracy"] if each.get("player")]
    assert sorted(alone) == ["ann", "bob", "cat", "dan"]


def shown(figures: dict[str, Any], section: str | None) -> list[list[str]]:
    """The words of each line."""
    out = StringIO()
    console = Console(file=out, width=100)
    if section is None:
        print_ending(figures, console, NextCommands("cup.yaml"))
    else:
        print_sections(figures, console, [section])
    return [line.split() for line in out.getvalue().splitlines()]


@pytest.mark.parametrize("section", [None, "accuracy"])
def test_tables_tell_the_teams_apart(section: str | None) -> None:
    found = played(primary="two/silent@cat").figures
    lines = shown(dict(found), section)
    rows = [line[:4] for line in lines if "silent" in line[:2] or "silent," in line[:2]]
    named = ["two", "silent,", "declared", "cat"] if section is None else ["two", "silent", "cat"]
    assert [line[: len(named)] for line in rows].count(named) == 1
    if section is not None:
        assert row([{"line": tuple(line[:3])} for line in rows], line=("three", "silent", "cat"))


def test_the_best_single_model_may_sit_at_another_table() -> None:
    """A team of two that beats both of its own is not more than the best single model while ann, of the other, is better."""
    head = played(primary="two/silent@cat").figures["headline"]
    over = head["over_best_single"]
    assert over["single"] == "ann"
    assert over["difference"] == pytest.approx(11 / 20 - 16 / 20)
    assert "less than the best single model, ann" in head["sentence"] or "cannot be told" in head["sentence"]


ONE_LED = {"three": TEAMS["three"], "free": {"players": ["bob", "cat", "dan"]}}
"""Only of the first there are figures about captains: the second votes too."""


def shown_in_a_terminal(figures: Mapping[str, Any], section: str) -> str:
    console = Console(file=(written := StringIO()), width=200, color_system=None)
    print_sections(figures, console, [section])
    return written.getvalue()


def test_a_table_that_only_one_of_several_teams_is_in_names_it() -> None:
    figures = moot.run(world().keys(["solo", "vote"], teams=ONE_LED)).figures
    of_one = {
        section.id: section
        for section in all_sections(figures)
        if len({row.get("team") for row in section.rows if row.get("team")}) == 1
    }
    assert {"gains", "by-captain", "diversity-captains", "safety", "native-and-after", "coverage"} <= set(of_one)
    for ident, section in of_one.items():
        assert section.columns[0].key == "team", ident
    assert "Gain over the captain alone (three)" in shown_in_a_terminal(figures, "gains")


def test_a_team_without_a_share_of_the_gap_is_not_left_out_without_a_word() -> None:
    """Whoever of three is right, ann is: there is no gap to close, and the shares of two stand alone."""
    figures = moot.run(world().keys(["solo", "vote"], teams={**TEAMS, "two": {"players": ["cat", "dan"]}})).figures
    without = [row for row in figures["gap"] if row["value"] is None]
    assert {row["team"] for row in without} == {"three"}
    names = "three/vote@ann, three/vote@bob, three/vote@cat, three/vote"
    sentence = f"No share of {names}: {without[0]['why']}."
    (section,) = (section for section in all_sections(figures) if section.id == "gap")
    assert (section.columns[0].key, {row["team"] for row in section.rows}) == ("team", {"two"})
    assert sentence in section.words
    assert "Share of the gap to the skyline closed (two)" in shown_in_a_terminal(figures, "gap")
    assert sentence in shown_in_a_terminal(figures, "gap")
