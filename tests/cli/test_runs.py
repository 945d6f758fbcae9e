"""`moot runs`: what a store holds, with the figures of the report and no others."""

from __future__ import annotations

import json
import os
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from moot import load_team
from moot.cli.app import app
from moot.cli.exit import run_app
from moot.report.stored_runs import headline_words, size_words, state_words

Captured = pytest.CaptureFixture[str]
PRICED = {"provider": "simulated", "price": {"prompt": 1.0, "completion": 2.0}, "max_tokens": 300}


def cup(folder: Path, name: str = "cup", **more: Any) -> Path:
    lines = [{"id": f"q{n}", "text": f"Who is number {n}?", "answer": f"Person {n}"} for n in range(40)]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    keys = {
        "name": name,
        "questions": {"file": "questions.jsonl"},
        "models": {who: {**PRICED, "accuracy": share} for who, share in (("ann", 0.7), ("bob", 0.5), ("cat", 0.6))},
        "teams": {"three": {"players": ["ann", "bob", "cat"]}},
        "strategies": ["solo", "vote"],
    }
    path = folder / f"{name}.yaml"
    path.write_text(json.dumps({**keys, **more}), encoding="utf-8")
    return path


def moot(*arguments: object) -> int:
    return run_app(app, [str(each) for each in arguments])


def told(capsys: Captured, *arguments: object) -> Any:
    capsys.readouterr()
    assert moot(*arguments, "--json") == 0
    return json.loads(capsys.readouterr().out)


def the_one_run(capsys: Captured, path: Path) -> dict[str, Any]:
    ((held),) = told(capsys, "runs", path)
    (row,) = held["runs"]
    return dict(row)


