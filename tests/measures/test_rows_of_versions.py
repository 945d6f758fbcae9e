"""A family is what any version of the file would have printed: no row less, and none that nobody ever saw."""

from __future__ import annotations

import json
import random
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

import moot
from moot.experiment.build import build
from moot.experiment.plan import Plan
from moot.experiment.spec import read_experiment
from moot.measures.cells import stored_cell
from moot.measures.planned_families import family_sizes, more_rows

Rows = dict[str, set[Hashable]]
NAMES = ("ann", "bob", "cat", "dan")
TWICE: dict[str, Any] = {"solo": {"drafts": "double-call"}}
REVIEW: dict[str, Any] = {"peer-review": {"drafts": "single-call"}}
NAMED: dict[str, Any] = {"peer-review": {"drafts": "single-call", "names": "shown"}}
LED = {"vote": "vote", "silent": "silent", "talkative": "talkative", "review": REVIEW, "named": NAMED}
"""Strategies over the same drafts, each of which somebody leads."""


@dataclass(frozen=True)
class Version:
    """What a file says, as far as it is edited here."""

    seed: int = 1
    players: tuple[str, ...] = ("ann", "bob", "cat")
    captain: str = "each"
    poet: bool = False
    """Whether ann is told to be one."""
    team: str = "three"
    twice: bool = False
    strategies: tuple[str, ...] = ("vote", "talkative")

    @property
    def captains(self) -> Sequence[str]:
        return self.players if self.captain == "each" else (self.captain,)


def edited(before: Version, draw: random.Random) -> Version:
    """Anything that somebody may change between two looks."""
    edit = draw.choice(["seed", "order", "replaced", "dropped", "captain", "poet", "team", "twice", "strategies"])
    if edit == "seed":
        return replace(before, seed=draw.choice([1, 2, 3]))
    if edit in ("order", "replaced", "dropped"):
        names = {"order": before.players, "replaced": NAMES, "dropped": ("ann", "bob")}[edit]
        players = tuple(draw.sample(names, min(3, len(names))))
        return replace(before, players=players, captain="each")
    if edit == "captain":
        return replace(before, captain=draw.choice(["each", *before.players]))
    if edit == "strategies":
        return replace(before, strategies=tuple(draw.sample(list(LED), draw.randint(1, len(LED)))))
    if edit == "team":
        return replace(before, team=draw.choice(["three", "trio"]))
    return replace(before, **{edit: not getattr(before, edit)})


