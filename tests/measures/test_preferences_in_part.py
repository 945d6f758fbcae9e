"""Whatever part of the words on long answers there is: every report is there, and nothing is told of whom nobody spoke."""

from __future__ import annotations

import base64
import gzip
import itertools
import json
import random
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.grade.prefer import text_digest
from moot.measures.preferences.sections import habit_words
from moot.stats.preference_reasons import UNHEARD

QUESTIONS = 4
MODELS: dict[str, dict[str, Any]] = {
    "ann": {"provider": "simulated", "accuracy": 0.6, "words": 30},
    "bob": {"provider": "simulated", "accuracy": 0.5, "words": 15},
    "cid": {"provider": "simulated", "accuracy": 0.6, "words": 30},
    "dee": {"provider": "simulated", "accuracy": 0.5, "words": 15},
    "ivy": {"provider": "simulated", "accuracy": 0.5, "position_bias": 0.3, "length_bias": 0.3},
    "jim": {"provider": "simulated", "accuracy": 0.5, "blur": 0.3},
}
SPEC: dict[str, Any] = {
    "name": "plans",
    "seed": 5,
    "questions": {"file": "plans.jsonl"},
    "models": MODELS,
    "teams": {
        "two": {"players": ["ann", "bob"], "captain": "each"},
        "other": {"players": ["cid", "dee"], "captain": "cid"},
    },
    "strategies": ["talkative"],
    "primary": "two/talkative",
    "judge": {"models": ["ivy", "jim"], "pairwise": True},
}
AS_JUDGED = ("wins", "ties", "losses", "n", "plays", "ungraded", "raw", "raw_low", "raw_high", "doublings")
OF_NOBODY = ("raw", "raw_low", "raw_high", "value", "low", "high", "p", "doublings")
Pair = tuple[str, str]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("in_part")
    rows = [{"id": f"q{n}", "text": f"Write a plan, number {n}.", "kind": "text"} for n in range(QUESTIONS)]
    (folder / "plans.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    path = folder / "plans.yaml"
    path.write_text(yaml.safe_dump(SPEC, sort_keys=False), encoding="utf-8")
    assert run_app(app, ["run", str(path), "--quiet"]) == 0
    return path


def reported(file: Path, capsys: pytest.CaptureFixture[str], *options: str | Path) -> str:
    capsys.readouterr()
    assert run_app(app, ["report", str(file), *map(str, options)]) == 0, capsys.readouterr().err
    return capsys.readouterr().out


def preferences(file: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(reported(file, capsys, "--json"))["preferences"]
    return found


class Words:
    """All that judges have said, and of which pairs it is."""

    def __init__(self, file: Path) -> None:
        self.store = file.with_name("plans.db")
        with closing(sqlite3.connect(self.store)) as store:
            self.rows = store.execute("select * from preferences order by 1, 2, 3, 4").fetchall()
            names = [column[1] for column in store.execute("pragma table_info(preferences)")]
            self.holes = ", ".join("?" * len(names))
            titles = {
                ident: f"solo@{player}" if player else f"{team}/{label}@{captain}"
                for ident, label, player, team, captain in store.execute(
                    "select id, label, player, team, captain from cells"
                )
            }
            texts: dict[tuple[str, str], set[str]] = {}
            for cell, question, answer in store.execute("select cell, question, answer from episodes"):
                texts.setdefault((question, text_digest(answer)), set()).add(titles[cell])
        places = [names.index(name) for name in ("question", "first", "second")]
        self.pairs: list[set[Pair]] = []
        for row in self.rows:
            question, first, second = (row[place] for place in places)
            both = itertools.product(texts[question, first], texts[question, second])
            self.pairs.append({pair for one, other in both for pair in ((one, other), (other, one))})

    def keep(self, kept: set[int]) -> None:
        with closing(sqlite3.connect(self.store)) as store:
            store.execute("delete from preferences")
            rows = [row for place, row in enumerate(self.rows) if place in kept]
            store.executemany(f"insert into preferences values ({self.holes})", rows)
            store.commit()


def subsets(words: Words, every: list[Pair]) -> list[set[int]]:
    """None, one word, all words of one pair, of one side, all but a pair's, and as chance has it."""
    draw = random.Random(7)
    of = {pair: {place for place, pairs in enumerate(words.pairs) if pair in pairs} for pair in every}
    whole = set(range(len(words.rows)))
    found: list[set[int]] = [set(), {draw.randrange(len(whole))}, of[every[0]], whole - of[every[-1]]]
    found.append(set().union(*(of[pair] for pair in every if pair[0] == every[0][0])))
    found += [{place for place in whole if draw.random() < share} for share in (0.05, 0.6)]
    found.append(set().union(*(of[pair] for pair in every if draw.random() < 0.5)))
    return found


def test_no_part_of_the_words_breaks_a_report_or_changes_a_pair_that_is_whole(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words, full = Words(file), preferences(file, capsys)
    before = {(row["of"], row["against"]): row for row in full["pairs"]}
    seen_whole = seen_none = 0
    try:
        for kept in subsets(words, list(before)):
            words.keep(kept)
            found = json.loads(reported(file, capsys, "--json"))
            if not (said := found.get("preferences")):
                assert not kept
                continue
            for row in said["pairs"]:
                pair = (row["of"], row["against"])
                own = {place for place, pairs in enumerate(words.pairs) if pair in pairs}
                if own <= kept:
                    seen_whole += 1
                    assert {key: row[key] for key in AS_JUDGED} == {key: before[pair][key] for key in AS_JUDGED}
                if not own & kept and not row["n"]:
                    seen_none += 1
                    assert {key: row[key] for key in OF_NOBODY} == dict.fromkeys(OF_NOBODY)
                    assert (row["why"], row["ungraded"]) == (UNHEARD, row["plays"])
                assert row["value"] is not None or row["why"]
            for row in said["options"]:
                assert row["value"] is not None or row["why"]
            check_ratings(said)
    finally:
        words.keep(set(range(len(words.rows))))
    assert seen_whole > 5
    assert seen_none > 5
    assert preferences(file, capsys) == full


def check_ratings(said: dict[str, Any]) -> None:
    """There is one of whoever shares that are told lead to from the anchor, and of everybody else the reason why there is none;
    the anchor has no interval, and nobody one of no width."""
    rated = {row["of"]: row for row in said["ratings"]}
    reached = {row["of"] for row in said["ratings"] if row["anchor"]}
    heard = [{row["of"], row["against"]} for row in said["pairs"] if row["n"]]
    told = [{row["of"], row["against"]} for row in said["pairs"] if row["low"] and row["high"] < 1]
    for _ in told:
        reached |= set().union(*(pair for pair in told if pair & reached))
    everybody = {name for row in said["pairs"] for name in (row["of"], row["against"])}
    assert set(rated) == (everybody if heard else set())
    for name, row in rated.items():
        assert row["value"] is None or name in reached
        assert (row["value"] is None) == ("why" in row)
        assert (row["low"] is None) == (row["anchor"] or "why" in row)
        assert row["low"] is None or row["low"] < row["high"]
        assert row["value"] is not None or row["why"]


def test_every_form_of_a_report_is_there_after_one_word(
    file: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = Words(file)
    words.keep({0})
    (of, against), *_ = sorted(words.pairs[0])
    try:
        for row in preferences(file, capsys)["ratings"]:
            assert (row["value"], row["low"], row["high"], row["anchor"]) == (None, None, None, False), "of one word"
            assert (row["why"] == UNHEARD) == (row["of"] not in (of, against))
        told = " ".join(reported(file, capsys, "--all").split())
        assert f": {UNHEARD}." in told
        assert reported(file, capsys)
        for form in ("csv", "latex"):
            reported(file, capsys, "--format", form, "-o", tmp_path / form)
            tables = [path.read_text() for path in (tmp_path / form).iterdir() if "preference" in path.name]
            assert tables
            assert not any("nan" in table.casefold() for table in tables)
        reported(file, capsys, "-o", tmp_path / "report.html")
        blocks = re.findall(r'type="application/octet-stream"[^>]*>([^<]*)<', (tmp_path / "report.html").read_text())
        assert UNHEARD in "".join(gzip.decompress(base64.b64decode(block)).decode() for block in blocks)
        reported(file, capsys, "--publish", tmp_path / "board")
        assert run_app(app, ["run", str(file)]) == 0, "it asks for what is missing"
        capsys.readouterr()
    finally:
        words.keep(set(range(len(words.rows))))


@pytest.mark.parametrize(("longer", "told"), [(1e-6, False), (-1e-6, False), (0.004, True), (-0.004, True)])
def test_what_is_written_as_nothing_has_no_direction(longer: float, told: bool) -> None:
    row = {"judge": "ivy", "longer": longer, "longer_low": longer / 2, "longer_high": 2 * longer}
    words = list(habit_words({"habits": [row]}))[1:]
    assert bool(words) == told
    if told:
        assert words[0].endswith("less." if longer < 0 else "more.")