def changed(store: Path, *statements: str) -> None:
    with closing(sqlite3.connect(store)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def as_the_report_says(capsys: Captured, path: Path, row: dict[str, Any]) -> None:
    report = told(capsys, "report", path)
    assert row["headline"] == report.get("headline")
    assert row["bill_usd"] == report["bill_usd"]
    assert row["questions"] == report["questions"]
    assert row["missing"] == sum(each["missing"] for each in report["accuracy"])
    assert row["episodes"] == sum(sum(each["outcomes"].values()) for each in report["accuracy"])


def test_a_run_is_told_with_the_figures_of_its_report(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = cup(tmp_path)
    assert moot("run", path, "--limit", 7, "--quiet") == 0
    assert moot("run", path, "--quiet") == 0
    row = the_one_run(capsys, path)
    assert (row["state"], row["questions"], row["trials"], row["missing"]) == ("done", 40, [7], 0)
    as_the_report_says(capsys, path, row)
    monkeypatch.setenv("COLUMNS", "80")
    assert moot("runs", path) == 0
    shown = capsys.readouterr().out
    assert max(len(line.rstrip()) for line in shown.splitlines()) <= 80
    assert "cup  done" in shown
    assert "$0.0000" not in shown
    assert "simulated" in shown
    assert "vote: " in shown
    assert "over " in shown


def test_what_is_missing_is_said_and_what_the_report_withholds_is_withheld(tmp_path: Path, capsys: Captured) -> None:
    path = cup(tmp_path)
    assert moot("run", path, "--quiet") == 0
    few = "DELETE FROM episodes WHERE question IN (SELECT question FROM experiment_questions WHERE position >= 31)"
    changed(tmp_path / "cup.db", few, "UPDATE runs SET state = 'interrupted'")
    row = the_one_run(capsys, path)
    assert (row["state"], row["missing"]) == ("interrupted", 36)
    as_the_report_says(capsys, path, row)
    assert row["headline"]["low"] is not None, "what it had begun was played to its end"
    assert moot("runs", path) == 0
    assert "interrupted, 36 of 160 episodes left to play" in capsys.readouterr().out
    changed(tmp_path / "cup.db", """UPDATE runs SET facts = '{"dropped": 3}'""")
    row = the_one_run(capsys, path)
    as_the_report_says(capsys, path, row)
    assert row["headline"]["low"] is row["headline"]["over_best_single"]["low"] is None
    assert moot("runs", path) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert shown.endswith("over ann alone, so far. Nothing is claimed.")
    assert "(" not in shown.partition("spent")[2], "no interval of what was cut short"


def test_how_the_last_of_several_runs_ended_is_how_it_stands(tmp_path: Path, capsys: Captured) -> None:
    path = cup(tmp_path, strategies=["solo"])
    assert moot("run", path, "--quiet", "--limit", 8) == 0
    changed(
        tmp_path / "cup.db",
        "DELETE FROM episodes WHERE question IN (SELECT question FROM experiment_questions WHERE position > 5)",
        """UPDATE runs SET state = 'failed', facts = '{"cause": "the key was refused"}'""",
    )
    row = the_one_run(capsys, path)
    assert (row["state"], row["cause"], state_words(row)) == (
        "failed",
        "the key was refused",
        "ended early, 6 of 24 episodes left to play",
    )
    assert moot("run", path, "--quiet", "--limit", 8) == 0
    row = the_one_run(capsys, path)
    assert (row["state"], state_words(row)) == ("done", "done")
    assert "cause" not in row


def test_a_plan_is_as_new_as_the_last_of_its_trials(tmp_path: Path, capsys: Captured) -> None:
    path = cup(tmp_path, strategies=["solo"])
    for limit in (3, 2):
        assert moot("run", path, "--limit", limit, "--quiet") == 0
    row = the_one_run(capsys, path)
    assert (row["questions"], row["trials"]) == (3, [2])
    with closing(sqlite3.connect(tmp_path / "cup.db")) as connection:
        ((last,),) = connection.execute("SELECT max(started_at) FROM runs").fetchall()
    assert row["used_at"] >= last


def test_a_verdict_in_one_line_leaves_out_whole_parts_and_never_what_takes_it_back() -> None:
    head: dict[str, Any] = {"of": "vote", "value": 0.5, "low": 0.4, "high": 0.6, "chosen": "after", "options": 4}
    over = {"difference": 0.1, "low": 0.02, "high": 0.18, "single": "ann"}
    whole = headline_words({**head, "over_best_single": over})
    assert whole.endswith(" over ann alone; picked from 4")
    stands = headline_words(head | {"options": 1})
    assert headline_words({**head, "over_best_single": over}, len(whole)) == whole
    assert headline_words({**head, "over_best_single": over}, len(whole) - 1) == whole.removesuffix("; picked from 4")
    assert headline_words({**head, "over_best_single": over}, 10) == stands
    for chosen in ("declared", "only"):
        assert headline_words({**head, "chosen": chosen}) == stands
    back = headline_words({**head, "ungraded": 3, "cut_short": True}, 10)
    assert back == f"{stands} of what is graded, so far. Nothing is claimed."
    bare = head | {"low": None, "high": None, "n": 1}
    assert headline_words(bare) == "vote: 50.0 % on 1 question; picked from 4", "no share without how sure it is"
    assert (
        headline_words(bare | {"n": 12, "options": 1, "ungraded": 3})
        == "vote: 50.0 % of what is graded on 12 questions"
    )
    told = headline_words({**head, "over_best_single": over, "cut_short": True})
    assert told == f"{whole}, so far. Nothing is claimed.", "what takes it back is a sentence of its own"


def test_what_is_kept_and_what_is_left_are_all_there_is_wherever_it_is_said(tmp_path: Path, capsys: Captured) -> None:
    path = cup(tmp_path, budget_usd=0.01)
    assert moot("run", path, "--quiet") == 3
    capsys.readouterr()
    changed(
        tmp_path / "cup.db",
        "UPDATE episodes SET outcome = 'failed', answer = NULL WHERE rowid IN (SELECT rowid FROM episodes LIMIT 3)",
    )
    row = the_one_run(capsys, path)
    left, there = row["missing"] + row["failed"], row["missing"] + row["episodes"]
    assert (row["failed"], there) == (3, 160)
    assert moot("runs", path) == 0
    shown = capsys.readouterr().out
    assert f"stopped by its budget, {left} of 160 episodes left to play" in shown
    assert f"40 questions, {there - left} episodes kept, 3 of those left have failed" in shown
    assert moot("run", path) == 3
    (kept, total, again) = re.findall(r"(\d+) of (\d+) episodes are kept, (\d+) are left", capsys.readouterr().out)[0]
    assert int(kept) + int(again) == int(total) == 160
    row = the_one_run(capsys, path)
    assert int(again) == row["missing"] + row["failed"]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"state": "done", "missing": 0, "failed": 2, "episodes": 1200}, "done, 2 of 1,200 failed"),
        ({"state": "running", "missing": 1, "failed": 0, "episodes": 9}, "going on, 1 episode missing"),
        (
            {"state": "budget", "missing": 5, "failed": 2, "episodes": 9},
            "stopped by its budget, 7 of 14 episodes left to play",
        ),
        ({"state": "served", "missing": 0, "failed": 2, "episodes": 9}, "served"),
    ],
)
def test_how_it_stands_in_words(row: dict[str, Any], said: str) -> None:
    assert state_words(row) == said


