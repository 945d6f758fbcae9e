"""How a run ends in which some calls failed: what failed is counted by whose and what it is, and all of it is one screen."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from beside import in_a_thread

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.simulate.server import running

FAULTS = [{"kind": "empty", "rate": 1.0, "model": "eve"}, {"kind": 500, "rate": 0.6, "model": "dan"}]
SERVED = {"models": {"dan": {"accuracy": 0.5}, "eve": {"accuracy": 0.5}}, "faults": FAULTS}


def flat(words: str) -> str:
    return " ".join(words.split())


def rows(told: str) -> int:
    """Of a screen of 80 columns."""
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", told)
    return sum(-(-max(len(line.rstrip()), 1) // 80) for line in plain.splitlines())


def write(path: Path, base_url: str) -> Path:
    models: dict[str, Any] = {name: {"provider": "simulated", "accuracy": 0.7} for name in ("ann", "bob", "cat")}
    endpoint = {"provider": "endpoint", "base_url": base_url, "retries": {"attempts": 1}}
    models |= {name: {**endpoint, "model": name} for name in ("dan", "eve")}
    lines = ["question,answer,note", *(f"Who is number {n} of them?,Person {n},x" for n in range(30))]
    path.with_name("q.csv").write_text("\n".join(lines))
    keys = {
        "name": "cup",
        "questions": {"file": "q.csv"},
        "models": models,
        "strategies": ["solo", "vote", "talkative"],
    }
    path.write_text(json.dumps({**keys, "teams": {"all": {"players": list(models), "captain": "eve"}}}))
    return path


@pytest.mark.parametrize("terminal", [False, True])
def test_failures_are_counted_by_whose_and_what_they_are_on_one_screen(
    *, terminal: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "24")
    if terminal:
        monkeypatch.setenv("TTY_COMPATIBLE", "1")
    with in_a_thread(running(SERVED)) as server:
        write(tmp_path / "my cup.yaml", server.base_url)
        assert run_app(app, ["run", "my cup.yaml"]) == 1
    told = capsys.readouterr()
    (failed,) = re.findall(r"moot: (\d+) of 210 episodes failed", told.err)
    causes = re.findall(r"^  (\d+) × (?:[a-z, ]+: )?(\w+)", told.err, re.MULTILINE)
    assert [kind for _, kind in causes] == ["ReplyBroken", "ServerFailed"], (
        "the reply's id and time make no other cause"
    )
    assert sum(int(times) for times, _ in causes) == int(failed)
    assert "other cause" not in told.err
    assert "Next: moot doctor 'my cup.yaml', then moot run 'my cup.yaml' again" in flat(told.err)
    assert "On these 30 questions" in told.out
    if terminal:
        after_progress = told.err[told.err.rindex("moot: ") :]
        assert rows(told.out) + rows(after_progress) <= 24, told.out + told.err
    else:
        (_, said) = told.err.split("moot: ", 1)
        assert rows(told.out) + rows(said[said.index("episodes failed") :]) <= 25, told


MANY = [f"a-model-with-quite-a-long-name-{n:02d}" for n in range(10)]
KINDS = ("empty", 500, "cut", "invalid-json", 503)


def write_many(folder: Path, base_url: str, names: list[str], strategies: list[str]) -> None:
    endpoint = {"provider": "endpoint", "base_url": base_url, "retries": {"attempts": 1}}
    models: dict[str, Any] = {name: {**endpoint, "model": name} for name in names}
    models |= {name: {"provider": "simulated", "accuracy": 0.7} for name in ("ann", "bob")}
    lines = ["question,answer,note", *(f"Who is number {n} of them?,Person {n},x" for n in range(30))]
    (folder / "q.csv").write_text("\n".join(lines))
    keys = {"name": "cup", "questions": {"file": "q.csv"}, "models": models, "strategies": strategies}
    teams = {"all": {"players": list(models), "captain": "ann"}}
    (folder / "cup.yaml").write_text(json.dumps({**keys, "teams": teams}))


@pytest.mark.parametrize("rate", [0.3, 1.0])
@pytest.mark.parametrize("strategies", [["solo", "vote"], ["vote", "talkative", "silent"]])
@pytest.mark.parametrize("several", [4, 10])
def test_many_failing_models_are_one_screen_too(
    several: int,
    strategies: list[str],
    rate: float,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "24")
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    names = MANY[:several]
    faults = [{"kind": KINDS[n % len(KINDS)], "rate": rate, "model": name} for n, name in enumerate(names)]
    with in_a_thread(running({"models": {name: {"accuracy": 0.5} for name in names}, "faults": faults})) as server:
        write_many(tmp_path, server.base_url, names, strategies)
        run_app(app, ["run", "cup.yaml"])
    told = capsys.readouterr()
    after_progress = told.err[told.err.rindex("moot: ") :]
    assert 1 + rows(told.out) + rows(after_progress) <= 25, told.out + told.err


def write_judged(tmp_path: Path, judge_at: str) -> None:
    """Three answers that a judge must see."""
    capitals = {"France": "Paris", "Italy": "Rome", "Spain": "Madrid"}
    cases = [{"id": land, "text": f"Capital of {land}?", "answer": city} for land, city in capitals.items()]
    said = [{"model": "ann", "question_id": land, "answer": f"{city}, I think"} for land, city in capitals.items()]
    for name, lines in (("q.jsonl", cases), ("said.jsonl", said)):
        (tmp_path / name).write_text("\n".join(map(json.dumps, lines)))
    endpoint = {"provider": "endpoint", "base_url": judge_at, "retries": {"attempts": 1}, "model": "eve"}
    recorded = {"provider": "recorded", "file": "said.jsonl", "model": "ann"}
    keys = {"name": "cup", "questions": {"file": "q.jsonl"}, "models": {"ann": recorded, "eve": endpoint}}
    keys |= {"players": {"ann": {"model": "ann"}}, "strategies": ["solo"], "judge": {"models": ["eve"]}}
    (tmp_path / "cup.yaml").write_text(json.dumps(keys))


def test_a_judge_who_is_not_there_is_said_to_be_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    with in_a_thread(running({"models": {"eve": {"accuracy": 1.0}}})) as server:
        gone = server.base_url
    write_judged(tmp_path, gone)
    assert run_app(app, ["run", "cup.yaml"]) == 1
    told = capsys.readouterr()
    assert "\neve is a judge: 3 answers have no grade; 3 of 3 episodes are kept.\n" in told.err
    assert told.err.endswith("Next: moot doctor cup.yaml, then moot run cup.yaml: it asks for grades alone.\n")
    assert "(cup.yaml:1: models.eve)" in told.err
    assert rows(told.out) + rows(told.err) <= 24


def test_a_judge_who_is_down_is_said_and_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever looks at the status alone should not take answers that nobody graded for a run that is done."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    down = {"models": {"eve": {"accuracy": 1.0}}, "faults": [{"kind": 500, "rate": 1.0, "times": 6}]}
    with in_a_thread(running(down)) as server:
        write_judged(tmp_path, server.base_url)
        for _ in range(2):
            assert run_app(app, ["run", "cup.yaml"]) == 1
            told = capsys.readouterr()
            assert "moot: 3 of 3 answers have no grade by the judge eve:" in told.err
            assert "3 × eve: no word" in told.err
            assert "Next: moot doctor cup.yaml, then moot run cup.yaml again." in told.err
            assert rows(told.out) + rows(told.err) <= 24
            assert "nothing to do" not in told.out
        assert run_app(app, ["run", "cup.yaml", "--quiet"]) == 0, "it is up again"
        assert run_app(app, ["run", "cup.yaml"]) == 0
    assert "nothing to do: all 3 episodes are done" in capsys.readouterr().out
