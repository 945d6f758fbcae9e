"""`moot log`: what was asked is found again, shown whole, and gone on from."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import stat
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from moot import load_team
from moot.cli.app import app
from moot.cli.exit import run_app
from moot.live.question_log import log_file, log_store

Captured = pytest.CaptureFixture[str]


def team_file(folder: Path, **more: Any) -> Path:
    path = folder / "team.yaml"
    models = {name: {"provider": "simulated", "accuracy": 0.7} for name in ("ann", "bob", "cat")}
    path.write_text(json.dumps({"name": "team", "models": models, **more}), encoding="utf-8")
    return path


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "mine" / "log.db"
    monkeypatch.setenv("MOOT_LOG", str(place))
    monkeypatch.setenv("COLUMNS", "80")
    return place


def moot(*arguments: object) -> int:
    return run_app(app, [str(each) for each in arguments])


def told(capsys: Captured, *arguments: object) -> Any:
    capsys.readouterr()
    assert moot(*arguments, "--json") == 0, capsys.readouterr().err
    return json.loads(capsys.readouterr().out)


def test_what_all_strategies_were_asked_is_one_entry(tmp_path: Path, log: Path, capsys: Captured) -> None:
    teams = {"three": {"players": ["ann", "bob", "cat"], "captain": "each"}}
    path = team_file(tmp_path, teams=teams, strategies=["solo", "vote", "talkative"])
    told(capsys, "ask", "Which city?", "--team", path)
    told(capsys, "ask", "Which river?", "--team", path, "--all")
    told(capsys, "ask", "Which river?", "--team", path, "--all")
    assert moot("log", "--limit", 3) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.strip() for line in lines[1::3]] == ["Which river?", "Which river?", "Which city?"]
    heads = lines[:9:3]
    assert [" and 8 others" in line for line in heads] == [True, True, False], "three alone, and three captains of each"
    assert not any("solo" in line for line in heads), "a team's word first"
    rows = told(capsys, "log")
    assert [len(row.get("others", ())) for row in rows] == [8, 8, 0]
    ident = rows[0]["others"][0]["id"]
    assert told(capsys, "log", ident)["id"] == ident, "each of them can be looked at"


def test_what_was_asked_is_found_by_its_words(tmp_path: Path, log: Path, capsys: Captured) -> None:
    path = team_file(tmp_path)
    first = told(capsys, "ask", "Which river is the longest?", "--team", path)
    second = told(
        capsys, "ask", "Какая планета самая большая?", "--team", path, "--choice", "Марс", "--choice", "Юпитер"
    )
    assert stat.S_IMODE(os.stat(log).st_mode) == 0o600, "for its owner alone"
    newest, older = told(capsys, "log")
    assert (older["question"], older["answer"]) == ("Which river is the longest?", first["answer"])
    assert newest["answer"] == f"{second['answer']}: {['Марс', 'Юпитер']['AB'.index(second['answer'])]}"
    assert told(capsys, "log", "longest", "RIVER") == [older]
    assert told(capsys, "log", "ПЛАНЕТА") == [newest], "whatever the script and the case"
    assert told(capsys, "log", older["answer"]) == [older], "by the answer as well"
    assert told(capsys, "log", "--limit", 1) == [newest]
    assert moot("log", "river") == 0
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 80
    assert f"→ {first['answer']}" in shown
    assert moot("log", "nowhere") == 1
    whole = told(capsys, "log", older["id"])
    assert [call["player"] for call in whole["episode"]["calls"]] == ["ann", "bob", "cat"]
    assert all(call["text"] for call in whole["episode"]["calls"]), "with every reply"
    assert moot("log", older["id"]) == 0
    assert f"moot ask --after {older['id']}" in capsys.readouterr().out


def test_asked_again_is_another_play_with_replies_of_its_own(tmp_path: Path, log: Path, capsys: Captured) -> None:
    path = team_file(tmp_path)
    for _ in range(3):
        told(capsys, "ask", "Which river is the longest?", "--team", path)
    entries = told(capsys, "log")
    assert len({entry["id"] for entry in entries}) == 3
    keys = [call["key"] for entry in entries for call in told(capsys, "log", entry["id"])["episode"]["calls"]]
    assert len(set(keys)) == 9


def test_going_on_from_an_earlier_question(tmp_path: Path, log: Path, capsys: Captured) -> None:
    path = team_file(
        tmp_path, strategies=["vote", "silent"], teams={"t": {"players": ["ann", "bob"], "captain": "ann"}}
    )
    first = told(capsys, "ask", "Which river is the longest?", "--team", path, "--strategy", "silent")["answer"]
    told(capsys, "ask", "Something else?", "--team", path)
    river = told(capsys, "log", "river")[0]
    next_asked = told(capsys, "ask", "And the widest?", "--after", river["id"])
    assert next_asked["question"] == "And the widest?"
    second = told(capsys, "log")[0]
    assert (second["question"], second["strategy"]) == ("And the widest?", river["strategy"]), (
        "the same team, as before"
    )
    assert second["before"] == [["user", "Which river is the longest?"], ["assistant", first]]
    prompt = told(capsys, "log", second["id"])["episode"]["calls"][0]["messages"][-1]["content"]
    assert "> Which river is the longest?" in prompt
    assert f"> {first}" in prompt
    told(capsys, "ask", "And the deepest?", "-c")
    third = told(capsys, "log")[0]
    assert third["before"] == [*second["before"], ["user", "And the widest?"], ["assistant", second["answer"]]]
    for arguments, words in (
        (["-c", "--after", river["id"]], "expected one of the two"),
        (["--after", "ffffffff"], "no question 'ffffffff'"),
    ):
        assert moot("ask", "Why?", *arguments) == 2
        assert words in capsys.readouterr().err


def test_a_team_with_a_store_keeps_what_it_is_asked_there(tmp_path: Path, log: Path, capsys: Captured) -> None:
    path = team_file(tmp_path, store="sqlite:///own.db")
    told(capsys, "ask", "Which river is the longest?", "--team", path)
    assert not log.exists()
    team = load_team(path)
    team.ask_sync("Which lake is the deepest?")
    team.close_sync()
    names = [(entry["name"], entry["question"]) for entry in told(capsys, "log", "--team", path)]
    assert names == [
        ("team:served", "Which lake is the deepest?"),
        ("team:asked", "Which river is the longest?"),
    ]
    told(capsys, "ask", "And the widest?", "-c", "--team", path)
    before = told(capsys, "log", "--team", path)[0]["before"]
    assert before[0][1] == "Which river is the longest?", "what others asked of the served team is no talk of ours"
    capsys.readouterr()
    assert moot("purge", path, "--older-than", 0) == 0
    assert "forgotten: 3 answers, 3 questions" in capsys.readouterr().out
    assert moot("log", "--team", path) == 1
    raw = b"".join(file.read_bytes() for file in tmp_path.glob("own.db*"))
    assert b"longest" not in raw


def test_a_play_that_is_forgotten_takes_no_grade_of_another_along(tmp_path: Path, log: Path, capsys: Captured) -> None:
    path = team_file(tmp_path, store="sqlite:///own.db", strategies=["vote", "solo"])

    def ask(question: str, strategy: str) -> None:
        told(capsys, "ask", question, "--team", path, "--strategy", strategy)

    def looked_up(sql: str) -> list[Any]:
        with closing(sqlite3.connect(tmp_path / "own.db")) as store, store:
            return store.execute(sql).fetchall()

    ask("Which river?", "vote")
    ask("Which lake?", "solo@ann")
    looked_up("UPDATE episodes SET created_at = -created_at")
    ask("Which river?", "solo@ann")
    kept = looked_up("SELECT cell FROM episodes WHERE created_at > 0")
    assert moot("purge", path, "--older-than", 3) == 0
    assert looked_up("SELECT cell FROM scores") == kept
    assert len(kept) == 1


def test_going_on_with_the_file_named_again_keeps_team_and_strategy(
    tmp_path: Path, log: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a file with a store there is no other way to go on."""
    teams = {"x": {"players": ["ann", "bob"], "captain": "each"}, "y": {"players": ["bob", "cat"], "captain": "cat"}}
    keys: dict[str, Any] = {"strategies": ["vote", "silent"], "store": "sqlite:///own.db"}
    path = team_file(tmp_path, teams=teams, **keys)
    monkeypatch.chdir(tmp_path)

    def played(*arguments: object) -> str:
        told(capsys, "ask", "And then?", "--team", *arguments)
        return str(told(capsys, "log", "--team", path, "--limit", 1)[0]["strategy"])

    assert played(path, "--strategy", "y/silent") == "y/silent@cat"
    assert played("team.yaml", "-c") == "y/silent@cat", "the same file, by another path"
    assert played(path, "-c", "--strategy", "x/vote@bob") == "x/vote@bob", "another that is named"
    assert played(path, "-c") == "x/vote@bob"
    other = tmp_path / "other.yaml"
    other.write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    assert played(other, "-c") == "x/vote@ann", "another file has its own usual way"
    assert played(path, "-c", "--strategy", "y/silent") == "y/silent@cat"
    team_file(tmp_path, teams={"x": teams["x"]}, **keys)
    capsys.readouterr()
    assert moot("ask", "And then?", "-c", "--team", path) == 0
    assert "'y/silent' is no longer played there" in " ".join(capsys.readouterr().err.split())
    assert told(capsys, "log", "--team", path, "--limit", 1)[0]["strategy"] == "vote@ann"