def test_a_run_in_which_everything_failed_has_no_figure(tmp_path: Path, capsys: Captured) -> None:
    path = cup(tmp_path)
    assert moot("run", path, "--quiet") == 0
    changed(tmp_path / "cup.db", "UPDATE episodes SET outcome = 'failed', answer = NULL", "DELETE FROM scores")
    row = the_one_run(capsys, path)
    assert row["headline"] is None
    assert (row["failed"], row["episodes"]) == (160, 160)
    assert moot("runs", path) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "Nothing could be played: all 160 plays failed" in shown
    assert "%" not in shown


def test_served_teams_and_experiments_of_a_folder_newest_first(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert moot("run", cup(tmp_path), "--quiet", "--limit", 3) == 0
    path = cup(tmp_path, "other", questions=None)
    team = load_team(path, store=f"sqlite:///{tmp_path / 'cup.db'}")
    team.ask_sync("Which river is the longest?")
    team.close_sync()
    ((held),) = told(capsys, "runs", "--store", f"sqlite:///{tmp_path / 'cup.db'}")
    assert [(row["experiment"], row["state"], row["questions"]) for row in held["runs"]] == [
        ("other:served", "served", 1),
        ("cup", "done", 3),
    ]
    (tmp_path / "letters.db").write_text("no store at all")
    monkeypatch.chdir(tmp_path)
    assert [each["store"] for each in told(capsys, "runs")] == ["cup.db"]
    assert moot("runs") == 0
    assert "other:served  served" in capsys.readouterr().out


def test_of_hundreds_the_newest_are_shown(tmp_path: Path, capsys: Captured) -> None:
    path = cup(tmp_path)
    assert moot("run", path, "--limit", 2, "--quiet") == 0
    many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)"
    row = "'old' || i, 'old' || i, config, 0, created_at - i FROM experiments, n WHERE name = 'cup'"
    changed(tmp_path / "cup.db", f"INSERT INTO experiments {many} SELECT {row}")
    ((held),) = told(capsys, "runs", path)
    assert (len(held["runs"]), held["there_are"]) == (20, 301)
    assert [row["experiment"] for row in held["runs"]][:3] == ["cup", "old1", "old2"]
    assert moot("runs", path, "--limit", 1) == 0
    assert "300 older: --limit 301 shows all" in capsys.readouterr().out


