"""Every fault that a server can have on order, through a whole `moot run`: each ends as the outcome it deserves."""

from __future__ import annotations

import json
import re
import socket
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from beside import in_a_thread

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.models.retry import RetryPatience
from moot.simulate.server import SimulatedServer, running
from moot.team.attempts import ATTEMPTS

TRIES = 3


@pytest.fixture(autouse=True)
def _hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same patience with pauses a tenth as long: attempts are what is counted here."""
    monkeypatch.setattr(RetryPatience.__init__, "__defaults__", (6, 900.0, 0.05, 3.0))


@contextmanager
def simulated(config: Mapping[str, Any], *, port: int = 0) -> Iterator[SimulatedServer]:
    """A simulated server in a thread of its own, so that a command can be run beside it as a user would."""
    with in_a_thread(running({"models": {"tom": {"accuracy": 0.5}}, **config}, port=port)) as server:
        yield server


def endpoint(base_url: str, model: str = "tom", **more: Any) -> dict[str, Any]:
    return {
        "provider": "endpoint",
        "base_url": base_url,
        "model": model,
        "retries": {"attempts": TRIES},
        "timeout_s": 20,
        **more,
    }


def experiment(folder: Path, models: Mapping[str, Any], questions: int = 6) -> Path:
    lines = [{"id": f"q{n}", "text": f"Who is number {n}?", "answer": f"Person {n}"} for n in range(questions)]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    path = folder / "cup.yaml"
    path.write_text(json.dumps({"name": "cup", "questions": {"file": "questions.jsonl"}, "models": models}))
    return path


def moot(*arguments: object) -> int:
    return run_app(app, [str(each) for each in arguments])


def episodes(path: Path) -> list[dict[str, Any]]:
    with sqlite3.connect(path.with_suffix(".db")) as connection:
        connection.row_factory = sqlite3.Row
        rows = connection.execute("SELECT episodes.*, player FROM episodes JOIN cells ON cells.id = cell").fetchall()
    connection.close()
    return [{**dict(row), **json.loads(row["verdict"])} for row in rows]


def outcomes(path: Path) -> dict[str, int]:
    return dict(Counter(row["outcome"] for row in episodes(path)))


def causes(path: Path) -> str:
    return " | ".join(sorted({str(row.get("cause", "")) for row in episodes(path)}))


# --- faults that pass --------------------------------------------------------------------------------------------------


PASSING: list[dict[str, Any]] = [
    {"kind": "429", "times": 2},
    {"kind": "429-seconds", "times": 1, "retry_after": 1},
    {"kind": "429-date", "times": 1, "retry_after": 2},
    {"kind": "500", "times": 2},
    {"kind": "503", "times": 2},
    {"kind": "reset", "times": 2},
    {"kind": "cut", "times": 2},
    {"kind": "hang", "times": 1, "hang_s": 60},
    {"kind": "invalid-json", "times": 2},
    {"kind": "empty", "times": 2},
    {"kind": "garbage", "times": 2},
    {"kind": "drip", "times": 2, "drip_s": 0.0005},
]
IN_A_STREAM = ("reset", "cut", "invalid-json", "empty", "garbage")


@pytest.mark.parametrize(
    ("fault", "stream"),
    [
        *(pytest.param(fault, False, id=fault["kind"]) for fault in PASSING),
        *(
            pytest.param(fault, True, id=f"{fault['kind']}-in-a-stream")
            for fault in PASSING
            if fault["kind"] in IN_A_STREAM
        ),
    ],
)
def test_what_passes_is_answered(tmp_path: Path, fault: dict[str, Any], stream: bool) -> None:
    own: dict[str, Any] = {"timeout_s": 1} if fault["kind"] == "hang" else {}
    with simulated({"faults": [fault]}) as server:
        path = experiment(tmp_path, {"tom": endpoint(server.base_url, stream=stream, **own)})
        started = time.monotonic()
        assert moot("run", path, "--quiet") == 0
        took_s = time.monotonic() - started
        seen = server.stats["outcomes"]
    assert outcomes(path) == {"answered": 6}
    hit = fault["times"]
    assert seen == {fault["kind"]: hit, "ok": 6 if fault["kind"] != "drip" else 6 - hit}, "no request too many"
    if fault["kind"].startswith("429-"):
        assert took_s >= 1, "Retry-After is waited for"


@pytest.mark.parametrize("kind", ["garbage"])
def test_who_is_asked_again_is_told_what_was_wrong(
    tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with simulated({"faults": [{"kind": kind, "times": 1}]}) as server:
        path = experiment(tmp_path, {"tom": endpoint(server.base_url)}, questions=1)
        assert moot("run", path, "--quiet") == 0
    moot("show", path, "q0", "--json")
    calls = json.loads(capsys.readouterr().out)[0]["calls"]
    assert [call["attempt"] for call in calls] == [0, 1]
    words = {"garbage": "not a JSON object"}[kind]
    assert words in calls[1]["messages"][-1]["content"]


# --- faults that stay --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "own", "outcome", "cause", "requests"),
    [
        ({"kind": "429"}, {}, "failed", "RateLimited: .* answered 429", TRIES),
        ({"kind": "500"}, {}, "failed", "ServerFailed: .* answered 500", TRIES),
        ({"kind": "503"}, {}, "failed", "ServerFailed: .* answered 503", TRIES),
        ({"kind": "reset"}, {}, "failed", "ConnectionFailed: ", TRIES),
        ({"kind": "cut"}, {}, "failed", "ConnectionFailed: ", TRIES),
        ({"kind": "hang"}, {"timeout_s": 0.3}, "failed", r"TimedOut: .* within 0\.3 s", TRIES),
        ({"kind": "drip"}, {"timeout_s": 0.3}, "failed", r"TimedOut: .* within 0\.3 s", TRIES),
        ({"kind": "invalid-json"}, {}, "failed", "ReplyBroken: .*not JSON", TRIES),
        ({"kind": "empty"}, {}, "failed", "ReplyBroken: .*no message", TRIES),
        ({"kind": "garbage"}, {}, "unanswered", f"in {ATTEMPTS} attempts.*no-json", ATTEMPTS),
        ({"kind": "refusal"}, {}, "refused", "can't help", 1),
        ({"kind": "content-filter"}, {}, "refused", "content_filter", 1),
    ],
    ids=lambda value: value.get("kind", "") if isinstance(value, dict) else "",
)
def test_what_stays_ends_as_it_must(
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    fault: dict[str, Any],
    own: dict[str, Any],
    outcome: str,
    cause: str,
    requests: int,
) -> None:
    with simulated({"faults": [fault]}) as server:
        path = experiment(tmp_path, {"tom": endpoint(server.base_url, **own)}, questions=2)
        failed = outcome == "failed"
        assert moot("run", path, "--quiet") == (1 if failed else 0)
        assert server.stats["requests"] == 2 * requests, "bounded"
    assert outcomes(path) == {outcome: 2}
    for row in episodes(path):
        assert row["answer"] is None
        assert_matches(cause, row["cause"])
    error = capfd.readouterr().err
    if failed:
        assert "2 of 2 episodes failed" in error
        assert_matches(cause, error)
    assert "Traceback" not in error


def assert_matches(pattern: str, text: str) -> None:
    assert re.search(pattern, text), f"{pattern!r} is not in {text!r}"


@pytest.mark.parametrize(
    ("status", "own"),
    [
        (400, {"params": {"temperature": "hot"}}),
    ],
)
def test_what_would_fail_again_is_not_tried_again(tmp_path: Path, status: int, own: dict[str, Any]) -> None:
    with simulated({}) as server:
        spec = endpoint(server.base_url, json_mode="schema")
        path = experiment(tmp_path, {"tom": {**spec, **own}}, questions=2)
        assert moot("run", path, "--quiet") == 1
        assert server.stats["outcomes"] == {str(status): 2}
    assert outcomes(path) == {"failed": 2}
    assert f"answered {status}" in causes(path)


def test_a_fault_of_one_model_is_not_the_others(tmp_path: Path) -> None:
    models = {"tom": {"accuracy": 0.5}, "ann": {"accuracy": 0.5}}
    with simulated({"models": models, "faults": [{"kind": "500", "model": "ann"}]}) as server:
        path = experiment(tmp_path, {name: endpoint(server.base_url, name) for name in models}, questions=3)
        assert moot("run", path, "--quiet") == 1
    assert Counter((row["player"], row["outcome"]) for row in episodes(path)) == {
        ("tom", "answered"): 3,
        ("ann", "failed"): 3,
    }


# --- endpoints that are not there --------------------------------------------------------------------------------------


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_a_dead_endpoint_is_told_at_once_and_made_up_for_later(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    port = free_port()
    with simulated({}) as server:
        dead = endpoint(f"http://127.0.0.1:{port}/v1", "ann")
        path = experiment(tmp_path, {"tom": endpoint(server.base_url), "ann": dead}, questions=40)
        assert moot("run", path, "--quiet") == 1
        assert {row["outcome"] for row in episodes(path) if row["player"] == "ann"} <= {"failed"}
        error = capfd.readouterr().err
        assert f"nobody answers for model ann: http://127.0.0.1:{port}/v1: " in error
        with simulated({"models": {"ann": {"accuracy": 0.5}}}, port=port) as back:
            assert moot("run", path, "--quiet") == 0
            assert back.stats["outcomes"] == {"ok": 40}, "what failed is played"
    assert outcomes(path) == {"answered": 80}


def test_an_endpoint_that_stays_dead_is_soon_tried_only_once_a_call(tmp_path: Path) -> None:
    with simulated({"faults": [{"kind": "reset"}]}) as server:
        limits = {"concurrent": 8}
        path = experiment(tmp_path, {"tom": endpoint(server.base_url, limits=limits)}, questions=300)
        assert moot("run", path, "--quiet") == 1
        requests = server.stats["requests"]
    assert outcomes(path) == {"failed": 300}
    assert requests < 300 + 2 * TRIES * 40, "patience is for endpoints that live"


def test_failures_are_kept_for_the_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with simulated({"faults": [{"kind": "500"}]}) as server:
        path = experiment(tmp_path, {"tom": endpoint(server.base_url)}, questions=2)
        moot("run", path, "--quiet")
    capsys.readouterr()
    assert moot("report", path, "--json") == 0
    (failure,) = json.loads(capsys.readouterr().out)["failures"]
    assert (failure["model"], failure["kind"], failure["times"]) == ("tom", "ServerFailed", 2)
    assert f"(attempt {TRIES} of {TRIES})" in failure["message"]