@pytest.mark.parametrize("mode", [0o640, 0o620, 0o604, 0o644])
def test_a_log_that_others_could_read_is_closed_to_them(tmp_path: Path, mode: int) -> None:
    """Those of its group are others too."""
    log = tmp_path / "mine" / "log.db"
    log.parent.mkdir()
    log.touch()
    log.chmod(mode)
    log_store(log)
    assert stat.S_IMODE(os.stat(log).st_mode) == 0o600


def test_an_answer_is_logged_before_it_is_printed(
    tmp_path: Path, log: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever reads from a pipe may have gone."""

    def gone(*anything: Any, **more: Any) -> None:
        raise BrokenPipeError

    with monkeypatch.context() as unread:
        unread.setattr(sys, "stdout", sys.stdout)  # nobody reads it any more, and it is let go of
        unread.setattr("moot.cli.ask.print_json", gone)
        assert moot("ask", "Who?", "--team", team_file(tmp_path), "--json") == 0
    assert [entry["question"] for entry in told(capsys, "log")] == ["Who?"]


def test_a_run_that_its_budget_stopped_ends_in_a_few_lines(tmp_path: Path, capsys: Captured) -> None:
    """Of a part of a run nobody wants a page yet, as of one that was interrupted."""
    dear = {"price": {"prompt": 1000.0, "completion": 1000.0}, "max_tokens": 100}
    models = {"ann": {"provider": "simulated", "accuracy": 0.7, **dear}}
    lines = [{"id": str(n), "text": f"Who is number {n}?", "answer": "Ann"} for n in range(30)]
    (tmp_path / "q.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    path = team_file(tmp_path, models=models, budget_usd=2.0, questions={"file": "q.jsonl"}, strategies=["solo"])
    assert moot("run", path) == 3
    said = capsys.readouterr()
    first, stands, last = said.out.splitlines()
    assert first.startswith("stopped by its budget: ")
    kept, left = re.findall(r"(\d+) of 30 episodes are kept, (\d+) are left to play$", first)[0]
    assert int(kept) + int(left) == 30
    assert stands.startswith("solo@ann: ")
    assert last == f"a larger budget_usd resumes it; moot report {path} shows the results so far"
    assert "the budget of $2.00 is reached" in said.err


def test_what_is_asked_and_what_is_run_keep_to_one_cap(tmp_path: Path, log: Path, capsys: Captured) -> None:
    dear = {"price": {"prompt": 1000.0, "completion": 1000.0}, "max_tokens": 100}
    models = {"ann": {"provider": "simulated", "accuracy": 0.7, **dear}}
    lines = [{"id": str(n), "text": f"Who is number {n}?", "answer": "Ann"} for n in range(30)]
    (tmp_path / "q.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    questions = {"file": "q.jsonl"}
    path = team_file(tmp_path, models=models, store="sqlite:///own.db", budget_usd=2.0, questions=questions)
    assert moot("run", path, "--quiet") == 3, "the cap is reached"
    with closing(sqlite3.connect(tmp_path / "own.db")) as store:
        before = store.execute("SELECT sum(cost_usd) FROM calls").fetchone()[0]
        longer = "Who else is there, of all those who were ever counted?"  # and so no cheaper than those of the run
        assert moot("ask", longer, "--team", path, "--strategy", "solo") != 0, "nothing is left for a question"
        said = capsys.readouterr().err
        assert "the budget of $2.00 is reached: $1." in said, "the one that stands in the file"
        assert "of it by runs" in said
        assert store.execute("SELECT sum(cost_usd) FROM calls").fetchone()[0] == before <= 2.0


def test_a_question_is_gone_on_from_by_the_beginning_of_its_id_whatever_runs_beside_it_have(
    tmp_path: Path, log: Path, capsys: Captured
) -> None:
    """Of 48 plays of a run several ids begin so, too; nobody goes on from those."""
    asked_in_runs = {"questions": {"builtin": "general-en", "sample": 12}, "strategies": ["solo", "vote"]}
    path = team_file(tmp_path, store="sqlite:///own.db", **asked_in_runs)
    assert moot("run", path, "--quiet") == 0
    told(capsys, "ask", "Which river is the longest?", "--team", path, "--strategy", "vote")
    (asked,) = told(capsys, "log", "--team", path)
    played = [entry["id"] for entry in told(capsys, "log", "--team", path, "--runs", "--limit", 200)]
    assert len([ident for ident in played if ident.startswith(asked["id"][0])]) > 2
    told(capsys, "ask", "And the widest?", "--team", path, "--after", asked["id"][0])
    assert told(capsys, "log", "--team", path)[0]["before"][0][1] == "Which river is the longest?"


def test_a_play_that_two_plans_share_is_told_once(tmp_path: Path, log: Path, capsys: Captured) -> None:
    path = team_file(tmp_path, questions={"builtin": "general-en", "sample": 3}, strategies=["solo"])
    for limit in (2, 3):
        assert moot("run", path, "--quiet", "--limit", limit) == 0
    entries = told(capsys, "log", "--team", path, "--runs", "--limit", 100)
    assert len(entries) == len({entry["id"] for entry in entries}) == 9


def test_what_an_earlier_question_offered_is_said_to_who_goes_on(tmp_path: Path, log: Path, capsys: Captured) -> None:
    path = team_file(tmp_path)
    told(capsys, "ask", "Which is larger?", "--team", path, "--choice", "Mars", "--choice", "Jupiter")
    (first,) = told(capsys, "log")
    told(capsys, "ask", "By how much?", "-c")
    assert told(capsys, "log")[0]["before"] == [
        ["user", "Which is larger?\nA: Mars\nB: Jupiter"],
        ["assistant", first["answer"]],
    ]


def test_the_same_question_of_another_strategy_is_its_first_play(tmp_path: Path, log: Path, capsys: Captured) -> None:
    path = team_file(tmp_path, strategies=["vote", "solo"])
    for strategy in ("vote", "vote", "solo@ann"):
        told(capsys, "ask", "Which river is the longest?", "--team", path, "--strategy", strategy)
    with closing(sqlite3.connect(log)) as connection:
        plays = connection.execute("SELECT label, repeat FROM episodes JOIN cells ON cells.id = cell ORDER BY 1, 2")
        assert plays.fetchall() == [("solo", 0), ("vote", 0), ("vote", 1)]


@pytest.mark.parametrize("named", ["", "OFF", "no", "0"])
def test_whoever_wants_no_log_may_say_so_in_any_way(named: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOOT_LOG", named)
    assert log_file() is None


def test_the_log_and_its_folder_are_their_owners_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        log_store(tmp_path / "share" / "moot" / "log.db")
    finally:
        os.umask(before)
    modes = [stat.S_IMODE(os.stat(tmp_path / "share" / place).st_mode) for place in ("moot", "moot/log.db")]
    assert modes == [0o700, 0o600]


def test_nothing_is_kept_by_who_wants_none(
    tmp_path: Path, log: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = team_file(tmp_path)
    told(capsys, "ask", "Who?", "--team", path, "--no-log")
    assert not log.exists()
    assert moot("log") == 2
    assert "nothing is logged at" in capsys.readouterr().err
    monkeypatch.setenv("MOOT_LOG", str(tmp_path / "team.yaml" / "log.db"))
    assert moot("ask", "Who?", "--team", path, "--json") == 0, "an answer that cannot be kept is an answer"
    assert "not logged:" in capsys.readouterr().err
    monkeypatch.setenv("MOOT_LOG", "off")
    told(capsys, "ask", "Who?", "--team", path)
    assert moot("log") == 2
    assert "MOOT_LOG is off" in capsys.readouterr().err


def test_what_a_terminal_would_obey_is_shown(tmp_path: Path, log: Path, capsys: Captured) -> None:
    told(capsys, "ask", "Which \x1b[2J river?", "--team", team_file(tmp_path))
    with closing(sqlite3.connect(log)) as connection, connection:
        connection.execute("UPDATE episodes SET answer = char(27) || ']0;title' || char(7) || 'Nile'")
    assert moot("log") == 0
    shown = capsys.readouterr().out
    assert "Nile" in shown
    assert "\x1b" not in shown
    assert "\x07" not in shown


def test_runs_and_log_on_postgresql(tmp_path: Path, log: Path, capsys: Captured, postgres: Any) -> None:
    url = postgres.database()
    path = team_file(tmp_path, questions={"builtin": "general-en", "sample": 4}, strategies=["solo"])
    assert moot("run", path, "--store", url, "--quiet") == 0
    ((held),) = told(capsys, "runs", "--store", url)
    assert [(row["experiment"], row["state"], row["episodes"]) for row in held["runs"]] == [("team", "done", 12)]
    assert len(told(capsys, "log", "--store", url, "--runs", "--limit", 100)) == 12
    assert moot("log", "--store", url) == 1, "questions of runs only if asked for"