def test_what_is_no_file_is_no_store(tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe would never be read to its end, and a link may lead to itself."""
    os.mkfifo(tmp_path / "pipe.db")
    (tmp_path / "loop.db").symlink_to("loop.db")
    (tmp_path / "folder.db").mkdir()
    monkeypatch.chdir(tmp_path)
    assert run_app(app, ["runs"]) == 2
    assert "bug" not in capsys.readouterr().err


@pytest.mark.parametrize("command", ["runs", "report"])
def test_a_pipe_or_a_folder_that_is_named_is_refused_and_not_waited_for(
    tmp_path: Path, capsys: Captured, command: str
) -> None:
    os.mkfifo(tmp_path / "pipe.db")
    (tmp_path / "folder.db").mkdir()
    for name in ("pipe.db", "folder.db"):
        assert moot(command, cup(tmp_path), "--store", f"sqlite:///{tmp_path / name}") == 2
        (said,) = capsys.readouterr().err.splitlines()
        assert f"{name}: no regular file, so no store of moot" in said
    assert moot("run", cup(tmp_path), "--store", f"sqlite:///{tmp_path / 'pipe.db'}") == 2
    assert "pipe.db: no regular file" in capsys.readouterr().err


def with_a_name_that_is_no_text(path: Path) -> Path:
    """SQLite names what it cannot read in its message, which is no UTF-8 then."""
    changed(path, "CREATE TABLE thing(x)")
    path.write_bytes(path.read_bytes().replace(b"thingthing", b"\xff\xff\xff\xff\xffthing"))
    with closing(sqlite3.connect(path)) as connection, pytest.raises(UnicodeDecodeError):
        connection.execute("SELECT name FROM sqlite_master")
    return path


def test_a_name_in_a_database_that_is_no_text(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "500")
    named = with_a_name_that_is_no_text(tmp_path / "odd.db")
    url = f"sqlite:///{named}"
    for arguments in (
        ("runs", "--store", url),
        ("report", cup(tmp_path), "--store", url),
        ("run", cup(tmp_path), "--store", url),
    ):
        assert moot(*arguments) == 2
        (said,) = capsys.readouterr().err.splitlines()
        assert "odd.db: malformed database schema (" in said
    assert moot("runs", named) == 2
    assert "a database of another program" in capsys.readouterr().err
    monkeypatch.chdir(tmp_path)
    assert moot("runs") == 2
    assert "no store in this folder" in capsys.readouterr().err


def test_no_store_is_said(tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert moot("runs") == 2
    assert "no store in this folder" in capsys.readouterr().err
    assert moot("runs", cup(tmp_path)) == 2
    assert "there is no store at" in capsys.readouterr().err
    assert moot("runs", "--store", "sqlite:///nothing.db") == 2
    assert not list(tmp_path.glob("*.db")), "nothing is made by asking"


def test_what_failed_is_not_among_what_is_kept_as_the_run_counts() -> None:
    row = {"questions": 150, "episodes": 166, "failed": 2, "missing": 434, "simulated": False}
    row |= {"bill_usd": 0.0, "losses_usd": 0.0, "losses_unknown": 0}
    assert size_words(row) == "150 questions, 164 episodes kept, 2 of those left have failed"
    assert size_words({**row, "missing": 0}) == "150 questions, 166 episodes", "it is said with how the run ended"


def test_the_stores_of_a_folder_that_cannot_be_written_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    """As on a read-only disk: the log of a store cannot be opened there."""
    assert moot("run", cup(tmp_path), "--quiet") == 0
    (tmp_path / "cup.db-wal").unlink(missing_ok=True)
    (tmp_path / "cup.db-wal").mkdir()
    monkeypatch.chdir(tmp_path)
    (held,) = told(capsys, "runs")
    assert [row["experiment"] for row in held["runs"]] == ["cup"]


def test_two_plans_of_one_name_are_told_apart(tmp_path: Path, capsys: Captured) -> None:
    """By the sign that `moot report --plan` takes, and by what was changed."""
    path = cup(tmp_path)
    assert moot("run", path, "--quiet") == 0
    assert "differs_in" not in the_one_run(capsys, path), "there is one"
    cup(tmp_path, seed=8, strategies=["solo"])
    assert moot("run", path, "--quiet") == 0
    lines = [{"id": f"q{n}", "text": f"Who is number {n}, please?", "answer": f"Person {n}"} for n in range(40)]
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    assert moot("run", path, "--quiet") == 0
    ((held),) = told(capsys, "runs", path)
    newest, before, first = held["runs"]
    assert newest["differs_in"] == []
    assert before["differs_in"] == ["what its questions or prompts say"]
    assert sorted(first["differs_in"]) == ["seed", "strategies"]
    assert moot("runs", path) == 0
    said = capsys.readouterr().out
    assert f"plan {newest['id'][:8]}, the newest" in said
    assert f"plan {first['id'][:8]}, another than the newest in: " in said
    assert moot("report", path, "--plan", first["id"][:8]) == 0


def test_stores_are_only_read_whichever_way_they_are_named(tmp_path: Path, capsys: Captured) -> None:
    """One of an older moot too: whoever asks what there is has not asked for any of it to be brought up to date."""
    (tmp_path / "old").mkdir()
    for folder in (tmp_path, tmp_path / "old"):
        assert moot("run", cup(folder), "--limit", 4, "--quiet") == 0
    old = tmp_path / "old" / "cup.db"
    changed(old, "DELETE FROM migrations WHERE name = (SELECT max(name) FROM migrations)")
    capsys.readouterr()
    for folder in (tmp_path, tmp_path / "old"):
        before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
        for way in ((folder,), (folder / "cup.yaml",), ("--store", f"sqlite:///{folder / 'cup.db'}")):
            assert moot("runs", *way, "--json") == 0
            said = capsys.readouterr()
            (held,) = json.loads(said.out)
            assert [row["questions"] for row in held["runs"]] == [4]
            assert {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before
            assert ("of an older moot" in said.err) == (folder.name == "old")


class TestWhatIsNoExperiment:
    """It is said what it is, and what to type: nobody should have to read that a byte is no UTF-8."""

    def said(self, capsys: Captured, *arguments: object) -> str:
        capsys.readouterr()
        assert moot(*arguments) == 2
        return " ".join(capsys.readouterr().err.split())

    @pytest.mark.parametrize(
        "command", [["runs"], ["report"], ["run"], ["doctor"], ["show", "q1"], ["fit", "-o", "r.json"]]
    )
    def test_a_store_in_the_place_of_its_file(
        self, command: list[str], tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        assert moot("run", cup(tmp_path), "--limit", 3, "--quiet") == 0
        told = self.said(capsys, command[0], "cup.db", *command[1:])
        assert (
            told == "moot: cup.db: a store, not an experiment file; what it holds: moot runs --store sqlite:///cup.db"
        )
        assert moot(*told.rpartition(": moot ")[2].split()) == 0

    @pytest.mark.parametrize("command", ["runs", "report"])
    def test_a_database_of_another_program_is_left_alone(
        self, command: str, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        changed(tmp_path / "bees.db", "CREATE TABLE hives (id INTEGER)")
        before = (tmp_path / "bees.db").read_bytes()
        told = self.said(capsys, command, "bees.db")
        assert told == "moot: bees.db: a database of another program, neither a store nor an experiment file"
        told = self.said(capsys, command, "--store", "sqlite:///bees.db")
        no_store = "no store of moot; moot runs lists the stores of a folder"
        assert told == f"moot: bees.db: a database of another program (its tables: hives), {no_store}"
        assert (tmp_path / "bees.db").read_bytes() == before

    @pytest.mark.parametrize(
        "command",
        [
            ["report", "--store", "URL"],
            ["report", "--store", "URL", "--json"],
            ["runs", "--store", "URL"],
            ["log", "--store", "URL"],
            ["compare", "cup.yaml", "--store", "URL", "--a", "solo@ann", "--b", "vote"],
            ["show", "cup.yaml", "--store", "URL"],
        ],
        ids=" ".join,
    )
    @pytest.mark.parametrize("held", ["nothing", "no table", "a view"])
    def test_what_holds_no_table_gets_none_by_being_read(
        self, command: list[str], held: str, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        cup(tmp_path)
        path = tmp_path / "own.db"
        path.touch()
        if held != "nothing":
            changed(path, "CREATE VIEW seen AS SELECT 1 AS one")
        if held == "no table":
            changed(path, "DROP VIEW seen")
        before = path.read_bytes()
        told = self.said(capsys, *(word.replace("URL", "sqlite:///own.db") for word in command))
        expected = (
            r"another program \(its views: seen\)" if held == "a view" else r"there is no store at \S*own\.db yet"
        )
        assert re.search(expected, told), told
        assert path.read_bytes() == before
        assert not list(tmp_path.glob("own.db-*"))

    @pytest.mark.parametrize("command", [["run", "--estimate"], ["doctor"]], ids=" ".join)
    def test_what_is_only_asked_for_writes_no_table_either(
        self, command: list[str], tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        file = cup(tmp_path)
        (tmp_path / "cup.db").touch()
        assert moot(*command, file) == 0, "an empty file is as good as none"
        assert (tmp_path / "cup.db").read_bytes() == b""
        changed(tmp_path / "cup.db", "CREATE VIEW seen AS SELECT 1 AS one")
        before = (tmp_path / "cup.db").read_bytes()
        assert "another program (its views: seen)" in self.said(capsys, *command, file)
        assert (tmp_path / "cup.db").read_bytes() == before

    def test_what_is_no_database(self, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        (tmp_path / "notes.db").write_text("Mine. " * 500)
        told = self.said(capsys, "runs", "--store", "sqlite:///notes.db")
        assert (
            told
            == "moot: notes.db: file is not a database, so no store of moot; moot runs lists the stores of a folder"
        )

    def test_keys_of_something_else(self, tmp_path: Path, capsys: Captured) -> None:
        (tmp_path / "compose.yaml").write_text("services:\n  web: {image: nginx}\nversion: 3\n")
        told = self.said(capsys, "runs", tmp_path / "compose.yaml")
        assert "compose.yaml: no experiment file: none of its keys (services, version) is one of an experiment" in told
        assert "moot init" in told
        (tmp_path / "nearly.yaml").write_text("name: cup\nmodel: {}\n")
        assert "nearly.yaml:2: model: unknown key" in self.said(capsys, "runs", tmp_path / "nearly.yaml")

    def test_a_store_of_nothing(self, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        assert moot("run", cup(tmp_path), "--limit", 3, "--quiet") == 0
        changed(tmp_path / "cup.db", "DELETE FROM experiments")
        capsys.readouterr()
        assert moot("runs", "--store", "sqlite:///cup.db") == 0
        words = "nothing has been run or served in cup.db; to run an experiment into it: moot run FILE --store sqlite:///cup.db"
        assert " ".join(capsys.readouterr().out.split()) == words
        told = self.said(capsys, "report", "--store", "sqlite:///cup.db")
        assert told.startswith(
            "moot: nothing has been run or served in this store; to run an experiment into it: moot run"
        )
