"""An outage in the middle of a run: who could not be reached is asked again by the next run, and nothing is claimed before."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from beside import in_a_thread
from cup_commands import Row, command, ended, told, write

from moot.errors import CallError, GenerationFailed, ServerFailed
from moot.simulate.server import running
from moot.simulate.simulated import SimulatedModel
from moot.types import Reply, Request

GOOD = {"ann": 0.55, "bob": 0.9, "cat": 0.9}
HISTORY = ("runs", "failures", "losses", "bill_usd", "store")
"""What tells of calls that failed once, and of when something was run."""

Down = Callable[[str, Request], CallError | Reply | None]


def open_questions(many: int) -> list[Row]:
    return [{"id": f"q{n}", "text": f"Who is number {n} of them?", "answer": f"Person {n}"} for n in range(many)]


def cup(folder: Path, strategies: list[Any], questions: int = 12, **keys: Any) -> Path:
    folder.mkdir(exist_ok=True)
    models = {name: {"provider": "simulated", "accuracy": share} for name, share in GOOD.items()}
    teams = {"three": {"players": list(GOOD), "captain": "ann"}}
    return write(folder, open_questions(questions), models=models, teams=teams, strategies=strategies, **keys)


@contextmanager
def asked(down: Down | None = None) -> Iterator[Counter[str]]:
    """By model, how many calls were made; those fail for which `down` says how."""
    generate, made = SimulatedModel.generate, Counter[str]()

    async def sometimes(self: SimulatedModel, request: Request) -> Reply:
        made[self.name] += 1
        came = None if down is None else down(self.name, request)
        if isinstance(came, CallError):
            raise came
        return came or await generate(self, request)

    with mock.patch.object(SimulatedModel, "generate", sometimes):
        yield made


def gone(*names: str, questions: Callable[[int], bool] = lambda n: True) -> Down:
    """These are not there, on such questions."""

    def down(name: str, request: Request) -> CallError | None:
        number = int((request.question_id or "q0").removeprefix("q"))
        return ServerFailed("the server is down", status=500) if name in names and questions(number) else None

    return down


def figures(path: Path) -> Row:
    """Without what tells of history, and of how long something took."""

    def timeless(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: timeless(each) for key, each in value.items() if "seconds" not in key and "latency" not in key}
        return [timeless(each) for each in value] if isinstance(value, list) else value

    return {key: timeless(value) for key, value in told(path).items() if key not in HISTORY}


STRATEGIES: list[Any] = [
    ["solo", "vote"],
    ["vote"],
    ["solo", "talkative"],
    ["solo", "peer-review"],
    ["solo", {"debate": {"quorum": True, "grace_s": 5}}],
    ["solo", "discuss"],
]


@pytest.mark.parametrize("strategies", STRATEGIES, ids=str)
@pytest.mark.parametrize("share", [1, 3])
def test_after_an_outage_the_next_run_gives_what_a_fresh_one_gives(
    tmp_path: Path, strategies: list[Any], share: int
) -> None:
    path, fresh = (cup(tmp_path / name, strategies) for name in ("outage", "fresh"))
    with asked(gone("bob", "cat", questions=lambda n: n % share == 0)):
        assert ended("run", path, "--quiet")[0] == 1
    with asked() as made:
        assert ended("run", path, "--quiet")[0] == 0
        assert ended("run", path, "--quiet")[0] == 0
    with asked() as made_fresh:
        command("run", fresh, "--quiet")
    assert figures(path) == figures(fresh)
    assert made.total() < made_fresh.total()
    if strategies in (["solo", "vote"], ["vote"]):
        assert made == {"bob": 12 // share, "cat": 12 // share}, "what was answered is not asked twice"


def outage(path: Path, *names: str, share: int = 1) -> None:
    with asked(gone(*names, questions=lambda n: n % share == 0)):
        assert ended("run", path, "--quiet")[0] == 1


def test_nothing_is_claimed_of_a_team_whose_members_could_not_be_reached(tmp_path: Path) -> None:
    path = cup(
        tmp_path, ["solo", "vote"], questions=60, primary="vote", hypotheses=["accuracy(vote) < accuracy(solo@bob)"]
    )
    outage(path, "bob", "cat", share=2)
    figures = told(path)
    headline = figures["headline"]
    assert headline["unreached"] == {"questions": 30, "of": 60, "who": ["bob", "cat"], "withheld": True}
    over = headline["over_best_single"]
    assert (over["low"], over["high"], over["p"], headline["low"]) == (None, None, None, None)
    why = "on 30 of 60 questions somebody could not be reached (bob, cat)"
    assert over["why"] == why
    assert figures["hypotheses"][0]["verdict"] == "open"
    assert "in 30 of 60 plays of vote somebody could not be reached (bob, cat)" in figures["hypotheses"][0]["note"]
    row = next(row for row in figures["unreached"] if row["label"] == "vote")
    assert (row["plays"], row["unreached"], row["who"]) == (60, 30, ["bob", "cat"])
    sentence = f"{why.capitalize()}, which could turn it round, so that nothing is claimed: moot run asks them again."
    assert sentence in headline["sentence"]
    for words in (("report", path), ("report", path, "--section", "accuracy")):
        assert sentence in command(*words), words
    assert "somebody not reached on 30 of 60. Nothing is claimed." in command("runs", path)
    assert "In 90 of 180 plays somebody could not be reached (bob, cat" in command(
        "report", path, "--section", "unreached"
    )
    status, said = ended("report", path, "--fail-under", "over_best_single.high<0")
    assert status == 1
    assert f"is not known ({why})" in said
    compared = json.loads(command("compare", path, "vote", "solo@ann", "--json"))
    assert compared["unreached"]["questions"] == 30
    command("report", path, "-o", tmp_path / "page.html")
    assert sentence in " ".join((tmp_path / "page.html").read_text(encoding="utf-8").split())
    assert "plays somebody could not be reached (bob, cat" in ended("advise", path)[1]
    with asked():
        assert ended("run", path, "--quiet")[0] == 0
    assert "unreached" not in told(path)
    assert "could not be reached" not in command("report", path)


def test_of_a_cohort_all_of_which_was_reached_something_is_claimed(tmp_path: Path) -> None:
    """But for the gap to the others' best, who were not."""
    names = {"ann": 0.9, "bob": 0.9, "cat": 0.5, "dan": 0.5}
    sides = [
        "accuracy(vote, open) > 0.2",
        "accuracy(vote, closed) < 0.99",
        "gap_closure(vote, closed) < 9",
        "accuracy(vote) < 1",
    ]
    path = write(
        tmp_path,
        open_questions(60),
        models={name: {"provider": "simulated", "accuracy": share} for name, share in names.items()},
        teams={
            "four": {
                "players": list(names),
                "captain": "each",
                "cohorts": {"open": ["ann", "bob"], "closed": ["cat", "dan"]},
            }
        },
        strategies=["solo", "vote"],
        hypotheses=sides,
    )
    outage(path, "bob", share=2)
    notes = {row["hypothesis"]: (row["verdict"], row["note"] or "") for row in told(path)["hypotheses"]}
    reached = {text: "could not be reached" not in note for text, (_, note) in notes.items()}
    assert reached == {sides[0]: False, sides[1]: True, sides[2]: False, sides[3]: False}
    assert notes[sides[1]][0] == "confirmed"


