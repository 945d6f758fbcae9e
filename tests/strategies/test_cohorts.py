"""Cohorts: tables of their own, for every strategy, whoever is captain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from moot.errors import FileError
from moot.experiment.build import build
from moot.experiment.plan import Plan
from moot.experiment.spec import read_experiment
from moot.models.scripted import ScriptedModel
from moot.strategies import Strategy, strategy
from moot.strategies.debate.debate import Debate
from moot.strategies.peer_review.peer_review import PeerReview
from moot.strategies.solo import Solo
from moot.strategies.vote import Vote
from moot.team import Player, Team

COHORTS = {"open": ("ann", "bob", "cat"), "closed": ("dan", "eve")}
NAMES = ("ann", "bob", "cat", "dan", "eve")


def team(**more: Any) -> Team:
    players = tuple(Player(name, ScriptedModel(f"model-{name}", [])) for name in NAMES)
    return Team("five", players, **{"cohorts": COHORTS, **more})


def seats(lineups: Sequence[Team]) -> list[tuple[str | None, str | None, tuple[str, ...]]]:
    return [(each.cohort, each.captain, tuple(player.name for player in each.players)) for each in lineups]


def experiment(folder: Path, cohorts: Mapping[str, Any] | None = None, **more: Any) -> Plan:
    path = folder / "net.yaml"
    models = {name: {"provider": "simulated", "accuracy": 0.5} for name in NAMES}
    table: dict[str, Any] = {"players": list(NAMES), "cohorts": cohorts or {k: list(v) for k, v in COHORTS.items()}}
    table |= more.pop("team", {})
    spec = {"name": "net", "questions": {"builtin": "facts-en"}, "models": models, "teams": {"five": table}, **more}
    path.write_text(yaml.safe_dump(spec, sort_keys=False), encoding="utf-8")
    return build(read_experiment(path))


def test_a_table_for_each_cohort() -> None:
    tables = team().tables()
    assert seats(tables) == [("open", None, ("ann", "bob", "cat")), ("closed", None, ("dan", "eve"))]
    assert [each.tables() for each in tables] == [(each,) for each in tables], "a table is not divided again"
    assert set(tables[1].names) >= {*NAMES, *(f"model-{name}" for name in NAMES)}, "names of others stay hidden"
    whole = team(cohorts={})
    assert whole.tables() == (whole,)


@pytest.mark.parametrize("played", [PeerReview(), Debate()], ids=["peer-review", "debate"])
def test_each_player_of_each_cohort_is_a_line_up(played: Strategy) -> None:
    expected = [(cohort, name, members) for cohort, members in COHORTS.items() for name in members]
    assert seats(played.lineups(team())) == expected
    assert seats(played.lineups(team(captain="each"))) == expected
    assert seats(played.lineups(team(captain="eve"))) == [("closed", "eve", ("dan", "eve"))]


@pytest.mark.parametrize("name", ["vote", "silent", "talkative", "adaptive"])
def test_a_captain_leads_its_own_cohort_only(name: str) -> None:
    lineups = strategy(name, {"captain": "dan"}).lineups(team())
    assert seats(lineups) == [("closed", "dan", ("dan", "eve"))]
    assert len(strategy(name).lineups(team(captain="each"))) == 5
    assert {each.cohort for each in strategy(name).lineups(team(captain="each"))} == {"open", "closed"}


def test_alone_there_are_no_cohorts() -> None:
    assert seats(Solo().lineups(team())) == [(None, None, (name,)) for name in NAMES]


def test_a_seated_team_keeps_all_that_it_is() -> None:
    table = replace(team().tables()[0], captain="ann", repeat=0)
    table.journal.append(None)  # type: ignore[arg-type]
    table.traced.append(None)  # type: ignore[arg-type]
    table.asked["ann", ()] = [(1, 0)]
    seated = table.seated(3)
    for name in Team.__dataclass_fields__:
        if name not in ("repeat", "journal", "traced", "asked"):
            assert getattr(seated, name) is getattr(table, name), name
    assert (seated.repeat, seated.journal, seated.traced, seated.asked) == (3, [], [], {})


def test_the_votes_of_two_cohorts_are_two_rows_with_names_of_their_own(tmp_path: Path) -> None:
    cells = experiment(tmp_path, strategies=["solo", "vote", "peer-review", "debate"]).cells
    titles = [cell.title for cell in cells]
    assert len(set(titles)) == len(titles)
    assert titles[5:8] == ["vote, open", "vote, closed", "peer-review@ann"]
    rows = {cell.title: cell.row() for cell in cells}
    assert rows["peer-review@eve"]["cohort"] == "closed"
    assert rows["solo@eve"]["cohort"] is None
    assert '"cohort":"closed"' in rows["debate@eve"]["spec"]
    assert '"cohort"' not in rows["solo@eve"]["spec"], "alone it is the same play as without cohorts"


def test_cells_without_cohorts_are_what_they_were(tmp_path: Path) -> None:
    """Their ids name what is stored; a new key in all of them would play everything again."""
    spec = experiment(tmp_path, strategies=["vote"], team={"cohorts": {}}).cells[0].spec
    assert not {"cohort", "drafts", "masked", "extract", "kind"} & set(yaml.safe_load(spec))


def test_what_is_masked_or_read_by_others_is_part_of_a_cell(tmp_path: Path) -> None:
    def ids(**more: Any) -> list[str]:
        return [cell.id for cell in experiment(tmp_path, strategies=["peer-review"], **more).cells]

    readers = {name: {"provider": "simulated", "accuracy": 0.9} for name in ("rae", "ros")}
    models = {name: {"provider": "simulated", "accuracy": 0.5} for name in NAMES}
    players = {name: {"model": name} for name in NAMES}
    plain = ids(models={**models, **readers}, players=players)
    read = ids(models={**models, **readers}, players=players, extract={"models": ["rae", "ros"]})
    fewer = ids(models=models, players=players)
    assert len({*plain, *read, *fewer}) == 15


def test_models_that_read_are_no_players(tmp_path: Path) -> None:
    models = {name: {"provider": "simulated", "accuracy": 0.5} for name in (*NAMES, "rae", "ros")}
    built = experiment(tmp_path, models=models, extract={"models": ["rae", "ros"]}, strategies=["peer-review"])
    assert list(built.players) == list(NAMES)
    reader: Any = built.cells[0].team.reader
    assert [each.model.name for each in reader.models] == ["rae", "ros"]


@pytest.mark.parametrize(
    ("cohorts", "place", "words"),
    [
        ({"open": ["ann", "zoe"]}, "cohorts.open.1", "'zoe' is not in this team; expected one of ann, bob"),
        ({"open": ["ann", "bob"], "closed": ["bob"]}, "cohorts.closed.0", "'bob' is in cohort 'open' already"),
        ({"open": ["ann", "ann"]}, "cohorts.open.1", "'ann' is in cohort 'open' already"),
        ({"open": ["ann", "bob", "cat"]}, "teams.five.cohorts", "dan, eve: in no cohort; expected every player"),
        ({"open": list(NAMES), "closed": []}, "cohorts.closed", "expected at least one player"),
    ],
)
def test_wrong_cohorts_are_refused(tmp_path: Path, cohorts: Mapping[str, Any], place: str, words: str) -> None:
    with pytest.raises(FileError) as raised:
        experiment(tmp_path, cohorts)
    assert words in str(raised.value)
    assert place in str(raised.value)


@pytest.mark.parametrize(
    ("models", "words"),
    [
        (["rae", "zoe"], "extract.models.1: unknown model 'zoe'"),
        (["rae", "rae"], "extract.models.1: expected two different models"),
    ],
)
def test_wrong_readers_are_refused(tmp_path: Path, models: list[str], words: str) -> None:
    listed = {name: {"provider": "simulated", "accuracy": 0.5} for name in (*NAMES, "rae")}
    with pytest.raises(FileError, match=words):
        experiment(tmp_path, models=listed, extract={"models": models})


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"peer-review": {}}, "'old' is a recording, which cannot explain its answer; expected drafts: single-call"),
        ({"peer-review": {"drafts": "single-call"}}, "'old' is a recording, which cannot be captain in peer-review"),
        (
            {"debate": {"drafts": "single-call", "captain": "ann"}},
            "'old' is a recording, which cannot take part in debate",
        ),
        ({"solo": {"drafts": "double-call"}}, "'old' is a recording, which cannot explain"),
        ({"peer-review": {"drafts": "single-call", "captain": "ann"}}, None),
    ],
)
def test_a_recording_has_one_reply(tmp_path: Path, entry: Mapping[str, Any], words: str | None) -> None:
    (tmp_path / "r.jsonl").write_text('{"model": "old", "question_id": "q", "answer": "A"}\n')
    models = {"ann": {"provider": "simulated", "accuracy": 0.5}}
    models["old"] = {"provider": "recorded", "file": "r.jsonl", "model": "old"}
    table = {"players": ["ann", "old"], "cohorts": {"one": ["ann", "old"]}}
    if words is None:
        assert len(experiment(tmp_path, models=models, team=table, strategies=[dict(entry)]).cells) == 1
        return
    with pytest.raises(FileError, match=words):
        experiment(tmp_path, models=models, team=table, strategies=[dict(entry)])


def test_the_vote_of_a_team_without_captain_is_one_for_each_cohort() -> None:
    assert seats(Vote().lineups(team())) == [("open", None, ("ann", "bob", "cat")), ("closed", None, ("dan", "eve"))]