def printed(version: Version) -> Rows:
    """The rows of its report, told by hand: by the table, who answers how, and against whom."""
    who = {name: (version.seed, name, version.poet and name == "ann") for name in version.players}
    seats = tuple(who.values())
    leads = {label: {name: (seats, label, name) for name in version.captains} for label in version.strategies}
    several = len(version.captains) > 1

    def each_and_all(*labels: str) -> Iterator[Hashable]:
        """Captain by captain, and over all of them."""
        for captain in version.captains:
            yield frozenset(leads[label][captain] for label in labels)
        if several:
            yield frozenset(frozenset(leads[label].values()) for label in labels)

    rows: Rows = {
        "gains": {row for label in leads for row in each_and_all(label)},
        "comparisons": {row for both in combinations(leads, 2) for row in each_and_all(*both)},
        "safety_models": {option for led in leads.values() for option in led.values()},
        "cohort_models": {
            (label, when, name, seats, frozenset(led))
            for label, led in leads.items()
            for when, names in (("alone", version.players), ("after", version.captains if several else ()))
            for name in names
        },
        "gain_by_strength": {frozenset(led.values()) for led in leads.values() if len(led) > 2},
        "human": {
            *who.values(),
            frozenset(seats),
            *(option for led in leads.values() for option in led.values()),
            *(frozenset(led.values()) for led in leads.values() if several),
        },
        "diversity_and_people": {frozenset(seats)},
        "formatting_tax": {frozenset(seats)} if version.twice else set(),
        "formatting_tax_models": set(seats) if version.twice else set(),
    }
    # A review is one captain's reading of the reasons, without names: it talks, as talkative does.
    talking = [label for label in leads if label in ("talkative", "review")] if "vote" in leads else []
    rows["talk_by_diversity"] = {
        (d, row) for talk in talking for d in range(1, len(seats) + 1) for row in each_and_all(talk, "vote")
    }
    both = [frozenset(leads[label].values()) for label in ("vote", *talking[-1:])] if talking else []
    rows["talk_threshold"] = {(over, *both) for over in ("vote", "talk") if talking}
    names = {"review", "named"} <= leads.keys()
    rows["authority_bias"] = (
        {tuple(frozenset(leads[label].values()) for label in ("review", "named"))} if names else set()
    )
    return rows


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("versions")
    lines = [{"id": f"q{n}", "text": f"Who is {n}?", "answer": f"P{n}", "human": "4/10"} for n in range(2)]
    (folder / "q.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return cache(lambda version: plan_of(folder, version))


def plan_of(folder: Path, version: Version) -> Plan:
    team = {"players": list(version.players), "captain": version.captain}
    keys = {
        "name": "cup",
        "seed": version.seed,
        "questions": {"file": "q.jsonl"},
        "models": {name: {"provider": "simulated", "accuracy": 0.5} for name in NAMES},
        "players": {name: {"model": name, "persona": "a poet" * (version.poet and name == "ann")} for name in NAMES},
        "teams": {version.team: team},
        "strategies": ["solo", *([TWICE] if version.twice else []), *(LED[label] for label in version.strategies)],
    }
    path = folder / "cup.yaml"
    path.write_text(json.dumps(keys), encoding="utf-8")
    return build(read_experiment(path))


@pytest.mark.parametrize("seed", range(16))
def test_a_family_is_the_union_of_what_the_versions_print(seed: int, planned: Any) -> None:
    draw = random.Random(seed)
    versions = [Version()]
    for _ in range(draw.randint(1, 5)):
        versions.append(edited(versions[-1], draw))
    plans = [planned(version) for version in versions]
    *others, now = [[stored_cell(cell.row()) for cell in plan.cells] for plan in plans]
    own, more = family_sizes(plans[-1], 0), more_rows(now, others, plans[-1].dataset)
    for table, rows in printed(versions[-1]).items():
        every = rows.union(*(printed(version)[table] for version in versions))
        assert own[table] == len(rows), table
        assert own[table] + more[table] == len(every), (table, versions)


TALKS = ["solo", *({"discuss": {"decision": how}} for how in ("solution-counting", "unanimity-consensus"))]


@pytest.mark.parametrize("sets", [1, 2])
def test_discussions_pay_for_each_version_once(sets: int, tmp_path: Path) -> None:
    """On all questions by themselves, and on single sets of them."""
    described = []
    for place in range(sets):
        lines = [{"id": f"{place}-{n}", "text": f"Who is {place}-{n}?", "answer": f"P{n}"} for n in range(2)]
        (tmp_path / f"s{place}.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
        described.append({"file": f"s{place}.jsonl", "name": f"s{place}"})
    for seed in (1, 2, 3):
        keys = {
            "name": "cup",
            "seed": seed,
            "store": f"sqlite:///{tmp_path}/all.db",
            "questions": described if sets > 1 else described[0],
            "models": {name: {"provider": "simulated", "accuracy": 0.5} for name in ("ann", "bob")},
            "teams": {"two": {"players": ["ann", "bob"], "captain": "ann"}},
            "strategies": TALKS,
        }
        (tmp_path / "cup.yaml").write_text(json.dumps(keys), encoding="utf-8")
        figures = moot.run(tmp_path / "cup.yaml").figures
        assert {row["family"] for row in figures["protocol_differences"]} == {seed}
        for table, rows in (("protocol_baselines", 2), ("protocol_families", 1)):
            families = {(row["whole"], row["family"]) for row in figures[table]}
            assert families == {(True, rows * seed), *([(False, rows * sets * seed)] if sets > 1 else [])}, table


def test_a_report_pays_for_what_was_played_and_not_for_what_was_only_planned(tmp_path: Path) -> None:
    """Three versions under one name of the file and of the team: another seed, then another player, then one never run."""
    lines = [
        {"id": f"q{n}", "text": f"Which is {n}?", "choices": ["a", "b", "c"], "answer": "abc"[n % 3]} for n in range(12)
    ]
    (tmp_path / "q.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")

    def played(seed: int, *players: str, runs: bool = True) -> dict[str, Any]:
        keys = {
            "name": "cup",
            "seed": seed,
            "store": f"sqlite:///{tmp_path}/all.db",
            "questions": {"file": "q.jsonl"},
            "models": {name: {"provider": "simulated", "accuracy": 0.5} for name in NAMES},
            "teams": {"three": {"players": list(players), "captain": "each"}},
            "strategies": ["solo", "vote", "talkative"],
        }
        path = tmp_path / "cup.yaml"
        path.write_text(json.dumps(keys), encoding="utf-8")
        return dict(moot.run(path).figures) if runs else {}

    told = [played(1, "ann", "bob", "cat"), played(2, "ann", "bob", "cat"), played(2, "ann", "bob", "dan")]
    played(3, "ann", "bob", "dan", runs=False)
    tables = ("gains", "comparisons", "safety_models", "cohort_models")
    families = [{table: figures[table][0]["family"] for table in tables} for figures in told]
    assert families[0] == {"gains": 8, "comparisons": 4, "safety_models": 6, "cohort_models": 12}
    for number, (family, figures) in enumerate(zip(families, told, strict=True), start=1):
        assert family == {table: number * size for table, size in families[0].items()}
        assert figures["talk_threshold"]["over_vote"]["family"] == 2 * number
        now = len(figures["talk_by_diversity"])  # of the others so many at the most
        assert figures["talk_by_diversity"][0]["family"] == now + 12 * (number - 1)