def test_a_few_plays_without_somebody_leave_a_claim_that_they_cannot_turn_round(tmp_path: Path) -> None:
    path = cup(tmp_path, ["solo", "vote"], questions=60, primary="vote")
    models = {"ann": 0.0, "cat": 0.0, "bob": 0.95}
    spec = json.loads(path.read_text())
    spec["models"] = {name: {"provider": "simulated", "accuracy": share} for name, share in models.items()}
    path.write_text(json.dumps(spec))
    outage(path, "ann", share=30)
    headline = told(path)["headline"]
    assert headline["unreached"] == {"questions": 2, "of": 60, "who": ["ann"], "withheld": False}
    assert headline["over_best_single"]["high"] < 0
    assert "On 2 of 60 questions somebody could not be reached (ann): moot run asks them again." in headline["words"]
    compared = json.loads(command("compare", path, "vote", "solo@bob", "--json"))
    assert compared["high"] < 0
    assert not compared["unreached"]["withheld"]


def test_compare_claims_nothing_that_those_who_were_not_reached_could_turn_round(tmp_path: Path) -> None:
    path = cup(tmp_path, ["solo", "vote"], questions=60)
    outage(path, "bob", "cat", share=2)
    compared = json.loads(command("compare", path, "vote", "solo@cat", "--json"))
    assert compared["unreached"] == {"questions": 30, "of": 60, "who": ["bob", "cat"], "withheld": True}
    assert (compared["low"], compared["p"], compared["detectable"]) == (None, None, None)
    assert "nothing is claimed" in command("compare", path, "vote", "solo@cat")


def test_who_fails_for_good_is_asked_again_and_nobody_else(tmp_path: Path) -> None:
    path = cup(tmp_path, ["solo", "vote"])
    outage(path, "bob")
    for _ in range(2):
        with asked(gone("bob")) as made:
            status, said = ended("run", path)
        assert (status, made) == (1, {"bob": 12 * 2})
        assert "moot: 12 of 48 episodes failed, 12 went on without bob (not reached): 12 × bob: ServerFailed" in said


@pytest.mark.parametrize("own_doing", ["refused", "form"])
def test_what_is_the_models_own_doing_is_not_played_again(tmp_path: Path, own_doing: str) -> None:
    path = cup(tmp_path, ["vote"])

    def broken(name: str, request: Request) -> CallError | Reply | None:
        if name != "bob":
            return None
        refusal = Reply("I would rather not.", "refusal")
        return refusal if own_doing == "refused" else GenerationFailed("the form could not be kept")

    with asked(broken):
        assert ended("run", path, "--quiet")[0] == 0
    with asked() as made:
        assert ended("run", path, "--quiet")[0] == 0
    assert made == {}
    assert "unreached" not in told(path)


def test_who_reads_and_who_groups_are_asked_again(tmp_path: Path) -> None:
    """A player alone, whose reply another model reads, and a vote whose answers another model groups."""
    keys = {"grouping": {"model": "gil"}}
    path, fresh = (cup(tmp_path / name, ["solo", "vote"]) for name in ("outage", "fresh"))
    for each in (path, fresh):
        spec = json.loads(each.read_text()) | keys
        spec["models"]["gil"] = {"provider": "simulated", "accuracy": 0.9}
        each.write_text(json.dumps(spec))
    with asked(gone("gil")) as before:
        status, _ = ended("run", path, "--quiet")
    assert before["gil"]
    assert status == 1
    with asked() as made:
        assert ended("run", path, "--quiet")[0] == 0
    assert set(made) == {"gil"}
    with asked():
        command("run", fresh, "--quiet")
    assert figures(path) == figures(fresh)


def test_through_a_server_that_fails_and_is_mended(tmp_path: Path) -> None:
    served = {"seed": 7, "models": {name: {"accuracy": share} for name, share in GOOD.items()}}
    paths = [cup(tmp_path / name, ["solo", "vote"], primary="vote") for name in ("outage", "fresh")]

    def point(base_url: str) -> None:
        endpoint = {"provider": "endpoint", "base_url": base_url, "retries": {"attempts": 1}}
        for path in paths:
            spec = json.loads(path.read_text()) | {"models": {name: {**endpoint, "model": name} for name in GOOD}}
            path.write_text(json.dumps(spec))

    faults = [{"kind": 500, "model": name, "after": 3} for name in ("bob", "cat")]
    with in_a_thread(running({**served, "faults": faults})) as server:
        point(server.base_url)
        port = int(server.base_url.split(":")[2].split("/")[0])
        assert ended("run", paths[0], "--quiet")[0] == 1
        answered = server.stats["outcomes"]["ok"]
    assert answered < 3 * 12
    with in_a_thread(running(served, port=port)) as server:
        assert ended("run", paths[0], "--quiet")[0] == 0
        assert server.stats["outcomes"]["ok"] == 3 * 12 - answered
        command("run", paths[1], "--quiet")
    assert figures(paths[0]) == figures(paths[1])


def test_a_store_of_before_tells_by_its_transcripts(tmp_path: Path) -> None:
    path = cup(tmp_path, ["solo", "vote"])
    outage(path, "bob", share=3)
    with closing(sqlite3.connect(path.with_suffix(".db"))) as connection, connection:
        without = connection.execute("SELECT cell, question, unreached FROM episodes ORDER BY 1, 2").fetchall()
        connection.execute("ALTER TABLE episodes DROP COLUMN unreached")
        connection.execute("DELETE FROM migrations WHERE name = '0020-unreached'")
    command("runs", path)
    with asked() as made:
        assert ended("run", path, "--quiet")[0] == 0
    assert made == {"bob": 4}
    assert sum(unreached is not None for *_, unreached in without) == 8
